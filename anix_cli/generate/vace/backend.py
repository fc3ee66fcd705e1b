"""Backend ``wan-vace``: a request in, frames out; what holds the model between clips."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from anix_cli.core.capabilities import Capabilities, Option

from ..diffusion.levers import OFF, Levers, levers
from ..diffusion.levers import options as lever_options
from ..diffusion.passes import OnePass, PassBackend
from .models import MODELS, MOTIONS, PRESETS, Sampling, VaceModel, sampling

if TYPE_CHECKING:
    from anix_cli.core.clip import ClipRequest, Frames, Progress
    from anix_cli.core.plan import Subject

    from ..diffusion.ladder import Footprint
    from ..diffusion.regions import Bools
    from ..diffusion.words import Words
    from .pipeline import Loaded

OPTIONS: Mapping[str, Option] = {
    "model": Option("string", "1.3b", "Which model of the family.", tuple(MODELS)),
    "preset": Option(
        "string", "standard", "draft: 4 steps where the model has a distilled LoRA, else 20; standard: 30; "
        "final: 50.", PRESETS,
    ),
    "motion": Option(
        "string", "text", "What tells it how the character moves: the words alone, or in the picture its "
        "skeleton or its depth as well.", MOTIONS,
    ),
    "context": Option("string", "long", "Frames it goes on from: long is 9, short is 5.", ("long", "short")),
    "steps": Option("integer", 0, "Denoising steps; 0 takes the preset's.", minimum=0, maximum=200),
    "guidance": Option("number", 0, "How closely it follows the words; 0 takes the preset's.", minimum=0,
                       maximum=20),
    "flow_shift": Option("number", 0, "Shift of the noise levels; 0 takes the preset's.", minimum=0,
                         maximum=20),
    "conditioning": Option("number", 1.0, "How closely it follows guide and mask.", minimum=0, maximum=2),
    **lever_options("taylorseer"),
}  # fmt: skip
VIEWS = 3
VERSION = "2"


class _Declared:
    """Capabilities with the pins of this machine: what a seed gives depends on the weights' revision."""

    def __get__(self, instance: Any, owner: type) -> Capabilities:
        from anix_cli.model.places import signature

        names = [name for model in MODELS.values() for name in (model.weights, model.lora) if name]
        return Capabilities(
            uses=frozenset(
                {"prompt", "negative", "seed", "guide", "depth", "anchor", "tail", "views", "blocking"}
            ),
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
            tokenizers=tuple(model.weights for model in MODELS.values()),
            drifts=True,
        )


class WanVaceBackend(PassBackend):
    """Wan-VACE on public weights. One model is held at a time, until a clip wants another or ``close``."""

    name = "wan-vace"
    capabilities: ClassVar[Any] = _Declared()

    def models(self, options: Sequence[Mapping[str, Any]]) -> Sequence[tuple[Footprint, Sequence[str]]]:
        """The models that clips with such options need, each with the names of its weights."""
        default = OPTIONS["model"].default
        drafts = {one.get("model", default) for one in options if one.get("preset") == "draft"}
        chosen = [MODELS[name] for name in sorted({str(one.get("model", default)) for one in options})]
        return [
            (one, [one.weights, *([one.lora] if one.lora and one.name in drafts else [])]) for one in chosen
        ]

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        """The new frames, [F, H, W, 3] uint8 sRGB.

        Raises:
            AnixError: as :meth:`prepare`; E557, the LoRA does not fit; E558, memory ran out on every rung.
            BadFrames: what came out is not finite.
        """
        from ..check import check_request
        from ..diffusion.regions import passes
        from .conditions import kept_frames

        check_request(request)
        self.installed(self.needs)
        model = MODELS[str(request.options.get("model", OPTIONS["model"].default))]
        settings = sampling(model, request.size_px, request.options)
        kept = kept_frames(len(request.tail), str(request.options.get("context", "long")))
        notes: dict[str, Any] = {"model": model.name, "kept": kept, "passes": []}

        def make(
            index: int, subject: Subject | None, region: Bools, base: Frames, step: Callable[[int], None]
        ) -> Frames:
            maker = _Pass(self, request, model, settings, kept, index)
            notes["passes"].append(maker.notes)
            return maker.make(subject, region, base, step)

        frames = self.draw(request, passes(request), settings.steps, progress, make)
        asked = OFF if request.precise else levers(request.options)
        request.note("wan_vace", {**notes, **self._about(model, settings), "levers": asked.named})
        return frames

    def holding(self, model: VaceModel, settings: Sampling, *, precise: bool, asked: Levers = OFF) -> Loaded:
        """The pipeline for a clip, loaded where another or none is held.

        Args:
            asked: what is to make it quicker; left out where precision is asked for.
        """
        from .pipeline import load

        folder = self.place(model.weights).path
        lora = self.place(model.lora).path if settings.distilled and model.lora else None
        asked = OFF if precise else asked
        held: Loaded = self.holder.get(
            model,
            (settings.distilled, asked),
            precise=precise,
            load=lambda rung: load(folder, rung, lora, asked),
        )
        return held

    def _about(self, model: VaceModel, settings: Sampling) -> dict[str, Any]:
        """What the record says of model and sampling."""
        loaded = self.holder.loaded
        used = [model.weights, *([model.lora] if settings.distilled and model.lora else [])]
        placed = {name: self.place(name) for name in used}
        return {
            "weights": {name: one.revision or "local folder" for name, one in placed.items()},
            "rung": loaded.rung.name if loaded else "",
            "lora_matched": loaded.lora_share if loaded else None,
            "lora_left_out": loaded.lora_left_out if loaded else 0,
            "sampling": {
                "steps": settings.steps,
                "guidance": settings.guidance,
                "flow_shift": settings.shift,
                "conditioning": settings.conditioning,
            },
        }


class _Pass(OnePass):
    """One character drawn into what there is."""

    def __init__(
        self,
        backend: WanVaceBackend,
        request: ClipRequest,
        model: VaceModel,
        settings: Sampling,
        kept: int,
        index: int,
    ) -> None:
        super().__init__(request, kept, index)
        self.backend, self.model, self.settings = backend, model, settings

    def make(
        self, subject: Subject | None, region: Bools, base: Frames, step: Callable[[int], None]
    ) -> Frames:
        """New frames [F, H, W, 3]."""
        from .conditions import conditions
        from .motion import control

        motion = str(self.request.options.get("motion", OPTIONS["motion"].default))
        shown, told = control(motion, self.request, subject, self.backend.troupe)
        self.notes.update(told)
        return self.finish(subject, conditions(self.request, base, region, self.kept, shown), step)

    def held(self) -> Loaded:
        return self.backend.holding(
            self.model,
            self.settings,
            precise=self.request.precise,
            asked=levers(self.request.options),
        )

    def sampled(
        self, subject: Subject | None, made: Any, told: Words, step: Callable[[int], None]
    ) -> tuple[Any, list[float]]:
        from ..diffusion.making import sampled
        from ..diffusion.passes import pass_seed
        from ..diffusion.views import references
        from . import pipeline

        request = self.request
        # diffusers makes masks for as many references as there are latent frames, and no more.
        most = min(VIEWS, (len(made.video) - 1) // 4 + 1)
        shown = references(request, subject, most) if subject is not None else []
        self.notes["views"] = [one.view for one in shown]
        return sampled(
            self.held,
            lambda: self.backend.holder.step_down(self.model, precise=request.precise),
            lambda held: pipeline.sample(
                held, made, told, shown, settings=self.settings, seed=pass_seed(request.seed, self.index),
                step=step,
            ),
        )  # fmt: skip

    def decode(self, held: Loaded, latents: Any, tiled: bool) -> Frames:
        from . import pipeline

        return pipeline.decode(held, latents, tiled=tiled)
