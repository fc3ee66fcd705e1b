"""Depth as 16-bit integers: ``depth_m = value · scale_m``; 0 says that there is no surface."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LEVELS = 65535


def scale_for(far_m: float) -> float:
    """Metres per level, so that ``far_m`` is the last level."""
    return far_m / LEVELS


def encode(depth_m: NDArray[np.float32], scale_m: float) -> NDArray[np.uint16]:
    """[..., H, W] metres (+inf: nothing) to levels; anything beyond the last level is the last level."""
    solid = np.isfinite(depth_m)
    levels = np.clip(np.where(solid, depth_m, 0.0) / scale_m + 0.5, 1, LEVELS)
    return np.where(solid, levels, 0).astype(np.uint16)


def decode(levels: NDArray[np.uint16], scale_m: float) -> NDArray[np.float32]:
    """The inverse of :func:`encode`, exact to half a level."""
    depth_m = levels.astype(np.float32) * np.float32(scale_m)
    depth_m[levels == 0] = np.inf
    return depth_m
