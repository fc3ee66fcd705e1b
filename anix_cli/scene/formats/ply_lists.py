"""Where the rows of a binary PLY element lie whose rows differ in length, since there are lists in them.

Only by reading a row's lengths is it known where the next one begins. Most elements repeat one length (three
corners a face), so rows are first taken to be like the last one, many at a time, and checked; where that
fails they are walked over one by one.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import AnixError, fail

from ..info import MAX_GAUSSIANS
from .faults import damaged
from .ply_header import Element, PlyHeader

I64 = NDArray[np.int64]

_STRUCT = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I"}
_FEWEST, _MOST = 64, 1 << 16
_STARTS = 1 << 22
"""Numbers held at a time."""


@dataclass(frozen=True)
class _List:
    """A list property: ``before`` bytes of scalars lie between it and the list before it."""

    before: int
    length: struct.Struct
    length_type: str
    item_size: int

    def reader(self, data: mmap.mmap) -> Callable[[int], int]:
        """The length at a byte of the file."""
        if self.length.size == 1 and self.length_type[1] == "u":
            return data.__getitem__
        unpack = self.length.unpack_from
        return lambda at: int(unpack(data, at)[0])


class ListRows:
    """The rows of an element with lists, in a mapped file.

    Raises:
        AnixError: E307, a length is negative, or there are more rows than could be walked over.
    """

    def __init__(self, data: mmap.mmap, header: PlyHeader, element: Element, path: Path) -> None:
        self._data, self._element, self._path, self._end = data, element, path, len(data)
        self._lists: list[_List] = []
        self._after = 0
        for column in element.properties:
            if column.list_types is None:
                self._after += int(str(column.type)[1])
                continue
            length, item = column.list_types
            unpack = struct.Struct(header.order + _STRUCT[length])
            self._lists.append(_List(self._after, unpack, header.order + length, int(item[1])))
            self._after = 0
        if element.count > MAX_GAUSSIANS:
            name = element.name[:40]
            text = f"its element “{name}” has {element.count:,} rows of lists, more than any scene needs"
            raise damaged(path, text)

    def runs(self) -> tuple[int, ...]:
        """Bytes of each run of scalars in a row: before the first list, between lists, after the last."""
        return (*(each.before for each in self._lists), self._after)

    def pieces(self, start: int) -> Iterator[tuple[I64, int]]:
        """(where the runs of scalars of some rows begin, [rows, runs]; where these rows end), in order.

        Args:
            start: byte at which the first row begins.

        Raises:
            AnixError: E306, rows are missing; E307, a list has a negative length.
        """
        at, done, like = start, 0, _FEWEST
        limit = max(1, min(_MOST, _STARTS // (len(self._lists) + 1)))
        while done < self._element.count:
            left = self._element.count - done
            starts, at = self._walk(at, min(left, 1), done)
            done += 1
            yield starts, at
            alike = self._alike(starts[0], at, min(left - 1, like, limit))
            if len(alike):
                at += len(alike) * int(at - starts[0, 0])
                done += len(alike)
                yield alike, at
            # The more rows were alike, the more are tried; where few were, many are walked over.
            if len(alike) >= like // 2:
                like = min(like * 4, _MOST)
                continue
            like = _FEWEST
            if left - 1 - len(alike) > 0:
                starts, at = self._walk(at, min(left - 1 - len(alike), 4096, limit), done)
                done += len(starts)
                yield starts, at

    def _alike(self, row: I64, at: int, count: int) -> I64:
        """Runs of the rows from ``at`` that have the lengths of the row before, at most ``count``."""
        size = int(at - row[0])
        count = min(count, (self._end - at) // size)
        offsets = row - row[0]
        for i, each in enumerate(self._lists):
            if count <= 0:
                break
            place = int(offsets[i]) + each.before
            wanted = each.length.unpack_from(self._data, int(row[0]) + place)[0]
            found: NDArray[Any] = np.ndarray((count,), each.length_type, self._data, at + place, (size,))
            other = np.flatnonzero(found != wanted)
            count = int(other[0]) if len(other) else count
        return np.asarray(at + size * np.arange(max(count, 0))[:, None] + offsets, dtype=np.int64)

    def _walk(self, at: int, count: int, done: int) -> tuple[I64, int]:
        """Runs of the next ``count`` rows, one by one, and where they end."""
        starts: list[int] = []
        add, data, end, after = starts.append, self._data, self._end, self._after
        plan = [(each.before, each.reader(data), each.length.size, each.item_size) for each in self._lists]
        row = 0
        try:
            for row in range(count):
                for before, length_at, width, item in plan:
                    add(at)
                    at += before
                    length = length_at(at)
                    if length < 0:
                        raise self._negative(length)
                    at += width + length * item
                add(at)
                at += after
                if at > end:
                    raise self._short(done + row)
        except (struct.error, IndexError) as error:
            raise self._short(done + row) from error
        return np.array(starts, dtype=np.int64).reshape(count, -1), at

    def _negative(self, length: int) -> AnixError:
        return damaged(self._path, f"a list in its element “{self._element.name[:40]}” has {length} items")

    def _short(self, rows: int) -> AnixError:
        text = (
            f"{self._path.name} is truncated: its header promises {self._element.count:,} rows of "
            f"“{self._element.name[:40]}”, its {self._end:,} bytes hold {rows:,}"
        )
        return fail("E306", text, file=self._path, hint="Fetch or export the file again.")
