"""Points on the surface that Gaussians make, each with the area that it stands for."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.gaussians import Gaussians

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

_VISIBLE = 0.1
_REACH = 0.95
"""Share of a Gaussian's mass that its points are spread over: 2.45 standard deviations."""
_GOLDEN = float(np.pi * (3 - np.sqrt(5)))
_PER_CELL, _MOST = 2, 256
_BUDGET = 3_000_000
_HAZE = 0.25
_FLAT = 0.6


@dataclass(frozen=True)
class Surface:
    """Points [m, 3] float32 with their areas [m] float32: square units, weighted by opacity.

    Where a closed surface was captured, the areas add up to at least its own. ``of`` [m] are the rows of the
    Gaussians that the points lie on.
    """

    points: F32
    areas: F32
    of: NDArray[np.int32]


def surface_points(gaussians: Gaussians, low: F64, high: F64, cell: float, *, most: int = _BUDGET) -> Surface:
    """Samples each Gaussian near a box as the disc of its two larger axes, densely enough for cells.

    What is larger than a quarter of the box is sky or haze, and left out. The same points come each time.

    Args:
        low, high: [3] corners; points outside are left out.
        cell: side of the cells that the points are to fill.
        most: about how many points, where there are no more Gaussians than that.
    """
    near = _near(gaussians, low, high)
    part = replace(gaussians, sh=gaussians.sh[:, :1]).take(near)  # colours take up no room
    points, areas, of = [], [], []
    sigmas = np.sort(part.scales, axis=1).astype(np.float64)
    area = 2 * np.pi * sigmas[:, 1] * sigmas[:, 2]
    wanted = np.clip(_PER_CELL * area / cell**2, 1, _MOST)
    # Where so many Gaussians lie over each other that points run out, each needs fewer of them.
    wanted *= min(1.0, most / max(float(wanted.sum()), 1.0))
    # Powers of two, so that few groups of Gaussians are each sampled at once.
    counts = 2 ** np.round(np.log2(np.maximum(wanted, 1))).astype(int)
    for count in np.unique(counts):
        at = np.flatnonzero(counts == count)
        sampled = _sampled(part.take(at), int(count))
        inside = ((sampled >= low) & (sampled < high)).all(axis=2)
        points.append(sampled[inside])
        shared = (area[at] * part.opacities[at] / count).astype(np.float32)[:, None]
        areas.append(np.broadcast_to(shared, inside.shape)[inside])
        of.append(np.broadcast_to(near[at].astype(np.int32)[:, None], inside.shape)[inside])
    if not points:
        return Surface(np.zeros((0, 3), np.float32), np.zeros(0, np.float32), np.zeros(0, np.int32))
    return Surface(np.concatenate(points), np.concatenate(areas), np.concatenate(of))


def facing(gaussians: Gaussians) -> tuple[F64, NDArray[np.bool_]]:
    """Unit normals [n, 3] (the thinnest axis, either way round), and which Gaussians are flat enough."""
    thin = np.argmin(gaussians.scales, axis=1)
    normals = _axes(gaussians.quats)[np.arange(len(thin)), :, thin].astype(np.float64)
    sigmas = np.sort(gaussians.scales, axis=1)
    return normals, np.asarray(sigmas[:, 0] < _FLAT * sigmas[:, 1])


def _near(gaussians: Gaussians, low: F64, high: F64) -> NDArray[np.intp]:
    """Rows of what can be seen in a box, or reaches into it."""
    largest = np.maximum.reduce(gaussians.scales.T)
    reach = 2.5 * largest[:, None]
    keep = (gaussians.opacities > _VISIBLE) & (largest < _HAZE * float((high - low).max()))
    keep &= ((gaussians.means > low - reach) & (gaussians.means < high + reach)).all(axis=1)
    return np.flatnonzero(keep)


def _sampled(gaussians: Gaussians, count: int) -> F32:
    """[n, count, 3] points spread over each disc like its density (a sunflower of equal shares)."""
    order = np.argsort(gaussians.scales, axis=1)[:, 1:]
    share = _REACH * (np.arange(count) + 0.5) / count
    radius = np.sqrt(-2 * np.log1p(-share)) if count > 1 else np.zeros(1)
    angle = _GOLDEN * np.arange(count)
    local = np.stack([radius * np.cos(angle), radius * np.sin(angle)]).astype(np.float32)
    sigmas = np.take_along_axis(gaussians.scales, order, axis=1)
    axes = np.take_along_axis(_axes(gaussians.quats), order[:, None, :], axis=2) * sigmas[:, None, :]
    offsets = (axes.reshape(-1, 2) @ local).reshape(len(gaussians), 3, count)
    return np.asarray(gaussians.means[:, None, :] + np.swapaxes(offsets, 1, 2))


def _axes(quats: F32) -> F32:
    """[n, 3, 3] rotation matrices of unit quaternions wxyz; columns are the local axes."""
    w, x, y, z = quats.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)
