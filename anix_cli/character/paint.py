"""Colours of a body's surface from its four views."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from anix_cli.core.easing import smoothstep

from .depth import Depth
from .shape import Shape
from .surface import Surface

F32 = NDArray[np.float32]

_TOWARDS = {
    "front": (0.0, 0.0, 1.0),
    "back": (0.0, 0.0, -1.0),
    "left": (1.0, 0.0, 0.0),
    "right": (-1.0, 0.0, 0.0),
}
"""From the character to the camera of each view."""

_SHARPNESS = 8.0
_HIDDEN = 1e-9


def colours(surface: Surface, field: F32, shape: Shape, depth: Depth) -> F32:
    """sRGB [N, 3] in [0, 1]: each point takes the views that face it and see it, softly blended.

    A view counts by the cosine between its direction and the normal, to a power that lets the nearest win
    but leaves no seam, and hardly at all where another part of the body stands before the point.
    """
    points = surface.points_m
    fine = shape.rows.fine()
    rows = (points[:, 1] - fine.start_m) / fine.cell_m
    weights, samples = {}, {}
    for name, towards in _TOWARDS.items():
        grid, along = (shape.across, 0) if name in ("front", "back") else (shape.along, 2)
        where = [rows, (points[:, along] - grid.fine().start_m) / fine.cell_m]
        rgb = shape.panels[name].rgb
        planes = [ndimage.map_coordinates(rgb[..., c], where, order=1, mode="nearest") for c in range(3)]
        samples[name] = np.stack(planes, axis=1)
        facing = np.clip(surface.normals @ np.asarray(towards) + 0.25, 0, None) / 1.25
        weights[name] = facing**_SHARPNESS * _seen(points, field, shape, towards) + 1e-14
    own = _mean({name: samples[name] for name in ("front", "back")}, weights)
    for name in ("left", "right"):
        weights[name] = weights[name] * (
            1 - _of_the_arm(points, samples[name], own, shape=shape, depth=depth, name=name)
        )
    return _mean(samples, weights)


def _mean(samples: Mapping[str, F32], weights: Mapping[str, F32]) -> F32:
    total = sum((weights[name][:, None] * rgb for name, rgb in samples.items()), np.zeros(1))
    weight = sum((weights[name] for name in samples), np.zeros(1))
    return np.asarray(total / np.maximum(weight, 1e-30)[:, None], dtype=np.float32)


def _of_the_arm(
    points: NDArray[np.float64], sample: F32, own: F32, *, shape: Shape, depth: Depth, name: str
) -> F32:
    """0 … 1: a side view's colour of a point on the trunk is rather that of the arm which hangs before it.

    It is if it looks like the arm of that row and unlike what front and back view show of the point.
    """
    rows = (points[:, 1] - shape.rows.start_m) / shape.rows.cell_m
    columns = (points[:, 0] - shape.across.start_m) / shape.rows.cell_m
    trunk = ndimage.map_coordinates(depth.trunk, [rows, columns], order=1, mode="nearest")
    arm = depth.arm_rgb[name]
    index = ndimage.distance_transform_edt(np.isnan(arm[:, 0]), return_distances=False, return_indices=True)[
        0
    ]
    row = np.clip(np.rint(rows).astype(int), 0, len(arm) - 1)
    near = np.abs(index - np.arange(len(arm))) <= 4
    arm = np.where(near[:, None], arm[index], np.nan)[row]
    like_arm = 1 - smoothstep(np.linalg.norm(sample - arm, axis=1), 0.15, 0.35)
    unlike_own = smoothstep(np.linalg.norm(sample - own, axis=1), 0.15, 0.35)
    off_arm = smoothstep(trunk, 0.1, 0.35)
    return np.asarray(np.nan_to_num(like_arm * unlike_own * off_arm), dtype=np.float32)


def _seen(points: NDArray[np.float64], field: F32, shape: Shape, towards: tuple[float, float, float]) -> F32:
    """1 where nothing of the body stands between a point and a view, falling to nearly 0."""
    frontal = towards[2] != 0
    axis = 2 if frontal else 1
    grid = shape.along if frontal else shape.across
    other = shape.across if frontal else shape.along
    sign = towards[2] if frontal else towards[0]
    inside = field > 0.5
    nearest = grid.count - 1 - np.flip(inside, axis).argmax(axis) if sign > 0 else inside.argmax(axis)
    surface_m = grid.start_m + nearest * grid.cell_m
    surface_m[~inside.any(axis)] = -sign * 1e3
    rows = (points[:, 1] - shape.rows.start_m) / shape.rows.cell_m
    columns = (points[:, 0 if frontal else 2] - other.start_m) / other.cell_m
    # What stands before counts wider than it is, the more so the further before: how deep an arm hangs is
    # a guess, and a rim of the hand's colour on the hip behind it is worse than the colour of the next view.
    widened = ndimage.maximum_filter if sign > 0 else ndimage.minimum_filter
    seen = np.ones(len(points))
    for width, clearance in ((5, 3.0), (11, 7.0)):
        nearest_m = widened(surface_m, width)
        front = ndimage.map_coordinates(nearest_m, [rows, columns], order=0, mode="nearest")
        behind = (front - points[:, 2 if frontal else 0]) * sign / grid.cell_m
        seen = np.minimum(seen, np.clip(1 - (behind - clearance) / 2.0, _HIDDEN, 1))
    return np.asarray(seen, dtype=np.float32)
