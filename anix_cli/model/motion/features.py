"""HumanML3D's 263 numbers of a frame (Guo et al. 2022, "Generating Diverse and Natural 3D Human Motions from
Text"): how the root turns and goes, and where the other joints are, seen from it.

By index: 0 the root's turn a frame, halved and clockwise; 1, 2 its way a frame, to its left and ahead; 3 its
height; 4 … 66 the places of 21 joints; the rest (turns, speeds, contacts of the feet) follows from these.
"""

from __future__ import annotations

import math

import numpy as np

from . import F64, Way

WIDTH, FPS = 263, 20.0
LONGEST = 196
"""Frames that such models are trained on at most."""
ROOT = slice(0, 3)
"""What the way of a character decides."""


def joints_of(features: F64) -> F64:
    """[F, 22, 3] metres where the joints are, of features [F, 263]."""
    count = len(features)
    yaw = np.concatenate([[0.0], -2 * np.cumsum(features[:-1, 0])])
    c, s = np.cos(yaw), np.sin(yaw)
    turn = np.zeros((count, 3, 3))
    turn[:, 0, 0], turn[:, 0, 2], turn[:, 1, 1], turn[:, 2, 0], turn[:, 2, 2] = c, s, 1, -s, c
    step = np.zeros((count, 3))
    step[1:, [0, 2]] = features[:-1, 1:3]
    root = np.cumsum(np.einsum("fij,fj->fi", turn, step), axis=0)
    root[:, 1] = features[:, 3]
    others = np.einsum("fij,fkj->fki", turn, features[:, 4:67].reshape(count, 21, 3))
    others[:, :, [0, 2]] += root[:, None, [0, 2]]
    return np.concatenate([root[:, None], others], axis=1)


def root_of(way: Way, frames: int) -> F64:
    """[frames − 1, 3] the features that make the root go a way, from one frame to the next."""
    times = np.arange(frames) / FPS
    own = np.arange(len(way.yaw_rad)) / way.fps
    yaw = np.interp(times, own, np.unwrap(way.yaw_rad))
    xz = np.stack([np.interp(times, own, way.xz[:, axis]) for axis in (0, 1)], axis=1)
    # Models begin facing ahead, at the origin.
    first = float(yaw[0])
    yaw = yaw - first
    xz = _turned(xz - xz[0], np.full(frames, -first))
    ahead = _turned(np.diff(xz, axis=0), -yaw[1:])
    return np.column_stack([-np.diff(yaw) / 2, ahead])


def _turned(xz: F64, yaw: F64) -> F64:
    """Places (x, z) turned about +Y, +Z towards +X."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.stack([c * xz[:, 0] + s * xz[:, 1], c * xz[:, 1] - s * xz[:, 0]], axis=1)


def frames_of(seconds: float) -> int:
    """How many frames a motion has, 2 at least and no more than models know."""
    return min(max(math.ceil(seconds * FPS) + 1, 2), LONGEST)
