"""Where on a stage one can walk, and what is solid: grids seen from above."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.stage import HeightMap
from ..scene.standing import BODY_M, StandingRoom

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]
Cells = NDArray[np.intp]
XZ = tuple[float, float]

CLOSE_M = 0.12
"""Nearer to what is taken than this, a body is in it."""
PERSON_M = 0.6
"""So far apart stay the middles of two who pass each other."""
POCKET_M2 = 6.0
"""What is free, closed in and smaller than this belongs to what closes it in."""
STEEP = 0.45
"""Ground that rises by more than this, metres within half a metre, is no way."""
_HOLE_M = 0.4
"""Ground that was missed between ground that was captured may be so wide."""


class Terrain:
    """A grid; row = z, column = x. All of it is found when it is first asked for.

    Args:
        others: points of the xz plane where somebody stands.
    """

    def __init__(self, room: StandingRoom, ground: HeightMap, others: Sequence[XZ] = ()) -> None:
        self.room, self.ground, self.others = room, ground, tuple(others)
        self.cell_m = room.cell_m

    def look(self, mask: Mask, xz: F64) -> Mask:
        """A mask of cells at points [..., 2]; False off the grid."""
        row, column, inside = self.cells(xz)
        return np.asarray(inside & mask[row, column])

    def cells(self, xz: F64) -> tuple[Cells, Cells, Mask]:
        """Row and column of points [..., 2], and whether they are on the grid."""
        rows, columns = self.room.blocked.shape
        (low_x, low_z), cell = self.room.low_m, self.room.cell_m
        # What is left of the grid or below it comes out as far beyond it, as numbers without a sign.
        column = np.floor((xz[..., 0] - low_x) / cell).astype(np.intp)
        row = np.floor((xz[..., 1] - low_z) / cell).astype(np.intp)
        inside = (column.view(np.uintp) < columns) & (row.view(np.uintp) < rows)
        if not inside.all():
            row, column = np.where(inside, row, 0), np.where(inside, column, 0)
        return row, column, inside

    def free(self, xz: F64) -> bool:
        """Whether points [N, 2] are free of what is taken, of cliffs and of the others."""
        apart = all((np.hypot(xz[:, 0] - x, xz[:, 1] - z) >= PERSON_M).all() for x, z in self.others)
        return apart and not (self.look(self.taken, xz) | self.look(self.steep, xz)).any()

    @cached_property
    def taken(self) -> Mask:
        """[nz, nx], cells with something less than ``CLOSE_M`` away."""
        blocked, cell = self.room.blocked, self.room.cell_m
        reach = math.ceil(CLOSE_M / cell)
        rows, columns = blocked.shape
        padded, found = np.pad(blocked, reach), blocked.copy()
        for i in range(-reach, reach + 1):
            for j in range(-reach, reach + 1):
                if math.hypot(max(abs(i) - 0.5, 0), max(abs(j) - 0.5, 0)) * cell < CLOSE_M:
                    found |= padded[reach + i : reach + i + rows, reach + j : reach + j + columns]
        return found

    @cached_property
    def walkable(self) -> Mask:
        """[nz, nx], cells in which a body can stand on ground that was captured."""
        from scipy import ndimage

        cell = self.room.cell_m
        holes = max(round(_HOLE_M / cell), 1)
        floor = np.pad(self.room.floor, holes)  # what lies beyond the grid's border is no hole
        closed = ndimage.binary_closing(floor, np.ones((3, 3)), iterations=holes)[holes:-holes, holes:-holes]
        # Ways between cells cut their corners: one cell more is kept from a cliff than would be refused.
        cliff = ndimage.binary_dilation(self.steep, np.ones((3, 3)))
        found = np.asarray(closed & (self.room.away_m >= BODY_M) & ~cliff)
        for x, z in self.others:
            found &= np.hypot(self.centres[..., 0] - x, self.centres[..., 1] - z) >= PERSON_M + cell
        return found

    @cached_property
    def centres(self) -> F64:
        """[nz, nx, 2], the middles of the cells."""
        rows, columns = self.room.blocked.shape
        x, z = np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5)
        return np.asarray(np.stack([x, z], axis=-1) * self.room.cell_m + self.room.low_m)

    @cached_property
    def steep(self) -> Mask:
        """[nz, nx], where the ground is a cliff, or a step too high to be taken."""
        from scipy import ndimage

        heights, size = self.ground.at(self.centres), 2 * max(round(0.25 / self.room.cell_m), 1) + 1
        rises = ndimage.maximum_filter(heights, size) - ndimage.minimum_filter(heights, size)
        return np.asarray(rises > STEEP)

    @cached_property
    def pieces(self) -> Any:
        """[nz, nx] numbers of the pieces of walkable ground, 0 for none."""
        from scipy import ndimage

        return ndimage.label(self.walkable)[0]

    @cached_property
    def solid(self) -> Mask:
        """[nz, nx], what is taken, with the pockets that it closes in: a basin, the inside of a pillar."""
        from scipy import ndimage

        free, count = ndimage.label(~self.taken)
        small = np.bincount(free.ravel(), minlength=count + 1) * self.room.cell_m**2 < POCKET_M2
        small[0] = True
        found = np.asarray(small[free])
        for x, z in self.others:
            found |= np.hypot(self.centres[..., 0] - x, self.centres[..., 1] - z) < PERSON_M + self.cell_m
        return found

    def room_m(self, xz: F64) -> F64:
        """How much room there is at points [..., 2]; 0 where one cannot stand."""
        row, column, inside = self.cells(xz)
        free = inside & self.walkable[row, column]
        return np.where(free, self.room.away_m[row, column], 0.0)
