"""The joints of a subject in the picture, frame by frame, as far as the camera sees them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.camera import project
from anix_cli.core.clip import ClipRequest
from anix_cli.core.plan import Subject

from ..performing import Troupe

F64 = NDArray[np.float64]

_INSIDE_M = 0.2
"""How far joints lie inside of the body, and how far a scan's depth is off: what the scene has nearer than a
joint by more than this and a fiftieth of its distance, hides it."""
_OFF = 0.02


@dataclass(frozen=True)
class Posed:
    """A subject over all frames of a request.

    Attributes:
        joints_px: [N, 20, 2] pixels, NaN where a joint is not known or not seen.
        told: [N], where the joints tell what the subject does. Elsewhere words must.
        why: why words must, "" where joints tell of every frame.
    """

    joints_px: F64
    told: NDArray[np.bool_]
    why: str


def pose(request: ClipRequest, subject: Subject, troupe: Troupe, *, always: bool = False) -> Posed:
    """Poses a subject as the blocking says and looks at it through the plan's cameras.

    Words are left to tell of frames in which it does what its body can't show.

    Args:
        always: poses it in such frames as well, without what it can't show.

    Raises:
        AnixError: as :meth:`anix_cli.generate.performing.Troupe.body`.
    """
    body = troupe.body(request, subject.character)
    count = len(subject.root)
    joints = np.full((count, 20, 2), np.nan)
    told = np.zeros(count, dtype=bool)
    lacking: set[str] = set()
    for at in range(count):
        now = troupe.moment(request, subject, at)
        unknown = {act.action for act in now.acts if not body.shows(act.action)}
        lacking |= unknown
        if unknown and not always:
            continue
        skeleton = body.skeleton(now)
        if skeleton is None:
            return Posed(joints, told, f"{subject.character} has no rig that is known")
        told[at] = True
        joints[at] = _seen(skeleton.points, request, at)
    why = f"its rig cannot {', '.join(sorted(lacking))}".replace("_", " ") if lacking else ""
    return Posed(joints, told, why)


def _seen(points: F64, request: ClipRequest, at: int) -> F64:
    """[20, 2] pixels of joints [20, 3]; NaN behind the camera, beside the picture, and behind the scene."""
    known = np.asarray(np.isfinite(points).all(axis=1))
    safe = np.where(known[:, None], points, 0.0)
    pixels, depth = project(safe, request.world_from_camera[at], request.intrinsics[at])
    width, height = request.size_px
    inside = known & (depth > request.near_m) & (pixels >= 0).all(axis=1)
    inside &= (pixels[:, 0] < width) & (pixels[:, 1] < height)
    column, row = np.where(inside[:, None], pixels, 0).astype(np.int64).T
    scene = request.depth[at][row, column]
    seen = inside & (scene > depth - _INSIDE_M - _OFF * depth)
    return np.where(seen[:, None], pixels, np.nan)
