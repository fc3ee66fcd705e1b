"""Procedural scenes to measure on: a town of flat Gaussians, the same for the same count and seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.camera import look_at
from anix_cli.core.gaussians import Gaussians

F64 = NDArray[np.float64]

NEAR_M = 0.05
_HALF_M = 40.0
_BLOCK_M = 16.0
_STREET_M = 6.0


def town(count: int, *, seed: int = 0, degree: int = 3) -> Gaussians:
    """A town on the stage (+Y up, metres): ground, houses along a grid of streets, trees in the streets.

    Surfaces are covered by discs whose size follows from their number, so that any count gives the same town.

    Args:
        count: number of Gaussians.
        degree: of the spherical harmonics; bands above 0 are small noise, as in a trained scene.
    """
    rng = np.random.default_rng(seed)
    ground_n, leaves_n = int(0.3 * count), int(0.2 * count)
    pieces = [_ground(rng, ground_n), _houses(rng, count - ground_n - leaves_n), _trees(rng, leaves_n)]
    means, normals, spacing, colours = (np.concatenate(column) for column in zip(*pieces, strict=True))

    scales = spacing[:, None] * np.exp(rng.normal(-0.3, 0.35, (count, 3)))
    scales[:, 2] *= 0.1
    sh = rng.normal(0, 0.03, (count, (degree + 1) ** 2, 3))
    sh[:, 0] = (colours - 0.5) * 2 * np.sqrt(np.pi)
    return Gaussians(
        means=means.astype(np.float32),
        quats=_facing(rng, normals).astype(np.float32),
        scales=scales.astype(np.float32),
        opacities=rng.beta(4, 1.2, count).astype(np.float32),
        sh=sh.astype(np.float32),
    )


def walk(frames: int) -> F64:
    """Cameras [F, 4, 4] down a street of the town at eye height, turning slowly from side to side."""
    poses = []
    for turn in np.linspace(0, 1, frames):
        eye = np.array([0.0, 1.7, -30 + 20 * turn])
        poses.append(look_at(eye, eye + np.array([3 * np.sin(5 * turn), 0.2, 10.0])))
    return np.stack(poses)


def cloud(count: int = 138_766, *, seed: int = 0) -> Gaussians:
    """A garden as points, such as photogrammetry gives, drawn as spheres of made-up sizes.

    A lawn, a round table and a hedge around, scanned from near the table: the further away, the fewer points.
    Each sphere is as large as the distance to its neighbours (the mean of three), all are of one opacity.
    """
    from scipy.spatial import cKDTree

    rng = np.random.default_rng(seed)
    lawn, top, hedge = int(0.45 * count), int(0.2 * count), count - int(0.45 * count) - int(0.2 * count)
    angle, radius = rng.uniform(0, 2 * np.pi, count), 0.8 * np.exp(rng.uniform(0, 2.6, count))
    means = np.stack([radius * np.cos(angle), 0.02 * rng.normal(size=count), radius * np.sin(angle)], axis=1)
    inside = 0.9 * np.sqrt(rng.uniform(0, 1, top))
    means[lawn : lawn + top, [0, 2]] *= (inside / radius[lawn : lawn + top])[:, None]
    means[lawn : lawn + top, 1] = 0.75 + 0.004 * rng.normal(size=top)
    means[lawn + top :, [0, 2]] *= ((8 + rng.normal(0, 0.5, hedge)) / radius[lawn + top :])[:, None]
    means[lawn + top :, 1] = 2.2 * rng.beta(1.2, 1.6, hedge)
    tint = np.repeat([[0.3, 0.42, 0.16], [0.55, 0.4, 0.25], [0.16, 0.3, 0.12]], [lawn, top, hedge], axis=0)
    colours = np.clip(tint + rng.normal(0, 0.08, (count, 3)), 0, 1)
    means = means.astype(np.float32)
    near, _ = cKDTree(means).query(means, k=4)
    size = np.maximum(near[:, 1:].mean(axis=1), 1e-4)
    return Gaussians(
        means=means,
        quats=np.tile(np.array([1, 0, 0, 0], np.float32), (count, 1)),
        scales=np.repeat(size[:, None], 3, axis=1).astype(np.float32),
        opacities=np.full(count, 0.8, np.float32),
        sh=((colours - 0.5) * 2 * np.sqrt(np.pi))[:, None].astype(np.float32),
    )


def cloud_walk(frames: int) -> F64:
    """Cameras [F, 4, 4] a third of the way round the table."""
    angles = np.linspace(0, 2 * np.pi / 3, frames)
    return np.stack([look_at((3.2 * np.cos(a), 1.6, 3.2 * np.sin(a)), (0, 0.6, 0)) for a in angles])


def _ground(rng: np.random.Generator, count: int) -> tuple[F64, F64, F64, F64]:
    means = np.zeros((count, 3))
    means[:, [0, 2]] = rng.uniform(-_HALF_M, _HALF_M, (count, 2))
    normals = np.tile([0.0, 1.0, 0.0], (count, 1))
    slabs = 0.03 * ((np.floor(means[:, 0]) + np.floor(means[:, 2])) % 2)
    colours = np.clip(0.42 + slabs[:, None] + rng.normal(0, 0.03, (count, 3)), 0, 1)
    return means, normals, np.full(count, np.sqrt(4 * _HALF_M**2 / count)), colours


def _houses(rng: np.random.Generator, count: int) -> tuple[F64, F64, F64, F64]:
    """Façades of one box per block of the street grid, with a pattern of windows."""
    centres = np.arange(-_HALF_M + _BLOCK_M / 2, _HALF_M, _BLOCK_M)
    x, z = (axis.ravel() for axis in np.meshgrid(centres, centres))
    height = rng.uniform(6, 15, x.size)
    side = _BLOCK_M - _STREET_M
    house = rng.choice(x.size, count, p=height / height.sum())
    face = rng.integers(0, 4, count)
    normals = np.zeros((count, 3))
    normals[:, 0], normals[:, 2] = np.array([1, -1, 0, 0])[face], np.array([0, 0, 1, -1])[face]
    along, up = rng.uniform(-side / 2, side / 2, count), rng.uniform(0, 1, count) * height[house]
    means = (
        normals * side / 2
        + np.stack([normals[:, 2], np.zeros(count), normals[:, 0]], axis=1) * along[:, None]
    )
    # A street runs through x = 0: shift the grid by half a block.
    means += np.stack([x[house] + _BLOCK_M / 2, up, z[house]], axis=1)
    window = (np.abs(along % 2.5 - 1.25) < 0.6) & (np.abs(up % 3.0 - 1.6) < 0.8)
    paint = rng.uniform(0.45, 0.8, (x.size, 3))[house]
    colours = np.where(window[:, None], [0.15, 0.2, 0.28], paint) + rng.normal(0, 0.02, (count, 3))
    area = 4 * side * height.sum()
    return means, normals, np.full(count, np.sqrt(area / count)), np.clip(colours, 0, 1)


def _trees(rng: np.random.Generator, count: int) -> tuple[F64, F64, F64, F64]:
    """Crowns of scattered leaves on both sides of the street at x = 0."""
    spots = np.arange(-_HALF_M + 4, _HALF_M, 8.0)
    tree = rng.integers(0, 2 * spots.size, count)
    offset = rng.normal(size=(count, 3))
    offset *= (rng.uniform(0, 1, count) ** (1 / 3) / np.linalg.norm(offset, axis=1))[:, None] * [
        1.4,
        1.8,
        1.4,
    ]
    foot = np.stack([np.where(tree % 2 == 0, -2.4, 2.4), np.full(count, 4.2), spots[tree // 2]], axis=1)
    colours = np.array([0.2, 0.42, 0.14]) + rng.normal(0, 0.07, (count, 3))
    spacing = np.full(count, 0.9 * np.sqrt(spots.size * 2 * 4 * np.pi * 1.5**2 / count))
    return foot + offset, rng.normal(size=(count, 3)), spacing, np.clip(colours, 0, 1)


def _facing(rng: np.random.Generator, normals: F64) -> F64:
    """Quaternions wxyz [N, 4] that take local z to the normals, turned about them at random."""
    z = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    # Half way between local z and the normal; where they are opposite, a half turn about x.
    tilt = np.stack([1 + z[:, 2], -z[:, 1], z[:, 0], np.zeros(len(z))], axis=1)
    tilt[tilt[:, 0] < 1e-9] = [0, 1, 0, 0]
    tilt /= np.linalg.norm(tilt, axis=1, keepdims=True)
    angle = rng.uniform(0, np.pi, len(z))
    c, s = np.cos(angle), np.sin(angle)
    w, x, y, k = tilt.T
    return np.stack([w * c - k * s, x * c + y * s, y * c - x * s, w * s + k * c], axis=1)
