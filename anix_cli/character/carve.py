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

from anix_cli.core.easing import smoothstep
from anix_cli.core.gaussians import Gaussians

from .depth import Depth, depth_profile
from .paint import colours
from .shape import Shape, shape_from_views
from .surface import Surface, quats_from_normals, surface_of
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
_UNEVEN = 0.07
"""Colours that differ by more than this within a cell are drawn by four Gaussians."""


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
    depth = depth_profile(shape)
    field = occupancy(shape, depth)
    surface = surface_of(field, (shape.rows, shape.across, shape.along))
    surface, rgb, widths = _detailed(surface, field, shape, depth)
    means = surface.points_m - surface.normals * (_INSET * cell)
    means[:, 1] -= min(0.0, float(means[:, 1].min()))
    scales = np.stack([widths, widths, np.full_like(widths, _FLAT * cell)], axis=1)
    return Gaussians(
        means.astype(np.float32),
        quats_from_normals(surface.normals),
        scales.astype(np.float32),
        np.full(len(means), 0.995, dtype=np.float32),
        ((rgb - 0.5) / _SH0).astype(np.float32)[:, None, :],
    )


def _detailed(surface: Surface, field: F32, shape: Shape, depth: Depth) -> tuple[Surface, F32, F32]:
    """Points, colours and widths in metres: one to a cell where its colour is even, four where not."""
    cell = shape.rows.cell_m
    quarters = np.stack([_moved(surface, u * cell / 4, v * cell / 4) for u in (-1, 1) for v in (-1, 1)])
    count = len(surface.points_m)
    four = Surface(quarters.reshape(-1, 3), np.tile(surface.normals, (4, 1)))
    rgb = colours(four, field, shape, depth).reshape(4, count, 3)
    uneven = np.ptp(rgb, axis=0).max(axis=1) > _UNEVEN
    points = np.concatenate([surface.points_m[~uneven], quarters[:, uneven].reshape(-1, 3)])
    normals = np.concatenate([surface.normals[~uneven], np.tile(surface.normals[uneven], (4, 1))])
    shades = np.concatenate([rgb.mean(axis=0)[~uneven], rgb[:, uneven].reshape(-1, 3)])
    widths = np.full(len(points), _SPREAD * cell)
    widths[count - int(uneven.sum()) :] *= 0.58
    return Surface(points, normals), shades, widths


def _moved(surface: Surface, u_m: float, v_m: float) -> NDArray[np.float64]:
    """Points moved along two directions in their tangent planes."""
    helper = np.where(np.abs(surface.normals[:, 1:2]) < 0.9, (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    first = np.cross(helper, surface.normals)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    return surface.points_m + u_m * first + v_m * np.cross(surface.normals, first)


def occupancy(shape: Shape, depth: Depth) -> F32:
    """[ny, nx, nz] smooth occupancy of the body, 0.5 at its surface."""
    cell = shape.rows.cell_m
    z = shape.along.centres_m().astype(np.float32)
    inside = depth.half[..., None] - np.abs(z - depth.centre[..., None])
    np.minimum(inside, shape.front[..., None], out=inside)
    np.minimum(inside, shape.side[:, None, :], out=inside)
    # Blurring shrinks what is thin, by σ²/2R and more: fingers and straps get that back beforehand.
    inside += (0.45 * cell * (1 - smoothstep(depth.radius / cell, 1.0, 4.0)))[..., None].astype(np.float32)
    field = np.clip(inside / cell + 0.5, 0, 1)
    return np.asarray(ndimage.gaussian_filter(field, _BLUR), dtype=np.float32)
