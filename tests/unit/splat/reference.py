"""The float64 reference rasteriser: brute force, one Gaussian after the other over all pixels.

It follows the rules that ``anix_cli.splat.render`` states, from the published formulae and by other means
where there is a choice: full 3 × 3 covariances, an inverted 2 × 2 matrix, no tiles, no extents, no tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.gaussians import Gaussians

F64 = NDArray[np.float64]

# Real spherical harmonics as polynomials of the unit direction, with the signs of Kerbl et al. 2023.
_BASIS: tuple[Callable[[F64, F64, F64], F64], ...] = (
    lambda x, y, z: 0.5 / np.sqrt(np.pi) + 0 * x,
    lambda x, y, z: -np.sqrt(3 / (4 * np.pi)) * y,
    lambda x, y, z: np.sqrt(3 / (4 * np.pi)) * z,
    lambda x, y, z: -np.sqrt(3 / (4 * np.pi)) * x,
    lambda x, y, z: 0.5 * np.sqrt(15 / np.pi) * x * y,
    lambda x, y, z: -0.5 * np.sqrt(15 / np.pi) * y * z,
    lambda x, y, z: 0.25 * np.sqrt(5 / np.pi) * (2 * z**2 - x**2 - y**2),
    lambda x, y, z: -0.5 * np.sqrt(15 / np.pi) * x * z,
    lambda x, y, z: 0.25 * np.sqrt(15 / np.pi) * (x**2 - y**2),
    lambda x, y, z: -0.25 * np.sqrt(35 / (2 * np.pi)) * y * (3 * x**2 - y**2),
    lambda x, y, z: 0.5 * np.sqrt(105 / np.pi) * x * y * z,
    lambda x, y, z: -0.25 * np.sqrt(21 / (2 * np.pi)) * y * (4 * z**2 - x**2 - y**2),
    lambda x, y, z: 0.25 * np.sqrt(7 / np.pi) * z * (2 * z**2 - 3 * x**2 - 3 * y**2),
    lambda x, y, z: -0.25 * np.sqrt(21 / (2 * np.pi)) * x * (4 * z**2 - x**2 - y**2),
    lambda x, y, z: 0.25 * np.sqrt(105 / np.pi) * z * (x**2 - y**2),
    lambda x, y, z: -0.25 * np.sqrt(35 / (2 * np.pi)) * x * (x**2 - 3 * y**2),
)


@dataclass(frozen=True)
class Reference:
    """rgb [H, W, 3], depth [H, W], alpha [H, W], all float64."""

    rgb: F64
    depth: F64
    alpha: F64


@dataclass(frozen=True)
class _Splats:
    centres: F64
    inverses: F64
    colours: F64
    depths: F64
    opacities: F64


def render(
    parts: Sequence[Gaussians],
    world_from_camera: F64,
    intrinsics: F64,
    size_px: tuple[int, int],
    *,
    near: float,
    background: tuple[float, float, float] = (0.0, 0.0, 0.0),
    eps2d: float = 0.3,
) -> Reference:
    """The picture, by the rules of ``anix_cli.splat.render``."""
    width, height = size_px
    splats = _join(
        [_project(part, world_from_camera, intrinsics, size_px, near=near, eps2d=eps2d) for part in parts]
    )
    pixels = np.stack(np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5), axis=-1)
    left = np.ones((height, width))
    live = np.ones((height, width), bool)
    rgb, depth = np.zeros((height, width, 3)), np.zeros((height, width))
    for i in np.argsort(splats.depths.astype(np.float32), kind="stable"):
        offset = pixels - splats.centres[i]
        sigma = 0.5 * np.einsum("hwi,ij,hwj->hw", offset, splats.inverses[i], offset)
        alpha = np.minimum(0.999, splats.opacities[i] * np.exp(-sigma))
        drawn = live & (alpha >= 1 / 255)
        following = left * (1 - alpha)
        live &= ~(drawn & (following <= 1e-4))
        weight = np.where(drawn & live, left * alpha, 0)
        rgb += weight[..., None] * splats.colours[i]
        depth += weight * splats.depths[i]
        left = np.where(drawn & live, following, left)
    total = 1 - left
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.where(total >= 1 / 255, depth / total, np.inf)
    return Reference(np.clip(rgb + left[..., None] * np.array(background), 0, 1), expected, total)


def _project(
    part: Gaussians,
    world_from_camera: F64,
    intrinsics: F64,
    size_px: tuple[int, int],
    *,
    near: float,
    eps2d: float,
) -> _Splats:
    means = part.means.astype(np.float64)
    rotation = world_from_camera[:3, :3].T
    camera = means @ rotation.T - rotation @ world_from_camera[:3, 3]
    kept = (camera[:, 2] >= near) & (camera[:, 2] > 0)
    part, means, camera = part.take(kept), means[kept], camera[kept]

    focal, point = np.diag(intrinsics)[:2], intrinsics[:2, 2]
    size = np.array(size_px, np.float64)
    slope = camera[:, :2] / camera[:, 2:]
    margin = 0.3 * size / (2 * focal)
    limited = np.clip(slope, -point / focal - margin, (size - point) / focal + margin)
    jacobian = np.zeros((len(means), 2, 3))
    for axis in range(2):
        jacobian[:, axis, axis] = focal[axis] / camera[:, 2]
        jacobian[:, axis, 2] = -focal[axis] * limited[:, axis] / camera[:, 2]
    stretch = _rotations(part.quats) * part.scales.astype(np.float64)[:, None, :]
    flat = jacobian @ rotation @ stretch
    sharp = flat @ flat.transpose(0, 2, 1)
    blurred = sharp + eps2d * np.eye(2)

    opacities = part.opacities.astype(np.float64)
    if part.antialiased:
        # Singular values, not det(sharp): that cancels for needles even in float64.
        widths = np.linalg.svd(flat, compute_uv=False) ** 2
        opacities = opacities * np.sqrt(np.prod(widths / (widths + eps2d), axis=1))
    away = means - world_from_camera[:3, 3]
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    basis = np.stack([f(*away.T) for f in _BASIS[: part.sh.shape[1]]], axis=-1)
    colours = np.maximum(0, 0.5 + np.einsum("nk,nkc->nc", basis, part.sh.astype(np.float64)))
    return _Splats(focal * slope + point, np.linalg.inv(blurred), colours, camera[:, 2], opacities)


def _rotations(quats: NDArray[np.float32]) -> F64:
    """[N, 3, 3] of quaternions wxyz: v → q v q⁻¹ on the three unit vectors."""
    q = quats.astype(np.float64)
    w, u = (
        q[:, :1] / np.linalg.norm(q, axis=1, keepdims=True),
        q[:, 1:] / np.linalg.norm(q, axis=1, keepdims=True),
    )
    columns = []
    for axis in np.eye(3):
        turned = 2 * np.cross(u, axis)
        columns.append(axis + w * turned + np.cross(u, turned))
    return np.stack(columns, axis=-1)


def _join(parts: Sequence[_Splats]) -> _Splats:
    return _Splats(
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("centres", "inverses", "colours", "depths", "opacities")
        )
    )


def psnr_db(actual: NDArray[np.floating], expected: NDArray[np.floating], peak: float = 1.0) -> float:
    """Peak signal-to-noise ratio; infinite for equal arrays."""
    error = float(np.mean((np.asarray(actual, np.float64) - expected) ** 2))
    return float("inf") if error == 0 else 10 * np.log10(peak**2 / error)
