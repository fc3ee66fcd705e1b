"""The town hall: an arcade, a floor of tall windows, and a clock tower with a pyramid of tiles."""

from __future__ import annotations

import numpy as np

from .facade import Floor, House, house
from .ground import worn
from .roof import tiled
from .surfaces import METAL, RGB, Surfels, ball, box, join, line, quad, ring
from .windows import RECESS_M, Trim, glazing, reveal, surround

STONE: RGB = (226, 206, 168)
TRIM = Trim(stone=(236, 222, 194), shutter=(84, 100, 84), door=(94, 60, 44))
HALF_M = 1.9
TOP_M = 15.2
FRONT_M = -0.8
BACK_M = FRONT_M - 2 * HALF_M
OPENING_M = (1.1, 12.2, 14.4)
"""The belfry's opening: width, sill, head."""

Vector = tuple[float, float, float]


def town_hall() -> Surfels:
    """The house with its tower over the middle; the façade's frame."""
    spec = House(
        15.6,
        (Floor(3.9, ("arch",) * 6), Floor(3.6, ("tall", "tall", "balcony", "balcony", "tall", "tall"))),
        STONE,
        TRIM,
        depth_m=8.0,
        roof_pitch=0.5,
        quoins=True,
    )
    return join([house(spec), *_shaft(), *_belfry(), *_dressings(), *_clock(), *_spire()])


def _shaft() -> list[Surfels]:
    """Four walls from the eaves to the belfry with its opening."""
    low, z, back = 7.2, FRONT_M, BACK_M
    wide, sill, head = OPENING_M
    return [
        _wall((-HALF_M, low, z), (2 * HALF_M, 0, 0), (0, sill - low, 0), 0.24),
        _wall((-HALF_M, sill, z), (HALF_M - wide / 2, 0, 0), (0, head - sill, 0), 0.2),
        _wall((wide / 2, sill, z), (HALF_M - wide / 2, 0, 0), (0, head - sill, 0), 0.2),
        _wall((-HALF_M, head, z), (2 * HALF_M, 0, 0), (0, TOP_M - head, 0), 0.24),
        _wall((HALF_M, low, z), (0, 0, back - z), (0, TOP_M - low, 0), 0.3),
        _wall((-HALF_M, low, back), (0, 0, z - back), (0, TOP_M - low, 0), 0.3),
        quad((HALF_M, low, back), (-2 * HALF_M, 0, 0), (0, TOP_M - low, 0), worn(STONE, 0.05), spacing=0.5),
        quad((-wide / 2, sill, z - 0.4), (wide, 0, 0), (0, head - sill, 0), (50, 44, 42), spacing=0.25),
    ]


def _wall(corner: Vector, u: Vector, v: Vector, spacing: float) -> Surfels:
    edges = (True, True, False, False)
    return quad(corner, u, v, worn(STONE, 0.05), spacing=spacing, edges=edges)


def _belfry() -> list[Surfels]:
    """What dresses the opening: its reveal, its surround, and louvres."""
    (wide, sill, head), z = OPENING_M, FRONT_M
    parts = []
    for part in (*reveal(wide, sill, head, TRIM.stone), *surround(wide, sill, head, TRIM.stone, foot=True)):
        parts.append(part.placed((0, 0, z)))
    for y in np.arange(sill + 0.12, head, 0.17):
        parts.append(
            line((-wide / 2, y, z - RECESS_M), (wide / 2, y, z - RECESS_M), 0.10, (120, 96, 72), segment=0.4)
        )
    return parts


def _dressings() -> list[Surfels]:
    """String courses, quoins, and the small window under the clock."""
    z, back = FRONT_M, BACK_M
    parts = []
    for y, out in ((8.9, 0.08), (11.8, 0.12), (TOP_M - 0.35, 0.12), (TOP_M - 0.12, 0.30)):
        parts.append(
            box(
                (-HALF_M - out, y - 0.1, back - out),
                (HALF_M + out, y + 0.12, z + out),
                worn(TRIM.stone),
                spacing=0.3,
                edge=0.06,
            )
        )
    for y in np.arange(9.1, TOP_M - 0.6, 0.42):
        long = 0.5 if round(y / 0.42) % 2 else 0.32
        for side in (-1, 1):
            x0, x1 = sorted((side * (HALF_M + 0.03), side * (HALF_M - long)))
            parts.append(
                box(
                    (x0, y + 0.02, z),
                    (x1, y + 0.39, z + 0.04),
                    worn(TRIM.stone),
                    faces="ZxX",
                    spacing=0.25,
                    edge=0.06,
                )
            )
    for part in glazing(0.7, 7.75, 8.6, (2, 1), TRIM.frame):
        parts.append(part.placed((0, 0, z + 0.2)))
    return parts


def _clock() -> list[Surfels]:
    """A white face with a stone rim, twelve marks and hands at ten past ten."""
    middle = np.array([0.0, 10.35, -0.72])
    face = join(
        [
            ring((0, 0, 0), 0.0, 0.95, (244, 238, 224), spacing=0.17, speckle=0.01),
            ring((0, 0.03, 0), 0.93, 1.16, TRIM.stone, spacing=0.11, edges=(True, True)),
            ring((0, 0.035, 0), 0.84, 0.87, (60, 56, 60), spacing=0.06, speckle=0.01),
        ]
    )
    # The rings face up; stand them upright, facing +Z.
    upright = np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])
    face = Surfels(
        face.means @ upright.T, face.normals @ upright.T, face.tangents @ upright.T,
        face.sizes, face.colours, face.opacities, face.finish,
    ).placed(middle)  # fmt: skip
    parts = [face]
    ink = (40, 38, 44)
    for hour in range(12):
        angle = hour / 12 * 2 * np.pi
        out = np.array([np.sin(angle), np.cos(angle), 0])
        start, width = (0.62, 0.075) if hour % 3 == 0 else (0.69, 0.045)
        parts.append(
            line(
                middle + out * start + [0, 0, 0.04],
                middle + out * 0.81 + [0, 0, 0.04],
                width,
                ink,
                thickness=0.004,
            )
        )
    for turn, reach, width in ((305.0, 0.46, 0.085), (60.0, 0.68, 0.055)):
        out = np.array([np.sin(np.radians(turn)), np.cos(np.radians(turn)), 0])
        parts.append(
            line(
                middle - out * 0.1 + [0, 0, 0.06],
                middle + out * reach + [0, 0, 0.06],
                width,
                ink,
                segment=0.2,
                thickness=0.004,
            )
        )
    return parts


def _spire() -> list[Surfels]:
    """A pyramid of tiles with a ball and a vane."""
    half, rise = HALF_M + 0.45, 3.6
    parts = []
    for yaw in (0, 90, 180, 270):
        slope = tiled(np.array([-half, 0, half]), (2 * half, 0, 0), (0, rise, -half), (168, 86, 60))
        for part in slope:
            share = part.means[:, 1] / rise
            keep = np.abs(part.means[:, 0]) < half * (1 - share) + 0.06
            parts.append(part.where(keep).placed((0, TOP_M, -0.8 - HALF_M), yaw))
    tip = np.array([0, TOP_M + rise, -0.8 - HALF_M])
    rise_to = [tip + np.array([0, up, 0]) for up in (0.1, 1.25, 1.5)]
    parts.append(ball(rise_to[0], 0.2, 40, (206, 170, 92), finish=METAL))
    parts.append(line(tip, rise_to[2], 0.07, (60, 56, 54), segment=0.3))
    parts.append(line(rise_to[1], rise_to[1] + np.array([0.6, 0, 0]), 0.16, (206, 170, 92), segment=0.2))
    return parts
