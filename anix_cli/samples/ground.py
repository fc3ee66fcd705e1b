"""The paving: setts in fields between bands of pale stone, rings of slabs round the fountain, kerbs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .layout import EAST_M, FOUNTAIN_XZ, KERB_M, NORTH_M, PAVED_RADIUS_M, SIDEWALK_M, SOUTH_M, WEST_M
from .surfaces import F64, GHOST, Surfels, box, hashed, join, line, quad, ring, stain, surfels

GROUT = (112, 98, 84)
JOINT = (84, 72, 62)
BEDDING_Y_M = -0.10
BAND = (204, 194, 174)
SETT_TONES = np.array(
    [[176, 160, 142], [160, 146, 132], [190, 172, 150], [168, 158, 148], [184, 158, 132], [152, 140, 128]],
    dtype=np.float64,
)
FIELD_M = 4.0
BAND_M = 0.5
CLOSE_UP = np.array([0.5, 0.0, 3.0])
CLOSE_UP_M = 9.0
SETT_M = (0.235, 0.152)


def ground() -> list[Surfels]:
    """Everything that is walked on inside the square; its top lies at y = 0, the sidewalks at ``KERB_M``."""
    return [_bedding(), _setts(), _bands(), *_fountain_rings(), *_sidewalks()]


def worn(base: tuple[float, float, float], amount: float = 0.07) -> _Worn:
    """A colour with slow stains."""
    return _Worn(np.array(base) / 255.0, amount)


class _Worn:
    def __init__(self, base: F64, amount: float) -> None:
        self.base, self.amount = base, amount

    def __call__(self, points: F64) -> F64:
        tone = 1 + self.amount * stain(points, 3.1) + 0.6 * self.amount * stain(points[:, [2, 1, 0]], 0.9)
        return np.asarray(self.base * tone[:, None])


def _from_fountain(points: F64) -> F64:
    return np.asarray(np.hypot(points[:, 0] - FOUNTAIN_XZ[0], points[:, 2] - FOUNTAIN_XZ[1]))


def _bedding() -> Surfels:
    """What shows through gaps between stones: a dark layer well below them.

    Gaussians are drawn in the order of their centres. A coarse disc just below the stones would be drawn over
    those that lie behind its centre and blur the whole pavement; 10 cm lower it stays behind them.
    """
    size_x, size_z = EAST_M - WEST_M, NORTH_M - SOUTH_M
    return quad((WEST_M, BEDDING_Y_M, SOUTH_M), (0, 0, size_z), (size_x, 0, 0), worn(GROUT), spacing=0.2)


def _setts() -> Surfels:
    """Running bond in each field, turned by a quarter from field to field; two surfels make one sett."""
    parts = []
    for i, x0 in enumerate(np.arange(FOUNTAIN_XZ[0] - 18, EAST_M, FIELD_M)):
        for j, z0 in enumerate(np.arange(FOUNTAIN_XZ[1] - 22, NORTH_M, FIELD_M)):
            turned = (i + j) % 2 == 1
            corner = np.array([x0 + BAND_M / 2, 0.0, z0 + BAND_M / 2])
            parts += _field(corner, turned)
    setts = join(parts)
    return setts.where((_from_fountain(setts.means) > PAVED_RADIUS_M) & _in_square(setts.means))


def _field(corner: F64, turned: bool) -> list[Surfels]:
    """One field of setts with its joints: needles a few millimetres above the stones keep them crisp."""
    inner = FIELD_M - BAND_M
    rows, columns = round(inner / SETT_M[1]), round(inner / SETT_M[0])
    long, short = inner / columns, inner / rows
    column, row = (a.ravel() for a in np.meshgrid(np.arange(columns), np.arange(rows), indexing="ij"))
    u = (column + np.where(row % 2 == 0, 0.25, 0.75)) * long
    v = (row + 0.5) * short
    along, across = np.array([1.0, 0, 0]), np.array([0.0, 0, 1])
    if turned:
        along, across = across, along
    middle = corner + u[:, None] * along + v[:, None] * across
    tone = SETT_TONES[(hashed(middle, 5) * len(SETT_TONES)).astype(int)] / 255.0
    tone = tone * (0.84 + 0.24 * hashed(middle, 6) + 0.05 * stain(middle, 4.0))[:, None]
    tone = np.clip(tone * (np.array([1.04, 1.0, 0.95]) if turned else np.array([0.99, 0.99, 1.0])), 0, 1)
    up = (0.0, 1.0, 0.0)
    parts = []
    close_up = np.abs(corner + inner / 2 - CLOSE_UP)[[0, 2]].max() < CLOSE_UP_M
    if close_up:
        for side in (-1, 1):
            half = middle + side * 0.23 * long * along
            parts.append(
                surfels(half, up, along, (long * 0.29, short * 0.47, 0.006), lambda _: tone, speckle=0.05)
            )
    else:
        parts.append(
            surfels(middle, up, along, (long * 0.50, short * 0.47, 0.006), lambda _: tone, speckle=0.05)
        )
    ends = middle + 0.5 * long * along + np.array([0, 0.003, 0])
    ends = ends[ends @ along < corner @ along + inner - 0.05]
    parts.append(surfels(ends, up, across, (short * 0.36, 0.0075, 0.003), JOINT, opacity=0.8))
    for k in range(rows + 1):
        start = corner + k * short * across + np.array([0, 0.003, 0])
        parts.append(joint(start, start + inner * along, segment=0.18 if close_up else 0.35))
    return parts


def joint(
    start: F64, end: F64, *, segment: float = 0.25, width: float = 0.018, opacity: float = 0.8
) -> Surfels:
    """A dark line on a level pavement.

    In short pieces: a long needle right below a camera, outside its picture, is smeared over the picture by
    the affine projection of Gaussians.
    """
    return line(
        start,
        end,
        width,
        JOINT,
        normal=(0, 1, 0),
        segment=segment,
        thickness=0.003,
        opacity=opacity,
        finish=GHOST,
    )


def _in_square(points: F64) -> NDArray[np.bool_]:
    x, z = points[:, 0], points[:, 2]
    west, east, north = WEST_M + SIDEWALK_M, EAST_M - SIDEWALK_M, NORTH_M - SIDEWALK_M
    return np.asarray((x > west) & (x < east) & (z < north) & (z > SOUTH_M))


def _bands() -> Surfels:
    """Pale slabs, half a metre wide and one metre long with thin joints, on the lines between the fields."""
    parts = []
    west, east, north = WEST_M + SIDEWALK_M, EAST_M - SIDEWALK_M, NORTH_M - SIDEWALK_M
    for x in np.arange(FOUNTAIN_XZ[0] - 18, EAST_M, FIELD_M):
        for z in np.arange(FOUNTAIN_XZ[1] - 22, NORTH_M, 1.0):
            parts.append(_slab((x - BAND_M / 2, z), (BAND_M, 1.0)))
    for z in np.arange(FOUNTAIN_XZ[1] - 22, NORTH_M, FIELD_M):
        for x in np.arange(FOUNTAIN_XZ[0] - 18, EAST_M, FIELD_M):
            for k in range(4):
                start = x + BAND_M / 2 + k * (FIELD_M - BAND_M) / 4
                parts.append(_slab((start, z - BAND_M / 2), ((FIELD_M - BAND_M) / 4, BAND_M)))
    bands = join(parts)
    x, z = bands.means[:, 0], bands.means[:, 2]
    inside = (x > west) & (x < east) & (z > SOUTH_M) & (z < north)
    return bands.where(inside & (_from_fountain(bands.means) > PAVED_RADIUS_M + 0.05))


def _slab(at_xz: tuple[float, float], size: tuple[float, float]) -> Surfels:
    """A slab with its four joints."""
    (x, z), (wide, deep) = at_xz, size
    tone = 0.93 + 0.14 * float(hashed(np.array([[x, 0.0, z]]), 9)[0])
    colour = (BAND[0] * tone, BAND[1] * tone, BAND[2] * tone * 0.99)
    gap = 0.02
    face = quad(
        (x + gap, 0.0, z + gap),
        (0, 0, deep - 2 * gap),
        (wide - 2 * gap, 0, 0),
        colour,
        spacing=0.17,
        edges=(wide > deep, wide > deep, deep > wide, deep > wide),
        speckle=0.02,
    )
    return join([face, *outline((x, 0.004, z), (wide, 0, 0), (0, 0, deep))])


def outline(
    corner: tuple[float, float, float], u: tuple[float, float, float], v: tuple[float, float, float]
) -> list[Surfels]:
    """The joints along two sides of a slab; its neighbours bring the other two."""
    at, along, across = np.array(corner), np.array(u), np.array(v)
    return [
        joint(at, at + along, segment=0.25),
        joint(at, at + across, segment=0.25),
        joint(at + along, at + along + across, segment=0.25),
    ]


def _fountain_rings() -> list[Surfels]:
    """Rings of wedge-shaped slabs round the fountain, pale, with one dark course."""
    x, z = FOUNTAIN_XZ
    parts = [ring((x, BEDDING_Y_M + 0.02, z), 1.9, PAVED_RADIUS_M + 0.1, GROUT, spacing=0.25)]
    for inner, outer, count, base in (
        (2.55, 3.27, 30, BAND),
        (3.51, 4.13, 36, (226, 212, 186)),
        (4.15, 4.77, 42, (192, 170, 142)),
    ):
        for k in range(count):
            parts.append(_wedge(inner, outer, k, count, base))
    return [*parts, _course(3.39), _course(4.90)]


def _course(radius: float) -> Surfels:
    """A ring of small dark stones with a joint on either side."""
    x, z = FOUNTAIN_XZ
    parts = []
    for r, count, width, tone in (
        (radius, round(2 * np.pi * radius / 0.19), 0.070, (98, 84, 76)),
        (radius - 0.115, round(2 * np.pi * radius / 0.3), 0.008, JOINT),
        (radius + 0.115, round(2 * np.pi * radius / 0.3), 0.008, JOINT),
    ):
        turn = (np.arange(count) + 0.5) / count * 2 * np.pi
        out = np.stack([np.cos(turn), 0 * turn, np.sin(turn)], 1)
        around = np.stack([-np.sin(turn), 0 * turn, np.cos(turn)], 1)
        long = 2 * np.pi * r / count * (0.36 if width > 0.05 else 0.5)
        at = out * r + np.array([x, 0.003, z])
        parts.append(surfels(at, (0, 1, 0), around, (long, width, 0.004), tone, speckle=0.16, finish=GHOST))
    return join(parts)


def _wedge(inner: float, outer: float, k: int, count: int, base: tuple[float, float, float]) -> Surfels:
    x, z = FOUNTAIN_XZ
    angle = (k + 0.5) / count * 2 * np.pi
    out = np.array([np.cos(angle), 0.0, np.sin(angle)])
    side = np.array([np.sin(angle), 0.0, -np.cos(angle)])
    deep, wide = outer - inner - 0.02, 2 * np.pi * (inner + outer) / 2 / count - 0.03
    corner = np.array([x, 0.0, z]) + out * (inner + 0.01) - side * wide / 2
    tone = 0.92 + 0.16 * float(hashed(corner[None], 4)[0])
    colour = (base[0] * tone, base[1] * tone, base[2] * tone)
    face = quad(
        corner, out * deep, side * wide, colour, spacing=0.17, edges=(True, True, False, False), speckle=0.02
    )
    half = 2 * np.pi / count / 2
    edge = np.array([np.cos(angle + half), 0.0, np.sin(angle + half)])
    other = np.array([np.cos(angle - half), 0.0, np.sin(angle - half)])
    middle = np.array([x, 0.004, z])
    return join(
        [
            face,
            joint(middle + edge * inner, middle + edge * outer),
            joint(middle + other * outer, middle + edge * outer),
        ]
    )


def _sidewalks() -> list[Surfels]:
    """Raised pavements along the façades with a granite kerb, and a drain line before it."""
    parts = []
    west, east, north = WEST_M + SIDEWALK_M, EAST_M - SIDEWALK_M, NORTH_M - SIDEWALK_M
    strips = (
        ((WEST_M, SOUTH_M), (west, NORTH_M)),
        ((east, SOUTH_M), (EAST_M, NORTH_M)),
        ((west, north), (east, NORTH_M)),
    )
    for (x0, z0), (x1, z1) in strips:
        for x in np.arange(x0, x1 - 0.05, 0.8):
            for z in np.arange(z0, z1 - 0.05, 0.8):
                parts.append(_flag((x, z), (min(0.8, x1 - x), min(0.8, z1 - z))))
    kerb = (176, 168, 158)
    for z in np.arange(SOUTH_M, north, 1.0):
        parts.append(
            box((west - 0.02, -0.02, z + 0.01), (west + 0.16, KERB_M + 0.01, z + 0.99), kerb, faces="XY")
        )
        parts.append(
            box((east - 0.16, -0.02, z + 0.01), (east + 0.02, KERB_M + 0.01, z + 0.99), kerb, faces="xY")
        )
    for x in np.arange(west, east - 0.5, 1.0):
        parts.append(
            box((x + 0.01, -0.02, north - 0.16), (x + 0.99, KERB_M + 0.01, north + 0.02), kerb, faces="zY")
        )
    return parts


def _flag(at_xz: tuple[float, float], size: tuple[float, float]) -> Surfels:
    (x, z), (wide, deep) = at_xz, size
    tone = 0.90 + 0.18 * float(hashed(np.array([[x, 0.2, z]]), 2)[0])
    colour = (194 * tone, 178 * tone, 156 * tone)
    face = quad(
        (x + 0.03, KERB_M, z + 0.03),
        (0, 0, deep - 0.06),
        (wide - 0.06, 0, 0),
        colour,
        spacing=0.25,
        speckle=0.02,
    )
    return join([face, *outline((x, KERB_M + 0.004, z), (wide, 0, 0), (0, 0, deep))[:2]])
