"""Characters set into a guide's frame by depth, with a soft contact shadow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.camera import project
from anix_cli.core.clip import Frames
from anix_cli.core.gaussians import Gaussians

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

NEAR_M = 0.05

_BIAS_M, _BIAS_SHARE = 0.05, 0.012
"""How far, and with what share of its distance, a surface may lie before a character and still not hide it:
what the depth of splats is good for."""

_SOFT_M = 0.08
"""Depth over which a character sinks behind a surface."""

_GROUND_M = (0.04, 0.10)
"""A surface this high above a character's root or lower is the ground it stands on; above, an obstacle."""

_SHADE = 0.55
_SHADE_REACH_M = 1.2
_SHADE_CELL_M = 0.03


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
    guide: Frames, depth: F32, actors: Sequence[Actor], world_from_camera: F64, intrinsics: F64
) -> Frames:
    """One frame: the guide, shaded where feet meet the ground, with the characters before it or behind.

    Args:
        guide: [H, W, 3] uint8 sRGB; ``depth`` [H, W] float32 metres along z, +inf where there is nothing.

    Returns:
        [H, W, 3] uint8 sRGB, rounded half up. Pixels that no character or shadow touches are the guide's.
    """
    from anix_cli.splat import render

    height, width = guide.shape[:2]
    out = guide.copy()
    for actor in actors:
        _shade(out, depth, actor, world_from_camera, intrinsics)
    window = _window([actor.body.means for actor in actors], world_from_camera, intrinsics, (width, height))
    if window is None:
        return out
    local = intrinsics.copy()
    local[:2, 2] -= window.x0, window.y0
    size = (window.x1 - window.x0, window.y1 - window.y0)
    drawn = render([actor.body for actor in actors], world_from_camera, local, size, near=NEAR_M)
    seen = drawn.alpha > 0
    visible = _visibility(depth[window.cut], drawn.depth, actors, world_from_camera, local)
    cover = (drawn.alpha * np.where(seen, visible, 0))[..., None]
    # Drawn on black, colours carry their alpha already.
    mixed = out[window.cut] * (1 - cover) + 255 * drawn.rgb * np.where(seen, visible, 0)[..., None]
    out[window.cut] = np.floor(np.clip(mixed, 0, 255) + 0.5).astype(np.uint8)
    return out


def _window(
    points: Sequence[F32], world_from_camera: F64, intrinsics: F64, size_px: tuple[int, int]
) -> Window | None:
    """The part of the picture that holds the points and a margin; None where none of it is in the picture."""
    if not points:
        return None
    pixels, depth = project(np.concatenate(points), world_from_camera, intrinsics)
    ahead = depth > NEAR_M
    if not ahead.any():
        return None
    width, height = size_px
    near = float(depth[ahead].min())
    margin = 4 + 0.06 * intrinsics[0, 0] / near
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


def _visibility(
    guide_depth: F32, character_depth: F32, actors: Sequence[Actor], world_from_camera: F64, intrinsics: F64
) -> F32:
    """How much of the characters the guide's surface leaves visible, [h, w] in 0 … 1.

    A surface no higher than a character's own ground cannot hide it from a camera above: the ray that meets
    it goes on downwards. What the depth says there is noise, and would eat the feet; it is passed over.
    """
    h, w = guide_depth.shape
    rays = _rays(Window(0, 0, w, h), world_from_camera, intrinsics)
    surface = np.where(np.isfinite(guide_depth), guide_depth, 1e6).astype(np.float64)
    above = world_from_camera[1, 3] + rays[..., 1] * surface
    ground = _ground_under(character_depth, actors, rays, world_from_camera)
    grounded = 1 - _smoothstep(above - ground, *_GROUND_M)
    grounded *= rays[..., 1] < 0
    gap = surface * (1 + _BIAS_SHARE) - character_depth + _BIAS_M
    hidden = 1 - _smoothstep(gap, 0.0, _SOFT_M)
    return np.asarray(1 - hidden * (1 - grounded), dtype=np.float32)


def _ground_under(character_depth: F32, actors: Sequence[Actor], rays: F64, world_from_camera: F64) -> F64:
    """Height of the ground that the character of each pixel stands on, [h, w] metres."""
    if len(actors) == 1:
        return np.full(character_depth.shape, actors[0].root[1])
    finite = np.where(np.isfinite(character_depth), character_depth, 0).astype(np.float64)
    points = world_from_camera[:3, 3] + rays * finite[..., None]
    roots = np.stack([actor.root for actor in actors])
    apart = np.hypot(points[..., None, 0] - roots[:, 0], points[..., None, 2] - roots[:, 2])
    return np.asarray(roots[apart.argmin(axis=-1), 1])


def _shade(out: Frames, depth: F32, actor: Actor, world_from_camera: F64, intrinsics: F64) -> None:
    """Darkens the ground around an actor's feet, in place: close under what touches it, faintly around."""
    from scipy import ndimage

    height, width = depth.shape
    reach = np.array([[x, y, z] for x in (-1, 1) for z in (-1, 1) for y in (-0.1, 0.1)]) * (
        _SHADE_REACH_M,
        1,
        _SHADE_REACH_M,
    )
    window = _window(
        [(reach + actor.root).astype(np.float32)], world_from_camera, intrinsics, (width, height)
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
    factor = 1 - _SHADE * np.where(solid, dark * level, 0)
    shaded = out[window.cut] * factor[..., None]
    out[window.cut] = np.floor(shaded + 0.5).astype(np.uint8)


def _shade_map(actor: Actor) -> F64:
    """[n, n] (z, x) share of the sky that the body takes from the ground around the root, 0 … 1, roughly."""
    from scipy import ndimage

    count = round(2 * _SHADE_REACH_M / _SHADE_CELL_M)
    local = actor.body.means.astype(np.float64) - actor.root
    edges = np.linspace(-_SHADE_REACH_M, _SHADE_REACH_M, count + 1)

    def spread(weight: F64, sigma_m: float) -> F64:
        heap = np.histogram2d(local[:, 2], local[:, 0], bins=(edges, edges), weights=weight)[0]
        return np.asarray(ndimage.gaussian_filter(heap, sigma_m / _SHADE_CELL_M))

    touching = spread(np.exp(-np.maximum(local[:, 1], 0) / 0.05), 0.04)
    around = spread(np.exp(-np.maximum(local[:, 1], 0) / 0.6), 0.16)
    dark = 0.75 * touching / max(float(touching.max()), 1e-9) * _contact(local)
    dark = 1 - (1 - dark) * (1 - 0.65 * around / max(float(around.max()), 1e-9))
    return np.asarray(dark)


def _contact(local: F64) -> float:
    """1 while the lowest foot is on the ground, less as it leaves it."""
    return float(np.exp(-max(float(local[:, 1].min()), 0.0) / 0.06))


def _smoothstep(value: F64, low: float, high: float) -> F64:
    t = np.clip((value - low) / (high - low), 0, 1)
    return np.asarray(t * t * (3 - 2 * t))
