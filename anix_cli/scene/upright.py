"""Which way is up: the axis that the file's format promises, corrected by the plane that the ground makes.

The format's axis is where the search begins, and it never ends further than 30° from it: among all six axes a
wall would win as often as the floor. Within that cone a plane qualifies that a tenth of the scene lies on
and nothing below it (RANSAC, Fischler and Bolles 1981; then weighted least squares on what it holds).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.gaussians import Gaussians

F64 = NDArray[np.float64]

MAX_TILT_DEG = 30.0
SURE_TILT_DEG = 0.5
"""A smaller correction is what uneven ground makes of an axis that was right: it is not made."""

_SAMPLE, _JUDGED, _TRIES = 20_000, 3_000, 3_000
_CELLS = 24
_LOW = 0.25
_TOLERANCE, _FINE = 0.02, 0.5
_MIN_INLIERS, _MAX_BELOW, _MIN_COVER = 0.1, 0.04, 0.3
_MIN_THIN = 0.7
"""Of what lies within the tolerance of a plane, this share lies within half of it. A layer through a heap,
such as any lone object is, has a half; squares and lawns have nine tenths."""
_VISIBLE = 0.1
_SEED = 20250


@dataclass(frozen=True)
class GroundPlane:
    """The plane ``normal · x = offset`` that the ground lies in, in the frame that was searched.

    Attributes:
        normal: [3] unit, upwards.
        tilt_deg: between ``normal`` and +Y.
        share: of the scene's opacity that lies on it.
    """

    normal: F64
    offset: float
    tilt_deg: float
    share: float


def find_plane(gaussians: Gaussians, bounds_m: F64) -> GroundPlane | None:
    """The ground as a plane, None where none near the horizontal qualifies; the same each time.

    Args:
        gaussians: in a frame whose +Y is up as far as the format says, any unit.
        bounds_m: [2, 3] robust corners; what lies outside is not looked at.
    """
    points, weights = _sample(gaussians, bounds_m)
    if len(points) < 64:
        return None
    centre = bounds_m.mean(axis=0)
    size = float(max((bounds_m[1] - bounds_m[0])[[0, 2]]))
    if size <= 0:
        return None
    points = (points - centre) / size  # from here on the scene is one unit wide
    best = _search(points, weights)
    if best is None:
        return None
    normal, offset = _refined(points, weights, best)
    tilt = float(np.degrees(np.arccos(np.clip(normal[1], -1, 1))))
    share = _share(points, weights, normal, offset)
    if tilt > MAX_TILT_DEG or share is None:
        return None
    return GroundPlane(normal, offset * size + float(normal @ centre), tilt, share)


def levelling(plane: GroundPlane | None) -> F64:
    """[3, 3] rotation that turns the plane's normal to +Y by the shortest way; identity for a slight tilt."""
    if plane is None or plane.tilt_deg < SURE_TILT_DEG:
        return np.eye(3)
    x, y, z = plane.normal
    # Rodrigues' formula about normal × +Y = (−z, 0, x), whose length is the sine and y the cosine.
    cross = np.array([[0, -x, 0], [x, 0, z], [0, -z, 0]])
    return np.asarray(np.eye(3) + cross + cross @ cross / (1 + y))


def _sample(gaussians: Gaussians, bounds_m: F64) -> tuple[F64, F64]:
    """Up to ``_SAMPLE`` visible means within the bounds [n, 3] and their weights [n], which add up to 1."""
    low, high = bounds_m
    margin = 0.05 * (high - low)
    means = gaussians.means
    keep = gaussians.opacities > _VISIBLE
    for axis in range(3):
        keep &= (means[:, axis] >= low[axis] - margin[axis]) & (means[:, axis] <= high[axis] + margin[axis])
    at = np.flatnonzero(keep)
    if len(at) > _SAMPLE:
        at = np.sort(np.random.default_rng(_SEED).choice(at, _SAMPLE, replace=False))
    weights = gaussians.opacities[at].astype(np.float64)
    return means[at].astype(np.float64), weights / max(float(weights.sum()), 1e-300)


def _search(points: F64, weights: F64) -> tuple[F64, float] | None:
    """(normal, offset) of the best plane through three low points; None where none qualifies."""
    rng = np.random.default_rng(_SEED)
    low = _low_points(points)
    if len(low) < 3:
        return None
    triples = points[low[rng.integers(0, len(low), (_TRIES, 3))]]
    normals = np.cross(triples[:, 1] - triples[:, 0], triples[:, 2] - triples[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    fine = lengths > 1e-3  # three points in a row span no plane
    normals = normals[fine] / lengths[fine, None]
    normals *= np.where(normals[:, 1:2] < 0, -1, 1)
    near = normals[:, 1] > np.cos(np.radians(MAX_TILT_DEG))
    normals = normals[near]
    if not len(normals):
        return None
    offsets = np.einsum("ij,ij->i", normals, triples[fine][near, 0])
    judged = np.sort(rng.choice(len(points), min(_JUDGED, len(points)), replace=False))
    heights = points[judged] @ normals.T - offsets
    weight = weights[judged] / weights[judged].sum()
    on = weight @ (np.abs(heights) < _TOLERANCE)
    below = weight @ (heights < -2 * _TOLERANCE)
    score = np.where((on >= _MIN_INLIERS) & (below <= _MAX_BELOW), on - below, -1)
    best = int(np.argmax(score))
    return (normals[best], float(offsets[best])) if score[best] > 0 else None


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
    """Least squares on what lies on the plane, ever closer; each cell of the plan counts alike, so that a
    densely captured fountain does not outweigh the square around it."""
    normal, offset = plane
    cell = _cells(points)
    tolerance = _TOLERANCE
    for _ in range(8):
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
        tolerance = max(tolerance * 0.8, _FINE * _TOLERANCE)
    return normal, offset


def _share(points: F64, weights: F64, normal: F64, offset: float) -> float | None:
    """Share of the scene that lies on the plane; None where that is little, or much is below, or it is
    no surface at all."""
    height = points @ normal - offset
    on = np.abs(height) < _TOLERANCE
    share, below = float(weights[on].sum()), float(weights[height < -2 * _TOLERANCE].sum())
    cover = len(np.unique(_cells(points[on]))) / max(len(np.unique(_cells(points))), 1)
    thin = float(weights[np.abs(height) < _TOLERANCE / 2].sum()) / max(share, 1e-300)
    if share < _MIN_INLIERS or below > _MAX_BELOW or cover < _MIN_COVER or thin < _MIN_THIN:
        return None
    return share
