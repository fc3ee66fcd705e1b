"""Where a body can stand: the ground that was captured, less what rises from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anix_cli.core.stage import HeightMap

from .surface import Surface

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

BODY_M = 0.2
"""Radius of a standing body."""
STEP_M, HEAD_M = 0.3, 1.5
"""What rises less than this above the ground is stepped over; what hangs higher is not in the way."""
_LAYERS = 8


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
    surface: Surface, low: F64, high: F64, cell: float, ground: HeightMap, covered: float
) -> StandingRoom:
    """Looks at what rises above the ground, layer by layer: a table's top is as much in the way as a wall.

    Args:
        low, high: [3] corners of the grid; ``surface`` lies within.
        covered: share of a cell's side that surface has to cover in a layer to be in the way.
    """
    columns, rows = (max(1, int(np.ceil((high - low)[axis] / cell))) for axis in (0, 2))
    index = ((surface.points[:, [0, 2]] - low[[0, 2]]) / cell).astype(np.int64)
    flat = np.minimum(index[:, 1], rows - 1) * columns + np.minimum(index[:, 0], columns - 1)
    x, z = (low[axis] + (np.arange(count) + 0.5) * cell for axis, count in ((0, columns), (2, rows)))
    level = ground.at(np.stack(np.meshgrid(x, z), axis=-1)).ravel()
    above = surface.points[:, 1] - level[flat]
    layer = np.floor((above - STEP_M) / (HEAD_M - STEP_M) * _LAYERS).astype(np.int64)
    rising = (layer >= 0) & (layer < _LAYERS)
    cells = np.bincount(
        flat[rising] * _LAYERS + layer[rising], surface.areas[rising], rows * columns * _LAYERS
    ).reshape(rows, columns, _LAYERS)
    # A wall shows as much of itself in a layer as a cell is wide and the layer high; a shelf its whole top.
    side = cell * min(cell, (HEAD_M - STEP_M) / _LAYERS)
    blocked = np.asarray((cells >= covered * side).any(axis=2))
    low_down = np.abs(above) < STEP_M
    ground_seen = np.bincount(flat[low_down], surface.areas[low_down], rows * columns) >= covered * cell**2
    return StandingRoom(
        (float(low[0]), float(low[2])), cell, blocked, _beside(ground_seen.reshape(rows, columns))
    )


def _beside(mask: Mask) -> Mask:
    """The mask, grown by one cell in all eight directions."""
    padded = np.pad(mask, 1)
    rows, columns = mask.shape
    shifted = [padded[i : i + rows, j : j + columns] for i in range(3) for j in range(3)]
    return np.asarray(np.logical_or.reduce(shifted))
