"""Gaussians placed by transforms, which may stretch them along some axes more than along others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.gaussians import Gaussians

from ..placement import transform

F64 = NDArray[np.float64]

_PIECE = 1 << 16
_STRAIGHT = 1e-3
"""KHR_gaussian_splatting: the determinant of the matrix of unit columns is close to one."""


def placed_by(gaussians: Gaussians, world: F64) -> Gaussians:
    """Gaussians moved, turned and enlarged by a transform [4, 4], also if it stretches.

    Positions and sizes that float32 cannot hold become infinite.

    Raises:
        ValueError: it mirrors, flattens or skews.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            return transform(gaussians, world)
        except (ValueError, np.linalg.LinAlgError):
            return stretched(gaussians, world)


def stretched(gaussians: Gaussians, world: F64) -> Gaussians:
    """Gaussians placed by a transform whose axes stay at right angles, each with a factor of its own.

    Covariances become M·Σ·Mᵀ, whose axes and sizes are those of the new Gaussians; harmonics turn with the
    rotation in M, which is M with columns of length one (KHR_gaussian_splatting, "Ellipse Kernel").

    Args:
        world: [4, 4], of the place that is wanted.

    Raises:
        ValueError: it mirrors, flattens or skews.
    """
    linear = world[:3, :3]
    lengths = np.linalg.norm(linear, axis=0)
    if not (np.isfinite(lengths).all() and lengths.min() > 0):
        raise ValueError("an axis of the transform has no length")
    turn = np.eye(4)
    turn[:3, :3] = linear / lengths
    if abs(float(np.linalg.det(turn)) - 1) > _STRAIGHT:
        raise ValueError("the transform mirrors or skews")
    turned = transform(gaussians, turn)
    stretch = turn[:3, :3] @ np.diag(lengths) @ turn[:3, :3].T
    means = turned.means.astype(np.float64) @ stretch.T + world[:3, 3]
    quats, scales = np.empty_like(turned.quats), np.empty_like(turned.scales)
    for start in range(0, len(turned), _PIECE):
        piece = slice(start, start + _PIECE)
        quats[piece], scales[piece] = _axes(turned.quats[piece], turned.scales[piece], stretch)
    return replace(turned, means=means.astype(np.float32), quats=quats, scales=scales)


def _axes(quats: NDArray[np.float32], scales: NDArray[np.float32], stretch: F64) -> tuple[F64, F64]:
    """(quaternions wxyz [n, 4], sizes [n, 3]) of Gaussians after a symmetric stretch [3, 3]."""
    from scipy.spatial.transform import Rotation

    axes = stretch @ Rotation.from_quat(quats[:, [1, 2, 3, 0]].astype(np.float64)).as_matrix()
    axes = axes * scales[:, None, :].astype(np.float64)
    squares, vectors = np.linalg.eigh(axes @ axes.transpose(0, 2, 1))
    vectors[:, :, 2] *= np.sign(np.linalg.det(vectors))[:, None]
    return Rotation.from_matrix(vectors).as_quat()[:, [3, 0, 1, 2]], np.sqrt(np.maximum(squares, 0))
