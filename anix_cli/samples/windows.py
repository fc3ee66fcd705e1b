"""Windows and what belongs to them, in a bay's frame: x = 0 is its middle, y = 0 its storey's floor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .surfaces import F64, GLASS, METAL, RGB, Surfels, box, hashed, join, line, quad, surfels

RECESS_M = 0.16
START, END = (True, False, False, False), (False, True, False, False)


@dataclass(frozen=True)
class Trim:
    """The colours of a house's woodwork and dressings."""

    stone: RGB = (222, 210, 188)
    shutter: RGB = (70, 110, 104)
    frame: RGB = (240, 234, 222)
    door: RGB = (104, 62, 44)
    awning: tuple[RGB, RGB] = ((190, 56, 48), (242, 232, 214))
    flowers: RGB = (214, 58, 72)


def pane(points: F64) -> F64:
    """Glass: dark rooms below, the sky's colour above, each pane a little different."""
    tone = hashed(np.round(points / 0.5) * 0.5, 8)
    height = np.clip((points[:, 1] - np.floor(points[:, 1] / 3.0) * 3.0) / 3.0, 0, 1)
    dark, light = np.array([0.20, 0.25, 0.30]), np.array([0.42, 0.52, 0.60])
    mix = np.clip(0.65 * height + 0.35 * tone, 0, 1)[:, None]
    return np.asarray(dark + (light - dark) * mix)


def glazing(wide: float, low: float, high: float, panes: tuple[int, int], frame: RGB) -> list[Surfels]:
    """A pane behind a frame with glazing bars, set back by ``RECESS_M``."""
    half, back = wide / 2, -RECESS_M
    columns, rows = panes
    parts = [
        quad(
            (-half, low, back),
            (wide, 0, 0),
            (0, high - low, 0),
            pane,
            spacing=0.26,
            speckle=0.0,
            finish=GLASS,
        )
    ]
    z = back + 0.02
    for x in (-half + 0.03, half - 0.03):
        parts.append(line((x, low, z), (x, high, z), 0.075, frame, segment=0.4, thickness=0.01))
    for y in (low + 0.03, high - 0.03):
        parts.append(line((-half, y, z), (half, y, z), 0.075, frame, segment=0.4, thickness=0.01))
    for k in range(1, columns):
        x = -half + k * wide / columns
        parts.append(line((x, low, z), (x, high, z), 0.05, frame, segment=0.4, thickness=0.01))
    for k in range(1, rows):
        y = low + k * (high - low) / rows
        parts.append(line((-half, y, z), (half, y, z), 0.04, frame, segment=0.4, thickness=0.01))
    return parts


def reveal(wide: float, low: float, high: float, colour: RGB) -> list[Surfels]:
    """The four inner sides of the hole."""
    half, deep = wide / 2, RECESS_M
    tall = high - low
    return [
        quad((-half, low, 0), (0, 0, -deep), (0, tall, 0), colour, spacing=0.16, edges=START),
        quad((half, low, -deep), (0, 0, deep), (0, tall, 0), colour, spacing=0.16, edges=END),
        quad((-half, low, -deep), (0, 0, deep), (wide, 0, 0), colour, spacing=0.16, edges=END),
        quad((-half, high, 0), (0, 0, -deep), (wide, 0, 0), colour, spacing=0.16, edges=START),
    ]


def surround(
    wide: float, low: float, high: float, colour: RGB, *, width: float = 0.15, foot: bool = False
) -> list[Surfels]:
    """Dressed stone round the hole, standing out by 4 cm."""
    half, z = wide / 2, 0.045
    parts = [
        box((-half - width, low, 0), (-half, high, z), colour, faces="ZxX", spacing=0.3, edge=0.06),
        box((half, low, 0), (half + width, high, z), colour, faces="ZxX", spacing=0.3, edge=0.06),
        box(
            (-half - width, high, 0),
            (half + width, high + width, z),
            colour,
            faces="ZYyxX",
            spacing=0.3,
            edge=0.06,
        ),
    ]
    if foot:
        parts.append(
            box((-half - 0.2, low - 0.09, 0), (half + 0.2, low, 0.16), colour, faces="ZYyxX", spacing=0.25)
        )
    return parts


def shutter(x: float, low: float, high: float, wide: float, colour: RGB) -> list[Surfels]:
    """A louvred shutter folded back on the wall; ``x`` is its middle."""
    z = 0.075
    half = wide / 2
    parts = [
        quad(
            (x - half, low, z),
            (wide, 0, 0),
            (0, high - low, 0),
            colour,
            spacing=0.2,
            edges=(True, True, True, True),
        ),
        quad(
            (x - half, low, 0),
            (0, 0, z),
            (0, high - low, 0),
            colour,
            spacing=0.3,
            edges=(False, False, True, True),
        ),
        quad(
            (x + half, low, z),
            (0, 0, -z),
            (0, high - low, 0),
            colour,
            spacing=0.3,
            edges=(False, False, True, True),
        ),
    ]
    dark = (colour[0] * 0.6, colour[1] * 0.6, colour[2] * 0.6)
    at = np.arange(low + 0.12, high - 0.08, 0.085)
    middle = np.stack([np.full_like(at, x), at, np.full_like(at, z + 0.012)], 1)
    parts.append(surfels(middle, (0, 0, 1), (1, 0, 0), (half * 0.52, 0.014, 0.004), dark, speckle=0.04))
    for y in (low + 0.05, high - 0.05, (low + high) / 2):
        parts.append(
            line(
                (x - half, y, z + 0.016),
                (x + half, y, z + 0.016),
                0.075,
                colour,
                segment=0.3,
                thickness=0.004,
            )
        )
    for side in (-1, 1):
        edge = x + side * (half - 0.03)
        parts.append(
            line((edge, low, z + 0.016), (edge, high, z + 0.016), 0.06, colour, segment=0.4, thickness=0.004)
        )
    return parts


def flower_box(wide: float, y: float, z: float, flowers: RGB, salt: int) -> list[Surfels]:
    """A trough with leaves and blossoms; its top back edge runs along (0, y, z)."""
    rng = np.random.default_rng(salt)
    parts = [
        box((-wide / 2, y - 0.2, z), (wide / 2, y, z + 0.22), (120, 76, 52), faces="ZYyxX", spacing=0.22)
    ]
    for count, colour, size, lift in (
        (34, (74, 112, 52), 0.060, 0.06),
        (26, flowers, 0.040, 0.13),
        (8, (246, 226, 190), 0.034, 0.14),
    ):
        at = np.stack(
            [
                rng.uniform(-wide / 2, wide / 2, count),
                y + lift + rng.uniform(-0.1, 0.09, count),
                z + rng.uniform(0.0, 0.27, count),
            ],
            1,
        )
        normals = rng.normal(size=(count, 3)) * 0.5 + np.array([0, 0.6, 0.8])
        tangents = np.cross(normals, [0.31, 0.2, 0.93])
        parts.append(surfels(at, normals, tangents, (size, size * 0.8, 0.02), colour, speckle=0.2))
    return parts


def window(
    trim: Trim,
    *,
    flowers: bool = False,
    shutters: bool = True,
    wide: float = 1.05,
    low: float = 0.85,
    high: float = 2.35,
) -> Surfels:
    parts = [
        *reveal(wide, low, high, trim.stone),
        *glazing(wide, low, high, (2, 3), trim.frame),
        *surround(wide, low, high, trim.stone, foot=True),
    ]
    if shutters:
        for side in (-1, 1):
            parts += shutter(side * (wide / 2 + 0.15 + 0.29), low - 0.02, high + 0.05, 0.54, trim.shutter)
    else:
        parts.append(
            box(
                (-wide / 2 - 0.28, high + 0.2, 0),
                (wide / 2 + 0.28, high + 0.32, 0.2),
                trim.stone,
                faces="ZYyxX",
                spacing=0.3,
            )
        )
    if flowers:
        parts += flower_box(wide + 0.1, low + 0.08, 0.10, trim.flowers, round(wide * 100))
    return join(parts)


def balcony(trim: Trim) -> Surfels:
    """A French window with a stone balcony and an iron railing."""
    wide, high = 1.2, 2.45
    parts = [
        *reveal(wide, 0.05, high, trim.stone),
        *glazing(wide, 0.05, high, (2, 4), trim.frame),
        *surround(wide, 0.05, high, trim.stone),
        box((-1.15, -0.16, 0), (1.15, 0.02, 0.85), trim.stone, spacing=0.25, faces="ZYyxX"),
    ]
    for side in (-1, 1):
        parts.append(
            box(
                (side * 0.8 - 0.09, -0.5, 0),
                (side * 0.8 + 0.09, -0.16, 0.5),
                trim.stone,
                faces="ZyxX",
                spacing=0.2,
            )
        )
        parts += shutter(side * (wide / 2 + 0.15 + 0.29), 0.05, high + 0.03, 0.54, trim.shutter)
    iron = (44, 42, 44)
    for y, width in ((0.10, 0.025), (0.98, 0.05)):
        parts.append(line((-1.1, y, 0.80), (1.1, y, 0.80), width, iron, segment=0.4, finish=METAL))
        for end in (-1.1, 1.1):
            parts.append(
                line((end, y, 0), (end, y, 0.80), width, iron, segment=0.4, normal=(1, 0, 0), finish=METAL)
            )
    for x in np.linspace(-1.1, 1.1, 21):
        parts.append(line((x, 0.03, 0.80), (x, 0.98, 0.80), 0.024, iron, segment=0.5, finish=METAL))
    for z in np.linspace(0.1, 0.7, 6):
        for x in (-1.1, 1.1):
            parts.append(line((x, 0.03, z), (x, 0.98, z), 0.024, iron, segment=0.5, finish=METAL))
    parts += [part.placed((0.0, 0.98, 0.72)) for part in flower_box(1.7, -0.10, 0.1, trim.flowers, 77)]
    return join(parts)
