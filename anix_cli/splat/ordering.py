"""Second stage: splats front to back."""

# Kernels are typed by their numba signatures.
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

from numba import int32, int64, intp, uint32

from .kernels import helper, kernel, read, write
from .layout import INDEX, PART

DIGITS, BUCKETS = 3, 2048


@helper
def _range(keys, spans):
    """The least and the greatest key."""
    low, high = uint32(0xFFFFFFFF), uint32(0)
    for s in range(spans.shape[0]):
        for row in range(spans[s, 0], spans[s, 1]):
            low, high = min(low, keys[row]), max(high, keys[row])
    return low, high


@helper
def _gather(keys, spans, low, width, counts, sorted_keys, rows):
    """Copies the filled rows together, as keys above the least, and counts their digits."""
    at = 0
    mask = uint32((1 << width) - 1)
    for s in range(spans.shape[0]):
        for row in range(spans[s, 0], spans[s, 1]):
            key = keys[row] - low
            sorted_keys[at], rows[at] = key, row
            at += 1
            for digit in range(DIGITS):
                counts[digit, (key >> uint32(digit * width)) & mask] += 1
    return at


@helper
def _comes_first(identities, a, b):
    if identities[a, PART] != identities[b, PART]:
        return identities[a, PART] < identities[b, PART]
    return identities[a, INDEX] < identities[b, INDEX]


@helper
def _break_ties(identities, rows, start, end):
    """Shell sort of equally deep rows by part and index. They mostly are in that order already."""
    gap = (end - start) // 2
    while gap > 0:
        for k in range(start + gap, end):
            row, at = rows[k], k
            while at >= start + gap and _comes_first(identities, row, rows[at - gap]):
                rows[at] = rows[at - gap]
                at -= gap
            rows[at] = row
        gap //= 2


@kernel(
    read(uint32, 1), read(int64, 2), read(int32, 2), write(uint32, 2), write(int32, 2), write(int32, 2),
    returns=int64,
)  # fmt: skip
def by_depth(keys, spans, identities, sorted_keys, rows, counts):
    """Record rows by depth, ties by part and index.

    A least-significant-digit radix sort of the depths' float32 bits, whose order is that of the depths, since
    those are positive.

    Args:
        keys: [M] uint32, of the records that ``project`` made.
        spans: [S, 2] int64, rows first … end − 1 that are filled, ascending.
        identities: the records, seen as int32.
        sorted_keys, rows: [2, count], to work in.
        counts: [DIGITS, BUCKETS], to work in.

    Returns:
        Which of the two ``rows`` holds the result, nearest first.
    """
    low, high = _range(keys, spans)
    width = 1
    while (int64(high) - int64(low)) >> (DIGITS * width) > 0:
        width += 1
    counts[:] = 0
    mask = uint32((1 << width) - 1)
    count = _gather(keys, spans, low, width, counts, sorted_keys[0], rows[0])
    here = 0
    for digit in range(DIGITS):
        total = int32(0)
        for k in range(1 << width):
            counts[digit, k], total = total, total + counts[digit, k]
        from_keys, from_rows, to_keys, to_rows = (
            sorted_keys[here],
            rows[here],
            sorted_keys[1 - here],
            rows[1 - here],
        )
        for k in range(count):
            key = from_keys[k]
            bucket = intp((key >> uint32(digit * width)) & mask)
            to = counts[digit, bucket]
            counts[digit, bucket] = to + 1
            to_keys[to], to_rows[to] = key, from_rows[k]
        here = 1 - here
    result, depths = rows[here], sorted_keys[here]
    start = 0
    for k in range(1, count + 1):
        if k == count or depths[k] != depths[start]:
            if k - start > 1:
                _break_ties(identities, result, start, k)
            start = k
    return here
