"""Codebooks: many numbers, or rows of numbers, told by the nearest of a few (Lloyd 1982, k-means).

The same input gives the same books.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

_BINS = 4096
_LINE_ROUNDS, _COARSE_ROUNDS, _FINE_ROUNDS = 30, 6, 4
_SAMPLE = 1 << 16
_COARSE = 256
_CHUNK = 8192
_SEED = 7
_ALLOTMENT = 0.8
"""Exponent d/(d + 2) of a cluster's share of the palette, of d = 8 dimensions that matter: with it, one more
entry would lower the error by as much in every cluster."""


def line_codebook(
    values: NDArray[np.floating], weights: NDArray[np.floating] | None = None, size: int = 256
) -> tuple[F32, NDArray[np.intp]]:
    """The ``size`` numbers that tell ``values`` with least squared error, and which of them tells each.

    It starts where a fine quantiser has its steps, as densely as the cube root of the values' own density
    (Panter and Dite 1951), so that rare large values keep entries of their own.

    Args:
        weights: how much an error of each value counts, of the shape of ``values``; 1 where None.

    Returns:
        (book [size] float32, ascending, index of the shape of ``values``).
    """
    flat = np.asarray(values, dtype=np.float64).ravel()
    distinct = np.unique(flat.astype(np.float32))
    if len(distinct) <= size:
        book = np.full(size, distinct[-1] if len(distinct) else 0.0, np.float32)
        book[: len(distinct)] = distinct
        return book, np.searchsorted(distinct, np.asarray(values, np.float32))
    order = np.argsort(flat)
    flat = flat[order]
    weight = np.ones(len(flat)) if weights is None else np.asarray(weights, np.float64).ravel()[order]
    counts, edges = np.histogram(flat, _BINS, weights=weight)
    share = np.concatenate([[0.0], np.cumsum(np.cbrt(counts))])
    centres = np.interp((np.arange(size) + 0.5) / size * share[-1], share, edges)
    held = np.concatenate([[0.0], np.cumsum(weight)])
    total = np.concatenate([[0.0], np.cumsum(weight * flat)])
    for _ in range(_LINE_ROUNDS):
        bounds = np.searchsorted(flat, (centres[1:] + centres[:-1]) / 2)
        first, last = np.concatenate([[0], bounds]), np.concatenate([bounds, [len(flat)]])
        means = (total[last] - total[first]) / np.maximum(held[last] - held[first], 1e-300)
        centres = np.sort(np.where(last > first, means, centres))
    book = centres.astype(np.float32)
    middles = (book[1:].astype(np.float64) + book[:-1]) / 2
    return book, np.searchsorted(middles, np.asarray(values, dtype=np.float64))


def row_palette(rows: F32, size: int) -> tuple[F32, NDArray[np.intp]]:
    """At most ``size`` rows that tell all ``rows`` [n, d], and which of them tells each.

    In two steps, so that time grows with n·√size: coarse clusters, and within each as many entries as its
    scatter calls for. Like entries follow each other.
    """
    first, which = distinct_rows(rows)
    if len(first) <= size:
        return rows[first], which
    random = np.random.default_rng(_SEED)
    sample = random.choice(len(rows), min(_SAMPLE, len(rows)), replace=False)
    coarse = _lloyd(rows[np.sort(sample)], min(_COARSE, size), _COARSE_ROUNDS, random)
    label, apart = _nearest(rows, coarse)
    order = np.argsort(label, kind="stable")
    held = np.bincount(label, minlength=len(coarse))
    scatter = np.bincount(label, apart, len(coarse)).astype(np.float64)
    entries: list[F32] = []
    labels, at = np.empty(len(rows), np.intp), 0
    clusters = np.split(order, np.cumsum(held)[:-1])
    for cluster, share in zip(clusters, _allot(scatter, held, size), strict=True):
        if share:
            entries.append(_lloyd(rows[cluster], int(share), _FINE_ROUNDS, random))
            labels[cluster] = at + _nearest(rows[cluster], entries[-1])[0]
            at += int(share)
    return np.concatenate(entries), labels


def distinct_rows(rows: F32) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(where each different row first is, in that order; which of these each row is).

    By a 64-bit sum of each row's bits times fixed random numbers: sorting whole rows takes ten times as long.
    """
    bits = np.ascontiguousarray(rows + np.float32(0)).view(np.uint32).astype(np.uint64)
    factors = np.random.default_rng(_SEED).integers(1, 1 << 63, rows.shape[1], dtype=np.uint64)
    _, first, which = np.unique((bits * factors).sum(axis=1), return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.intp)
    rank[order] = np.arange(len(order))
    return first[order], rank[which]


def _allot(scatter: F64, held: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    """How many entries each cluster gets: at least one if it holds a row, never more than it holds."""
    wanted = np.maximum(scatter, 1e-30) ** _ALLOTMENT * (held > 0)
    room = np.minimum(held, 1)
    for _ in range(8):  # what clusters cannot use goes to the others
        open_ = np.where(held > room, wanted, 0.0)
        spare = size - int(room.sum())
        if spare <= 0 or not open_.sum() > 0:
            break
        room = np.minimum(held, room + np.floor(open_ / open_.sum() * spare).astype(np.intp))
    return np.asarray(room)


def _lloyd(rows: F32, size: int, rounds: int, random: np.random.Generator) -> F32:
    centres = rows[np.sort(random.choice(len(rows), size, replace=False))]
    if size == len(rows):
        return centres
    for _ in range(rounds):
        label, _ = _nearest(rows, centres)
        held = np.bincount(label, minlength=size)
        total = np.stack([np.bincount(label, column, size) for column in rows.T], axis=1)
        centres = np.where(held[:, None] > 0, total / np.maximum(held, 1)[:, None], centres)
        centres = centres.astype(np.float32)
    return centres


def _nearest(rows: F32, centres: F32) -> tuple[NDArray[np.intp], F64]:
    """(index of the nearest centre of each row, squared distance to it)."""
    label, apart = np.empty(len(rows), np.intp), np.empty(len(rows))
    half = np.einsum("ij,ij->i", centres, centres) / 2
    for start in range(0, len(rows), _CHUNK):
        part = rows[start : start + _CHUNK]
        likeness = part @ centres.T - half
        best = np.argmax(likeness, axis=1)
        label[start : start + _CHUNK] = best
        away = part - centres[best]
        apart[start : start + _CHUNK] = np.einsum("ij,ij->i", away, away)
    return label, apart
