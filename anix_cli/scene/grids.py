"""Filters on small grids of heights, a few hundred cells a side.

They give what ``scipy.ndimage`` does, whose import alone takes as long as reading a scene.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]


def summed_around(grid: F64) -> F64:
    """[rows, columns] sums over each cell and its eight neighbours, with nothing beyond the border."""
    inner = np.pad(grid, 1)
    rows = inner[:-2] + inner[1:-1] + inner[2:]
    return np.asarray(rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:])


def median_around(grid: F64, size: int) -> F64:
    """[rows, columns] medians over ``size`` × ``size`` cells, an odd number; the border goes on outwards."""
    padded = np.pad(grid, size // 2, "edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (size, size)).reshape(*grid.shape, size**2)
    return np.asarray(np.partition(windows, size**2 // 2, axis=-1)[..., size**2 // 2])


def blurred(grid: F64, sigma: float) -> F64:
    """[rows, columns] Gaussian blur, four standard deviations wide; the border goes on outwards."""
    reach = int(4.0 * sigma + 0.5)
    weights = np.exp(-0.5 / sigma**2 * np.arange(-reach, reach + 1) ** 2)
    weights /= weights.sum()
    for _ in range(2):
        padded = np.pad(grid, ((reach, reach), (0, 0)), "edge")
        rows = len(grid)
        total = padded[reach : reach + rows] * weights[reach]
        for off in range(reach, 0, -1):
            both = padded[reach - off : reach - off + rows] + padded[reach + off : reach + off + rows]
            total = total + both * weights[reach - off]
        grid = total.T
    return grid


def filled(grid: F64, known: NDArray[np.bool_]) -> F64:
    """[rows, columns] with every unknown cell taken from the nearest known one; at least one is.

    Of cells that are equally near, the first column's counts, and in it the first row's.
    """
    row, apart = _nearest_in_column(known)
    columns = np.arange(grid.shape[1])
    between = (columns[:, None] - columns) ** 2
    whole = grid.copy()
    for at in np.flatnonzero(~known.all(axis=1)):
        column = (between + apart[at] ** 2).argmin(axis=1)
        whole[at] = grid[row[at, column], column]
    return whole


def _nearest_in_column(known: NDArray[np.bool_]) -> tuple[NDArray[np.intp], F64]:
    """[rows, columns] row of the known cell of the same column that is nearest, and how far that is (inf)."""
    rows = np.arange(len(known))[:, None]
    above = np.maximum.accumulate(np.where(known, rows, -1), axis=0)
    below = np.minimum.accumulate(np.where(known, rows, len(known))[::-1], axis=0)[::-1]
    up = np.where(above >= 0, rows - above, np.inf)
    down = np.where(below < len(known), below - rows, np.inf)
    return np.where(up <= down, above, np.minimum(below, len(known) - 1)), np.minimum(up, down)
