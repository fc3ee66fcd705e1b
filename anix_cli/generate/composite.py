"""Characters drawn into the scene, with a soft contact shadow."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.camera import project
from anix_cli.core.clip import Frames
from anix_cli.core.easing import smoothstep
from anix_cli.core.gaussians import Gaussians
from anix_cli.core.optics import Exposure
from anix_cli.splat.choose import Part, Views
from anix_cli.splat.render import Rendered

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

_PULL_M, _PULL_FEET_M, _FEET_M = 0.05, 0.25, (0.05, 0.35)
"""How far the body, and more its parts below such heights, come forward in the order of drawing."""

_SHADE = 0.55
_SHADE_REACH_M = 1.2
_SHADE_CELL_M = 0.04
_SHADE_SIGMAS = 0.75
"""Standard deviation of a shadow's Gaussians in cells: enough that they melt into one."""
_PULL_SHADE_M = 0.2
"""How far a shadow comes forward: before the ground's splats, behind the feet."""
_BLACK_SH = -0.5 / 0.28209479177387814
_SOFTENS = 0.35
"""By how much the shadow of a body in the air spreads, in metres for each metre."""


@dataclass(frozen=True)
class Actor:
    """A posed character: Gaussians on the stage and [3] the point on the ground between its feet."""

    body: Gaussians
    root: F64


@dataclass(frozen=True)
class Window:
    """A part of a picture: rows y0 … y1 − 1, columns x0 … x1 − 1."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def cut(self) -> tuple[slice, slice]:
        return slice(self.y0, self.y1), slice(self.x0, self.x1)


@dataclass(frozen=True)
class Staged:
    """What is drawn for one frame, and the part of the picture that may differ from the guide."""

    views: Views
    window: Window


def stage(
    scene: Part,
    actors_at: Callable[[float], Sequence[Actor]],
    exposure: Exposure,
    size_px: tuple[int, int],
    *,
    near: float,
    shadow: bool = True,
) -> Staged | None:
    """One frame: the scene with the characters in it, shaded where feet meet the ground.

    Scene and characters are drawn in one pass, so that edges, glass and haze before a character cover it as
    much as they do. (Setting characters into the guide by its depth fails in scans: the depth of faint haze
    before a surface lies between the two.)

    Args:
        scene: on the stage, as the guide was rendered from it: as the rasteriser takes it.
        actors_at: the characters so many frames before or after the frame's own time.
        exposure: the frame's cameras.

    Returns:
        None where no character or shadow is in the picture.
    """
    parts, windows = [], []
    for pose, lens, time in zip(exposure.world_from_camera, exposure.intrinsics, exposure.times, strict=True):
        actors = actors_at(float(time))
        drawn = [_pulled(actor, pose) for actor in actors]
        drawn += [_shadow(actor, pose) for actor in actors if shadow]
        windows.append(_window([part.means for part in drawn], pose, lens, size_px, near=near))
        parts.append([scene, *drawn])
    seen = [window for window in windows if window is not None]
    if not seen:
        return None
    return Staged(Views(exposure, parts), _around(seen))


def set_in(guide: Frames, picture: Rendered, window: Window) -> Frames:
    """[H, W, 3] uint8 sRGB, rounded half up: the guide, and within the window the picture."""
    out = guide.copy()
    out[window.cut] = np.floor(np.clip(picture.rgb[window.cut], 0, 1) * 255 + 0.5).astype(np.uint8)
    return out


def _around(windows: Sequence[Window]) -> Window:
    """The smallest window that holds all."""
    return Window(
        min(window.x0 for window in windows), min(window.y0 for window in windows),
        max(window.x1 for window in windows), max(window.y1 for window in windows),
    )  # fmt: skip


def _pulled(actor: Actor, world_from_camera: F64) -> Gaussians:
    """The body moved a little towards the camera, along its rays and shrunk alike, so that it looks the same.

    Splats are ordered by their centres: one of the ground that reaches from before a foot to behind it would
    cover the foot. The pull puts feet before it, and less the rest of the body.
    """
    height = actor.body.means[:, 1] - actor.root[1]
    return _forward(
        actor.body, _PULL_M + _PULL_FEET_M * (1 - smoothstep(height, *_FEET_M)), world_from_camera
    )


def _forward(part: Gaussians, pull_m: F64, world_from_camera: F64) -> Gaussians:
    """Gaussians moved towards the camera along their rays and shrunk alike: the same picture, in front."""
    eye = world_from_camera[:3, 3]
    away = part.means - eye
    distance = np.linalg.norm(away, axis=1)
    shrink = (1 - np.minimum(pull_m / np.maximum(distance, 1e-6), 0.5))[:, None]
    return replace(
        part,
        means=(eye + away * shrink).astype(np.float32),
        scales=(part.scales * shrink).astype(np.float32),
    )


def _shadow(actor: Actor, world_from_camera: F64) -> Gaussians:
    """The contact shadow as flat black Gaussians on the ground, so that what lies before it covers it."""
    dark = _SHADE * _shade_map(actor)
    z, x = np.nonzero(dark > 0.01)
    # Neighbours overlap: together they are to be as dark as the map says.
    overlap = 2 * math.pi * _SHADE_SIGMAS**2
    count = len(x)
    at = (np.stack([x, z]) + 0.5) * _SHADE_CELL_M - _SHADE_REACH_M
    means = actor.root + np.stack([at[0], np.full(count, 0.005), at[1]], axis=1)
    sigma = _SHADE_SIGMAS * _SHADE_CELL_M
    flat = Gaussians(
        means.astype(np.float32),
        np.tile(np.array([1, 0, 0, 0], np.float32), (count, 1)),
        np.tile(np.array([sigma, 0.003, sigma], np.float32), (count, 1)),
        (1 - (1 - dark[z, x]) ** (1 / overlap)).astype(np.float32),
        np.full((count, 1, 3), _BLACK_SH, np.float32),
    )
    return _forward(flat, np.full(count, _PULL_SHADE_M), world_from_camera)


def _window(
    points: Sequence[F32],
    world_from_camera: F64,
    intrinsics: F64,
    size_px: tuple[int, int],
    *,
    near: float,
) -> Window | None:
    """The part of the picture that holds the points and a margin; None where none of it is in the picture."""
    if not points:
        return None
    pixels, depth = project(np.concatenate(points), world_from_camera, intrinsics)
    ahead = depth > near
    if not ahead.any():
        return None
    width, height = size_px
    margin = 4 + 0.06 * intrinsics[0, 0] / float(depth[ahead].min())
    low, high = pixels[ahead].min(axis=0) - margin, pixels[ahead].max(axis=0) + margin
    x0, y0 = (int(v) for v in np.clip(np.floor(low), 0, (width, height)))
    x1, y1 = (int(v) for v in np.clip(np.ceil(high), 0, (width, height)))
    return Window(x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None


def _shade_map(actor: Actor) -> F64:
    """[n, n] (z, x) share of the sky that the body takes from the ground around the root, 0 … 1, roughly.

    A body in the air shades the ground less, and more softly.
    """
    from scipy import ndimage

    count = round(2 * _SHADE_REACH_M / _SHADE_CELL_M)
    local = actor.body.means.astype(np.float64) - actor.root
    air_m = max(float(local[:, 1].min()), 0.0)
    height = np.maximum(local[:, 1] - air_m, 0)
    edges = np.linspace(-_SHADE_REACH_M, _SHADE_REACH_M, count + 1)

    def spread(weight: F64, sigma_m: float) -> F64:
        heap = np.histogram2d(local[:, 2], local[:, 0], bins=(edges, edges), weights=weight)[0]
        soft = ndimage.gaussian_filter(heap, (sigma_m + _SOFTENS * air_m) / _SHADE_CELL_M)
        return np.asarray(soft / max(float(soft.max()), 1e-9))

    touching = 0.75 * math.exp(-air_m / 0.06) * spread(np.exp(-height / 0.05), 0.04)
    around = 0.65 * math.exp(-air_m / 0.5) * spread(np.exp(-height / 0.6), 0.16)
    return np.asarray(1 - (1 - touching) * (1 - around))
