"""Characters drawn into the scene, with a soft contact shadow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.camera import project
from anix_cli.core.clip import Frames
from anix_cli.core.easing import smoothstep
from anix_cli.core.gaussians import Gaussians

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

_PULL_M, _PULL_FEET_M, _FEET_M = 0.05, 0.25, (0.05, 0.35)
"""How far the body, and more its parts below such heights, come forward in the order of drawing."""

_SHADE = 0.55
_SHADE_REACH_M = 1.2
_SHADE_CELL_M = 0.03
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


def composite(
    guide: Frames,
    depth: F32,
    scene: Gaussians,
    actors: Sequence[Actor],
    world_from_camera: F64,
    intrinsics: F64,
    *,
    near: float,
) -> Frames:
    """One frame: the scene with the characters in it, shaded where feet meet the ground.

    Scene and characters are drawn in one pass, so that edges, glass and haze before a character cover it as
    much as they do. (Setting characters into the guide by its depth fails in scans: the depth of faint haze
    before a surface lies between the two.)

    Args:
        guide: [H, W, 3] uint8 sRGB; ``depth`` [H, W] float32 metres along z, +inf where there is nothing.
        scene: on the stage, as the guide was rendered from it, with the near plane ``near``.

    Returns:
        [H, W, 3] uint8 sRGB, rounded half up. Pixels that no character or shadow touches are the guide's.
    """
    from anix_cli.splat import render

    height, width = guide.shape[:2]
    bounds = [actor.body.means for actor in actors]
    window = _window(bounds, world_from_camera, intrinsics, (width, height), near=near)
    if window is None:
        return guide.copy()
    bodies = [_pulled(actor, world_from_camera) for actor in actors]
    drawn = render([scene, *bodies], world_from_camera, intrinsics, (width, height), near=near)
    picture = drawn.rgb
    light = np.ones((height, width), dtype=np.float32)
    for actor in actors:
        _shade(light, depth, actor, world_from_camera, intrinsics, near=near)
    dark = light < 1
    if dark.any():
        # The shadow lies on the ground, not on the feet that stand in it.
        cover = _cover(bodies, window, world_from_camera, intrinsics, (width, height), near=near)
        picture = picture * np.where(dark, 1 - (1 - light) * (1 - cover), 1)[..., None]
    touched = dark
    touched[window.cut] = True
    out = guide.copy()
    out[touched] = np.floor(np.clip(picture[touched], 0, 1) * 255 + 0.5).astype(np.uint8)
    return out


def _pulled(actor: Actor, world_from_camera: F64) -> Gaussians:
    """The body moved a little towards the camera, along its rays and shrunk alike, so that it looks the same.

    Splats are ordered by their centres: one of the ground that reaches from before a foot to behind it would
    cover the foot. The pull puts feet before it, and less the rest of the body.
    """
    eye = world_from_camera[:3, 3]
    body = actor.body
    away = body.means - eye
    distance = np.linalg.norm(away, axis=1)
    height = body.means[:, 1] - actor.root[1]
    pull = _PULL_M + _PULL_FEET_M * (1 - smoothstep(height, *_FEET_M))
    shrink = (1 - np.minimum(pull / np.maximum(distance, 1e-6), 0.5))[:, None]
    return replace(
        body,
        means=(eye + away * shrink).astype(np.float32),
        scales=(body.scales * shrink).astype(np.float32),
    )


def _cover(
    bodies: Sequence[Gaussians],
    window: Window,
    world_from_camera: F64,
    intrinsics: F64,
    size_px: tuple[int, int],
    *,
    near: float,
) -> F32:
    """Alpha of the bodies alone, [H, W]."""
    from anix_cli.splat import render

    local = intrinsics.copy()
    local[:2, 2] -= window.x0, window.y0
    size = (window.x1 - window.x0, window.y1 - window.y0)
    cover = np.zeros(size_px[::-1], dtype=np.float32)
    cover[window.cut] = render(bodies, world_from_camera, local, size, near=near).alpha
    return cover


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


def _rays(window: Window, world_from_camera: F64, intrinsics: F64) -> F64:
    """[h, w, 3] stage-frame directions of a window's pixels, one metre long along the camera's z."""
    u = (np.arange(window.x0, window.x1) + 0.5 - intrinsics[0, 2]) / intrinsics[0, 0]
    v = (np.arange(window.y0, window.y1) + 0.5 - intrinsics[1, 2]) / intrinsics[1, 1]
    rotation = world_from_camera[:3, :3]
    return np.asarray(rotation[:, 2] + u[None, :, None] * rotation[:, 0] + v[:, None, None] * rotation[:, 1])


def _shade(
    light: F32, depth: F32, actor: Actor, world_from_camera: F64, intrinsics: F64, *, near: float
) -> None:
    """Lowers ``light`` [H, W] in place on the ground around an actor's feet: close under what touches it, and
    faintly around."""
    from scipy import ndimage

    height, width = depth.shape
    reach = np.array([[x, y, z] for x in (-1, 1) for z in (-1, 1) for y in (-0.1, 0.1)]) * (
        _SHADE_REACH_M,
        1,
        _SHADE_REACH_M,
    )
    window = _window(
        [(reach + actor.root).astype(np.float32)], world_from_camera, intrinsics, (width, height), near=near
    )
    if window is None:
        return
    surface = depth[window.cut].astype(np.float64)
    solid = np.isfinite(surface)
    points = (
        world_from_camera[:3, 3]
        + _rays(window, world_from_camera, intrinsics) * np.where(solid, surface, 0)[..., None]
        - actor.root
    )
    level = np.exp(-((points[..., 1] / 0.09) ** 2)) * (np.abs(points[..., 1]) < 0.25)
    shade = _shade_map(actor)
    where = (points[..., [2, 0]] + _SHADE_REACH_M) / _SHADE_CELL_M - 0.5
    dark = ndimage.map_coordinates(shade, [where[..., 0], where[..., 1]], order=1, cval=0.0)
    light[window.cut] *= (1 - _SHADE * np.where(solid, dark * level, 0)).astype(np.float32)


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
