"""Third stage: splats → pixels. One band of tile rows at a time, each independent of the others."""

from __future__ import annotations

import math

import numpy as np
from numba import float32, float64, int32, int64, uintp, void

from .kernels import helper, kernel, read, write
from .project import BLUE, DEPTH, GREEN, OPACITY, REACH, RED, UX, UY, VY, X, Y

TILE = 16
_AREA = TILE * TILE
_LANES = 8
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
# Rows and columns are skipped only where sigma exceeds the reach by more than this, far above float32 rounding.
_SLACK = 1e-2


@helper
def _bin(order, box, columns, top, bottom):
    """Lists of splats per tile of a band, front to back: tile t's are rows[starts[t] : starts[t + 1]]."""
    tiles = columns * ((bottom - top + TILE - 1) // TILE)
    starts = np.zeros(tiles + 1, np.int64)
    for row in order:
        if box[row, 1] < bottom and box[row, 3] > top:
            for ty in range((max(box[row, 1], top) - top) // TILE, (min(box[row, 3], bottom) - 1 - top) // TILE + 1):
                for tx in range(box[row, 0] // TILE, (box[row, 2] - 1) // TILE + 1):
                    starts[ty * columns + tx + 1] += 1
    for tile in range(tiles):
        starts[tile + 1] += starts[tile]
    rows = np.empty(starts[tiles], np.int32)
    ends = starts[:tiles].copy()
    for row in order:
        if box[row, 1] < bottom and box[row, 3] > top:
            for ty in range((max(box[row, 1], top) - top) // TILE, (min(box[row, 3], bottom) - 1 - top) // TILE + 1):
                for tx in range(box[row, 0] // TILE, (box[row, 2] - 1) // TILE + 1):
                    tile = ty * columns + tx
                    rows[ends[tile]] = row
                    ends[tile] += 1
    return starts, rows


@helper
def _blend_lanes(state, base, u, ux, vv, red, green, blue, depth, opacity, reach):
    """Adds one splat to LANES pixels of a row. The constant count lets LLVM make vector code of it."""
    for i in range(_LANES):
        p = uintp(base + i)
        across = u + ux * float32(i)
        sigma = across * across + vv
        # exp(−sigma) = p(−sigma/8)⁸; sigma ≤ reach is the rule alpha ≥ 1/255, and bounds what p must be good for.
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
def _blend_tile(state, rows, shape, paint, box, left, top):
    """Blends a tile's splats, front to back, into ``state`` until all its pixels are finished."""
    until_check = _CHECK_EVERY
    for row in rows:
        until_check -= 1
        if until_check == 0:
            until_check = _CHECK_EVERY
            most = float32(-1)
            for p in range(_AREA):
                most = max(most, state[p])
            if most < 0:
                return
        red, green, blue = paint[row, RED], paint[row, GREEN], paint[row, BLUE]
        depth, opacity, reach = paint[row, DEPTH], paint[row, OPACITY], paint[row, REACH]
        # sigma = (u + ux·i + uy·j)² + (v + vy·j)² at the tile's pixel (i, j). u and v are float64 up to here:
        # the centre may lie far outside the picture.
        dx, dy = left + 0.5 - shape[row, X], top + 0.5 - shape[row, Y]
        u0, v0 = float32(shape[row, UX] * dx + shape[row, UY] * dy), float32(shape[row, VY] * dy)
        ux, uy, vy = float32(shape[row, UX]), float32(shape[row, UY]), float32(shape[row, VY])
        first = max(box[row, 0] - left, 0) // _LANES * _LANES
        end = (min(box[row, 2] - left, TILE) + _LANES - 1) // _LANES * _LANES
        for j in range(max(box[row, 1] - top, 0), min(box[row, 3] - top, TILE)):
            v = v0 + vy * float32(j)
            vv = v * v
            if vv <= reach + float32(_SLACK):
                for i in range(first, end, _LANES):
                    u = u0 + uy * float32(j) + ux * float32(i)
                    _blend_lanes(state, j * TILE + i, u, ux, vv, red, green, blue, depth, opacity, reach)


@helper
def _store_tile(state, left, top, width, height, background, rgb, depth, alpha):
    """Composites a tile on the background and writes it to the picture."""
    for j in range(min(TILE, height - top)):
        for i in range(min(TILE, width - left)):
            p = j * TILE + i
            transmittance = abs(state[p])
            opaque = float32(1) - transmittance
            for c in range(3):
                value = state[p + (c + 1) * _AREA] + transmittance * background[c]
                rgb[top + j, left + i, c] = min(max(value, float32(0)), float32(1))
            alpha[top + j, left + i] = opaque
            seen = opaque >= float32(_ALPHA_CUT)
            depth[top + j, left + i] = state[p + 4 * _AREA] / opaque if seen else float32(math.inf)


@kernel(
    read(int32, 1), read(float64, 2), read(float32, 2), read(int32, 2), int64, int64, read(float32, 1),
    write(float32, 3), write(float32, 2), write(float32, 2),
    returns=void,
)  # fmt: skip
def blend_band(order, shape, paint, box, top, bottom, background, rgb, depth, alpha):
    """Draws pixel rows top … bottom − 1 (``top`` a multiple of TILE).

    Args:
        order: [count] int32, record rows front to back.
        shape, paint, box: records as ``project`` made them.
        background: [3] float32.
        rgb, depth, alpha: the picture, [H, W, 3], [H, W], [H, W] float32; only these rows are written.
    """
    height, width = alpha.shape
    columns = (width + TILE - 1) // TILE
    starts, rows = _bin(order, box, columns, top, bottom)
    state = np.empty(_STATE, np.float32)
    for tile in range(starts.size - 1):
        tile_top, tile_left = top + tile // columns * TILE, tile % columns * TILE
        state[:] = 0
        # Pixels beyond the border count as finished from the start.
        for j in range(TILE):
            for i in range(TILE):
                inside = tile_top + j < height and tile_left + i < width
                state[j * TILE + i] = float32(1) if inside else float32(-1)
        _blend_tile(state, rows[starts[tile] : starts[tile + 1]], shape, paint, box, tile_left, tile_top)
        _store_tile(state, tile_left, tile_top, width, height, background, rgb, depth, alpha)
