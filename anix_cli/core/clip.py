"""What a generator is asked and what it gives back: the one narrow interface of all backends.

Chaining, trimming, caching and joining stay outside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .capabilities import Capabilities
from .gaussians import Gaussians
from .optics import Exposure
from .plan import Subject
from .screenplay import MotionSpec

__all__ = ["Backend", "BadFrames", "Capabilities", "Cast", "ClipRequest", "Frames", "Note", "Progress"]

Frames = NDArray[np.uint8]
Progress = Callable[[int, int], None]
"""Called with (frames or steps done, of how many)."""
Note = Callable[[str, Any], None]
"""Called with (name, value): a fact about how a clip was made, kept in its ``clip.json``; plain JSON."""


class BadFrames(Exception):  # noqa: N818  (it is a finding, not a fault of the program)
    """A backend found that what it made is no picture (not finite, say). The message is the reason, a clause.

    The clip is not kept and not fed on; it is tried once more with ``ClipRequest.precise``.
    """


def _forget(name: str, value: Any) -> None:
    """Nobody keeps notes."""


@dataclass(frozen=True)
class Cast:
    """A character's identity.

    Attributes:
        views: name → [h, w, 4] uint8 sRGB with straight alpha. Those of a 3D model are rendered when they
            are first looked at.
        model: the file of its 3D model, None for one that is given by its views.
        motions: clips from outside, by the action that they show.
    """

    views: Mapping[str, Frames]
    height_m: float
    description: str
    key: str
    model: Path | None = None
    motions: Mapping[str, MotionSpec] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class ClipRequest:
    """One clip to make. T tail frames and F new ones; per-frame arrays cover T + F, tail first.

    Attributes:
        frames: F, the number of new frames wanted back.
        guide: [T+F, H, W, 3] uint8 sRGB, the scene alone along the camera.
        depth: [T+F, H, W] float32 metres along z, +inf where there is no surface.
        anchor: [T+F, H, W] bool, where the subject may appear.
        tail: [T, H, W, 3] uint8, the kept last frames of the clip before.
        cast: the characters by name.
        blocking: one subject per character, over T + F frames.
        world_from_camera: [T+F, 4, 4] float64; intrinsics: [T+F, 3, 3] float64 pixels.
        scene: gives the scene's Gaussians on the stage, read when first called; for a backend that draws into
            the scene itself, since a guide's depth can't say what haze and glass let through.
        near_m: the near plane that the guide was rendered with.
        background_rgb: sRGB, 0 … 255, where the scene shows nothing, as in the guide.
        start: frames of the take before the first one here.
        course: the same subjects since the take began, through the last frame here; where feet stand follows
            from it. () where only this clip is known.
        drawn_scene: gives the scene in the form that this process's rasteriser takes (``splat.choose``).
        exposures: T + F, the cameras whose mean is each frame, where lens or shutter blur; the guide is the
            mean of just these.
        note: takes facts about how the clip was made.
        prompts: what is told of each character alone, by name; {} where there is one.
        precise: the first try gave no picture; make it in the highest precision that there is.
        memory: parts of earlier clips of the same place, [M, H, W, 3] uint8 each, M = 4n + 1.
        scratch: a folder for this clip alone, which survives a run that was stopped: what lies in it was
            made for the same request. None where nothing can be kept.
    """

    prompt: str
    negative: str
    size_px: tuple[int, int]
    frames: int
    fps: Fraction
    seed: int
    guide: Frames
    depth: NDArray[np.float32]
    anchor: NDArray[np.bool_]
    tail: Frames
    cast: Mapping[str, Cast]
    blocking: tuple[Subject, ...]
    world_from_camera: NDArray[np.float64]
    intrinsics: NDArray[np.float64]
    options: Mapping[str, Any]
    scene: Callable[[], Gaussians]
    near_m: float
    background_rgb: tuple[int, int, int] = (0, 0, 0)
    start: int = 0
    course: tuple[Subject, ...] = ()
    drawn_scene: Callable[[], Any] | None = None
    exposures: tuple[Exposure, ...] | None = None
    note: Note = _forget
    precise: bool = False
    memory: tuple[Frames, ...] = ()
    scratch: Path | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)


class Backend(Protocol):
    """A generator. Found by entry point in the group ``anix.backends``."""

    name: str
    capabilities: Capabilities

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        """The new frames, [F, H, W, 3] uint8 sRGB."""
        ...

    def close(self) -> None:
        """Frees what the backend holds."""
        ...
