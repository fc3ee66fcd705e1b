"""How a director looks at a scene first: eight views of it, and straight down on it.

Everything here gives pictures as arrays and where things are in them; ``sheet`` writes on them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anix_cli.core.camera import look_at, project
from anix_cli.core.gaussians import Gaussians
from anix_cli.core.stage import HeightMap
from anix_cli.splat.render import render

from .ground import filmed_heights
from .standing import StandingRoom

F64 = NDArray[np.float64]
U8 = NDArray[np.uint8]
Mask = NDArray[np.bool_]

VIEWS = 8
VIEW_PX = (480, 320)
_FIELD_DEG = 78.0
_EYE_M, _EYE_OF_HEIGHT = 1.6, 0.35
_OBJECT_FIELD_DEG, _ELEVATION_DEG, _EDGE = 50.0, 18.0, 0.02
_NEAR_OF_EXTENT = 1e-3
_BACKGROUND = (0.62, 0.65, 0.68)
_MAP_BACKGROUND = (0.2, 0.21, 0.23)
_AWAY = 60.0
"""How many extents away the camera of the map is: then a 10 m roof is displaced by 1/120 of its distance."""
_CUT_M = 3.0
_MARGIN, _NARROWEST = 0.04, 0.5
_CENTRAL, _OPEN = 0.5, 0.5
_LEAST_OF_EXTENT = 0.02


@dataclass(frozen=True)
class Standpoint:
    """From where a scene is looked at.

    Attributes:
        inside: it is a place, seen from within; else an object, seen from around.
        at: [3], the eye of a place; the centre of an object.
        radius_m: how far the cameras are from the centre of an object.
    """

    inside: bool
    at: F64
    radius_m: float = 0.0


@dataclass(frozen=True)
class View:
    """A picture and its camera. ``yaw_deg`` is that of what it looks along, counted as ``face`` is."""

    rgb: U8
    depth: NDArray[np.float32]
    world_from_camera: F64
    intrinsics: F64
    yaw_deg: float


@dataclass(frozen=True)
class MapView:
    """A scene from above, +Z up and +X to the left, at one scale.

    Attributes:
        rgb: [h, w, 3].
        left_m: x at the left border; x falls to the right.
        top_m: z at the upper border; z falls downwards.
        cut_m: height above the ground from which things are left out; None where nothing is.
    """

    rgb: U8
    left_m: float
    top_m: float
    pixels_per_m: float
    cut_m: float | None

    def pixel(self, xz: ArrayLike) -> F64:
        """[..., 2] pixels of points [..., 2]."""
        points = np.asarray(xz, dtype=np.float64)
        return np.asarray((np.array([self.left_m, self.top_m]) - points) * self.pixels_per_m)

    def shows(self, xz: ArrayLike) -> bool:
        """Whether a point (x, z) is on it."""
        height, width = self.rgb.shape[:2]
        x, y = self.pixel(xz)
        return bool(0 <= x < width and 0 <= y < height)

    def ground_points(self) -> F64:
        """[h, w, 2] (x, z) of the centres of all pixels."""
        height, width = self.rgb.shape[:2]
        x = self.left_m - (np.arange(width) + 0.5) / self.pixels_per_m
        z = self.top_m - (np.arange(height) + 0.5) / self.pixels_per_m
        return np.stack(np.meshgrid(x, z), axis=-1)


def not_flat(bounds_m: F64) -> F64:
    """The bounds, widened where a scene has no extent, so that it can be looked at from some distance."""
    centre, size = bounds_m.mean(axis=0), bounds_m[1] - bounds_m[0]
    least = _LEAST_OF_EXTENT * float(size.max()) or 1.0
    return np.array([centre - np.maximum(size, least) / 2, centre + np.maximum(size, least) / 2])


def standpoint(
    gaussians: Gaussians, bounds_m: F64, ground: HeightMap | None, room: StandingRoom | None
) -> Standpoint:
    """A place is looked at from the most open spot near its middle, anything else from around.

    A place is what has ground, and most of what stands on it away from the middle.
    """
    centre, size = bounds_m.mean(axis=0), bounds_m[1] - bounds_m[0]
    if ground is None or room is None or not walkable(room).any():
        return _around(bounds_m)
    means = gaussians.means.astype(np.float64)
    within = ((means >= bounds_m[0]) & (means <= bounds_m[1])).all(axis=1)
    standing = within & (means[:, 1] > ground.at(means[:, [0, 2]]) + 0.05 * size[1])
    apart = np.abs(means[standing][:, [0, 2]] - centre[[0, 2]]) / np.maximum(size[[0, 2]] / 2, 1e-9)
    weight = gaussians.opacities[standing] * np.sort(gaussians.scales[standing], axis=1)[:, 1:].prod(axis=1)
    outside = float(weight[apart.max(axis=1) > _CENTRAL].sum())
    if not weight.sum() > 0 or outside < _OPEN * float(weight.sum()):
        return _around(bounds_m)
    return stand_at(_open_spot(room, centre[[0, 2]], size[[0, 2]]), bounds_m, ground)


def _around(bounds_m: F64) -> Standpoint:
    return Standpoint(False, bounds_m.mean(axis=0), _radius(bounds_m))


def stand_at(place: Sequence[float], bounds_m: F64, ground: HeightMap) -> Standpoint:
    """Within a scene, at (x, y, z) or at eye height above (x, z): lower than a person's in a low scene."""
    x, z = place[0], place[-1]
    eye = min(_EYE_M, _EYE_OF_HEIGHT * float(bounds_m[1][1] - bounds_m[0][1]))
    return Standpoint(True, np.array([x, place[1] if len(place) == 3 else float(ground.at((x, z))) + eye, z]))


def walkable(room: StandingRoom) -> Mask:
    """[nz, nx], cells whose ground was captured and where nothing is in the way."""
    return np.asarray(room.floor & ~room.blocked)


def reachable(room: StandingRoom, xz: ArrayLike) -> Mask | None:
    """[nz, nx], walkable cells that a walk from ``xz`` leads to, from side to side; None if one cannot walk
    there."""
    from scipy import ndimage

    parts, _ = ndimage.label(walkable(room))
    column, row = np.floor((np.asarray(xz) - room.low_m) / room.cell_m).astype(int)
    rows, columns = parts.shape
    if not (0 <= row < rows and 0 <= column < columns) or parts[row, column] == 0:
        return None
    return np.asarray(parts == parts[row, column])


def _open_spot(room: StandingRoom, centre: F64, size: F64) -> tuple[float, float]:
    """(x, z) of the cell that has most room around it; room counts less the further it is from the centre."""
    rows, columns = room.blocked.shape
    x = room.low_m[0] + (np.arange(columns) + 0.5) * room.cell_m
    z = room.low_m[1] + (np.arange(rows) + 0.5) * room.cell_m
    away = np.hypot(*np.meshgrid((x - centre[0]) / size[0], (z - centre[1]) / size[1]))
    score = np.minimum(room.away_m, 0.15 * float(size.min())) - 0.3 * away * float(size.min())
    row, column = np.unravel_index(np.argmax(np.where(walkable(room), score, -np.inf)), score.shape)
    return float(x[column]), float(z[row])


def eight_views(gaussians: Gaussians, bounds_m: F64, stand: Standpoint) -> list[View]:
    """Eight pictures: turning right at the standpoint, +Z first; or round the object, its +Z side first."""
    near = _NEAR_OF_EXTENT * float(np.linalg.norm(bounds_m[1] - bounds_m[0]))
    intrinsics = _intrinsics(_FIELD_DEG if stand.inside else _OBJECT_FIELD_DEG)
    views = []
    for number in range(VIEWS):
        yaw = (0.0 if stand.inside else 180.0) - 360.0 * number / VIEWS
        yaw = yaw + 360 if yaw <= -180 else yaw
        pose = _pose(stand, yaw)
        drawn = render(gaussians, pose, intrinsics, VIEW_PX, near=near, background=_BACKGROUND)
        views.append(View(_bytes(drawn.rgb), drawn.depth, pose, intrinsics, yaw))
    return views


def _intrinsics(field_deg: float) -> F64:
    width, height = VIEW_PX
    focal = 0.5 * width / math.tan(math.radians(field_deg) / 2)
    return np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1]])


def _pose(stand: Standpoint, yaw_deg: float) -> F64:
    """world_from_camera [4, 4] of the view along ``yaw_deg``."""
    way = np.array([math.sin(math.radians(yaw_deg)), 0.0, math.cos(math.radians(yaw_deg))])
    if stand.inside:
        return look_at(stand.at, stand.at + way)
    rise = math.radians(_ELEVATION_DEG)
    eye = stand.at + stand.radius_m * (np.array([0, math.sin(rise), 0]) - math.cos(rise) * way)
    return look_at(eye, stand.at)


def _radius(bounds_m: F64) -> float:
    """From how far the whole box shows in all views round it."""
    corners = np.stack(np.meshgrid(*bounds_m.T, indexing="ij"), axis=-1).reshape(-1, 3)
    centre, intrinsics = bounds_m.mean(axis=0), _intrinsics(_OBJECT_FIELD_DEG)
    near, far = 0.0, 8 * max(float(np.linalg.norm(bounds_m[1] - bounds_m[0])), 1e-6)
    for _ in range(24):
        middle = (near + far) / 2
        stand, fits = Standpoint(False, centre, middle), True
        for number in range(VIEWS):
            pixels, depth = project(corners, _pose(stand, 360.0 * number / VIEWS), intrinsics)
            inside = (np.abs(pixels / VIEW_PX - 0.5) <= 0.5 - _EDGE).all(axis=1)
            fits = fits and bool((inside & (depth > 0)).all())
        near, far = (near, middle) if fits else (middle, far)
    return far


def seen_in(view: View, points: ArrayLike, *, slack: float = 0.03) -> tuple[F64, Mask]:
    """Where points [n, 3] are in a view, [n, 2] pixels (NaN outside it), and whether nothing hides them."""
    pixels, depth = project(points, view.world_from_camera, view.intrinsics)
    height, width = view.depth.shape
    inside = (depth > 0) & (pixels >= 0).all(axis=1) & (pixels < (width, height)).all(axis=1)
    clear = np.zeros(len(pixels), bool)
    x, y = pixels[inside].astype(int).T
    clear[inside] = view.depth[y, x] > depth[inside] * (1 - slack)
    return np.where(inside[:, None], pixels, np.nan), clear


def map_view(gaussians: Gaussians, bounds_m: F64, ground: HeightMap | None, side_px: int = 960) -> MapView:
    """The scene from straight above.

    Where there is ground, what is higher above it than a door is left out, as in an architect's plan: roofs
    and crowns of trees would hide where one can walk.

    Args:
        side_px: length of the longer side of the picture.
    """
    low, high = bounds_m
    size = high - low
    margin = _MARGIN * float(size[[0, 2]].max())
    across, along = float(size[0]) + 2 * margin, float(size[2]) + 2 * margin
    across, along = max(across, _NARROWEST * along), max(along, _NARROWEST * across)
    scale = side_px / max(across, along)
    width, height = (max(16, math.ceil(length * scale)) for length in (across, along))
    centre = (low + high) / 2
    level = float(low[1]) if ground is None else float(np.median(filmed_heights(ground, gaussians)))
    cut = None
    if ground is not None:
        over = gaussians.means[:, 1] - ground.at(gaussians.means[:, [0, 2]])
        cut = _CUT_M if float(high[1]) - level > _CUT_M else None
        if cut is not None:
            gaussians = gaussians.take(over - gaussians.scales.max(axis=1) < cut)
            gaussians = gaussians.take(gaussians.means[:, 1] - ground.at(gaussians.means[:, [0, 2]]) < cut)
    away = _AWAY * max(across, along)
    eye = np.array([centre[0], level + away, centre[2]])
    pose = look_at(eye, eye - (0, 1, 0), up=(0.0, 0.0, 1.0))
    focal = scale * away
    intrinsics = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1]])
    drawn = render(gaussians, pose, intrinsics, (width, height), near=0.5 * away, background=_MAP_BACKGROUND)
    left, top = centre[0] + width / 2 / scale, centre[2] + height / 2 / scale
    return MapView(_bytes(drawn.rgb), float(left), float(top), scale, cut)


def _bytes(rgb: NDArray[np.float32]) -> U8:
    return np.asarray(np.floor(rgb * 255 + 0.5), dtype=np.uint8)
