"""Baked light for surfels: a low warm sun with soft shadows, a blue sky with ambient occlusion, bounce.

Shadows and occlusion come from a distance field of the surfels themselves on a voxel grid, walked by sphere
tracing (Hart 1996). Shiny finishes get view-dependent colour as spherical harmonics of degree 2 with the
signs of Kerbl et al. 2023.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.gaussians import Gaussians

from .surfaces import GHOST, GLASS, GLOW, LEAF, METAL, WATER, WET, Surfels, hashed

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]

TO_SUN = np.array([-0.52, 0.58, -0.66]) / np.linalg.norm([-0.52, 0.58, -0.66])
SUN = np.array([1.00, 0.82, 0.58]) * 3.1
SKY = np.array([0.58, 0.71, 0.98]) * 0.66
BOUNCE = np.array([0.86, 0.68, 0.50]) * 0.55
EXPOSURE = 0.80

VOXEL_M = 0.125
LOW_M = np.array([-16.0, -0.5, -14.0])
HIGH_M = np.array([18.5, 16.0, 20.5])

# Real spherical harmonics to degree 2 (Kerbl et al. 2023, Inria's signs).
C0 = 0.28209479177387814
C1 = 0.4886025119029199
C2_ZZ = 0.31539156525252005
C2_XX_YY = 0.5462742152960396


@dataclass(frozen=True)
class DistanceField:
    """Distance to the nearest occupied voxel, metres, on a grid from ``LOW_M`` to ``HIGH_M``."""

    metres: F32

    def at(self, points: F64) -> F64:
        """Distances [N] at points [N, 3]; 4 m outside the grid."""
        from scipy.ndimage import map_coordinates

        index = ((points - LOW_M) / VOXEL_M - 0.5).T
        return np.asarray(map_coordinates(self.metres, index, order=1, mode="constant", cval=4.0), np.float64)


def distance_field(surfels: Surfels) -> DistanceField:
    """The field of all surfels that cast shadows (not the sky, glass or ghosts)."""
    from scipy.ndimage import distance_transform_edt

    solid = surfels.where(~np.isin(surfels.finish, (GLOW, GHOST, GLASS)))
    shape = np.round((HIGH_M - LOW_M) / VOXEL_M).astype(int)
    empty = np.ones(shape, dtype=bool)
    bitangents = np.cross(solid.normals, solid.tangents)
    # Five by five points over each disc, so that coarse cells leave no gap between voxels.
    for a in (-0.9, -0.45, 0.0, 0.45, 0.9):
        for b in (-0.9, -0.45, 0.0, 0.45, 0.9):
            points = (
                solid.means + a * solid.sizes[:, :1] * solid.tangents + b * solid.sizes[:, 1:2] * bitangents
            )
            index = np.floor((points - LOW_M) / VOXEL_M).astype(int)
            inside = np.all((index >= 0) & (index < shape), axis=1)
            empty[tuple(index[inside].T)] = False
    return DistanceField(np.asarray(distance_transform_edt(empty), dtype=np.float32) * np.float32(VOXEL_M))


def sun_seen(field: DistanceField, points: F64, normals: F64) -> F64:
    """How much of the sun is seen from each point [N], 0..1, with a penumbra that widens with distance."""
    start = points + normals * 0.17 + TO_SUN * 0.10
    travelled = np.full(len(points), 0.10)
    seen = np.ones(len(points))
    active = np.arange(len(points))
    for _ in range(80):
        at = start[active] + travelled[active, None] * TO_SUN
        d = field.at(at)
        seen[active] = np.minimum(seen[active], 16.0 * (d - 0.035) / (travelled[active] + 0.5))
        travelled[active] += np.clip(d, 0.06, 1.5)
        going = (seen[active] > 0) & (at[:, 1] < HIGH_M[1]) & (travelled[active] < 30)
        active = active[going]
        if not active.size:
            break
    return np.asarray(np.clip(seen, 0, 1))


def sky_seen(field: DistanceField, points: F64, normals: F64) -> F64:
    """Ambient occlusion [N]: 1 in the open, towards 0 in corners and under things."""
    hidden = np.zeros(len(points))
    for reach, weight in ((0.22, 0.30), (0.45, 0.30), (0.9, 0.28), (1.8, 0.22), (3.2, 0.18)):
        d = field.at(points + normals * reach)
        hidden += weight * np.clip(1 - (d + 0.06) / reach, 0, 1)
    return np.asarray(np.clip(1 - hidden, 0.12, 1))


def bake(surfels: Surfels) -> Gaussians:
    """Lit Gaussians, SH degree 2, stored sRGB, from surfels."""
    field = distance_field(surfels)
    lit = linear_from_srgb(surfels.colours)
    day = surfels.finish != GLOW
    points, normals = surfels.means[day], surfels.normals[day]
    sun = sun_seen(field, points, normals)
    sky = sky_seen(field, points, normals)
    facing = np.clip(normals @ TO_SUN, 0, None)
    leaf = surfels.finish[day] == LEAF
    # Leaves are lit from both sides: what shines through is weaker.
    facing[leaf] = 0.35 + 0.65 * np.abs(normals[leaf] @ TO_SUN)
    sun[leaf] = 0.18 + 0.82 * sun[leaf]
    sky[leaf] = 0.40 + 0.60 * sky[leaf]
    upward = 0.5 + 0.5 * normals[:, 1]
    bounce = (1.15 - upward) * np.exp(-np.clip(points[:, 1], 0, None) / 7.0)
    light = (
        (facing * sun)[:, None] * SUN
        + (sky * (0.35 + 0.65 * upward))[:, None] * SKY
        + (sky * bounce)[:, None] * BOUNCE
    )
    lit[day] *= light * EXPOSURE
    colours = srgb_from_linear(np.where(day[:, None], film(lit), lit))
    sh = np.zeros((len(surfels), 9, 3))
    sh[:, 0] = (colours - 0.5) / C0
    seen = np.ones(len(surfels))
    seen[day] = sky
    _add_shine(sh, surfels, seen)
    return Gaussians(
        means=np.asarray(np.round(surfels.means * 512) / 512, dtype=np.float32),
        quats=quats_of(surfels).astype(np.float32),
        scales=surfels.sizes.astype(np.float32),
        opacities=surfels.opacities.astype(np.float32),
        sh=sh.astype(np.float32),
    )


def _add_shine(sh: F64, surfels: Surfels, sky: F64) -> None:
    """View-dependent colour: water and glass that mirror the sky at a flat angle, glints towards the sun."""
    for finish, glint, sheen in (
        (WATER, (0.30, 0.26, 0.18), (0.30, 0.36, 0.40)),
        (GLASS, (0.16, 0.13, 0.09), (0.0, 0.0, 0.0)),
        (WET, (0.10, 0.09, 0.06), (0.10, 0.11, 0.12)),
        (METAL, (0.12, 0.11, 0.08), (0.0, 0.0, 0.0)),
    ):
        rows = np.flatnonzero(surfels.finish == finish)
        if not rows.size:
            continue
        normals = surfels.normals[rows].copy()
        if finish == WATER:
            ripple = np.stack([hashed(surfels.means[rows], salt) - 0.5 for salt in (1, 2, 3)], 1)
            normals += 0.35 * ripple
            normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        mirrored = 2 * (normals @ TO_SUN)[:, None] * normals - TO_SUN
        sees_sun = np.clip(normals @ TO_SUN + 0.25, 0, 1)
        amount = (sky[rows] * sees_sun)[:, None] * np.array(glint)
        _add_linear(sh, rows, -mirrored, amount)
        if finish == GLASS:
            _add_linear(
                sh, rows, np.array([0.0, 1.0, 0.0]), sky[rows][:, None] * np.array([0.22, 0.27, 0.33])
            )
        if any(sheen):
            _add_level_sheen(sh, rows, sky[rows][:, None] * np.array(sheen))


def _add_linear(sh: F64, rows: NDArray[np.int64], axis: F64, amount: F64) -> None:
    """Adds amount · (d · axis) for view direction d: degree 1."""
    x, y, z = np.broadcast_to(axis, (len(rows), 3)).T
    sh[rows, 1] -= amount * (y / C1)[:, None]
    sh[rows, 2] += amount * (z / C1)[:, None]
    sh[rows, 3] -= amount * (x / C1)[:, None]


def _add_level_sheen(sh: F64, rows: NDArray[np.int64], amount: F64) -> None:
    """Adds amount · (1 − y²) for view direction d = (x, y, z): bright at a flat angle over a level surface.

    y² = 1/3 − (2z² − x² − y²)/6 − (x² − y²)/2 on the unit sphere.
    """
    sh[rows, 0] += amount * (2 / 3) / C0
    sh[rows, 6] += amount / 6 / C2_ZZ
    sh[rows, 8] += amount / 2 / C2_XX_YY


def quats_of(surfels: Surfels) -> F64:
    """Unit quaternions [N, 4] wxyz whose axes are tangent, normal × tangent, normal."""
    t = surfels.tangents - surfels.normals * np.sum(surfels.tangents * surfels.normals, axis=1, keepdims=True)
    t = t / np.linalg.norm(t, axis=1, keepdims=True)
    b = np.cross(surfels.normals, t)
    m = np.stack([t, b, surfels.normals], axis=2)
    diagonal = m[:, [0, 1, 2], [0, 1, 2]]
    squares = np.stack(
        [
            1 + diagonal.sum(1),
            1 + diagonal[:, 0] - diagonal[:, 1] - diagonal[:, 2],
            1 - diagonal[:, 0] + diagonal[:, 1] - diagonal[:, 2],
            1 - diagonal[:, 0] - diagonal[:, 1] + diagonal[:, 2],
        ],
        axis=1,
    )
    w, x, y, z = (0.5 * np.sqrt(np.clip(squares, 0, None))).T
    a, b_, c = m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]
    d, e, f = m[:, 0, 1] + m[:, 1, 0], m[:, 0, 2] + m[:, 2, 0], m[:, 1, 2] + m[:, 2, 1]
    largest = np.argmax(squares, axis=1)
    safe = 4 * np.maximum(np.stack([w, x, y, z], 1)[np.arange(len(m)), largest], 1e-9)
    choices = np.stack(
        [
            np.stack([w * safe, a, b_, c], 1),
            np.stack([a, x * safe, d, e], 1),
            np.stack([b_, d, y * safe, f], 1),
            np.stack([c, e, f, z * safe], 1),
        ]
    )
    quats = choices[largest, np.arange(len(m))] / safe[:, None]
    return np.asarray(quats / np.linalg.norm(quats, axis=1, keepdims=True))


def film(value: F64) -> F64:
    """An exposure curve with a soft shoulder: bright walls keep their colour."""
    return np.asarray(1 - np.exp(-1.25 * value))


def linear_from_srgb(value: F64) -> F64:
    """Linear light of sRGB values 0..1 (IEC 61966-2-1)."""
    return np.asarray(np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4))


def srgb_from_linear(value: F64) -> F64:
    """sRGB values 0..1 of linear light 0..1 (IEC 61966-2-1)."""
    value = np.clip(value, 0, 1)
    return np.asarray(np.where(value <= 0.0031308, value * 12.92, 1.055 * value ** (1 / 2.4) - 0.055))
