"""Which way is up: the axis that the file's format promises, corrected by the ground and what stands on it.

The format's axis is where the search begins, and it never ends further than 30° from it: among all six axes a
wall would win as often as the floor. Within that cone a plane qualifies that a tenth of the scene lies on
and hardly anything below it (``planes.py``); where walls and trunks plainly stand otherwise, as on a slope,
they decide (``walls.py``). Nothing here knows a unit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.gaussians import Gaussians

from .placement import similarity
from .planes import MAX_TILT_DEG, Plane, best_plane, clutter
from .sampling import fair_sample
from .surface import facing
from .walls import upright_by_walls

F64 = NDArray[np.float64]

SURE_TILT_DEG = 0.5
"""A smaller correction is what uneven ground makes of an axis that was right: it is not made."""
SLIGHT_TILT_DEG = 5.0
"""Up to here ground that sets a scene level says the same as the file's axis."""

_WALLS_OFF_DEG = 2.0
"""Walls are upright no more exactly than this."""
_AS_GOOD, _OPPOSITE, _MORE_CLUTTER = 0.9, 0.5, 1.15
_QUICK = 1_000
_FEWEST = 64
_UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class Up:
    """The direction that is up, in the frame that was searched.

    Attributes:
        normal: [3] unit.
        tilt_deg: between ``normal`` and +Y.
        settled: nothing else in the scene could be its ground: neither a wall nor a ceiling looks as much
            like it as what was found.
    """

    normal: F64
    tilt_deg: float
    settled: bool


def find_up(gaussians: Gaussians, bounds_m: F64) -> Up | None:
    """Up by the ground's plane or by walls, None where neither says; the same each time.

    Args:
        gaussians: in a frame whose +Y is up as far as the format says, any unit.
        bounds_m: [2, 3] robust corners; what lies outside is not looked at.
    """
    sample = fair_sample(gaussians, bounds_m)
    size = float(max((bounds_m[1] - bounds_m[0])[[0, 2]]))
    if len(sample.weights) < _FEWEST or not size > 0:
        return None
    points = (sample.points - bounds_m.mean(axis=0)) / size  # from here on the scene is one unit wide
    plane = best_plane(points, sample.weights)
    normals, flat = facing(gaussians.take(sample.of))
    by_walls = upright_by_walls(
        points, normals, sample.weights * flat, _UP if plane is None else plane.normal
    )
    up = _chosen(plane, by_walls)
    if up is None or _tilt_deg(up) > MAX_TILT_DEG:
        return None
    return Up(up, _tilt_deg(up), plane is not None and _settled(points, sample.weights, plane))


def levelling(up: Up | None) -> F64:
    """[3, 3] rotation that turns what is up to +Y by the shortest way; identity for a slight tilt."""
    if up is None or up.tilt_deg < SURE_TILT_DEG:
        return np.eye(3)
    x, y, z = up.normal
    # Rodrigues' formula about normal × +Y = (−z, 0, x), whose length is the sine and y the cosine.
    cross = np.array([[0, -x, 0], [x, 0, z], [0, -z, 0]])
    return np.asarray(np.eye(3) + cross + cross @ cross / (1 + y))


def _chosen(plane: Plane | None, by_walls: F64 | None) -> F64 | None:
    """The ground's normal, unless walls say something else; the file's axis where they say nearly that."""
    start = _UP if plane is None else plane.normal
    if by_walls is None or _angle_deg(by_walls, start) < _WALLS_OFF_DEG:
        return None if plane is None else plane.normal
    return _UP if _tilt_deg(by_walls) < _WALLS_OFF_DEG else by_walls


def _settled(points: F64, weights: F64, plane: Plane) -> bool:
    """Whether none of the scene's other sides, turned down, would be as good a ground."""
    for axis in ("+x", "-x", "+z", "-z"):
        other = best_plane(points @ _turn(axis), weights, tries=_QUICK)
        if other is not None and other.merit > _AS_GOOD * plane.merit:
            return False
    ceiling = best_plane(points @ _turn("-y"), weights, tries=_QUICK)
    if ceiling is None or ceiling.merit < _OPPOSITE * plane.merit:
        return True
    low, high = clutter(points, weights, plane)
    return low > _MORE_CLUTTER * high  # things stand on floors, and hardly hang from ceilings


def _turn(axis: str) -> F64:
    """[3, 3] that turns row vectors, so that ``axis`` points up."""
    return np.asarray(similarity(axis, 1.0)[:3, :3].T)


def _tilt_deg(direction: F64) -> float:
    return _angle_deg(direction, _UP)


def _angle_deg(one: F64, other: F64) -> float:
    return float(np.degrees(np.arccos(np.clip(one @ other, -1, 1))))
