"""Following somebody who moves: along the way that they took, a little behind."""

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


def followed(now: Standing, ahead: F64, step_s: float, fastest_mps: float) -> Leg:
    """The motion of one who follows.

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
    look = np.arctan2(*(ahead - xz).T)
    look = np.unwrap(np.where(np.linalg.norm(ahead - xz, axis=1) > _NEAR_M, look, now.yaw_rad))
    look += now.yaw_rad + turn_to(now.yaw_rad, bearing(now.xz, ahead[0])) - look[0]
    wanted = np.append(now.yaw_rad, look)
    yaw = damped(wanted, step_s, _TURN_LAG_S, _SPIN)[1:]
    yaw = yaw - yaw[0] + now.yaw_rad
    return Leg(xz, steady(yaw, 1 / step_s, 0.05, _SPIN), speed, 0.0, np.zeros(len(xz)))
