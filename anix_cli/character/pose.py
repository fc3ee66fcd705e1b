"""A body placed on the stage and, while it moves, kept in step."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anix_cli.core.gaussians import Gaussians

F64 = NDArray[np.float64]


def place(
    body: Gaussians, root: ArrayLike, yaw_rad: float, *, speed_mps: float, gait_phase: float
) -> Gaussians:
    """The body at one moment of the stage.

    Args:
        body: Gaussians in the character's frame (see :func:`anix_cli.character.hull`).
        root: [3] metres, stage frame: the point on the ground between the feet.
        yaw_rad: 0 faces +Z, positive turns to the character's own left, +Z towards +X.
        speed_mps: along the ground; 0 is rest.
        gait_phase: steps taken; a whole number is a foot strike.
    """
    lean = math.radians(min(2.0 * speed_mps, 8.0))
    rise = min(0.02 * speed_mps, 0.06) * abs(math.sin(math.pi * gait_phase))
    turn = _about_y(yaw_rad) @ _about_x(lean)
    means = body.means @ turn.T + np.asarray(root, dtype=np.float64)
    means[:, 1] += rise
    quats = multiply(quat_of(turn)[None], body.quats)
    return Gaussians(
        means.astype(np.float32),
        quats.astype(np.float32),
        body.scales,
        body.opacities,
        body.sh,
        body.antialiased,
    )


def _about_x(angle: float) -> F64:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def _about_y(angle: float) -> F64:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def quat_of(rotation: F64) -> F64:
    """wxyz of a rotation about x then y (never by half a turn about both)."""
    w = math.sqrt(max(0.0, 1 + np.trace(rotation))) / 2
    if w > 1e-6:
        r = rotation
        return np.array([w, *(np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]) / (4 * w))])
    axis = np.sqrt(np.maximum(0, (np.diag(rotation) + 1) / 2))
    return np.array([0.0, *axis])


def multiply(a: NDArray[np.floating], b: NDArray[np.floating]) -> F64:
    """Products of quaternions [..., 4], wxyz: first ``b``, then ``a``."""
    aw, ax, ay, az = np.moveaxis(np.asarray(a, dtype=np.float64), -1, 0)
    bw, bx, by, bz = np.moveaxis(np.asarray(b, dtype=np.float64), -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )
