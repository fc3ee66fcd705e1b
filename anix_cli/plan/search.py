"""The shortest way over the grid of where a body can stand that keeps a comfortable distance where there is
room for it, pulled straight.

The shortest ways to a place (Dijkstra, A Note on Two Problems in Connexion with Graphs, 1959) are kept for
the next one who goes there.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..scene.standing import BODY_M
from .rounding import pulled
from .terrain import XZ, Cells, Mask, Terrain

F64 = NDArray[np.float64]

COMFORT_M = 0.45
"""So much room one leaves beside oneself where there is that much."""
_DETOUR = 1.5
"""A way right beside a wall counts as so much longer, in part, as one that is free on both sides."""
_NEARLY_M = 0.5
"""Round a thing, places that are so little further from its middle are as good."""
_BACK_M = 0.25
_BEFORE_M = 1.5
_SPACING_M = 0.0625


class Search:
    """Ways over a terrain."""

    def __init__(self, terrain: Terrain) -> None:
        self.terrain = terrain
        self._trees: dict[tuple[int, ...], tuple[F64, Cells]] = {}

    def way(self, start: XZ, goal: XZ) -> tuple[F64, bool] | None:
        """Points [k, 2] from one place to another, and whether the last one is that place itself: if that is
        in something, the way ends before it. None where no way leads there."""
        return self._before(line_between(start, goal)) or self._round_all(start, goal)

    def _before(self, line: F64) -> tuple[F64, bool] | None:
        """Straight on to where a thing begins in whose midst the place is."""
        solid = self.terrain.look(self.terrain.solid, line)
        if not solid[-1]:
            return None
        first = len(solid) - int(np.argmin(solid[::-1])) if not solid.all() else 0
        if first < 2 or not self.terrain.free(line[:first]):
            return None
        spacing = float(np.linalg.norm(line[1] - line[0]))
        end = max(first - 1 - math.ceil(_BACK_M / spacing), 0)
        return np.stack([line[0], line[end]]), False

    def _round_all(self, start: XZ, goal: XZ) -> tuple[F64, bool] | None:
        """Round what is in the way."""
        begin = self._nearest(start)
        if begin is None:
            return None
        pieces = self.terrain.pieces
        piece = int(pieces.flat[begin])
        row, column, inside = (value[0] for value in self.terrain.cells(np.array([goal])))
        end = int(row * pieces.shape[1] + column)
        arrives = bool(inside) and int(pieces.flat[end]) == piece
        ends = [end] if arrives else self._round(goal, piece)
        if not ends:
            return None
        cost, before = self._tree(tuple(ends))
        at, cells = self._node[begin], list[int]()
        if not math.isfinite(cost[at]):
            return None
        while at >= 0:
            cells.append(int(self._numbers[at]))
            at = int(before[at])
        points = self.terrain.centres.reshape(-1, 2)[cells]
        points = np.vstack([[start], points, [goal] if arrives else points[-1:]])
        return pulled(points, self.terrain.room_m, self.terrain.cell_m / 2), arrives

    def _nearest(self, xz: XZ) -> int | None:
        """The number of the walkable cell nearest to a point, if that is near."""
        away = np.where(
            self.terrain.walkable, np.hypot(*np.moveaxis(self.terrain.centres - xz, -1, 0)), np.inf
        )
        found = int(np.argmin(away))
        return found if away.flat[found] <= _BEFORE_M else None

    def _away(self, among: Mask, xz: XZ) -> F64:
        """[nz, nx] distances from a point to the middles of some cells, inf to others."""
        x, z = np.moveaxis(self.terrain.centres - xz, -1, 0)
        return np.where(among, np.hypot(x, z), np.inf)

    def _round(self, goal: XZ, piece: int) -> list[int]:
        """The cells of a piece from which one stands before the thing in which a place is."""
        away = np.where(
            self.terrain.pieces == piece, np.hypot(*np.moveaxis(self.terrain.centres - goal, -1, 0)), np.inf
        )
        nearest = float(away.min(initial=np.inf))
        if not math.isfinite(nearest):
            return []
        found = np.flatnonzero(away.ravel() <= nearest + _NEARLY_M)
        centres = self.terrain.centres.reshape(-1, 2)

        def faces(number: int) -> bool:
            centre = centres[number]
            line = line_between((float(centre[0]), float(centre[1])), goal)
            hit = self.terrain.look(self.terrain.solid, line)
            first = int(np.argmax(hit))
            return bool(hit.any()) and bool(hit[first:].all())

        return [int(number) for number in found if faces(int(number))]

    @cached_property
    def _numbers(self) -> Cells:
        """[n] cells that are nodes of the graph."""
        return np.flatnonzero(self.terrain.walkable.ravel())

    @cached_property
    def _node(self) -> Cells:
        """[nz · nx] nodes of the graph by cell, -1 for none."""
        found = np.full(self.terrain.walkable.size, -1, dtype=np.intp)
        found[self._numbers] = np.arange(len(self._numbers))
        return found

    @cached_property
    def _graph(self) -> Any:
        """Ways between neighbouring cells; across a corner only where both cells beside it are free."""
        from scipy.sparse import csr_array

        free, cell = self.terrain.walkable, self.terrain.cell_m
        near = np.clip((COMFORT_M - self.terrain.room.away_m) / (COMFORT_M - BODY_M), 0.0, 1.0)
        dear = 1 + _DETOUR * near
        number = np.arange(free.size).reshape(free.shape)
        ways: list[tuple[Any, Any, Any]] = []
        rows, columns = free.shape
        for i, j in ((0, 1), (1, 0), (1, 1), (1, -1)):
            one = (slice(0, rows - i), slice(max(-j, 0), columns - max(j, 0)))
            two = (slice(i, rows), slice(max(j, 0), columns - max(-j, 0)))
            both = free[one] & free[two]
            if i and j:
                both &= free[one[0], two[1]] & free[two[0], one[1]]
            length = cell * math.hypot(i, j) * 0.5 * (dear[one] + dear[two])
            ways.append((number[one][both], number[two][both], length[both]))
        starts, ends, lengths = (np.concatenate(part) for part in zip(*ways, strict=True))
        count = len(self._numbers)
        return csr_array((lengths, (self._node[starts], self._node[ends])), shape=(count, count))

    def _tree(self, ends: tuple[int, ...]) -> tuple[F64, Cells]:
        """Cost [n] from each node to the nearest of some cells, and the node that comes next, negative at the
        end."""
        if ends not in self._trees:
            from scipy.sparse.csgraph import dijkstra

            nodes = self._node[list(ends)]
            cost, before, _ = dijkstra(
                self._graph, directed=False, indices=nodes, return_predecessors=True, min_only=True
            )
            self._trees[ends] = cost, before
        return self._trees[ends]


def line_between(start: XZ, goal: XZ) -> F64:
    """Points [n, 2] on the straight way, evenly, with both ends."""
    count = max(math.ceil(math.dist(start, goal) / _SPACING_M), 1) + 1
    return np.linspace(start, goal, count)
