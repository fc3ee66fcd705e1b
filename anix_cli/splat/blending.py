"""Fourth stage: splats → pixels, a tile at a time, front to back, in registers."""

# Kernels are typed by their numba signatures, and take long lists of arguments by position.
# mypy: allow-untyped-defs, no-check-untyped-defs
# ruff: noqa: I001 (long import lists stay compact)

from __future__ import annotations

import math

from numba import float32, int32, int64, uint8, uint32, void

from .binning import CHUNK
from .kernels import helper, kernel, read, write
from .lanes import (
    LANES, absolute, bit_column, bits, block_x, block_y, item, lanes, load, maximum, minimum, prefetch, put,
    select, signs, store, store_block, trailing_zeros,
)  # fmt: skip
from .layout import BLUE, CUT, DEPTH, GREEN, MX, MY, RECORD, RED, TILE_PX, TOP, UX, UY, VY

# So many chunks of a tile are looked up together, before its blocks are drawn one after the other.
BATCH = 4
_BLOCKS = 16
# A block's running state: transmittance (negative once the pixel is finished), red, green, blue and depth.
_STATE = 5 * LANES
STATE_SIZE, ENTRIES_SIZE, WORDS_SIZE = _BLOCKS * _STATE, BATCH * CHUNK * RECORD, _BLOCKS * BATCH
_ALPHA_CUT = 1.0 / 255.0
_ALPHA_MOST = 0.999
_TRANSMITTANCE_LEAST = 1e-4
# Polynomial of least relative error for exp on [−ln(255)/8, 0]: 7.6e-8, so below 3e-6 for its eighth power in
# float32 (found by Lawson's iteration).
_EXP = (
    0.9999999240854694,
    0.9999928143106245,
    0.49988599518591,
    0.16598874521888074,
    0.03979861474739005,
    0.005862788057934928,
)


@helper
def _look_up(first, last, filled, left, top, live, nexts, chain, records, entries, low, high, words):
    """Copies the records of up to BATCH chunks from chunk ``first`` on, seen from the tile's corner.

    Transposes their masks: bit e of words[block · BATCH + chunk] says whether entry e reaches the block.
    Chunk ``last`` ends the chain and is ``filled`` only so far.

    Returns the number of chunks, and the chunk after them (−1 for none).
    """
    count, chunk = 0, first
    while count < BATCH and chunk >= 0:
        size, following = (filled, int64(-1)) if chunk == last else (CHUNK, int64(item(nexts, chunk)))
        for k in range(size, CHUNK):
            put(low, k, uint8(0))
            put(high, k, uint8(0))
        ahead = max(following, 0) * CHUNK
        for k in range(size):
            prefetch(records, (item(chain, ahead + k) & 0xFFFFFFFF) * RECORD)
            entry = item(chain, chunk * CHUNK + k)
            mask = uint32(entry >> 32)
            put(low, k, uint8(mask))
            put(high, k, uint8(mask >> uint32(8)))
            if mask & live != 0:
                source, target = (entry & 0xFFFFFFFF) * RECORD, (count * CHUNK + k) * RECORD
                dx, dy = left - item(records, source + MX), top - item(records, source + MY)
                store(entries, target, load(records, source))
                put(entries, target + MX, item(records, source + UX) * dx + item(records, source + UY) * dy)
                put(entries, target + MY, item(records, source + VY) * dy)
        for bit in range(8):
            put(words, bit * BATCH + count, bit_column(low, 0, bit))
            put(words, (bit + 8) * BATCH + count, bit_column(high, 0, bit))
        count += 1
        chunk = following
    return count, chunk


@helper
def _blend(entries, at, i, j, left, red, green, blue, depth):
    """Adds one splat to the pixels (i, j) of a block, whose transmittance is ``left``."""
    u = i * item(entries, at + UX) + item(entries, at + MX) + j * item(entries, at + UY)
    v = j * item(entries, at + VY) + item(entries, at + MY)
    x = item(entries, at + TOP) - u * u - v * v
    e = x * _EXP[5] + _EXP[4]
    e = e * x + _EXP[3]
    e = e * x + _EXP[2]
    e = e * x + _EXP[1]
    e = e * x + _EXP[0]
    e = e * e
    e = e * e
    alpha = minimum(e * e, float32(_ALPHA_MOST))
    # x ≥ CUT is the rule alpha ≥ 1/255, and the polynomial is good from there on.
    weight = select(x >= float32(CUT), left * alpha, float32(0))
    following = left - weight
    # A finished pixel is negative already, so it stops here as well and stays as it is.
    goes_on = following > float32(_TRANSMITTANCE_LEAST)
    weight = select(goes_on, weight, float32(0))
    left = select(goes_on, following, -absolute(left))
    return (
        left,
        red + weight * item(entries, at + RED),
        green + weight * item(entries, at + GREEN),
        blue + weight * item(entries, at + BLUE),
        depth + weight * item(entries, at + DEPTH),
    )


@helper
def _blend_block(block, count, entries, words, state):
    """Adds the looked up splats to a block. False once all its pixels are finished."""
    i, j = block_x() + float32(4 * (block & 3)), block_y() + float32(4 * (block >> 2))
    at = block * _STATE
    left, depth = load(state, at), load(state, at + 4 * LANES)
    red, green, blue = load(state, at + LANES), load(state, at + 2 * LANES), load(state, at + 3 * LANES)
    alive = True
    for chunk in range(count):
        word = item(words, block * BATCH + chunk)
        while word != 0:
            entry = (chunk * CHUNK + trailing_zeros(word)) * RECORD
            word &= word - uint32(1)
            left, red, green, blue, depth = _blend(entries, entry, i, j, left, red, green, blue, depth)
        if signs(left) == 0xFFFF:
            alive = False
            break
    store(state, at, left)
    store(state, at + LANES, red)
    store(state, at + 2 * LANES, green)
    store(state, at + 3 * LANES, blue)
    store(state, at + 4 * LANES, depth)
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
        store(state, block * _STATE, select(inside, lanes(float32(1)), lanes(float32(-1))))
        for k in range(1, 5):
            store(state, block * _STATE + k * LANES, nothing)
        live |= uint32(bits(inside) != 0) << uint32(block)
    return live


@helper
def _composite(state, at, background):
    """Alpha, red, green, blue and depth of a block's running state."""
    left = absolute(load(state, at))
    alpha = lanes(float32(1)) - left
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
                i, j = x + (lane & 3), y + (lane >> 2)
                if i < width and j < height:
                    alpha[j, i] = item(state, at + lane)
                    for channel in range(3):
                        rgb[j, i, channel] = item(state, at + (channel + 1) * LANES + lane)
                    depth[j, i] = item(state, at + 4 * LANES + lane)


@kernel(
    read(float32, 1), read(int32, 1), read(int32, 1), read(int64, 1), int64, int64, read(float32, 1),
    write(float32, 1), write(float32, 1), write(uint8, 2), write(uint32, 1),
    write(float32, 3), write(float32, 2), write(float32, 2),
    returns=void,
)  # fmt: skip
def blend_band(
    records, cursors, nexts, chain, first_row, end_row, background, entries, state, masks, words,
    rgb, depth, alpha,
):  # fmt: skip
    """Draws tile rows first_row … end_row − 1.

    Args:
        records: flat, as ``project`` made them; cursors, nexts, chain: as ``bin_band`` made them.
        background: [3].
        entries, state, masks, words: [ENTRIES_SIZE], [STATE_SIZE], [2, CHUNK], [WORDS_SIZE], to work in.
        rgb, depth, alpha: the picture, [H, W, 3], [H, W], [H, W]; only these rows are written.
    """
    height, width = alpha.shape
    columns = (width + TILE_PX - 1) // TILE_PX
    low, high = masks[0], masks[1]
    for tile in range((end_row - first_row) * columns):
        top, left = (first_row + tile // columns) * TILE_PX, tile % columns * TILE_PX
        live = _begin(state, min(TILE_PX, width - left), min(TILE_PX, height - top))
        last, filled = int64(cursors[tile]) // CHUNK, int64(cursors[tile]) % CHUNK
        chunk = int64(tile)
        while chunk >= 0 and live != 0:
            count, chunk = _look_up(
                chunk, last, filled, float32(left) + float32(0.5), float32(top) + float32(0.5), live,
                nexts, chain, records, entries, low, high, words,
            )  # fmt: skip
            blocks = live
            while blocks != 0:
                block = trailing_zeros(blocks)
                blocks &= blocks - uint32(1)
                if not _blend_block(block, count, entries, words, state):
                    live &= ~(uint32(1) << uint32(block))
        _finish(state, background, left, top, rgb, depth, alpha)
