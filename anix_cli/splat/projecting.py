"""First stage: Gaussians → splats, the ellipses that they are on the picture, with their colours.

Sixteen Gaussians at a time. Where they lie is worked out in float64, so that neither coordinates of a map
nor a picture's width cost precision, and depths are those of the reference to the last bit; shapes and
colours, which are relative to that, in float32.
"""

# Kernels are typed by their numba signatures, and take long lists of arguments by position.
# mypy: allow-untyped-defs, no-check-untyped-defs
# ruff: noqa: I001 (long import lists stay compact)

from __future__ import annotations

import math

from numba import boolean, float32, float64, int16, int32, int64, uint32

from .kernels import helper, kernel, read, write
from .lanes import (
    bits, bits_of, double, float_of, floor, lanes, maximum, minimum, real, select, single, sqrt, whole,
)  # fmt: skip
from .layout import (
    AXES, CENTRE, CUT, CX, CY, DC, EPS2D, EXTENT, FX, FY, GROUP_SIZE, GROUPS, HEIGHT, HIGH, HIGH_X, HIGH_Y,
    LANES, LOW, LOW_X, LOW_Y, NEAR, PEAK, PLANES, SLACK, SLACK_PX, TILE_PX, UNIT, WIDTH,
)  # fmt: skip
from .memory import append, append_rows, load

_REACH = math.log(255.0)
# Extents are rounded outwards by so many pixels, so that none is lost to rounding.
_MARGIN_PX = 1e-3
_LARGEST = 1e30
_HALF_UNIT = math.sqrt(0.5 * UNIT)


@helper
def _may_be_seen(bounds, block, camera):
    """Whether any Gaussian of a block can touch the picture: never false where one does.

    Each plane is six numbers: its normal, then the most that a standard deviation along each axis can bring a
    splat towards the picture (``camera`` derives them). The near plane counts means only.
    """
    x = 0.5 * (float64(bounds[block, LOW]) + bounds[block, HIGH]) - camera[CENTRE]
    y = 0.5 * (float64(bounds[block, LOW + 1]) + bounds[block, HIGH + 1]) - camera[CENTRE + 1]
    z = 0.5 * (float64(bounds[block, LOW + 2]) + bounds[block, HIGH + 2]) - camera[CENTRE + 2]
    half_x = 0.5 * (float64(bounds[block, HIGH]) - bounds[block, LOW])
    half_y = 0.5 * (float64(bounds[block, HIGH + 1]) - bounds[block, LOW + 1])
    half_z = 0.5 * (float64(bounds[block, HIGH + 2]) - bounds[block, LOW + 2])
    depth = camera[6] * x + camera[7] * y + camera[8] * z
    depth += abs(camera[6]) * half_x + abs(camera[7]) * half_y + abs(camera[8]) * half_z
    if not depth * (1 + 1e-9) >= camera[NEAR]:
        return False
    ex, ey, ez = bounds[block, EXTENT], bounds[block, EXTENT + 1], bounds[block, EXTENT + 2]
    for p in range(PLANES, PLANES + 24, 6):
        a, b, c = camera[p], camera[p + 1], camera[p + 2]
        inside = a * x + b * y + c * z + abs(a) * half_x + abs(b) * half_y + abs(c) * half_z
        if inside + camera[p + 3] * ex + camera[p + 4] * ey + camera[p + 5] * ez < 0:
            return False
    return True


@helper
def _row(camera, row, x, y, z):
    return camera[row] * x + camera[row + 1] * y + camera[row + 2] * z


@helper
def _place(groups, at, camera):
    """Where the means are: from the camera (world axes), on the picture (px), x/z, y/z, and z."""
    x = double(load(groups, at)) - camera[CENTRE]
    y = double(load(groups, at + LANES)) - camera[CENTRE + 1]
    z = double(load(groups, at + 2 * LANES)) - camera[CENTRE + 2]
    depth = _row(camera, 6, x, y, z)
    inverse = 1.0 / depth
    slope_x, slope_y = _row(camera, 0, x, y, z) * inverse, _row(camera, 3, x, y, z) * inverse
    px, py = slope_x * camera[FX] + camera[CX], slope_y * camera[FY] + camera[CY]
    return (
        single(x),
        single(y),
        single(z),
        single(px),
        single(py),
        single(slope_x),
        single(slope_y),
        single(depth),
    )


@helper
def _picture_axis(groups, at, camera, row, focal_over_z, slope):
    """One row (``row`` 0 = x, 3 = y) of B = J·W·R·S: where the three axes point on the picture, in pixels."""
    j0 = focal_over_z * (float32(camera[row]) - slope * float32(camera[6]))
    j1 = focal_over_z * (float32(camera[row + 1]) - slope * float32(camera[7]))
    j2 = focal_over_z * (float32(camera[row + 2]) - slope * float32(camera[8]))
    a = at + AXES * LANES
    return (
        j0 * load(groups, a) + j1 * load(groups, a + 3 * LANES) + j2 * load(groups, a + 6 * LANES),
        j0 * load(groups, a + LANES) + j1 * load(groups, a + 4 * LANES) + j2 * load(groups, a + 7 * LANES),
        j0 * load(groups, a + 2 * LANES)
        + j1 * load(groups, a + 5 * LANES)
        + j2 * load(groups, a + 8 * LANES),
    )


@helper
def _ellipse(groups, at, camera, z, slope_x, slope_y):
    """The blurred covariance on the picture: its xx, xy and yy; the variance of x where y is known (its
    Schur complement), and how much of that is the Gaussian's own, without eps2d."""
    limited_x = minimum(maximum(slope_x, float32(camera[LOW_X])), float32(camera[HIGH_X]))
    limited_y = minimum(maximum(slope_y, float32(camera[LOW_Y])), float32(camera[HIGH_Y]))
    inverse = float32(1) / z
    ax, bx, cx = _picture_axis(groups, at, camera, 0, float32(camera[FX]) * inverse, limited_x)
    ay, by, cy = _picture_axis(groups, at, camera, 3, float32(camera[FY]) * inverse, limited_y)
    eps2d = float32(camera[EPS2D])
    xx = ax * ax + bx * bx + cx * cx
    xy = ax * ay + bx * by + cx * cy
    yy = ay * ay + by * by + cy * cy + eps2d
    # det(B·Bᵀ) = the sum of squared minors (Cauchy–Binet), which does not cancel as xx·yy − xy² does. All is
    # divided by yy at once, so that nothing overflows.
    shrink = float32(1) / sqrt(yy)
    ab, ac, bc = (ax * by - bx * ay) * shrink, (ax * cy - cx * ay) * shrink, (bx * cy - cx * by) * shrink
    own = ab * ab + ac * ac + bc * bc
    # det = own·yy + eps2d·(xx + yy), with yy blurred and xx not yet.
    schur = own + eps2d * (xx * shrink * shrink + float32(1))
    return xx + eps2d, xy, yy, schur, own


@helper
def _logarithm(x):
    """ln of positive numbers: exponent and the series of artanh, good to float32's last digit or two."""
    # The mantissa is brought to [√½, √2); 0x3F3504F3 is √½.
    steps = bits_of(x) - 0x3F3504F3
    exponent = real(steps >> 23)
    mantissa = float_of((steps & 0x007FFFFF) + 0x3F3504F3)
    s = (mantissa - 1.0) / (mantissa + 1.0)
    ss = s * s
    series = 2.0 + ss * (0.6666666666 + ss * (0.4 + ss * (0.2857142857 + ss * 0.2222222222)))
    return exponent * 0.6931471805599453 + s * series


@helper
def _add(colour, basis, sh, at):
    """Adds one harmonic, its three coefficients at ``at``, to a colour."""
    red, green, blue = colour
    return (
        red + basis * load(sh, at),
        green + basis * load(sh, at + LANES),
        blue + basis * load(sh, at + 2 * LANES),
    )


@helper
def _harmonics(sh, at, count, x, y, z):
    """Σ Y_k·sh_k of bands 1 up, with Inria's signs. (x, y, z) is the unit direction."""
    step = 3 * LANES
    colour = (lanes(float32(0)), lanes(float32(0)), lanes(float32(0)))
    colour = _add(colour, y * -0.4886025119029199, sh, at)
    colour = _add(colour, z * 0.4886025119029199, sh, at + step)
    colour = _add(colour, x * -0.4886025119029199, sh, at + 2 * step)
    if count > 9:
        xx, yy, zz = x * x, y * y, z * z
        difference, twice = xx - yy, zz + zz
        colour = _add(colour, x * y * 1.0925484305920792, sh, at + 3 * step)
        colour = _add(colour, y * z * -1.0925484305920792, sh, at + 4 * step)
        colour = _add(colour, (twice - xx - yy) * 0.31539156525252005, sh, at + 5 * step)
        colour = _add(colour, x * z * -1.0925484305920792, sh, at + 6 * step)
        colour = _add(colour, difference * 0.5462742152960396, sh, at + 7 * step)
        if count > 24:
            wide = twice + twice - xx - yy
            colour = _add(colour, y * (xx * 3.0 - yy) * -0.5900435899266435, sh, at + 8 * step)
            colour = _add(colour, x * y * z * 2.890611442640554, sh, at + 9 * step)
            colour = _add(colour, y * wide * -0.4570457994644658, sh, at + 10 * step)
            colour = _add(colour, z * (twice - xx * 3.0 - yy * 3.0) * 0.3731763325901154, sh, at + 11 * step)
            colour = _add(colour, x * wide * -0.4570457994644658, sh, at + 12 * step)
            colour = _add(colour, z * difference * 1.445305721320277, sh, at + 13 * step)
            colour = _add(colour, x * (xx - yy * 3.0) * -0.5900435899266435, sh, at + 14 * step)
    return colour


@helper
def _shade(groups, at, sh, sh_step, group, x, y, z):
    """Colours ≥ 0 of a group seen along (x, y, z), of any length."""
    lowest = at + DC * LANES
    red = load(groups, lowest) * 0.28209479177387814 + 0.5
    green = load(groups, lowest + LANES) * 0.28209479177387814 + 0.5
    blue = load(groups, lowest + 2 * LANES) * 0.28209479177387814 + 0.5
    count = sh.shape[1]
    if count > 0:
        shrink = float32(1) / sqrt(x * x + y * y + z * z)
        higher = _harmonics(sh, group * count * LANES, count, x * shrink, y * shrink, z * shrink)
        red, green, blue = red + higher[0] * sh_step, green + higher[1] * sh_step, blue + higher[2] * sh_step
    return maximum(red, float32(0)), maximum(green, float32(0)), maximum(blue, float32(0))


@helper
def _row_of_blocks(low, high, x, lean, ux, slope, vy, room):
    """The blocks that splats touch in a row of 8, one bit each; low and high are its first and last line.

    Everything is relative to the centre but x, that from the left of the row. ``lean``: where the rightmost
    point of the ellipse lies. If it lies in the row that counts, else the nearest the row comes to it.
    """
    over = float32(1) / ux
    y = minimum(maximum(lean, low), high)
    v = y * vy
    right = x + slope * y + sqrt(maximum(room - v * v, float32(0))) * over
    y = minimum(maximum(-lean, low), high)
    v = y * vy
    left = x + slope * y - sqrt(maximum(room - v * v, float32(0))) * over
    # Block column c covers pixel centres from 4c + ½ to 4c + 3½.
    end = floor((right + (3.5 + SLACK_PX)) * 0.25)
    first = -floor((3.5 + SLACK_PX - left) * 0.25)
    end, first = (
        minimum(maximum(end, float32(0)), float32(8)),
        minimum(maximum(first, float32(0)), float32(8)),
    )
    one = lanes(int32(1))
    return select((low <= high) & (first < end), (one << whole(end)) - (one << whole(first)), int32(0))


@helper
def _tile_masks(row_bytes):
    """Four bytes of 4 + 4 bits → two masks of 4 × 4."""
    left, right = row_bytes & 0x0F0F0F0F, (row_bytes >> 4) & 0x0F0F0F0F
    left, right = (left | left >> 4) & 0x00FF00FF, (right | right >> 4) & 0x00FF00FF
    return (left | left >> 8) & 0xFFFF | (right | right >> 8) << 16


@helper
def _small(camera, px, py, half_x, half_y, lean, ux, slope, vy, top):
    """Whether splats reach no more than 2 × 2 tiles; their UPPER and LOWER; and TILE, −1 where they don't."""
    zero = float32(0)
    column, row = (
        floor(maximum(px - half_x, zero) * (1 / TILE_PX)),
        floor(maximum(py - half_y, zero) * (1 / TILE_PX)),
    )
    left, up = column * float32(TILE_PX), row * float32(TILE_PX)
    small = (minimum(px + half_x, float32(camera[WIDTH])) <= left + 2.0 * TILE_PX) & (
        minimum(py + half_y, float32(camera[HEIGHT])) <= up + 2.0 * TILE_PX
    )
    x, y = px - left, up + 0.5 - py
    room = (top - CUT) * (1 + SLACK) + SLACK
    upper, lower = lanes(int32(0)), lanes(int32(0))
    for k in range(4):
        line = y + float32(4 * k)
        low, high = maximum(line, -half_y), minimum(line + 3.0, half_y)
        upper = upper | _row_of_blocks(low, high, x, lean, ux, slope, vy, room) << int32(8 * k)
        low, high = maximum(line + 16.0, -half_y), minimum(line + 19.0, half_y)
        lower = lower | _row_of_blocks(low, high, x, lean, ux, slope, vy, room) << int32(8 * k)
    tile = select(small, whole(column) | whole(row) << int32(16), int32(-1))
    return small, _tile_masks(upper), _tile_masks(lower), tile


@kernel(read(float32, 2), read(float64, 1), write(int32, 1), returns=int64)
def cull(bounds, camera, seen):
    """Writes the blocks that may touch the picture to ``seen`` and returns their number."""
    count = 0
    for block in range(bounds.shape[0]):
        if _may_be_seen(bounds, block, camera):
            seen[count] = block
            count += 1
    return count


@kernel(
    read(float32, 3), read(int16, 3), read(float32, 1), read(int32, 2), boolean, int32,
    read(int32, 1), read(float64, 1), write(float32, 2), write(uint32, 1), int64,
    returns=int64,
)  # fmt: skip
def project(groups, sh, sh_steps, indices, antialiased, part, blocks, camera, records, keys, at):
    """Appends the splats of some blocks that touch the picture to the records.

    Args:
        groups, sh, sh_steps, indices, antialiased: of a packed scene, which is part number ``part``.
        blocks: which of its blocks.
        camera: [CAMERA] float64.
        records, keys: [M, RECORD] float32, and [M] uint32, the bits of their depths: filled from ``at`` on.

    Returns:
        The row behind the last that was filled (it may have been overwritten, too).
    """
    for block in blocks:
        for group in range(block * GROUPS, (block + 1) * GROUPS):
            place = group * GROUP_SIZE
            x, y, z, px, py, slope_x, slope_y, depth = _place(groups, place, camera)
            xx, xy, yy, schur, own = _ellipse(groups, place, camera, depth, slope_x, slope_y)
            peak = load(groups, place + PEAK * LANES)
            if antialiased:
                peak = peak + _logarithm(own / schur) * 0.5
            # √ of less than nothing is NaN, and so is never seen.
            spread = sqrt(peak * 2.0 + 2.0 * _REACH)
            half_x, half_y = sqrt(xx) * spread + _MARGIN_PX, sqrt(yy) * spread + _MARGIN_PX
            seen = (depth >= float32(camera[NEAR])) & (depth > float32(0)) & (xx < _LARGEST) & (yy < _LARGEST)
            seen = seen & (px + half_x >= 0.5) & (px - half_x <= float32(camera[WIDTH]) - float32(0.5))
            seen = seen & (py + half_y >= 0.5) & (py - half_y <= float32(camera[HEIGHT]) - float32(0.5))
            mask = bits(seen & (schur > float32(0)))
            if mask == 0:
                continue
            # σ = u² + v² with u = ux·(dx − xy/yy·dy), v = vy·dy.
            ux, vy = _HALF_UNIT / sqrt(schur), _HALF_UNIT / sqrt(yy)
            slope = xy / yy
            # On the ellipse u² + v² = const the rightmost point lies at dy = half_y·xy / √(xx·yy).
            lean = half_y * slope * sqrt(yy / xx)
            red, green, blue = _shade(groups, place, sh, sh_steps[group], group, x, y, z)
            index = float_of(load(indices, group * LANES))
            top = peak * UNIT
            small, upper, lower, tile = _small(camera, px, py, half_x, half_y, lean, ux, slope, vy, top)
            row = (
                px, py, ux, ux * -slope, vy, top, red, green, blue, depth,
                select(small, float_of(upper), half_y), select(small, float_of(lower), lean), float32(1) / ux,
                index, float_of(lanes(part)), float_of(tile),
            )  # fmt: skip
            append(keys, at, mask, depth)
            at = append_rows(records, at, mask, row)
    return at
