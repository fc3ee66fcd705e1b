"""Third stage: which splats touch which blocks of pixels, front to back.

A tile's splats are a chain of chunks of 32 entries: a row of the records, and a mask of the blocks of the
tile that it touches. Chains grow while splats are met front to back, so nothing is counted first or sorted
after.
"""

# Kernels are typed by their numba signatures, and take long lists of arguments by position.
# mypy: allow-untyped-defs, no-check-untyped-defs
# ruff: noqa: I001 (long import lists stay compact)

from __future__ import annotations

import numpy as np
from numba import float32, int32, int64, uint64

from .kernels import helper, kernel, read, write
from .lanes import floor, lane_numbers, lanes, maximum, minimum, select, sqrt, whole
from .layout import (
    CUT, HALF_Y, LEAN, LOWER, MX, MY, RECORD, SLACK, SLACK_PX, TILE, TILE_PX, TOP, UPPER, UY, VY, WIDTH_OVER,
)  # fmt: skip
from .memory import item, prefetch, put, store

CHUNK = 32
_AHEAD = 12
_NONE = 1 << 20

# _BEFORE[c]: the bits of the block columns before the c-th, in the masks of four tiles side by side (16 bits
# each, of which a row of blocks takes 4).
_BEFORE = np.array([sum(1 << (16 * (k // 4) + k % 4) for k in range(c)) for c in range(17)], np.uint64)


@helper
def _append(tile, row, mask, cursors, nexts, entries, used):
    """Adds an entry to the end of a tile's chain; none, but without a branch to guess, if the mask is empty.

    A chain always has room for one more. Returns how many chunks are in use.
    """
    at = int64(item(cursors, tile))
    put(entries, at, row | int64(mask) << 32)
    following = at + int64(mask != 0)
    if following & (CHUNK - 1) == 0 and following != at:
        put(nexts, at // CHUNK, int32(used))
        following = used * CHUNK
        used += 1
    put(cursors, tile, int32(following))
    return used


@helper
def _append_small(records, identities, at, row, columns, first_row, end_row, cursors, nexts, entries, used):
    """Adds a splat to the up to four tiles that it touches, whose masks are in its record."""
    corner = int64(item(identities, at + TILE))
    tile_row = corner >> 16
    tile = (tile_row - first_row) * columns + (corner & 0xFFFF)
    if tile_row >= first_row and tile_row < end_row:
        masks = int64(item(identities, at + UPPER))
        used = _append(tile, row, masks & 0xFFFF, cursors, nexts, entries, used)
        used = _append(tile + 1, row, (masks >> 16) & 0xFFFF, cursors, nexts, entries, used)
    masks = int64(item(identities, at + LOWER))
    if masks != 0 and tile_row + 1 >= first_row and tile_row + 1 < end_row:
        used = _append(tile + columns, row, masks & 0xFFFF, cursors, nexts, entries, used)
        used = _append(tile + columns + 1, row, (masks >> 16) & 0xFFFF, cursors, nexts, entries, used)
    return used


@helper
def _edges(record, at, top, last_column, edges):
    """The first and last block column that a splat reaches in each of 8 rows of blocks, from pixel ``top``.

    Lanes 0 … 7 are its right edge in these rows, 8 … 15 its left edge. Where a row of blocks holds the
    rightmost point of the ellipse, that counts, else the nearest the row comes to it.
    """
    lane = lane_numbers()
    right = lane < float32(8)
    side = select(right, lanes(float32(1)), lanes(float32(-1)))
    row_top = select(right, lane, lane - float32(8)) * float32(4) + (
        top + float32(0.5) - item(record, at + MY)
    )
    half = item(record, at + HALF_Y)
    low, high = maximum(row_top, -half), minimum(row_top + float32(3), half)
    y = minimum(maximum(side * item(record, at + LEAN), low), high)
    v = y * item(record, at + VY)
    room = (item(record, at + TOP) - float32(CUT)) * float32(1 + SLACK) + float32(SLACK)
    width = sqrt(maximum(room - v * v, float32(0)))
    over = item(record, at + WIDTH_OVER)
    x = item(record, at + MX) + side * SLACK_PX + (side * width - y * item(record, at + UY)) * over
    # Block column c covers pixel centres from 4c + ½ to 4c + 3½.
    column = (
        floor(side * (x - select(right, lanes(float32(0.5)), lanes(float32(3.5)))) * float32(0.25)) * side
    )
    column = minimum(maximum(column, float32(-1)), last_column + float32(1))
    column = select(low <= high, column, side * -_NONE)
    store(edges, 0, whole(column))


@helper
def _append_row(edges, at, base, row, last_column, cursors, nexts, entries, used):
    """Adds entries for the tiles of one row, whose edges start at ``at`` and whose first tile is ``base``."""
    left, right = int64(_NONE), int64(-1)
    for k in range(at, at + 4):
        left = min(left, int64(item(edges, k + 8)))
        right = max(right, int64(item(edges, k)))
    left, right = max(left, 0), min(right, last_column)
    if left > right:
        return used
    for first in range(left // 4, right // 4 + 1, 4):
        masks = uint64(0)
        for k in range(4):
            left_of = min(max(int64(item(edges, at + k + 8)) - 4 * first, 0), 16)
            up_to = min(max(int64(item(edges, at + k)) + 1 - 4 * first, 0), 16)
            masks |= (item(_BEFORE, up_to) & ~item(_BEFORE, left_of)) << uint64(4 * k)
        tile, end = first, min(first + 4, right // 4 + 1)
        while masks != 0 and tile < end:
            used = _append(base + tile, row, int64(masks & uint64(0xFFFF)), cursors, nexts, entries, used)
            masks >>= uint64(16)
            tile += 1
    return used


@kernel(
    read(int32, 1), read(float32, 1), read(int32, 1), int64, int64, int64, write(int32, 1),
    write(int32, 1), write(int32, 1), write(int64, 1),
    returns=int64,
)  # fmt: skip
def bin_band(order, records, identities, columns, first_row, end_row, edges, cursors, nexts, entries):
    """Fills the chains of tile rows first_row … end_row − 1, which are ``columns`` wide.

    Args:
        order: record rows front to back; records, identities: flat, as float32 and as int32.
        edges: [16] int32, to work in.
        cursors: [tiles of the band + 1] int32: each chain's end. Its first chunk has the tile's number.
        nexts: [chunks] int32, the chunk after each.
        entries: [chunks · CHUNK] int64: row, and mask · 2³².

    Returns:
        How many chunks are in use, or −1 where there are too few.
    """
    used = int64(cursors.size)
    if used > nexts.size:
        return -1
    for tile in range(cursors.size):
        cursors[tile] = tile * CHUNK
    for k in range(order.size):
        prefetch(records, int64(order[min(k + _AHEAD, order.size - 1)]) * RECORD)
        row = int64(order[k])
        at = row * RECORD
        if item(identities, at + TILE) >= 0:
            if used + 4 > nexts.size:
                return -1
            used = _append_small(
                records, identities, at, row, columns, first_row, end_row, cursors, nexts, entries, used
            )
            continue
        middle, half = item(records, at + MY), item(records, at + HALF_Y)
        first = max(int64(max(middle - half, float32(0))) // TILE_PX, first_row)
        end = min(int64(min(middle + half, float32(1 << 24))) // TILE_PX + 1, end_row)
        if used + (end - first) * columns > nexts.size:
            return -1
        for pair in range(first, end, 2):
            _edges(records, at, float32(pair * TILE_PX), float32(4 * columns - 1), edges)
            for tile_row in range(pair, min(pair + 2, end)):
                used = _append_row(
                    edges, 4 * (tile_row - pair), (tile_row - first_row) * columns, row, 4 * columns - 1,
                    cursors, nexts, entries, used,
                )  # fmt: skip
    return used
