"""Legs: the motion during one beat, on a fine grid of time."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..core.easing import smoothstep
from ..core.plan import Beat
from ..words.lexicon import FACING_KEPT, RUN, SPRINT
from .around import POLITE_M, Around
from .circling import round_place
from .detours import coasting, detour, with_coasting
from .following import ASIDE_M, BEHIND_M, LEAST_M, accompanying, followed, pursuing
from .motion import turn_to
from .pace import MOST_HURRY, come_to_rest, cover, keep_going, nominal_speed, stride_m
from .picture import SIDES, lens_of
from .remarks import ROUND
from .routes import Routes
from .schedule import TURN_RATE, turn_angle, written_distance
from .standing import XZ, Leg, Places, Standing, bearing, integrated
from .trouble import Trouble

F64 = NDArray[np.float64]

CIRCLE_RADIUS_M = 1.5
JUMP_M, HOP_M = 0.45, 0.2
MOST_JUMPS = 3.0
"""More jumps a second than this are none."""
_FASTER = {"runs": RUN, "sprints": SPRINT}
START_S = 0.6
"""What a start, and a stop, cost about."""
THERE_M = 0.05
"""Nearer to a place than this, a character is there."""
_CATCH_UP = 1.15
"""Who follows may go so much faster than who goes ahead."""
_OVER = 1.1
"""A distance that is said to a place may be so much longer than it is."""
_STRIDE = 4
"""Every so manieth sample of the fine grid is looked at for what is in the way."""
BESIDE = frozenset({"beside", "ahead"})
"""Where one may keep to, of somebody who goes on."""
FASTEST_TURN = math.radians(540)


def leg_of(
    beat: Beat, after: Beat | None, now: Standing, times: F64, around: Around
) -> tuple[Leg, list[Trouble]]:
    """The motion during a beat; no way to its place is E221, a shorter one than is said W225.

    What does not fit into its time (E212) has neither its message's end nor the beginning of its hint yet:
    how long the whole shot has to be."""
    if beat.category == "locomotion" and nominal_speed(beat) > 0 and beat.direction != "in_place":
        way = around.people.get(beat.target or "")
        if way is not None and (beat.action == "follow" or beat.direction in {"behind", *BESIDE}):
            return _after(beat, now, times, way, around.routes), []
        return _travel(beat, after, now, times, around)
    return _on_the_spot(beat, after, now, times, around.places)


def _after(beat: Beat, now: Standing, times: F64, way: F64, routes: Routes | None) -> Leg:
    """Follows another through its way [F, 2] of the shot: straight, or in its footsteps where something is in
    between."""
    step_s = float(times[1] - times[0])
    first = np.arange(len(times)) / ((len(times) - 1) / beat.frames) + beat.start
    samples = np.arange(len(way))
    ahead = np.column_stack([np.interp(first, samples, way[:, axis]) for axis in (0, 1)])
    fastest = max(nominal_speed(beat) * MOST_HURRY, _CATCH_UP * _fastest(way, times, beat.frames))
    if beat.direction in BESIDE:
        before_m = _said_m(beat, BEHIND_M) if beat.direction == "ahead" else 0.0
        aside_m = _said_m(beat, ASIDE_M) if beat.direction == "beside" else 0.0
        leg = accompanying(now, ahead, step_s, fastest, before_m, aside_m, beat.side)
        return with_coasting(leg, now, times) if now.speed_mps > 0 else leg
    behind_m = _said_m(beat, BEHIND_M) if beat.direction == "behind" else BEHIND_M
    leg = pursuing(now, ahead, step_s, fastest, behind_m)
    if routes is not None and routes.bump(leg.xz[::_STRIDE]) is not None:
        leg = followed(now, ahead, step_s, fastest, behind_m)
    return with_coasting(leg, now, times) if now.speed_mps > 0 else leg


def _said_m(beat: Beat, otherwise: float) -> float:
    """The distance that is kept."""
    amount = beat.amount
    return max(amount.value, LEAST_M) if amount is not None and amount.unit == "m" else otherwise


def _on_the_spot(
    beat: Beat, after: Beat | None, now: Standing, times: F64, places: Places
) -> tuple[Leg, list[Trouble]]:
    """Gestures, turns, jumps: comes to rest if it was moving (a jump between two runs does not)."""
    length = float(times[-1])
    runs_on = after is not None and nominal_speed(after) > 0 and beat.action in {"jump", "hop", "turn"}
    speed = np.full_like(times, now.speed_mps) if runs_on else come_to_rest(now.speed_mps, length).at(times)
    place = places.get(beat.target or "")
    angle = turn_angle(beat) if beat.action in {"turn", "spin"} else 0.0
    if beat.action == "turn" and beat.direction in SIDES and beat.amount is None:
        place, angle = places.get(beat.direction, place), None
    if place is not None and (angle is None or angle == 0.0) and math.dist(place, now.xz) > 0.05:
        angle = turn_to(now.yaw_rad, bearing(now.xz, place))
    angle = angle or 0.0
    turn_s = min(length, 1.5 * abs(angle) / TURN_RATE)
    troubles = []
    if angle and 1.5 * abs(angle) / length > FASTEST_TURN:
        found = f"Turning {abs(math.degrees(angle)):.0f}° in {length:.1f} s is too fast"
        troubles.append(Trouble("E212", found, "or turn less"))
    yaw = now.yaw_rad + angle * smoothstep(times / turn_s) if turn_s > 0 else np.full_like(times, now.yaw_rad)
    hop = np.zeros_like(times)
    if beat.action in {"jump", "hop"}:
        height = JUMP_M if beat.action == "jump" else HOP_M
        count = beat.amount.value if beat.amount and beat.amount.unit == "times" else 1.0
        if count > MOST_JUMPS * length + 1:
            found = f"{count:.0f} jumps in {length:.1f} s are too fast"
            troubles.append(Trouble("E212", found, "or jump less often"))
        share = (times / length * count) % 1.0
        share[-1] = 0.0
        hop = height * np.sin(math.pi * np.clip((share - 0.15) / 0.7, 0, 1)) ** 2
    pace = nominal_speed(beat)
    cadence = pace / float(stride_m(pace)) if pace > 0 else 0.0
    xz = integrated(now, speed, yaw + now.slip_rad, times)
    still = bool(speed[-1] < 1e-6)
    return Leg(xz, yaw, speed, 0.0 if still else now.slip_rad, hop, cadence), troubles


def _course(beat: Beat, now: Standing, places: Places) -> tuple[float, float]:
    """(turn, slip) of a locomotion beat that has no place to reach."""
    direction = beat.direction
    place = places.get(beat.target or "")
    if (angle := _sideways(direction, now, places)) is not None:
        return (0.0, angle) if beat.action in FACING_KEPT else (angle, 0.0)
    if beat.action == "sidestep":
        return 0.0, math.pi / 2
    if direction == "backward":
        return 0.0, math.pi
    if direction == "back":
        return math.pi, 0.0
    if direction == "away" and place is not None and math.dist(place, now.xz) > 0.05:
        return turn_to(now.yaw_rad, bearing(place, now.xz)), 0.0
    return 0.0, 0.0


def _sideways(direction: str | None, now: Standing, places: Places) -> float | None:
    """The turn to the own left or right, or to a side of the picture; None where it goes another way."""
    if direction in {"left", "right"}:
        return math.pi / 2 if direction == "left" else -math.pi / 2
    side = places.get(direction or "") if direction in SIDES else None
    return None if side is None else turn_to(now.yaw_rad, bearing(now.xz, side))


def _fastest(way: F64, times: F64, frames: int) -> float:
    """The pace, metres a second, of one who goes a way [F, 2]."""
    steps = np.linalg.norm(np.diff(way, axis=0), axis=1)
    return float(steps.max(initial=0.0)) * frames / float(times[-1])


def _travel(
    beat: Beat, after: Beat | None, now: Standing, times: F64, around: Around
) -> tuple[Leg, list[Trouble]]:
    """Locomotion: turns, then (or meanwhile) moves along a smooth curve."""
    places = around.places
    place = places.get(beat.target or "") if beat.direction == "toward" else None
    distance: float | None
    told: list[Trouble] = []
    if place is not None:
        if math.dist(place, now.xz) <= THERE_M and now.speed_mps < 0.1:
            there = f"The character is already at “{beat.target}”, and stays there."
            hint = "Start it from another anchor, or send it elsewhere."
            return _approach(beat, after, now, times, place)[0], [Trouble("W210", there, hint)]
        short = POLITE_M if beat.target in around.people or lens_of(beat.target) in places else 0.0
        if short and math.dist(place, now.xz) <= short + THERE_M:
            face = replace(beat, category="gesture", action="turn", amount=None)
            return _on_the_spot(face, after, now, times, places)
        leg, distance, in_time, told = _to_place(beat, after, now, times, place, around.routes, short)
    elif beat.direction in ROUND and (centre := places.get(beat.target or "")) is not None:
        found, distance, trouble = round_place(beat, now, times, centre, around.routes)
        if trouble is not None:
            return found.leg, [trouble]
        leg, in_time = found.leg, found.in_time
    else:
        distance = written_distance(beat)
        if beat.direction == "around" and beat.amount and beat.amount.unit in {"turns", "times"}:
            distance = math.tau * CIRCLE_RADIUS_M * beat.amount.value
        turn, slip = _course(beat, now, places)
        swerves = abs(turn_to(now.slip_rad, slip)) > 0.1 and now.speed_mps > 0
        begin = replace(now, speed_mps=0.0) if swerves else now
        leg, in_time, _ = _curve(beat, after, begin, times, turn=turn, slip=slip, distance=distance)
        leg = with_coasting(leg, now, times) if swerves else leg
    if distance is None or in_time:
        return leg, told
    too_fast = f"{distance:.1f} m in {times[-1]:.1f} s is too fast to {beat.action}"
    fast = {word: pace for word, pace in _FASTER.items() if pace > nominal_speed(beat)}
    enough = [f"“{word}”" for word, pace in fast.items() if pace * (times[-1] - START_S) > distance]
    faster = " or ".join(enough)
    return leg, [*told, Trouble("E212", too_fast, f"or say {faster}" if faster else "or go less far")]


def _to_place(
    beat: Beat, after: Beat | None, now: Standing, times: F64, place: XZ, routes: Routes | None, short: float
) -> tuple[Leg, float, bool, list[Trouble]]:
    """Goes to a place, or so far towards it as is said, or up to somebody who is there: straight where that
    is free, else round what is in the way, and up to what the place is in.

    Args:
        short: so far before it, metres, it stops.
    """
    told: list[Trouble] = []
    said, away = written_distance(beat), math.dist(place, now.xz)
    goal = place
    wanted = away - short if said is None else min(said, away - short)
    if wanted < away:
        share = wanted / away
        goal = (now.xz[0] + share * (place[0] - now.xz[0]), now.xz[1] + share * (place[1] - now.xz[1]))
    leg, distance, in_time = _approach(beat, after, now, times, goal)
    if routes is not None and routes.bump(leg.xz[::_STRIDE]) is not None:
        drift = coasting(now, times)[1][-1]
        start = (now.xz[0] + float(drift[0]), now.xz[1] + float(drift[1]))
        route = routes.route(start, place)
        if route is None:
            return leg, distance, True, [_no_way(beat, now, place, routes)]
        away = route.length_m
        rest = max(short - math.dist(route.end, place), 0.0)
        route = route.part(route.length_m - rest if said is None else min(said, route.length_m - rest))
        straight = len(route.points) == 2
        if straight:
            leg, distance, in_time = _approach(beat, after, now, times, route.end)
        if not straight or routes.bump(leg.xz[::_STRIDE]) is not None:
            begin = replace(now, xz=start, speed_mps=0.0)
            found = detour(beat, begin, times, route, routes, place)
            leg = replace(found.leg, xz=found.leg.xz - drift)
            leg = with_coasting(leg, now, times) if now.speed_mps > 0 else leg
            distance, in_time = found.distance_m, found.in_time
    if said is not None and said > away * _OVER:
        text = f"“{beat.target}” is only {away:.1f} m away: the character goes there, not {said:g} m."
        told.append(Trouble("W225", text, f"Say {away:.1f} m, or leave the distance out."))
    return leg, distance, in_time, told


def _no_way(beat: Beat, now: Standing, place: XZ, routes: Routes) -> Trouble:
    line = np.linspace(now.xz, place, max(math.ceil(math.dist(now.xz, place) / 0.06), 1) + 1)
    at = routes.bump(line)
    x, z = line[-1 if at is None else at]
    free = math.dist(now.xz, (x, z))
    text = (
        f"No way on foot leads to “{beat.target}”: straight on, something is in the way after {free:.1f} m, "
        f"at x {x:.1f}, z {z:.1f}, and nothing leads round it."
    )
    return Trouble("E221", text, "Move the anchor, or start behind what is in the way (cut: true, anchor:).")


def _approach(
    beat: Beat, after: Beat | None, now: Standing, times: F64, place: XZ
) -> tuple[Leg, float, bool]:
    """Goes to a place and stands there; its distance, and whether it is in time.

    A moving character turns towards it on the move where that brings it there; where the place lies inside
    its turning circle, or it was moving sideways or backward, it brakes while it turns and then goes.
    """
    leg, distance, in_time = _aimed(beat, after, now, times, place)
    if now.speed_mps > 0 and (abs(now.slip_rad) > 0.1 or math.dist(leg.xz[-1], place) > 0.05):
        drift = coasting(now, times)[1][-1]
        begin = replace(now, speed_mps=0.0)
        aim = (place[0] - float(drift[0]), place[1] - float(drift[1]))
        leg, distance, in_time = _aimed(beat, after, begin, times, aim)
        leg = with_coasting(leg, now, times)
    if in_time:  # what the search for the curve left, millimetres
        missing = np.array(place) - leg.xz[-1]
        leg = replace(leg, xz=leg.xz + np.multiply.outer(smoothstep(times / times[-1]), missing))
    return leg, distance, in_time


def _aimed(beat: Beat, after: Beat | None, now: Standing, times: F64, place: XZ) -> tuple[Leg, float, bool]:
    """The curve whose straight end leads to a place, found by going on from where its turn ends."""
    distance = math.dist(place, now.xz)
    turn = turn_to(now.yaw_rad, bearing(now.xz, place)) if distance > 0.05 else 0.0
    for _ in range(12):
        leg, in_time, turned = _curve(beat, after, now, times, turn=turn, slip=0.0, distance=distance)
        at = leg.xz[turned]
        rest = math.dist(place, at)
        if distance <= 0.05 or math.dist(leg.xz[-1], place) < 1e-6:
            break
        turn = turn_to(now.yaw_rad, bearing(at, place)) if rest > 0.05 else turn
        distance = float(np.sum(np.linalg.norm(np.diff(leg.xz[: turned + 1], axis=0), axis=1))) + rest
    return leg, distance, in_time


def _curve(
    beat: Beat,
    after: Beat | None,
    now: Standing,
    times: F64,
    *,
    turn: float,
    slip: float,
    distance: float | None,
) -> tuple[Leg, bool, int]:
    """The leg for a given turn and length; whether it is in time; and the sample where the turn is over."""
    length = float(times[-1])
    turn_s = min(1.5 * abs(turn) / TURN_RATE, 0.6 * length)
    wait_s = 0.8 * turn_s * min(max((abs(turn) - 0.5) / 2.6, 0.0), 1.0) if now.speed_mps < 0.3 else 0.0
    nominal = nominal_speed(beat)
    in_time = True
    if distance is not None:
        profile, in_time = cover(now.speed_mps, nominal, distance, length - wait_s)
    else:
        moves_on = after is None or nominal_speed(after) > 0 or after.action in {"turn", "jump", "hop"}
        profile = keep_going(now.speed_mps, nominal, length - wait_s, stops=not moves_on)
    speed = profile.at(np.maximum(times - wait_s, 0.0))
    yaw = now.yaw_rad + turn * (smoothstep(times / turn_s) if turn_s > 0 else 0.0) + 0.0 * times
    if beat.direction == "around":
        rate = speed / CIRCLE_RADIUS_M * smoothstep(times / 0.5)
        yaw = yaw + np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff(times))])
    xz = integrated(now, speed, yaw + slip, times)
    turned = int(np.searchsorted(times, turn_s)) if turn_s > 0 else 0
    return Leg(xz, yaw, speed, slip, np.zeros_like(times)), in_time, min(turned, len(times) - 1)
