"""Ways on foot: whether one is free, and the one that leads to a place round what is in the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.stage import HeightMap
from ..scene.standing import StandingRoom
from .search import Search, line_between
from .terrain import PERSON_M, XZ, Terrain

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

_MARGIN_M, _CELL_M = 4.0, 0.125


@dataclass(frozen=True)
class Route:
    """A way on foot: ``points`` [k, 2] from its start to its end; ``arrives`` is whether that is the place
    itself, not only as near to it as one can stand."""

    points: F64
    arrives: bool

    @property
    def length_m(self) -> float:
        return float(np.linalg.norm(np.diff(self.points, axis=0), axis=1).sum())

    @property
    def end(self) -> XZ:
        return float(self.points[-1, 0]), float(self.points[-1, 1])

    def part(self, length_m: float) -> Route:
        """The first so many metres of it."""
        length_m = max(length_m, 0.05)
        along = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(self.points, axis=0), axis=1)))
        if length_m >= along[-1]:
            return self
        last = np.array([np.interp(length_m, along, self.points[:, axis]) for axis in (0, 1)])
        return Route(np.vstack([self.points[along < length_m], last]), self.arrives)


class Routes:
    """Where one can go on a stage.

    Args:
        room: where a body can stand; None where that is not known, and only others are in the way.
        others: who stands there, as points of the xz plane.
    """

    def __init__(self, room: StandingRoom | None, ground: HeightMap, others: Sequence[XZ] = ()) -> None:
        self.terrain = None if room is None else Terrain(room, ground, others)
        self.ground, self.others = ground, tuple(others)
        self._found: dict[tuple[XZ, XZ], Route | None] = {}
        self._search = None if self.terrain is None else Search(self.terrain)

    def with_others(self, others: Sequence[XZ]) -> Routes:
        """The same with others in the way."""
        if not others:
            return self
        found = Routes(None if self.terrain is None else self.terrain.room, self.ground, others)
        if found.terrain is not None and self.terrain is not None:
            found.terrain.__dict__.update(taken=self.terrain.taken, steep=self.terrain.steep)
        return found

    def bump(self, xz: F64) -> int | None:
        """The first of points [N, 2] of a way that is in something, on a cliff, or in another; None where
        all are free.

        Who starts in something may leave it.
        """
        terrain = self.terrain
        hits = [] if terrain is None else [terrain.look(terrain.taken, xz), terrain.look(terrain.steep, xz)]
        hits += [np.hypot(xz[:, 0] - x, xz[:, 1] - z) < PERSON_M for x, z in self.others]
        found = [first for first in map(_entered, hits) if first is not None]
        return min(found, default=None)

    def falls(self, xz: XZ) -> bool:
        """Whether what is in the way at a point is the ground itself: a drop, or a step too high."""
        terrain, point = self.terrain, np.array([xz])
        return (
            terrain is not None
            and not terrain.look(terrain.taken, point)[0]
            and bool(terrain.look(terrain.steep, point)[0])
        )

    def route(self, start: XZ, goal: XZ) -> Route | None:
        """The way from one point to another, or to where one stands before it; None where there is none."""
        if (start, goal) not in self._found:
            self._found[start, goal] = self._way(start, goal)
        return self._found[start, goal]

    def _way(self, start: XZ, goal: XZ) -> Route | None:
        if self.bump(line_between(start, goal)) is None:
            return Route(np.array([start, goal]), True)
        if self._search is None:
            room = _open(start, goal, self.others)
            return Routes(room, self.ground, self.others).route(start, goal)
        found = self._search.way(start, goal)
        return None if found is None else Route(*found)


def _entered(hit: Mask) -> int | None:
    """The first hit after what was free."""
    if not hit.any() or hit.all():
        return None
    free = int(np.argmin(hit))
    return free + int(np.argmax(hit[free:])) if hit[free:].any() else None


def _open(start: XZ, goal: XZ, others: Sequence[XZ]) -> StandingRoom:
    """Free ground all around some points."""
    points = np.array([start, goal, *others])
    low = points.min(axis=0) - _MARGIN_M
    columns, rows = (np.ceil((points.max(axis=0) + _MARGIN_M - low) / _CELL_M)).astype(int)
    free = np.zeros((int(rows), int(columns)), dtype=bool)
    return StandingRoom((float(low[0]), float(low[1])), _CELL_M, free, ~free)
