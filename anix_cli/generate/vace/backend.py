"""Backend ``wan-vace``: a request in, frames out; what holds the model between clips."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from anix_cli.core.capabilities import Capabilities, Option
from anix_cli.core.errors import AnixError, fail

from .models import MODELS, PRESETS, Sampling, VaceModel, sampling

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from anix_cli.core.clip import ClipRequest, Frames, Progress
    from anix_cli.core.plan import Subject
    from anix_cli.model.places import Placed

    from ..diffusion.ladder import Rung
    from .pipeline import Loaded

OPTIONS: Mapping[str, Option] = {
    "model": Option("string", "1.3b", "Which model of the family.", tuple(MODELS)),
    "preset": Option(
        "string", "standard", "draft: 4 steps where the model has a distilled LoRA, else 20; standard: 30; "
        "final: 50.", PRESETS,
    ),
    "context": Option("string", "long", "Frames it goes on from: long is 9, short is 5.", ("long", "short")),
    "steps": Option("integer", 0, "Denoising steps; 0 takes the preset's.", minimum=0, maximum=200),
    "guidance": Option("number", 0, "How closely it follows the words; 0 takes the preset's.", minimum=0,
                       maximum=20),
    "flow_shift": Option("number", 0, "Shift of the noise levels; 0 takes the preset's.", minimum=0,
                         maximum=20),
    "conditioning": Option("number", 1.0, "How closely it follows guide and mask.", minimum=0, maximum=2),
}  # fmt: skip
VIEWS = 3
VERSION = "1"


class _Declared:
    """Capabilities with the pins of this machine: what a seed gives depends on the weights' revision."""

    def __get__(self, instance: Any, owner: type) -> Capabilities:
        from anix_cli.model.places import signature

        names = [name for model in MODELS.values() for name in (model.weights, model.lora) if name]
        return Capabilities(
            uses=frozenset({"prompt", "negative", "seed", "guide", "anchor", "tail", "views", "blocking"}),
            version=VERSION,
            max_frames=81,
            tail=9,
            frame_step=4,
            size_multiple=16,
            fps=Fraction(16),
            max_views=VIEWS,
            licence="Apache-2.0 (Wan2.1); see `anix models list`",
            weights=signature(*names),
            options=OPTIONS,
            prompt_tokens=512,
            drifts=True,
        )


class WanVaceBackend:
    """Wan-VACE on public weights. One model is held at a time, until a clip wants another or ``close``."""

    name = "wan-vace"
    capabilities: ClassVar[Any] = _Declared()

    def __init__(self) -> None:
        self._loaded: Loaded | None = None
        self._held_for: tuple[str, bool, bool] | None = None
        self._rung: dict[tuple[str, bool], Rung] = {}

    def prepare(self, options: Sequence[Mapping[str, Any]]) -> None:
        """Makes sure, before the first frame, that clips with such options can be made.

        Raises:
            AnixError: E471, something is not installed; E472, E473, no GPU or too little memory; E474 …
                E478, the weights.
        """
        self._installed()
        for name in sorted({str(one.get("model", OPTIONS["model"].default)) for one in options}):
            self._rungs(MODELS[name], precise=False)
            self._place(MODELS[name].weights)
            lora = MODELS[name].lora
            drafts = any(one.get("preset") == "draft" for one in options if one.get("model") == name)
            if drafts and lora:
                self._place(lora)

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        """The new frames, [F, H, W, 3] uint8 sRGB.

        Raises:
            AnixError: as :meth:`prepare`; E557, the LoRA does not fit; E558, memory ran out on every rung.
            BadFrames: what came out is not finite.
        """
        from ..check import check_request
        from .conditions import kept_frames, passes

        check_request(request)
        self._installed()
        model = MODELS[str(request.options.get("model", OPTIONS["model"].default))]
        settings = sampling(model, request.size_px, request.options)
        kept = kept_frames(len(request.tail), str(request.options.get("context", "long")))
        calls = passes(request)
        base, start = request.guide.copy(), len(request.tail)
        notes: dict[str, Any] = {"model": model.name, "kept": kept, "passes": []}
        for index, (subject, region) in enumerate(calls):
            maker = _Pass(self, request, model, settings, kept, index)

            def step(done: int, at: int = index) -> None:
                progress(at * (settings.steps + 1) + done, len(calls) * (settings.steps + 1))

            frames = maker.make(subject, region, base, step)
            step(settings.steps + 1)
            notes["passes"].append(maker.notes)
            drawn = region[start:, ..., None] if index + 1 < len(calls) else True
            base[start:] = _put(base[start:], frames, drawn)
        request.note("wan_vace", {**notes, **self._about(model, settings)})
        return base[start:].copy()

    def close(self) -> None:
        """Frees the model."""
        if self._loaded is not None:
            from ..diffusion.holding import release

            self._loaded, self._held_for = None, None
            release()

    def holding(self, model: VaceModel, settings: Sampling, *, precise: bool) -> Loaded:
        """The pipeline for a clip, loaded where another or none is held."""
        wanted = (model.name, settings.distilled, precise)
        if self._loaded is None or self._held_for != wanted:
            from .pipeline import load

            self.close()
            rung = self._rung.get((model.name, precise)) or self._rungs(model, precise=precise)[0]
            lora = self._place(model.lora).path if settings.distilled and model.lora else None
            self._loaded = load(self._place(model.weights).path, rung, lora)
            self._held_for = wanted
            self._rung[model.name, precise] = rung
        return self._loaded

    def step_down(self, model: VaceModel, *, precise: bool) -> None:
        """Memory ran out: the next rung, for the rest of the run.

        Raises:
            AnixError: E558, this was the last.
        """
        from ..diffusion.ladder import below

        now = self._rung[model.name, precise]
        self.close()
        lower = below(self._rungs(model, precise=precise, ever=True), now)
        if lower is None:
            raise no_memory(model.title, now.name)
        self._rung[model.name, precise] = lower

    def _about(self, model: VaceModel, settings: Sampling) -> dict[str, Any]:
        """What the record says of model and sampling."""
        loaded = self._loaded
        used = [model.weights, *([model.lora] if settings.distilled and model.lora else [])]
        placed = {name: self._place(name) for name in used}
        return {
            "weights": {name: one.revision or "local folder" for name, one in placed.items()},
            "rung": loaded.rung.name if loaded else "",
            "lora_matched": loaded.lora_share if loaded else None,
            "sampling": {
                "steps": settings.steps,
                "guidance": settings.guidance,
                "flow_shift": settings.shift,
                "conditioning": settings.conditioning,
            },
        }

    def _installed(self) -> None:
        from anix_cli.model.fetch import missing_extra

        from .pipeline import EXTRAS

        for module in EXTRAS:
            if find_spec(module) is None:
                raise missing_extra(module)

    def _rungs(self, model: VaceModel, *, precise: bool, ever: bool = False) -> tuple[Rung, ...]:
        """Ways to hold a model. ``ever``: also those for which too little is free just now."""
        from ..diffusion.ladder import Machine, machine, rungs

        return rungs(model, Machine(1e6, 1e6) if ever else machine(), precise=precise)

    def _place(self, name: str) -> Placed:
        from anix_cli.model.fetch import resolve
        from anix_cli.model.registry import weights_called

        return resolve(weights_called(name))


class _Pass:
    """One call of the model: one character drawn into what there is."""

    def __init__(
        self,
        backend: WanVaceBackend,
        request: ClipRequest,
        model: VaceModel,
        settings: Sampling,
        kept: int,
        index: int,
    ) -> None:
        self.backend, self.request, self.model, self.settings = backend, request, model, settings
        self.kept, self.index = kept, index
        self.notes: dict[str, Any] = {}

    def make(
        self,
        subject: Subject | None,
        region: NDArray[np.bool_],
        base: Frames,
        step: Callable[[int], None],
    ) -> Frames:
        """New frames [F, H, W, 3]."""
        from .conditions import conditions

        made = conditions(self.request, base, region, self.kept)
        latents = self._kept_latents(made.video.shape)
        if latents is None:
            latents = self._sampled(subject, made, step)
            self._keep(latents)
        frames = self._decoded(latents)
        return frames[made.kept : made.kept + made.new]

    def _sampled(self, subject: Subject | None, made: Any, step: Callable[[int], None]) -> Any:
        from ..diffusion.holding import out_of_memory
        from .pipeline import sample
        from .views import references
        from .words import words

        request = self.request
        # diffusers makes masks for as many references as there are latent frames, and no more.
        most = min(VIEWS, (len(made.video) - 1) // 4 + 1)
        shown = references(request, subject, most) if subject is not None else []
        furthest = 0

        def forward(done: int) -> None:  # a second try tells nothing until it is further than the first
            nonlocal furthest
            if done > furthest:
                furthest = done
                step(done)

        while True:
            loaded = self.backend.holding(self.model, self.settings, precise=request.precise)
            told = words(request, loaded.count)
            sampled = None
            try:
                sampled = sample(
                    loaded, made, told, shown, settings=self.settings, seed=self._seed(), step=forward
                )
            except Exception as error:
                if not out_of_memory(error):
                    raise
            if sampled is None:  # outside of the handler: the error's frames hold what filled the memory
                del loaded
                self.backend.step_down(self.model, precise=request.precise)
                continue
            latents, sigmas = sampled
            self.notes.update(
                character=subject.character if subject else None,
                views=[one.view for one in shown],
                sigmas=sigmas,
                **({"words_lost": told.lost} if told.lost else {}),
            )
            if told.lost:
                request.note("words_lost", told.lost)
            return latents

    def _decoded(self, latents: Any) -> Frames:
        from anix_cli.core.clip import BadFrames

        from ..diffusion.holding import out_of_memory, release
        from .pipeline import decode

        for tiled in (False, True):
            loaded = self.backend.holding(self.model, self.settings, precise=self.request.precise)
            try:
                frames = decode(loaded, latents, tiled=tiled)
            except BadFrames:
                self._forget()
                raise
            except Exception as error:
                if not out_of_memory(error):
                    raise
            else:
                self.notes["decoded"] = "in tiles" if tiled or loaded.rung.tiled else "whole"
                return frames
            release()
        raise no_memory("decoding", "tiles", kept=self._file is not None)

    def _seed(self) -> int:
        return (self.request.seed + 0x9E3779B9 * self.index) % 2**32

    @property
    def _file(self) -> Path | None:
        scratch = self.request.scratch
        precise = "-precise" if self.request.precise else ""
        return scratch / f"latents-{self.index}{precise}.safetensors" if scratch else None

    def _keep(self, latents: Any) -> None:
        """Hours of sampling are not lost to an error at decoding."""
        if self._file is not None:
            from safetensors.torch import save_file

            self._file.parent.mkdir(parents=True, exist_ok=True)
            partial = self._file.with_suffix(".part")
            save_file({"latents": latents}, partial)
            partial.replace(self._file)

    def _kept_latents(self, shape: Sequence[int]) -> Any:
        if self._file is None or not self._file.is_file():
            return None
        from safetensors.torch import load_file

        try:
            latents = load_file(self._file)["latents"]
        except Exception:  # half written or damaged: sampled again
            return None
        wanted = ((shape[0] - 1) // 4 + 1, shape[1] // 8, shape[2] // 8)
        if tuple(latents.shape[2:]) != wanted:
            return None
        self.notes["resumed"] = "at decoding"
        return latents

    def _forget(self) -> None:
        if self._file is not None:
            self._file.unlink(missing_ok=True)


def _put(below: Frames, above: Frames, where: Any) -> Frames:
    import numpy as np

    return np.where(where, above, below)


def no_memory(what: str, rung: str, *, kept: bool = False) -> AnixError:
    """E558: memory ran out in the most sparing way."""
    saved = "what was sampled is kept, and the same command goes on from there; " if kept else ""
    return fail(
        "E558",
        f"{what} ran out of memory, even in the most sparing way ({rung})",
        hint=f"{saved}lower film.size, take a smaller model, or end what else uses the GPU",
    )


def with_noise(capabilities: Capabilities) -> Capabilities:
    """Of the tests' variant, whose weights are random and tiny."""
    return replace(
        capabilities, version=f"{VERSION}-noise", max_frames=25, licence="none: noise", weights="random"
    )
