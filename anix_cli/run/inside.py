"""Who and what stands inside something: places of a planned film, held against the scene's free space."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..core.errors import Diagnostic
from ..core.screenplay import Screenplay
from ..plan.placements import eye_of
from ..scene import FreeSpace
from ..scene.standing import STEP_M
from .prepare import Prepared

F64 = NDArray[np.float64]

_LENS_M, _FREE_AIR_M, _SEARCH_M = 0.25, 0.4, 4.0
_ENCLOSED = 0.5
_FILMED_M = 0.5


def place_remarks(screenplay: Screenplay, made: Prepared) -> Iterator[Diagnostic]:
    """W216 and W218 about characters who come in at anchors, W217 about named cameras."""
    stage = made.scene.stage
    space = made.scene.free
    planned = {shot.id: shot for shot in made.plan.shots()}
    seen: set[str] = set()
    for shot in screenplay.shots:
        if shot.anchor is None or shot.anchor in seen or shot.id not in planned:
            continue
        seen.add(shot.anchor)
        subject = planned[shot.id].subjects[0]
        if subject.lift_m[0] < STEP_M:
            yield from _entrance(screenplay, shot.anchor, subject.root[0, [0, 2]], space)
    for name, camera in screenplay.cameras.items():
        eye = eye_of(camera, stage.ground)
        if eye[1] > float(stage.ground.at(eye[[0, 2]])):
            yield from _camera(screenplay, name, eye, space)


def _entrance(play: Screenplay, anchor: str, xz: F64, space: FreeSpace) -> Iterator[Diagnostic]:
    room = space.standing
    where = ("anchors", anchor, "at")
    free = room.nearest_free((float(xz[0]), float(xz[1])))
    away = np.inf if free is None else float(np.hypot(*np.subtract(free, xz)))
    hint = (
        ""
        if free is None
        else f"The nearest free place is [{free[0]:.1f}, {free[1]:.1f}], {away:.1f} m away."
    )
    if not room.free(xz):
        text = f"At the anchor “{anchor}” the character stands inside something that the scene shows there."
        yield play.diagnostic(where, "W216", text, hint=hint or None)
    elif not room.on_floor(xz) and away > _FILMED_M:
        text = f"The anchor “{anchor}” lies where the scene shows no ground: nobody filmed it there."
        yield play.diagnostic(where, "W218", text, hint=hint or None)


def _camera(play: Screenplay, name: str, eye: F64, space: FreeSpace) -> Iterator[Diagnostic]:
    if not space.occupied(eye) and _enclosed(eye, space) < _ENCLOSED:
        return
    text = f"The camera “{name}” stands inside something that the scene shows there."
    free = _free_air(eye, space)
    hint = "Move it to where the air is free."
    if free is not None:
        hint = f"At [{free[0]:.1f}, {free[1]:.1f}, {free[2]:.1f}] the air is free."
    yield play.diagnostic(("cameras", name, "at"), "W217", text, hint=hint)


def _enclosed(eye: F64, space: FreeSpace) -> float:
    """Share of all directions in which something is right at the lens."""
    depth = space.ray_depth_m(eye, _around(64), most_m=max(_LENS_M, 2 * space.cell_m))
    return float(np.isfinite(depth).mean())


def _free_air(eye: F64, space: FreeSpace) -> F64 | None:
    """The nearest point at the same height or higher that has room around it."""
    steps = np.arange(0.1, _SEARCH_M, 0.1)
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    flat = np.stack([np.cos(angles), np.zeros(24), np.sin(angles)], axis=1)
    ways = np.concatenate([flat, flat * 0.7 + (0, 0.7, 0), [[0.0, 1.0, 0.0]]])
    points = eye + steps[:, None, None] * ways
    free = np.argwhere(space.clearance_m(points) >= _FREE_AIR_M)
    return None if not len(free) else np.asarray(points[tuple(free[0])])


def _around(count: int) -> F64:
    """[count, 3] unit vectors, evenly over the sphere (a Fibonacci lattice)."""
    i = np.arange(count) + 0.5
    y, angle = 1 - 2 * i / count, np.pi * (1 + np.sqrt(5)) * i
    ring = np.sqrt(1 - y * y)
    return np.stack([ring * np.cos(angle), y, ring * np.sin(angle)], axis=1)
