"""Where feet stand: planted as they strike, still until they leave the ground, frame by frame of a course.

What is set down depends on what came before alone, never on what comes after, so that a film that is made in
pieces joins, and a later change leaves earlier frames as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from anix_cli.core.easing import smoothstep
from anix_cli.core.gait import Steps

from ..course import Course, goes_ahead
from .model import F64

_STEP_S, _LEAD_S = 0.28, 0.2
"""How long a step takes that a standing body makes to put its feet in order; how far ahead of its turn."""
_LIFT = 0.14
"""How high a foot is lifted at least on its way, in legs."""
_CLEAR = 0.008
"""Of the body's height, how high a foot is before it moves on, and as it comes to rest: one that all but
touches the ground would seem to slide."""
_LATE = 0.8
"""Of the time off the ground: a foot that has not left it by then stays until it is to strike."""
_BEHIND, _LATELY, _ON = 0.1, 0.5, 0.2
"""In legs, how far behind the body, and behind where it is at that time in an even gait, a foot stays: who
sets off at a run leaves it before its time. The share of its way at which one is that does not come down."""
_BEYOND = 0.6
"""In legs, how far behind the body a foot is that its leg may not reach."""
_SOON_S = 0.14
"""Who stands so soon lifts no foot anymore."""
_UNTIDY, _TWISTED_RAD = 0.16, math.radians(28)
"""How far, in legs, and how far turned a foot stands from its place before it is put in order."""


@dataclass(frozen=True)
class Stance:
    """How a body steps at a speed.

    Attributes:
        places: [2, 2] left and right, (x, z) of the middle of a foot about the root, half through its stance.
        strikes: [2] in steps, when each strikes in a round of two. spans: [2] in steps, how long it stands.
        going: 0 … 1, how much it goes.
    """

    places: F64
    strikes: F64
    spans: F64
    going: float


@dataclass(frozen=True)
class Footing:
    """Frame by frame: [F, 2] left and right.

    Attributes:
        at: [F, 2, 2] (x, z) on the stage of the middle of each foot.
        yaw: where it points. rise: how far it is lifted beyond what the gait lifts it. planted: 1 or 0.
        flat: 1 for a foot that stands as it stood when the body did, 0 for one that rolls in a gait.
        carries: 1 for one that stands, less for one off the ground: how far the body sinks for it.
    """

    at: F64
    yaw: F64
    rise: F64
    planted: F64
    flat: F64
    carries: F64

    def time(self, frame: float) -> tuple[F64, F64, F64, F64, F64, F64]:
        """Places [2, 2], yaws, rises, planted, flat and carries [2] at a time, in frames."""
        last = len(self.yaw) - 1
        low = min(max(math.floor(frame), 0), last)
        high, share = min(low + 1, last), min(max(frame - low, 0.0), 1.0)

        def mixed(values: F64) -> F64:
            return np.asarray(values[low] + share * (values[high] - values[low]))

        # On the way from one frame to the next a foot stands only if it stands at both.
        planted = np.minimum(self.planted[low], self.planted[high]) if share > 0 else self.planted[low]
        flat, carries = mixed(self.flat), mixed(self.carries)
        return mixed(self.at), mixed(self.yaw), mixed(self.rise), planted, flat, carries


class _Rest(NamedTuple):
    """How far a body that slows down has yet to go, and how long, as it seems; and how long a frame is."""

    m: float
    s: float
    frame_s: float


class _Foot:
    """The state of one foot while the course is walked through."""

    def __init__(self, at: F64, yaw: float, round_: float) -> None:
        self.at, self.yaw, self.round = at, yaw, round_
        self.left: tuple[F64, float, float] | None = None  # place, yaw and phase as it left the ground
        self.tidying: tuple[F64, float, float] | None = None  # the same with the time, of a step on the spot
        self.share = 0.0
        self.flat = 1.0
        self.over = False  # it has come to where it is set down
        self.early = False  # it left the ground before its time


def footing(
    course: Course, stance_at: Callable[[float], Stance], steps: Steps, height_m: float = 1.7
) -> Footing:
    """Walks through a course and sets the feet down.

    Args:
        stance_at: how the body steps at a speed along the way that it faces, negative for backwards.
        height_m: of the body.
    """
    count = len(course.root)
    out = Footing(
        np.empty((count, 2, 2)), np.empty((count, 2)), np.zeros((count, 2)), *np.ones((3, count, 2))
    )
    ground = course.root[:, [0, 2]]
    clear = math.asin(min(_CLEAR * height_m / (_LIFT * steps.leg_m), 0.7)) / math.pi
    stance = stance_at(0.0)
    home = _homes(ground[0], float(course.yaw_rad[0]), stance.places)
    phases = course.gait_phase + course.begun
    rounds = np.floor((phases[0] - stance.strikes) / 2)
    feet = [_Foot(home[side], float(course.yaw_rad[0]), float(rounds[side])) for side in range(2)]
    for frame in range(count):
        before = max(frame - 1, 0)
        moved, yaw = ground[frame] - ground[before], float(course.yaw_rad[frame])
        speed = float(course.speed_mps[frame])
        stance = stance_at(speed if goes_ahead(moved, yaw) else -speed)
        home = _homes(ground[frame], yaw, stance.places)
        stepped = float(course.gait_phase[frame] - course.gait_phase[before])
        way = _way(moved, yaw, speed)
        length = min(speed / (stepped * course.fps), 1.25 * float(steps.at(speed))) if stepped > 1e-9 else 0.0
        rest = _rest(float(course.speed_mps[before]), speed, 1 / course.fps)
        for side, foot in enumerate(feet):
            if stance.going > 0 and stepped > 1e-9:
                _goes(
                    foot, float(phases[frame]), home[side], yaw, way, length,
                    strike=float(stance.strikes[side]), span=float(stance.spans[side]),
                    rest=rest, clear=clear, leg_m=steps.leg_m,
                )  # fmt: skip
            else:
                turning = math.remainder(yaw - float(course.yaw_rad[before]), 2 * math.pi) * course.fps
                then = yaw + _LEAD_S * turning
                place = _homes(ground[frame], then, stance.places)[side]
                _stands(foot, feet[1 - side], frame / course.fps, place, then, steps.leg_m, clear)
            out.at[frame, side], out.yaw[frame, side] = foot.at, foot.yaw
            out.flat[frame, side] = foot.flat
            out.planted[frame, side] = foot.left is None and foot.tidying is None
            if not out.planted[frame, side]:
                out.carries[frame, side] = _carries(foot.share, clear)
                out.rise[frame, side] = _LIFT * steps.leg_m * math.sin(math.pi * foot.share)
    return out


def _homes(root: F64, yaw: float, places: F64) -> F64:
    """[2, 2] where each foot belongs under a body."""
    c, s = math.cos(yaw), math.sin(yaw)
    return root + np.stack([c * places[:, 0] + s * places[:, 1], c * places[:, 1] - s * places[:, 0]], axis=1)


def _rest(before: float, speed: float, frame_s: float) -> _Rest:
    """Of a body whose speed goes down as it did in the last frame, eased at the end."""
    slower = (before - speed) / frame_s
    if slower < 1e-6:
        return _Rest(math.inf, math.inf, frame_s)
    return _Rest(0.6 * speed**2 / slower, 1.6 * speed / slower, frame_s)


def _carries(share: float, clear: float) -> float:
    """At a share of a foot's time off the ground: the body rises as it leaves and sinks as it comes down.

    So near the ground that it must not move, a foot that is out of reach would be dragged along.
    """
    return float(1 - smoothstep(share, clear, max(0.25, 2 * clear)) + smoothstep(share, 0.65, 1 - clear))


def _way(moved: F64, yaw: float, speed: float) -> F64:
    length = float(np.hypot(*moved))
    return moved / length if length > 1e-6 and speed > 0 else np.array([math.sin(yaw), math.cos(yaw)])


def _goes(
    foot: _Foot,
    phase: float,
    home: F64,
    yaw: float,
    way: F64,
    length: float,
    *,
    strike: float,
    span: float,
    rest: _Rest,
    clear: float,
    leg_m: float,
) -> None:
    """A foot of a body that goes: set down as it strikes, else on its way to where it will."""
    foot.tidying, step = None, way * length
    number = math.floor((phase - strike) / 2)
    since = phase - strike - 2 * number
    behind = float((home - foot.at) @ way)
    late = behind > _BEHIND * leg_m and behind - (since - 0.5 * span) * length > _LATELY * leg_m
    if number != foot.round:
        foot.early = False
        if since < span and foot.over and late:  # it would be left behind at once: it goes on instead
            began = phase - _ON * (strike + 2 * (number + 1) - phase) / (1 - _ON)
            foot.left, foot.share = (foot.at, foot.yaw, began), 0.0
            foot.round, foot.over, foot.early = number, False, True
    elif foot.left is None:
        foot.early = late
    if since < span and not foot.early:
        if number != foot.round and foot.left is None:  # it never left the ground: it stands where it stood
            foot.round = number
        elif number != foot.round:
            if not foot.over:  # it has been set down before its time
                foot.at, foot.yaw = home + (0.5 * span - since) * step, yaw
            foot.round, foot.left, foot.over, foot.flat = number, None, False, 0.0
        elif foot.left is not None:  # it had come down before its time, and stands
            foot.left, foot.over = None, False
        return
    if foot.left is None and (since > span + _LATE * (2 - span) or rest.s < _SOON_S):
        return  # too late to lift it before it is to strike, or the body is about to stand
    if foot.left is None:
        foot.left, foot.share, foot.round, foot.over = (foot.at, foot.yaw, phase), 0.0, number, False
    start, turned, began = foot.left
    strikes = strike + 2 * (number + 1)
    share = (phase - began) / max(strikes - began, 1e-6)
    if rest.m < (strikes - phase) * length:  # the body will stand before it strikes
        share = max(share, foot.share + (1 - foot.share) * min(rest.frame_s / max(rest.s, 1e-6), 1.0))
    # One whose leg will draw it along must not touch the ground then.
    foot.share = max(foot.share, min(share, 1.0), clear if behind > _BEYOND * leg_m else 0.0)
    foot.flat = min(foot.flat, 1 - foot.share)
    eased = _over(foot.share, clear)
    if eased >= 1 and foot.over:  # so near the ground it goes straight down
        return
    foot.over = eased >= 1
    # Who comes to stand sets the foot down where it stands then.
    target = home + min((strikes - phase + 0.5 * span) * length, rest.m) * way
    foot.at = start + eased * (target - start)
    foot.yaw = turned + eased * math.remainder(yaw - turned, 2 * math.pi)


def _over(share: float, clear: float) -> float:
    """0 … 1: how far a foot is on its way, at a share of its time off the ground."""
    return float(smoothstep(share, clear, 1 - clear))


def _stands(
    foot: _Foot, other: _Foot, time_s: float, home: F64, yaw: float, leg_m: float, clear: float
) -> None:
    """A foot of a body that stands: where it is, or on a short step to its place, one foot at a time."""
    if foot.left is not None and other.tidying is not None:  # a hop ends on one foot at least
        foot.left, foot.over = None, False
    elif foot.left is not None:
        _goes_on(foot, home, yaw, time_s, clear)
    foot.flat = 1.0 if foot.tidying is None else max(foot.flat, foot.share)
    if foot.tidying is None:
        off = float(np.hypot(*(home - foot.at))) / leg_m
        twist = abs(math.remainder(yaw - foot.yaw, 2 * math.pi))
        if other.tidying is None and other.left is None and (off > _UNTIDY or twist > _TWISTED_RAD):
            foot.tidying, foot.share = (foot.at, foot.yaw, time_s), 0.0
        return
    start, turned, began = foot.tidying
    foot.share = min(max((time_s - began) / _STEP_S, 0.0), 1.0)
    eased = _over(foot.share, clear)
    foot.at = start + eased * (home - start)
    foot.yaw = turned + eased * math.remainder(yaw - turned, 2 * math.pi)
    if foot.share >= 1:
        foot.tidying = None


def _goes_on(foot: _Foot, home: F64, yaw: float, time_s: float, clear: float) -> None:
    """A foot in the air as the body comes to stand comes down from where it is: the end of a short step."""
    foot.left, foot.over = None, False
    foot.share = max(foot.share, 1 - foot.share)
    done = _over(foot.share, clear)
    if done >= 1:  # all but down
        return
    turned = yaw - math.remainder(yaw - foot.yaw, 2 * math.pi) / (1 - done)
    foot.tidying = ((foot.at - done * home) / (1 - done), turned, time_s - foot.share * _STEP_S)
