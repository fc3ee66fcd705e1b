"""Backend ``wan-animate-2``: a request in, frames out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from anix_cli.core.capabilities import Capabilities, Option

from ..diffusion.modelbackend import ModelBackend
from .models import MODEL, PRESETS, sampling

if TYPE_CHECKING:
    from anix_cli.core.clip import ClipRequest, Frames, Progress

    from ..diffusion.ladder import Footprint, Rung
    from .pipeline import Loaded

OPTIONS: Mapping[str, Option] = {
    "motion": Option("string", "video", "What tells it how things move: always the animatic.", ("video",)),
    "preset": Option("string", "standard", "draft: 20 steps; standard: 40; final: 60.", PRESETS),
    "steps": Option("integer", 0, "Denoising steps; 0 takes the preset's.", minimum=0, maximum=200),
    "guidance": Option("number", 0, "How closely it follows the words; 0 takes 3.", minimum=0, maximum=20),
}
CANNOT = (
    "the guide itself, but for what the animatic shows of it", "views after the first frame", "depth",
    "anchors", "more than one frame of the clip before",
)  # fmt: skip
VERSION = "1"
_FEWEST = 5
"""Frames of a call: with fewer, the pipeline cuts it into more segments than one."""


class _Declared:
    """Capabilities with the pins of this machine."""

    def __get__(self, instance: Any, owner: type) -> Capabilities:
        from anix_cli.model.places import signature

        return Capabilities(
            uses=frozenset({"prompt", "negative", "seed", "guide", "tail", "views", "blocking", "scene"}),
            version=VERSION,
            max_frames=81,
            tail=1,
            frame_step=4,
            size_multiple=16,
            fps=Fraction(24),
            max_views=4,
            licence="see `anix models list`",
            weights=signature(MODEL.weights),
            options=OPTIONS,
            prompt_tokens=512,
            tokenizers=(MODEL.weights,),
            cannot=CANNOT,
        )


class WanAnimate2Backend(ModelBackend):
    """Wan-Animate-2: the animatic's first frame, or the end of the clip before, moved as the animatic."""

    name = "wan-animate-2"
    capabilities: ClassVar[Any] = _Declared()

    def models(self, options: Sequence[Mapping[str, Any]]) -> Sequence[tuple[Footprint, Sequence[str]]]:
        """The one model, with the name of its weights."""
        return [(MODEL, [MODEL.weights])]

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        """The new frames, [F, H, W, 3] uint8 sRGB.

        Raises:
            AnixError: as :meth:`prepare`; as the animatic, about characters; E558, memory ran out.
            BadFrames: what came out is not finite.
        """
        from ..check import check_request
        from ..diffusion.latents import KeptLatents
        from ..diffusion.making import decoded
        from . import pipeline

        check_request(request)
        self.installed(self.needs)
        settings = sampling(request.options)
        kept = min(1, len(request.tail))
        notes: dict[str, Any] = {
            "model": MODEL.name, "kept": kept, "motion": "video",
            "image": "of the clip before" if kept else "of the animatic", "cannot_take": list(CANNOT),
            "sampling": {"steps": settings.steps, "guidance": settings.guidance},
        }  # fmt: skip
        file = KeptLatents(request)
        latents = self._latents(request, kept, file, notes, progress)
        frames, notes["decoded"] = decoded(
            lambda: self.holding(precise=request.precise),
            lambda held, tiled: pipeline.decode(held, latents, tiled=tiled),
            file,
        )
        progress(settings.steps + 1, settings.steps + 1)
        placed, held = self.place(MODEL.weights), self.holder.loaded
        notes["weights"] = {MODEL.weights: placed.revision or "local folder"}
        notes["rung"] = held.rung.name if held else ""
        request.note("wan_animate_2", notes)
        return frames[kept : kept + request.frames].copy()

    def holding(self, *, precise: bool) -> Loaded:
        """The pipeline, loaded where it is not held."""
        from .pipeline import load

        folder = self.place(MODEL.weights).path
        held: Loaded = self.holder.get(MODEL, "", precise=precise, load=lambda rung: load(folder, rung))
        return held

    def ways(self, model: Footprint, precise: bool, ever: bool) -> tuple[Rung, ...]:
        """Whole, or layer by layer: pipelines of this kind know no part after part."""
        return tuple(rung for rung in super().ways(model, precise, ever) if rung.offload != "model")

    def _latents(
        self, request: ClipRequest, kept: int, file: Any, notes: dict[str, Any], progress: Progress
    ) -> Any:
        from ..diffusion.making import only_further, sampled, sigmas_of
        from ..diffusion.regions import held_to_grid
        from ..diffusion.wan import TOKENS
        from ..diffusion.words import words
        from ..motion.reference import animatic
        from . import pipeline

        settings = sampling(request.options)
        hold = held_to_grid(kept + request.frames, least=_FEWEST)
        held = self.holding(precise=request.precise)
        latents = file.read(pipeline.latent_shape(held, len(hold), request.size_px))
        if latents is not None:
            notes["resumed"] = "at decoding"
            return latents
        told = words(request, held.count, TOKENS)
        del held
        driving = animatic(request, kept)
        tail = request.tail[len(request.tail) - kept :]
        forward = only_further(lambda done: progress(done, settings.steps + 1))
        latents = sampled(
            lambda: self.holding(precise=request.precise),
            lambda: self.holder.step_down(MODEL, precise=request.precise),
            lambda held: pipeline.sample(
                held, tail[0] if kept else driving[0], driving[hold], tail, told, settings=settings,
                seed=request.seed, step=forward,
            ),
        )  # fmt: skip
        notes["sigmas"] = sigmas_of(self.holder.loaded.pipe.scheduler)
        if told.lost:
            request.note("words_lost", told.lost)
        file.write(latents)
        return latents
