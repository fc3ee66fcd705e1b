"""The rules of the moves that a camera makes by itself, from where it stands: it turns (pan, tilt, roll,
whip), it moves without turning (truck, pedestal), or its lens changes (zoom). None of them goes after the
character.

Directions are the camera's own: a pan to the left turns to the camera's left, so that the picture goes right.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..core.camera import intrinsics_from_lens
from .framing import written_focal_px
from .motion import wrap
from .progress import progress
from .rigs import AIM, AZIMUTH, ELEVATION, LEAST_CLEARANCE_M, LOG_FOCAL, ROLL, eyes_of, rigs_at, turned
from .sights import Setup, looked_at
from .starts import start_of

F64 = NDArray[np.float64]

PAN_DEG, TILT_DEG, ROLL_DEG, WHIP_DEG = 45.0, 20.0, 15.0, 90.0
WHIP_S = 0.4
TRUCK_M, PEDESTAL_M = 2.0, 1.0
ZOOM = 2.0
"""How far the moves go if nothing is written."""
_STEEPEST_LOOK = math.radians(89.9)


def own_rig(setup: Setup) -> F64:
    """The rig [9] from which a camera moves by itself: at a named camera, where it is, or as composed."""
    placed, before, spec = setup.placed, setup.before, setup.spec
    at = setup.arrives
    if placed is not None:
        look = looked_at(setup, placed)[at]
        return np.asarray(rigs_at(placed.eye[None], look[None], placed.focal_px, placed.clearance_m)[0])
    composed = (spec.frame, spec.side, spec.distance_m, spec.height_m) != (None, None, None, None)
    if before is not None and not composed and not setup.shift and setup.about in {"", before.target}:
        rig = before.rig.copy()
        focal = written_focal_px(spec, setup.size_px)
        if focal is not None:
            rig[LOG_FOCAL] = math.log(focal)
        return rig
    sight = setup.sight
    floor = float(sight.root[0, 1])
    start = start_of(setup, float(sight.yaw_rad[0]), sight.root[0, [0, 2]], floor)
    return turned(start.composition.rig(sight.root[0, [0, 2]], floor), np.array(start.turn))


def _still(setup: Setup) -> F64:
    return np.repeat(own_rig(setup)[None], len(setup.sight.root), axis=0)


def _done(setup: Setup, ends: int | None = None) -> F64:
    return progress(len(setup.sight.root), setup.arrives, setup.spec.ease, ends)


def hold(setup: Setup) -> F64:
    """Stands and looks as it does."""
    return _still(setup)


def _pan(setup: Setup) -> F64:
    """Turns level to one side; or to what it is to look at in the end."""
    return _turn(setup, PAN_DEG, _done(setup))


def _whip(setup: Setup) -> F64:
    """A pan that takes no longer than a blink, so that the picture smears; then it holds."""
    samples, at = len(setup.sight.root), setup.arrives
    ends = at + max(round(WHIP_S * setup.fps), 1)
    return _turn(setup, WHIP_DEG, _done(setup, None if ends >= samples - 2 else ends))


def _turn(setup: Setup, degrees: float, done: F64) -> F64:
    rig, spec = _still(setup), setup.spec
    if setup.target is not None and spec.degrees is None:
        return turned(rig, np.outer(done, _towards(setup, rig[-1])), over=True)
    angle = math.radians(degrees if spec.degrees is None else spec.degrees)
    # The azimuth is that of the camera seen from its aim: it grows as the view turns to the left.
    sign = -1.0 if spec.direction in {"right", "clockwise"} else 1.0
    turn = np.zeros((len(rig), 2))
    turn[:, 0] = sign * angle * done
    return turned(rig, turn, over=True)


def _towards(setup: Setup, rig: F64) -> F64:
    """[2], by how much the azimuth and elevation change to what is to be looked at in the end."""
    if setup.target is None:
        raise ValueError("there is nothing to turn to")
    eye = eyes_of(rig)
    there = rigs_at(eye[None], setup.target.points[-2][None], 1.0, 0.0)[0]
    return np.array([float(wrap(there[AZIMUTH] - rig[AZIMUTH])), there[ELEVATION] - rig[ELEVATION]])


def _tilt(setup: Setup) -> F64:
    """Turns up or down; beyond straight up or down if it is told to, and then stands on its head."""
    rig, spec = _still(setup), setup.spec
    if setup.target is not None and spec.degrees is None:
        return turned(rig, np.outer(_done(setup), _towards(setup, rig[-1])), over=True)
    angle = math.radians(TILT_DEG if spec.degrees is None else spec.degrees)
    sign = 1.0 if spec.direction == "down" else -1.0
    turn = np.zeros((len(rig), 2))
    turn[:, 1] = sign * angle * _done(setup)
    return turned(rig, turn, over=True)


def _roll(setup: Setup) -> F64:
    """Turns about where it looks."""
    rig, spec = _still(setup), setup.spec
    angle = math.radians(ROLL_DEG if spec.degrees is None else spec.degrees)
    sign = -1.0 if spec.direction in {"left", "counterclockwise"} else 1.0
    rig[:, ROLL] += sign * angle * _done(setup)
    return rig


def _truck(setup: Setup) -> F64:
    """Moves level to one side; where it looks stays the same way."""
    rig, spec = _still(setup), setup.spec
    far = TRUCK_M if spec.metres is None else spec.metres
    azimuth = float(rig[0, AZIMUTH])
    right = np.array([math.cos(azimuth), 0.0, -math.sin(azimuth)])
    sign = -1.0 if spec.direction == "left" else 1.0
    rig[:, AIM] += np.outer(sign * far * _done(setup), right)
    return rig


def _pedestal(setup: Setup) -> F64:
    """Rises or sinks; where it looks stays the same way."""
    rig, spec = _still(setup), setup.spec
    up = PEDESTAL_M if spec.up_m is None else spec.up_m
    up = -up if spec.direction == "down" else up
    eye = eyes_of(rig[0])
    least = float(setup.sight.ground.at(eye[[0, 2]]) + LEAST_CLEARANCE_M - eye[1])
    rig[:, 1] += max(up, min(least, 0.0)) * _done(setup)
    return rig


def _zoom(setup: Setup) -> F64:
    """Changes the lens alone."""
    rig = _still(setup)
    rig[:, LOG_FOCAL] += zoom_by(setup, float(rig[0, LOG_FOCAL])) * _done(setup)
    return rig


def zoom_by(setup: Setup, log_focal: float, *, grows: bool | None = None) -> float:
    """By how much the logarithm of the focal length changes.

    Args:
        grows: whether it does so if no direction is written; None is a zoom's own direction.
    """
    spec = setup.spec
    if spec.to_lens_mm is not None:
        return math.log(float(intrinsics_from_lens(spec.to_lens_mm, setup.size_px)[0, 0])) - log_focal
    change = math.log(ZOOM if spec.times is None else spec.times)
    inward = spec.direction != "out" if grows is None else grows
    return change if inward else -change


FREE: dict[str, Callable[[Setup], F64]] = {
    "pan": _pan, "tilt": _tilt, "roll": _roll, "whip": _whip, "truck": _truck, "pedestal": _pedestal,
    "zoom": _zoom,
}  # fmt: skip
