"""The stone fountain: a step, a round basin of water, a column with two bowls, jets and falling water."""

from __future__ import annotations

import numpy as np

from .ground import worn
from .layout import FOUNTAIN_XZ
from .surfaces import GHOST, RGB, WATER, WET, Surfels, ball, cylinder, join, ring, surfels

STONE: RGB = (206, 194, 172)
DAMP: RGB = (150, 142, 124)
BASIN_M = 2.05
WATER_Y_M = 0.40


def fountain() -> Surfels:
    """The fountain, standing at ``FOUNTAIN_XZ``."""
    stone, damp = worn(STONE, 0.06), worn(DAMP, 0.1)
    parts = [
        cylinder((0, 0, 0), (2.5, 2.48), 0.13, stone, spacing=0.11, edge=0.03),
        ring((0, 0.13, 0), BASIN_M - 0.1, 2.48, stone, spacing=0.12, edge=0.04, finish=WET),
        cylinder((0, 0.13, 0), (BASIN_M - 0.02, BASIN_M), 0.36, stone, spacing=0.10),
        cylinder((0, 0.49, 0), (BASIN_M + 0.11, BASIN_M + 0.13), 0.12, stone, spacing=0.09, edge=0.03),
        ring(
            (0, 0.61, 0),
            BASIN_M - 0.24,
            BASIN_M + 0.12,
            stone,
            spacing=0.085,
            edges=(True, True),
            edge=0.03,
            finish=WET,
        ),
        ring((0, 0.49, 0), BASIN_M - 0.02, BASIN_M + 0.12, DAMP, spacing=0.14),
        cylinder(
            (0, 0.36, 0), (BASIN_M - 0.23, BASIN_M - 0.23), 0.22, damp, spacing=0.09, edge=0.03, inward=True
        ),
        ring((0, WATER_Y_M, 0), 0.0, BASIN_M - 0.22, _water, spacing=0.09, speckle=0.10, finish=WATER),
        *_grooves(),
        *_panels(),
        *_column(),
        *_jets(),
    ]
    x, z = FOUNTAIN_XZ
    return join(parts).placed((x, 0.0, z))


def _water(points: np.ndarray) -> np.ndarray:
    radius = np.hypot(points[:, 0], points[:, 2])[:, None]
    deep, shallow = np.array([0.20, 0.40, 0.42]), np.array([0.40, 0.56, 0.52])
    return np.asarray(deep + (shallow - deep) * np.clip((radius - 1.0) / 0.9, 0, 1))


def _grooves() -> list[Surfels]:
    """Dark lines where stone meets stone: finer than the baked occlusion resolves."""
    parts = []
    for radius, y, width, level in (
        (2.53, 0.004, 0.035, True),
        (BASIN_M + 0.03, 0.134, 0.030, True),
        (BASIN_M + 0.012, 0.478, 0.013, False),
        (BASIN_M + 0.135, 0.505, 0.007, False),
        (BASIN_M - 0.235, WATER_Y_M + 0.01, 0.014, False),
    ):
        count = round(2 * np.pi * radius / 0.16)
        turn = (np.arange(count) + 0.5) / count * 2 * np.pi
        out = np.stack([np.cos(turn), 0 * turn, np.sin(turn)], 1)
        around = np.stack([-np.sin(turn), 0 * turn, np.cos(turn)], 1)
        normal = np.array([[0.0, 1.0, 0.0]]) if level else out * np.sign(radius - BASIN_M)
        at = out * radius + np.array([0, y, 0])
        parts.append(
            surfels(at, normal, around, (0.085, width, 0.004), (92, 80, 68), opacity=0.6, finish=GHOST)
        )
    return parts


def _panels() -> list[Surfels]:
    """Pilasters round the basin, so that the wall has relief."""
    parts = []
    for k in range(12):
        angle = k / 12 * 2 * np.pi
        out = np.array([np.cos(angle), 0.0, np.sin(angle)])
        at = out * (BASIN_M + 0.05) + np.array([0, 0.31, 0])
        side = np.array([-np.sin(angle), 0.0, np.cos(angle)])
        for offset in (-0.07, 0.0, 0.07):
            for y in (-0.12, 0.0, 0.12):
                parts.append(
                    surfels(
                        at + side * offset + np.array([0, y, 0]),
                        out,
                        side,
                        (0.045, 0.07, 0.01),
                        (222, 210, 188),
                    )
                )
        parts.append(surfels(at - out * 0.03 + side * 0.12, out, side, (0.014, 0.16, 0.01), (120, 110, 96)))
    return parts


def _column() -> list[Surfels]:
    stone, damp = worn(STONE, 0.06), worn(DAMP, 0.08)
    return [
        cylinder((0, 0.3, 0), (0.46, 0.40), 0.35, damp, spacing=0.12, finish=WET),
        cylinder((0, 0.62, 0), (0.30, 0.20), 0.75, stone, spacing=0.10),
        cylinder((0, 1.30, 0), (0.18, 0.95), 0.26, stone, spacing=0.12),
        cylinder((0, 1.56, 0), (0.98, 1.00), 0.09, stone, spacing=0.11, edge=0.03),
        ring((0, 1.65, 0), 0.86, 1.0, stone, spacing=0.10, edges=(True, True), finish=WET),
        ring((0, 1.60, 0), 0.0, 0.88, (96, 140, 142), spacing=0.11, speckle=0.1, finish=WATER),
        cylinder((0, 1.58, 0), (0.20, 0.13), 0.62, stone, spacing=0.09),
        cylinder((0, 2.15, 0), (0.12, 0.50), 0.18, stone, spacing=0.09),
        cylinder((0, 2.33, 0), (0.52, 0.53), 0.06, stone, spacing=0.09, edge=0.02),
        ring((0, 2.36, 0), 0.0, 0.52, (110, 150, 150), spacing=0.10, speckle=0.1, finish=WATER),
        cylinder((0, 2.36, 0), (0.10, 0.06), 0.26, stone, spacing=0.07),
        ball((0, 2.72, 0), (0.13, 0.15, 0.13), 46, STONE),
    ]


def _jets() -> list[Surfels]:
    """Falling water: soft needles along parabolas, and foam where they land."""
    rng = np.random.default_rng(31)
    parts = []
    for streams, y0, r0, r1, y1, lift in (
        (10, 2.36, 0.50, 0.74, 1.62, 0.05),
        (16, 1.64, 0.97, 1.42, WATER_Y_M, 0.08),
    ):
        for k in range(streams):
            angle = (k + 0.5) / streams * 2 * np.pi
            out = np.array([np.cos(angle), 0.0, np.sin(angle)])
            t = (np.arange(9) + 0.5) / 9
            radius = r0 + (r1 - r0) * t
            y = y0 + lift * 4 * t * (1 - t) + (y1 - y0) * t**2
            at = out * radius[:, None] + np.stack([0 * y, y, 0 * y], 1)
            along = np.gradient(at, axis=0)
            side = np.array([-np.sin(angle), 0.0, np.cos(angle)])
            normals = np.cross(side, along)
            normals *= np.sign(normals @ out)[:, None]
            length = np.linalg.norm(along, axis=1)
            sizes = np.stack([0.62 * length, np.full(9, 0.022), np.full(9, 0.02)], 1)
            parts.append(surfels(at, normals, along, sizes, (214, 232, 238), opacity=0.62, finish=GHOST))
            foam = (
                out * r1
                + rng.normal(size=(7, 3)) * np.array([0.09, 0.012, 0.09])
                + np.array([0, y1 + 0.015, 0])
            )
            parts.append(
                surfels(foam, (0, 1, 0), out, (0.06, 0.06, 0.012), (232, 242, 244), opacity=0.6, finish=GHOST)
            )
    top = np.stack([rng.normal(size=26) * 0.02, 2.86 + 0.30 * rng.random(26), rng.normal(size=26) * 0.02], 1)
    parts.append(
        surfels(top, (0, 0, 1), (0, 1, 0), (0.06, 0.022, 0.022), (224, 238, 242), opacity=0.55, finish=GHOST)
    )
    return parts
