"""Pitched roofs of tiles, gables and chimneys; the same frame as the façades."""

from __future__ import annotations

import numpy as np

from .surfaces import ALL_EDGES, F64, RGB, Surfels, box, hashed, line, quad, surfels

TILE_M = (0.27, 0.40)
OVERHANG_M = 0.45


def pitched_roof(
    width: float, depth: float, eaves_m: float, *, pitch: float, tile: RGB, wall: RGB
) -> list[Surfels]:
    """Two slopes with the ridge along x over the middle of the depth. ``pitch`` is rise over run."""
    half = width / 2 + 0.2
    middle, rise = -depth / 2, pitch * (depth / 2)
    start_y = eaves_m + 0.10 - pitch * OVERHANG_M
    front = tiled(
        np.array([-half, start_y, OVERHANG_M]),
        (2 * half, 0, 0),
        (0, rise + pitch * OVERHANG_M, middle - OVERHANG_M),
        tile,
    )
    back = tiled(
        np.array([half, start_y, -depth - OVERHANG_M]), (-2 * half, 0, 0),
        (0, rise + pitch * OVERHANG_M, -middle + OVERHANG_M), tile, coarse=True,
    )  # fmt: skip
    ridge_y = eaves_m + 0.14 + rise
    parts = [
        *front,
        *back,
        line((-half, ridge_y, middle), (half, ridge_y, middle), 0.24, darker(tile, 0.92), segment=0.4),
    ]
    under = darker(wall, 0.8)
    parts.append(
        quad((-half, start_y - 0.05, 0), (2 * half, 0, 0), (0, 0, OVERHANG_M), (150, 120, 92), spacing=0.4)
    )
    for side in (-1, 1):
        parts += _gable(side * width / 2, eaves_m, depth, rise, under, facing=side)
    return parts


def tiled(
    corner: F64,
    u: tuple[float, float, float],
    v: tuple[float, float, float],
    tile: RGB,
    *,
    coarse: bool = False,
) -> list[Surfels]:
    """One slope from its lower edge (along ``u``) up along ``v``: a dark base and rows of round tiles."""
    along, up = np.array(u), np.array(v)
    wide, high = float(np.linalg.norm(along)), float(np.linalg.norm(up))
    below = 0.12 * np.cross(along / wide, up / high)
    base = quad(corner - below, u, v, darker(tile, 0.55), spacing=0.45, edges=ALL_EDGES, edge=0.1)
    scale = 1.9 if coarse else 1.0
    columns, rows = round(wide / TILE_M[0] / scale), round(high / TILE_M[1] / scale)
    i, j = np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5, indexing="ij")
    normal = np.cross(along / wide, up / high)
    at = corner + (i.reshape(-1, 1) / columns) * along + (j.reshape(-1, 1) / rows) * up + 0.035 * normal
    step_x, step_y = wide / columns, high / rows
    tone = 0.80 + 0.38 * hashed(at, 3)
    warm = hashed(at, 4)[:, None] * np.array([0.0, 0.10, 0.14])
    colours = np.array(tile) / 255.0 * tone[:, None] * (1 + warm)
    # Tiles lean a little out of the slope at their lower end, as they overlap.
    lean = normal + 0.16 * up / high
    parts = [
        base,
        surfels(
            at,
            lean,
            along / wide,
            (0.40 * step_x, 0.52 * step_y, 0.012),
            lambda _: np.clip(colours, 0, 1),
            speckle=0.0,
        ),
    ]
    if not coarse:
        lips = np.clip(colours * 0.6, 0, 1)
        low = at - 0.46 * step_y * up / high + 0.012 * normal
        parts.append(
            surfels(low, normal, along / wide, (0.40 * step_x, 0.024, 0.01), lambda _: lips, speckle=0.0)
        )
    return parts


def _gable(x: float, eaves_m: float, depth: float, rise: float, colour: RGB, *, facing: int) -> list[Surfels]:
    parts = []
    rows, ends = 12, (True, True, False, False)
    for k in range(rows):
        y0, y1 = eaves_m + rise * k / rows, eaves_m + rise * (k + 1) / rows
        inset = depth / 2 * (k + 0.6) / rows
        z0, z1 = -depth + inset, -inset
        if facing > 0:
            parts.append(
                quad(
                    (x, y0, z1), (0, 0, z0 - z1), (0, y1 - y0, 0), colour, spacing=0.6, edges=ends, edge=0.12
                )
            )
        else:
            parts.append(
                quad(
                    (x, y0, z0), (0, 0, z1 - z0), (0, y1 - y0, 0), colour, spacing=0.6, edges=ends, edge=0.12
                )
            )
    return parts


def chimney(x: float, y: float, z: float, colour: RGB = (168, 104, 80)) -> list[Surfels]:
    """A brick chimney that stands on a roof, with a cap."""
    return [
        box((x - 0.32, y - 0.8, z - 0.24), (x + 0.32, y + 0.9, z + 0.24), colour, faces="xXzZ", spacing=0.2),
        box((x - 0.40, y + 0.9, z - 0.32), (x + 0.40, y + 1.02, z + 0.32), (150, 140, 130), spacing=0.3),
    ]


def darker(colour: RGB, factor: float) -> RGB:
    """The colour times a factor."""
    return (colour[0] * factor, colour[1] * factor, colour[2] * factor)
