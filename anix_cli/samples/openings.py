"""What fills the bays of a house front; x = 0 is the bay's middle, y = 0 its storey's floor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .surfaces import METAL, RGB, Surfels, ball, box, join, line, quad, surfels
from .windows import RECESS_M, Trim, balcony, glazing, reveal, surround, window


@dataclass(frozen=True)
class Opening:
    """A hole in the wall with what fills it. ``span_m``: bottom and top above the storey's floor."""

    width_m: float
    span_m: tuple[float, float]
    build: Callable[[Trim], Surfels]


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
        *(part.placed((0.0, 2.22, 0.0)) for part in glazing(wide, 0.0, high - 2.22, (3, 1), trim.frame)),
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
        *glazing(wide, low, high, (3, 1), trim.door),
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
        parts.append(
            quad((x0, top - drop - 0.2, reach + 0.03), (step, 0, 0), (0, 0.2, 0), colour, spacing=0.15)
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
    parts += [part.placed((0.0, 0.12, -0.18)) for part in glazing(1.2, 0.0, 2.3, (2, 3), trim.door)]
    return join(parts)


OPENINGS: dict[str, Opening] = {
    "window": Opening(1.05, (0.85, 2.35), window),
    "flowers": Opening(1.05, (0.85, 2.35), lambda trim: window(trim, flowers=True)),
    "tall": Opening(
        1.15, (0.55, 2.75), lambda trim: window(trim, shutters=False, wide=1.15, low=0.55, high=2.75)
    ),
    "small": Opening(0.9, (0.7, 1.7), lambda trim: window(trim, shutters=False, wide=0.9, low=0.7, high=1.7)),
    "balcony": Opening(1.2, (0.05, 2.45), balcony),
    "door": Opening(1.35, (0.12, 2.75), _door),
    "shop": Opening(2.1, (0.62, 2.55), _shop),
    "arch": Opening(1.9, (0.1, 3.2), _arch),
}
