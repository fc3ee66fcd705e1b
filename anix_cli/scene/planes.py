"""The ground as a plane: what a good part of a scene lies on, with hardly anything below it.

RANSAC (Fischler and Bolles 1981) over low points, then weighted least squares on what the best few hold.
All lengths are shares of the scene's width: points come one unit wide, about the origin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

MAX_TILT_DEG = 30.0

_TRIES, _JUDGED, _REFINED, _BEST = 3_000, 2_000, 8_000, 12
_CELLS = 24
_LOW = 0.25
_TOLERANCE, _FINEST = 0.02, 0.002
_MIN_SHARE, _MIN_MEAN, _MIN_COVER = 0.1, 0.1, 0.3
_MAX_BELOW, _MAX_BENEATH, _BELOW_FOR_ABOVE = 0.2, 0.08, 0.75
_CLOSER = np.array([0.1, 0.2, 0.3, 0.4])
"""What counts within the tolerance, half of it, a quarter and an eighth."""
_MIN_THIN, _MIN_SHARP = 0.65, 0.62
"""Of what lies within the tolerance of a plane, such a share lies within half of it, and within the
tolerance, half, a quarter and an eighth of it on average. A layer through a heap, such as any lone object is,
has 0.5 and 0.47; lawns and forests have 0.8 and 0.66, squares more."""
_SAME_DEG = 1.5
_SEED = 20250


@dataclass(frozen=True)
class Plane:
    """The plane ``normal · x = offset``.

    Attributes:
        normal: [3] unit, upwards.
        share: of the scene that lies on it.
        merit: how much lies on it, the closer the more.
    """

    normal: F64
    offset: float
    share: float
    merit: float


def best_plane(points: F64, weights: F64, *, tries: int = _TRIES) -> Plane | None:
    """The best plane within 30° of level, None where none qualifies; the same each time.

    Args:
        points: [n, 3], +Y up as far as is known.
        weights: [n], together 1.
        tries: planes to try.
    """
    few = np.arange(len(points))
    if len(few) > _REFINED:
        few = np.sort(np.random.default_rng(_SEED).choice(few, _REFINED, replace=False))
    found = (_refined(points[few], weights[few], plane) for plane in _tried(points, weights, tries))
    judged = [plane for normal, offset in found if (plane := _judged(points, weights, normal, offset))]
    return max(judged, key=lambda plane: plane.merit, default=None)


def clutter(points: F64, weights: F64, plane: Plane) -> tuple[float, float]:
    """(what lies in the lower half, what in the upper half) of the room above a plane, its ends left out."""
    height = points @ plane.normal - plane.offset
    top = float(np.percentile(height, 98))
    share = height / max(top, 1e-9)
    return tuple(  # type: ignore[return-value]
        float(weights[(share > low) & (share < low + 0.4)].sum()) for low in (0.05, 0.55)
    )


def _tried(points: F64, weights: F64, tries: int) -> list[tuple[F64, float]]:
    """(normal, offset) of a few good planes through three low points each, that differ."""
    rng = np.random.default_rng(_SEED)
    low = _low_points(points)
    if len(low) < 3:
        return []
    triples = points[low[rng.integers(0, len(low), (tries, 3))]]
    normals = np.cross(triples[:, 1] - triples[:, 0], triples[:, 2] - triples[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    fine = lengths > 1e-3  # three points in a row span no plane
    normals = normals[fine] / lengths[fine, None]
    normals *= np.where(normals[:, 1:2] < 0, -1, 1)
    near = normals[:, 1] > np.cos(np.radians(MAX_TILT_DEG))
    normals = normals[near]
    if not len(normals):
        return []
    offsets = np.einsum("ij,ij->i", normals, triples[fine][near, 0])
    judged = np.sort(rng.choice(len(points), min(_JUDGED, len(points)), replace=False))
    heights = points[judged].astype(np.float32) @ normals.T.astype(np.float32) - offsets.astype(np.float32)
    weight = (weights[judged] / weights[judged].sum()).astype(np.float32)
    away = np.abs(heights)
    within = np.array([weight @ (away < _TOLERANCE / 2**k).astype(np.float32) for k in range(len(_CLOSER))])
    below = weight @ (heights < -2 * _TOLERANCE).astype(np.float32)
    likely = (within[0] >= 0.8 * _MIN_SHARE) & (below <= 1.2 * _MAX_BELOW)
    likely &= within[1] >= 0.9 * _MIN_THIN * within[0]
    score = np.where(likely, _CLOSER @ within, -1)
    return _different(normals, offsets, score)


def _different(normals: F64, offsets: F64, score: F64) -> list[tuple[F64, float]]:
    """The best few of which no two are nearly the same."""
    chosen: list[tuple[F64, float]] = []
    alike = np.cos(np.radians(_SAME_DEG))
    for at in np.argsort(-score, kind="stable"):
        if score[at] <= 0 or len(chosen) == _BEST:
            break
        same = (abs(offsets[at] - o) <= _TOLERANCE and normals[at] @ n >= alike for n, o in chosen)
        if not any(same):
            chosen.append((normals[at], float(offsets[at])))
    return chosen


def _low_points(points: F64) -> NDArray[np.intp]:
    """The lowest quarter of each cell of the plan: of these, most lie on the ground if there is any."""
    cell = _cells(points)
    order = np.lexsort((points[:, 1], cell))
    first = np.flatnonzero(np.diff(cell[order], prepend=-1))
    count = np.diff(np.append(first, len(order)))
    rank = np.arange(len(order)) - np.repeat(first, count)
    return np.asarray(order[rank < np.repeat(np.ceil(_LOW * count), count)])


def _cells(points: F64) -> NDArray[np.intp]:
    index = np.clip((points[:, [0, 2]] + 0.5) * _CELLS, 0, _CELLS - 1).astype(int)
    return np.asarray(index[:, 0] * _CELLS + index[:, 1])


def _refined(points: F64, weights: F64, plane: tuple[F64, float]) -> tuple[F64, float]:
    """Least squares on what lies on the plane, ever closer, down to how uneven the ground is; each cell of
    the plan counts alike, so that a densely captured fountain does not outweigh the square around it."""
    normal, offset = plane
    cell = _cells(points)
    tolerance = _TOLERANCE / 2
    for _ in range(12):
        height = points @ normal - offset
        on = np.abs(height) < tolerance
        if on.sum() < 16:
            break
        total = np.bincount(cell[on], weights[on], _CELLS**2)[cell[on]]
        # Tukey's biweight: what lies at the edge of the band hardly counts.
        weight = weights[on] / total * (1 - (height[on] / tolerance) ** 2) ** 2
        columns = np.column_stack([points[on][:, [0, 2]], np.ones(int(on.sum()))])
        root = np.sqrt(weight)
        slope = np.linalg.lstsq(columns * root[:, None], points[on, 1] * root, rcond=None)[0]
        normal = np.array([-slope[0], 1.0, -slope[1]])
        length = float(np.linalg.norm(normal))
        normal, offset = normal / length, float(slope[2]) / length
        uneven = 3 * float(np.median(np.abs(height[on])))
        tolerance = max(min(0.8 * tolerance, max(uneven, 0.5 * tolerance)), _FINEST)
    return normal, offset


def _judged(points: F64, weights: F64, normal: F64, offset: float) -> Plane | None:
    """The plane, None where little lies on it, or much below, or it is no surface at all."""
    height = points @ normal - offset
    away = np.abs(height)
    within = np.array([float(weights[away < _TOLERANCE / 2**k].sum()) for k in range(len(_CLOSER))])
    lower, cell = height < -2 * _TOLERANCE, _cells(points)
    below, above = float(weights[lower].sum()), float(weights[height > 2 * _TOLERANCE].sum())
    floor = np.unique(cell[away < _TOLERANCE])
    beneath = float(weights[lower & np.isin(cell, floor)].sum())
    cover = len(floor) / max(len(np.unique(cell)), 1)
    plane = Plane(normal, offset, float(within[0]), float(_CLOSER @ within))
    enough = plane.share >= _MIN_SHARE and within.mean() >= _MIN_MEAN and cover >= _MIN_COVER
    surface = within[1] >= _MIN_THIN * within[0] and within.mean() >= _MIN_SHARP * within[0]
    # Below a terrace there is land, but beside it: what lies under its own cells is another storey.
    lowest = below <= min(_MAX_BELOW, _TOLERANCE + _BELOW_FOR_ABOVE * above) and beneath <= _MAX_BENEATH
    return plane if enough and surface and lowest else None
