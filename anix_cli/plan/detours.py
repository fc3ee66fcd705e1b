"""Going to a place when the straight way is not free: round what is in the way, or up to it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..core.easing import smoothstep
from ..core.plan import Beat
from .motion import steady, turn_to
from .pace import Profile, come_to_rest, cover, nominal_speed
from .rounding import rounded
from .routes import Route, Routes
from .schedule import TURN_RATE
from .standing import Leg, Standing, bearing, integrated

F64 = NDArray[np.float64]
XZ = tuple[float, float]

_SWING_S = 0.45
"""Corners are begun to be rounded so long before one is there."""
_SWING_M = (0.4, 2.0)
_BODY_S = 0.12
"""The body turns a little before its course does, and a little after."""
_SPIN = math.radians(300)
_LATE_S = 0.7


@dataclass(frozen=True)
class Detour:
    """A way to a place and how it is gone.

    Attributes:
        distance_m: of the whole way.
        in_time: whether it is done at the end of its beat.
    """

    leg: Leg
    distance_m: float
    in_time: bool


def detour(
    beat: Beat,
    now: Standing,
    times: F64,
    route: Route,
    routes: Routes | None,
    face: XZ,
    *,
    profile: Profile | None = None,
) -> Detour:
    """Goes along a route, and stands at its end; if that is not the place itself, facing it.

    What a character had of motion in another direction dies away while it begins.

    Args:
        times: [N] s, the fine grid of the beat.
        face: the place.
        profile: how fast it is gone, where it need not be gone to its end; None: so that it is.
    """
    length_s = float(times[-1])
    reach = float(np.clip(_SWING_S * nominal_speed(beat), *_SWING_M))
    curve = rounded(route.points, lambda points: routes is None or routes.bump(points) is None, reach)
    steps = np.linalg.norm(np.diff(curve, axis=0), axis=1)
    curve, steps = curve[np.append(True, steps > 1e-9)], steps[steps > 1e-9]
    along = np.append(0.0, np.cumsum(steps))
    heading = np.unwrap(np.arctan2(*np.diff(curve, axis=0).T))
    turn = turn_to(now.yaw_rad, float(heading[0]))
    turn_s = min(1.5 * abs(turn) / TURN_RATE, 0.6 * length_s)
    wait_s = 0.8 * turn_s * min(max((abs(turn) - 0.5) / 2.6, 0.0), 1.0) if now.speed_mps < 0.3 else 0.0
    ends = profile is None
    if profile is None:
        profile, in_time = cover(0.0, nominal_speed(beat), float(along[-1]), length_s - wait_s)
    else:
        in_time = True
    speed = profile.at(np.maximum(times - wait_s, 0.0))
    gone = np.append(0.0, np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(times)))
    if in_time and ends:
        gone *= along[-1] / gone[-1]
    xz = np.column_stack([np.interp(gone, along, curve[:, axis]) for axis in (0, 1)])
    middles = 0.5 * (along[1:] + along[:-1])
    course = np.interp(gone, middles, heading)
    step_s = float(times[1] - times[0])
    yaw = now.yaw_rad + turn * (smoothstep(times / turn_s) if turn_s > 0 else np.ones_like(times))
    yaw = yaw + steady(course - heading[0], 1 / step_s, _BODY_S, _SPIN)
    if not route.arrives:
        yaw = yaw + _towards(float(yaw[-1]), xz[-1], face, speed, times)
    leg = Leg(xz, yaw, speed, 0.0, np.zeros_like(times))
    return Detour(leg, float(along[-1]), in_time)


def _towards(yaw: float, end: F64, face: XZ, speed: F64, times: F64) -> F64:
    """The turn [N] to what one has come to, as one stops."""
    turn = turn_to(yaw, bearing(end, face))
    moving = np.flatnonzero(speed > 1e-3)
    stop = float(times[moving[-1]]) if len(moving) else 0.0
    begin = max(stop - 0.5 * _LATE_S, 0.0)
    length = max(1.5 * abs(turn) / TURN_RATE, _LATE_S)
    begin = max(min(begin, float(times[-1]) - length), 0.0)
    return turn * smoothstep((times - begin) / min(length, float(times[-1]) - begin))


def coasting(now: Standing, times: F64) -> tuple[F64, F64]:
    """Speed [N] and path [N, 2] of what a character has of motion, dying away."""
    speed = come_to_rest(now.speed_mps, float(times[-1])).at(times)
    course = np.full_like(times, now.yaw_rad + now.slip_rad)
    return speed, integrated(replace(now, xz=(0.0, 0.0)), speed, course, times)


def with_coasting(leg: Leg, now: Standing, times: F64) -> Leg:
    """A leg that starts in another direction than the character was moving in: what it had of speed dies away
    while the new movement begins, as when a run turns into a walk backward."""
    old, drift = coasting(now, times)
    turned = leg.yaw + leg.slip - (now.yaw_rad + now.slip_rad)
    speed = np.sqrt(leg.speed**2 + old**2 + 2 * leg.speed * old * np.cos(turned))
    return replace(leg, xz=leg.xz + drift, speed=speed)
