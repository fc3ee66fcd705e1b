"""Solids as signed distances: the primitives a sample character is modelled from.

A body is a list of groups; the primitives of one group melt into each other (a polynomial smooth union of
width ``blend_m``), groups only touch. The distance functions are those collected by Inigo Quilez,
"distance functions" (iquilezles.org/articles/distfunctions).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
Vector = tuple[float, float, float]

CONE, ELLIPSOID, BOX, RING, BAND = range(5)
NO_ROTATION: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Solid:
    """One primitive, metres.

    Attributes:
        kind: CONE a capsule between ``a`` and ``b`` whose radius goes from ``r1`` to ``r2``;
            ELLIPSOID centre ``a``, radii ``b``; BOX centre ``a``, half sides ``b``, rounding ``r1``;
            RING centre ``a`` round the local y axis, radius ``r1``, thickness ``r2``;
            BAND what lies within ``r1`` of the body's first group and within ``r2`` of the plane of ``cut``.
        material: row of the palette.
        turn_deg: rotation about x, then y, then z.
        cut: (nx, ny, nz, c); only where n · p ≤ c is kept. All zero: no cut.
    """

    kind: int
    material: int
    a: Vector
    b: Vector = (0.0, 0.0, 0.0)
    r1: float = 0.0
    r2: float = 0.0
    turn_deg: Vector = NO_ROTATION
    cut: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)

    def mirrored(self) -> Solid:
        """The same on the other side of the body (x → −x)."""
        rx, ry, rz = self.turn_deg
        ax, ay, az = self.a
        bx, by, bz = self.b
        nx, ny, nz, c = self.cut
        other_b = (-bx, by, bz) if self.kind == CONE else self.b
        return replace(self, a=(-ax, ay, az), b=other_b, turn_deg=(rx, -ry, -rz), cut=(-nx, ny, nz, c))

    def bound(self) -> tuple[F64, float]:
        """Centre and radius of a sphere that holds the primitive."""
        a, b = np.array(self.a), np.array(self.b)
        if self.kind == CONE:
            return (a + b) / 2, float(np.linalg.norm(b - a)) / 2 + max(self.r1, self.r2)
        if self.kind == ELLIPSOID:
            return a, float(b.max())
        if self.kind == BOX:
            return a, float(np.linalg.norm(b))
        if self.kind == RING:
            return a, self.r1 + self.r2
        return np.array([0.0, 1.0, 0.0]), 2.0


@dataclass
class Body:
    """Groups of solids. ``blends_m[g]`` is the width over which the solids of group g melt."""

    solids: list[Solid] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    blends_m: list[float] = field(default_factory=list)

    def group(self, blend_m: float, solids: Iterable[Solid]) -> int:
        """Adds a group; returns its number."""
        number = len(self.blends_m)
        self.blends_m.append(blend_m)
        for solid in solids:
            self.solids.append(solid)
            self.groups.append(number)
        return number

    def table(self) -> F64:
        """The body as numbers, [primitives, 28], for the compiled tracer."""
        rows = np.zeros((len(self.solids), 28))
        for row, solid, group in zip(rows, self.solids, self.groups, strict=True):
            row[0], row[1] = solid.kind, group
            row[2:5], row[5:8] = solid.a, solid.b
            row[8], row[9] = solid.r1, solid.r2
            row[10:19] = rotation(solid.turn_deg).T.ravel()
            row[19:23] = solid.cut
            row[23:26], row[26] = solid.bound()
            row[27] = solid.material
        return rows


def both_sides(*solids: Solid) -> list[Solid]:
    """The solids of the character's own left (+x) and their mirror images."""
    return [part for solid in solids for part in (solid, solid.mirrored())]


def rotation(turn_deg: Vector) -> F64:
    """Matrix [3, 3] that turns about x, then y, then z."""
    (cx, sx), (cy, sy), (cz, sz) = ((math.cos(t), math.sin(t)) for t in np.radians(turn_deg))
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return np.asarray(about_z @ about_y @ about_x)
