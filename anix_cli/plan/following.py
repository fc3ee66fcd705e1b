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
_NEAR_M, _SLOW_MPS = 1e-6, 0.2
ASIDE_M, LEAST_M = 0.8, 0.8
"""So far beside another walks who goes with them, and so near anybody comes to anybody."""
_CLOSE_S, _GAP_S = 0.6, 0.35
_STARTS_MPS2, _STOPS_MPS2 = 3.0, 6.0


def pursuing(now: Standing, ahead: F64, step_s: float, fastest_mps: float, behind_m: float = BEHIND_M) -> Leg:
    """The motion of one who follows straight after another, wherever they are.

    It keeps their pace once it is ``behind_m`` behind, and stands while they stand, facing them.

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
        behind = behind_m + (_GAP_S if behind_m == BEHIND_M else 0.0) * max(opens, 0.0)
        wanted = min(max(opens + (away - behind) / _CLOSE_S, 0.0), fastest_mps)
        pace += min(max(wanted - pace, -_STOPS_MPS2 * step_s), _STARTS_MPS2 * step_s)
        pace = min(pace, max(away - LEAST_M, 0.0) / step_s)
        if away > 0:
            x, z = x + away_x / away * pace * step_s, z + away_z / away * pace * step_s
        before = (to_x, to_z)
        found.append((x, z))
        paces.append(pace)
    return _facing(now, np.array(found), np.array(paces), ahead, step_s)


def accompanying(
    now: Standing,
    ahead: F64,
    step_s: float,
    fastest_mps: float,
    before_m: float,
    aside_m: float,
    side: str | None,
) -> Leg:
    """The motion of one who keeps to a place beside or before another, and turns as they turn.

    Args:
        ahead: [N, 2], where the other one is on the fine grid, ``step_s`` apart.
        side: of the other one, "left" or "right"; None is the one where the walker is.
    """
    heading = _heading(ahead, step_s, bearing(now.xz, ahead[0]))
    along = np.stack([np.sin(heading), np.cos(heading)], axis=1)
    left = np.stack([along[:, 1], -along[:, 0]], axis=1)
    which = {"left": 1.0, "right": -1.0}.get(side or "", math.copysign(1.0, (now.xz - ahead[0]) @ left[0]))
    goal = ahead + before_m * along + which * aside_m * left
    moves = np.gradient(goal, step_s, axis=0)
    here, pace = np.array(now.xz, dtype=np.float64), np.zeros(2)
    found, paces = [here], [pace]
    for to, move in zip(goal[1:], moves[1:], strict=True):
        wanted = move + (to - here) / _CLOSE_S
        wanted *= min(1.0, fastest_mps / max(float(np.linalg.norm(wanted)), 1e-9))
        change = wanted - pace
        most = _STARTS_MPS2 * step_s
        pace = pace + change * min(1.0, most / max(float(np.linalg.norm(change)), 1e-9))
        here = here + pace * step_s
        found.append(here)
        paces.append(pace)
    xz, going = np.array(found), np.array(paces)
    speed = np.linalg.norm(going, axis=1)
    look = np.where(speed > _SLOW_MPS, np.arctan2(going[:, 0], going[:, 1]), heading)
    look = np.unwrap(look)
    look += now.yaw_rad + turn_to(now.yaw_rad, float(look[0])) - look[0]
    yaw = damped(np.append(now.yaw_rad, look), step_s, _TURN_LAG_S, _SPIN)[1:]
    yaw = yaw - yaw[0] + now.yaw_rad
    return Leg(xz, steady(yaw, 1 / step_s, 0.05, _SPIN), speed, 0.0, np.zeros(len(xz)))


def _heading(ahead: F64, step_s: float, otherwise: float) -> F64:
    """[N] where another one goes; while they stand, where they went or will go."""
    moves = np.gradient(ahead, step_s, axis=0)
    moving = np.flatnonzero(np.linalg.norm(moves, axis=1) > _SLOW_MPS)
    if not len(moving):
        return np.full(len(ahead), otherwise)
    last = moving[np.clip(np.searchsorted(moving, np.arange(len(ahead)), side="right") - 1, 0, None)]
    return damped(np.unwrap(np.arctan2(moves[last, 0], moves[last, 1])), step_s, _TURN_LAG_S, _SPIN)


def followed(now: Standing, ahead: F64, step_s: float, fastest_mps: float, behind_m: float = BEHIND_M) -> Leg:
    """The motion of one who follows in another's footsteps.

    It goes to where the other one was and then along their way, ``behind_m`` behind, and never back; it
    stands while the other one stands, facing them.

    Args:
        ahead: [N, 2], where the other one is on the fine grid, ``step_s`` apart.
    """
    way = np.vstack([[now.xz], ahead])
    steps = np.linalg.norm(np.diff(way, axis=0), axis=1)
    along = np.append(0.0, np.cumsum(steps))
    # Samples of the other one's way begin where this one's way to them ends.
    goal = np.maximum.accumulate(np.maximum(along[1:] - behind_m, 0.0))
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
