"""Curves through given points: cubic Hermite pieces, smooth in value and rate, gone at an even speed.

With knots that are the roots of the distances apart (centripetal Catmull-Rom, Yuksel et al. 2011) a curve
makes no loops between points that are unevenly spaced.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

_FINE = 200
"""So many pieces of a curve between two points are measured."""


def hermite(knots: F64, values: F64, at: F64, *, rests: tuple[bool, bool] = (False, False)) -> F64:
    """The curve through ``values`` [N, K] at ``knots`` [N] (rising), at ``at`` [F]; [F, K].

    Args:
        rests: whether the rate is 0 at the first and at the last knot, instead of that of a parabola there.
    """
    gaps = np.diff(knots)
    slopes = np.diff(values, axis=0) / gaps[:, None]
    rates = np.empty_like(values)
    rates[0], rates[-1] = slopes[0], slopes[-1]
    near, far = gaps[1:, None], gaps[:-1, None]
    rates[1:-1] = (slopes[:-1] * near + slopes[1:] * far) / (near + far)
    if len(gaps) > 1:  # the parabolas through the first and the last three points
        rates[0] += (slopes[0] - slopes[1]) * gaps[0] / (gaps[0] + gaps[1])
        rates[-1] += (slopes[-1] - slopes[-2]) * gaps[-1] / (gaps[-1] + gaps[-2])
    for end, rest in zip((0, -1), rests, strict=True):
        if rest:
            rates[end] = 0.0
    piece = np.clip(np.searchsorted(knots, at, side="right") - 1, 0, len(gaps) - 1)
    gap = gaps[piece][:, None]
    t = np.clip((at - knots[piece])[:, None] / gap, 0.0, 1.0)
    start, stop = values[piece], values[piece + 1]
    one, other = rates[piece] * gap, rates[piece + 1] * gap
    return np.asarray(
        start * (1 + 2 * t) * (1 - t) ** 2
        + one * t * (1 - t) ** 2
        + stop * t * t * (3 - 2 * t)
        - other * t * t * (1 - t)
    )


def centripetal(points: F64) -> F64:
    """Knots [N] for points [N, 3], rising also where two of them are one."""
    apart = np.linalg.norm(np.diff(points, axis=0), axis=1)
    least = max(float(apart.max(initial=0.0)) * 1e-6, 1e-9)
    return np.concatenate([[0.0], np.cumsum(np.sqrt(np.maximum(apart, least)))])


def even(points: F64, turns_rad: F64) -> tuple[F64, F64, F64]:
    """Knots of a curve through points [N, 3], and what tells where on it a share of the way is: knots
    [M] in small steps and the share of the way there [M].

    A piece between two points at one place takes as long as a metre for each radian that it turns.

    Args:
        turns_rad: [N - 1].
    """
    knots = centripetal(points)
    fine = np.concatenate([
        *(np.linspace(a, b, _FINE, endpoint=False) for a, b in pairwise(knots)),
        knots[-1:],
    ])  # fmt: skip
    steps = np.linalg.norm(np.diff(hermite(knots, points, fine), axis=0), axis=1)
    still = np.linalg.norm(np.diff(points, axis=0), axis=1) < 1e-6
    steps += np.repeat(np.where(still, np.maximum(turns_rad, 1e-3), 0.0) / _FINE, _FINE)
    way = np.concatenate([[0.0], np.cumsum(steps)])
    return knots, fine, way / max(float(way[-1]), 1e-12)


def quats_of(turns: F64) -> F64:
    """Unit quaternions [N, 4] (w first) of rotation matrices [N, 3, 3], each the nearer one to that "
    "before."""
    trace = np.einsum("nii->n", turns)
    squares = np.stack([trace, *(2 * turns[:, i, i] - trace for i in range(3))], axis=1)
    best = squares.argmax(axis=1)
    cross = np.stack([
        turns[:, 2, 1] - turns[:, 1, 2], turns[:, 0, 2] - turns[:, 2, 0], turns[:, 1, 0] - turns[:, 0, 1],
    ], axis=1)  # fmt: skip
    quats = np.empty((len(turns), 4))
    for n, largest in enumerate(best):
        if largest == 0:
            quats[n] = [1 + trace[n], *cross[n]]
        else:
            i = largest - 1
            row = turns[n, i] + turns[n, :, i]
            row[i] = 1 + squares[n, largest]
            quats[n] = [cross[n, i], *row]
        if n and quats[n] @ quats[n - 1] < 0:
            quats[n] *= -1
    return np.asarray(quats / np.linalg.norm(quats, axis=1, keepdims=True))


def turns_of(quats: F64) -> F64:
    """Rotation matrices [N, 3, 3] of quaternions [N, 4] of any length but 0."""
    w, x, y, z = (quats / np.linalg.norm(quats, axis=1, keepdims=True)).T
    return np.stack([
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ], axis=-1).reshape(-1, 3, 3)  # fmt: skip
