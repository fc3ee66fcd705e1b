"""Going round a place: along a circle about it that is free all round, entered along its tangent."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..core.plan import Beat
from .detours import Detour, coasting, detour, with_coasting
from .motion import turn_to
from .pace import Profile, keep_going, nominal_speed
from .routes import Route, Routes
from .search import COMFORT_M, line_between
from .standing import XZ, Standing, bearing
from .trouble import Trouble

F64 = NDArray[np.float64]

_NEAREST_M, _FURTHEST_M = 0.8, 3.0
"""Round what takes no room, a circle is as wide as the character is away, within these."""
_WIDEST_M, _EACH_M = 12.0, 0.1
_NEARLY_M = 1.0
"""A circle on which the character stands already may be so much wider than it has to be."""
_STEP_RAD = math.radians(4)


def round_place(
    beat: Beat, now: Standing, times: F64, centre: XZ, routes: Routes | None
) -> tuple[Detour, float | None, Trouble | None]:
    """Goes round a place as far as is said; where nothing is, once, or as far as the time allows.

    Returns:
        How it is gone; how far it is if that is said, metres; E221 where no circle is free.
    """
    drift = coasting(now, times)[1][-1]
    start = (now.xz[0] + float(drift[0]), now.xz[1] + float(drift[1]))
    away = math.dist(start, centre)
    radius = _radius(centre, away, routes)
    told = None
    if radius is None:
        told = _no_way(beat, centre)
        radius = max(away, _NEAREST_M)
    turn = math.tau if beat.amount is None else _angle(beat, radius)
    points = _points(beat, start, now.yaw_rad, centre, radius, turn, routes)
    begin = replace(now, xz=start, speed_mps=0.0)
    route = Route(points, True)
    profile = None
    if beat.amount is None:
        profile = _as_long(beat, route.length_m, float(times[-1]))
    found = detour(beat, begin, times, route, routes, centre, profile=profile)
    leg = replace(found.leg, xz=found.leg.xz - drift)
    leg = with_coasting(leg, now, times) if now.speed_mps > 0 else leg
    return replace(found, leg=leg), None if beat.amount is None else found.distance_m, told


def _as_long(beat: Beat, length_m: float, length_s: float) -> Profile | None:
    """Goes on until the time is over where that is before the way is."""
    profile = keep_going(0.0, nominal_speed(beat), length_s, stops=False)
    times = np.linspace(0, length_s, 200)
    reached = float(np.trapezoid(profile.at(times), times))
    return profile if reached < length_m else None


def _angle(beat: Beat, radius: float) -> float:
    """How far round is said, radians."""
    if beat.amount is None:
        raise ValueError("nothing is said")
    value = beat.amount.value
    if beat.amount.unit == "deg":
        return math.radians(value)
    if beat.amount.unit in {"turns", "times"}:
        return math.tau * value
    if beat.amount.unit == "steps":
        return 0.7 * value / radius
    return value / radius if beat.amount.unit == "m" else math.tau


def _radius(centre: XZ, away: float, routes: Routes | None) -> float | None:
    """Of the circle that is gone: that on which the character stands if it is free and hardly wider than the
    narrowest that is; else that one, with comfortable room where there is some."""
    if routes is None or (routes.terrain is None and not routes.others):
        return min(max(away, _NEAREST_M), _FURTHEST_M)
    radii = np.arange(_NEAREST_M, _WIDEST_M, _EACH_M)
    free = [_is_free(centre, float(radius), routes) for radius in radii]
    if not any(free):
        return None
    least = float(radii[int(np.argmax(free))])
    if least <= away <= max(least + _NEARLY_M, _FURTHEST_M) and _is_free(centre, away, routes):
        return away
    wider = least + COMFORT_M - 0.2
    return wider if _is_free(centre, wider, routes) else least


def _is_free(centre: XZ, radius: float, routes: Routes) -> bool:
    angles = np.arange(0.0, math.tau, min(_STEP_RAD, 0.1 / radius))
    circle = np.asarray(centre) + radius * np.stack([np.sin(angles), np.cos(angles)], axis=1)
    terrain = routes.terrain
    if terrain is None:
        return routes.bump(np.vstack([circle + 100.0, circle])) is None
    return not terrain.look(terrain.solid, circle).any() and bool((terrain.room_m(circle) > 0).all())


def _points(
    beat: Beat, start: XZ, yaw_rad: float, centre: XZ, radius: float, turn: float, routes: Routes | None
) -> F64:
    """[k, 2], along the tangent to the circle, or out to it, and round it."""
    away = math.dist(start, centre)
    at = bearing(centre, start) if away > 1e-6 else yaw_rad
    if beat.direction == "around":
        # Whichever way needs less of a turn: round to the right of the place is counterclockwise.
        ahead = turn_to(yaw_rad, at + math.pi / 2)
        sign = 1.0 if abs(ahead) <= math.pi / 2 else -1.0
    else:
        sign = 1.0 if beat.direction == "counterclockwise" else -1.0
    begin = at + (sign * math.acos(radius / away) if away > radius else 0.0)
    angles = begin + sign * np.linspace(0.0, turn, max(math.ceil(turn / _STEP_RAD), 2) + 1)
    circle = np.asarray(centre) + radius * np.stack([np.sin(angles), np.cos(angles)], axis=1)
    entry = (float(circle[0, 0]), float(circle[0, 1]))
    if math.dist(start, entry) < 0.02:
        return circle
    if routes is not None and routes.bump(line_between(start, entry)) is not None:
        way = routes.route(start, entry)
        if way is not None and way.arrives:
            return np.vstack([way.points[:-1], circle])
    return np.vstack([[start], circle])


def _no_way(beat: Beat, centre: XZ) -> Trouble:
    x, z = centre
    text = f"No way round “{beat.target}”, at x {x:.1f}, z {z:.1f}, is free on all sides."
    return Trouble("E221", text, "Say how far round it (“half way round”), or move the anchor.")
