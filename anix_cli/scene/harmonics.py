"""Spherical harmonics with Inria's signs, and how their coefficients turn with the Gaussians."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

F64 = NDArray[np.float64]


def sh_basis(directions: ArrayLike) -> F64:
    """Y_k(d) [..., 16] of unit vectors [..., 3], in the order and with the signs of Kerbl et al. 2023.

    Real spherical harmonics of degrees 0–3 with the Condon–Shortley phase, m from −l to l.
    """
    x, y, z = np.moveaxis(np.asarray(directions, dtype=np.float64), -1, 0)
    xx, yy, zz = x * x, y * y, z * z
    root = np.sqrt(np.array([1, 3, 15, 5, 15, 35, 105, 21, 7, 105, 35]) / np.pi)
    rows = [
        np.full_like(x, root[0] / 2),
        -root[1] / 2 * y,
        root[1] / 2 * z,
        -root[1] / 2 * x,
        root[2] / 2 * x * y,
        -root[2] / 2 * y * z,
        root[3] / 4 * (2 * zz - xx - yy),
        -root[2] / 2 * x * z,
        root[4] / 4 * (xx - yy),
        -root[5] / np.sqrt(32) * y * (3 * xx - yy),
        root[6] / 2 * x * y * z,
        -root[7] / np.sqrt(32) * y * (4 * zz - xx - yy),
        root[8] / 4 * z * (2 * zz - 3 * xx - 3 * yy),
        -root[7] / np.sqrt(32) * x * (4 * zz - xx - yy),
        root[9] / 4 * z * (xx - yy),
        -root[10] / np.sqrt(32) * x * (xx - 3 * yy),
    ]
    return np.stack(rows, axis=-1)


@lru_cache(maxsize=1)
def _directions() -> F64:
    """[64, 3] unit vectors spread evenly over the sphere (a Fibonacci lattice)."""
    i = np.arange(64) + 0.5
    z, angle = 1 - 2 * i / 64, np.pi * (1 + np.sqrt(5)) * i
    ring = np.sqrt(1 - z * z)
    return np.stack([ring * np.cos(angle), ring * np.sin(angle), z], axis=1)


def sh_rotation(rotation: ArrayLike, width: int) -> F64:
    """D [width, width]: a scene turned by ``rotation`` [3, 3] has coefficients ``D @ sh``.

    Colour goes with the scene: Y(R·d)·(D·sh) = Y(d)·sh for every direction d. Each degree turns within
    itself; its block is solved by least squares over sampled directions, which is exact to rounding.
    """
    turn = np.asarray(rotation, dtype=np.float64)
    before, after = sh_basis(_directions()), sh_basis(_directions() @ turn.T)
    matrix = np.zeros((width, width))
    for degree in range(round(np.sqrt(width))):
        band = slice(degree**2, (degree + 1) ** 2)
        matrix[band, band] = np.linalg.lstsq(after[:, band], before[:, band], rcond=None)[0]
    # Quarter turns have entries 0, ±½ … : rounding noise is not worth a multiplication by 1e-17.
    matrix[np.abs(matrix) < 1e-14] = 0
    return matrix
