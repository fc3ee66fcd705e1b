"""Cells that hang together, and those that are too little to be a thing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .surface import Surface

I64 = NDArray[np.int64]
Mask = NDArray[np.bool_]

LEAST_M2, LEAST_CELLS = 0.06, 4.0
"""Surface of the smallest thing: a bottle, or so many sides of a cell where cells are smaller than usual."""
LEAST_GAUSSIANS = 3
_LARGE = 64
"""Cells: what has more is a thing, without a closer look."""


def things(
    taken: Mask, numbers: I64, steps: I64, cell_of: NDArray[np.integer], surface: Surface, cell: float
) -> Mask:
    """[n] the taken cells that belong to a thing, and not to a speck that floats alone.

    A thing hangs together, has some surface, and is made of several Gaussians; a floater is one or two.

    Args:
        taken: [n] cells in which something is.
        numbers: [n] sorted numbers of all cells.
        steps: [k] differences between the number of a cell and those of half its neighbours.
        cell_of: [m] in which of the n cells each point of the surface lies.
        cell: side of a cell.
    """
    cells = np.flatnonzero(taken)
    if not len(cells):
        return taken
    island = _islands(numbers[cells], steps)
    sizes = np.bincount(island)
    small = np.zeros(len(taken), dtype=bool)
    small[cells] = sizes[island] <= _LARGE
    on = np.flatnonzero(small[cell_of])
    island_of = np.full(len(taken), -1, np.int32)
    island_of[cells] = island
    beneath = island_of[cell_of[on]]
    area = np.bincount(beneath, surface.areas[on], len(sizes))
    pairs = np.unique(np.stack([beneath, surface.of[on]]), axis=1)
    made_of = np.bincount(pairs[0], minlength=len(sizes))
    speck = (area < min(LEAST_M2, LEAST_CELLS * cell**2)) | (made_of < LEAST_GAUSSIANS)
    kept = taken.copy()
    kept[cells] = (sizes[island] > _LARGE) | ~speck[island]
    return kept


def _islands(numbers: I64, steps: I64) -> NDArray[np.int32]:
    """[n] to which island each cell belongs."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    # Cells in a row are one to begin with, which leaves a few of their neighbours to be looked at.
    run = np.cumsum(np.diff(numbers, prepend=numbers[0] - 2) != 1, dtype=np.int32) - 1
    ones, others = [], []
    for step in steps[steps > 1]:
        at = np.searchsorted(numbers, numbers + step).clip(0, len(numbers) - 1)
        beside = np.flatnonzero(numbers[at] == numbers + step)
        one, other = run[beside], run[at[beside]]
        first = (np.diff(one, prepend=-1) != 0) | (np.diff(other, prepend=-1) != 0)
        ones.append(one[first])
        others.append(other[first])
    one, other, count = np.concatenate(ones), np.concatenate(others), int(run[-1]) + 1
    graph = coo_array((np.ones(len(one), np.int8), (one, other)), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1][run])


def half_around(strides: tuple[int, ...]) -> I64:
    """Differences to the numbers of half the neighbours of a cell, diagonal ones as well; the other half has
    these as its neighbours.

    Args:
        strides: of the numbers along each axis; with an empty border, so that neighbours never wrap.
    """
    around = np.array(list(np.ndindex(*(3,) * len(strides)))) - 1
    steps = around @ np.array(strides, dtype=np.int64)
    return np.unique(steps[steps > 0])
