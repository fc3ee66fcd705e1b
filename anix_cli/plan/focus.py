"""Focus: at what distance the picture is sharp, frame by frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..core.easing import smoothstep
from .joining import BLEND_S, CameraState
from .progress import progress
from .sights import Part, Setup, Sight, Target
from .trouble import Trouble

F64 = NDArray[np.float64]

F_NUMBER = 2.0
"""Of a lens that is focused on something, if nothing is written."""
EYES = 0.9
"""What is sharp of a character: the height of its eyes, in body heights."""
NEAREST_M = 0.1


def focused(
    part: Part, setup: Setup, poses: F64, after: CameraState, frames: tuple[int, int]
) -> tuple[F64, CameraState]:
    """The focus distances [F + 1] along the camera's z, and the state that says so.

    The lens stays on what it is focused on through a take; another focus is reached within a second, or, as a
    rack focus, over the whole part.

    Args:
        poses: [F + 1, 4, 4] of the part.
        frames: those of the part in its shot, with the one after it.
    """
    before, spec = setup.before, part.spec
    racks = spec.move == "rack_focus"
    f_number = spec.f_number
    if f_number is None and before is not None:
        f_number = before.f_number
    if f_number is None and (racks or spec.focus is not None):
        f_number = F_NUMBER
    focus = part.focus
    target = focus.since(*frames) if isinstance(focus, Target) else None
    goal = np.full(len(poses), focus) if isinstance(focus, float) else _depths(poses, setup, target)
    name: str | float | None = target.name if target else focus if isinstance(focus, float) else None
    distance = goal
    if racks and before is None:
        acting = _depths(poses, setup, None)
        distance = acting * (goal / acting) ** progress(len(poses), setup.arrives, spec.ease)
    elif before is not None and before.focus_m is not None and (racks or before.focused != name):
        away = math.log(before.focus_m / goal[0])
        rest = progress(len(poses), setup.arrives, spec.ease) if racks else None
        if rest is None:
            rest = smoothstep(np.arange(len(poses)) / (BLEND_S * setup.fps))
        distance = goal * np.exp(away * (1 - rest))
    return distance, replace(after, focused=name, focus_m=float(distance[-1]), f_number=f_number)


def _depths(poses: F64, setup: Setup, target: Target | None) -> F64:
    """How far before the camera something is, [F + 1]; None is the one whom the move is about."""
    points = _eyes(setup.sight) if target is None else target.points
    away = points - poses[:, :3, 3]
    depths = np.einsum("fi,fi->f", away, poses[:, :3, 2])
    # What is behind the camera is as far away as it is: the lens turns to that distance, not to nothing.
    return np.asarray(np.maximum(np.where(depths > 0, depths, np.linalg.norm(away, axis=1)), NEAREST_M))


def out_of_focus(parts: Sequence[Part], poses: F64, shot: str) -> Trouble | None:
    """W229 where a lens is focused on something that is behind the camera through a whole part of a shot.

    Args:
        poses: world_from_camera [F, 4, 4] of the shot.
    """
    start = 0
    for part in parts:
        own = slice(start, start + part.frames)
        start += part.frames
        if not isinstance(part.focus, Target) or part.spec.focus is None:
            continue
        away = part.focus.points[own] - poses[own, :3, 3]
        if (np.einsum("fi,fi->f", away, poses[own, :3, 2]) <= 0).all():
            text = (
                f"The lens is to be focused on {part.focus.name}, which is behind the camera in shot {shot}."
            )
            return Trouble("W229", text, f"Show it (side:, look_at: {part.focus.name}), or focus elsewhere.")
    return None


def _eyes(sight: Sight) -> F64:
    points = sight.root.copy()
    points[:, 1] += EYES * sight.height_m
    return points
