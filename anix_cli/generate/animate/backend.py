"""Backend ``wan-animate``: a request in, frames out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from anix_cli.core.capabilities import Capabilities, Option
from anix_cli.core.errors import fail

from ..diffusion.levers import OFF, Levers, levers
from ..diffusion.levers import options as lever_options
from ..diffusion.passes import OnePass, PassBackend
from .models import MODEL, PRESETS, Sampling, sampling

if TYPE_CHECKING:
    from anix_cli.core.clip import ClipRequest, Frames, Progress
    from anix_cli.core.plan import Subject

    from ..diffusion.ladder import Footprint
    from ..diffusion.regions import Bools
    from ..diffusion.words import Words
    from .pipeline import Loaded

OPTIONS: Mapping[str, Option] = {
    "preset": Option("string", "standard", "draft: 10 steps; standard: 20; final: 40.", PRESETS),
    "context": Option("string", "long", "Frames it goes on from: long is 5, short is 1.", ("long", "short")),
    "steps": Option("integer", 0, "Denoising steps; 0 takes the preset's.", minimum=0, maximum=200),
    "guidance": Option("number", 0, "How closely it follows the words; 0 takes 1, which is none.", minimum=0,
                       maximum=20),
    "flow_shift": Option("number", 0, "Shift of the noise levels; 0 takes 5.", minimum=0, maximum=20),
    **lever_options("taylorseer"),
}  # fmt: skip
VERSION = "1"


class _Declared:
    """Capabilities with the pins of this machine: what a seed gives depends on the weights' revision."""

    def __get__(self, instance: Any, owner: type) -> Capabilities:
        from anix_cli.model.places import signature

        return Capabilities(
            uses=frozenset(
                {"prompt", "negative", "seed", "guide", "depth", "anchor", "tail", "views", "blocking"}
            ),
            version=VERSION,
            max_frames=77,
            tail=5,
            frame_step=4,
            size_multiple=16,
            fps=Fraction(30),
            max_views=1,
            licence="Apache-2.0 (Wan2.2)",
            weights=signature(MODEL.weights),
            options=OPTIONS,
            prompt_tokens=512,
            tokenizers=(MODEL.weights,),
            drifts=True,
            needs_rig=True,
        )


class WanAnimateBackend(PassBackend):
    """Wan2.2-Animate, mode replace: the guide is the background, the blocking the performance."""

    name = "wan-animate"
    capabilities: ClassVar[Any] = _Declared()

    def models(self, options: Sequence[Mapping[str, Any]]) -> Sequence[tuple[Footprint, Sequence[str]]]:
        """The one model, with the name of its weights."""
        return [(MODEL, [MODEL.weights])]

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        """The new frames, [F, H, W, 3] uint8 sRGB.

        Raises:
            AnixError: as :meth:`prepare`; E195, a character without a rig; E558, memory ran out.
            BadFrames: what came out is not finite.
        """
        from ..check import check_request
        from ..diffusion.regions import passes
        from .conditions import kept_frames

        check_request(request)
        self.installed(self.needs)
        settings = sampling(request.options)
        kept = kept_frames(len(request.tail), str(request.options.get("context", "long")))
        notes: dict[str, Any] = {"model": MODEL.name, "kept": kept, "passes": []}

        def make(
            index: int, subject: Subject | None, region: Bools, base: Frames, step: Callable[[int], None]
        ) -> Frames:
            maker = _Pass(self, request, settings, kept, index)
            notes["passes"].append(maker.notes)
            return maker.make(subject, region, base, step)

        frames = self.draw(request, passes(request), settings.steps, progress, make)
        placed, held = self.place(MODEL.weights), self.holder.loaded
        request.note("wan_animate", {
            **notes,
            "weights": {MODEL.weights: placed.revision or "local folder"},
            "rung": held.rung.name if held else "",
            "levers": (OFF if request.precise else levers(request.options)).named,
            "sampling": {
                "steps": settings.steps, "guidance": settings.guidance, "flow_shift": settings.shift,
            },
        })  # fmt: skip
        return frames

    def holding(self, *, precise: bool, asked: Levers = OFF) -> Loaded:
        """The pipeline, loaded where it is not held.

        Args:
            asked: what is to make it quicker; left out where precision is asked for.
        """
        from .pipeline import load

        folder, asked = self.place(MODEL.weights).path, OFF if precise else asked
        held: Loaded = self.holder.get(
            MODEL, asked, precise=precise, load=lambda rung: load(folder, rung, asked)
        )
        return held


class _Pass(OnePass):
    """One character put into what there is."""

    def __init__(
        self, backend: WanAnimateBackend, request: ClipRequest, settings: Sampling, kept: int, index: int
    ) -> None:
        super().__init__(request, kept, index)
        self.backend, self.settings = backend, settings

    def make(
        self, subject: Subject | None, region: Bools, base: Frames, step: Callable[[int], None]
    ) -> Frames:
        """New frames [F, H, W, 3]."""
        from ..motion.poses import pose
        from .conditions import conditions

        posed = None if subject is None else pose(self.request, subject, self.backend.troupe, always=True)
        if posed is not None and not posed.told.all():
            raise no_rig(subject.character if subject else "")
        if posed is not None and posed.why:
            self.notes["motion_left_to_words"] = posed.why
        return self.finish(subject, conditions(self.request, base, region, self.kept, posed), step)

    def held(self) -> Loaded:
        return self.backend.holding(precise=self.request.precise, asked=levers(self.request.options))

    def sampled(
        self, subject: Subject | None, made: Any, told: Words, step: Callable[[int], None]
    ) -> tuple[Any, list[float]]:
        from ..diffusion.making import sampled
        from ..diffusion.passes import pass_seed
        from . import pipeline

        request = self.request
        image, face = self._who(subject, self.held().face_px)
        return sampled(
            self.held,
            lambda: self.backend.holder.step_down(MODEL, precise=request.precise),
            lambda held: pipeline.sample(
                held, made, told, image, face, settings=self.settings,
                seed=pass_seed(request.seed, self.index), step=step,
            ),
        )  # fmt: skip

    def decode(self, held: Loaded, latents: Any, tiled: bool) -> Frames:
        from . import pipeline

        return pipeline.decode(held, latents, tiled=tiled)

    def _who(self, subject: Subject | None, face_px: int) -> tuple[Frames, Frames]:
        """(the front view, the face); white and black for nobody."""
        import numpy as np

        from .portrait import neutral_face, portrait

        width, height = self.request.size_px
        if subject is None:
            return np.full((height, width, 3), 255, np.uint8), np.zeros((face_px, face_px, 3), np.uint8)
        cast = self.request.cast[subject.character]
        front = cast.views["front"] if "front" in cast.views else next(iter(cast.views.values()))
        head = self.backend.troupe.body(self.request, subject.character).head
        return portrait(front, (width, height)), neutral_face(front, head, cast.height_m, face_px)


def no_rig(character: str) -> Exception:
    """E195: nothing to pose."""
    return fail(
        "E195",
        f"wan-animate moves characters by their skeletons, and {character} has no rig that is known",
        hint="give it four views or a model with a rig, or take --backend wan-vace",
    )
