"""Where a camera move starts."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .framing import MIDDLE, SHOULDER_DEG, Composition, compose, composition_from, composition_of
from .joining import CameraState
from .rigs import AZIMUTH, ELEVATION, LOG_FOCAL, eyes_of, offset_of, rigs_at, turned
from .sights import Placed, Setup, Start, looked_at
from .wanted import compose_to

F64 = NDArray[np.float64]


def start_of(setup: Setup, yaw: float, xz: F64, floor_m: float) -> Start:
    """Where a move starts: at a named camera, in the box that is asked for, where the camera is, or as its
    habit is. The character is at ``xz`` then."""
    sight, placed, before = setup.sight, setup.placed, setup.before
    if placed is not None:
        return _start_at(setup, placed, xz, floor_m)
    present = None if before is None else _present(setup, before, xz, floor_m)
    made = compose(
        setup.spec,
        yaw_rad=yaw,
        height_m=sight.height_m,
        lift_m=sight.lift_m,
        size_px=setup.size_px,
        present=present,
    )
    made = setup.shift.of(made)
    if setup.wanted is not None:
        root, ground = sight.root[0], sight.ground
        made, turn = compose_to(setup.wanted, made, root, yaw, ground=ground, size_px=setup.size_px)
        return Start(made, turn)
    spec = setup.spec
    if spec.side == "over_the_shoulder":
        return Start(made, (-math.radians(SHOULDER_DEG), 0.0))
    reframed = (spec.frame, spec.side, spec.distance_m) != (None, None, None) or spec.move == "follow"
    keeps = before is not None and not reframed and before.target == setup.about
    return Start(made, before.turn) if keeps and before is not None else Start(made)


def azimuth_now(setup: Setup, xz: F64, floor_m: float) -> float | None:
    """From which side the camera looks at the character as the part begins, shifted as it is to be.

    None where it has no place yet that it could keep.
    """
    before = setup.before
    if before is None or setup.placed is not None:
        return None
    return _present(setup, before, xz, floor_m).azimuth_rad + setup.shift.azimuth_rad


def _present(setup: Setup, before: CameraState, xz: F64, floor_m: float) -> Composition:
    """How the camera that is there looks at the character, or would if it turned to it."""
    rig = before.rig
    if before.placed or before.target != setup.about:
        aim, focal = MIDDLE * setup.sight.height_m, math.exp(rig[LOG_FOCAL])
        return composition_from(eyes_of(rig), xz, floor_m, aim_m=aim, focal_px=focal)
    return composition_of(turned(rig, -np.array(before.turn)), before.floor_m)


def _start_at(setup: Setup, placed: Placed, xz: F64, floor_m: float) -> Start:
    """From a named camera, looking where it looks."""
    aim = MIDDLE * setup.sight.height_m
    made = composition_from(placed.eye, xz, floor_m, aim_m=aim, focal_px=placed.focal_px)
    look = looked_at(setup, placed)[setup.arrives]
    own = rigs_at(placed.eye[None], look[None], placed.focal_px, 0.0)[0]
    azimuth, elevation = offset_of(own, made.rig(xz, floor_m))[[AZIMUTH, ELEVATION]]
    return Start(made, (float(azimuth), float(elevation)), keeps=False)
