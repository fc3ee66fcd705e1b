"""Camera mathematics: OpenCV axes (x right, y down, z forward), world_from_camera 4×4, pinhole K in pixels.

Pixel centres lie at +0.5: the point that projects to (0.5, 0.5) is the centre of the top left pixel.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

F64 = NDArray[np.float64]

SENSOR_WIDTH_MM = 36.0


def intrinsics_from_fov_y(fov_y_deg: float, size_px: tuple[int, int]) -> F64:
    """Pinhole K [3, 3] of a vertical field of view, with the principal point at the image centre."""
    width, height = size_px
    focal = 0.5 * height / math.tan(math.radians(fov_y_deg) / 2)
    return np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1]], dtype=np.float64)


def intrinsics_from_lens(lens_mm: float, size_px: tuple[int, int]) -> F64:
    """Pinhole K [3, 3] of a focal length on a sensor that is 36 mm wide, whatever the aspect."""
    width, height = size_px
    focal = lens_mm / SENSOR_WIDTH_MM * width
    return np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1]], dtype=np.float64)


def look_at(eye: ArrayLike, target: ArrayLike, *, up: ArrayLike = (0.0, 1.0, 0.0)) -> F64:
    """world_from_camera [4, 4] of a camera at ``eye`` that looks at ``target``, upright.

    Looking straight along ``up``, where "upright" is undefined, the top of the picture points to world −Z
    (down) or +Z (up), which continues a camera that tilts there from facing −Z.
    """
    origin = np.asarray(eye, dtype=np.float64)
    forward = np.asarray(target, dtype=np.float64) - origin
    distance = float(np.linalg.norm(forward))
    if distance < 1e-12:
        raise ValueError("eye and target are the same point")
    forward = forward / distance
    down = -np.asarray(up, dtype=np.float64)
    right = np.cross(down, forward)
    if float(np.linalg.norm(right)) < 1e-9:
        right = np.array([1.0, 0.0, 0.0])
    right = right / np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3, 0] = right
    pose[:3, 1] = np.cross(forward, right)
    pose[:3, 2] = forward
    pose[:3, 3] = origin
    return pose


def project(points: ArrayLike, world_from_camera: F64, intrinsics: F64) -> tuple[F64, F64]:
    """Pixels and depths of world points.

    Args:
        points: [..., 3], world frame, metres.

    Returns:
        pixels [..., 2] (meaningless where depth ≤ 0) and depths [...] along the camera's z.
    """
    world = np.asarray(points, dtype=np.float64)
    camera = (world - world_from_camera[:3, 3]) @ world_from_camera[:3, :3]
    depth = camera[..., 2]
    safe = np.where(np.abs(depth) < 1e-12, 1e-12, depth)
    pixels = camera[..., :2] / safe[..., None] * np.array([intrinsics[0, 0], intrinsics[1, 1]])
    return pixels + intrinsics[:2, 2], depth
