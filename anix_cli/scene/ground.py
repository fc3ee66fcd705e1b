"""The ground of a scene: the lowest broad level surface, followed over kerbs, steps and gentle slopes.

Splats lie on surfaces as flat discs, so a Gaussian's thinnest axis is the surface's normal. Those whose
normal is near the vertical are looked at by height: the ground begins at the height that many cells of the
scene's plan have as their lowest surface, and is followed from cell to cell. What was found counts as ground
if a good part of the scene lies closely on it, and hardly anything below it.

No unit is known: lengths are shares of the scene's width, or follow from how uneven the surface is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.gaussians import Gaussians
from anix_cli.core.stage import HeightMap

from .columns import Columns, Level, Plan, level_surface
from .grids import blurred, filled, median_around, summed_around
from .sampling import fair_sample

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

_VISIBLE = 0.1
_SEED_CELLS = 32
_MIN_COVER, _MIN_COVER_OF_BEST = 0.2, 0.5
_STEP, _LEAST_STEP = 0.04, 0.005
"""How far apart the heights may be at which the ground begins in different cells."""
_FINEST, _COARSEST, _PER_CELL = 160, 16, 8
_LOWEST, _UPPER = 0.1, 0.75
_SLOPE, _LEAST_CLIMB = 0.9, 0.008
_WITHIN = 6
_LAYERS = 3.0
"""Paving lies on its bed: so many times as thick as usual may a cell's surface be, and its top counts."""
_NEAR, _MIN_SHARE, _MIN_MEAN, _MIN_THIN, _MIN_SHARP = 0.02, 0.1, 0.12, 0.65, 0.62
"""As for planes, see ``planes.py``."""
_BELOW_FOR_SHARE, _BENEATH_FOR_SHARE, _BELOW_FOR_ABOVE = 0.3, 0.2, 0.75
_FEWEST = 16


def find_ground(gaussians: Gaussians, bounds_m: F64) -> HeightMap | None:
    """The ground as a height map, None where no surface qualifies.

    Args:
        gaussians: stage frame; any unit.
        bounds_m: [2, 3] robust corners of the scene; what lies outside is not looked at.
    """
    low, high = bounds_m
    extent = float(max(high[0] - low[0], high[2] - low[2]))
    if not extent > 0:
        return None
    visible = _visible(gaussians, bounds_m, extent)
    surface = level_surface(gaussians.take(visible), extent)
    if len(surface.height) < _FEWEST:
        return None
    start = _start(surface, Plan.squares(bounds_m, extent / _SEED_CELLS), _STEP * extent)
    plan = Plan.squares(bounds_m, _cell(bounds_m, len(surface.height), extent))
    heights, known = _followed(surface, plan, *start, extent)
    if not known.any():
        return None
    ground = HeightMap(plan.centre, plan.cell, heights)
    seen = gaussians.means[visible][:, [0, 2]].astype(np.float64)
    return ground if _qualifies(ground, known, plan, seen, gaussians, bounds_m, extent) else None


def filmed_heights(ground: HeightMap, gaussians: Gaussians) -> F64:
    """[n] heights of the cells in which something lies on the ground: elsewhere it is only carried on.

    All cells' where nothing does.

    Args:
        gaussians: stage frame.
    """
    rows, columns = ground.heights_m.shape
    solid = gaussians.means[gaussians.opacities > _VISIBLE].astype(np.float64)
    on = solid[np.abs(solid[:, 1] - ground.at(solid[:, [0, 2]])) <= ground.cell_m / 2]
    column, row = np.rint((on[:, [0, 2]] - ground.origin_m) / ground.cell_m).T
    inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
    filmed = np.zeros((rows, columns), dtype=bool)
    filmed[row[inside].astype(np.intp), column[inside].astype(np.intp)] = True
    return ground.heights_m[filmed] if filmed.any() else ground.heights_m.ravel()


def _visible(gaussians: Gaussians, bounds_m: F64, extent: float) -> NDArray[np.intp]:
    low, high = bounds_m
    margin = np.array([0.02, 0.1, 0.02]) * (high - low) + _STEP / 2 * extent
    keep = gaussians.opacities > _VISIBLE
    for axis in range(3):
        means = gaussians.means[:, axis]
        keep &= (means >= low[axis] - margin[axis]) & (means <= high[axis] + margin[axis])
    return np.flatnonzero(keep)


def _cell(bounds_m: F64, count: int, extent: float) -> float:
    """Side of a cell of the map: small, but with a few Gaussians in each."""
    low, high = bounds_m
    dense = float(np.sqrt((high[0] - low[0]) * (high[2] - low[2]) * _PER_CELL / count))
    return min(max(dense, extent / _FINEST), extent / _COARSEST)


def _start(surface: Level, plan: Plan, step: float) -> tuple[float, float]:
    """(height of the lowest surface that many cells have as their own lowest one, how much that differs)."""
    cells = plan.cell_of(surface.xz)
    columns = Columns.build(cells, surface)
    lowest = columns.heights(np.zeros(plan.count), np.inf, _LOWEST)
    # A cell counts by how densely it was captured: land around a place is a few large splats.
    seen = np.sqrt(np.bincount(cells, minlength=plan.count))
    order = np.argsort(lowest)[: np.isfinite(lowest).sum()]
    lowest, total = lowest[order], np.concatenate([[0.0], np.cumsum(seen[order])])
    last = np.searchsorted(lowest, lowest + step, side="right")
    share = total[last] - total[:-1]
    first = int(np.argmax(share >= _MIN_COVER_OF_BEST * share.max()))
    count = last - np.arange(len(last))
    first += int(np.argmax(count[first : last[first]]))
    window = lowest[first : last[first]]
    middle = float(np.median(window))
    return middle, float(1.4826 * np.median(np.abs(window - middle)))


def _followed(surface: Level, plan: Plan, start: float, spread: float, extent: float) -> tuple[F64, Mask]:
    """(height [rows, columns] per cell, the cells in which ground is): from the start outwards, smoothed.

    A cell is ground where its own lowest surface goes on at a slope that can be walked: a hedge, a table or a
    wall that hides the ground is none.
    """
    step, least = _STEP * extent, _LEAST_STEP * extent
    columns = Columns.build(plan.cell_of(surface.xz), surface)
    lowest = columns.heights(np.zeros(plan.count), np.inf, _LOWEST)
    begins = np.abs(lowest - start) <= min(max(3 * spread, least, plan.cell / 2), step)
    if not begins.any():
        return np.zeros(plan.shape), np.zeros(plan.shape, dtype=bool)
    bases = np.where(begins, lowest, np.nan)
    thick = float(np.median((columns.heights(bases, step / 2, _UPPER) - lowest)[begins]))
    fine = min(max(_LAYERS * thick, least / 2), step / 2)
    heights = columns.heights(bases, fine, _UPPER).reshape(plan.shape)
    lowest, known = lowest.reshape(plan.shape), np.isfinite(heights)
    climb = max(_SLOPE * plan.cell, _LEAST_CLIMB * extent) + fine
    while True:
        near = summed_around(known.astype(np.float64))
        guess = summed_around(np.where(known, heights, 0.0)) / np.maximum(near, 1)
        new = ~known & (near > 0) & (np.abs(lowest - guess) <= climb)
        if not new.any():
            break
        bases = np.where(new, lowest, np.nan).ravel()
        grown = columns.heights(bases, max(fine, climb / 2), _UPPER).reshape(plan.shape)
        heights = np.where(new, grown, heights)
        known |= new
    # Once more, close round what its neighbours agree on: low plants and clutter fall out, and the plinths
    # and sills on which the ground ends.
    within = known & (summed_around(known.astype(np.float64)) >= _WITHIN)
    agreed = median_around(filled(heights, within if within.any() else known), 5)
    bases = np.where(known, agreed, np.nan).ravel()
    again = columns.heights(bases, max(fine, plan.cell / 2), _UPPER).reshape(plan.shape)
    heights = np.where(np.isfinite(again), again, agreed)
    return blurred(median_around(filled(heights, known), 3), 0.6), known


def _qualifies(
    ground: HeightMap,
    known: Mask,
    plan: Plan,
    seen: F64,
    gaussians: Gaussians,
    bounds_m: F64,
    extent: float,
) -> bool:
    """Whether it is found under a good part of what is ``seen`` [n, 2], and carries the scene."""
    coarse = Plan.squares(bounds_m, extent / _SEED_CELLS)
    everywhere, floor = (np.unique(coarse.cell_of(xz)) for xz in (seen, plan.centres()[known.ravel()]))
    if len(np.intersect1d(everywhere, floor)) < _MIN_COVER * len(everywhere):
        return False
    sample = fair_sample(gaussians, bounds_m)
    xz = sample.points[:, [0, 2]]
    height = (sample.points[:, 1] - ground.at(xz)) / extent
    below, above = (float(sample.weights[side * height > 2 * _NEAR].sum()) for side in (-1, 1))
    # Below a terrace there is land, but beside it: what lies under the ground itself is another storey.
    beneath = float(sample.weights[(height < -2 * _NEAR) & known.ravel()[plan.cell_of(xz)]].sum())
    within = [float(sample.weights[np.abs(height) < _NEAR / 2**k].sum()) for k in range(4)]
    mean = sum(within) / len(within)
    surface = within[1] >= _MIN_THIN * within[0] and mean >= _MIN_SHARP * within[0]
    enough = within[0] >= _MIN_SHARE and mean - below / 2 >= _MIN_MEAN
    lowest = below <= min(_BELOW_FOR_SHARE * within[0], _NEAR + _BELOW_FOR_ABOVE * above)
    lowest &= beneath <= _BENEATH_FOR_SHARE * within[0]
    return enough and surface and lowest
