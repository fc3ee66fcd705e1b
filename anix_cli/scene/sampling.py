"""A fair sample of a scene: as much of every place in it, however densely that was captured.

A table on which thousands of Gaussians lie counts by its surface, like the floor around it that has a few
hundred; and what floats alone in the air counts for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.gaussians import Gaussians

from .surface import surface_points

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

_VISIBLE = 0.1
_MOST = 200_000
_CELLS, _CELLS_HIGH = 48, 192
_LOOKED_AT = 16
"""Gaussians of a cell: more say nothing new."""
_MARGIN = 0.05
_COVERED, _FULL = 0.1, 0.5
"""Shares of a cell's side: with less surface a cell is empty, with more it counts no more."""
_ONE_GAUSSIAN = 0.5
"""Of a cell's side that a single Gaussian can cover."""
_NEIGHBOURS = 5
"""Of the 26 cells around a cell, so many have surface too where it is part of something: walls and floors
have eight, haze and floaters fewer."""
_EACH = 4
_SEED = 20250


@dataclass(frozen=True)
class FairSample:
    """Points on what is solid.

    Attributes:
        points: [n, 3] float64.
        of: [n] rows of the Gaussians that they lie on.
        weights: [n] float64, together 1.
    """

    points: F64
    of: NDArray[np.intp]
    weights: F64


def fair_sample(gaussians: Gaussians, bounds_m: F64) -> FairSample:
    """A few points from every cell of a grid through the scene, by how much surface the cell has.

    It knows no unit: the grid follows the size of the scene. The same sample comes each time.

    Args:
        bounds_m: [2, 3] robust corners; what lies well outside is left out.
    """
    size = bounds_m[1] - bounds_m[0]
    cell = max(float(max(size[0], size[2])) / _CELLS, float(size[1]) / _CELLS_HIGH)
    if not cell > 0:
        return FairSample(np.zeros((0, 3)), np.zeros(0, np.intp), np.zeros(0))
    rng = np.random.default_rng(_SEED)
    low, high = bounds_m[0] - _MARGIN * size - cell / 8, bounds_m[1] + _MARGIN * size + cell / 8
    rows, share = _some(gaussians, low, high, cell, rng)
    part = gaussians.take(rows)
    surface = surface_points(part, low, high, cell, most=_MOST)
    order = rng.permutation(len(surface.areas))
    points, of = surface.points[order].astype(np.float64), surface.of[order]
    # Opacity counts twice: what is half transparent is rarely a surface.
    areas = np.minimum(surface.areas[order] / cell**2, _ONE_GAUSSIAN) * part.opacities[of] / share[of]
    numbers, which, strides = _cells(points, low, high, cell)
    cover = np.minimum(np.bincount(which, areas, len(numbers)), _FULL)
    solid = numbers[cover >= _COVERED]
    cover[(cover < _COVERED) | (_beside(solid, numbers, strides) < _NEIGHBOURS)] = 0.0
    chosen = _first_of_each(which, _EACH)
    cell_of = which[chosen]
    weights = cover[cell_of] / np.bincount(cell_of, minlength=len(numbers))[cell_of]
    kept = weights > 0
    chosen, weights = chosen[kept], weights[kept]
    return FairSample(points[chosen], rows[of[chosen]], weights / max(float(weights.sum()), 1e-300))


def _some(
    gaussians: Gaussians, low: F64, high: F64, cell: float, rng: np.random.Generator
) -> tuple[NDArray[np.intp], F64]:
    """(rows of what can be seen in a box, a few of every cell; which share of its cell they are)."""
    keep = gaussians.opacities > _VISIBLE
    for axis in range(3):
        means = gaussians.means[:, axis]
        keep &= (means >= low[axis]) & (means <= high[axis])
    rows = np.flatnonzero(keep)
    counts = np.ceil((high - low) / cell).astype(np.int64) + 1
    index = ((gaussians.means[rows] - low) / cell).astype(np.int64)
    number = (index[:, 0] * counts[1] + index[:, 1]) * counts[2] + index[:, 2]
    share = np.minimum(_LOOKED_AT / np.maximum(np.bincount(number), 1), 1.0)[number]
    chosen = rng.random(len(rows)) < share
    return rows[chosen], share[chosen]


def _cells(points: F64, low: F64, high: F64, cell: float) -> tuple[I64, NDArray[np.intp], I64]:
    """(sorted numbers of the cells with points, each point's place among them, strides of the numbers).

    There is an empty border, so that neighbours never wrap.
    """
    _, ny, nz = np.ceil((high - low) / cell).astype(np.int64) + 3
    strides = np.array([ny * nz, nz, 1], dtype=np.int64)
    index = ((points - low) / cell).astype(np.int64) + 1
    numbers, which = np.unique(index @ strides, return_inverse=True)
    return numbers, which, strides


def _beside(solid: I64, numbers: I64, strides: I64) -> I64:
    """[n] how many of the cells around each numbered cell are among the ``solid`` ones."""
    count = np.zeros(len(numbers), np.int64)
    for step in np.ndindex(3, 3, 3):
        away = int((np.array(step) - 1) @ strides)
        if away and len(solid):
            at = np.searchsorted(solid, numbers + away).clip(0, len(solid) - 1)
            count += solid[at] == numbers + away
    return count


def _first_of_each(which: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """Where the first ``count`` of each group are."""
    order = np.argsort(which, kind="stable")
    first = np.flatnonzero(np.diff(which[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(first, np.diff(np.append(first, len(order))))
    return np.asarray(order[rank < count])
