"""Fourth stage: splats → pixels, a tile at a time, front to back, in registers."""

# Kernels are typed by their numba signatures, and take long lists of arguments by position.
# mypy: allow-untyped-defs, no-check-untyped-defs
# ruff: noqa: I001 (long import lists stay compact)

from __future__ import annotations

import math

from numba import float32, int32, int64, uint8, uint32, uint64, void

from .binning import CHUNK
from .kernels import helper, kernel, read, write
from .lanes import (
    LANES, bits, block_x, block_y, lane_numbers, lanes, maximum, minimum, select, trailing_zeros,
)  # fmt: skip
from .layout import BLUE, CUT, DEPTH, GREEN, MX, MY, RECORD, RED, TILE_PX, TOP, UX, UY, VY
from .memory import bit_column, item, load, load_quarter, prefetch, put, store, store_block

# So many chunks of a tile are looked up together, before its blocks are drawn one after the other: as many as
# have their bits in one word of 64.
BATCH = 2
_BLOCKS = 16
# Tiles are drawn in strips of so many rows, column by column: neighbours share splats.
_STRIP = 4
# A block's running state: what its pixels still let through, red, green, blue, depth, and alpha.
_STATE = 6 * LANES
# A looked up splat is its record and, for each of the tile's 16 rows of pixels, what is the same in all of
# the row: i pixels from the tile's left edge, the exponent is REST − (UX·i + U)². A block takes four rows of
# it at once; most splats touch several blocks of a tile.
_U, _REST, _ENTRY = RECORD, RECORD + LANES, RECORD + 2 * LANES
STATE_SIZE, ENTRIES_SIZE, WORDS_SIZE = _BLOCKS * _STATE, BATCH * CHUNK * _ENTRY, _BLOCKS * BATCH
_ALPHA_CUT = 1.0 / 255.0
_ALPHA_MOST = 0.999
_TRANSMITTANCE_LEAST = 1e-4
# exp(x/UNIT) = (((x + A)x + B)((x + C)x + D))⁸, nowhere off by more than 1.4e-6 where alpha ≥ 1/255: the
# power of a polynomial of degree 4, fitted for the least such error by Lawson's iteration. As two factors it
# takes a third less of the multipliers, which are what the processor runs out of.
_A, _B = 1.6930770854170014, 0.8564776416417267
_C, _D = 0.4468647477849912, 1.1675725977717681


@helper
def _copy(records, source, left, top, entries, target):
    """Copies a record, with its rows in the tile whose first pixel has its centre at (left, top)."""
    row = lane_numbers()
    dx, dy = left - item(records, source + MX), top - item(records, source + MY)
    ux, uy, vy = item(records, source + UX), item(records, source + UY), item(records, source + VY)
    v = row * vy + vy * dy
    store(entries, target, load(records, source))
    store(entries, target + _U, row * uy + (ux * dx + uy * dy))
    store(entries, target + _REST, item(records, source + TOP) - v * v)


@helper
def _look_up(first, last, filled, left, top, live, nexts, chain, records, entries, low, high, halves):
    """Copies the records of up to BATCH chunks from chunk ``first`` on, with their rows.

    Transposes their masks: bit e of halves[2·block + chunk] says whether entry e reaches the block.
    Chunk ``last`` ends the chain and is ``filled`` only so far.

    Returns the chunk after them, −1 for none.
    """
    count, chunk = 0, first
    while count < BATCH and chunk >= 0:
        size, following = (filled, int64(-1)) if chunk == last else (CHUNK, int64(item(nexts, chunk)))
        for k in range(size, CHUNK):
            put(low, k, uint8(0))
            put(high, k, uint8(0))
        # Memory is asked for ahead: the entries of the chunk after next, and the records of the next. Where
        # there is none, what is asked for is of no use, and does no harm.
        ahead = max(following, 0) * CHUNK
        further = int64(item(nexts, max(following, 0))) * CHUNK
        for k in range(0, CHUNK, 8):
            prefetch(chain, further + k)
        for k in range(size):
            prefetch(records, (item(chain, ahead + k) & 0xFFFFFFFF) * RECORD)
            entry = item(chain, chunk * CHUNK + k)
            mask = uint32(entry >> 32)
            put(low, k, uint8(mask))
            put(high, k, uint8(mask >> uint32(8)))
            if mask & live != 0:
                source, target = (entry & 0xFFFFFFFF) * RECORD, (count * CHUNK + k) * _ENTRY
                _copy(records, source, left, top, entries, target)
        for bit in range(8):
            put(halves, bit * BATCH + count, bit_column(low, 0, bit))
            put(halves, (bit + 8) * BATCH + count, bit_column(high, 0, bit))
        count += 1
        chunk = following
    if count == 1:
        for block in range(_BLOCKS):
            put(halves, block * BATCH + 1, uint32(0))
    return chunk


@helper
def _alpha(entries, at, row, i):
    """Alphas of a splat in a block from row ``row`` on, its pixels ``i`` from the tile's left edge."""
    u = i * item(entries, at + UX) + load_quarter(entries, at + _U + row)
    x = load_quarter(entries, at + _REST + row) - u * u
    e = ((x + _A) * x + _B) * ((x + _C) * x + _D)
    e = e * e
    e = e * e
    # x ≥ CUT is the rule alpha ≥ 1/255, and the polynomial is good from there on.
    return select(x >= float32(CUT), minimum(e * e, float32(_ALPHA_MOST)), float32(0))


@helper
def _blend_block(block, entries, words, state):
    """Adds the looked up splats to a block. False once all its pixels are finished."""
    row, i = int64(4 * (block >> 2)), block_x() + float32(4 * (block & 3))
    at = block * _STATE
    left, red, green = load(state, at), load(state, at + LANES), load(state, at + 2 * LANES)
    blue, depth, total = load(state, at + 3 * LANES), load(state, at + 4 * LANES), load(state, at + 5 * LANES)
    alive = True
    word = item(words, block)
    while word != 0:
        entry = trailing_zeros(word) * _ENTRY
        word &= word - uint64(1)
        alpha = _alpha(entries, entry, row, i)
        weight = left * alpha
        # What is left never grows, so a finished pixel stays finished. It is not what is shown (that is
        # 1 − total), which is why it needs no choice, and the next splat does not wait for one.
        left = left * (float32(1) - alpha)
        goes_on = left > float32(_TRANSMITTANCE_LEAST)
        weight = select(goes_on, weight, float32(0))
        red += weight * item(entries, entry + RED)
        green += weight * item(entries, entry + GREEN)
        blue += weight * item(entries, entry + BLUE)
        depth += weight * item(entries, entry + DEPTH)
        total += weight
        if bits(goes_on) == 0:
            alive = False
            break
    store(state, at, left)
    store(state, at + LANES, red)
    store(state, at + 2 * LANES, green)
    store(state, at + 3 * LANES, blue)
    store(state, at + 4 * LANES, depth)
    store(state, at + 5 * LANES, total)
    return alive


@helper
def _begin(state, wide, high):
    """Starts a tile of which ``wide`` × ``high`` pixels lie in the picture; the others count as finished.
    Returns the blocks that have pixels, one bit each."""
    live = uint32(0)
    nothing = lanes(float32(0))
    for block in range(_BLOCKS):
        inside = block_x() + float32(4 * (block & 3)) < float32(wide)
        inside = inside & (block_y() + float32(4 * (block >> 2)) < float32(high))
        store(state, block * _STATE, select(inside, lanes(float32(1)), lanes(float32(0))))
        for k in range(1, 6):
            store(state, block * _STATE + k * LANES, nothing)
        live |= uint32(bits(inside) != 0) << uint32(block)
    return live


@helper
def _composite(state, at, background):
    """Alpha, red, green, blue and depth of a block's running state."""
    alpha = load(state, at + 5 * LANES)
    left = lanes(float32(1)) - alpha
    depth = select(
        alpha >= float32(_ALPHA_CUT), load(state, at + 4 * LANES) / alpha, lanes(float32(math.inf))
    )
    one, zero = float32(1), float32(0)
    red = minimum(maximum(load(state, at + LANES) + left * item(background, 0), zero), one)
    green = minimum(maximum(load(state, at + 2 * LANES) + left * item(background, 1), zero), one)
    blue = minimum(maximum(load(state, at + 3 * LANES) + left * item(background, 2), zero), one)
    return alpha, red, green, blue, depth


@helper
def _finish(state, background, left, top, rgb, depth, alpha):
    """Puts a tile to the picture: whole blocks at once, those at the edge by pixels."""
    height, width = alpha.shape
    for block in range(_BLOCKS):
        x, y = left + 4 * (block & 3), top + 4 * (block >> 2)
        at = block * _STATE
        opaque, red, green, blue, far = _composite(state, at, background)
        if x + 4 <= width and y + 4 <= height:
            place = y * width + x
            store_block(alpha, place, width, (opaque,))
            store_block(depth, place, width, (far,))
            store_block(rgb, 3 * place, 3 * width, (red, green, blue))
        elif x < width and y < height:
            store(state, at, opaque)
            store(state, at + LANES, red)
            store(state, at + 2 * LANES, green)
            store(state, at + 3 * LANES, blue)
            store(state, at + 4 * LANES, far)
            for lane in range(LANES):
                i, j = x + (lane >> 2), y + (lane & 3)
                if i < width and j < height:
                    alpha[j, i] = item(state, at + lane)
                    for channel in range(3):
                        rgb[j, i, channel] = item(state, at + (channel + 1) * LANES + lane)
                    depth[j, i] = item(state, at + 4 * LANES + lane)


@kernel(
    read(float32, 1), read(int32, 1), read(int32, 1), read(int64, 1), int64, int64, read(float32, 1),
    write(float32, 1), write(float32, 1), write(uint8, 2), write(uint32, 1), read(uint64, 1),
    write(float32, 3), write(float32, 2), write(float32, 2),
    returns=void,
)  # fmt: skip
def blend_band(
    records, cursors, nexts, chain, first_row, end_row, background, entries, state, masks, halves, words,
    rgb, depth, alpha,
):  # fmt: skip
    """Draws tile rows first_row … end_row − 1.

    Args:
        records: flat, as ``project`` made them; cursors, nexts, chain: as ``bin_band`` made them.
        background: [3].
        entries, state, masks: [ENTRIES_SIZE], [STATE_SIZE], [2, CHUNK], to work in.
        halves, words: the same [WORDS_SIZE] uint32, seen as uint64 also.
        rgb, depth, alpha: the picture, [H, W, 3], [H, W], [H, W]; only these rows are written.
    """
    height, width = alpha.shape
    columns = (width + TILE_PX - 1) // TILE_PX
    low, high = masks[0], masks[1]
    rows = end_row - first_row
    for place in range(rows * columns):
        strip = place // (_STRIP * columns) * _STRIP
        deep = min(_STRIP, rows - strip)
        column, row = (place - strip * columns) // deep, strip + (place - strip * columns) % deep
        tile = row * columns + column
        top, left = (first_row + row) * TILE_PX, column * TILE_PX
        live = _begin(state, min(TILE_PX, width - left), min(TILE_PX, height - top))
        last, filled = int64(cursors[tile]) // CHUNK, int64(cursors[tile]) % CHUNK
        chunk = int64(tile)
        while chunk >= 0 and live != 0:
            chunk = _look_up(
                chunk, last, filled, float32(left) + float32(0.5), float32(top) + float32(0.5), live,
                nexts, chain, records, entries, low, high, halves,
            )  # fmt: skip
            blocks = live
            while blocks != 0:
                block = trailing_zeros(blocks)
                blocks &= blocks - uint32(1)
                if not _blend_block(block, entries, words, state):
                    live &= ~(uint32(1) << uint32(block))
        _finish(state, background, left, top, rgb, depth, alpha)
