"""Colours of a body's surface from its four views."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

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
_HIDDEN = 1e-4


def colours(surface: Surface, field: F32, shape: Shape) -> F32:
    """sRGB [N, 3] in [0, 1]: each point takes the views that face it and see it, softly blended.

    A view counts by the cosine between its direction and the normal, to a power that lets the nearest win
    but leaves no seam, and hardly at all where another part of the body stands before the point.
    """
    points = surface.points_m
    cell = shape.rows.cell_m
    rows = (points[:, 1] - shape.rows.start_m) / cell
    total = np.zeros((len(points), 3))
    weights = np.zeros(len(points))
    for name, towards in _TOWARDS.items():
        frontal = name in ("front", "back")
        grid, along = (shape.across, 0) if frontal else (shape.along, 2)
        columns = (points[:, along] - grid.start_m) / cell
        facing = np.clip(surface.normals @ np.asarray(towards) + 0.25, 0, None) / 1.25
        weight = facing**_SHARPNESS * _seen(points, field, shape, towards) + 1e-9
        rgb = shape.panels[name].rgb
        sampled = [
            ndimage.map_coordinates(rgb[..., c], [rows, columns], order=1, mode="nearest") for c in range(3)
        ]
        total += weight[:, None] * np.stack(sampled, axis=1)
        weights += weight
    return (total / weights[:, None]).astype(np.float32)


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
