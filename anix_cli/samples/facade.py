"""House fronts in a frame of their own: the wall is z = 0, it faces +Z, x runs from −width/2 to width/2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .ground import worn
from .openings import OPENINGS
from .roof import pitched_roof
from .surfaces import RGB, Colour, Edges, Surfels, box, join, quad
from .windows import Trim


@dataclass(frozen=True)
class Floor:
    """A storey: its height and, bay by bay, the name of what is in the bay (a key of ``OPENINGS``)."""

    height_m: float
    bays: Sequence[str]


@dataclass(frozen=True)
class House:
    """A house. ``wall`` and ``trim`` are sRGB 0..255; ``depth_m`` is how far it goes back."""

    width_m: float
    floors: Sequence[Floor]
    wall: RGB
    trim: Trim
    plinth: RGB = (150, 138, 124)
    depth_m: float = 7.0
    roof_pitch: float = 0.62
    roof: RGB = (176, 92, 62)
    quoins: bool = False

    @property
    def height_m(self) -> float:
        return sum(floor.height_m for floor in self.floors)


def house(spec: House) -> Surfels:
    """The front in full, sides, a simple back and the roof."""
    parts: list[Surfels] = []
    base = 0.0
    for number, floor in enumerate(spec.floors):
        parts += _storey(spec, floor, base, ground_floor=number == 0)
        base += floor.height_m
        if number + 1 < len(spec.floors):
            parts.append(_moulding(spec, base, 0.14, 0.09))
    parts += _cornice(spec)
    parts += _sides(spec)
    parts += pitched_roof(
        spec.width_m, spec.depth_m, spec.height_m, pitch=spec.roof_pitch, tile=spec.roof, wall=spec.wall
    )
    if spec.quoins:
        parts += _quoins(spec)
    return join(parts)


def _storey(spec: House, floor: Floor, base: float, *, ground_floor: bool) -> list[Surfels]:
    parts: list[Surfels] = []
    wall = worn(spec.wall, 0.05)
    bay = spec.width_m / len(floor.bays)
    top = base + floor.height_m
    for k, name in enumerate(floor.bays):
        x0 = -spec.width_m / 2 + k * bay
        x1, middle = x0 + bay, x0 + bay / 2
        opening = OPENINGS[name]
        wide, (low, high) = opening.width_m, opening.span_m
        left, right, bottom, head = middle - wide / 2, middle + wide / 2, base + low, base + high
        parts.append(_panel((x0, left), (base, top), wall, (k == 0, True, False, False)))
        parts.append(_panel((right, x1), (base, top), wall, (True, k + 1 == len(floor.bays), False, False)))
        if low > 0.02:
            parts.append(_panel((left, right), (base, bottom), wall, (False, False, False, True)))
        parts.append(_panel((left, right), (head, top), wall, (False, False, True, False)))
        details = opening.build(spec.trim)
        parts.append(details.placed((middle, base, 0.0)))
    if ground_floor:
        gaps = [(-spec.width_m / 2 + (k + 0.5) * bay, OPENINGS[n]) for k, n in enumerate(floor.bays)]
        parts += _plinth(
            spec, [(m - o.width_m / 2 - 0.14, m + o.width_m / 2 + 0.14) for m, o in gaps if o.span_m[0] < 0.5]
        )
    return parts


def _panel(x_m: tuple[float, float], y_m: tuple[float, float], colour: Colour, edges: Edges) -> Surfels:
    """A piece of plain wall between two x and two y."""
    (x0, x1), (y0, y1) = x_m, y_m
    return quad((x0, y0, 0), (x1 - x0, 0, 0), (0, y1 - y0, 0), colour, spacing=0.24, edges=edges, edge=0.05)


def _plinth(spec: House, gaps: Sequence[tuple[float, float]]) -> list[Surfels]:
    """A course of dark stone at the foot of the wall, left out where there are doors."""
    parts, start = [], -spec.width_m / 2
    for low, high in [*sorted(gaps), (spec.width_m / 2, spec.width_m / 2)]:
        if low - start > 0.1:
            parts.append(
                box((start, 0.1, -0.02), (low, 0.62, 0.05), worn(spec.plinth), faces="ZYxX", spacing=0.22)
            )
        start = high
    return parts


def _moulding(spec: House, y: float, high: float, deep: float) -> Surfels:
    half = spec.width_m / 2
    return box(
        (-half, y - high / 2, 0),
        (half, y + high / 2, deep),
        worn(spec.trim.stone),
        faces="ZYyxX",
        spacing=0.3,
    )


def _cornice(spec: House) -> list[Surfels]:
    """Three steps under the eaves, with dentils."""
    top, half = spec.height_m, spec.width_m / 2
    stone = worn(spec.trim.stone)
    parts = [
        box((-half, top - 0.42, 0), (half, top - 0.28, 0.08), stone, faces="ZYyxX", spacing=0.3),
        box(
            (-half - 0.05, top - 0.16, 0), (half + 0.05, top - 0.04, 0.24), stone, faces="ZYyxX", spacing=0.3
        ),
        box(
            (-half - 0.08, top - 0.06, 0), (half + 0.08, top + 0.08, 0.36), stone, faces="ZYyxX", spacing=0.3
        ),
    ]
    for x in np.arange(-half + 0.15, half, 0.36):
        parts.append(
            box(
                (x - 0.07, top - 0.28, 0),
                (x + 0.07, top - 0.16, 0.17),
                stone,
                faces="ZyxX",
                spacing=0.2,
                edge=0,
            )
        )
    return parts


def _sides(spec: House) -> list[Surfels]:
    half, top, back = spec.width_m / 2, spec.height_m, -spec.depth_m
    wall = worn(spec.wall, 0.06)
    return [
        quad(
            (-half, 0, back), (0, 0, -back), (0, top, 0), wall, spacing=0.4, edges=(True, True, False, False)
        ),
        quad((half, 0, 0), (0, 0, back), (0, top, 0), wall, spacing=0.4, edges=(True, True, False, False)),
        quad((half, 0, back), (-2 * half, 0, 0), (0, top, 0), wall, spacing=0.8),
        # Behind the openings: a dark room, so that nothing shines through.
        quad((-half, 0, -0.42), (2 * half, 0, 0), (0, top, 0), (52, 46, 44), spacing=0.6),
    ]


def _quoins(spec: House) -> list[Surfels]:
    parts = []
    stone = worn(spec.trim.stone)
    for k, y in enumerate(np.arange(0.64, spec.height_m - 0.5, 0.4)):
        long = 0.52 if k % 2 else 0.34
        for side in (-1, 1):
            x = side * (spec.width_m / 2 - long)
            low, high = sorted((x, side * (spec.width_m / 2 + 0.03)))
            parts.append(
                box((low, y + 0.015, 0), (high, y + 0.385, 0.04), stone, faces="ZxX", spacing=0.2, edge=0.06)
            )
    return parts
