"""Free space: where on the stage something is, how far it is from there, and where a body can stand.

Cells of a grid count as taken where the surface that Gaussians make in them, weighted by opacity, covers a
good part of a cell's side: that holds for a wall of a few large Gaussians as for one of many small ones. What
floats alone takes nothing (``islands.py``). The grid lies about the stage's origin and its cells come in
sizes that nest, so that a crop moves nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anix_cli.core.gaussians import Gaussians
from anix_cli.core.stage import HeightMap

from .islands import half_around, things
from .standing import StandingRoom, standing_room
from .surface import Surface, surface_points

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

FREE_VERSION = 2
"""To be raised whenever the same scene gets another free space."""

COVERED = 0.35
"""A cell is taken where surface covers this share of one of its sides."""
_CELL_M = 0.125
_FEWEST, _MOST = 60, 1_000
_HIGHEST = 4_000
_MARGIN = 0.05
_DIRECTIONS = 48
_LOWEST_DEG, _HIGHEST_DEG = -75.0, -8.0
_STRIDE, _CUBE, _MOST_IN_MEMORY = 32, 4, 1 << 27
_SPACING = 0.75


@dataclass(frozen=True)
class FreeSpace:
    """What of a scene's box is taken.

    Attributes:
        low_m: [3] outer corner of cell (0, 0, 0), stage frame; a multiple of ``cell_m``.
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
        where = (np.asarray(points, dtype=np.float64) - self.low_m) / self.cell_m
        # As numbers without a sign, what is below the box is far above it.
        x, y, z = (np.floor(where[..., axis]).astype(np.int64) for axis in range(3))
        nx, ny, nz = self.shape
        inside = (x.view(np.uint64) < nx) & (y.view(np.uint64) < ny) & (z.view(np.uint64) < nz)
        number = np.where(inside, (x * ny + y) * nz + z, 0)
        if self._grid is not None:
            return np.asarray(inside & self._grid[number])
        at = np.searchsorted(self.taken, number).clip(0, len(self.taken) - 1)
        return np.asarray(inside & (self.taken[at] == number))

    @cached_property
    def _grid(self) -> Mask | None:
        """All cells, for a quick look; None where that would take too much memory."""
        cells = math.prod(self.shape)
        if cells > _MOST_IN_MEMORY and len(self.taken):
            return None
        grid = np.zeros(cells, dtype=bool)
        grid[self.taken] = True
        return grid

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
        shape, start, way = start.shape[:-1], start.reshape(-1, 3), way.reshape(-1, 3)
        way = way / np.linalg.norm(way, axis=-1, keepdims=True)
        first, last = self._through(start, way)
        last = last if most_m is None else np.minimum(last, most_m)
        depth = np.full(len(start), np.inf)
        step = self.cell_m / 2
        longest = float((last - first).max(initial=-np.inf))
        steps = int(np.ceil(longest / step)) if np.isfinite(longest) and longest > 0 else 0
        for begin in range(0, steps, _STRIDE):
            # The first of some steps that hits, for all rays that go on; looked up together.
            open_ = np.flatnonzero(np.isinf(depth) & (first + begin * step < last))
            if not len(open_):
                break
            away = first[open_][:, None] + step * np.arange(begin + 1, begin + _STRIDE + 1)
            hit = self.occupied(start[open_][:, None] + away[..., None] * way[open_][:, None])
            hit &= away < last[open_][:, None] + step
            nearest = np.argmax(hit, axis=1)[:, None]
            there = np.take_along_axis(hit, nearest, 1)[:, 0]
            depth[open_] = np.where(there, np.take_along_axis(away, nearest, 1)[:, 0], np.inf)
        return depth.reshape(shape)

    def between(self, starts: ArrayLike, ends: ArrayLike) -> Mask:
        """Whether something taken is [...] on the straight ways between points [..., 3]; good to a cell."""
        low, cell = self.low_m, self.cell_m
        begin = (np.asarray(starts, dtype=np.float64) - low) / cell
        way = (np.asarray(ends, dtype=np.float64) - low) / cell - begin
        begin = np.broadcast_to(begin, way.shape)
        first, part = self._inside(begin, way)
        longest = float((part * np.sqrt((way * way).sum(axis=-1))).max(initial=0.0))
        count = max(math.ceil(longest / _SPACING), 1)
        along = first[..., None] + part[..., None] * ((np.arange(count) + 0.5) / count)
        if self._grid is None:
            points = begin[..., None, :] + along[..., None] * way[..., None, :]
            return np.asarray(self.occupied(low + points * cell).any(axis=-1) & (part > 0))
        number = np.zeros(along.shape, dtype=np.int64)
        for axis, size in enumerate(self.shape):  # all is inside the box
            number *= size
            number += (begin[..., axis, None] + along * way[..., axis, None]).astype(np.int64)
        return np.asarray(self._grid.take(number, mode="clip").any(axis=-1) & (part > 0))

    def _inside(self, begin: F64, way: F64) -> tuple[F64, F64]:
        """Where on ways [..., 3] the box begins, and how much of them it is, as shares [...]; in cells."""
        end = begin + way
        if (
            min(begin.min(initial=0), end.min(initial=0)) >= 0
            and ((begin <= self.shape) & (end <= self.shape)).all()
        ):
            return np.zeros(begin.shape[:-1]), np.ones(begin.shape[:-1])
        first, last = self._through(self.low_m + begin * self.cell_m, way * self.cell_m)
        return first, np.maximum(np.minimum(last, 1.0) - first, 0.0)

    def _through(self, start: F64, way: F64) -> tuple[F64, F64]:
        """Distances [...] at which rays enter and leave the box; what misses it leaves before."""
        high, still = self.low_m + np.multiply(self.shape, self.cell_m), way == 0
        with np.errstate(divide="ignore", invalid="ignore"):
            one, other = (self.low_m - start) / way, (high - start) / way
        # Along an axis on which a ray does not move it is always within, or never.
        beside = still & ((start < self.low_m) | (start > high))
        enters = np.where(still, -np.inf, np.minimum(one, other)).max(axis=-1)
        leaves = np.where(still, np.where(beside, -np.inf, np.inf), np.maximum(one, other)).min(axis=-1)
        return np.maximum(enters, 0.0), np.asarray(leaves)

    def observed(self, points: ArrayLike) -> F64:
        """Share [...] of the ways down and to the sides from points [..., 3] that end on something captured.

        Space that nobody filmed looks free, but there is nothing below and around it either. Good to some
        cells: it is looked up for the middle of a cube of them, once for all points in it.
        """
        where = np.asarray(points, dtype=np.float64)
        side = _CUBE * self.cell_m
        cubes = np.floor(where.reshape(-1, 3) / side).tolist()
        keys = [tuple(cube) for cube in cubes]
        new = list(dict.fromkeys(key for key in keys if key not in self._observed))
        if new:
            depth = self.ray_depth_m((np.array(new)[:, None] + 0.5) * side, _directions())
            self._observed.update(zip(new, np.isfinite(depth).mean(axis=-1).tolist(), strict=True))
        return np.array([self._observed[key] for key in keys], dtype=np.float64).reshape(where.shape[:-1])

    @cached_property
    def _observed(self) -> dict[tuple[float, ...], float]:
        """What is known of cubes already, by their place."""
        return {}

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
    cell = _cell(size)
    margin = _MARGIN * size + 2 * cell
    first, last = np.floor((bounds_m[0] - margin) / cell), np.ceil((bounds_m[1] + margin) / cell)
    low, shape = first * cell, tuple(int(count) for count in last - first)
    surface = surface_points(gaussians, low, last * cell, cell)
    numbers, which = np.unique(_numbers(surface, low, shape, cell), return_inverse=True)
    taken = np.bincount(which, surface.areas, len(numbers)) >= COVERED * cell**2
    nx, ny, nz = shape
    # Cells at opposite borders may pass for neighbours, which can only keep a speck.
    kept = things(taken, numbers, half_around((ny * nz, nz, 1)), which, surface, cell)
    del which
    standing = standing_room(surface, low, (nx, nz), cell, ground, COVERED)
    return FreeSpace(low, cell, (nx, ny, nz), numbers[kept], standing)


def _numbers(surface: Surface, low: F64, shape: tuple[int, ...], cell: float) -> NDArray[np.int64]:
    """[m] numbers of the cells in which points lie."""
    number = np.zeros(len(surface.areas), np.int64)
    for axis, count in enumerate(shape):  # one axis at a time: with millions of points, memory counts
        index = ((surface.points[:, axis] - low[axis]) / cell).astype(np.int32)
        number = number * count + np.clip(index, 0, count - 1)
    return number


def _cell(size: F64) -> float:
    """Side of a cell for a scene of a size [3]: an eighth of a metre, halved or doubled where that makes too
    few cells, or more than memory holds."""
    extent, height = float(max(size[0], size[2])), float(size[1])
    least = max(extent / _MOST, height / _HIGHEST)
    most = extent / _FEWEST
    halvings = min(np.floor(np.log2(most / _CELL_M)), 0.0) if most > 0 else 0.0
    doublings = max(np.ceil(np.log2(least / _CELL_M)), 0.0) if least > 0 else 0.0
    return float(_CELL_M * 2.0 ** (doublings or halvings))


def _directions() -> F64:
    """[48, 3] unit vectors to the sides and down, evenly over that part of the sphere."""
    i = np.arange(_DIRECTIONS) + 0.5
    low, high = np.sin(np.radians([_LOWEST_DEG, _HIGHEST_DEG]))
    y, angle = low + (high - low) * i / _DIRECTIONS, np.pi * (1 + np.sqrt(5)) * i
    ring = np.sqrt(1 - y * y)
    return np.stack([ring * np.cos(angle), y, ring * np.sin(angle)], axis=1)
