"""Anchor boxes: the picture rectangle that a character's whole body takes, computed from its 3D extent."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
NEAR_M = 0.02


class Extent(Protocol):
    """A character's size at rest, metres: across the shoulders, from front to back, from the soles up."""

    @property
    def width_m(self) -> float: ...
    @property
    def depth_m(self) -> float: ...
    @property
    def height_m(self) -> float: ...


_CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (0.0, 1.0) for z in (-0.5, 0.5)])
_EDGES = np.array([(a, b) for a in range(8) for b in range(a + 1, 8)
                   if np.count_nonzero(_CORNERS[a] != _CORNERS[b]) == 1])  # fmt: skip


def project_boxes(
    root: F64,
    yaw_rad: F64,
    extent: Extent,
    *,
    world_from_camera: F64,
    intrinsics: F64,
    size_px: tuple[int, int],
) -> tuple[F64, NDArray[np.bool_]]:
    """Projects the upright box that encloses the character, turned by its yaw.

    Edges that pass the camera plane are cut just before it, so that a body that is partly behind the camera
    still has a finite box.

    Args:
        root: [F, 3]; yaw_rad: [F]; world_from_camera: [F, 4, 4]; intrinsics: [F, 3, 3].

    Returns:
        box_px [F, 4] as x0 y0 x1 y1, not clipped to the picture, zeros where all lies behind the camera; and
        visible [F], whether any of it lies in the picture.
    """
    size = np.array([extent.width_m, extent.height_m, extent.depth_m])
    local = _CORNERS * size
    cos, sin = np.cos(yaw_rad)[:, None], np.sin(yaw_rad)[:, None]
    corners = np.stack(
        [cos * local[:, 0] + sin * local[:, 2], local[:, 1] + 0 * cos, cos * local[:, 2] - sin * local[:, 0]],
        -1,
    )
    away = corners + (root - world_from_camera[:, :3, 3])[:, None]
    camera = np.einsum("fki,fij->fkj", away, world_from_camera[:, :3, :3])
    start, stop = camera[:, _EDGES[:, 0]], camera[:, _EDGES[:, 1]]
    span = stop[..., 2] - start[..., 2]
    share = (NEAR_M - start[..., 2]) / np.where(np.abs(span) < 1e-12, 1e-12, span)
    crosses = (start[..., 2] < NEAR_M) != (stop[..., 2] < NEAR_M)
    cut = start + np.clip(share, 0, 1)[..., None] * (stop - start)
    points = np.concatenate([camera, cut], axis=1)
    counts = np.concatenate([camera[..., 2] >= NEAR_M, crosses], axis=1)
    depth = np.maximum(points[..., 2], NEAR_M)
    focal = np.stack([intrinsics[:, 0, 0], intrinsics[:, 1, 1]], -1)[:, None]
    pixels = points[..., :2] / depth[..., None] * focal + intrinsics[:, None, :2, 2]
    low = np.where(counts[..., None], pixels, np.inf).min(axis=1)
    high = np.where(counts[..., None], pixels, -np.inf).max(axis=1)
    before = np.asarray(counts.any(axis=1))
    box = np.where(before[:, None], np.concatenate([low, high], axis=1), 0.0)
    inside = (box[:, 0] < size_px[0]) & (box[:, 1] < size_px[1]) & (box[:, 2] > 0) & (box[:, 3] > 0)
    return box, before & inside
