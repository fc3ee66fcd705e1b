"""Following somebody who moves, a little behind: straight after them, or along the way that they took."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .motion import damped, steady, turn_to
from .standing import Leg, Standing, bearing

F64 = NDArray[np.float64]

BEHIND_M = 1.5
"""So far behind another walks who follows them."""
_LAG_S, _TURN_LAG_S, _SPIN = 0.25, 0.25, math.radians(300)
_NEAR_M = 1e-6
_CLOSE_S, _GAP_S, _LEAST_M = 0.6, 0.35, 1.0
_STARTS_MPS2, _STOPS_MPS2 = 3.0, 6.0


def pursuing(now: Standing, ahead: F64, step_s: float, fastest_mps: float) -> Leg:
    """The motion of one who follows straight after another, wherever they are.

    It keeps their pace once it is ``BEHIND_M`` behind, and stands while they stand, facing them.

    Args:
        ahead: [N, 2], where the other one is on the fine grid, ``step_s`` apart.
    """
    x, z = now.xz
    pace, before = 0.0, None
    found, paces = [(x, z)], [0.0]
    for to_x, to_z in ahead[1:].tolist():
        away_x, away_z = to_x - x, to_z - z
        away = math.hypot(away_x, away_z)
        opens = 0.0 if before is None or away == 0 else (
            ((to_x - before[0]) * away_x + (to_z - before[1]) * away_z) / away / step_s
        )  # fmt: skip
        behind = BEHIND_M + _GAP_S * max(opens, 0.0)
        wanted = min(max(opens + (away - behind) / _CLOSE_S, 0.0), fastest_mps)
        pace += min(max(wanted - pace, -_STOPS_MPS2 * step_s), _STARTS_MPS2 * step_s)
        pace = min(pace, max(away - _LEAST_M, 0.0) / step_s)
        if away > 0:
            x, z = x + away_x / away * pace * step_s, z + away_z / away * pace * step_s
        before = (to_x, to_z)
        found.append((x, z))
        paces.append(pace)
    return _facing(now, np.array(found), np.array(paces), ahead, step_s)


def followed(now: Standing, ahead: F64, step_s: float, fastest_mps: float) -> Leg:
    """The motion of one who follows in another's footsteps.

    It goes to where the other one was and then along their way, ``BEHIND_M`` behind, and never back; it
    stands while the other one stands, facing them.

    Args:
        ahead: [N, 2], where the other one is on the fine grid, ``step_s`` apart.
    """
    way = np.vstack([[now.xz], ahead])
    steps = np.linalg.norm(np.diff(way, axis=0), axis=1)
    along = np.append(0.0, np.cumsum(steps))
    # Samples of the other one's way begin where this one's way to them ends.
    goal = np.maximum.accumulate(np.maximum(along[1:] - BEHIND_M, 0.0))
    # Once for the pace, once for the start, which would be a jerk otherwise.
    gone = damped(damped(np.append(0.0, goal), step_s, _LAG_S, fastest_mps), step_s, _LAG_S)[1:]
    gone -= gone[0]
    kept = np.append(True, steps > _NEAR_M)
    xz = np.column_stack([np.interp(gone, along[kept], way[kept, axis]) for axis in (0, 1)])
    speed = np.gradient(gone, step_s)
    speed[0] = 0.0
    return _facing(now, xz, speed, ahead, step_s)


def _facing(now: Standing, xz: F64, speed: F64, ahead: F64, step_s: float) -> Leg:
    """Looking at whom one follows."""
    look = np.arctan2(*(ahead - xz).T)
    look = np.unwrap(np.where(np.linalg.norm(ahead - xz, axis=1) > _NEAR_M, look, now.yaw_rad))
    look += now.yaw_rad + turn_to(now.yaw_rad, bearing(now.xz, ahead[0])) - look[0]
    wanted = np.append(now.yaw_rad, look)
    yaw = damped(wanted, step_s, _TURN_LAG_S, _SPIN)[1:]
    yaw = yaw - yaw[0] + now.yaw_rad
    return Leg(xz, steady(yaw, 1 / step_s, 0.05, _SPIN), speed, 0.0, np.zeros(len(xz)))
