"""Windows, doors, shops and arches, each in a bay of its own: x = 0 is its middle, y = 0 its storey's floor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .surfaces import F64, GLASS, METAL, RGB, Surfels, ball, box, hashed, join, line, quad, surfels

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


@dataclass(frozen=True)
class Opening:
    """A hole in the wall with what fills it. ``span_m``: bottom and top above the storey's floor."""

    width_m: float
    span_m: tuple[float, float]
    build: Callable[[Trim], Surfels]


def pane(points: F64) -> F64:
    """Glass: dark rooms below, the sky's colour above, each pane a little different."""
    tone = hashed(np.round(points / 0.5) * 0.5, 8)
    height = np.clip((points[:, 1] - np.floor(points[:, 1] / 3.0) * 3.0) / 3.0, 0, 1)
    dark, light = np.array([0.20, 0.25, 0.30]), np.array([0.42, 0.52, 0.60])
    mix = np.clip(0.65 * height + 0.35 * tone, 0, 1)[:, None]
    return np.asarray(dark + (light - dark) * mix)


def glazing(wide: float, low: float, high: float, columns: int, rows: int, frame: RGB) -> list[Surfels]:
    """A pane behind a frame with glazing bars, set back by ``RECESS_M``."""
    half, back = wide / 2, -RECESS_M
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


def _window(
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
        *glazing(wide, low, high, 2, 3, trim.frame),
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


def _balcony(trim: Trim) -> Surfels:
    """A French window with a stone balcony and an iron railing."""
    wide, high = 1.2, 2.45
    parts = [
        *reveal(wide, 0.05, high, trim.stone),
        *glazing(wide, 0.05, high, 2, 4, trim.frame),
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
        for side in (-1.1, 1.1):
            parts.append(
                line((side, y, 0), (side, y, 0.80), width, iron, segment=0.4, normal=(1, 0, 0), finish=METAL)
            )
    for x in np.linspace(-1.1, 1.1, 21):
        parts.append(line((x, 0.03, 0.80), (x, 0.98, 0.80), 0.024, iron, segment=0.5, finish=METAL))
    for z in np.linspace(0.1, 0.7, 6):
        for x in (-1.1, 1.1):
            parts.append(line((x, 0.03, z), (x, 0.98, z), 0.024, iron, segment=0.5, finish=METAL))
    parts += [part.placed((0.0, 0.98, 0.72)) for part in flower_box(1.7, -0.10, 0.1, trim.flowers, 77)]
    return join(parts)


def _door(trim: Trim) -> Surfels:
    """A panelled double door with a fanlight, under a small hood, on one step."""
    wide, high = 1.35, 2.75
    wood = trim.door
    dark = (wood[0] * 0.55, wood[1] * 0.55, wood[2] * 0.55)
    pale = (min(255, wood[0] * 1.3), wood[1] * 1.3, wood[2] * 1.3)
    z = -RECESS_M
    parts = [
        *reveal(wide, 0.12, high, trim.stone),
        *surround(wide, 0.12, high, trim.stone, width=0.2),
        quad((-wide / 2, 0.12, z), (wide, 0, 0), (0, 2.1, 0), wood, spacing=0.16),
        *(part.placed((0.0, 2.22, 0.0)) for part in glazing(wide, 0.0, high - 2.22, 3, 1, trim.frame)),
        line((-wide / 2, 2.22, z + 0.03), (wide / 2, 2.22, z + 0.03), 0.10, trim.frame, segment=0.3),
        line((0, 0.12, z + 0.02), (0, 2.2, z + 0.02), 0.03, dark, segment=0.4),
        box(
            (-wide / 2 - 0.35, high + 0.22, 0),
            (wide / 2 + 0.35, high + 0.38, 0.42),
            trim.stone,
            spacing=0.25,
            faces="ZYyxX",
        ),
        box(
            (-wide / 2 - 0.3, 0.02, -0.1),
            (wide / 2 + 0.3, 0.135, 0.42),
            (190, 180, 164),
            spacing=0.2,
            faces="ZYxX",
        ),
    ]
    for side in (-1, 1):
        for low, tall in ((0.28, 0.55), (0.95, 1.12)):
            x0, x1 = side * 0.34 - 0.23, side * 0.34 + 0.23
            for (ax, ay), (bx, by), tone in (
                ((x0, low), (x1, low), pale), ((x0, low + tall), (x1, low + tall), dark),
                ((x0, low), (x0, low + tall), dark), ((x1, low), (x1, low + tall), pale),
            ):  # fmt: skip
                parts.append(
                    line((ax, ay, z + 0.014), (bx, by, z + 0.014), 0.03, tone, segment=0.3, thickness=0.004)
                )
        parts.append(ball((side * 0.07, 1.15, z + 0.06), 0.035, 14, (216, 180, 96), finish=METAL))
    return join(parts)


def _shop(trim: Trim) -> Surfels:
    """A shop window with a striped awning and things on show."""
    wide, low, high = 2.1, 0.62, 2.55
    rng = np.random.default_rng(5)
    parts = [
        *reveal(wide, low, high, trim.door),
        *glazing(wide, low, high, 3, 1, trim.door),
        *surround(wide, low, high, trim.door, width=0.12, foot=True),
        box(
            (-wide / 2 - 0.1, 0.12, 0),
            (wide / 2 + 0.1, low - 0.08, 0.06),
            trim.door,
            faces="ZYxX",
            spacing=0.25,
        ),
        awning(2.7, 2.95, 1.15, trim.awning),
        box((-1.25, 3.02, 0), (1.25, 3.30, 0.07), trim.door, faces="ZYyxX", spacing=0.25),
    ]
    for x in np.linspace(-0.95, 0.95, 9):
        tall = rng.uniform(0.12, 0.4)
        tone = (rng.uniform(150, 235), rng.uniform(110, 200), rng.uniform(70, 150))
        parts.append(
            box((x - 0.08, low, -0.15), (x + 0.08, low + tall, -0.10), tone, faces="ZY", spacing=0.15, edge=0)
        )
    return join(parts)


def awning(wide: float, top: float, reach: float, stripes: tuple[RGB, RGB]) -> Surfels:
    """Striped canvas that slopes out from the wall, with a scalloped valance."""
    count = max(5, 2 * round(wide / 0.6) + 1)
    drop = 0.62
    parts = []
    for k in range(count):
        x0, step = -wide / 2 + k * wide / count, wide / count
        colour = stripes[k % 2]
        parts.append(
            quad(
                (x0, top, 0.03),
                (0, -drop, reach),
                (step, 0, 0),
                colour,
                spacing=0.2,
                edges=(False, True, True, True),
                edge=0.06,
            )
        )
        below = (colour[0] * 0.75, colour[1] * 0.72, colour[2] * 0.7)
        parts.append(
            quad((x0 + step, top - 0.02, 0.03), (0, -drop, reach), (-step, 0, 0), below, spacing=0.3)
        )
        parts.append(
            quad((x0, top - drop - 0.2, reach + 0.03), (step, 0, 0), (0, 0.2, 0), colour, spacing=0.15)
        )
        parts.append(
            quad((x0 + step, top - drop - 0.2, reach + 0.025), (-step, 0, 0), (0, 0.2, 0), below, spacing=0.2)
        )
    return join(parts)


def _arch(trim: Trim) -> Surfels:
    """An open arch of an arcade, with voussoirs and spandrels; behind it a dim passage."""
    wide, spring = 1.9, 2.1
    radius = wide / 2
    parts = []
    step = 0.09
    xs = np.arange(-radius + step / 2, radius, step)
    ys = np.arange(spring + step / 2, spring + radius + 0.2, step)
    x, y = np.meshgrid(xs, ys, indexing="ij")
    keep = np.hypot(x, y - spring) > radius + 0.02
    at = np.stack([x[keep], y[keep], np.zeros(int(keep.sum()))], 1)
    parts.append(surfels(at, (0, 0, 1), (1, 0, 0), (0.055, 0.055, 0.006), trim.stone))
    count = 15
    for k in range(count):
        angle = (k + 0.5) / count * np.pi
        out = np.array([np.cos(angle), np.sin(angle), 0])
        side = np.array([np.sin(angle), -np.cos(angle), 0])
        middle = np.array([0, spring, 0.045]) + out * (radius + 0.14)
        tone = 0.9 + 0.16 * (k % 2)
        colour = (trim.stone[0] * tone, trim.stone[1] * tone, trim.stone[2] * tone)
        corner = middle - out * 0.13 - side * 0.095
        parts.append(quad(corner, side * 0.19, -out * -0.26, colour, spacing=0.1))
        inner = np.array([0, spring, -0.30]) + out * radius - side * 0.1
        parts.append(quad(inner, side * 0.2, (0, 0, 0.34), trim.stone, spacing=0.18))
    for side_x in (-1, 1):
        x0 = side_x * radius
        if side_x < 0:
            parts.append(quad((x0, 0.1, 0), (0, 0, -0.34), (0, spring - 0.1, 0), trim.stone, spacing=0.18))
        else:
            parts.append(quad((x0, 0.1, -0.34), (0, 0, 0.34), (0, spring - 0.1, 0), trim.stone, spacing=0.18))
        parts.append(
            box(
                (x0 - 0.2, spring - 0.1, 0),
                (x0 + 0.2, spring + 0.04, 0.08),
                trim.stone,
                faces="ZYyxX",
                spacing=0.2,
            )
        )
    parts.append(
        quad((-radius, 0.1, -0.36), (wide, 0, 0), (0, spring + radius, 0), (74, 62, 52), spacing=0.25)
    )
    parts += [part.placed((0.0, 0.12, -0.18)) for part in glazing(1.2, 0.0, 2.3, 2, 3, trim.door)]
    return join(parts)


OPENINGS: dict[str, Opening] = {
    "window": Opening(1.05, (0.85, 2.35), _window),
    "flowers": Opening(1.05, (0.85, 2.35), lambda trim: _window(trim, flowers=True)),
    "tall": Opening(
        1.15, (0.55, 2.75), lambda trim: _window(trim, shutters=False, wide=1.15, low=0.55, high=2.75)
    ),
    "small": Opening(
        0.9, (0.7, 1.7), lambda trim: _window(trim, shutters=False, wide=0.9, low=0.7, high=1.7)
    ),
    "balcony": Opening(1.2, (0.05, 2.45), _balcony),
    "door": Opening(1.35, (0.12, 2.75), _door),
    "shop": Opening(2.1, (0.62, 2.55), _shop),
    "arch": Opening(1.9, (0.1, 3.2), _arch),
}
