"""A museum: a hall with a dinosaur's skeleton on its plinth and two rooms, under a ceiling of light."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anix_cli.core.gaussians import Gaussians

from .dinosaur import dinosaur
from .furniture import bench
from .light import bake
from .surfaces import ALL_EDGES, F64, GLOW, METAL, RGB, Surfels, ball, box, cylinder, join, quad, ring

WEST_M, EAST_M = -9.0, 11.0
SOUTH_M, NORTH_M = -7.0, 7.0
HIGH_M = 5.2
PARTITION_M = 5.0
"""West side of the wall between the hall and the rooms."""
THICK_M = 0.3
DOORS_M = (-3.6, 3.6)
"""Where along z the doors of the two rooms are."""
DOOR_M, LINTEL_M = 1.9, 2.5
DINOSAUR_XZ = (-2.2, 1.4)
PLINTH_M = (6.4, 2.4, 0.45)
"""Along x, along z, and high."""
EXHIBITS = (  # x, z, what
    (-6.2, -2.6, "vase"), (1.6, -3.2, "globe"), (2.6, 4.6, "cone"), (-7.0, 5.2, "cube"),
    (8.4, -3.4, "urn"), (8.6, 3.8, "globe"),
)  # fmt: skip
BENCHES = ((-1.6, -5.6, 0.0), (3.3, 0.6, -90.0))

WALL: RGB = (226, 220, 208)
FRIEZE: RGB = (150, 62, 52)
TRIM: RGB = (118, 108, 96)
STONE: RGB = (206, 200, 190)
DARK: RGB = (66, 62, 60)
BRASS: RGB = (176, 142, 78)


def museum() -> Gaussians:
    """The whole scene on the stage: +Y up, metres, ground at y = 0, SH degree 2, stored sRGB."""
    return bake(join([*_floor(), *_walls(), *_partition(), *_ceiling(), *_things()]))


def _floor() -> Iterator[Surfels]:
    size = (EAST_M - WEST_M, NORTH_M - SOUTH_M)
    yield quad((WEST_M, 0, SOUTH_M), (0, 0, size[1]), (size[0], 0, 0), _tiles, spacing=0.125, speckle=0.04)


def _tiles(points: F64) -> F64:
    """Light and dark tiles of half a metre in the hall, boards in the rooms."""
    x, z = points[:, 0], points[:, 2]
    odd = (np.floor((x - WEST_M) / 0.5) + np.floor((z - SOUTH_M) / 0.5)) % 2
    tiles = np.where(odd[:, None] > 0, np.array((196, 188, 176)), np.array((168, 158, 146)))
    boards = np.array((150, 112, 78)) * (1 + 0.06 * np.sin(np.floor(z / 0.25) * 2.4))[:, None]
    return np.asarray(np.where((x > PARTITION_M)[:, None], boards, tiles) / 255.0)


def _paint(points: F64) -> F64:
    """Walls: a dark skirting, a light field, a frieze below the ceiling."""
    y = points[:, 1][:, None]
    field = np.where(y > HIGH_M - 0.7, np.array(FRIEZE), np.array(WALL))
    return np.asarray(np.where(y < 0.16, np.array(TRIM), field) / 255.0)


def _walls() -> Iterator[Surfels]:
    """The four walls, seen from inside."""
    wide, deep, up = EAST_M - WEST_M, NORTH_M - SOUTH_M, (0, HIGH_M, 0)
    for corner, along in (
        ((WEST_M, 0, NORTH_M), (0, 0, -deep)), ((EAST_M, 0, SOUTH_M), (0, 0, deep)),
        ((WEST_M, 0, SOUTH_M), (wide, 0, 0)), ((EAST_M, 0, NORTH_M), (-wide, 0, 0)),
    ):  # fmt: skip
        yield quad(corner, along, up, _paint, spacing=0.26, edges=(False, False, True, False), edge=0.08)
    for x, z, turned, size, colours in (
        (-5.4, NORTH_M, 180, (2.2, 1.5), ((60, 92, 120), (196, 168, 110))),
        (1.2, NORTH_M, 180, (1.7, 2.1), ((120, 66, 52), (222, 196, 150))),
        (-4.6, SOUTH_M, 0, (2.6, 1.6), ((70, 104, 72), (206, 214, 220))),
        (2.2, SOUTH_M, 0, (1.6, 1.6), ((40, 44, 70), (214, 152, 64))),
        (EAST_M, -3.4, -90, (2.4, 1.7), ((150, 70, 60), (236, 214, 170))),
        (EAST_M, 3.6, -90, (2.0, 2.0), ((52, 84, 92), (180, 204, 196))),
    ):  # fmt: skip
        yield _picture(size, colours).placed((x, 0, z), turned)


def _picture(size: tuple[float, float], colours: tuple[RGB, RGB]) -> Surfels:
    """A framed landscape that hangs at the origin and faces +Z."""
    (wide, high), middle = size, 2.1

    def paint(points: F64) -> F64:
        horizon = middle - 0.12 * high + 0.08 * np.sin(3.0 * points[:, 0])
        return np.where((points[:, 1] > horizon)[:, None], np.array(colours[1]), np.array(colours[0])) / 255.0

    low, frame = middle - high / 2, 0.08
    top = low + high
    parts = [
        quad((-wide / 2, low, 0.05), (wide, 0, 0), (0, high, 0), paint, spacing=0.07, edges=ALL_EDGES),
        box((-wide / 2 - frame, low - frame, 0.0), (wide / 2 + frame, low, 0.08), BRASS, faces="yYZ"),
        box((-wide / 2 - frame, top, 0.0), (wide / 2 + frame, top + frame, 0.08), BRASS, faces="yYZ"),
        box((-wide / 2 - frame, low, 0.0), (-wide / 2, top, 0.08), BRASS, faces="xXZ"),
        box((wide / 2, low, 0.0), (wide / 2 + frame, top, 0.08), BRASS, faces="xXZ"),
    ]  # fmt: skip
    return join(parts)


def _partition() -> Iterator[Surfels]:
    """The wall with the two doors, and the one between the rooms."""
    west, east = PARTITION_M, PARTITION_M + THICK_M
    ends = [SOUTH_M]
    for door in DOORS_M:
        ends += [door - DOOR_M / 2, door + DOOR_M / 2]
        low, high = (west, LINTEL_M, door - DOOR_M / 2), (east, HIGH_M, door + DOOR_M / 2)
        yield box(low, high, _paint, spacing=0.26, faces="xXy")
    ends.append(NORTH_M)
    for start, stop in zip(ends[::2], ends[1::2], strict=True):
        yield box((west, 0, start), (east, HIGH_M, stop), _paint, spacing=0.26, faces="xXzZ")
    yield box((east, 0, -THICK_M / 2), (EAST_M, HIGH_M, THICK_M / 2), _paint, spacing=0.26, faces="zZ")


def _ceiling() -> Iterator[Surfels]:
    """Panes of light between dark bars. They throw no shadow, so that the sun falls in."""
    wide, deep = EAST_M - WEST_M, NORTH_M - SOUTH_M

    def light(points: F64) -> F64:
        bar = (np.abs((points[:, 0] - WEST_M) % 2.5 - 1.25) > 1.12) | (
            np.abs((points[:, 2] - SOUTH_M) % 2.0 - 1.0) > 0.88
        )
        return np.where(bar[:, None], np.array((120, 116, 110)), np.array((244, 240, 230))) / 255.0

    yield quad((WEST_M, HIGH_M, SOUTH_M), (wide, 0, 0), (0, 0, deep), light, spacing=0.2, finish=GLOW)


def _things() -> Iterator[Surfels]:
    x, z = DINOSAUR_XZ
    wide, deep, high = PLINTH_M
    yield box(
        (x - wide / 2, 0, z - deep / 2), (x + wide / 2, high, z + deep / 2), DARK, spacing=0.2, faces="xXzZY"
    )
    yield dinosaur().placed((x, high, z))
    for at_x, at_z, what in EXHIBITS:
        yield join(_exhibit(what)).placed((at_x, 0, at_z))
    for at_x, at_z, yaw in BENCHES:
        yield bench(at_x, at_z, yaw)


def _exhibit(what: str) -> list[Surfels]:
    """A small thing on a plinth a metre high."""
    parts = [box((-0.36, 0, -0.36), (0.36, 1.0, 0.36), STONE, spacing=0.14, faces="xXzZY")]
    if what in {"vase", "urn"}:
        colour: RGB = (46, 92, 128) if what == "vase" else (160, 84, 52)
        parts += [
            cylinder((0, 1.0, 0), (0.1, 0.22), 0.24, colour, spacing=0.06),
            cylinder((0, 1.24, 0), (0.22, 0.09), 0.2, colour, spacing=0.06),
            cylinder((0, 1.44, 0), (0.09, 0.14), 0.12, colour, spacing=0.05),
        ]
    elif what == "globe":
        parts += [
            cylinder((0, 1.0, 0), (0.1, 0.03), 0.14, BRASS, spacing=0.05, finish=METAL),
            ball((0, 1.38, 0), 0.24, 220, (74, 120, 138)),
            ring((0, 1.38, 0), 0.27, 0.31, BRASS, spacing=0.05, finish=METAL),
        ]
    elif what == "cone":
        parts.append(cylinder((0, 1.0, 0), (0.26, 0.02), 0.6, (196, 150, 70), spacing=0.06))
    else:
        parts.append(box((-0.2, 1.0, -0.2), (0.2, 1.4, 0.2), (150, 62, 60), spacing=0.1).placed(yaw_deg=20))
    return parts
