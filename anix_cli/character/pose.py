"""A body placed on the stage and, while it moves, kept in step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anix_cli.core.easing import smoothstep
from anix_cli.core.gaussians import Gaussians

from .gestures import AT_EASE, Act, Posture, posture
from .rig import Limb, Rig, rig
from .turn import AXES, turned, turned_quats

if TYPE_CHECKING:
    from .tread import Tread

__all__ = ["Act", "Gait", "Rig", "gait", "place", "rig"]

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

Turn = tuple[str, float]
"""An axis and an angle in radians."""

_TUCK, _STRETCH = 0.5, 1.3
"""Of the skin between trunk and a raised arm: how far it goes the straight way and not the round one, which
makes it bulge; and by how much its Gaussians grow to close what is drawn apart."""


_STANDS = 0.6
"""Of a step of a run, how long a foot stands; then both are off the ground."""


@dataclass(frozen=True)
class Gait:
    """Angles in radians of one moment of a walk or run; all zero at rest.

    Attributes:
        hips, knees, shoulders, elbows: left and right; forward is positive, knees bend back, elbows forward.
        ankles: left and right; positive lifts the heel.
        lean: of the trunk, forward. ``sway_m``: of the trunk towards its own left.
        flight_m: how far both feet are off the ground.
    """

    hips: tuple[float, float]
    knees: tuple[float, float]
    ankles: tuple[float, float]
    shoulders: tuple[float, float]
    elbows: tuple[float, float]
    lean: float
    sway_m: float
    flight_m: float


def gait(
    speed_mps: float,
    gait_phase: float,
    *,
    height_m: float = 1.7,
    stride: float = 1.0,
    reach_m: tuple[float, float] | None = None,
) -> Gait:
    """Joint angles at a speed and phase; a whole phase is a foot strike, of the left foot if it is even.

    The foot on the ground passes under the body at an even pace, the other one swings forward with a bent
    knee. A run (above about 2.2 m/s) leaves the ground between strikes.

    Args:
        reach_m: lengths of a step and of a leg; None: those of a person of that height.
    """
    size = height_m / 1.7
    speed = max(speed_mps, 0.0) / math.sqrt(size)  # equal Froude numbers: alike gaits of unlike bodies
    going, running = float(smoothstep(speed, 0.0, 0.8)), float(smoothstep(speed, 1.9, 3.6))
    # 0.7 m a step at 1.4 m/s, 1.2 m at 4 m/s, as the blocking counts them: the standing foot does not slip.
    step_m = 0.7 + (max(speed_mps, 0.0) - 1.4) * 0.5 / 2.6
    step_m, leg_m = reach_m or (step_m, 0.51 * height_m)
    reach = going * math.asin(min(0.5 * step_m / leg_m, 0.5))
    legs = []
    for offset in (0.0, 1.0):
        q = (gait_phase + offset) % 2.0
        walk, run = _walk_leg(q, reach), _run_leg(q)
        hip, knee = (w + running * (r - w) for w, r in zip(walk, run, strict=True))
        legs.append((stride * hip, (stride if q > 1 else 1.0) * going * knee))
    (left_hip, left_knee), (right_hip, right_knee) = legs
    arm = going * (0.30 + 0.35 * running)
    beat = math.cos(math.pi * gait_phase)
    fold = going * (0.16 + 1.15 * running)
    return Gait(
        (left_hip, right_hip),
        (left_knee, right_knee),
        (_level_foot(left_hip, left_knee), _level_foot(right_hip, right_knee)),
        (-arm * beat - 0.1 * running, arm * beat - 0.1 * running),
        (fold * (1 - 0.25 * beat), fold * (1 + 0.25 * beat)),
        going * (0.03 + 0.10 * running),
        going * 0.015 * size * math.sin(math.pi * gait_phase),
        running * 0.05 * size * math.sin(math.pi * max(gait_phase % 1.0 - _STANDS, 0.0) / (1 - _STANDS)) ** 2,
    )


def _walk_leg(q: float, reach: float) -> tuple[float, float]:
    """Hip and knee of a leg that struck the ground at q = 0, leaves it at 1 and strikes again at 2."""
    if q < 1:
        return reach * (1 - 2 * q), 0.10 * math.sin(math.pi * q)
    return -reach * math.cos(math.pi * (q - 1)), 0.80 * math.sin(math.pi * (q - 1) ** 0.75)


def _run_leg(q: float) -> tuple[float, float]:
    """The same of a run: the foot lands before the body with a bent knee, the swinging knee goes high."""
    fold = math.sin(math.pi * min(max((q - 0.6) / 1.4, 0.0), 1.0)) ** 2
    return 0.10 + 0.60 * math.cos(math.pi * (q + 0.3)), 0.28 + 1.35 * fold


def _level_foot(hip: float, knee: float) -> float:
    """The ankle follows the shin only in part, so that soles meet the ground nearly level."""
    return min(max(0.65 * (hip - knee), -0.55), 0.55)


def place(
    body: Gaussians | Rig,
    root: ArrayLike,
    yaw_rad: float,
    *,
    speed_mps: float,
    gait_phase: float,
    lift_m: float = 0.0,
    gestures: Sequence[Act] = (),
    legs: tuple[Tread, Tread] | None = None,
) -> Gaussians:
    """The body at one moment of the stage; a function of its arguments alone.

    Args:
        body: in the character's frame (see :func:`anix_cli.character.hull`), or its ``rig``, made once.
        root: [3] metres, stage frame: the point on the ground between the feet.
        yaw_rad: 0 faces +Z, positive turns to the character's own left, +Z towards +X.
        speed_mps: along the ground; 0 is rest, with the arms at ease.
        gait_phase: steps taken; a whole number is a foot strike.
        lift_m: how far a jump has taken the feet off the ground.
        gestures: what else it does, in the order they begin; where two want one limb, the last has it.
        legs: where feet are to stand; None: as the gait has them.

    Returns:
        Gaussians on the stage. The lowest foot is ``lift_m`` above the root, more in the flight of a run.
    """
    from .bending import lean_over, set_down

    bones = body if isinstance(body, Rig) else rig(body)
    now = gait(speed_mps, gait_phase, height_m=bones.height_m, stride=bones.stride)
    act = posture(gestures)
    source, count = bones.body, len(bones.body.means)
    points, pitch = source.means.astype(np.float64), np.zeros(count)
    quats, scales = source.quats.copy(), source.scales.copy()
    rise = lift_m
    if speed_mps > 0 or act != AT_EASE or legs is not None:
        _move_legs(points, pitch, bones, now, act, legs if lift_m <= 0 else None)
        for side in (0, 1):
            _move_arm(points, quats, pitch, scales, bones, now, act, side)
        _move_head(points, quats, pitch, bones, act)
        hip_joint = (bones.legs[0].root + bones.legs[1].root) / 2
        low = lean_over(points, pitch, bones.upper, now.lean + act.trunk, hip_joint, now.sway_m)
        rise += bones.sole_m - low + now.flight_m
    means, turns = np.empty((count, 3), np.float32), np.empty((count, 4), np.float32)
    set_down(points, pitch, quats, rise, yaw_rad, np.asarray(root, np.float64), means, turns)
    return Gaussians(means, turns, scales, source.opacities, source.sh, source.antialiased)


def _bend(points: F64, limb: Limb, weights: F64, axis: str, angle: float, pivot: F64) -> None:
    """Turns what follows a limb, in place."""
    from .bending import bend

    bend(points, limb.rows, weights, *AXES[axis], float(angle), pivot)


def _move_legs(
    points: F64, pitch: F64, bones: Rig, now: Gait, act: Posture, treads: tuple[Tread, Tread] | None
) -> None:
    """Bends both legs about x, and moves the body so that planted feet keep their place; all in place."""
    back_m = 0.0
    for index, (limb, leg) in enumerate(zip(bones.legs, act.legs, strict=True)):
        free = 1 - leg.hold
        own = (now.hips[index], now.knees[index], now.ankles[index])
        tread = treads[index] if treads else None
        gait_hip, gait_knee, gait_ankle = (tread.hip, tread.knee, tread.ankle) if tread else own
        hip, knee = free * gait_hip + leg.hip, free * gait_knee + leg.knee
        ankle = free * gait_ankle + (leg.hip - leg.knee)
        joints = ((ankle, limb.end, limb.tip), (knee, limb.lower, limb.bend), (-hip, limb.whole, limb.root))
        if tread:
            _roll(points, pitch, limb, free * tread.roll)
            _bend(points, limb, limb.end, "y", free * tread.twist, limb.tip)
            _bend(points, limb, limb.end, "z", -free * tread.aside, limb.tip)  # a sole stays level
        for angle, weights, joint in joints:
            _bend(points, limb, weights, "x", angle, joint)
            pitch[limb.rows] += angle * weights[limb.rows]
        if tread:
            _bend(points, limb, limb.whole, "z", free * tread.aside, limb.root)
        thigh, shin = np.linalg.norm(limb.root - limb.bend), np.linalg.norm(limb.bend - limb.tip)
        back_m += leg.planted * float(thigh * math.sin(leg.hip) + shin * math.sin(leg.hip - leg.knee))
    points[:, 2] -= back_m


def _roll(points: F64, pitch: F64, limb: Limb, angle: float) -> None:
    """Turns a foot about its ankle, in place: the heel up while toes stay level, or all of it toes up."""
    if angle == 0:
        return
    pivot, weights = (limb.ball, limb.rolls) if angle > 0 else (limb.heel, limb.end)
    _bend(points, limb, weights, "x", angle, pivot)
    points[limb.rows] -= limb.end[limb.rows, None] * rolled(limb, angle)
    pitch[limb.rows] += angle * weights[limb.rows]


def rolled(limb: Limb, angle: float) -> F64:
    """[3] how far an ankle moves as its foot rolls on the ground, over the ball (heel up) or the heel."""
    pivot = limb.ball if angle > 0 else limb.heel
    return np.asarray(turned(limb.tip[None], "x", angle, pivot)[0] - limb.tip)


def _move_arm(
    points: F64, quats: F32, pitch: F64, scales: F32, bones: Rig, now: Gait, act: Posture, side: int
) -> None:
    """Turns an arm at elbow and shoulder, in place: about x in the gait, about all axes in a gesture."""
    limb, arm = bones.arms[side], act.arms[side]
    if limb is None:
        return
    free, out = 1 - arm.hold, 1.0 if side == 0 else -1.0
    forward, elbow = free * now.shoulders[side] + arm.forward, free * now.elbows[side] + arm.elbow
    rows = limb.rows
    if arm.hold == 0:
        for angle, weights, joint in ((-elbow, limb.lower, limb.bend), (-forward, limb.whole, limb.root)):
            _bend(points, limb, weights, "x", angle, joint)
            pitch[rows] += angle * weights[rows]
        return
    whole, lower = limb.whole[rows], limb.lower[rows]
    bends: list[Turn] = [("x", -elbow), ("z", out * arm.elbow_out)]
    swings: list[Turn] = [("z", out * arm.out), ("x", -forward), ("y", -out * arm.across)]
    bent = _turned_by(points[rows], bends, lower, limb.bend)
    points[rows] = _turned_by(bent, swings, whole, limb.root)
    for turns, weights in ((bends, lower), (swings, whole)):
        for axis, angle in turns:
            quats[rows] = turned_quats(quats[rows], axis, angle * weights)
    skin = whole < 1
    points[rows[skin]] += _TUCK * (
        bent[skin]
        + whole[skin, None] * (_turned_by(bent[skin], swings, 1.0, limb.root) - bent[skin])
        - points[rows[skin]]
    )
    wide = math.sin(min(abs(arm.out) + abs(arm.forward), math.pi) / 2)
    scales[rows[skin], :2] *= (1 + _STRETCH * wide * 4 * whole[skin] * (1 - whole[skin]))[:, None]
    points[:, 1] += arm.shoulder_m * bones.height_m / 1.7 * bones.girdles[side]


def _turned_by(points: F64, turns: Sequence[Turn], weights: ArrayLike, pivot: F64) -> F64:
    for axis, angle in turns:
        points = turned(points, axis, angle * np.asarray(weights), pivot)
    return points


def _move_head(points: F64, quats: F32, pitch: F64, bones: Rig, act: Posture) -> None:
    """Turns and then nods the head, in place."""
    if act.nod == 0 and act.shake == 0:
        return
    rows = np.flatnonzero(bones.head > 0)
    weights = bones.head[rows]
    part = turned(points[rows], "y", act.shake * weights, bones.neck)
    points[rows] = turned(part, "x", act.nod * weights, bones.neck)
    quats[rows] = turned_quats(quats[rows], "y", act.shake * weights)
    pitch[rows] += act.nod * weights
