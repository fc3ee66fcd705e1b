"""A character between two frames, and its motion from there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.plan import Gesture

F64 = NDArray[np.float64]
XZ = tuple[float, float]
Places = Mapping[str, XZ]


@dataclass(frozen=True)
class Standing:
    """The state of a character between two frames.

    Attributes:
        xz: stage position, metres.
        yaw_rad: 0 faces +Z, positive turns to the character's own left.
        speed_mps: along its course.
        slip_rad: course minus yaw (π: it walks backward).
        phase: steps taken since the take began.
        lift_m: height above the ground that an exact anchor gave it.
        posture: what it goes on doing until something ends it: it sits, kneels, crouches, lies; counted from
            the first frame of the next shot.
    """

    xz: XZ
    yaw_rad: float = 0.0
    speed_mps: float = 0.0
    slip_rad: float = 0.0
    phase: float = 0.0
    lift_m: float = 0.0
    posture: Gesture | None = None


@dataclass(frozen=True)
class Leg:
    """The motion during one beat on the fine grid, [N + 1] samples with both ends."""

    xz: F64
    yaw: F64
    speed: F64
    slip: float
    hop: F64
    cadence: float = 0.0


def bearing(origin: XZ | F64, target: XZ | F64) -> float:
    """The yaw that faces from one point of the xz plane to another."""
    return math.atan2(float(target[0] - origin[0]), float(target[1] - origin[1]))


def integrated(now: Standing, speed: F64, course: F64, times: F64) -> F64:
    """Positions [N, 2] from speeds and courses, by the trapezium rule."""
    step_s = times[1:] - times[:-1]
    xz = np.empty((len(times), 2))
    xz[0] = now.xz
    for axis, along in enumerate((np.sin(course), np.cos(course))):
        velocity = speed * along
        steps = 0.5 * (velocity[1:] + velocity[:-1]) * step_s
        xz[1:, axis] = now.xz[axis] + np.cumsum(steps)
    return xz
