"""Models that make a motion of words, found by entry point in the group ``anix.motions``. Importing is light.

One is used only where it is asked for by name; what it makes becomes a BVH file, which a screenplay may name
like any other.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ...core.errors import AnixError, Diagnostic

F64 = NDArray[np.float64]
GROUP = "anix.motions"
OURS = {"mdm": ("anix_cli.model.motion.mdm", "Mdm")}

JOINTS = (
    "pelvis", "left_hip", "right_hip", "spine1", "left_knee", "right_knee", "spine2", "left_ankle",
    "right_ankle", "spine3", "left_foot", "right_foot", "neck", "left_collar", "right_collar", "head",
    "left_shoulder", "right_shoulder", "left_elbow", "right_elbow", "left_wrist", "right_wrist",
)  # fmt: skip
"""The 22 joints of SMPL's body, as motion models give them."""


@dataclass(frozen=True)
class Way:
    """Where a character goes: what the blocking has planned.

    Attributes:
        xz: [F, 2] metres, stage frame, the root on the ground. yaw_rad: [F], 0 faces +Z, positive to the
            own left. fps: of both.
    """

    xz: F64
    yaw_rad: F64
    fps: float


@dataclass(frozen=True)
class MotionRequest:
    """What is asked of a model.

    Attributes:
        text: what a person does. seconds: how long.
        way: that the person has to go; None leaves it to the model.
        steps: of the sampler; None is the model's own number.
    """

    text: str
    seconds: float
    seed: int = 0
    way: Way | None = None
    guidance_scale: float = 2.5
    steps: int | None = None


@dataclass(frozen=True)
class Moved:
    """What a model made: [F, 22, 3] metres, +Y up, the joints of ``JOINTS``; frames a second."""

    joints: F64
    fps: float


Progress = Callable[[int, int], None]


class MotionModel(Protocol):
    """A text-to-motion model."""

    name: str
    longest_s: float

    def generate(self, request: MotionRequest, progress: Progress) -> Moved:
        """The motion, the same for the same request.

        Raises:
            AnixError: E471, what it needs is not installed; E474, E475, its weights are not here, or not
                whole.
        """
        ...


def names() -> tuple[str, ...]:
    """Names of the installed models, sorted."""
    return tuple(sorted({*OURS, *_found()}))


def motion_model(name: str) -> MotionModel:
    """A new instance of a model. Raises AnixError: E367, none has that name."""
    if name in OURS:
        module, kind = OURS[name]
        return cast("MotionModel", getattr(import_module(module), kind)())
    others = _found()
    if name in others:
        return cast("MotionModel", others[name].load()())
    near = difflib.get_close_matches(name.lower(), names(), n=1, cutoff=0.6)
    known = ", ".join(names())
    raise AnixError(
        Diagnostic(
            "E367", f"there is no motion model called {name!r}; installed are {known}", found=name,
            expected=known, nearest=near[0] if near else None,
        )
    )  # fmt: skip


def _found() -> dict[str, Any]:
    from importlib import metadata

    return {point.name: point for point in metadata.entry_points(group=GROUP)}
