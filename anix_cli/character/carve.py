"""A body from four silhouettes: bounded by them, rounded by the distance transform, drawn as Gaussians.

The visual hull of four views (Laurentini 1994) has box-like limbs, since no view looks along them. Here
each part of the front silhouette is inflated by its own distance transform, d, to the half-depth
√(d·(2R − d)), R the local thickness: exact for round limbs. What fills its rows (torso, head, legs, feet)
is then stretched in depth to the side silhouette.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from anix_cli.core.gaussians import Gaussians

from .paint import colours
from .shape import Shape, shape_from_views, thickness_m
from .surface import quats_from_normals, surface_of
from .views import Rgba

F32 = NDArray[np.float32]

ROWS = 160
"""Default number of cells in the character's height."""

_SH0 = 0.28209479177387814
_SPREAD = 0.62
_FLAT = 0.14
"""Standard deviations of a surface Gaussian along and across the surface, in cells."""
_INSET = 0.45
"""How far inside the surface its Gaussians lie, in cells: as far as they reach beyond their means."""
_BLUR = 0.8


def hull(views: Mapping[str, Rgba], height_m: float, *, cell_m: float | None = None) -> Gaussians:
    """The character as opaque, flat Gaussians on its surface, with the colours of its views.

    Args:
        views: front, left, right, back, [h, w, 4] uint8 sRGB, straight alpha; parallel projection.
        height_m: from the soles to the top.
        cell_m: side of a voxel, ``height_m / 160`` by default; detail and count follow it.

    Returns:
        Gaussians in the character's frame: metres, feet at y = 0, the middle of the feet at x = z = 0,
        facing +Z, its own left at +X; SH degree 0.

    Raises:
        AnixError: E345, front and side views do not fit together.
    """
    cell = cell_m if cell_m is not None else height_m / ROWS
    shape = shape_from_views(views, height_m, cell)
    field = occupancy(shape)
    surface = surface_of(field, (shape.rows, shape.across, shape.along))
    rgb = colours(surface, field, shape)
    means = surface.points_m - surface.normals * (_INSET * cell)
    means[:, 1] -= min(0.0, float(means[:, 1].min()))
    count = len(means)
    scales = np.broadcast_to(np.array([_SPREAD, _SPREAD, _FLAT]) * cell, (count, 3))
    return Gaussians(
        means.astype(np.float32),
        quats_from_normals(surface.normals),
        np.ascontiguousarray(scales, dtype=np.float32),
        np.full(count, 0.995, dtype=np.float32),
        ((rgb - 0.5) / _SH0).astype(np.float32)[:, None, :],
    )


def occupancy(shape: Shape) -> F32:
    """[ny, nx, nz] smooth occupancy of the body, 0.5 at its surface."""
    cell = shape.rows.cell_m
    half, centre, radius = depth_profile(shape)
    z = shape.along.centres_m().astype(np.float32)
    inside = half[..., None] - np.abs(z - centre[..., None])
    np.minimum(inside, shape.front[..., None], out=inside)
    np.minimum(inside, shape.side[:, None, :], out=inside)
    # Blurring shrinks what is thin, by σ²/2R and more: fingers and straps get that back beforehand.
    inside += (0.45 * cell * (1 - _smoothstep(radius / cell, 1.0, 4.0)))[..., None].astype(np.float32)
    field = np.clip(inside / cell + 0.5, 0, 1)
    return np.asarray(ndimage.gaussian_filter(field, _BLUR), dtype=np.float32)


def depth_profile(shape: Shape) -> tuple[F32, F32, F32]:
    """Half-depth, middle depth and thickness [ny, nx], metres, of the body behind the front silhouette."""
    cell = shape.rows.cell_m
    distance = np.maximum(shape.front, 0)
    radius = thickness_m(shape.front, cell)
    # The middle of a limb falls between cells, so that its radius is found a fraction of a cell short.
    missed = np.float32(0.4 * cell) * (distance > 0)
    deep, full = distance + missed, radius + missed
    round_half = np.sqrt(np.maximum(deep * (2 * full - deep), 0))
    low, high = _side_interval(shape)
    middle, reach = (low + high) / 2, (high - low) / 2
    row_radius = np.maximum(radius.max(axis=1, keepdims=True), 1e-6)
    # Of one row, parts that are much thinner than the thickest (arms beside a torso) keep their roundness.
    filling = _smoothstep(radius / row_radius, 0.45, 0.72)
    peak = _component_peaks(round_half * (filling > 0.5))
    stretch = reach[:, None] / np.maximum(peak, 0.5 * cell)
    half = round_half * (1 + filling * (stretch - 1))
    half = np.minimum(half, reach[:, None])
    torso = ndimage.gaussian_filter1d(middle, 0.06 * shape.rows.count, mode="nearest")
    centre = filling * middle[:, None] + (1 - filling) * torso[:, None]
    return half.astype(np.float32), centre.astype(np.float32), radius


def _smoothstep(value: F32, low: float, high: float) -> F32:
    t = np.clip((value - low) / (high - low), 0, 1)
    return np.asarray(t * t * (3 - 2 * t))


def _side_interval(shape: Shape) -> tuple[F32, F32]:
    """First and last depth of the side silhouette in each row; rows without one take their neighbour's."""
    z = shape.along.centres_m().astype(np.float32)
    inside = shape.side > 0
    filled = inside.any(axis=1)
    first = inside.argmax(axis=1)
    last = inside.shape[1] - 1 - inside[:, ::-1].argmax(axis=1)
    index = ndimage.distance_transform_edt(~filled, return_distances=False, return_indices=True)[0]
    half = np.float32(shape.along.cell_m / 2)
    return (z[first] - half)[index], (z[last] + half)[index]


def _component_peaks(half: F32) -> F32:
    """For each point, the largest half-depth in its connected run of its row."""
    across = np.zeros((3, 3), dtype=bool)
    across[1] = True
    labels, count = ndimage.label(half > 0, structure=across)
    peaks = ndimage.maximum(half, labels, index=np.arange(count + 1)) if count else np.zeros(1)
    peaks = np.asarray(peaks, dtype=np.float32)
    peaks[0] = 0
    runs = peaks[labels]
    # Points of thin parts take the peak of the nearest run, so that blending has no jump.
    index = ndimage.distance_transform_edt(labels == 0, return_distances=False, return_indices=True)
    return np.asarray(runs[tuple(index)], dtype=np.float32)
