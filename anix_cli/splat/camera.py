"""The camera as the kernels take it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .layout import CAMERA, REACH

F64 = NDArray[np.float64]


def camera_vector(
    world_from_camera: ArrayLike, intrinsics: ArrayLike, size_px: tuple[int, int], near: float, eps2d: float
) -> F64:
    """The camera in the layout of ``layout.CAMERA``: [48] float64.

    Raises:
        ValueError: a number is not finite.
    """
    pose, k = np.asarray(world_from_camera, np.float64), np.asarray(intrinsics, np.float64)
    rotation, centre = pose[:3, :3].T, pose[:3, 3]
    focal, point, size = np.array([k[0, 0], k[1, 1]]), np.array([k[0, 2], k[1, 2]]), np.array(size_px)
    margin = 0.3 * 0.5 * size / focal
    low, high = -point / focal - margin, (size - point) / focal + margin
    planes = [
        _plane(rotation, axis, side, focal[axis], point[axis], size[axis], limit[axis], eps2d)
        for axis in (0, 1)
        for side, limit in ((1, high), (-1, low))
    ]
    values = np.concatenate([
        rotation.ravel(), centre, focal, point, [near, eps2d], [low[0], high[0], low[1], high[1]], size,
        *planes,
    ])  # fmt: skip
    if values.shape != (CAMERA,) or not np.isfinite(values).all():
        raise ValueError("the camera's pose, intrinsics, near plane or dilation is not finite")
    return values


def _plane(
    rotation: F64, axis: int, side: int, focal: float, point: float, size: float, limit: float, eps2d: float
) -> F64:
    """One side of the picture as a plane for culling: [6], see ``projecting._may_be_seen``.

    A splat at (x, z) is in reach of the right edge where f·x/z + c − h ≤ w, with h its half width. As J is
    linear, h ≤ REACH·(f/z·A + √eps2d), A being the standard deviation along the world axis d = W₀ − s·W₂,
    and s the limited x/z. Times z/f: x ≤ ((w − c + REACH·√eps2d)/f)·z + REACH·A. Beyond the edge s lies
    between the edge's slope and its limit, so each |d| is at most that at one of the two.
    """
    edge = (size - point if side > 0 else point) / focal
    across, forward = side * rotation[axis], rotation[2]
    reach = edge + (REACH * math.sqrt(max(eps2d, 0.0)) + 0.01) / focal
    spread = np.maximum(np.abs(across - edge * forward), np.abs(across - side * limit * forward))
    return np.concatenate([reach * forward - across, spread])
