"""Rotations: quaternions [..., 4], unit, wxyz; angles in radians, right-handed about the positive axis."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

F64 = NDArray[np.float64]

AXES = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}
"""The two coordinates that a rotation about an axis turns, the first towards the second."""


def turned(points: F64, axis: str, angle: ArrayLike, pivot: ArrayLike = (0.0, 0.0, 0.0)) -> F64:
    """Points [N, 3] turned about the line through ``pivot`` along an axis; ``angle`` is one or [N]."""
    first, second = AXES[axis]
    centre = np.asarray(pivot, dtype=np.float64)
    c, s = np.cos(angle), np.sin(angle)
    a, b = points[:, first] - centre[first], points[:, second] - centre[second]
    result = points.copy()
    result[:, first] = centre[first] + c * a - s * b
    result[:, second] = centre[second] + s * a + c * b
    return result


def turned_quats(quats: NDArray[np.floating], axis: str, angle: ArrayLike) -> F64:
    """Quaternions [N, 4] turned about an axis; ``angle`` is one or [N]."""
    half = np.asarray(angle, dtype=np.float64) / 2
    c, s = np.cos(half), np.sin(half)
    along = "xyz".index(axis) + 1
    first, second = (index + 1 for index in AXES[axis])
    w, x, y, z = np.asarray(quats, dtype=np.float64).T
    q = (w, x, y, z)
    result = np.empty((len(w), 4))
    result[:, 0] = c * w - s * q[along]
    result[:, along] = c * q[along] + s * w
    result[:, first] = c * q[first] - s * q[second]
    result[:, second] = c * q[second] + s * q[first]
    return result
