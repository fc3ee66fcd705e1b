"""Trees and planters: trunks, branches and clumps of leaf discs round dark cores."""

from __future__ import annotations

import numpy as np

from .surfaces import F64, LEAF, RGB, Surfels, ball, box, cylinder, join, line, surfels, tangents_of

BARK: RGB = (108, 84, 66)
GREENS = np.array([[98, 124, 58], [114, 138, 62], [84, 112, 58], [130, 146, 70], [104, 128, 54]]) / 255.0


def tree(
    x: float,
    z: float,
    height: float,
    crown: float,
    seed: int,
    *,
    leaves: int = 210,
    leaf_m: float = 0.082,
    y: float = 0.0,
) -> Surfels:
    """A broad-leaved tree; ``leaves`` per clump of its crown."""
    rng = np.random.default_rng(seed)
    clear = height * 0.40
    top = np.array([0.12 * rng.normal(), height - crown, 0.12 * rng.normal()])
    parts = [
        cylinder((0, 0, 0), (0.24, 0.16), clear * 0.5, BARK, spacing=0.12, speckle=0.14),
        cylinder((0, clear * 0.5, 0), (0.16, 0.12), clear * 0.9, BARK, spacing=0.11, speckle=0.14),
        cylinder((0, -0.02, 0), (0.36, 0.23), 0.22, BARK, spacing=0.12, speckle=0.14),
    ]
    clumps = []
    count = 13
    for k in range(count):
        up = 1 - 2 * (k + 0.5) / count
        turn = k * np.pi * (3 - np.sqrt(5)) + rng.uniform(-0.3, 0.3)
        flat = np.sqrt(1 - up * up)
        offset = (
            np.array([flat * np.cos(turn), 0.72 * up, flat * np.sin(turn)]) * crown * rng.uniform(0.58, 0.74)
        )
        clumps.append((top + offset, crown * rng.uniform(0.42, 0.56)))
    clumps.append((top, crown * 0.62))
    for centre, _ in clumps[::2]:
        fork = np.array([0, clear * 0.95, 0])
        parts.append(line(fork, centre, 0.09, BARK, segment=0.35, speckle=0.1))
    for centre, radius in clumps:
        parts.append(_clump(rng, centre, radius, leaves=leaves, leaf_m=leaf_m, crown=crown, top=top))
    return join(parts).placed((x, y, z))


def _clump(
    rng: np.random.Generator,
    centre: F64,
    radius: float,
    *,
    leaves: int,
    leaf_m: float,
    crown: float,
    top: F64,
) -> Surfels:
    """Leaves on a ragged ball, lighter outside and above, with a dark core behind them."""
    unit = rng.normal(size=(leaves, 3))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    reach = radius * (0.68 + 0.36 * rng.random(leaves))
    at = centre + unit * reach[:, None] * np.array([1.0, 0.82, 1.0])
    normals = unit + 0.55 * rng.normal(size=(leaves, 3)) + np.array([0, 0.25, 0])
    depth = np.clip(np.linalg.norm((at - top) / np.array([1, 0.8, 1]), axis=1) / crown, 0.3, 1.1)
    tone = (
        GREENS[rng.integers(0, len(GREENS), leaves)]
        * (0.55 + 0.5 * depth[:, None])
        * (0.85 + 0.3 * rng.random((leaves, 1)))
    )
    size = leaf_m * (0.7 + 0.6 * rng.random(leaves))
    sizes = np.stack([size, size * 0.66, np.full(leaves, 0.025)], 1)
    outer = surfels(
        at, normals, tangents_of(normals), sizes, lambda _: np.clip(tone, 0, 1), speckle=0.0, finish=LEAF
    )
    core = ball(centre, radius * 0.60, 32, (62, 84, 38), speckle=0.1, overlap=0.8)
    return join([outer, core])


def planter(x: float, z: float, seed: int) -> Surfels:
    """A stone trough with a clipped round bush and flowers."""
    rng = np.random.default_rng(seed)
    parts = [
        box((-0.42, 0, -0.42), (0.42, 0.52, 0.42), (196, 184, 162), faces="xXzZ", spacing=0.2),
        box((-0.47, 0.50, -0.47), (0.47, 0.60, 0.47), (206, 194, 172), faces="xXzZY", spacing=0.2),
        ball((0, 1.0, 0), (0.40, 0.40, 0.40), 60, (60, 84, 40), speckle=0.1),
    ]
    unit = rng.normal(size=(230, 3))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    at = np.array([0, 1.0, 0]) + unit * (0.42 + 0.06 * rng.random((230, 1)))
    normals = unit + 0.4 * rng.normal(size=unit.shape)
    tone = GREENS[rng.integers(0, len(GREENS), 230)] * (0.8 + 0.35 * rng.random((230, 1)))
    parts.append(
        surfels(
            at, normals, tangents_of(normals), (0.062, 0.044, 0.02), lambda _: tone, speckle=0.0, finish=LEAF
        )
    )
    rim = rng.uniform(-0.42, 0.42, (46, 2))
    flowers = np.stack([rim[:, 0], 0.64 + 0.07 * rng.random(46), rim[:, 1]], 1)
    parts.append(surfels(flowers, (0, 1, 0.4), (1, 0, 0), (0.045, 0.040, 0.02), (226, 92, 110), speckle=0.25))
    return join(parts).placed((x, 0.0, z))


def tree_grate(x: float, z: float) -> Surfels:
    """A bed of earth in a square of pale kerb at the foot of a street tree."""
    earth = box(
        (-0.75, -0.02, -0.75), (0.75, 0.012, 0.75), (92, 74, 58), faces="Y", spacing=0.18, speckle=0.12
    )
    kerbs = [
        box((-0.85, -0.02, -0.85), (0.85, 0.05, -0.72), (190, 178, 158), faces="xXzZY", spacing=0.2),
        box((-0.85, -0.02, 0.72), (0.85, 0.05, 0.85), (190, 178, 158), faces="xXzZY", spacing=0.2),
        box((-0.85, -0.02, -0.72), (-0.72, 0.05, 0.72), (190, 178, 158), faces="xXzZY", spacing=0.2),
        box((0.72, -0.02, -0.72), (0.85, 0.05, 0.72), (190, 178, 158), faces="xXzZY", spacing=0.2),
    ]
    return join([earth, *kerbs]).placed((x, 0.0, z))
