"""Where a body can stand: the ground that was captured, less what rises from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anix_cli.core.stage import HeightMap

from .islands import half_around, things
from .surface import Surface

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

BODY_M = 0.2
"""Radius of a standing body."""
STEP_M, HEAD_M = 0.3, 1.5
"""What rises less than this above the ground is stepped over; what hangs higher is not in the way."""
_LAYERS = 8
_ROWS = 256


@dataclass(frozen=True)
class StandingRoom:
    """Cells of a grid on the stage's xz plane; row = z, column = x.

    Attributes:
        low_m: (x, z) of the outer corner of cell [0, 0].
        cell_m: side of a cell.
        blocked: [nz, nx] bool, something is there between ``STEP_M`` and ``HEAD_M`` above the ground.
        floor: [nz, nx] bool, the ground itself was captured there or right beside it.
    """

    low_m: tuple[float, float]
    cell_m: float
    blocked: Mask
    floor: Mask

    @cached_property
    def away_m(self) -> F64:
        """[nz, nx] float64, from a cell's centre to the nearest blocked cell; 0 in one, inf if none is."""
        from scipy import ndimage

        if not self.blocked.any():
            return np.full(self.blocked.shape, np.inf)
        away = np.asarray(ndimage.distance_transform_edt(~self.blocked), dtype=np.float64)
        return np.where(self.blocked, 0.0, np.maximum((away - 0.5) * self.cell_m, 0.0))

    def clearance_m(self, xz: ArrayLike) -> F64:
        """Distance [...] from points [..., 2] to what blocks nearest, good to a cell; inf off the grid."""
        row, column, inside = self._cells(xz)
        return np.where(inside, self.away_m[row, column], np.inf)

    def free(self, xz: ArrayLike, radius_m: float = BODY_M) -> Mask:
        """Whether a body [...] of a radius stands free at points [..., 2]."""
        return np.asarray(self.clearance_m(xz) >= radius_m)

    def on_floor(self, xz: ArrayLike) -> Mask:
        """Whether the ground was captured [...] under points [..., 2]."""
        row, column, inside = self._cells(xz)
        return np.asarray(inside & self.floor[row, column])

    def nearest_free(self, xz: ArrayLike, radius_m: float = BODY_M) -> tuple[float, float] | None:
        """The (x, z) nearest to a point at which a body stands free on captured ground; None if nowhere."""
        rows, columns = np.nonzero((self.away_m >= radius_m + self.cell_m / 2) & self.floor)
        if not len(rows):
            return None
        centres = np.stack([columns + 0.5, rows + 0.5], axis=1) * self.cell_m + self.low_m
        near = centres[int(np.argmin(((centres - np.asarray(xz)) ** 2).sum(axis=1)))]
        return float(near[0]), float(near[1])

    def _cells(self, xz: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.intp], Mask]:
        index = np.floor((np.asarray(xz, dtype=np.float64) - self.low_m) / self.cell_m).astype(np.intp)
        column, row = index[..., 0], index[..., 1]
        rows, columns = self.blocked.shape
        inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
        return row.clip(0, rows - 1), column.clip(0, columns - 1), inside


def standing_room(
    surface: Surface, low: F64, counts: tuple[int, int], cell: float, ground: HeightMap, covered: float
) -> StandingRoom:
    """Looks at what rises above the ground, layer by layer: a table's top is as much in the way as a wall.

    Args:
        low: [3] corner of the grid, in which ``surface`` lies.
        counts: cells along x and z.
        covered: share of a cell's side that surface has to cover in a layer to be in the way.
    """
    columns, rows = counts
    index = (
        ((surface.points[:, [0, 2]] - low[[0, 2]]) / cell).astype(np.int64).clip(0, (columns - 1, rows - 1))
    )
    flat = index[:, 1] * columns + index[:, 0]
    level = _levels(ground, low, columns, rows, cell)
    above = surface.points[:, 1] - level[flat]
    layer = np.floor((above - STEP_M) / (HEAD_M - STEP_M) * _LAYERS)
    # A wall shows as much of itself in a layer as a cell is wide and the layer high; a shelf its whole top.
    side = cell * min(cell, (HEAD_M - STEP_M) / _LAYERS)
    blocked = np.zeros(rows * columns, dtype=bool)
    for number in range(_LAYERS):
        at = np.flatnonzero(layer == number)
        blocked |= np.bincount(flat[at], surface.areas[at], rows * columns) >= covered * side
    # Numbered with an empty column between rows, so that their ends are no neighbours.
    numbers = np.arange(rows * columns) + np.repeat(np.arange(rows), columns)
    rising = np.flatnonzero((layer >= 0) & (layer < _LAYERS))
    part = Surface(surface.points[rising], surface.areas[rising], surface.of[rising])
    blocked = things(blocked, numbers, half_around((columns + 1, 1)), flat[rising], part, cell)
    low_down = np.abs(above) < STEP_M
    seen = np.bincount(flat[low_down], surface.areas[low_down], rows * columns) >= covered * cell**2
    shape = rows, columns
    return StandingRoom(
        (float(low[0]), float(low[2])), cell, blocked.reshape(shape), _beside(seen.reshape(shape))
    )


def _levels(ground: HeightMap, low: F64, columns: int, rows: int, cell: float) -> F64:
    """[rows · columns] float64 heights of the ground under the cells, a few rows at once."""
    x, z = (low[axis] + (np.arange(count) + 0.5) * cell for axis, count in ((0, columns), (2, rows)))
    parts = (z[at : at + _ROWS] for at in range(0, rows, _ROWS))
    return np.concatenate([ground.at(np.stack(np.meshgrid(x, part), axis=-1)).ravel() for part in parts])


def _beside(mask: Mask) -> Mask:
    """The mask, grown by one cell in all eight directions."""
    padded = np.pad(mask, 1)
    rows, columns = mask.shape
    shifted = [padded[i : i + rows, j : j + columns] for i in range(3) for j in range(3)]
    return np.asarray(np.logical_or.reduce(shifted))
