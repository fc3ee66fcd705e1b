"""A plain studio: a round floor that rises into a wall all round, with a turntable's marks in the middle."""

from __future__ import annotations

import numpy as np

from anix_cli.core.gaussians import Gaussians

from .backdrop import painted
from .light import C0, quats_of
from .surfaces import F64, SPREAD, Surfels, join

WALL_M = 8.0
"""Radius at which the wall stands."""
BEND_M = 2.2
"""Radius of the bend between floor and wall."""
CEILING_M = 8.0
TABLE_M = 0.95
"""Radius of the marked circle."""
MARKED_M = 1.4
"""Up to here tiles are small: a coarse one would be drawn over the tape that lies behind its centre."""
PAPER = np.array([0.84, 0.83, 0.80])
SHADE = np.array([0.27, 0.31, 0.37])
TAPE = (0.20, 0.27, 0.33)
SPARK = (0.86, 0.34, 0.20)


def studio() -> Gaussians:
    """The whole scene on the stage: +Y up, metres, ground at y = 0, SH degree 0, stored sRGB."""
    parts = join([_sweep(), _marks()])
    sh = np.asarray((parts.colours - 0.5) / C0, dtype=np.float32)[:, None, :]
    return Gaussians(
        means=np.asarray(np.round(parts.means * 512) / 512, dtype=np.float32),
        quats=quats_of(parts).astype(np.float32),
        scales=parts.sizes.astype(np.float32),
        opacities=parts.opacities.astype(np.float32),
        sh=sh,
    )


def _sweep() -> Surfels:
    """Floor, bend and wall in one, as rings of tiles along the profile from the middle outwards and up."""
    rings: list[Surfels] = []
    travelled = 0.0
    length = WALL_M - BEND_M + BEND_M * np.pi / 2 + CEILING_M - BEND_M
    while travelled < length:
        radius, height, lean = _profile(travelled)
        step = 0.05 if radius < MARKED_M else float(np.clip(0.035 + 0.04 * radius, 0.08, 0.36))
        count = max(5, round(2 * np.pi * radius / step))
        turn = (np.arange(count) + 0.5 * (len(rings) % 2)) / count * 2 * np.pi
        out = np.stack([np.cos(turn), 0 * turn, np.sin(turn)], 1)
        around = np.stack([-np.sin(turn), 0 * turn, np.cos(turn)], 1)
        at = out * radius + np.array([0, height, 0])
        normals = np.array([0, np.cos(lean), 0]) - out * np.sin(lean)
        wide = max(2 * np.pi * radius / count, 0.04)
        sizes = np.broadcast_to((SPREAD * wide, SPREAD * step, 0.004), (count, 3))
        rings.append(painted(at, normals, around, sizes, _light(at), opacity=0.99))
        travelled += step
    return join(rings)


def _profile(travelled_m: float) -> tuple[float, float, float]:
    """Radius, height and angle from level of the sweep, so far along it."""
    level = WALL_M - BEND_M
    if travelled_m < level:
        return travelled_m, 0.0, 0.0
    angle = (travelled_m - level) / BEND_M
    if angle < np.pi / 2:
        return level + BEND_M * np.sin(angle), BEND_M * (1 - np.cos(angle)), angle
    return WALL_M, BEND_M + travelled_m - level - BEND_M * np.pi / 2, np.pi / 2


def _light(at: F64) -> F64:
    """sRGB [N, 3]: a pool of light in the middle; three broad lights on the wall tell the sides apart."""
    radius = np.hypot(at[:, 0], at[:, 2])
    turn = np.arctan2(at[:, 0], at[:, 2])
    pool = np.exp(-((radius / 5.2) ** 2))
    wall = np.clip((radius - 3.5) / (WALL_M - 3.5), 0, 1)
    glow = np.zeros(len(at))
    for where_deg, amount in ((-38.0, 0.62), (88.0, 0.30), (200.0, 0.46)):
        off = np.angle(np.exp(1j * (turn - np.radians(where_deg))))
        glow += amount * np.exp(-((off / 0.75) ** 2)) * np.exp(-(((at[:, 1] - 1.4) / 2.4) ** 2))
    bright = np.clip(0.92 * pool + wall * glow + 0.14 * (1 - wall), 0, 1)[:, None]
    return np.asarray(SHADE + (PAPER - SHADE) * bright)


def _marks() -> Surfels:
    """A ring of tape with a tick every 30°, and a coloured one at the front (+Z)."""
    parts = [_arc(TABLE_M, 0.0, 360.0, 0.015, TAPE)]
    for turn_deg in range(0, 360, 30):
        front = turn_deg == 0
        reach = (TABLE_M + 0.06, TABLE_M + (0.34 if front else 0.17))
        parts.append(_tick(turn_deg, reach, 0.028 if front else 0.014, SPARK if front else TAPE))
    return join(parts)


def _arc(radius: float, start_deg: float, end_deg: float, half: float, colour: tuple[float, ...]) -> Surfels:
    count = round(radius * np.radians(end_deg - start_deg) / 0.05)
    turn = np.radians(start_deg) + (np.arange(count) + 0.5) / count * np.radians(end_deg - start_deg)
    out = np.stack([np.sin(turn), 0 * turn, np.cos(turn)], 1)
    around = np.stack([np.cos(turn), 0 * turn, -np.sin(turn)], 1)
    return _tape(out * radius, around, (0.032, half), colour)


def _tick(turn_deg: float, reach: tuple[float, float], half: float, colour: tuple[float, ...]) -> Surfels:
    turn = np.radians(turn_deg)
    out = np.array([np.sin(turn), 0.0, np.cos(turn)])
    count = max(2, round((reach[1] - reach[0]) / 0.04))
    at = reach[0] + (np.arange(count) + 0.5) / count * (reach[1] - reach[0])
    return _tape(at[:, None] * out, np.broadcast_to(out, (count, 3)), (0.024, half), colour)


def _tape(at: F64, along: F64, size: tuple[float, float], colour: tuple[float, ...]) -> Surfels:
    """Pieces of tape, 6 mm above the floor so that they are drawn over it."""
    lifted = at + np.array([0, 0.006, 0])
    colours = np.broadcast_to(np.array(colour), (len(at), 3)).copy()
    return painted(lifted, (0, 1, 0), along, (*size, 0.002), colours, opacity=0.95)
