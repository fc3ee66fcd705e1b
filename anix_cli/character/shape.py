"""Silhouettes as 2D fields on one metric grid: distance, local thickness, roundness.

The front field spans (y, x) and the side field (y, z) of the character's frame, rows from the feet up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from anix_cli.core.errors import AnixError, Diagnostic

from .measure import ViewFrame, view_frames
from .views import Rgba

F32 = NDArray[np.float32]

_TOLERANCE = 0.015
"""How far, as a share of the height, one of two opposite views may miss what the other one shows."""

FINE = 3
"""Colour samples along a cell's side."""

_SEARCH = 0.06
"""How far, as a share of the height, opposite views are shifted to match."""


@dataclass(frozen=True)
class Grid:
    """Samples of one axis: ``start_m + cell_m · i`` for i < count."""

    start_m: float
    cell_m: float
    count: int

    def centres_m(self) -> NDArray[np.float64]:
        return self.start_m + self.cell_m * np.arange(self.count, dtype=np.float64)

    def fine(self) -> Grid:
        """FINE samples for each one, over the same length."""
        cell_m = self.cell_m / FINE
        return Grid(self.start_m - (self.cell_m - cell_m) / 2, cell_m, self.count * FINE)


@dataclass(frozen=True)
class Panel:
    """A view resampled to the metric grid.

    Attributes:
        rgb: [FINE·ny, FINE·n, 3] float32 in [0, 1], sRGB, every pixel filled from the nearest sure one.
        coverage: [ny, n] float32 in [0, 1].
    """

    rgb: F32
    coverage: F32

    def cell_rgb(self) -> F32:
        """[ny, n, 3]: mean colour of each cell."""
        ny, n = self.coverage.shape
        return np.asarray(self.rgb.reshape(ny, FINE, n, FINE, 3).mean(axis=(1, 3)), dtype=np.float32)


@dataclass(frozen=True)
class Shape:
    """What the four views say together.

    Attributes:
        rows, across, along: the samples of y, x and z.
        front, side: [ny, nx] and [ny, nz] float32, metres to the silhouette's border, positive inside.
        panels: the views on the grid, columns in the direction of +x or +z.
    """

    rows: Grid
    across: Grid
    along: Grid
    front: F32
    side: F32
    panels: Mapping[str, Panel]


def shape_from_views(views: Mapping[str, Rgba], height_m: float, cell_m: float) -> Shape:
    """Resamples, aligns and joins the views.

    Raises:
        AnixError: E345, front and side have no height in common.
    """
    frames = view_frames(views, height_m)
    pad = 4 * cell_m
    rows = _grid(-pad, height_m + pad, cell_m)
    reach = {
        kind: max(abs(end) for name in names for end in frames[name].across_m())
        for kind, names in (("x", ("front", "back")), ("z", ("left", "right")))
    }
    margin = pad + _SEARCH * height_m
    across = _grid(-reach["x"] - margin, reach["x"] + margin, cell_m)
    along = _grid(-reach["z"] - margin, reach["z"] + margin, cell_m)
    panels = {}
    for name, frame in frames.items():
        columns = across if name in ("front", "back") else along
        panels[name] = _panel(views[name], frame, rows, columns)
    limit = round(_SEARCH * height_m / cell_m)
    panels["back"] = _shifted(panels["back"], _best_shift(panels["front"], panels["back"], limit))
    panels["left"] = _shifted(panels["left"], _best_shift(panels["right"], panels["left"], limit))
    tolerance = _TOLERANCE * height_m
    front = _joined(panels["front"], panels["back"], cell_m, tolerance)
    side = _joined(panels["right"], panels["left"], cell_m, tolerance)
    common = (front > 0).any(axis=1) & (side > 0).any(axis=1)
    if common.sum() * cell_m < 0.5 * height_m:
        message = "the front and the side views cannot be one character: their silhouettes hardly overlap"
        raise AnixError(Diagnostic("E345", message, hint="show the whole character in one pose in all views"))
    return Shape(rows, across, along, front, side, panels)


def _grid(low: float, high: float, cell_m: float) -> Grid:
    first = np.floor(low / cell_m)
    return Grid(float((first + 0.5) * cell_m), cell_m, int(np.ceil(high / cell_m) - first))


def _panel(image: Rgba, frame: ViewFrame, rows: Grid, columns: Grid) -> Panel:
    alpha: F32 = image[..., 3].astype(np.float32) / np.float32(255)
    colour: F32 = image[..., :3].astype(np.float32) / np.float32(255)

    def sampled(plane: F32, v_grid: Grid, u_grid: Grid) -> F32:
        v = frame.foot_px - v_grid.centres_m() / frame.metres_per_px - 0.5
        u = frame.axis_px + frame.sign * u_grid.centres_m() / frame.metres_per_px - 0.5
        sigma = 0.4 * v_grid.cell_m / frame.metres_per_px
        blurred = ndimage.gaussian_filter(plane, sigma) if sigma > 0.3 else plane
        where = np.meshgrid(v, u, indexing="ij")
        return np.asarray(ndimage.map_coordinates(blurred, where, order=1, cval=0.0), dtype=np.float32)

    # Only pixels well inside give colour: at the edge it is mixed with the background.
    sure = (ndimage.grey_erosion(alpha, size=(3, 3)) * (alpha > 0.95)).astype(np.float32)
    fine = rows.fine(), columns.fine()
    weight = sampled(sure, *fine)
    rgb = np.stack([sampled(colour[..., c] * sure, *fine) for c in range(3)], axis=-1)
    rgb /= np.maximum(weight, 1e-6)[..., None]
    poor = weight < min(0.25, 0.5 * float(weight.max()))
    nearest = ndimage.distance_transform_edt(poor, return_distances=False, return_indices=True)
    return Panel(np.clip(rgb[tuple(nearest)], 0, 1), sampled(alpha, rows, columns))


def _best_shift(fixed: Panel, moving: Panel, limit: int) -> int:
    """Columns by which the moving panel overlaps the fixed one best."""
    shifts = sorted(range(-limit, limit + 1), key=abs)
    overlap = [float((fixed.coverage * np.roll(moving.coverage, s, axis=1)).sum()) for s in shifts]
    best = int(np.argmax(overlap))
    # The middle of the feet stands unless the match gains clearly by moving.
    return shifts[best] if overlap[best] > 1.005 * overlap[0] else 0


def _shifted(panel: Panel, columns: int) -> Panel:
    return Panel(np.roll(panel.rgb, FINE * columns, axis=1), np.roll(panel.coverage, columns, axis=1))


def _joined(a: Panel, b: Panel, cell_m: float, tolerance_m: float) -> F32:
    """Mean of two silhouettes, with what is in one and only just outside of the other."""
    first, second = (signed_distance_m(panel.coverage, cell_m) for panel in (a, b))
    mean = (first + second) / 2
    thin = np.maximum(np.minimum(first, second + tolerance_m), np.minimum(second, first + tolerance_m))
    # A union would fatten every limb by the views' disagreement: add only what the mean lost altogether.
    lost = ndimage.distance_transform_edt(mean <= 0) * cell_m > 0.75 * tolerance_m
    return np.asarray(np.where(lost, np.maximum(mean, thin), mean), dtype=np.float32)


def signed_distance_m(coverage: F32, cell_m: float) -> F32:
    """Distance to the border of a coverage map in metres, positive inside, exact at the 0.5 line."""
    inside = coverage >= 0.5
    distance = ndimage.distance_transform_edt(inside) - ndimage.distance_transform_edt(~inside)
    distance = distance - np.sign(distance) * 0.5
    edge = np.abs(distance) <= 0.5
    distance = np.where(edge, np.clip(coverage - 0.5, -0.5, 0.5), distance)
    return np.asarray(distance * cell_m, dtype=np.float32)


def thickness_m(distance_m: F32, cell_m: float) -> F32:
    """Radius of the largest disc inside the silhouette that covers each point; 0 outside.

    This is the "local thickness" of Hildebrand and Rüegsegger (1997), in two dimensions.
    """
    cells = np.maximum(distance_m, 0) / cell_m
    ridge = (cells > 0) & (cells > ndimage.maximum_filter(cells, 3) - 0.5)
    where = np.argwhere(ridge)
    radii = cells[ridge]
    result = cells.copy()
    for index in np.argsort(radii, kind="stable"):
        row, column = where[index]
        radius = radii[index]
        reach = int(radius)
        rows = slice(max(row - reach, 0), row + reach + 1)
        columns = slice(max(column - reach, 0), column + reach + 1)
        dy = np.arange(rows.start, min(rows.stop, cells.shape[0]))[:, None] - row
        dx = np.arange(columns.start, min(columns.stop, cells.shape[1]))[None] - column
        patch = result[rows, columns]
        np.copyto(patch, np.maximum(patch, radius), where=dy * dy + dx * dx < radius * radius)
    inside = cells > 0
    weight = ndimage.gaussian_filter(inside.astype(np.float32), 2.0)
    smooth = ndimage.gaussian_filter(np.where(inside, result, 0).astype(np.float32), 2.0)
    smooth = smooth / np.maximum(weight, 1e-6)
    return np.where(inside, np.maximum(smooth, cells) * cell_m, 0).astype(np.float32)
