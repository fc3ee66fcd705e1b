"""Ways over a grid made fit to walk on: pulled straight where there is room, with rounded corners."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
Room = Callable[[F64], F64]
"""How much room there is at points [..., 2]."""

_SAMPLES = 12
_SHORTEST_M = 0.02


ENOUGH_M = 0.3
"""With so much room beside it a way need not keep to the grid's."""


def pulled(points: F64, room: Room, spacing_m: float) -> F64:
    """The few of points [n, 2] between which one can go straight on, with ``ENOUGH_M`` of room, or no less
    than along the points."""
    have = np.minimum(room(points), ENOUGH_M)
    have[0], have[-1] = ENOUGH_M, ENOUGH_M  # the ends may be anywhere
    kept, at = [0], 0
    while at < len(points) - 1:
        rest = points[at + 1 :]
        needed = np.minimum.accumulate(have[at + 1 :])
        longest = float(np.linalg.norm(rest - points[at], axis=1).max())
        shares = np.linspace(0, 1, max(int(np.ceil(longest / spacing_m)), 1) + 1)[1:-1]
        lines = points[at] + shares[:, None] * (rest - points[at])[:, None, :]
        least = room(lines).min(axis=1, initial=np.inf)
        sees = np.flatnonzero(least >= needed - 1e-9)
        at += int(sees[-1]) + 1 if len(sees) else 1
        kept.append(at)
    return points[kept]


def rounded(points: F64, free: Callable[[F64], bool], reach_m: float) -> F64:
    """The way through points [k, 2] with its corners rounded, [n, 2]: parabolas that begin up to ``reach_m``
    before a corner, less where that would not be free."""
    parts = [points[:1]]
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    u = np.linspace(0, 1, _SAMPLES)[:, None]
    for index in range(1, len(points) - 1):
        corner = points[index]
        into, out = corner - points[index - 1], points[index + 1] - corner
        into, out = into / max(steps[index - 1], 1e-9), out / max(steps[index], 1e-9)
        cut = min(reach_m, 0.5 * steps[index - 1], 0.5 * steps[index])
        while cut > _SHORTEST_M:
            curve = corner - (1 - u) ** 2 * cut * into + u**2 * cut * out
            if free(curve):
                parts.append(curve)
                break
            cut /= 2
        else:
            parts.append(corner[None])
    return np.concatenate([*parts, points[-1:]])
