"""A planned camera as the few keys that a game world takes, and what is lost by that. Pure.

Keys act at one step a frame or not at all. What a frame could not do is carried on to the next (error
diffusion), so that the path is kept as closely as its steps allow, and the error does not grow by rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I8 = NDArray[np.int8]


@dataclass(frozen=True)
class Steps:
    """What one frame of a key does: metres along the ground, degrees of turning."""

    move_m: float
    turn_deg: float


@dataclass(frozen=True)
class Residual:
    """How far the path of the keys is from the planned one, over all frames.

    Attributes:
        position_rms_m, position_max_m: along the ground.
        turn_max_deg: of yaw and pitch, the larger.
        height_max_m, roll_max_deg: what no key can do.
    """

    position_rms_m: float
    position_max_m: float
    turn_max_deg: float
    height_max_m: float
    roll_max_deg: float


@dataclass(frozen=True)
class Keys:
    """Keys from frame to frame, [F − 1] of −1, 0, 1 each.

    Attributes:
        forward: 1 forward, −1 back. right: 1 right, −1 left.
        yaw: 1 turns the view right, −1 left. pitch: 1 up, −1 down.
    """

    forward: I8
    right: I8
    yaw: I8
    pitch: I8
    residual: Residual


@dataclass(frozen=True)
class Line:
    """One action for all frames: ``action`` as GameCraft names it, ``amount`` in all in metres or degrees."""

    action: str
    amount: float
    residual: Residual


@dataclass(frozen=True)
class _Course:
    """Where a camera is: ground [F, 2] metres as (x, z), height [F], and angles [F] in radians; yaw grows
    as the view turns right, pitch as it rises."""

    ground: F64
    height: F64
    yaw: F64
    pitch: F64
    roll: F64


def keys_of(world_from_camera: F64, steps: Steps) -> Keys:
    """The keys whose path is nearest to a camera's, frame by frame.

    Args:
        world_from_camera: [F, 4, 4], OpenCV axes, +Y up on the stage.
    """
    course = _course(world_from_camera)
    count = len(course.yaw) - 1
    moved = np.zeros((4, count), dtype=np.int8)
    turn = math.radians(steps.turn_deg)
    at, yaw, pitch = course.ground[0].copy(), float(course.yaw[0]), float(course.pitch[0])
    path, angles = [at.copy()], [(yaw, pitch)]
    for index in range(count):
        keys = (
            _key(math.remainder(course.yaw[index + 1] - yaw, math.tau), turn),
            _key(course.pitch[index + 1] - pitch, turn),
        )
        left = course.ground[index + 1] - at
        ahead, right = _axes(yaw)
        go = (_key(float(left @ ahead), steps.move_m), _key(float(left @ right), steps.move_m))
        at = at + steps.move_m * (go[0] * ahead + go[1] * right)
        yaw, pitch = yaw + keys[0] * turn, pitch + keys[1] * turn
        moved[:, index] = (*go, *keys)
        path.append(at)
        angles.append((yaw, pitch))
    forward, sideways, turned, raised = moved
    return Keys(forward, sideways, turned, raised, _residual(course, np.array(path), np.array(angles)))


def line_of(world_from_camera: F64, depth_m: float) -> Line:
    """The one action whose straight way, or turn at one speed, shows most of a camera's in the picture.

    Args:
        depth_m: how far away the scene is: a move of so many metres shows like a turn of so many radians
            times this.
    """
    course = _course(world_from_camera)
    ahead, right = _axes(float(course.yaw[0]))
    share = np.linspace(0, 1, len(course.yaw))
    way, yaw = course.ground - course.ground[0], np.unwrap(course.yaw) - course.yaw[0]
    rise = course.pitch - course.pitch[0]
    fits = {
        "ahead": (_amount(way @ ahead, share), ahead, ("forward", "backward"), 1 / depth_m),
        "right": (_amount(way @ right, share), right, ("right", "left"), 1 / depth_m),
        "yaw": (_amount(yaw, share), None, ("right_rot", "left_rot"), 1.0),
        "pitch": (_amount(rise, share), None, ("up_rot", "down_rot"), 1.0),
    }
    kind = max(fits, key=lambda name: abs(fits[name][0]) * fits[name][3])
    amount, axis, names, _ = fits[kind]
    path, angles = np.tile(course.ground[0], (len(share), 1)), np.zeros((len(share), 2))
    angles[:] = course.yaw[0], course.pitch[0]
    if axis is not None:
        path += share[:, None] * amount * axis
    else:
        angles[:, 0 if kind == "yaw" else 1] += share * amount
    told = abs(amount) if axis is not None else math.degrees(abs(amount))
    return Line(names[0 if amount >= 0 else 1], told, _residual(course, path, angles))


def step_of(world_from_camera: F64) -> float:
    """Metres a frame that a key should stand for, so that the camera's quickest frames can be followed. The
    scale of a world seen by one camera is free, so that the model's own speed can be taken for it."""
    ground = _course(world_from_camera).ground
    if len(ground) < 2:
        return 1.0
    quick = float(np.percentile(np.linalg.norm(np.diff(ground, axis=0), axis=1), 90))
    return quick if quick > 1e-6 else 1.0


def _key(left: float, step: float) -> int:
    return int(np.sign(left)) if abs(left) >= step / 2 else 0


def _axes(yaw: float) -> tuple[F64, F64]:
    """Ahead and to the right on the ground, as (x, z). Yaw 0 looks along +Z, where +X is on the left."""
    return np.array([-math.sin(yaw), math.cos(yaw)]), np.array([-math.cos(yaw), -math.sin(yaw)])


def _amount(values: F64, share: F64) -> float:
    """The slope of the line through the start that is nearest to values."""
    weight = float(share @ share)
    return float(values @ share) / weight if weight else 0.0


def _course(world_from_camera: F64) -> _Course:
    poses = np.asarray(world_from_camera, dtype=np.float64)
    x, ahead, at = poses[:, :3, 0], poses[:, :3, 2], poses[:, :3, 3]
    yaw = np.arctan2(-ahead[:, 0], ahead[:, 2])
    return _Course(
        at[:, [0, 2]],
        at[:, 1],
        yaw,
        np.arcsin(np.clip(ahead[:, 1], -1, 1)),
        np.arcsin(np.clip(x[:, 1], -1, 1)),
    )


def _residual(course: _Course, path: F64, angles: F64) -> Residual:
    away = np.linalg.norm(path - course.ground, axis=1)
    yaw = np.abs(np.remainder(angles[:, 0] - course.yaw + math.pi, math.tau) - math.pi)
    pitch = np.abs(angles[:, 1] - course.pitch)
    return Residual(
        float(np.sqrt((away**2).mean())),
        float(away.max()),
        math.degrees(float(max(yaw.max(), pitch.max()))),
        float(np.abs(course.height - course.height[0]).max()),
        math.degrees(float(np.abs(course.roll).max())),
    )
