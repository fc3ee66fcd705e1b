"""The surface of a smooth occupancy field as points with normals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from .shape import Grid

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]


@dataclass(frozen=True)
class Surface:
    """Points [N, 3] in metres (x, y, z of the character's frame) with outward unit normals [N, 3]."""

    points_m: F64
    normals: F64


def surface_of(field: F32, grids: tuple[Grid, Grid, Grid]) -> Surface:
    """One point per cell that the 0.5 surface crosses (surface nets, Gibson 1998), then drawn onto it.

    Args:
        field: [ny, nx, nz] smooth occupancy; ``grids`` are the samples of y, x and z.
    """
    inside = field > 0.5
    corners = np.zeros(tuple(n - 1 for n in field.shape), dtype=np.uint8)
    for dy in (0, 1):
        for dx in (0, 1):
            for dz in (0, 1):
                corners += inside[_from(dy), :, :][:, _from(dx), :][:, :, _from(dz)]
    cells = np.argwhere((corners > 0) & (corners < 8))
    points: F64 = np.asarray(cells + 0.5, dtype=np.float64)
    gradient = [
        ndimage.gaussian_filter(field, 0.8, order=order) for order in ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    ]
    for _ in range(3):
        value = _at(field, points)
        slope = np.stack([_at(part, points) for part in gradient], axis=1)
        steep = np.maximum((slope**2).sum(axis=1), 1e-4)
        step = ((0.5 - value) / steep)[:, None] * slope
        points = cells + 0.5 + np.clip(points + step - cells - 0.5, -0.75, 0.75)
    slope = np.stack([_at(part, points) for part in gradient], axis=1)
    normals = -slope / np.maximum(np.linalg.norm(slope, axis=1, keepdims=True), 1e-9)
    start = np.array([grid.start_m for grid in grids])
    metres = start + points * grids[0].cell_m
    order = [1, 0, 2]
    return Surface(metres[:, order], normals[:, order])


def _from(offset: int) -> slice:
    return slice(offset, None if offset else -1)


def _at(field: F32, points: F64) -> F64:
    return np.asarray(ndimage.map_coordinates(field, points.T, order=1, mode="nearest"), dtype=np.float64)


def quats_from_normals(normals: F64) -> F32:
    """Unit quaternions [N, 4], wxyz, that turn the local z axis to each normal the short way round."""
    x, y, z = normals[:, 0], normals[:, 1], normals[:, 2]
    quats = np.stack([1 + z, -y, x, np.zeros_like(x)], axis=1)
    backwards = z < -0.9999
    quats[backwards] = (0.0, 1.0, 0.0, 0.0)
    return np.asarray(quats / np.linalg.norm(quats, axis=1, keepdims=True), dtype=np.float32)
