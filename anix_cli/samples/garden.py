"""A small garden: a round paved court with benches, a lamp, hedges and trees on a lawn; light to render."""

from __future__ import annotations

import numpy as np

from anix_cli.core.gaussians import Gaussians

from .backdrop import groves, hills, land, sky
from .furniture import bench, lamp
from .greenery import GREENS, planter, tree
from .ground import joint, worn
from .light import bake
from .surfaces import F64, LEAF, Surfels, box, join, quad, ring, stain, surfels, tangents_of

COURT_M = 5.6
"""Radius of the paving; all of it but the rim is kept free."""
LAWN_M = 14.0
HEDGE_M = 8.6
"""Radius on which the hedges stand; the gaps between them lie on the axes and are 3 m wide."""
SLAB_M = 0.8
TREES = (
    (-7.2, 9.4, 5.2, 1.9, 31),
    (8.4, 8.0, 5.8, 2.0, 32),
    (10.2, -4.6, 5.4, 1.9, 33),
    (-9.8, -3.4, 6.0, 2.1, 34),
)
BENCHES = ((-4.3, 3.4, 128.0), (4.4, 3.2, -126.0))
LAMPS = ((-5.3, -1.4), (2.2, 5.5))
PLANTERS = ((-1.9, 5.6), (5.7, -1.6), (-3.4, -4.8))


def garden() -> Gaussians:
    """The whole scene on the stage: +Y up, metres, ground at y = 0, SH degree 2, stored sRGB."""
    parts = [_lawn(), _tufts(), *_paving(), *_hedges()]
    parts += [tree(x, z, high, crown, seed, leaves=90, leaf_m=0.125) for x, z, high, crown, seed in TREES]
    parts += [bench(x, z, yaw) for x, z, yaw in BENCHES]
    parts += [lamp(x, z) for x, z in LAMPS]
    parts += [planter(x, z, 90 + k) for k, (x, z) in enumerate(PLANTERS)]
    return bake(join([*parts, sky(), hills(), land(), groves()]))


def _paving() -> list[Surfels]:
    """Square slabs of several tones with their joints, cut to a circle, and a pale kerb round them."""
    bed = ring((0, -0.10, 0), 0.0, COURT_M + 0.1, (120, 108, 94), spacing=0.3)
    faces: list[Surfels] = []
    joints: list[Surfels] = []
    count = int(np.ceil(COURT_M / SLAB_M))
    rng = np.random.default_rng(81)
    for i in range(-count, count):
        for k in range(-count, count):
            x, z = i * SLAB_M, k * SLAB_M
            tone = 0.90 + 0.16 * rng.random()
            colour = worn((196 * tone, 182 * tone, 160 * tone), 0.05)
            side = SLAB_M - 0.03
            faces.append(
                quad((x + 0.015, 0, z + 0.015), (0, 0, side), (side, 0, 0), colour, spacing=0.2, speckle=0.02)
            )
            corner = np.array([x, 0.006, z])
            joints.append(joint(corner, corner + np.array([SLAB_M, 0, 0])))
            joints.append(joint(corner, corner + np.array([0, 0, SLAB_M])))
    inside = COURT_M - 0.12
    slabs = join([*faces, *joints])
    kerb = ring((0, 0.006, 0), COURT_M - 0.2, COURT_M, (218, 208, 188), spacing=0.16, edges=(True, True))
    return [bed, slabs.where(np.hypot(slabs.means[:, 0], slabs.means[:, 2]) < inside), kerb]


def _lawn() -> Surfels:
    """Mown grass from the court to where the land begins, finer near the court."""
    parts: list[Surfels] = []
    radius = COURT_M + 0.12
    while radius < LAWN_M:
        step = 0.20 + 0.045 * (radius - COURT_M)
        count = round(2 * np.pi * radius / step)
        turn = (np.arange(count) + 0.5 * (len(parts) % 2)) / count * 2 * np.pi
        drop = -0.5 * np.clip((radius - 11.0) / 3.0, 0, 1) ** 2
        at = np.stack([radius * np.cos(turn), np.full(count, drop - 0.01), radius * np.sin(turn)], 1)
        parts.append(
            surfels(at, (0, 1, 0), (1, 0, 0), (0.72 * step, 0.72 * step, 0.01), _grass, speckle=0.10)
        )
        radius += step
    return join(parts)


def _grass(points: F64) -> F64:
    mix = (0.5 + 0.35 * stain(points, 5.0) + 0.15 * stain(points[:, [2, 1, 0]], 1.3))[:, None]
    dark, light = np.array([0.34, 0.44, 0.20]), np.array([0.50, 0.57, 0.26])
    return np.asarray(dark + (light - dark) * mix)


def _tufts() -> Surfels:
    """Blades and small flowers that stand out of the lawn, thickest along the kerb."""
    rng = np.random.default_rng(82)
    count = 3600
    turn = rng.uniform(0, 2 * np.pi, count)
    radius = COURT_M + 0.05 + 4.5 * rng.random(count) ** 2.2
    high = 0.05 + 0.05 * rng.random(count)
    at = np.stack([radius * np.cos(turn), 0.7 * high, radius * np.sin(turn)], 1)
    normals = rng.normal(size=(count, 3)) * np.array([1, 0.15, 1])
    tone = _grass(at) * (0.9 + 0.5 * rng.random((count, 1)))
    tone[rng.random(count) < 0.05] = (0.95, 0.92, 0.84)
    sizes = np.stack([np.full(count, 0.028), high * 0.7, np.full(count, 0.01)], 1)
    return surfels(at, normals, tangents_of(normals), sizes, lambda _: tone, speckle=0.0, finish=LEAF)


def _hedges() -> list[Surfels]:
    """Four clipped hedges in quarter circles."""
    parts = []
    gap = np.arcsin(1.5 / HEDGE_M)
    for quarter in range(4):
        start = quarter * np.pi / 2 + gap
        pieces = 7
        step = (np.pi / 2 - 2 * gap) / pieces
        for k in range(pieces):
            parts.append(_hedge(start + (k + 0.5) * step, HEDGE_M * step, 900 + quarter * 16 + k))
    return parts


def _hedge(turn: float, long: float, seed: int) -> Surfels:
    """One piece: a dark core in a coat of leaves; along the circle it is ``long`` metres."""
    rng = np.random.default_rng(seed)
    half, high, deep = long / 2 + 0.03, 1.0, 0.36
    core = box(
        (-half, 0, -deep + 0.07), (half, high - 0.08, deep - 0.07), (52, 70, 34), spacing=0.26, faces="xXYzZ"
    )
    count = 330
    side = rng.random(count)
    u, v = rng.uniform(-1, 1, count), rng.uniform(0, 1, count)
    top = side < 0.34
    front = np.where(side < 0.67, 1.0, -1.0)
    at = np.stack(
        [u * half, np.where(top, high, v * high), np.where(top, (2 * v - 1) * deep, front * deep)], 1
    )
    at += rng.normal(0, 0.025, at.shape)
    normals = np.stack([0 * u, np.where(top, 1.0, 0.2), np.where(top, 0.0, front)], 1)
    normals = normals + 0.6 * rng.normal(size=normals.shape)
    tone = GREENS[rng.integers(0, len(GREENS), count)] * (0.72 + 0.4 * rng.random((count, 1)))
    size = 0.075 + 0.035 * rng.random(count)
    sizes = np.stack([size, size * 0.7, np.full(count, 0.02)], 1)
    coat = surfels(at, normals, tangents_of(normals), sizes, lambda _: tone, speckle=0.0, finish=LEAF)
    place = (HEDGE_M * np.sin(turn), 0.0, HEDGE_M * np.cos(turn))
    return join([core, coat]).placed(place, float(np.degrees(turn)))
