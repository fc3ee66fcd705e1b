"""Second stage: splats front to back."""

# Kernels are typed by their numba signatures.
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np
from numba import float32, int32, int64

from .kernels import kernel, read, write
from .project import DEPTH

_DIGIT_BITS = 11
_DIGITS = 1 << _DIGIT_BITS


@kernel(read(float32, 2), read(int64, 2), int64, returns=write(int32, 1))
def by_depth(paint, spans, count):
    """Record rows by depth, ties in record order (so in the order of the concatenated Gaussians).

    A least-significant-digit radix sort (three digits of 11 bits) of the depths' float32 bits, whose order is
    that of the depths, since those are positive.

    Args:
        paint: [M, 16] float32, records as ``project`` made them.
        spans: [S, 2] int64, rows first … end − 1 that are filled, ascending.
        count: number of filled rows.

    Returns:
        [count] int32 rows, nearest first.
    """
    rows, keys = np.empty(count, np.int32), np.empty(count, np.float32)
    at = 0
    for s in range(spans.shape[0]):
        for row in range(spans[s, 0], spans[s, 1]):
            rows[at], keys[at] = row, paint[row, DEPTH]
            at += 1
    bits = keys.view(np.uint32)
    other_rows, other_bits = np.empty_like(rows), np.empty_like(bits)
    starts = np.empty(_DIGITS + 1, np.int64)
    for shift in range(0, 3 * _DIGIT_BITS, _DIGIT_BITS):
        starts[:] = 0
        for k in range(count):
            starts[((bits[k] >> np.uint32(shift)) & np.uint32(_DIGITS - 1)) + 1] += 1
        for digit in range(_DIGITS):
            starts[digit + 1] += starts[digit]
        for k in range(count):
            digit = (bits[k] >> np.uint32(shift)) & np.uint32(_DIGITS - 1)
            to = starts[digit]
            starts[digit] = to + 1
            other_rows[to], other_bits[to] = rows[k], bits[k]
        rows, other_rows = other_rows, rows
        bits, other_bits = other_bits, bits
    return rows
