"""The skeleton of a tyrannosaur, some six metres from nose to tail, mounted to stride along +X."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .surfaces import F64, RGB, Surfels, ball, join, line

BONE: RGB = (214, 198, 162)
OLD: RGB = (170, 148, 110)
HOLE: RGB = (40, 34, 28)
IRON: RGB = (48, 46, 46)

SPINE = np.array(
    [
        (-3.1, 1.30), (-2.4, 1.42), (-1.7, 1.56), (-1.0, 1.70), (-0.3, 1.82), (0.4, 1.92), (1.0, 2.08),
        (1.35, 2.34), (1.6, 2.66), (1.9, 2.84),
    ]
)  # fmt: skip
"""x and y of the spine, from the tail's tip to the skull."""
_HIP, _SHOULDER = (-0.35, 1.78), (0.85, 1.95)


def dinosaur() -> Surfels:
    """The skeleton on its irons, standing at y = 0, its middle at the origin."""
    return join([*_spine(), *_ribs(), *_skull(), *_legs(), *_arms(), *_irons()])


def _bone(start: tuple[float, ...], end: tuple[float, ...], wide: float, colour: RGB = BONE) -> Surfels:
    return line(start, end, wide, colour, segment=max(0.6 * wide, 0.09), speckle=0.08)


def _along(count: int) -> F64:
    """Points [count, 2] on the spine, evenly."""
    far = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(SPINE, axis=0), axis=1)))
    at = np.linspace(0, far[-1], count)
    return np.column_stack([np.interp(at, far, SPINE[:, axis]) for axis in (0, 1)])


def _spine() -> list[Surfels]:
    """Vertebrae that grow from the tail to the hip, with spines above."""
    parts = []
    for x, y in _along(44):
        thick = float(np.interp(x, (-3.1, -0.3, 1.0, 1.9), (0.03, 0.105, 0.10, 0.085)))
        parts.append(ball((x, y, 0), (0.75 * thick, thick, thick), 26, BONE, speckle=0.08))
        if x < 1.7:
            parts.append(_bone((x, y, 0), (x - 0.05, y + 2.3 * thick, 0), 0.45 * thick, OLD))
        if x < -0.6:
            parts.append(_bone((x, y, 0), (x - 0.08, y - 1.9 * thick, 0), 0.35 * thick, OLD))
    return parts


def _ribs() -> list[Surfels]:
    parts = []
    for x in np.linspace(-0.05, 0.95, 9):
        y = float(np.interp(x, SPINE[:, 0], SPINE[:, 1]))
        deep = 0.86 - 0.35 * abs(x - 0.55)
        turn = np.linspace(0.15, 0.86 * np.pi, 6)
        for side in (-1, 1):
            points = [
                (x - 0.18 * (1 - np.cos(t)) / 2, y - deep * (1 - np.cos(t)) / 2, side * 0.40 * np.sin(t))
                for t in turn
            ]
            parts += [_bone(a, b, 0.045) for a, b in pairwise(points)]
    return parts


def _skull() -> list[Surfels]:
    parts = [
        ball((2.12, 2.90, 0), (0.30, 0.25, 0.21), 420, BONE, speckle=0.08),
        ball((2.55, 2.86, 0), (0.40, 0.17, 0.14), 520, BONE, speckle=0.08),
        ball((2.78, 2.82, 0), (0.20, 0.13, 0.12), 200, BONE, speckle=0.08),
        _bone((2.02, 2.70, 0.15), (2.78, 2.50, 0.10), 0.10),
        _bone((2.02, 2.70, -0.15), (2.78, 2.50, -0.10), 0.10),
        _bone((2.78, 2.50, 0.10), (2.84, 2.50, -0.10), 0.09),
    ]
    for side in (-1, 1):
        parts.append(ball((2.20, 2.97, side * 0.19), (0.075, 0.085, 0.03), 30, HOLE))
        parts.append(ball((2.52, 2.92, side * 0.13), (0.09, 0.06, 0.025), 30, HOLE))
        for x in np.linspace(2.36, 2.86, 8):
            parts.append(_bone((x, 2.74, side * 0.12), (x + 0.01, 2.64, side * 0.11), 0.035, (236, 228, 206)))
            parts.append(_bone((x, 2.54, side * 0.10), (x + 0.01, 2.61, side * 0.10), 0.03, (236, 228, 206)))
    return parts


def _legs() -> list[Surfels]:
    """One foot before, one behind; and the hip, whose blades hold them."""
    x, y = _HIP
    parts = []
    for side, stride in ((-1, 0.35), (1, -0.4)):
        z = side * 0.34
        hip, knee = (x, y - 0.08, side * 0.22), (x + 0.45 + 0.3 * stride, y - 0.72, z)
        ankle, foot = (x - 0.05 + stride, 0.52, z), (x + 0.12 + stride, 0.10, z)
        parts += [_bone(hip, knee, 0.24), _bone(knee, ankle, 0.19), _bone(ankle, foot, 0.16)]
        parts += [ball(at, 0.115, 60, BONE) for at in (knee, ankle)]
        for spread in (-0.16, 0.0, 0.16):
            parts.append(_bone(foot, (foot[0] + 0.38 - abs(spread) * 0.5, 0.04, z + spread), 0.09))
        for rise in (0.0, 0.09, 0.18):
            ends = (
                (x - 0.42 + rise, y + 0.02 + rise, side * 0.16),
                (x + 0.44 - 0.6 * rise, y + 0.06 + rise, side * 0.16),
            )
            parts.append(_bone(*ends, 0.12))
        parts.append(_bone((x - 0.05, y - 0.1, side * 0.16), (x - 0.4, y - 0.62, side * 0.1), 0.1))
        parts.append(_bone((x + 0.1, y - 0.1, side * 0.14), (x + 0.34, y - 0.66, side * 0.05), 0.1))
    return parts


def _arms() -> list[Surfels]:
    x, y = _SHOULDER
    parts = []
    for side in (-1, 1):
        shoulder, elbow = (x + 0.1, y - 0.42, side * 0.3), (x + 0.06, y - 0.70, side * 0.32)
        hand = (x + 0.32, y - 0.78, side * 0.28)
        parts += [_bone((x - 0.2, y - 0.05, side * 0.28), shoulder, 0.08), _bone(shoulder, elbow, 0.06)]
        parts += [_bone(elbow, hand, 0.05)]
        parts += [_bone(hand, (x + 0.42, y - 0.84, side * (0.28 + s)), 0.03) for s in (-0.03, 0.03)]
    return parts


def _irons() -> list[Surfels]:
    """What holds it up: rods from the plinth to the spine."""
    return [
        line((x, 0.0, 0.0), (x, y, 0.0), 0.05, IRON, segment=0.2)
        for x, y in ((-1.7, 1.5), (-0.35, 1.7), (0.95, 2.0))
    ]
