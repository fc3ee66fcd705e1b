"""A figure's surface as Gaussians that follow its bones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .figure import Figure, skinned
from .model import F32, F64, Ints, Piece
from .wear import Wardrobe

_GROWN = 1.9
"""Of a Gaussian's spread to that of its triangle: enough that neighbours close the surface."""
_THIN = 0.12
"""Thickness of a Gaussian, of its smaller width."""
_NEXT = 0.85
_LEAST_ALPHA = 0.04
_FIRM = 0.985


@dataclass(frozen=True)
class Skin:
    """N Gaussians bound to bones, row by row.

    Attributes:
        points: [N, 3] float32 in the frame that the bones start from.
        along, across: [N, 3] their two axes on the surface, as long as the standard deviations.
        normals: [N, 3] outwards.
        bones: [N, 4] int32 rows of the model's bones; weights [N, 4] float32, adding up to 1.
        rgb: [N, 3] float32 sRGB in even light. opacities: [N] float32.
        body: [N] bool, False for what is held in a hand.
        morphs: what morph targets do: of a node, rows of Gaussians and their shifts [M, n, 3].
    """

    points: F32
    along: F32
    across: F32
    normals: F32
    bones: Ints
    weights: F32
    rgb: F32
    opacities: F32
    body: NDArray[np.bool_]
    morphs: tuple[tuple[int, Ints, F32], ...]

    def __len__(self) -> int:
        return len(self.points)


@dataclass(frozen=True)
class _Bits:
    """Small triangles: which piece and triangle of it they are part of, and their corners in it.

    Attributes:
        corners: [n, 3, 3] barycentric coordinates of the three corners.
    """

    piece: Ints
    triangle: Ints
    corners: F64


def sample(figure: Figure, count: int, *, plain: bool = False) -> Skin:
    """Covers a figure with about ``count`` Gaussians, the same ones each time.

    Args:
        plain: leave colours and transparency out, and no picture is unpacked.

    Triangles are halved across their longest edges, the longest of all first, until there are as many; each
    becomes a flat Gaussian with its spread. Of models with more triangles than that, the largest count, and
    every so-many-th by area of the others.
    """
    bones = figure.neutral_bones
    placed = [skinned(piece, bones, figure.neutral).astype(np.float64) for piece in figure.pieces]
    bits = _bits(figure.pieces, placed, count)
    parts: list[dict[str, NDArray[Any]]] = []
    morphs: list[tuple[int, Ints, F32]] = []
    wardrobe = None if plain else Wardrobe(figure.model)
    total = 0
    for number, piece in enumerate(figure.pieces):
        rows = np.flatnonzero(bits.piece == number)
        if not len(rows):
            continue
        part = _covered(piece, placed[number], bones, wardrobe, bits=bits, rows=rows)
        body = np.full(len(part["points"]), not figure.held[number])
        shift = _shifts(piece, part.pop("triangles"), part.pop("middle"), total)
        morphs += [] if shift is None else [shift]
        parts.append({**part, "body": body})
        total += len(body)
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return Skin(**joined, morphs=tuple(morphs))


def _bits(pieces: tuple[Piece, ...], placed: list[F64], count: int) -> _Bits:
    piece = np.concatenate([np.full(len(each.triangles), n, np.int32) for n, each in enumerate(pieces)])
    triangle = np.concatenate([np.arange(len(each.triangles), dtype=np.int32) for each in pieces])
    corners = np.concatenate(
        [at[each.triangles] for each, at in zip(pieces, placed, strict=True)]
    )  # [n, 3, 3] metres
    areas = 0.5 * np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    whole = float(areas.sum())
    keep = np.flatnonzero(areas > 1e-12 * max(whole, 1e-30))
    shares = np.tile(np.eye(3), (len(piece), 1, 1))
    if len(keep) > count:
        keep = keep[_spread(areas[keep], count)]
    piece, triangle, corners, shares = piece[keep], triangle[keep], corners[keep], shares[keep]
    while (room := count - len(piece)) > 0:
        edges = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)
        side, longest = edges.argmax(axis=1), edges.max(axis=1)
        large = np.flatnonzero(longest > _NEXT * longest.max())  # the longest first, some at a time
        if len(large) > room:
            large = np.sort(large[np.argsort(-longest[large], kind="stable")[:room]])
        first, second = _halves(corners[large], side[large]), _halves(shares[large], side[large])
        corners[large], shares[large] = first[0], second[0]
        corners, shares = np.concatenate([corners, first[1]]), np.concatenate([shares, second[1]])
        piece = np.concatenate([piece, piece[large]])
        triangle = np.concatenate([triangle, triangle[large]])
    order = np.lexsort((triangle, piece))
    return _Bits(piece[order], triangle[order], shares[order])


def _spread(areas: F64, count: int) -> NDArray[np.intp]:
    """``count`` rows, drawn evenly along the heaped-up areas: large ones surely, others by share."""
    heap = np.cumsum(areas)
    marks = (np.arange(count) + 0.5) / count * heap[-1]
    return np.unique(np.searchsorted(heap, marks))


def _halves(corners: F64, side: NDArray[np.intp]) -> tuple[F64, F64]:
    """Triangles [n, 3, k] cut through the middle of the edge from corner ``side`` to the next."""
    rows = np.arange(len(corners))
    a, b, c = (corners[rows, (side + step) % 3] for step in range(3))
    middle = (a + b) / 2
    return np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)


_PROBES = np.array([[4, 1, 1], [1, 4, 1], [1, 1, 4], [2, 2, 2]], np.float64) / 6


def _covered(
    piece: Piece, placed: F64, bones: F64, wardrobe: Wardrobe | None, *, bits: _Bits, rows: NDArray[np.intp]
) -> dict[str, NDArray[Any]]:
    """The Gaussians of some bits of one piece, as columns."""
    triangles = piece.triangles[bits.triangle[rows]]
    corners = bits.corners[rows]
    middle = corners.mean(axis=1)
    spots = np.einsum("nkb,nbc->nkc", corners, placed[triangles])
    rgb, alpha = np.full((len(rows), 3), 0.5, np.float32), np.ones(len(rows), np.float32)
    if wardrobe is not None:
        rgb, alpha = _colours(piece, triangles, corners, wardrobe)
    good = alpha > _LEAST_ALPHA
    triangles, middle, spots, alpha = triangles[good], middle[good], spots[good], alpha[good]
    index, weights = _bound(piece, triangles, middle)
    along, across = _axes(spots)
    matrix = np.einsum("nk,nkij->nij", weights, bones[index])[:, :3, :3]
    back = np.linalg.pinv(matrix)
    if piece.normals is not None:
        normals = np.einsum("nb,nbc->nc", middle, piece.normals[triangles].astype(np.float64))
    else:
        normals = np.einsum("nij,nj->ni", back, np.cross(along, across))
    flat = np.einsum("nb,nbc->nc", middle, piece.points[triangles].astype(np.float64))
    return {
        "points": flat.astype(np.float32),
        "along": np.einsum("nij,nj->ni", back, along).astype(np.float32),
        "across": np.einsum("nij,nj->ni", back, across).astype(np.float32),
        "normals": normals.astype(np.float32),
        "bones": index.astype(np.int32),
        "weights": weights.astype(np.float32),
        "rgb": rgb[good],
        "opacities": (alpha * _FIRM).astype(np.float32),
        "triangles": triangles,
        "middle": middle,
    }


def _colours(piece: Piece, triangles: Ints, corners: F64, wardrobe: Wardrobe) -> tuple[F32, F32]:
    """Mean sRGB [n, 3] and alpha [n] over each bit, of a few places in it."""
    rgb, alpha = np.zeros((len(corners), 3), np.float32), np.zeros(len(corners), np.float32)
    for probe in _PROBES:
        shares = np.einsum("k,nkb->nb", probe, corners).astype(np.float32)
        colour, seen = wardrobe.worn(piece, triangles, shares)
        rgb += colour * (seen[:, None] + np.float32(1e-4))
        alpha += seen
    return rgb / (alpha[:, None] + np.float32(4e-4)), alpha / np.float32(len(_PROBES))


def _axes(spots: F64) -> tuple[F64, F64]:
    """The two axes of each triangle's spread, [n, 3] each, grown so that neighbours close the surface.

    The covariance of a triangle's area is a twelfth of the sum of its corners' squares about the middle.
    """
    away = spots - spots.mean(axis=1, keepdims=True)
    edge = away[:, 1] - away[:, 0]
    u = edge / np.maximum(np.linalg.norm(edge, axis=1, keepdims=True), 1e-30)
    normal = np.cross(edge, away[:, 2] - away[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)
    v = np.cross(normal, u)
    x, y = np.einsum("nkc,nc->nk", away, u), np.einsum("nkc,nc->nk", away, v)
    xx, yy, xy = ((p * q).sum(axis=1) / 12 for p, q in ((x, x), (y, y), (x, y)))
    angle = 0.5 * np.arctan2(2 * xy, xx - yy)
    half, apart = (xx + yy) / 2, np.hypot((xx - yy) / 2, xy)
    long, short = np.sqrt(half + apart), np.sqrt(np.maximum(half - apart, 0))
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    long = _GROWN * long[:, None]
    short = np.maximum(_GROWN * short[:, None], 0.05 * long)
    return long * (c * u + s * v), short * (c * v - s * u)


def _bound(piece: Piece, triangles: Ints, middle: F64) -> tuple[NDArray[np.intp], F64]:
    """The four bones that a point inside a triangle follows most, and how far."""
    count = len(triangles)
    if not piece.skinned:
        weights = np.zeros((count, 4))
        weights[:, 0] = 1
        return piece.bones[triangles[:, 0]].astype(np.intp), weights
    bones = piece.bones[triangles].reshape(count, 12).astype(np.intp)
    weights = (piece.weights[triangles] * middle[:, :, None]).reshape(count, 12).astype(np.float64)
    bones, weights = _taken(bones, weights, np.argsort(bones, axis=1, kind="stable"))
    for column in range(11, 0, -1):  # equal bones stand side by side: heap them up on the first
        same = bones[:, column] == bones[:, column - 1]
        weights[same, column - 1] += weights[same, column]
        weights[same, column] = 0
    bones, weights = _taken(bones, weights, np.argsort(-weights, axis=1, kind="stable")[:, :4])
    return bones, weights / weights.sum(axis=1, keepdims=True)


def _taken(bones: NDArray[np.intp], weights: F64, order: NDArray[np.intp]) -> tuple[NDArray[np.intp], F64]:
    return np.take_along_axis(bones, order, axis=1), np.take_along_axis(weights, order, axis=1)


def _shifts(piece: Piece, triangles: Ints, middle: F64, first: int) -> tuple[int, Ints, F32] | None:
    """What a piece's morph targets do to its Gaussians; None where they do nothing."""
    if not len(piece.morphs) or not np.abs(piece.morphs).any():
        return None
    shifts = np.einsum("nb,mnbc->mnc", middle, piece.morphs[:, triangles])
    rows = np.flatnonzero(np.abs(shifts).max(axis=(0, 2)) > 0)
    return piece.node, (rows + first).astype(np.int32), shifts[:, rows].astype(np.float32)
