"""Turns, damping and joins: the small pieces that every movement is made of."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

F64 = NDArray[np.float64]


def wrap(angle_rad: ArrayLike) -> F64:
    """The same angle in (−π, π]."""
    a = np.asarray(angle_rad, dtype=np.float64)
    return np.asarray(-((-a + math.pi) % (2 * math.pi) - math.pi))


def turn_to(from_rad: float, to_rad: float) -> float:
    """The signed turn, the short way round, from one heading to another."""
    return float(wrap(to_rad - from_rad))


def damped(target: F64, dt_s: float, lag_s: float, max_rate: float = math.inf) -> F64:
    """Follows a target as a critically damped spring does: it never passes a target that does not turn back.

    Args:
        target: [F, …] samples, ``dt_s`` apart; the result starts at rest on the first.
        lag_s: time constant; 0 is rigid.
        max_rate: the fastest the result moves, in units of the target a second.

    Returns:
        [F, …] float64.
    """
    if lag_s <= 0 or not (target != target[0]).any():
        return np.array(target, dtype=np.float64)
    columns = np.asarray(target, dtype=np.float64).reshape(len(target), -1).T
    followed = [_followed(column.tolist(), dt_s, lag_s, max_rate) for column in columns]
    return np.array(followed).T.reshape(target.shape)


def _followed(target: Sequence[float], dt_s: float, lag_s: float, max_rate: float) -> list[float]:
    """One column of :func:`damped`. In plain numbers, which are ten times as fast as arrays of one."""
    omega = 1.0 / lag_s
    decay = math.exp(-omega * dt_s)
    reach = max_rate * 2 * lag_s
    value, rate = target[0], 0.0
    out = [value]
    for wanted in target[1:]:
        goal = value + min(max(wanted - value, -reach), reach)
        away = value - goal
        push = rate + omega * away
        value = goal + (away + push * dt_s) * decay
        rate = (rate - omega * push * dt_s) * decay
        out.append(value)
    return out


def as_one_goes(target: F64, gone_m: F64, reach_m: float) -> F64:
    """Follows a target [F] as one goes on, not as time does: who stands keeps what there was.

    Args:
        gone_m: [F], metres since the start, never falling.
        reach_m: within so many metres most (63 %) of the way to a target that stays is done.
    """
    if not (target != target[0]).any():
        return np.array(target, dtype=np.float64)
    value = float(target[0])
    out = [value]
    for wanted, share in zip(
        target[1:].tolist(), (-np.expm1(-np.diff(gone_m) / reach_m)).tolist(), strict=True
    ):
        value += (wanted - value) * share
        out.append(value)
    return np.array(out)


def fade_out(offset: F64, rate: F64, time_s: ArrayLike, length_s: float) -> F64:
    """An offset that dies away within ``length_s``, starting at its present value and rate.

    The quintic with zero curvature at the start, and value, rate and curvature zero at the end, so that what
    it is added to is joined without a jump in value or rate ("inertialisation", as game animation calls it).

    Args:
        offset, rate: [...] value and its change a second at time 0.
        time_s: [F].

    Returns:
        [F, ...].
    """
    u = np.minimum(np.maximum(np.asarray(time_s, dtype=np.float64) / length_s, 0.0), 1.0)
    cube = u * u * u
    hold = 1 - cube * (10 - u * (15 - 6 * u))
    drift = u - cube * (6 - u * (8 - 3 * u))
    return np.asarray(np.multiply.outer(hold, offset) + np.multiply.outer(drift * length_s, rate))


def steady(angles: F64, fps: float, spread_s: float, max_rate: float) -> F64:
    """Angles [F, …] smoothed without lag, as by an operator who knows what comes; both ends stay.

    Args:
        angles: radians, without jumps of a whole turn.
        spread_s: standard deviation of the Gaussian; where the result would still turn faster than
            ``max_rate``, rad/s, it is widened.
    """
    if not np.ptp(angles, axis=0).max() > 0:
        return np.array(angles)
    while True:
        reach = max(1, math.ceil(3 * spread_s * fps))
        weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (spread_s * fps)) ** 2)
        padded = np.pad(
            angles, [(reach, reach)] + [(0, 0)] * (angles.ndim - 1), "reflect", reflect_type="odd"
        )
        windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1, axis=0)
        smooth = windows @ (weights / weights.sum())
        if spread_s > 4 or np.abs(np.diff(smooth, axis=0)).max(initial=0.0) * fps <= max_rate:
            return np.asarray(smooth)
        spread_s *= 1.5
