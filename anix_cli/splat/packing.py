"""The kernels that pack Gaussians: sorted by place, in blocks, ready to be projected 16 at a time."""

# Kernels are typed by their numba signatures, and take long lists of arguments by position.
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import math

from numba import float32, float64, int16, int32, int64, uint64, void

from .kernels import helper, kernel, read, write
from .lanes import absolute, floor, lanes, largest, maximum, minimum, select
from .layout import ALPHA_CUT, AXES, DC, EXTENT, GROUP_SIZE, GROUPS, HIGH, LANES, LOW, PEAK, REACH, X
from .memory import item, load, put, store_short


@helper
def _spread(value):
    """Puts two zero bits after each of 21."""
    v = uint64(value)
    v = (v | v << uint64(32)) & uint64(0x001F00000000FFFF)
    v = (v | v << uint64(16)) & uint64(0x001F0000FF0000FF)
    v = (v | v << uint64(8)) & uint64(0x100F00F00F00F00F)
    v = (v | v << uint64(4)) & uint64(0x10C30C30C30C30C3)
    return (v | v << uint64(2)) & uint64(0x1249249249249249)


@kernel(
    read(float32, 2), read(float32, 2), read(float64, 1), float64, float64, write(uint64, 1), returns=void
)  # fmt: skip
def morton_codes(means, scales, low, cell, large, codes):
    """Codes that sort Gaussians by place, those with a scale above ``large`` after all others.

    Args:
        low: [3], the least mean; ``cell``: the extent over 2²¹.
    """
    for i in range(means.shape[0]):
        code = uint64(0)
        for axis in range(3):
            step = (float64(means[i, axis]) - low[axis]) / cell
            code |= _spread(int64(min(max(step, 0.0), 2097151.0))) << uint64(axis)
        if max(scales[i, 0], scales[i, 1], scales[i, 2]) > large:
            code |= uint64(1) << uint64(63)
        codes[i] = code


@helper
def _pack_one(i, group, lane, means, quats, scales, opacities, sh, groups, rest):
    """Puts Gaussian ``i`` into a lane, its higher harmonics into ``rest`` [3·(K − 1), LANES]. False if it
    can't be seen (opacity below 1/255, a quaternion of zero, a scale that is not finite)."""
    if not float64(opacities[i]) >= ALPHA_CUT:
        return False
    w, x, y, z = float64(quats[i, 0]), float64(quats[i, 1]), float64(quats[i, 2]), float64(quats[i, 3])
    a, b, c = float64(scales[i, 0]), float64(scales[i, 1]), float64(scales[i, 2])
    twice = 2.0 / (w * w + x * x + y * y + z * z)
    axes = (
        a * (1.0 - twice * (y * y + z * z)), b * twice * (x * y - w * z), c * twice * (x * z + w * y),
        a * twice * (x * y + w * z), b * (1.0 - twice * (x * x + z * z)), c * twice * (y * z - w * x),
        a * twice * (x * z - w * y), b * twice * (y * z + w * x), c * (1.0 - twice * (x * x + y * y)),
    )  # fmt: skip
    total = 0.0
    for k in range(9):
        groups[group, AXES + k, lane] = axes[k]
        total += axes[k]
    for axis in range(3):
        groups[group, X + axis, lane] = means[i, axis]
        groups[group, DC + axis, lane] = sh[i, 0, axis]
        total += means[i, axis]
    if not abs(total) < math.inf:
        return False
    groups[group, PEAK, lane] = math.log(float64(opacities[i]))
    rows = rest.shape[0]
    first = int64(i) * (rows + 3) + 3
    for row in range(rows):
        put(rest, row * LANES + lane, item(sh, first + row))
    return True


@helper
def _quantise(rest, group, quantised, steps):
    """Writes the higher harmonics of a group as int16, in steps of 1/32767 of their largest."""
    most = load(rest, 0) * float32(0)
    for row in range(rest.shape[0]):
        most = maximum(most, absolute(load(rest, row * LANES)))
    step = max(largest(most) / float32(32767), float32(1e-30))
    steps[group] = step
    inverse = float32(1) / step
    for row in range(rest.shape[0]):
        value = floor(load(rest, row * LANES) * inverse + 0.5)
        store_short(quantised, (group * rest.shape[0] + row) * LANES, value)


@helper
def _bound(groups, block, bounds):
    """The bounds of a block: of its means, and of REACH standard deviations along the axes of their frame."""
    first, end = block * GROUPS * GROUP_SIZE, (block + 1) * GROUPS * GROUP_SIZE
    for axis in range(3):
        low, high, extent = lanes(float32(math.inf)), lanes(float32(-math.inf)), lanes(float32(0))
        for group in range(first, end, GROUP_SIZE):
            filled = load(groups, group + PEAK * LANES) > float32(-math.inf)
            mean = load(groups, group + (X + axis) * LANES)
            low = minimum(select(filled, mean, float32(math.inf)), low)
            high = maximum(select(filled, mean, float32(-math.inf)), high)
            at = group + (AXES + 3 * axis) * LANES
            p, q, r = load(groups, at), load(groups, at + LANES), load(groups, at + 2 * LANES)
            extent = maximum(p * p + q * q + r * r, extent)
        bounds[block, LOW + axis], bounds[block, HIGH + axis] = -largest(-low), largest(high)
        bounds[block, EXTENT + axis] = float32(REACH) * math.sqrt(largest(extent))


@kernel(
    read(int32, 1), read(float32, 2), read(float32, 2), read(float32, 2), read(float32, 1), read(float32, 3),
    int64, int64, write(float32, 3), write(int16, 3), write(float32, 1), write(int32, 2), write(float32, 2),
    write(float32, 2), returns=void,
)  # fmt: skip
def pack_blocks(
    order, means, quats, scales, opacities, sh, start, stop, groups, quantised, steps, indices, bounds, rest
):
    """Packs blocks start … stop − 1.

    Args:
        order: [N] int32, which Gaussian comes where; lanes behind the last are left empty.
        groups, quantised, steps, indices, bounds: as in ``PackedScene``.
        rest: [3·(K − 1), LANES], to work in.
    """
    for group in range(start * GROUPS, stop * GROUPS):
        groups[group] = float32(0)
        for lane in range(LANES):
            at = group * LANES + lane
            i = order[at] if at < order.size else int32(-1)
            indices[group, lane] = i
            if i < 0 or not _pack_one(i, group, lane, means, quats, scales, opacities, sh, groups, rest):
                for row in range(GROUPS):
                    groups[group, row, lane] = float32(0)
                groups[group, PEAK, lane] = float32(-math.inf)
                rest[:, lane] = float32(0)
        if rest.shape[0] > 0:
            _quantise(rest, group, quantised, steps)
    for block in range(start, stop):
        _bound(groups, block, bounds)
