"""The float64 picture of whole scenes: slow, plain and exact, to measure the rasterisers against.

It follows the rules that :func:`anix_cli.splat.render` states, from the published formulae, without tiles,
packing, tables or vectors: Gaussians are projected by numpy, sorted by depth, and each is added to all pixels
of the box outside which its alpha is below 1/255. A scene of a million takes seconds, not hours.
"""

# The blender is typed by numba.
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.gaussians import Gaussians

F64 = NDArray[np.float64]

_CHUNK = 1 << 16
_ALPHA_CUT = 1 / 255
_BOX_MARGIN_PX = 1e-6


@dataclass(frozen=True)
class Exact:
    """rgb [H, W, 3] in [0, 1], depth [H, W] (+inf where alpha < 1/255), alpha [H, W], all float64."""

    rgb: F64
    depth: F64
    alpha: F64


@dataclass(frozen=True)
class _Splats:
    """Rows: centre x, y and inverse covariance xx, xy, yy; colour; depth; opacity; box x0 y0 x1 y1."""

    shape: F64
    colour: F64
    depth: F64
    opacity: F64
    box: NDArray[np.int64]


def render_exact(
    parts: Sequence[Gaussians] | Gaussians,
    world_from_camera: ArrayLike,
    intrinsics: ArrayLike,
    size_px: tuple[int, int],
    *,
    near: float,
    background: tuple[float, float, float] = (0.0, 0.0, 0.0),
    eps2d: float = 0.3,
) -> Exact:
    """The picture by the rules of :func:`anix_cli.splat.render`, with the same arguments."""
    pose, k = np.asarray(world_from_camera, np.float64), np.asarray(intrinsics, np.float64)
    width, height = size_px
    sets = (parts,) if isinstance(parts, Gaussians) else tuple(parts)
    found = [
        _project(part.take(np.arange(at, min(at + _CHUNK, len(part)))), pose, k, size_px, near, eps2d)
        for part in sets
        for at in range(0, len(part), _CHUNK)
    ]
    picture = np.zeros((height, width, 5))
    picture[..., 0] = 1  # transmittance, negative once the pixel is finished; then red, green, blue, depth
    if found:
        columns = ("shape", "colour", "depth", "opacity", "box")
        splats = _Splats(*(np.concatenate([getattr(one, name) for one in found]) for name in columns))
        order = np.argsort(splats.depth.astype(np.float32), kind="stable")
        _blender()(
            splats.shape[order], splats.colour[order], splats.depth[order], splats.opacity[order],
            splats.box[order], picture,
        )  # fmt: skip
    left = np.abs(picture[..., 0])
    alpha = 1 - left
    with np.errstate(divide="ignore", invalid="ignore"):
        depth = np.where(alpha >= _ALPHA_CUT, picture[..., 4] / alpha, np.inf)
    rgb = picture[..., 1:4] + left[..., None] * np.array(background, np.float64)
    return Exact(np.clip(rgb, 0, 1), depth, alpha)


def psnr_db(actual: ArrayLike, expected: ArrayLike, peak: float = 1.0) -> float:
    """Peak signal-to-noise ratio of floats; infinite for equal arrays."""
    error = float(np.mean((np.asarray(actual, np.float64) - np.asarray(expected, np.float64)) ** 2))
    return math.inf if error == 0 else 10 * math.log10(peak**2 / error)


def _project(
    part: Gaussians, pose: F64, k: F64, size_px: tuple[int, int], near: float, eps2d: float
) -> _Splats:
    focal, point, size = np.diag(k)[:2], k[:2, 2], np.array(size_px, np.float64)
    rotation = pose[:3, :3].T
    camera = (part.means.astype(np.float64) - pose[:3, 3]) @ rotation.T
    kept = (camera[:, 2] >= near) & (camera[:, 2] > 0) & (part.opacities >= _ALPHA_CUT)
    part, camera = part.take(kept), camera[kept]
    z, slope = camera[:, 2], camera[:, :2] / camera[:, 2:]
    margin = 0.3 * size / (2 * focal)
    limited = np.clip(slope, -point / focal - margin, (size - point) / focal + margin)
    # J·W·R·S: where the three axes of each Gaussian point in the picture, pixels.
    turned = rotation @ (_rotations(part.quats) * part.scales.astype(np.float64)[:, None, :])
    axes = (focal / z[:, None])[:, :, None] * (turned[:, :2] - limited[:, :, None] * turned[:, 2:])
    xx, yy = (axes**2).sum(axis=2).T + eps2d
    xy = (axes[:, 0] * axes[:, 1]).sum(axis=1)
    sharp = (np.cross(axes[:, 0], axes[:, 1]) ** 2).sum(axis=1)
    det = sharp + eps2d * (xx + yy - eps2d)
    opacity = part.opacities.astype(np.float64)
    if part.antialiased:
        opacity = opacity * np.sqrt(sharp / det)
    centre = focal * slope + point
    box, seen = _boxes(centre, np.stack([xx, yy], axis=1), opacity, size_px)
    seen &= (det > 0) & np.isfinite(det)
    shape = np.stack([*centre.T, yy / det, -xy / det, xx / det], axis=1)
    colour = _colours(part.sh[seen], part.means[seen].astype(np.float64) - pose[:3, 3])
    return _Splats(shape[seen], colour, z[seen], opacity[seen], box[seen])


def _boxes(
    centre: F64, variance: F64, opacity: F64, size_px: tuple[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """[N, 4] pixels x0 y0 x1 y1 (half open) that can have alpha ≥ 1/255, and whether there are any."""
    with np.errstate(invalid="ignore", over="ignore"):
        reach = np.log(np.maximum(255 * opacity, 1e-300))
        half = np.sqrt(variance * 2 * np.maximum(reach, 0)[:, None]) + _BOX_MARGIN_PX
        low = np.clip(np.ceil(centre - half - 0.5), 0, size_px)
        high = np.clip(np.floor(centre + half - 0.5) + 1, 0, size_px)
    seen = (opacity >= _ALPHA_CUT) & (low < high).all(axis=1)
    box = np.where(seen[:, None], np.concatenate([low, high], axis=1), 0).astype(np.int64)
    return box, seen


def _rotations(quats: NDArray[np.float32]) -> F64:
    """[N, 3, 3] of quaternions wxyz, any length."""
    unit = quats.astype(np.float64)
    w, x, y, z = (unit / np.linalg.norm(unit, axis=1)[:, None]).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _colours(sh: NDArray[np.float32], away: F64) -> F64:
    """max(0, ½ + Σ Y·sh) along the unit vectors of ``away``; real harmonics with Inria's signs."""
    x, y, z = (away / np.linalg.norm(away, axis=1, keepdims=True)).T
    one, two, three = (math.sqrt(value / math.pi) for value in (3 / 4, 15, 35 / 2))
    four, five, six = (math.sqrt(value / math.pi) for value in (21 / 2, 5, 105))
    basis = [
        np.full_like(x, 0.5 / math.sqrt(math.pi)),
        -one * y,
        one * z,
        -one * x,
        two / 2 * x * y,
        -two / 2 * y * z,
        five / 4 * (3 * z**2 - 1),
        -two / 2 * x * z,
        two / 4 * (x**2 - y**2),
        -three / 4 * y * (3 * x**2 - y**2),
        six / 2 * x * y * z,
        -four / 4 * y * (5 * z**2 - 1),
        math.sqrt(7 / math.pi) / 4 * z * (5 * z**2 - 3),
        -four / 4 * x * (5 * z**2 - 1),
        six / 4 * z * (x**2 - y**2),
        -three / 4 * x * (x**2 - 3 * y**2),
    ]
    held = np.stack(basis[: sh.shape[1]], axis=1)
    return np.asarray(np.maximum(0, 0.5 + np.einsum("nk,nkc->nc", held, sh.astype(np.float64))))


@cache
def _blender():
    """Compiled when first used: it is no part of any film."""
    import numba

    @numba.njit(parallel=True, nogil=True)
    def blend(shape, colour, depth, opacity, box, picture):
        """Adds Gaussians, nearest first, to [H, W, 5] pixels; bands of rows are independent."""
        height = picture.shape[0]
        for band in numba.prange((height + 7) // 8):
            top, bottom = band * 8, min(band * 8 + 8, height)
            for i in range(depth.size):
                if box[i, 1] >= bottom or box[i, 3] <= top:
                    continue
                for row in range(max(top, box[i, 1]), min(bottom, box[i, 3])):
                    dy = row + 0.5 - shape[i, 1]
                    for column in range(box[i, 0], box[i, 2]):
                        left = picture[row, column, 0]
                        if left < 0:
                            continue
                        dx = column + 0.5 - shape[i, 0]
                        sigma = 0.5 * (shape[i, 2] * dx * dx + shape[i, 4] * dy * dy) + shape[i, 3] * dx * dy
                        alpha = min(0.999, opacity[i] * math.exp(-sigma))
                        if alpha < _ALPHA_CUT:
                            continue
                        if left * (1 - alpha) <= 1e-4:
                            picture[row, column, 0] = -left
                            continue
                        weight = left * alpha
                        picture[row, column, 0] = left - weight
                        for c in range(3):
                            picture[row, column, 1 + c] += weight * colour[i, c]
                        picture[row, column, 4] += weight * depth[i]

    return blend
