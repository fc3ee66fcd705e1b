"""Free space: where on the stage something is, how far it is from there, and where a body can stand.

Cells of a grid count as taken where the surface that Gaussians make in them, weighted by opacity, covers a
good part of a cell's side: that holds for a wall of a few large Gaussians as for one of many small ones, and
a lone faint floater takes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anix_cli.core.gaussians import Gaussians
from anix_cli.core.stage import HeightMap

from .standing import StandingRoom, standing_room
from .surface import surface_points

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

FREE_VERSION = 1
"""To be raised whenever the same scene gets another free space."""

COVERED = 0.35
"""A cell is taken where surface covers this share of one of its sides."""
_CELLS, _COARSEST, _LEAST_M, _MOST_M = 400, 60, 0.1, 0.25
_MARGIN = 0.05
_DIRECTIONS = 48
_LOWEST_DEG, _HIGHEST_DEG = -75.0, -8.0


@dataclass(frozen=True)
class FreeSpace:
    """What of a scene's box is taken.

    Attributes:
        low_m: [3] outer corner of cell (0, 0, 0), stage frame.
        cell_m: side of a cell.
        shape: cells along x, y, z.
        taken: [n] int64, sorted numbers of the taken cells, ``(ix · ny + iy) · nz + iz``.
        standing: where a body can stand, from above.
    """

    low_m: F64
    cell_m: float
    shape: tuple[int, int, int]
    taken: NDArray[np.int64]
    standing: StandingRoom

    def occupied(self, points: ArrayLike) -> Mask:
        """Whether points [..., 3] lie in taken cells; what is outside the box is free."""
        index = np.floor((np.asarray(points, dtype=np.float64) - self.low_m) / self.cell_m).astype(np.int64)
        inside = ((index >= 0) & (index < self.shape)).all(axis=-1)
        number = (index[..., 0] * self.shape[1] + index[..., 1]) * self.shape[2] + index[..., 2]
        if not len(self.taken):
            return np.zeros(inside.shape, dtype=bool)
        at = np.searchsorted(self.taken, number).clip(0, len(self.taken) - 1)
        return np.asarray(inside & (self.taken[at] == number))

    def clearance_m(self, points: ArrayLike) -> F64:
        """Distance [...] from points [..., 3] to the nearest taken cell; 0 in one, inf if there is none.

        Good to half a cell.
        """
        where = np.asarray(points, dtype=np.float64)
        if not len(self.taken):
            return np.full(where.shape[:-1], np.inf)
        away = np.asarray(self._tree.query(where)[0])
        return np.where(self.occupied(where), 0.0, np.maximum(away - self.cell_m / 2, 0.0))

    def ray_depth_m(self, origins: ArrayLike, directions: ArrayLike, *, most_m: float | None = None) -> F64:
        """Distance [...] along rays to the first taken cell, inf where there is none; good to a cell.

        Args:
            origins: [..., 3] metres.
            directions: [..., 3], of any length.
            most_m: how far to look; by default through the whole box.
        """
        start, way = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in (origins, directions)))
        way = way / np.linalg.norm(way, axis=-1, keepdims=True)
        high = self.low_m + np.multiply(self.shape, self.cell_m)
        far = np.linalg.norm(np.maximum(np.abs(start - self.low_m), np.abs(start - high)), axis=-1)
        reach = float(far.max(initial=0.0) if most_m is None else most_m)
        depth = np.full(start.shape[:-1], np.inf)
        step = self.cell_m / 2
        for distance in np.arange(step, reach + step, step):
            open_ = np.isinf(depth)
            if not open_.any():
                break
            hit = self.occupied(start[open_] + distance * way[open_])
            depth[open_] = np.where(hit, distance, np.inf)
        return depth

    def observed(self, points: ArrayLike) -> F64:
        """Share [...] of the ways down and to the sides from points [..., 3] that end on something captured.

        Space that nobody filmed looks free, but there is nothing below and around it either.
        """
        where = np.asarray(points, dtype=np.float64)
        depth = self.ray_depth_m(where[..., None, :], _directions())
        return np.asarray(np.isfinite(depth).mean(axis=-1))

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        _, ny, nz = self.shape
        index = np.stack([self.taken // (ny * nz), self.taken // nz % ny, self.taken % nz], axis=1)
        return cKDTree(self.low_m + (index + 0.5) * self.cell_m)


def free_space(gaussians: Gaussians, bounds_m: F64, ground: HeightMap) -> FreeSpace:
    """Finds what is taken.

    Args:
        gaussians: stage frame.
        bounds_m: [2, 3] robust corners of the scene; space outside counts as free.
    """
    size = bounds_m[1] - bounds_m[0]
    extent = float(max(size[0], size[2]))
    cell = min(max(extent / _CELLS, _LEAST_M), _MOST_M, max(extent / _COARSEST, 1e-9))
    margin = _MARGIN * size + 2 * cell
    low, high = bounds_m[0] - margin, bounds_m[1] + margin
    surface = surface_points(gaussians, low, high, cell)
    nx, ny, nz = (max(1, int(np.ceil(length / cell))) for length in high - low)
    index = np.minimum(((surface.points - low) / cell).astype(np.int64), (nx - 1, ny - 1, nz - 1))
    numbers, which = np.unique((index[:, 0] * ny + index[:, 1]) * nz + index[:, 2], return_inverse=True)
    cover = np.bincount(which, surface.areas, len(numbers)) / cell**2
    standing = standing_room(surface, low, high, cell, ground, COVERED)
    return FreeSpace(low, cell, (nx, ny, nz), numbers[cover >= COVERED], standing)


def _directions() -> F64:
    """[48, 3] unit vectors to the sides and down, evenly over that part of the sphere."""
    i = np.arange(_DIRECTIONS) + 0.5
    low, high = np.sin(np.radians([_LOWEST_DEG, _HIGHEST_DEG]))
    y, angle = low + (high - low) * i / _DIRECTIONS, np.pi * (1 + np.sqrt(5)) * i
    ring = np.sqrt(1 - y * y)
    return np.stack([ring * np.cos(angle), y, ring * np.sin(angle)], axis=1)
