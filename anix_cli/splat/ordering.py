"""Second stage: splats front to back."""

# Kernels are typed by their numba signatures.
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

from numba import int32, int64, uint32, uint64, void

from .kernels import helper, kernel, read, write
from .layout import INDEX, PART
from .memory import item, put

DIGITS, BUCKETS = 3, 2048  # an odd number of digits, for the last to end in ``others``


@helper
def _range(keys, spans):
    """The least and the greatest key."""
    low, high = uint32(0xFFFFFFFF), uint32(0)
    for s in range(spans.shape[0]):
        for row in range(spans[s, 0], spans[s, 1]):
            low, high = min(low, keys[row]), max(high, keys[row])
    return low, high


@helper
def _gather(keys, spans, low, width, counts, pairs):
    """Copies the filled rows together as pairs (key above the least · 2³² + row), and counts their digits."""
    at = 0
    mask = uint32((1 << width) - 1)
    for s in range(spans.shape[0]):
        for row in range(spans[s, 0], spans[s, 1]):
            key = keys[row] - low
            put(pairs, at, uint64(key) << uint64(32) | uint64(row))
            at += 1
            for digit in range(DIGITS):
                place = digit * BUCKETS + int64((key >> uint32(digit * width)) & mask)
                put(counts, place, item(counts, place) + int32(1))
    return at


@helper
def _scatter(count, digit, width, counts, source, target):
    """Moves pairs to the places that are theirs by one digit, keeping the order of equals."""
    first = digit * BUCKETS
    total = int32(0)
    for place in range(first, first + (1 << width)):
        size = item(counts, place)
        put(counts, place, total)
        total += size
    shift, mask = uint64(32 + digit * width), uint64((1 << width) - 1)
    for k in range(count):
        pair = item(source, k)
        place = first + int64(pair >> shift & mask)
        to = item(counts, place)
        put(counts, place, to + int32(1))
        put(target, to, pair)


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
    read(uint32, 1), read(int64, 2), read(int32, 2), write(uint64, 1), write(uint64, 1), write(int32, 1),
    write(int32, 1), returns=void,
)  # fmt: skip
def by_depth(keys, spans, identities, pairs, others, counts, rows):
    """Record rows by depth, ties by part and index.

    A least-significant-digit radix sort of the depths' float32 bits, whose order is that of the depths, since
    those are positive.

    Args:
        keys: [M] uint32, of the records that ``project`` made.
        spans: [S, 2] int64, rows first … end − 1 that are filled, ascending.
        identities: the records, seen as int32.
        pairs, others, counts: [count], [count] and [DIGITS · BUCKETS], to work in.
        rows: [count] int32, the result: nearest first.
    """
    low, high = _range(keys, spans)
    width = 1
    while (int64(high) - int64(low)) >> (DIGITS * width) > 0:
        width += 1
    counts[:] = 0
    count = _gather(keys, spans, low, width, counts, pairs)
    for digit in range(DIGITS):
        if digit % 2 == 0:
            _scatter(count, digit, width, counts, pairs, others)
        else:
            _scatter(count, digit, width, counts, others, pairs)
    start = int64(0)
    for k in range(count):
        rows[k] = int32(others[k] & uint64(0xFFFFFFFF))
        if others[k] >> uint64(32) != others[start] >> uint64(32):
            if k - start > 1:
                _break_ties(identities, rows, start, k)
            start = k
    _break_ties(identities, rows, start, count)
