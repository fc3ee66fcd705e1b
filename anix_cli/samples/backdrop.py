"""What lies beyond the square: land, ridges of hills and the sky, in large soft Gaussians far out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from .layout import EAST_M, NORTH_M, SOUTH_M, WEST_M
from .light import TO_SUN
from .surfaces import F64, GLOW, Surfels, hashed, join, stain, surfels

SKY_M = 260.0
ZENITH = np.array([0.33, 0.54, 0.84])
HIGH = np.array([0.50, 0.69, 0.90])
HORIZON = np.array([0.80, 0.87, 0.92])
GLOWING = np.array([1.0, 0.88, 0.68])
HAZE = np.array([0.74, 0.80, 0.86])


def sky() -> Surfels:
    """A dome of overlapping discs that face the centre, blue above, pale and warm at the horizon; clouds."""
    step = np.radians(6.0)
    rows = []
    for up in np.arange(np.radians(-6.0), np.pi / 2, step):
        count = max(1, round(2 * np.pi * np.cos(up) / step))
        turn = (np.arange(count) + 0.5 * (round(up / step) % 2)) / count * 2 * np.pi
        level = np.full(count, up)
        rows.append(np.stack([np.cos(level) * np.cos(turn), np.sin(level), np.cos(level) * np.sin(turn)], 1))
    out = np.concatenate(rows)
    size = SKY_M * step * 0.72
    dome = _facing(out * SKY_M, out, (size, size), sky_colour(out))
    behind = _facing(out * SKY_M * 1.12, out, (size * 1.5, size * 1.5), sky_colour(out))
    return join([behind, dome, _clouds()])


def sky_colour(out: F64) -> F64:
    """sRGB [N, 3] of the sky along unit directions [N, 3]."""
    up = np.clip(out[:, 1:2], 0, 1)
    low = HORIZON + (HIGH - HORIZON) * np.clip(up / 0.32, 0, 1) ** 0.75
    colour = low + (ZENITH - HIGH) * np.clip((up - 0.22) / 0.7, 0, 1)
    flat = TO_SUN * np.array([1.0, 0.6, 1.0])
    near_sun = np.clip(out @ (flat / np.linalg.norm(flat)), 0, 1)[:, None] ** 5
    return np.asarray(colour + (GLOWING - colour) * 0.75 * near_sun * (1 - 0.6 * up))


def _facing(
    at: F64, out: F64, sizes: tuple[F64 | float, F64 | float], colours: F64, *, opacity: float = 0.99
) -> Surfels:
    """Discs that face the middle, unlit; ``sizes``: standard deviations along the horizon and upwards."""
    level = np.cross([0.0, 1.0, 0.0], -out)
    level = np.where(np.linalg.norm(level, axis=1, keepdims=True) < 1e-6, [[1.0, 0.0, 0.0]], level)
    wide, high = (np.broadcast_to(size, len(at)) for size in sizes)
    deviations = np.stack([wide, high, np.full(len(at), 2.0)], 1)
    return painted(at, -out, level, deviations, colours, opacity=opacity)


def painted(
    at: F64, normals: ArrayLike, tangents: ArrayLike, sizes: ArrayLike, colours: F64, *, opacity: float = 0.99
) -> Surfels:
    """Unlit surfels with a colour each, [N, 3] sRGB."""
    plain = surfels(at, normals, tangents, sizes, (0, 0, 0), speckle=0.0, opacity=opacity, finish=GLOW)
    return replace(plain, colours=np.clip(colours, 0, 1))


CLOUDS = (  # azimuth from +X towards +Z, height, spread in degrees; how many puffs
    (72, 19, 18, 26), (100, 25, 12, 16), (128, 17, 15, 20), (35, 23, 16, 20), (160, 24, 14, 18),
    (200, 16, 16, 20), (250, 20, 20, 26), (288, 14, 16, 20), (325, 22, 14, 18), (5, 15, 15, 18),
    (85, 40, 14, 14), (270, 38, 16, 16),
)  # fmt: skip


def _clouds() -> Surfels:
    rng = np.random.default_rng(51)
    parts = []
    for turn_deg, up_deg, wide, count in CLOUDS:
        turn = np.radians(turn_deg + wide * 0.5 * rng.normal(size=count))
        rise = np.abs(rng.normal(size=count))
        up = np.radians(up_deg + 1.7 * rise - 0.5)
        out = np.stack([np.cos(up) * np.cos(turn), np.sin(up), np.cos(up) * np.sin(turn)], 1)
        size = SKY_M * 0.92 * np.radians(1.5 + 2.0 * rng.random(count))
        lit = np.clip(0.55 + 0.3 * rise, 0, 1)[:, None]
        warm = np.clip(out @ TO_SUN, 0, 1)[:, None]
        colour = np.array([0.82, 0.85, 0.90]) + lit * (
            np.array([1.0, 0.98, 0.95]) - np.array([0.82, 0.85, 0.90])
        )
        colour = colour + 0.3 * warm * (np.array([1.0, 0.92, 0.80]) - colour)
        parts.append(_facing(out * SKY_M * 0.92, out, (size * 1.7, size * 0.62), colour, opacity=0.55))
    return join(parts)


RIDGES = (  # distance, lowest and further height of the crest, wavelength of the crest, colour, haze
    (72.0, 2.5, 6.0, 0.95, (0.42, 0.49, 0.27), 0.20),
    (118.0, 10.0, 11.0, 1.15, (0.38, 0.47, 0.32), 0.46),
    (185.0, 26.0, 22.0, 1.30, (0.40, 0.50, 0.46), 0.70),
)


def _crest(turn: F64, ridge: int) -> F64:
    distance, low, high, wave, _, _ = RIDGES[ridge]
    around = np.stack([np.cos(turn), np.full_like(turn, 0.01 * distance), np.sin(turn)], 1)
    return np.asarray(low + high * (0.5 + 0.5 * stain(around, wave)) + 0.06 * high * stain(around, 0.17))


def hills() -> Surfels:
    """Three ridges, each paler than the one before it, with woods along their crests."""
    parts = []
    for ridge, (distance, _, _, _, base, haze) in enumerate(RIDGES):
        rows = 7
        for k in range(rows):
            parts.append(_slope(ridge, (k + 0.5) / rows, 1 / rows))
        fine = np.radians(0.55)
        turn = np.arange(0, 2 * np.pi, fine)
        out = np.stack([np.cos(turn), 0 * turn, np.sin(turn)], 1)
        crest = _crest(turn, ridge)
        for drop in (0.0, 0.4, 0.9, 1.5):
            size = distance * fine * (0.62 + 0.5 * hashed(out, 7 + ridge))
            y = crest - drop * distance * fine * 1.3 + 0.25 * size
            at = out * distance + np.stack([0 * y, y, 0 * y], 1)
            woods = np.array(base) * (0.66 + 0.34 * hashed(at, 3) + 0.10 * stain(at, 30.0))[:, None]
            colours = woods + (HAZE - woods) * haze
            parts.append(_facing(at, out, (size, size * 0.8), colours, opacity=0.97))
    return join([*parts, _cypresses(), _village()])


def _slope(ridge: int, share: float, row: float) -> Surfels:
    """One row of a hillside, ``share`` of the way up; ``row`` is its share of the height."""
    distance, _, _, _, base, haze = RIDGES[ridge]
    step = np.radians(1.5)
    turn = np.arange(0, 2 * np.pi, step)
    crest = _crest(turn, ridge)
    out = np.stack([np.cos(turn), 0 * turn, np.sin(turn)], 1)
    y = crest * (share - row / 2) - 5.0 * (1 - share)
    reach = distance * (0.80 + 0.20 * share)
    at = out * reach + np.stack([0 * y, y, 0 * y], 1)
    shade = 0.86 + 0.22 * share + 0.24 * (hashed(at, 3) - 0.5) + 0.14 * stain(at, 40.0)
    ground = np.array(base) * shade[:, None] * np.array([1.08, 1.0, 0.86])
    colours = ground + (HAZE - ground) * (haze - 0.10 * share)
    return _facing(at, out, (reach * step * 0.72, crest * row * 0.55 + 0.3), colours)


def _cypresses() -> Surfels:
    """Rows of dark pointed trees on the nearest ridge."""
    rng = np.random.default_rng(71)
    parts = []
    for start, count in (
        (250, 7),
        (262, 4),
        (281, 9),
        (300, 5),
        (318, 6),
        (338, 5),
        (205, 6),
        (228, 5),
        (30, 5),
        (62, 6),
        (120, 5),
        (150, 6),
    ):
        turn = np.radians(start + 1.15 * np.arange(count) + 0.3 * rng.normal(size=count))
        out = np.stack([np.cos(turn), 0 * turn, np.sin(turn)], 1)
        foot, tall = _crest(turn, 0), 3.6 + 1.8 * rng.random(count)
        for share, wide in ((0.25, 0.55), (0.5, 0.48), (0.75, 0.30)):
            at = out * 70.5 + np.stack([0 * turn, foot - 0.4 + tall * share, 0 * turn], 1)
            colours = np.array([0.27, 0.35, 0.22]) * (0.85 + 0.3 * share + 0.1 * rng.random((count, 1)))
            parts.append(_facing(at, out, (wide, tall * 0.16), colours, opacity=0.97))
    return join(parts)


def _village() -> Surfels:
    """Small pale houses with red roofs on the nearest ridge, to be seen over the parapet."""
    rng = np.random.default_rng(72)
    parts = []
    for turn_deg in (268, 270.5, 272, 274.2, 276, 288, 289.6, 291.8, 255.5, 310, 311.8, 240, 328):
        turn = np.radians(turn_deg)
        out = np.array([[np.cos(turn), 0.0, np.sin(turn)]])
        side = np.array([[-np.sin(turn), 0.0, np.cos(turn)]])
        y = float(_crest(np.array([turn]), 0)[0]) - 0.5 - 1.6 * rng.random()
        wide, tall = 1.1 + 0.8 * rng.random(), 1.4 + 0.9 * rng.random()
        wall = np.array([[0.90, 0.84, 0.74]]) * (0.9 + 0.12 * rng.random())
        roof = np.array([[0.72, 0.44, 0.34]])
        for offset in (-0.5, 0.0, 0.5):
            base = out * 69.5 + side * wide * offset * 1.3
            for level in (0.25, 0.75):
                foot = base + np.array([0, y + tall * level, 0])
                parts.append(_facing(foot, out, (wide * 0.30, tall * 0.27), wall, opacity=0.98))
            eaves = base * 0.998 + np.array([0, y + tall * 1.12, 0])
            parts.append(_facing(eaves, out, (wide * 0.34, 0.22), roof, opacity=0.98))
    return join(parts)


def land() -> Surfels:
    """Meadows and groves from the square out to the hills, falling away to −4 m."""
    parts = []
    radius = 13.0
    while radius < 82:
        step = max(1.1, 0.075 * radius)
        count = round(2 * np.pi * radius / step)
        turn = (np.arange(count) + 0.5) / count * 2 * np.pi
        y = np.full(count, -0.45 - 3.6 * min(1, (radius - 13) / 30))
        at = np.stack([1 + radius * np.cos(turn), y, 3 + radius * np.sin(turn)], 1)
        x, z = at[:, 0], at[:, 2]
        at = at[(x < WEST_M - 0.3) | (x > EAST_M + 0.3) | (z < SOUTH_M - 0.3) | (z > NORTH_M + 0.3)]
        field = stain(at, 26.0) + 0.5 * stain(at[:, [2, 1, 0]], 11.0)
        green = np.where(field[:, None] > 0.1, [[0.50, 0.54, 0.26]], [[0.42, 0.50, 0.24]])
        green = np.where(field[:, None] > 0.75, [[0.66, 0.58, 0.32]], green)
        green = green * (0.85 + 0.3 * hashed(at, 2))[:, None]
        colours = green + (HAZE - green) * np.clip((radius - 20) / 110, 0, 1)
        parts.append(painted(at, (0, 1, 0), (1, 0, 0), (0.66 * step, 0.66 * step, 0.05), colours))
        radius += step
    return join([part for part in parts if len(part)])


def groves() -> Surfels:
    """Bushes and far trees as soft blobs, two each, on the land beyond the parapet."""
    rng = np.random.default_rng(61)
    count = 900
    turn, radius = rng.uniform(0, 2 * np.pi, count), 24 + 46 * rng.random(count) ** 0.8
    at = np.stack([1 + radius * np.cos(turn), np.zeros(count), 3 + radius * np.sin(turn)], 1)
    clear = (at[:, 2] < -16) | (np.abs(at[:, 0] - 1) > 24) | (at[:, 2] > 30)
    at = at[(stain(at, 17.0) > 0.05) & clear]
    count = len(at)
    size = 0.55 + 0.75 * rng.random(count)
    at[:, 1] = -3.6 + size * 0.8
    tone = np.array([0.30, 0.37, 0.18]) * (0.8 + 0.6 * rng.random((count, 1)))
    far = np.clip((np.hypot(at[:, 0], at[:, 2]) - 15) / 110, 0, 1)[:, None]
    base = tone + (HAZE - tone) * far
    parts = []
    for lift, scale, bright in ((0.0, 1.0, 0.85), (0.75, 0.72, 1.22)):
        where = at + np.array([-0.25, 0.6, -0.3]) * (lift * size)[:, None]
        s = size * scale
        sizes = np.stack([s, s * 0.8, s], 1)
        parts.append(painted(where, (0, 0, 1), (1, 0, 0), sizes, base * bright, opacity=0.97))
    return join(parts)
