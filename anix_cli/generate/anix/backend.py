"""Backend ``anix``: a request in, frames out; what holds the model between clips."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from anix_cli.core.capabilities import Capabilities, Option
from anix_cli.core.errors import AnixError, fail

from ..diffusion.levers import OFF, Levers, levers
from ..diffusion.levers import options as lever_options
from ..diffusion.passes import PassBackend
from .models import BASES, PRESETS, Base, Sampling, sampling

if TYPE_CHECKING:
    from pathlib import Path

    from anix_cli.core.clip import ClipRequest, Frames, Progress
    from anix_cli.core.plan import Subject
    from anix_cli.model.anix.adapter import Story

    from ..diffusion.ladder import Footprint
    from ..diffusion.regions import Bools
    from .pipeline import Loaded

OPTIONS: Mapping[str, Option] = {
    "base": Option("string", "wan-14b", "Which public model it stands on.", tuple(BASES)),
    "adapter": Option("string", "", "Name of what was trained: NAME.safetensors in the folder of adapters."),
    "preset": Option(
        "string", "standard", "draft: 20 steps; standard: 30, as in the paper; final: 50. An adapter that is "
        "distilled has its own few.", PRESETS,
    ),
    "steps": Option("integer", 0, "Denoising steps; 0 takes the preset's.", minimum=0, maximum=200),
    "guidance": Option("number", 0, "Classifier-free, over the words; 0 takes the adapter's or the base's.",
                       minimum=0, maximum=20),
    "flow_shift": Option("number", 0, "Shift of the noise levels; 0 takes the base's.", minimum=0,
                         maximum=20),
    **lever_options("taylorseer"),
}  # fmt: skip
VERSION = "1"
TAIL, NEW = 33, 96
"""Frames that a clip goes on from, and new ones: 9 and 24 latents (arXiv 2512.17796)."""


class _Declared:
    """Capabilities with the pins and adapters of this machine."""

    def __get__(self, instance: Any, owner: type) -> Capabilities:
        from anix_cli.model.adapters import Shelf
        from anix_cli.model.places import signature

        return Capabilities(
            uses=frozenset(
                {"prompt", "negative", "seed", "guide", "anchor", "tail", "views", "blocking", "memory"}
            ),
            version=VERSION,
            max_frames=TAIL + NEW,
            max_new=NEW,
            tail=TAIL,
            frame_step=4,
            size_multiple=16,
            fps=Fraction(24),
            max_views=4,
            licence="that of its base, see `anix models list`",
            weights=signature(*(base.weights for base in BASES.values())),
            options=OPTIONS,
            digests={"adapter": Shelf()},
            prompt_tokens=min(base.tokens for base in BASES.values()),
            drifts=True,
        )


class AnixBackend(PassBackend):
    """The paper's model. One base with one adapter is held at a time."""

    name = "anix"
    capabilities: ClassVar[Any] = _Declared()

    def prepare(self, options: Sequence[Mapping[str, Any]]) -> None:
        """Makes sure, before the first frame, that clips with such options can be made.

        Raises:
            AnixError: all at once: E471, something is not installed; E472, E473, no GPU or too little memory;
                E474 … E478, the base's weights; E483, no adapter; E557, it does not fit.
        """
        from ..diffusion.wan import EXTRAS

        self.ready(EXTRAS, options)
        for base, adapter in sorted({_asked(one) for one in options}):
            self.adapter(BASES[base], adapter, None)

    def models(self, options: Sequence[Mapping[str, Any]]) -> Sequence[tuple[Footprint, Sequence[str]]]:
        """The bases that clips with such options need, with the names of their weights."""
        wanted = sorted({_asked(one)[0] for one in options})
        return [(BASES[name], [BASES[name].weights]) for name in wanted]

    def adapter(self, base: Base, name: str, digest: str | None) -> Path | None:
        """The file of an adapter; None where none is asked for, and the base can do without.

        Args:
            digest: of what it held when the clip was planned; None asks nothing.

        Raises:
            AnixError: E483, it is not here, or none is named and the base needs one; E557, it is made for
                another base, or is not what was planned with.
        """
        from anix_cli.model import adapters

        if not name:
            if base.projector:
                return None
            raise fail(
                "E483",
                f"{base.title} needs an adapter: without one the base knows nothing of scene and character",
                hint="train one (no public one is known), or take base: hunyuancustom, which has a projector",
            )
        path = adapters.place(name)
        if digest is not None and adapters.digest(path) != digest:
            raise _unfit(path, "it is not the one that this clip was planned with; plan again")
        if self.story(path).base != base.kind:
            raise _unfit(path, f"it is made for {self.story(path).base}, {base.name} is {base.kind}")
        return path

    def story(self, path: Path) -> Story:
        """What an adapter is made for. Raises AnixError: E557, it is none."""
        from .pipeline import adapter_of

        return adapter_of(path).story

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        """The new frames, [F, H, W, 3] uint8 sRGB.

        Raises:
            AnixError: as :meth:`prepare`; E558, memory ran out on every rung.
            BadFrames: what came out is not finite.
        """
        from ..check import check_request
        from ..diffusion.wan import EXTRAS
        from .conditions import calls

        check_request(request)
        self.installed(EXTRAS)
        name, chosen = _asked(request.options)
        base = BASES[name]
        adapter = self.adapter(base, chosen, request.options.get("adapter_digest"))
        story = self.story(adapter) if adapter else None
        settings = sampling(
            base, request.options, story.sigmas if story else (), story.guidance if story else None
        )
        notes: dict[str, Any] = {"base": base.name, "adapter": chosen or None, "passes": []}
        groups = calls(request, story.characters if story else 1)

        def make(
            index: int, subject: Subject | None, region: Bools, drawn: Frames, step: Callable[[int], None]
        ) -> Frames:
            maker = _Pass(self, request, base, adapter, settings, index, groups[index].people)
            notes["passes"].append(maker.notes)
            return maker.make(drawn, groups[index].masks, step)

        listed = [(group.people[0] if group.people else None, group.region) for group in groups]
        frames = self.draw(request, listed, settings.steps, progress, make)
        placed, held = self.place(base.weights), self.holder.loaded
        request.note("anix", {
            **notes,
            "weights": {base.weights: placed.revision or "local folder"},
            "rung": held.rung.name if held else "",
            "levers": (OFF if request.precise else levers(request.options)).named,
            "sampling": {
                "steps": settings.steps, "guidance": settings.guidance, "flow_shift": settings.shift,
                "student": settings.sigmas is not None,
            },
        })  # fmt: skip
        return frames

    def holding(self, base: Base, adapter: Path | None, *, precise: bool, asked: Levers = OFF) -> Loaded:
        """The pipeline for a clip, loaded where another or none is held.

        Args:
            asked: what is to make it quicker; left out where precision is asked for.
        """
        from .pipeline import load

        folder, asked = self.place(base.weights).path, OFF if precise else asked
        held: Loaded = self.holder.get(
            base,
            (adapter, asked),
            precise=precise,
            load=lambda rung: load(folder, rung, base, adapter, asked),
        )
        return held


class _Pass:
    """One call of the model: the characters that it can hold, drawn into what there is."""

    def __init__(
        self,
        backend: AnixBackend,
        request: ClipRequest,
        base: Base,
        adapter: Path | None,
        settings: Sampling,
        index: int,
        people: Sequence[Subject],
    ) -> None:
        from ..diffusion.latents import KeptLatents

        self.backend, self.request, self.base, self.adapter = backend, request, base, adapter
        self.settings, self.index, self.people = settings, index, people
        self.file = KeptLatents(request, f"latents-{index}")
        self.notes: dict[str, Any] = {}

    def make(self, drawn: Frames, masks: Bools, step: Callable[[int], None]) -> Frames:
        """New frames [F, H, W, 3]. ``masks``: [G, T+F, H, W]."""
        from anix_cli.model.anix.pictures import target_latents

        from ..diffusion.making import decoded
        from . import pipeline
        from .conditions import shown_of

        shown, new = shown_of(self.request, drawn, masks, self.people)
        height, width = (side // 8 for side in shown.guide.shape[1:3])
        config = self._held().pipe.vae.config
        channels = config.z_dim if "z_dim" in config else config.latent_channels
        latents = self.file.read((1, channels, target_latents(shown), height, width))
        if latents is not None:
            self.notes["resumed"] = "at decoding"
        else:
            latents = self._sampled(shown, step)
            self.file.write(latents)
        frames, self.notes["decoded"] = decoded(
            self._held, lambda held, tiled: pipeline.decode(held, latents, shown, tiled=tiled), self.file
        )
        self.notes["kept"] = shown.past
        return frames[:new]

    def _held(self) -> Loaded:
        return self.backend.holding(
            self.base, self.adapter, precise=self.request.precise, asked=levers(self.request.options)
        )

    def _sampled(self, shown: Any, step: Callable[[int], None]) -> Any:
        from ..diffusion.making import only_further, sampled
        from ..diffusion.passes import pass_seed
        from ..diffusion.words import words
        from . import pipeline

        request = self.request
        about = [request.cast[one.character].description for one in self.people]
        first = self.people[0] if len(self.people) == 1 else None  # several are told of together
        told = words(request, self._held().count, self._room(about), first)
        forward = only_further(step)
        latents, sigmas = sampled(
            self._held,
            lambda: self.backend.holder.step_down(self.base, precise=request.precise),
            lambda held: pipeline.sample(
                held, shown, told.prompt, told.negative, about, settings=self.settings,
                seed=pass_seed(request.seed, self.index), step=forward,
            ),
        )  # fmt: skip
        self.notes.update(
            characters=[one.character for one in self.people],
            views=[view.name for view in shown.views],
            sigmas=sigmas,
            **({"words_lost": told.lost} if told.lost else {}),
        )
        if told.lost:
            request.note("words_lost", told.lost)
        return latents

    def _room(self, about: Sequence[str]) -> int:
        """Tokens that are left for the prompt, beside the template's end, descriptions and pictures."""
        held = self._held()
        if self.base.kind == "wan":
            return self.base.tokens
        end = 16
        if getattr(held.pipe, "image_processor", None) is None:
            return self.base.tokens - end
        from anix_cli.model.anix.text import prompt_with

        return self.base.tokens - end - held.count(prompt_with("", about, [4] * len(about)))


def _asked(options: Mapping[str, Any]) -> tuple[str, str]:
    """(base, adapter)."""
    return (
        str(options.get("base", OPTIONS["base"].default)),
        str(options.get("adapter", OPTIONS["adapter"].default)),
    )


def _unfit(path: Path, why: str) -> AnixError:
    return fail("E557", f"the adapter {path.name} does not fit the model: {why}", file=path)
