"""Surfaces as flat Gaussians ("surfels"): quads, boxes, cylinders, discs, balls and lines.

A surfel is a thin disc whose footprint overlaps its neighbours' by so much that a wall has no holes. Along
free edges the cells grow from fine to coarse, so that corners and openings are crisp and plain areas cheap.
Colours are sRGB albedo; :mod:`~anix_cli.samples.light` bakes the light in afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

F64 = NDArray[np.float64]
RGB = tuple[float, float, float]
Colour = RGB | Callable[[F64], F64]
Edges = tuple[bool, bool, bool, bool]

MATT, LEAF, GLASS, WATER, WET, METAL, GLOW, GHOST = range(8)
"""How a surfel takes light: GLOW is unlit (the sky); GHOST is lit but casts no shadow."""

SPREAD = 0.70
"""Standard deviation per cell width: neighbours at 0.99 opacity cover 97 % where four cells meet."""
EDGE_SPREAD = 0.55
"""The same for the fine cells along a free edge, which should end where the surface ends."""
THIN_M = 0.006
NO_EDGES: Edges = (False, False, False, False)
ALL_EDGES: Edges = (True, True, True, True)


@dataclass(frozen=True)
class Surfels:
    """N surfels, stage frame, metres.

    Attributes:
        means, normals, tangents: [N, 3] float64; normals and tangents unit and at right angles.
        sizes: [N, 3] standard deviations along tangent, normal × tangent, normal.
        colours: [N, 3] sRGB albedo 0..1.
        opacities: [N] 0..1.
        finish: [N] int, one of the constants above.
    """

    means: F64
    normals: F64
    tangents: F64
    sizes: F64
    colours: F64
    opacities: F64
    finish: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.means)

    def placed(self, offset: ArrayLike = (0.0, 0.0, 0.0), yaw_deg: float = 0.0) -> Surfels:
        """Turned about +Y (what faced +Z faces +X at 90°), then moved."""
        angle = np.radians(yaw_deg)
        c, s = np.round(np.cos(angle), 12), np.round(np.sin(angle), 12)
        turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]).T
        moved = self.means @ turn + np.asarray(offset, dtype=np.float64)
        return replace(self, means=moved, normals=self.normals @ turn, tangents=self.tangents @ turn)

    def where(self, keep: NDArray[np.bool_]) -> Surfels:
        return Surfels(
            self.means[keep], self.normals[keep], self.tangents[keep], self.sizes[keep],
            self.colours[keep], self.opacities[keep], self.finish[keep],
        )  # fmt: skip


def join(parts: Sequence[Surfels]) -> Surfels:
    """All parts as one, in order."""
    return Surfels(
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("means", "normals", "tangents", "sizes", "colours", "opacities", "finish")
        )
    )


def surfels(
    means: ArrayLike,
    normals: ArrayLike,
    tangents: ArrayLike,
    sizes: ArrayLike,
    colour: Colour,
    *,
    speckle: float = 0.03,
    opacity: float = 0.99,
    finish: int = MATT,
) -> Surfels:
    """Surfels from broadcastable columns; ``speckle`` varies the brightness from one to the next."""
    points = np.atleast_2d(np.asarray(means, dtype=np.float64))
    count = len(points)
    normal = np.broadcast_to(np.asarray(normals, dtype=np.float64), (count, 3))
    tangent = np.broadcast_to(np.asarray(tangents, dtype=np.float64), (count, 3))
    size = np.array(np.broadcast_to(np.asarray(sizes, dtype=np.float64), (count, 3)))
    base = colour(points) if callable(colour) else np.broadcast_to(np.array(colour) / 255.0, (count, 3))
    shade = 1.0 + speckle * 2.0 * (hashed(points) - 0.5)
    return Surfels(
        points,
        normal / np.linalg.norm(normal, axis=1, keepdims=True),
        tangent / np.linalg.norm(tangent, axis=1, keepdims=True),
        size,
        np.clip(base * shade[:, None], 0, 1),
        np.full(count, opacity),
        np.full(count, finish, dtype=np.int64),
    )


def hashed(points: F64, salt: int = 0) -> F64:
    """A number in [0, 1) per point that depends on its place to the millimetre and on ``salt`` only."""
    whole = np.round(points * 1000).astype(np.int64).astype(np.uint64)
    mixed = whole[:, 0] * np.uint64(0x9E3779B97F4A7C15) ^ whole[:, 1] * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed ^= whole[:, 2] * np.uint64(0x165667B19E3779F9) + np.uint64(salt * 7919 + 1)
    for shift in (29, 32):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.asarray((mixed >> np.uint64(40)).astype(np.float64) / 2.0**24)


def stain(points: F64, wavelength_m: float) -> F64:
    """A slow, irregular wave in [−1, 1]: weathering of walls, worn paths, lie of the land."""
    x, y, z = (points / wavelength_m * 2 * np.pi).T
    wave = np.sin(x + 1.7 * np.sin(0.6 * z + 0.3 * y)) + np.sin(
        0.83 * z + 1.3 * np.sin(0.7 * x - 0.4 * y) + 2
    )
    return np.asarray((wave + np.sin(1.31 * y + 0.9 * np.sin(0.5 * x + 0.8 * z) + 4)) / 3)


def cells(length_m: float, spacing_m: float, *, start: float = 0.0, end: float = 0.0) -> tuple[F64, F64]:
    """Cuts a length into cells: centres and widths.

    ``start`` and ``end`` are the widths of the first and last cell where those ends are free edges (0: not);
    from there the widths double until they reach ``spacing_m``.
    """

    def grow(first: float) -> list[float]:
        widths: list[float] = []
        while first > 0 and first < spacing_m * 0.75 and sum(widths) + first < length_m * 0.45:
            widths.append(first)
            first *= 2
        return widths

    head, tail = grow(start), grow(end)[::-1]
    rest = length_m - sum(head) - sum(tail)
    count = max(1, round(rest / spacing_m))
    widths = np.array([*head, *([rest / count] * count), *tail])
    return np.cumsum(widths) - widths / 2, widths


def quad(
    corner: ArrayLike,
    u: ArrayLike,
    v: ArrayLike,
    colour: Colour,
    *,
    spacing: float = 0.2,
    edges: Edges = NO_EDGES,
    edge: float = 0.05,
    thickness: float = THIN_M,
    speckle: float = 0.03,
    opacity: float = 0.99,
    finish: int = MATT,
) -> Surfels:
    """A rectangle from ``corner`` along ``u`` and ``v`` (full sides, metres), facing u × v.

    ``edges`` says which ends are free: start of u, end of u, start of v, end of v.
    """
    along_u, along_v = np.asarray(u, dtype=np.float64), np.asarray(v, dtype=np.float64)
    length_u, length_v = float(np.linalg.norm(along_u)), float(np.linalg.norm(along_v))
    at_u, wide_u = cells(length_u, spacing, start=edge * edges[0], end=edge * edges[1])
    at_v, wide_v = cells(length_v, spacing, start=edge * edges[2], end=edge * edges[3])
    grid_u, grid_v = np.meshgrid(at_u, at_v, indexing="ij")
    size_u, size_v = np.meshgrid(wide_u, wide_v, indexing="ij")
    unit_u, unit_v = along_u / length_u, along_v / length_v
    means = np.asarray(corner) + grid_u.reshape(-1, 1) * unit_u + grid_v.reshape(-1, 1) * unit_v
    spread_u, spread_v = _spread(size_u, len(at_u)), _spread(size_v, len(at_v))
    sizes = np.stack([spread_u.ravel(), spread_v.ravel(), np.full(size_u.size, thickness)], axis=1)
    return surfels(
        means,
        np.cross(unit_u, unit_v),
        unit_u,
        sizes,
        colour,
        speckle=speckle,
        opacity=opacity,
        finish=finish,
    )


def _spread(widths: F64, count: int) -> F64:
    fine = widths < 0.8 * widths.max() if count > 1 else np.full_like(widths, True, dtype=bool)
    return np.asarray(np.where(fine, EDGE_SPREAD, SPREAD) * widths)


def box(
    low: ArrayLike,
    high: ArrayLike,
    colour: Colour,
    *,
    spacing: float = 0.2,
    edge: float = 0.04,
    faces: str = "xXyYzZ",
    speckle: float = 0.03,
    finish: int = MATT,
) -> Surfels:
    """An upright box between two corners; ``faces`` lists which (x: the low side, X: the high one)."""
    (x0, y0, z0), (x1, y1, z1) = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    dx, dy, dz = (x1 - x0, 0, 0), (0, y1 - y0, 0), (0, 0, z1 - z0)
    sides = {
        "x": ((x0, y0, z0), dz, dy), "X": ((x1, y0, z0), dy, dz),
        "y": ((x0, y0, z0), dx, dz), "Y": ((x0, y1, z0), dz, dx),
        "z": ((x0, y0, z0), dy, dx), "Z": ((x0, y0, z1), dx, dy),
    }  # fmt: skip
    return join(
        [
            quad(
                *sides[f], colour, spacing=spacing, edges=ALL_EDGES, edge=edge, speckle=speckle, finish=finish
            )
            for f in faces
        ]
    )


def line(
    start: ArrayLike,
    end: ArrayLike,
    width_m: float,
    colour: Colour,
    *,
    normal: ArrayLike = (0.0, 0.0, 1.0),
    segment: float = 0.5,
    thickness: float | None = None,
    speckle: float = 0.03,
    opacity: float = 0.99,
    finish: int = MATT,
) -> Surfels:
    """A bar from ``start`` to ``end``; round if ``thickness`` is None, else that flat along ``normal``."""
    first, last = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    length = float(np.linalg.norm(last - first))
    along = (last - first) / length
    # A Gaussian reaches past its cell: the outer cells stop a quarter short, so that the bar ends at its end.
    inset = 0.22 * length / max(1, round(length / segment))
    at, wide = cells(length - 2 * inset, segment)
    at = at + inset
    facing = np.asarray(normal, dtype=np.float64)
    facing = facing - along * (facing @ along)
    across = width_m * 0.42
    deep = across if thickness is None else thickness
    sizes = np.stack([0.5 * wide, np.full(len(at), across), np.full(len(at), deep)], axis=1)
    return surfels(
        first + at[:, None] * along,
        facing,
        along,
        sizes,
        colour,
        speckle=speckle,
        opacity=opacity,
        finish=finish,
    )


def cylinder(
    base: ArrayLike,
    radii: tuple[float, float],
    height: float,
    colour: Colour,
    *,
    spacing: float = 0.15,
    edge: float = 0.05,
    inward: bool = False,
    speckle: float = 0.03,
    finish: int = MATT,
) -> Surfels:
    """The mantle of an upright cylinder or cone: radii at the bottom and at the top."""
    at, high = cells(height, spacing, start=edge, end=edge)
    count = max(5, round(2 * np.pi * max(radii) / spacing))
    turn = (np.arange(count) + 0.5) / count * 2 * np.pi
    angle, rise = np.meshgrid(turn, at, indexing="ij")
    radius = radii[0] + (radii[1] - radii[0]) * rise / height
    out = np.stack([np.cos(angle), np.full_like(angle, (radii[0] - radii[1]) / height), np.sin(angle)], -1)
    means = np.asarray(base) + np.stack([radius * np.cos(angle), rise, radius * np.sin(angle)], -1)
    around = np.stack([-np.sin(angle), np.zeros_like(angle), np.cos(angle)], -1)
    wide = np.maximum(radius * 2 * np.pi / count, 0.02)
    sizes = np.stack(
        [SPREAD * wide, np.broadcast_to(_spread(high, len(at)), wide.shape), np.full_like(wide, THIN_M)], -1
    )
    sign = -1.0 if inward else 1.0
    flat = (-1, 3)
    return surfels(
        means.reshape(flat), sign * out.reshape(flat), around.reshape(flat), sizes.reshape(flat), colour,
        speckle=speckle, finish=finish,
    )  # fmt: skip


def ring(
    centre: ArrayLike,
    inner: float,
    outer: float,
    colour: Colour,
    *,
    spacing: float = 0.15,
    edges: tuple[bool, bool] = (False, True),
    edge: float = 0.05,
    speckle: float = 0.03,
    finish: int = MATT,
) -> Surfels:
    """A level annulus that faces up; a disc if ``inner`` is 0. ``edges``: inner, outer end free."""
    at, wide = cells(outer - inner, spacing, start=edge * edges[0], end=edge * edges[1])
    parts = []
    for radius, across in zip(at + inner, _spread(wide, len(at)), strict=True):
        count = max(4, round(2 * np.pi * radius / spacing))
        turn = (np.arange(count) + 0.5) / count * 2 * np.pi
        zero = np.zeros(count)
        out = np.stack([np.cos(turn), zero, np.sin(turn)], 1)
        sizes = np.stack(
            [
                np.full(count, across),
                np.full(count, SPREAD * 2 * np.pi * radius / count),
                zero + THIN_M,
            ],
            1,
        )
        parts.append(
            surfels(
                np.asarray(centre) + radius * out,
                (0, 1, 0),
                out,
                sizes,
                colour,
                speckle=speckle,
                finish=finish,
            )
        )
    return join(parts)


def ball(
    centre: ArrayLike,
    radii: ArrayLike,
    count: int,
    colour: Colour,
    *,
    speckle: float = 0.03,
    finish: int = MATT,
    overlap: float = 1.25,
) -> Surfels:
    """An ellipsoid's surface: ``count`` discs on a Fibonacci spiral."""
    k = np.arange(count) + 0.5
    y = 1 - 2 * k / count
    turn = k * np.pi * (3 - np.sqrt(5.0))
    flat = np.sqrt(1 - y * y)
    unit = np.stack([flat * np.cos(turn), y, flat * np.sin(turn)], 1)
    r = np.broadcast_to(np.asarray(radii, dtype=np.float64), (3,))
    normals = unit / r
    size = float(np.sqrt(4 * np.pi / count) * SPREAD * overlap * r.max())
    return surfels(
        np.asarray(centre) + unit * r, normals, tangents_of(normals), (size, size, THIN_M), colour,
        speckle=speckle, finish=finish,
    )  # fmt: skip


def tangents_of(normals: F64) -> F64:
    """Any unit vectors [N, 3] at right angles to ``normals`` [N, 3], level where there is a choice."""
    unit = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    helper = np.where(np.abs(unit[:, 1:2]) > 0.99, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    tangents = np.cross(helper, unit)
    return np.asarray(tangents / np.linalg.norm(tangents, axis=1, keepdims=True))
