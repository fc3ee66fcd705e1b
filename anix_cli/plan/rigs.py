"""A camera's rig: nine numbers that blend well, and the poses that they give.

They are the point that the camera aims at (3), its azimuth and elevation about that point, the logarithms of
its distance and of its focal length, how near to the ground it may come, and its roll. Azimuth 0 stands on
the +Z side; a camera rolls clockwise, as one sees who looks through it, so that the horizon turns the other
way. Where the aim lies along the view does not change the picture, but how two rigs blend: about one and the
same aim, the camera swings round it; with the aim in the camera itself, it goes straight and turns meanwhile.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..core.stage import HeightMap
from .motion import wrap

F64 = NDArray[np.float64]

AIM, AZIMUTH, ELEVATION, LOG_DISTANCE, LOG_FOCAL, CLEARANCE, ROLL = slice(0, 3), 3, 4, 5, 6, 7, 8
WIDTH = 9
PARTS = (
    AIM,
    *(slice(part, part + 1) for part in (AZIMUTH, ELEVATION, LOG_DISTANCE, LOG_FOCAL, CLEARANCE, ROLL)),
)

LEAST_CLEARANCE_M = 0.3
"""A camera that is not placed by hand keeps so far above the ground."""
_SOFTNESS_M = 0.05
FREE_M = 1.5
"""A camera so far above its clearance is not lifted at all (by 1e-14 m)."""
STEEPEST = math.pi / 2
"""Straight down. The azimuth still says where the picture's top is."""


def rigs_at(eye: F64, aim: F64, focal_px: float, clearance_m: float) -> F64:
    """Level rigs [F, 9] of cameras at ``eye`` [F, 3] that aim at ``aim`` [F, 3], azimuths without jumps.

    Straight above its aim, where no azimuth is better than another, the camera has the one before (first 0).
    """
    away = eye - aim
    flat = np.hypot(away[:, 0], away[:, 2])
    azimuth = np.arctan2(away[:, 0], away[:, 2])
    known = flat > 1e-6
    if not known.all():
        last = np.maximum.accumulate(np.where(known, np.arange(len(flat)), -1))
        azimuth = np.where(last >= 0, azimuth[last], azimuth[int(known.argmax())] if known.any() else 0.0)
    distance = np.maximum(np.linalg.norm(away, axis=1), 1e-3)
    rig = np.zeros((len(eye), WIDTH))
    rig[:, AIM], rig[:, AZIMUTH], rig[:, ELEVATION] = aim, np.unwrap(azimuth), np.arctan2(away[:, 1], flat)
    rig[:, LOG_DISTANCE], rig[:, LOG_FOCAL], rig[:, CLEARANCE] = (
        np.log(distance),
        math.log(focal_px),
        clearance_m,
    )
    return rig


def arms_of(rig: F64) -> F64:
    """From the aim to the eye, [..., 3]."""
    azimuth, elevation, distance = rig[..., AZIMUTH], rig[..., ELEVATION], np.exp(rig[..., LOG_DISTANCE])
    flat = distance * np.cos(elevation)
    arms = np.empty((*rig.shape[:-1], 3))
    arms[..., 0] = flat * np.sin(azimuth)
    arms[..., 1] = distance * np.sin(elevation)
    arms[..., 2] = flat * np.cos(azimuth)
    return arms


def eyes_of(rig: F64) -> F64:
    """Where the cameras are, [..., 3]."""
    return np.asarray(rig[..., AIM] + arms_of(rig))


def slid(rig: F64, log_distance: F64 | float) -> F64:
    """The same cameras with their aim at another distance along the view."""
    eye = eyes_of(rig)
    moved = rig.copy()
    moved[..., LOG_DISTANCE] = log_distance
    moved[..., AIM] = eye - arms_of(moved)
    return moved


def turned(rig: F64, turn: F64, *, over: bool = False) -> F64:
    """Cameras [F, 9] that stay where they are and look elsewhere.

    Args:
        turn: [2] or [F, 2], what is added to azimuth and elevation.
        over: may look beyond straight up or down, so that the picture stands on its head.
    """
    eye = eyes_of(rig)
    moved = rig.copy()
    moved[..., [AZIMUTH, ELEVATION]] += turn
    if not over:
        moved[..., ELEVATION] = np.clip(moved[..., ELEVATION], -STEEPEST, STEEPEST)
    moved[..., AIM] = eye - arms_of(moved)
    return moved


def poses_of(rig: F64, ground: HeightMap, size_px: tuple[int, int]) -> tuple[F64, F64]:
    """Rigs [F, 9] → world_from_camera [F, 4, 4] and intrinsics [F, 3, 3].

    The picture's right comes from the azimuth, not from a world up, so that a camera may look straight down.
    A camera that would come nearer to the ground than its clearance, or below it, is lifted, softly.
    """
    aim, arms = rig[:, AIM], arms_of(rig)
    eye = aim + arms
    floor = ground.at(eye[:, [0, 2]]) + rig[:, CLEARANCE]
    lift = _SOFTNESS_M * np.logaddexp(0.0, (floor - eye[:, 1]) / _SOFTNESS_M)
    lifted = np.where(eye[:, 1] - floor > FREE_M, 0.0, lift)
    eye[:, 1] += lifted
    forward = np.where(lifted[:, None] > 0, aim - eye, -arms)
    forward /= np.sqrt(np.einsum("fk,fk->f", forward, forward))[:, None]
    cos, sin = np.cos(rig[:, AZIMUTH]), np.sin(rig[:, AZIMUTH])
    poses = np.zeros((len(rig), 4, 4))
    poses[:, 0, 0], poses[:, 2, 0] = cos, -sin  # right, which is level
    poses[:, 0, 1] = -forward[:, 1] * sin  # down: forward × right
    poses[:, 1, 1] = forward[:, 2] * cos + forward[:, 0] * sin
    poses[:, 2, 1] = -forward[:, 1] * cos
    poses[:, :3, 2], poses[:, :3, 3], poses[:, 3, 3] = forward, eye, 1.0
    if rig[:, ROLL].any():
        right, down = poses[:, :3, 0].copy(), poses[:, :3, 1].copy()
        cos, sin = np.cos(rig[:, ROLL])[:, None], np.sin(rig[:, ROLL])[:, None]
        poses[:, :3, 0], poses[:, :3, 1] = cos * right + sin * down, cos * down - sin * right
    intrinsics = np.zeros((len(rig), 3, 3))
    focal = np.exp(rig[:, LOG_FOCAL])
    intrinsics[:, 0, 0], intrinsics[:, 1, 1], intrinsics[:, 2, 2] = focal, focal, 1.0
    intrinsics[:, 0, 2], intrinsics[:, 1, 2] = size_px[0] / 2, size_px[1] / 2
    return poses, intrinsics


def rigs_from_poses(poses: F64, focal_px: F64, clearance_m: float, log_distance: float) -> F64:
    """Rigs [F, 9] that give poses [F, 4, 4] exactly, whatever they are, with angles that do not jump.

    Azimuth, elevation and roll say the same turn in two ways, of which each frame takes the one that is
    nearer to the frame before: so a camera that tilts beyond straight down keeps its azimuth.

    Args:
        focal_px: [F] or a number.
    """
    right, forward = poses[:, :3, 0], poses[:, :3, 2]
    flat = np.hypot(forward[:, 0], forward[:, 2])
    steep = flat < 1e-9
    azimuth = np.where(
        steep, np.arctan2(-right[:, 2], right[:, 0]), np.arctan2(-forward[:, 0], -forward[:, 2])
    )
    elevation = np.arctan2(-forward[:, 1], flat)
    level = np.stack([np.cos(azimuth), 0.0 * azimuth, -np.sin(azimuth)], axis=-1)
    below = np.cross(forward, level)
    roll = np.arctan2((right * below).sum(axis=1), (right * level).sum(axis=1))
    said = np.stack([azimuth, elevation, roll], axis=-1)
    for frame in range(1, len(said)):
        before, one = said[frame - 1], said[frame]
        other = np.array([one[0] + math.pi, math.pi - one[1], one[2] + math.pi])
        ways = [before + wrap(way - before) for way in (one, other)]
        said[frame] = min(ways, key=lambda way: float(np.abs(way - before).sum()))
    rig = np.empty((len(poses), WIDTH))
    rig[:, [AZIMUTH, ELEVATION, ROLL]] = said
    rig[:, LOG_DISTANCE], rig[:, LOG_FOCAL], rig[:, CLEARANCE] = log_distance, np.log(focal_px), clearance_m
    rig[:, AIM] = poses[:, :3, 3] - arms_of(rig)
    return rig


def offset_of(rig: F64, other: F64) -> F64:
    """[9], what has to be added to ``other`` to give ``rig``, turns the short way round."""
    offset = rig - other
    offset[[AZIMUTH, ROLL]] = wrap(offset[[AZIMUTH, ROLL]])
    return np.asarray(offset)
