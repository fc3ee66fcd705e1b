"""Legs of a carved body that put its feet where they are to stand, by turns at hip, knee and ankle."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.easing import smoothstep
from anix_cli.core.gait import Steps

from .models.footing import Footing, Stance, footing
from .moment import Moment
from .pose import rolled
from .rig import Rig

F64 = NDArray[np.float64]

STEPS = Steps(0.7, 1.2)
"""How plans count the steps of who has none of its own."""
_GOING = (0.0, 0.45)
_REACH = 0.998
_SOFT = 0.04
"""In lengths of a thigh, how far a body that goes is lower than one that stands: knees that bear it give."""
_HEEL_RAD, _PUSHED_RAD, _BEHIND = math.radians(40), math.radians(25), (0.08, 0.5)
_TOES_RAD, _AHEAD = math.radians(18), (0.2, 0.5)
"""How far a heel rises behind the body, and further in a run, and toes ahead of it; from where to where, in
lengths of a leg."""


@dataclass(frozen=True)
class Tread:
    """One leg at a moment, radians.

    Attributes:
        hip, knee, ankle: as of a gait; the sole lies level. aside: of the whole leg, to the body's own left.
        twist: of the foot about its ankle, to the own left. roll: of the foot, positive lifts the heel.
    """

    hip: float
    knee: float
    ankle: float
    aside: float
    twist: float
    roll: float = 0.0


def treads(bones: Rig, now: Moment) -> tuple[Tread, Tread] | None:
    """Both legs, so that feet stand still on the ground along the course; None where no course is known."""
    course = now.course
    if course is None:
        return None
    if id(bones) not in course.known:
        course.known[id(bones)] = footing(course, lambda v: _stance(bones, v), STEPS, bones.height_m)
    ways: Footing = course.known[id(bones)]
    places, yaws, rises, _, flat, carries = ways.time(now.time_s * course.fps)
    root = np.asarray(now.root, dtype=np.float64)[[0, 2]]
    c, s = math.cos(now.yaw_rad), math.sin(now.yaw_rad)
    away = (places - root) @ np.array([[c, s], [-s, c]]) - _places(bones)
    twist = [math.remainder(float(yaw) - now.yaw_rad, 2 * math.pi) for yaw in yaws]
    most = _HEEL_RAD + _PUSHED_RAD * float(STEPS.running(now.speed_mps))
    roll = [(1 - float(flat[side])) * _roll(bones, side, float(away[side, 1]), most) for side in (0, 1)]
    ups = [float(rise) for rise in rises]
    for side, limb in enumerate(bones.legs):
        _, up, ahead = rolled(limb, roll[side])
        away[side] += ahead * np.array([math.sin(twist[side]), math.cos(twist[side])])
        ups[side] += float(up)
    drop = max(float(carries[side]) * _short(bones, side, away[side], ups[side]) for side in (0, 1))
    drop = math.hypot(drop, _SOFT * max(_lengths(bones, 0)) * _going(bones, now.speed_mps))
    left, right = (
        _tread(bones, side, away[side], drop + ups[side], twist[side], roll[side]) for side in (0, 1)
    )
    return left, right


def _roll(bones: Rig, side: int, ahead_m: float, most: float) -> float:
    """How far a foot rolls: heel up the further it is behind the body, toes up before it comes down ahead."""
    ahead = ahead_m / sum(_lengths(bones, side))
    return most * float(smoothstep(-ahead, *_BEHIND)) - _TOES_RAD * float(smoothstep(ahead, *_AHEAD))


def _stance(bones: Rig, speed_mps: float) -> Stance:
    share = float(STEPS.running(abs(speed_mps)))
    spans = np.full(2, 1.04 - 0.44 * share)
    return Stance(_places(bones), np.array([0.0, 1.0]), spans, _going(bones, speed_mps))


def _going(bones: Rig, speed_mps: float) -> float:
    return float(smoothstep(abs(speed_mps) / math.sqrt(bones.height_m / 1.7), *_GOING))


def _places(bones: Rig) -> F64:
    """[2, 2] (x, z) of both ankles at rest."""
    return np.stack([limb.tip[[0, 2]] for limb in bones.legs])


def _lengths(bones: Rig, side: int) -> tuple[float, float]:
    limb = bones.legs[side]
    return float(np.linalg.norm(limb.root - limb.bend)), float(np.linalg.norm(limb.bend - limb.tip))


def _short(bones: Rig, side: int, away: F64, rise: float) -> float:
    """How far the hip must sink for a foot to reach."""
    limb, longest = bones.legs[side], _REACH * sum(_lengths(bones, side))
    forward = float(limb.tip[2] + away[1] - limb.root[2])
    high = float(limb.root[1] - limb.tip[1]) - rise
    beside = math.hypot(forward, float(away[0]))
    return min(max(0.0, high - math.sqrt(max(longest**2 - beside**2, 0.0))), 0.3 * longest)


def _tread(bones: Rig, side: int, away: F64, up: float, twist: float, roll: float) -> Tread:
    """The turns that bring an ankle so far (x, z) and up from its place at rest."""
    limb = bones.legs[side]
    thigh, shin = _lengths(bones, side)
    down = float(limb.root[1] - limb.tip[1]) - up
    aside = math.atan2(float(away[0]), max(down, 1e-6))
    down = math.hypot(down, float(away[0]))
    forward = float(limb.tip[2] + away[1] - limb.root[2])
    far = min(max(math.hypot(forward, down), abs(thigh - shin) + 1e-6), _REACH * (thigh + shin))
    knee = math.pi - math.acos(_cosine(thigh, shin, far))
    before = math.acos(_cosine(thigh, far, shin))
    hip = math.atan2(forward, down) + before
    # At rest the bones do not hang straight: their own angles are where turns begin.
    own_hip, own_shin = (_hangs(limb.root, limb.bend), _hangs(limb.bend, limb.tip))
    hip, shin_turn = hip - own_hip, hip - knee - own_shin
    return Tread(hip, hip - shin_turn, shin_turn, aside, twist, roll)


def _cosine(a: float, b: float, c: float) -> float:
    """Of the angle between sides a and b of a triangle, opposite to c."""
    return min(max((a * a + b * b - c * c) / (2 * a * b), -1.0), 1.0)


def _hangs(top: F64, end: F64) -> float:
    """How far forward of straight down a bone points."""
    return math.atan2(float(end[2] - top[2]), float(top[1] - end[1]))
