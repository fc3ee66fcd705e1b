"""What stands about on the square: benches, lamp posts, a market stall, café tables, the balustrade."""

from __future__ import annotations

import numpy as np

from .layout import EAST_M, SOUTH_M, WEST_M
from .openings import awning
from .surfaces import GHOST, METAL, RGB, Surfels, ball, box, cylinder, join, line, quad, ring, surfels

IRON: RGB = (52, 56, 56)
WOOD: RGB = (150, 100, 62)


def bench(x: float, z: float, yaw_deg: float) -> Surfels:
    """A slatted bench; at yaw 0 one sits facing +Z."""
    parts = []
    for k in range(4):
        depth = -0.20 + 0.125 * k
        parts.append(box((-0.85, 0.42, depth), (0.85, 0.46, depth + 0.10), WOOD, spacing=0.3, faces="YyzZxX"))
    for k in range(3):
        y, back = 0.56 + 0.13 * k, -0.27 - 0.03 * k
        parts.append(box((-0.85, y, back - 0.03), (0.85, y + 0.10, back), WOOD, spacing=0.3, faces="YyzZxX"))
    for side in (-0.7, 0.7):
        for start, end in (
            ((side, 0, 0.22), (side, 0.44, 0.18)), ((side, 0, -0.28), (side, 0.46, -0.22)),
            ((side, 0.44, -0.22), (side, 0.92, -0.36)), ((side, 0.40, -0.25), (side, 0.40, 0.22)),
            ((side, 0.62, -0.26), (side, 0.62, 0.16)), ((side, 0.42, 0.16), (side, 0.62, 0.16)),
        ):  # fmt: skip
            parts.append(line(start, end, 0.055, IRON, segment=0.2, normal=(1, 0, 0), finish=METAL))
    return join(parts).placed((x, 0.0, z), yaw_deg)


def lamp(x: float, z: float) -> Surfels:
    """A cast-iron lamp post with a four-sided lantern, 3.9 m high."""
    parts = [
        cylinder((0, 0, 0), (0.19, 0.15), 0.16, IRON, spacing=0.09, finish=METAL),
        cylinder((0, 0.16, 0), (0.11, 0.085), 0.55, IRON, spacing=0.08, finish=METAL),
        cylinder((0, 0.71, 0), (0.12, 0.12), 0.06, IRON, spacing=0.07, finish=METAL),
        cylinder((0, 0.77, 0), (0.058, 0.042), 2.35, IRON, spacing=0.09, finish=METAL),
        cylinder((0, 3.08, 0), (0.05, 0.13), 0.14, IRON, spacing=0.06, finish=METAL),
        cylinder((0, 3.62, 0), (0.24, 0.05), 0.18, IRON, spacing=0.07, finish=METAL),
        ball((0, 3.86, 0), 0.055, 20, IRON, finish=METAL),
        line((-0.35, 2.9, 0), (0.35, 2.9, 0), 0.045, IRON, segment=0.2, finish=METAL),
    ]
    corners = [(0.11, 0.19), (-0.11, -0.19)]
    for k in range(4):
        angle = np.radians(45 + 90 * k)
        after = angle + np.pi / 2
        low, high = corners[0]
        a0 = np.array([np.cos(angle) * low, 3.22, np.sin(angle) * low])
        a1 = np.array([np.cos(angle) * high, 3.62, np.sin(angle) * high])
        b0 = np.array([np.cos(after) * low, 3.22, np.sin(after) * low])
        parts.append(line(a0, a1, 0.03, IRON, segment=0.2, finish=METAL))
        middle = (a0 + b0) / 2 + np.array([0, 0.2, 0]) * 1.0
        out = middle * np.array([1, 0, 1])
        parts.append(
            surfels(
                [middle * [1.2, 1, 1.2] - [0, 0.1, 0], middle * [1.45, 1, 1.45] + [0, 0.09, 0]], out,
                np.cross([0, 1, 0], out), (0.075, 0.075, 0.008), (248, 232, 190), opacity=0.93, finish=GHOST,
            )
        )  # fmt: skip
    return join(parts).placed((x, 0.0, z))


def market_stall(x: float, z: float, yaw_deg: float) -> Surfels:
    """A stall under a striped roof with crates of fruit; its front faces +Z at yaw 0."""
    rng = np.random.default_rng(41)
    parts = []
    for sx in (-1.45, 1.45):
        for sz, top in ((-0.75, 2.55), (0.85, 2.25)):
            parts.append(
                box(
                    (sx - 0.045, 0, sz - 0.045),
                    (sx + 0.045, top, sz + 0.045),
                    WOOD,
                    faces="xXzZ",
                    spacing=0.3,
                )
            )
    parts.append(awning(3.3, 2.75, 2.3, ((52, 124, 120), (244, 236, 218))).placed((0, 0.0, -1.0)))
    parts.append(box((-1.5, 0.86, -0.1), (1.5, 0.92, 0.95), WOOD, spacing=0.25))
    parts.append(box((-1.5, 0.0, -0.08), (1.5, 0.86, 0.93), (216, 200, 170), faces="xXzZ", spacing=0.3))
    for k, x0 in enumerate(np.linspace(-1.42, 1.42, 6)[:-1]):
        colours = ((220, 92, 40), (206, 44, 40), (232, 190, 60), (118, 156, 60), (150, 60, 96))
        for row, y in enumerate((0.98, 1.12)):
            z0 = 0.45 - 0.5 * row
            parts.append(
                box(
                    (x0 + 0.02, y - 0.06, z0),
                    (x0 + 0.54, y + 0.06, z0 + 0.46),
                    (176, 132, 84),
                    faces="xXzZ",
                    spacing=0.16,
                )
            )
            parts.append(
                quad((x0 + 0.04, y + 0.03, z0 + 0.02), (0, 0, 0.42), (0.48, 0, 0), (70, 50, 34), spacing=0.2)
            )
            for i in range(5):
                for j in range(4):
                    at = (
                        x0 + 0.08 + 0.10 * i + rng.normal() * 0.008,
                        y + 0.07 + rng.random() * 0.02,
                        z0 + 0.07 + 0.11 * j,
                    )
                    pick = colours[(k + 2 * row) % 5]
                    parts.append(
                        surfels(at, (0, 0.7, 0.5), (1, 0, 0), (0.036, 0.036, 0.034), pick, speckle=0.18)
                    )
    for k in range(3):
        x0 = 1.75 + 0.1 * k
        parts.append(
            box(
                (x0, 0.0 + 0.34 * k, -0.3),
                (x0 + 0.55, 0.32 + 0.34 * k, 0.3),
                (170, 128, 82),
                spacing=0.16,
                speckle=0.1,
            )
        )
    return join(parts).placed((x, 0.0, z), yaw_deg)


def cafe_table(x: float, z: float, canvas: RGB, *, parasol: bool = True) -> Surfels:
    """A round table with three chairs under a parasol."""
    parts = [
        ring((0, 0.74, 0), 0.0, 0.42, (226, 220, 206), spacing=0.14, edges=(False, True)),
        cylinder((0, 0.70, 0), (0.42, 0.42), 0.04, (200, 190, 172), spacing=0.15, edge=0),
        cylinder((0, 0, 0), (0.035, 0.035), 0.72, IRON, spacing=0.1, finish=METAL),
        cylinder((0, 0, 0), (0.26, 0.06), 0.07, IRON, spacing=0.1, finish=METAL),
    ]
    for k in range(3):
        parts.append(_chair().placed((0.0, 0.0, 0.78)).placed((0, 0, 0), 40 + 120 * k))
    if parasol:
        parts.append(cylinder((0, 0.74, 0), (0.026, 0.026), 1.75, (236, 226, 204), spacing=0.12))
        for k in range(12):
            tone = canvas if k % 2 else (242, 234, 216)
            parts.append(_gore(k, 12, tone))
    return join(parts).placed((x, 0.0, z))


def _gore(k: int, count: int, colour: RGB) -> Surfels:
    """One triangle of a parasol, and its shaded underside."""
    angle, wide = (k + 0.5) / count * 2 * np.pi, 2 * np.pi / count
    out = np.array([np.cos(angle), 0.0, np.sin(angle)])
    side = np.array([-np.sin(angle), 0.0, np.cos(angle)])
    rows = []
    for r in np.arange(0.08, 1.5, 0.16):
        spread = r * wide
        number = max(1, round(spread / 0.2))
        for i in range(number):
            offset = ((i + 0.5) / number - 0.5) * spread
            rows.append((out * r + side * offset + np.array([0, 2.62 - 0.34 * r, 0]), spread / number))
    at = np.array([row[0] for row in rows])
    sizes = np.stack(
        [[0.60 * max(row[1], 0.06) for row in rows], np.full(len(rows), 0.10), np.full(len(rows), 0.006)], 1
    )
    normal = np.array([0, 1.0, 0]) + 0.34 * out
    valance = out * 1.5 + np.array([0, 2.04, 0])
    return join(
        [
            surfels(at, normal, side, sizes, colour, speckle=0.02),
            surfels([valance - 0.17 * side, valance + 0.17 * side], out, side, (0.13, 0.06, 0.006), colour),
        ]
    )


def _chair() -> Surfels:
    parts = [box((-0.20, 0.43, -0.20), (0.20, 0.46, 0.20), (190, 150, 100), spacing=0.14)]
    for x in (-0.18, 0.18):
        parts.append(line((x, 0, -0.18), (x, 0.44, -0.18), 0.03, IRON, segment=0.25))
        parts.append(line((x, 0, 0.18), (x, 0.86, 0.22), 0.03, IRON, segment=0.25))
    for y in (0.60, 0.72, 0.84):
        parts.append(line((-0.18, y, 0.205), (0.18, y, 0.205), 0.06, (190, 150, 100), segment=0.2))
    return join(parts)


def balustrade() -> Surfels:
    """The stone parapet on the open side, with balusters, posts and urns."""
    stone: RGB = (208, 196, 174)
    z = SOUTH_M
    parts = [
        box((WEST_M, 0, z - 0.22), (EAST_M, 0.16, z + 0.22), stone, faces="zZY", spacing=0.25),
        box((WEST_M, 0.80, z - 0.20), (EAST_M, 0.95, z + 0.20), stone, faces="zZYy", spacing=0.25),
    ]
    posts = np.arange(WEST_M, EAST_M + 0.1, 3.0)
    for x in posts:
        parts.append(
            box((x - 0.26, 0, z - 0.26), (x + 0.26, 1.06, z + 0.26), stone, faces="xXzZ", spacing=0.2)
        )
        parts.append(box((x - 0.32, 1.04, z - 0.32), (x + 0.32, 1.14, z + 0.32), stone, spacing=0.2))
    for x in posts[1:-1:3]:
        parts.append(ball((x, 1.42, z), (0.24, 0.26, 0.24), 60, stone))
    for x in np.arange(WEST_M + 0.25, EAST_M, 0.25):
        if np.abs(posts - x).min() < 0.3:
            continue
        at = np.array([[x, 0.25, z], [x, 0.42, z], [x, 0.60, z], [x, 0.74, z]])
        sizes = np.array([[0.045, 0.07, 0.045], [0.066, 0.08, 0.066], [0.04, 0.08, 0.04], [0.05, 0.05, 0.05]])
        parts.append(surfels(at, (0, 0, 1), (1, 0, 0), sizes, stone, speckle=0.04))
    return join(parts)
