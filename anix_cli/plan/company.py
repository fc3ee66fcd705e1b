"""Several characters in one shot: who comes in beside whom, in which order they are blocked, and that they
keep clear of each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..core.plan import Beat
from .blocking import Blocked
from .roles import Roles
from .routes import Routes
from .standing import XZ, Standing, bearing
from .trouble import Trouble

F64 = NDArray[np.float64]

BESIDE_M = 0.9
"""So far apart walk those who go together."""
TOUCH_M = 0.5
"""Two whose middles come nearer than this run into each other."""
_BESIDE = (1, -1, 2, -2, 3, -3, 4, -4)


def beside(lead: Standing, number: int, routes: Routes | None, taken: Sequence[XZ]) -> Standing:
    """Where somebody comes in who goes with another: beside, where that is free of things and people.

    Args:
        number: the how manieth it is, from 0.
    """
    left = (math.cos(lead.yaw_rad), -math.sin(lead.yaw_rad))
    for step in (*_BESIDE[number:], *_BESIDE[:number]):
        xz = (lead.xz[0] + step * BESIDE_M * left[0], lead.xz[1] + step * BESIDE_M * left[1])
        apart = all(math.dist(xz, other) > TOUCH_M for other in taken)
        line = np.linspace(lead.xz, xz, 16)
        if apart and (routes is None or routes.bump(line) is None):
            break
    return replace(lead, xz=xz)


def places_beside(
    places: Mapping[str, XZ], beats: Sequence[Beat], roles: Roles, name: str, starts: Mapping[str, Standing]
) -> dict[str, XZ]:
    """The places to which one goes with others, moved to the side of the first of them on which one is."""
    found = dict(places)
    for beat, doing in zip(beats, roles, strict=True):
        goal = places.get(beat.target or "")
        if goal is None or beat.direction != "toward" or name not in doing[1:]:
            continue
        first, own = starts[doing[0]].xz, starts[name].xz
        course = bearing(first, goal)
        left = (math.cos(course), -math.sin(course))
        side = (own[0] - first[0]) * left[0] + (own[1] - first[1]) * left[1]
        ranks = sorted(doing[1:], key=lambda one: _aside(starts[one].xz, first, left))
        same = [one for one in ranks if (_aside(starts[one].xz, first, left) >= 0) == (side >= 0)]
        order = same.index(name) + 1 if side >= 0 else len(same) - same.index(name)
        away = BESIDE_M * order * (1 if side >= 0 else -1)
        found[beat.target or ""] = (goal[0] + away * left[0], goal[1] + away * left[1])
    return found


def _aside(xz: XZ, first: XZ, left: XZ) -> float:
    return (xz[0] - first[0]) * left[0] + (xz[1] - first[1]) * left[1]


def order_of(names: Sequence[str], beats: Sequence[Beat], roles: Roles) -> list[str]:
    """The order in which characters are blocked: those who are gone to before those who go to them."""
    after = {name: {beat.target for beat, doing in zip(beats, roles, strict=True) if name in doing}
             for name in names}  # fmt: skip
    left, found = list(names), list[str]()
    while left:
        free = [name for name in left if not (after[name] & (set(left) - {name}))]
        found.append((free or left)[0])
        left.remove(found[-1])
    return found


def nearest(one: F64, other: F64) -> tuple[float, int]:
    """How near two ways [F, 2] come to each other, and at which frame; inf while they part from where they
    were too near already."""
    away = np.hypot(*(one - other).T)
    if away[0] < TOUCH_M:
        parted = np.flatnonzero(away >= TOUCH_M)
        begin = int(parted[0]) if len(parted) else len(away)
        away = np.where(np.arange(len(away)) < begin, np.inf, away)
    at = int(np.argmin(away))
    return float(away[at]), at


def meeting(blocked: Blocked, others: Mapping[str, Blocked]) -> F64:
    """Where [2] the other is to whom one comes nearest, when that is."""
    ways = [way.root[:, [0, 2]] for way in others.values()]
    found = [(nearest(blocked.root[:, [0, 2]], way), way) for way in ways]
    (_, at), way = min(found, key=lambda one: one[0][0])
    return np.asarray(way[at])


def run_into(name: str, blocked: Blocked, others: Mapping[str, Blocked], fps: float) -> Trouble | None:
    """W226 where somebody runs into another."""
    for other, way in others.items():
        near, at = nearest(blocked.root[:, [0, 2]], way.root[:, [0, 2]])
        if near < TOUCH_M:
            x, _, z = blocked.root[at]
            text = f"{name} runs into {other} after {at / fps:.1f} s, at x {x:.1f}, z {z:.1f}."
            return Trouble("W226", text, "Let one of them wait, start elsewhere, or go to another place.")
    return None
