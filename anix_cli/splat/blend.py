"""Third stage: splats → pixels. One band of tile rows at a time, each independent of the others."""

# Kernels are typed by their numba signatures, and take long lists of arguments by position.
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import math

import numpy as np
from numba import float32, float64, int32, int64, uint32, uintp, void

from .kernels import helper, kernel, read, trailing_zeros, write
from .project import BLUE, DEPTH, GREEN, OPACITY, REACH, RED, UX, UY, VY, X, Y

TILE = 16
_AREA = TILE * TILE
# A tile is 4 × 4 blocks of 4 × 4 pixels; a block is what one splat is tried and drawn on at a time.
_BLOCK = 4
_LANES = _BLOCK * _BLOCK
_BLOCKS = _AREA // _LANES
# Layout of a tile's running state: _AREA values each of transmittance (negative once the pixel is finished),
# red, green, blue and depth, one after the other.
_STATE = 5 * _AREA
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
# After so many splats a tile looks whether its pixels are finished.
_CHECK_EVERY = 16
# Blocks are skipped only where sigma exceeds the reach by more than this, far above float32 rounding.
_SLACK = 1e-2


@helper
def _tiles(box, k, top, bottom):
    """Tile columns and rows (first, end of each, rows counted from ``top``) of box ``k`` in a band."""
    return (
        box[k, 0] // TILE,
        (box[k, 2] + TILE - 1) // TILE,
        (max(box[k, 1], top) - top) // TILE,
        (min(box[k, 3], bottom) - top + TILE - 1) // TILE,
    )


@helper
def _bin(order, box, columns, top, bottom):
    """Lists of splats per tile of a band, front to back: tile t's are rows[starts[t] : starts[t + 1]]."""
    tiles = columns * ((bottom - top + TILE - 1) // TILE)
    starts = np.zeros(tiles + 1, np.int64)
    for k in range(order.size):
        if box[k, 1] < bottom and box[k, 3] > top:
            x0, x1, y0, y1 = _tiles(box, k, top, bottom)
            for y in range(y0, y1):
                for x in range(x0, x1):
                    starts[y * columns + x + 1] += 1
    for tile in range(tiles):
        starts[tile + 1] += starts[tile]
    rows, ends = np.empty(starts[tiles], np.int32), starts[:tiles].copy()
    for k in range(order.size):
        if box[k, 1] < bottom and box[k, 3] > top:
            x0, x1, y0, y1 = _tiles(box, k, top, bottom)
            for y in range(y0, y1):
                for x in range(x0, x1):
                    tile = y * columns + x
                    rows[ends[tile]] = order[k]
                    ends[tile] += 1
    return starts, rows


@helper
def _blend_block(state, base, u0, v0, ux, uy, vy, red, green, blue, depth, opacity, reach):
    """Adds one splat to the 16 pixels of a block. The constant count lets LLVM make vector code of it."""
    for lane in range(_LANES):
        p = uintp(base + lane)
        i, j = float32(lane & (_BLOCK - 1)), float32(lane // _BLOCK)
        u = u0 + ux * i + uy * j
        v = v0 + vy * j
        sigma = u * u + v * v
        # exp(−sigma) = p(−sigma/8)⁸. sigma ≤ reach is the rule alpha ≥ 1/255, and p is good up to there.
        x = sigma * float32(-0.125)
        e = x * float32(_EXP[5]) + float32(_EXP[4])
        e = e * x + float32(_EXP[3])
        e = e * x + float32(_EXP[2])
        e = e * x + float32(_EXP[1])
        e = e * x + float32(_EXP[0])
        e = e * e
        e = e * e
        alpha = min(float32(_ALPHA_MOST), opacity * (e * e))
        alpha = alpha if sigma <= reach else float32(0)
        transmittance = state[p]
        weight = transmittance * alpha
        following = transmittance - weight
        # A finished pixel is negative already, so it stops here as well and stays as it is.
        stop = following <= float32(_TRANSMITTANCE_LEAST)
        weight = float32(0) if stop else weight
        state[p] = -abs(transmittance) if stop else following
        state[p + uintp(_AREA)] += weight * red
        state[p + uintp(2 * _AREA)] += weight * green
        state[p + uintp(3 * _AREA)] += weight * blue
        state[p + uintp(4 * _AREA)] += weight * depth


@helper
def _unfinished(state):
    """The blocks that have a pixel left to draw, one bit each."""
    live = uint32(0)
    for block in range(_BLOCKS):
        most = float32(-1)
        for lane in range(_LANES):
            most = max(most, state[uintp(block * _LANES + lane)])
        live |= uint32(most > 0) << uint32(block)
    return live


@helper
def _touched(u, v, ux, uy, vy, reach):
    """The blocks that a splat may reach, one bit each. (u, v) and slopes as in ``_blend_tile``.

    Over a block, (u, v) strays from its value at the centre by at most so much along each axis; the block is
    out of reach if even the nearest such (u, v) is. Some blocks pass that need not, none the other way.
    """
    half = float32(0.5 * (_BLOCK - 1))
    stray_u, stray_v, limit = half * (ux + abs(uy)), half * vy, reach + float32(_SLACK)
    touched = uint32(0)
    for block in range(_BLOCKS):
        i, j = float32(block % 4 * _BLOCK) + half, float32(block // 4 * _BLOCK) + half
        gap_u = max(abs(u + ux * i + uy * j) - stray_u, float32(0))
        gap_v = max(abs(v + vy * j) - stray_v, float32(0))
        touched |= uint32(gap_u * gap_u + gap_v * gap_v <= limit) << uint32(block)
    return touched


@helper
def _blend_tile(state, rows, shape, paint, left, top):
    """Blends a tile's splats, front to back, into ``state`` until all its pixels are finished."""
    live = uint32(0)
    until_check = 0
    for row in rows:
        if until_check == 0:
            until_check = _CHECK_EVERY
            live = _unfinished(state)
            if live == 0:
                return
        until_check -= 1
        # sigma = (u + ux·i + uy·j)² + (v + vy·j)² at the tile's pixel (i, j). u and v are float64 up to here:
        # the centre may lie far outside the picture.
        dx, dy = left + 0.5 - shape[row, X], top + 0.5 - shape[row, Y]
        u, v = float32(shape[row, UX] * dx + shape[row, UY] * dy), float32(shape[row, VY] * dy)
        ux, uy, vy = float32(shape[row, UX]), float32(shape[row, UY]), float32(shape[row, VY])
        red, green, blue = paint[row, RED], paint[row, GREEN], paint[row, BLUE]
        depth, opacity, reach = paint[row, DEPTH], paint[row, OPACITY], paint[row, REACH]
        blocks = _touched(u, v, ux, uy, vy, reach) & live
        while blocks:
            block = trailing_zeros(blocks)
            blocks &= blocks - uint32(1)
            i, j = float32(block % 4 * _BLOCK), float32(block // 4 * _BLOCK)
            _blend_block(
                state, block * _LANES, u + ux * i + uy * j, v + vy * j, ux, uy, vy,
                red, green, blue, depth, opacity, reach,
            )  # fmt: skip


@helper
def _place(i, j):
    """Where the tile's pixel (i, j) lies in its state: 4 × 4 blocks one after the other, by rows inside."""
    return uintp((j & 12) << 4 | (i & 12) << 2 | (j & 3) << 2 | i & 3)


@helper
def _clear_tile(state, wide, high):
    """Starts a tile of which ``wide`` × ``high`` pixels lie in the picture; the others count as finished."""
    state[:_AREA] = float32(1)
    state[_AREA:] = float32(0)
    if wide < TILE or high < TILE:
        for j in range(TILE):
            for i in range(TILE):
                if i >= wide or j >= high:
                    state[_place(i, j)] = float32(-1)


@helper
def _composite(state, background):
    """Turns a tile's running state into alpha, red, green, blue and depth, in the same places."""
    for p in range(_AREA):
        transmittance = abs(state[p])
        alpha = float32(1) - transmittance
        for c in range(3):
            value = state[p + uintp((c + 1) * _AREA)] + transmittance * background[c]
            state[p + uintp((c + 1) * _AREA)] = min(max(value, float32(0)), float32(1))
        depth = state[p + uintp(4 * _AREA)] / alpha
        state[p + uintp(4 * _AREA)] = depth if alpha >= float32(_ALPHA_CUT) else float32(math.inf)
        state[p] = alpha


@helper
def _store_tile(state, left, top, wide, high, rgb, depth, alpha):
    """Copies a composited tile to the picture."""
    for j in range(high):
        y = uintp(top + j)
        for i in range(wide):
            x, p = uintp(left + i), _place(i, j)
            alpha[y, x] = state[p]
            rgb[y, x, 0] = state[p + uintp(_AREA)]
            rgb[y, x, 1] = state[p + uintp(2 * _AREA)]
            rgb[y, x, 2] = state[p + uintp(3 * _AREA)]
            depth[y, x] = state[p + uintp(4 * _AREA)]


@kernel(
    read(int32, 1), read(float64, 2), read(float32, 2), read(int32, 2), int64, int64, read(float32, 1),
    write(float32, 3), write(float32, 2), write(float32, 2),
    returns=void,
)  # fmt: skip
def blend_band(order, shape, paint, box, top, bottom, background, rgb, depth, alpha):
    """Draws pixel rows top … bottom − 1 (``top`` a multiple of TILE).

    Args:
        order: [count] int32, record rows front to back.
        box: [count, 4] int32, the boxes that ``project`` made, in that order.
        shape, paint: records as ``project`` made them.
        background: [3] float32.
        rgb, depth, alpha: the picture, [H, W, 3], [H, W], [H, W] float32; only these rows are written.
    """
    height, width = alpha.shape
    columns = (width + TILE - 1) // TILE
    starts, rows = _bin(order, box, columns, top, bottom)
    state = np.empty(_STATE, np.float32)
    empty = np.minimum(np.maximum(background, float32(0)), float32(1))
    for tile in range(starts.size - 1):
        tile_top, tile_left = top + tile // columns * TILE, tile % columns * TILE
        wide, high = min(TILE, width - tile_left), min(TILE, height - tile_top)
        if starts[tile] == starts[tile + 1]:
            below, right = tile_top + high, tile_left + wide
            rgb[tile_top:below, tile_left:right] = empty
            depth[tile_top:below, tile_left:right] = float32(math.inf)
            alpha[tile_top:below, tile_left:right] = float32(0)
            continue
        _clear_tile(state, wide, high)
        _blend_tile(state, rows[starts[tile] : starts[tile + 1]], shape, paint, tile_left, tile_top)
        _composite(state, background)
        _store_tile(state, tile_left, tile_top, wide, high, rgb, depth, alpha)
