"""A body placed on the stage and, while it moves, kept in step."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anix_cli.core.easing import smoothstep
from anix_cli.core.gaussians import Gaussians

from .rig import Limb, Rig, rig
from .turn import turned, turned_quats

__all__ = ["Gait", "Rig", "gait", "place", "rig"]

F64 = NDArray[np.float64]


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


def gait(speed_mps: float, gait_phase: float, *, height_m: float = 1.7, stride: float = 1.0) -> Gait:
    """Joint angles at a speed and phase; a whole phase is a foot strike, of the left foot if it is even.

    The foot on the ground passes under the body at an even pace, the other one swings forward with a bent
    knee. A run (above about 2.2 m/s) leaves the ground between strikes.
    """
    size = height_m / 1.7
    speed = max(speed_mps, 0.0) / math.sqrt(size)  # equal Froude numbers: alike gaits of unlike bodies
    going, running = float(smoothstep(speed, 0.0, 0.8)), float(smoothstep(speed, 1.9, 3.6))
    # 0.7 m a step at 1.4 m/s, 1.2 m at 4 m/s, as the blocking counts them: the standing foot does not slip.
    step_m = 0.7 + (max(speed_mps, 0.0) - 1.4) * 0.5 / 2.6
    reach = going * math.asin(min(0.5 * step_m / (0.51 * height_m), 0.5))
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
        running * 0.05 * size * math.sin(math.pi * (gait_phase % 1.0) ** 1.4) ** 2,
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
    body: Gaussians | Rig, root: ArrayLike, yaw_rad: float, *, speed_mps: float, gait_phase: float
) -> Gaussians:
    """The body at one moment of the stage; a function of its arguments alone.

    Args:
        body: in the character's frame (see :func:`anix_cli.character.hull`), or its ``rig``, made once.
        root: [3] metres, stage frame: the point on the ground between the feet.
        yaw_rad: 0 faces +Z, positive turns to the character's own left, +Z towards +X.
        speed_mps: along the ground; 0 is rest, with the arms at ease.
        gait_phase: steps taken; a whole number is a foot strike.

    Returns:
        Gaussians on the stage. The lowest foot is at the root's height, above it in the flight of a run.
    """
    bones = body if isinstance(body, Rig) else rig(body)
    now = gait(speed_mps, gait_phase, height_m=bones.height_m, stride=bones.stride)
    points = bones.body.means.astype(np.float64)
    pitch = np.zeros(len(points))
    if speed_mps > 0:
        for leg, hip, knee, ankle in zip(bones.legs, now.hips, now.knees, now.ankles, strict=True):
            points = _bend(points, pitch, leg, (ankle, knee, -hip))
        for arm, shoulder, elbow in zip(bones.arms, now.shoulders, now.elbows, strict=True):
            if arm is not None:
                points = _bend(points, pitch, arm, (0.0, -elbow, -shoulder))
        hip_joint = (bones.legs[0].root + bones.legs[1].root) / 2
        points = turned(points, "x", now.lean * bones.upper, hip_joint)
        pitch += now.lean * bones.upper
        points[:, 0] += now.sway_m * bones.upper
        points[:, 1] += bones.sole_m - points[:, 1].min() + now.flight_m
    means = turned(points, "y", yaw_rad) + np.asarray(root, dtype=np.float64)
    quats = turned_quats(turned_quats(bones.body.quats, "x", pitch), "y", yaw_rad)
    source = bones.body
    return Gaussians(
        means.astype(np.float32),
        quats.astype(np.float32),
        source.scales,
        source.opacities,
        source.sh,
        source.antialiased,
    )


def _bend(points: F64, pitch: F64, limb: Limb, joints_rad: tuple[float, float, float]) -> F64:
    """Turns a limb about x at its joints, the outermost first; adds the angles to ``pitch`` in place."""
    rows = np.flatnonzero(limb.whole > 0)
    end, lower, upper = joints_rad
    angles = end * limb.end[rows], lower * limb.lower[rows], upper * limb.whole[rows]
    part = points[rows]
    for angle, joint in zip(angles, (limb.tip, limb.bend, limb.root), strict=True):
        part = turned(part, "x", angle, joint)
    points[rows] = part
    pitch[rows] += sum(angles)
    return points
