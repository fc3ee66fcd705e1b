"""The ground of a scene: the lowest broad level surface, followed over kerbs, steps and gentle slopes.

Splats lie on surfaces as flat discs, so a Gaussian's thinnest axis is the surface's normal. Those whose
normal is near the vertical are looked at by height: the ground is the height that many cells of the scene's
plan have as their lowest surface, with almost nothing below it. From there it is followed outwards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.gaussians import Gaussians
from anix_cli.core.stage import HeightMap

from .grids import blurred, filled, median_around, summed_around

F64 = NDArray[np.float64]

_COS_TILT = float(np.cos(np.radians(35)))
_VISIBLE = 0.1
_PLAN_CELLS = 32
_MIN_COVER, _MIN_COVER_OF_BEST = 0.2, 0.5
_MAX_BELOW = 0.05
_STEP_M, _STEP_OF_EXTENT = 0.45, 0.04
_CELL_M, _CELLS, _PER_CELL = 0.5, 80, 8
_LOWEST, _UPPER = 0.1, 0.75
_TOP_SIGMAS = 0.5
_MAX_SLOPE = 0.6


@dataclass(frozen=True)
class _Surface:
    """Near-level Gaussians: xz [n, 2], height [n] of their upper side, weight [n] (opacity × area)."""

    xz: F64
    height: F64
    weight: F64


def find_ground(gaussians: Gaussians, bounds_m: F64) -> HeightMap | None:
    """The ground as a height map, None where no surface qualifies.

    Args:
        gaussians: stage frame.
        bounds_m: [2, 3] robust corners of the scene; what lies outside is not looked at.
    """
    low, high = bounds_m
    extent = float(max(high[0] - low[0], high[2] - low[2]))
    if extent <= 0:
        return None
    step = min(_STEP_M, _STEP_OF_EXTENT * extent)
    margin = np.array([0.02, 0.1, 0.02]) * (high - low) + step
    means = gaussians.means.astype(np.float64)
    keep = gaussians.opacities > _VISIBLE
    for axis in range(3):
        keep &= (means[:, axis] >= low[axis] - margin[axis]) & (means[:, axis] <= high[axis] + margin[axis])
    visible = np.flatnonzero(keep)
    if len(visible) < 16:
        return None
    surface = _level_surface(gaussians.take(visible), extent)
    if len(surface.height) < 16:
        return None
    plane = _plane_height(surface, means[visible], gaussians.opacities[visible], bounds_m, step)
    if plane is None:
        return None
    return _grow(surface, plane, step, bounds_m)


def _level_surface(gaussians: Gaussians, extent: float) -> _Surface:
    """The Gaussians that face up or down; round ones, which face nowhere, count for little."""
    sigmas = np.sort(gaussians.scales.astype(np.float64), axis=1)
    thin = np.argmin(gaussians.scales, axis=1)
    normal_y = np.abs(_rotation_row_y(gaussians.quats)[np.arange(len(thin)), thin])
    flat = sigmas[:, 0] < 0.6 * sigmas[:, 1]
    level = normal_y > _COS_TILT
    weight = gaussians.opacities * np.where(flat, 1.0, 0.2)
    # A footprint larger than a cell says no more about the ground than one of a cell's size.
    cell = extent / _CELLS
    weight = weight * np.minimum(sigmas[:, 1], cell) * np.minimum(sigmas[:, 2], cell)
    keep = np.flatnonzero((level | ~flat) & (sigmas[:, 0] < cell))
    means = gaussians.means[keep].astype(np.float64)
    return _Surface(
        means[:, [0, 2]],
        means[:, 1] + _TOP_SIGMAS * sigmas[keep, 0],
        weight[keep].astype(np.float64) + 1e-300,
    )


def _rotation_row_y(quats: NDArray[np.float32]) -> F64:
    """[n, 3]: the y components of the three local axes of each quaternion wxyz."""
    w, x, y, z = quats.astype(np.float64).T
    return np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=1)


def _plane_height(
    surface: _Surface, means: F64, opacities: NDArray[np.float32], bounds_m: F64, step: float
) -> float | None:
    """Height of the lowest surface that many cells of the plan have as their own lowest one."""
    low, high = bounds_m
    size = np.maximum((high - low)[[0, 2]], 1e-9)

    def cells_of(xz: F64) -> NDArray[np.intp]:
        index = np.clip(((xz - low[[0, 2]]) / size * _PLAN_CELLS).astype(int), 0, _PLAN_CELLS - 1)
        return np.asarray(index[:, 0] * _PLAN_CELLS + index[:, 1])

    columns = _Columns.build(cells_of(surface.xz), surface)
    lowest = columns.heights(np.zeros(_PLAN_CELLS**2), np.inf, _LOWEST)
    # A cell counts by how densely it was captured: land around a place is a few large splats.
    seen = np.sqrt(np.bincount(cells_of(surface.xz), minlength=_PLAN_CELLS**2))
    order = np.argsort(lowest)[: np.isfinite(lowest).sum()]
    lowest, total = lowest[order], np.concatenate([[0.0], np.cumsum(seen[order])])
    last = np.searchsorted(lowest, lowest + step, side="right")
    share = total[last] - total[:-1]
    first = int(np.argmax(share >= _MIN_COVER_OF_BEST * share.max()))
    count = last - np.arange(len(last))
    first += int(np.argmax(count[first : last[first]]))
    footprint = len(np.unique(cells_of(means[:, [0, 2]])))
    below = means[:, 1] < lowest[first] - step / 2
    if count[first] < _MIN_COVER * footprint or opacities[below].sum() > _MAX_BELOW * opacities.sum():
        return None
    return float(np.median(lowest[first : last[first]]))


def _grow(surface: _Surface, plane: float, step: float, bounds_m: F64) -> HeightMap:
    """Height per cell: upper quartiles near the plane, then outwards from cell to cell, then smoothed."""
    low, high = bounds_m
    extent = float(max(high[0] - low[0], high[2] - low[2]))
    area = float((high[0] - low[0]) * (high[2] - low[2]))
    dense = float(np.sqrt(area * _PER_CELL / len(surface.height)))
    cell = max(min(_CELL_M, extent / _CELLS), extent / (4 * _CELLS), min(dense, extent / 16))
    columns, rows = (max(1, int(np.ceil((high[i] - low[i]) / cell))) for i in (0, 2))
    index = np.clip(((surface.xz - low[[0, 2]]) / cell).astype(int), 0, (columns - 1, rows - 1))
    columns_of_cells = _Columns.build(index[:, 1] * columns + index[:, 0], surface)
    heights = columns_of_cells.heights(np.full(rows * columns, plane), step).reshape(rows, columns)
    known = np.isfinite(heights)
    lowest = columns_of_cells.heights(np.zeros(rows * columns), np.inf, _LOWEST).reshape(rows, columns)
    # Outwards only where a cell's own lowest surface goes on at a slope that can be walked: a hedge, a table
    # or a wall that hides the ground is no ground.
    climb = max(_MAX_SLOPE * 1.5 * cell, step / 4)
    while True:
        near = summed_around(known.astype(np.float64))
        guess = summed_around(np.where(known, heights, 0.0)) / np.maximum(near, 1)
        new = ~known & (near > 0) & (np.abs(lowest - guess) <= climb)
        if not new.any():
            break
        around = np.where(new, lowest, np.nan).ravel()
        grown = columns_of_cells.heights(around, climb).reshape(rows, columns)
        heights = np.where(new, grown, heights)
        known |= new
    if not known.any():
        return HeightMap.level(plane)
    # Once more, close round what its neighbours agree on: low plants and clutter fall out.
    agreed = median_around(filled(heights, known), 5)
    again = columns_of_cells.heights(np.where(known, agreed, np.nan).ravel(), step / 2)
    heights = np.where(np.isfinite(again), again, agreed.ravel()).reshape(rows, columns)
    heights = blurred(median_around(filled(heights, known), 3), 0.6)
    return HeightMap((float(low[0] + cell / 2), float(low[2] + cell / 2)), cell, heights)


@dataclass(frozen=True)
class _Columns:
    """A surface sorted by cell and then by height, so that a cell's quantile in a band is three look-ups."""

    key: F64
    height: F64
    total: F64
    bottom: float
    span: float

    @staticmethod
    def build(cell: NDArray[np.intp], surface: _Surface) -> _Columns:
        bottom = float(surface.height.min())
        span = 3.0 * float(np.ptp(surface.height)) + 1.0
        key = cell * span + (surface.height - bottom)
        order = np.argsort(key, kind="stable")
        total = np.concatenate([[0.0], np.cumsum(surface.weight[order])])
        return _Columns(key[order], surface.height[order], total, bottom, span)

    def heights(self, around: F64, step: float, quantile: float = _UPPER) -> F64:
        """[cells] quantile of each cell's surface within ``around ± step``; NaN where too little is there."""
        reach = self.span / 3
        base = np.arange(len(around)) * self.span
        middle = np.nan_to_num(around, nan=self.bottom) - self.bottom
        first = np.searchsorted(self.key, base + np.clip(middle - step, -reach, reach))
        last = np.searchsorted(self.key, base + np.clip(middle + step, -reach, reach), side="right")
        weight = self.total[last] - self.total[first]
        enough = np.isfinite(around) & (weight > 0) & (last > first)
        at = np.searchsorted(self.total, self.total[first] + quantile * weight, side="left") - 1
        at = np.clip(at, first, np.maximum(last - 1, first)).clip(0, len(self.height) - 1)
        return np.where(enough, self.height[at], np.nan)
