"""Third stage: which splats touch which blocks of pixels, front to back.

A tile is 16 × 16 pixels: 4 × 4 blocks of 4 × 4. A tile's splats are a chain of chunks of 32 entries: rows
of records, and for each a mask of the 16 blocks that it reaches, low and high byte apart. Chains grow while
splats are met front to back, so nothing is counted first or sorted after.
"""

# Kernels are typed by their numba signatures, and take long lists of arguments by position.
# mypy: allow-untyped-defs, no-check-untyped-defs
# ruff: noqa: I001 (long import lists stay compact)

from __future__ import annotations

import numpy as np
from numba import float32, int32, int64, uint8, uint64

from .kernels import helper, kernel, read, write
from .lanes import (
    floor, item, lane_numbers, lanes, maximum, minimum, prefetch, put, select, sqrt, store, whole,
)  # fmt: skip
from .layout import CUT, HALF_Y, LEAN, MX, MY, RECORD, TOP, UY, VY, WIDTH_OVER

CHUNK = 32
TILE = 16
_AHEAD = 8
# Ellipses are taken a little too large, so that no pixel is lost to rounding.
_SLACK, _SLACK_PX = 1e-5, 1e-3
_NONE = 1 << 20

# _BEFORE[c]: the bits of the block columns before the c-th, in the masks of four tiles side by side (16 bits
# each, of which a row of blocks takes 4).
_BEFORE = np.array([sum(1 << (16 * (k // 4) + k % 4) for k in range(c)) for c in range(17)], np.uint64)


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
    room = (item(record, at + TOP) - float32(CUT)) * float32(1 + _SLACK) + float32(_SLACK)
    width = sqrt(maximum(room - v * v, float32(0)))
    over = item(record, at + WIDTH_OVER)
    x = item(record, at + MX) + side * _SLACK_PX + (side * width - y * item(record, at + UY)) * over
    # Block column c covers pixel centres from 4c + ½ to 4c + 3½.
    column = (
        floor(side * (x - select(right, lanes(float32(0.5)), lanes(float32(3.5)))) * float32(0.25)) * side
    )
    column = minimum(maximum(column, float32(-1)), last_column + float32(1))
    column = select(low <= high, column, side * -_NONE)
    store(edges, 0, whole(column))


@helper
def _append(tile, row, mask, cursors, heads, nexts, rows, low, high, used):
    """Adds an entry to the end of a tile's chain. Returns how many chunks are in use."""
    at = int64(item(cursors, tile))
    if at & (CHUNK - 1) == 0:
        # Chunk 0 is never used, so that a cursor of 0 means a chain that has not begun.
        if at == 0:
            put(heads, tile, int32(used))
        else:
            put(nexts, at // CHUNK - 1, int32(used))
        put(nexts, used, int32(0))
        at = used * CHUNK
        for k in range(CHUNK):
            put(low, at + k, uint8(0))
            put(high, at + k, uint8(0))
        used += 1
    put(rows, at, row)
    put(low, at, uint8(mask))
    put(high, at, uint8(mask >> uint64(8)))
    put(cursors, tile, int32(at + 1))
    return used


@helper
def _append_row(edges, at, base, row, last_column, cursors, heads, nexts, rows, low, high, used):
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
            begin = min(max(int64(item(edges, at + k + 8)) - 4 * first, 0), 16)
            end = min(max(int64(item(edges, at + k)) + 1 - 4 * first, 0), 16)
            masks |= (item(_BEFORE, end) & ~item(_BEFORE, begin)) << uint64(4 * k)
        for tile in range(first, min(first + 4, right // 4 + 1)):
            mask = masks & uint64(0xFFFF)
            masks >>= uint64(16)
            if mask != 0:
                used = _append(base + tile, row, mask, cursors, heads, nexts, rows, low, high, used)
    return used


@kernel(
    read(int32, 1), read(float32, 1), int64, int64, int64, write(int32, 1),
    write(int32, 1), write(int32, 1), write(int32, 1), write(int32, 1), write(uint8, 1), write(uint8, 1),
    returns=int64,
)  # fmt: skip
def bin_band(order, records, columns, first_row, end_row, edges, cursors, heads, nexts, rows, low, high):
    """Fills the chains of tile rows first_row … end_row − 1, which are ``columns`` wide.

    Args:
        order: record rows front to back; records: flat.
        edges: [16] int32, to work in.
        cursors, heads: [tiles of the band] int32: each chain's end (0 if it is empty) and first chunk.
        nexts: [chunks] int32, the chunk after each, 0 for none.
        rows, low, high: [chunks · CHUNK], entries: record row, and mask of the blocks that it reaches.

    Returns:
        How many chunks are in use, or −1 where there are too few.
    """
    last_column = float32(4 * columns - 1)
    cursors[:] = 0
    heads[:] = 0
    used = 1
    for k in range(order.size):
        prefetch(records, int64(order[min(k + _AHEAD, order.size - 1)]) * RECORD)
        row = order[k]
        at = int64(row) * RECORD
        middle, half = item(records, at + MY), item(records, at + HALF_Y)
        first = max(int64(max(middle - half, float32(0))) // TILE, first_row)
        end = min(int64(min(middle + half, float32(1 << 24))) // TILE + 1, end_row)
        if used + (end - first) * columns > nexts.size:
            return -1
        for pair in range(first, end, 2):
            _edges(records, at, float32(pair * TILE), last_column, edges)
            for tile_row in range(pair, min(pair + 2, end)):
                used = _append_row(
                    edges, 4 * (tile_row - pair), (tile_row - first_row) * columns, row, 4 * columns - 1,
                    cursors, heads, nexts, rows, low, high, used,
                )  # fmt: skip
    return used
