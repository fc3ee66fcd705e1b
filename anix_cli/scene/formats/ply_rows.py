"""The rows of a PLY element, in pieces: binary of either byte order or ASCII, lists walked over."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import AnixError, fail

from .faults import damaged
from .ply_header import Element, PlyHeader

PIECE = 1 << 16
"""Rows decoded at a time: memory beyond the result stays at a few tens of MB."""

_STRUCT = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "f4": "f", "f8": "d"}


class Rows:
    """Some rows of an element.

    Attributes:
        table: [N, columns] of one type, or [N] records with fields p0, p1 …
        names: the columns' names.
    """

    def __init__(self, table: NDArray[Any], names: Sequence[str]) -> None:
        self.table = table
        self._column = {name: i for i, name in enumerate(names)}

    def __len__(self) -> int:
        return len(self.table)

    def pick(self, names: Sequence[str], dtype: str = "f4") -> NDArray[Any]:
        """[N, len(names)] as ``dtype``; what it cannot hold becomes ±inf."""
        at = [self._column[name] for name in names]
        with np.errstate(over="ignore", invalid="ignore"):
            if self.table.dtype.names:
                return np.stack([self.table[f"p{i}"].astype(dtype) for i in at], axis=1)
            if at == list(range(at[0], at[0] + len(at))):  # one pass over the rows instead of one a column
                return np.asarray(self.table[:, at[0] : at[0] + len(at)], dtype=dtype)
            return np.asarray(self.table[:, at], dtype=dtype)


def element_rows(stream: BinaryIO, header: PlyHeader, index: int, path: Path) -> Iterator[Rows]:
    """All rows of one element, ``PIECE`` at a time; list properties are left out.

    Raises:
        AnixError: E306, rows are missing; E307, a row is no row of this element.
    """
    if header.encoding == "ascii":
        return _ascii(stream, header, index, path)
    return _binary(stream, header, index, path)


def scalar_names(element: Element) -> list[str]:
    """Names of the properties that are not lists."""
    return [column.name for column in element.properties if column.type]


def _binary(stream: BinaryIO, header: PlyHeader, index: int, path: Path) -> Iterator[Rows]:
    element = header.elements[index]
    start = header.size
    for before in header.elements[:index]:
        if before.has_lists:
            start = _walk(stream, header, before, start, path, keep=False)[-1]
        else:
            start += before.count * before.stride
    types = [str(column.type) for column in element.properties if column.type]
    names = scalar_names(element)
    fields = [(f"p{i}", header.order + code) for i, code in enumerate(types)]
    uniform = len(set(types)) == 1
    if element.has_lists:
        yield Rows(_without_lists(stream, header, element, start, path).view(fields)[:, 0], names)
        return
    stream.seek(start)
    for first in range(0, element.count, PIECE):
        count = min(PIECE, element.count - first)
        data = stream.read(count * element.stride)
        if len(data) < count * element.stride:
            raise fail("E306", f"{path.name} became shorter while it was read", file=path)
        if uniform:
            yield Rows(np.frombuffer(data, header.order + types[0]).reshape(count, len(types)), names)
        else:
            yield Rows(np.frombuffer(data, fields), names)


def _walk(
    stream: BinaryIO, header: PlyHeader, element: Element, start: int, path: Path, *, keep: bool
) -> tuple[NDArray[np.int64], int]:
    """Where each run of scalars of each row begins, [count, runs], and the end of the element.

    A run is what lies between two lists; it may be empty. Unless they are to be kept, the array has one row.
    """
    before = 0
    plan: list[tuple[int, struct.Struct, int]] = []
    for column in element.properties:
        if column.list_types is None:
            before += int(str(column.type)[1])
        else:
            length, item = column.list_types
            plan.append((before, struct.Struct(header.order + _STRUCT[length]), int(item[1])))
            before = 0
    starts = np.empty((element.count if keep else 1, len(plan) + 1), np.int64)
    at = start
    with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        end = len(data)
        for row in range(element.count):
            for i, (skip, length_of, size) in enumerate(plan):
                starts[row if keep else 0, i] = at
                at += skip
                if at + length_of.size > end:
                    raise _ends_early(element, path, row, end)
                count = int(length_of.unpack_from(data, at)[0])
                if count < 0:
                    raise damaged(path, f"a list in its element “{element.name[:40]}” has {count} items")
                at += length_of.size + count * size
            starts[row if keep else 0, -1] = at
            at += before
            if at > end:
                raise _ends_early(element, path, row, end)
    return starts, at


def _ends_early(element: Element, path: Path, rows: int, size: int) -> AnixError:
    text = (
        f"{path.name} is truncated: its header promises {element.count:,} rows of “{element.name[:40]}”, "
        f"its {size:,} bytes hold {rows:,}"
    )
    return fail("E306", text, file=path, hint="Fetch or export the file again.")


def _without_lists(
    stream: BinaryIO, header: PlyHeader, element: Element, start: int, path: Path
) -> NDArray[np.uint8]:
    """[count, bytes of the scalars of a row] uint8."""
    starts, _ = _walk(stream, header, element, start, path, keep=True)
    runs, size = [], 0
    for column in element.properties:
        if column.type:
            size += int(column.type[1])
        else:
            runs.append(size)
            size = 0
    runs.append(size)
    data = np.memmap(stream, np.uint8, "r")
    rows = np.empty((element.count, sum(runs)), np.uint8)
    at = 0
    for i, run in enumerate(runs):
        for byte in range(run):
            rows[:, at + byte] = data[starts[:, i] + byte]
        at += run
    return rows


def _ascii(stream: BinaryIO, header: PlyHeader, index: int, path: Path) -> Iterator[Rows]:
    element = header.elements[index]
    stream.seek(header.size)
    for _ in range(sum(before.count for before in header.elements[:index] if before.properties)):
        if not stream.readline():
            break
    lines = (line.decode("latin-1") for line in stream if line.strip())
    names, done = scalar_names(element), 0
    while done < element.count:
        piece = list(islice(lines, min(PIECE, element.count - done)))
        if not piece:
            text = (
                f"{path.name} is truncated: its header promises {element.count:,} Gaussians, it has {done:,}"
            )
            raise fail("E306", text, file=path, hint="Fetch or export the file again.")
        try:
            if element.has_lists:
                piece = [_scalars(line.split(), element) for line in piece]
            table = np.loadtxt(piece, comments=None, ndmin=2)
        except (ValueError, OverflowError, IndexError) as error:
            raise damaged(path, f"a row of its Gaussians is not {len(names)} numbers") from error
        if table.shape != (len(piece), len(names)):
            text = f"its rows have {table.shape[-1]} numbers, its header names {len(names)} properties"
            raise damaged(path, text)
        done += len(piece)
        yield Rows(table, names)


def _scalars(words: list[str], element: Element) -> str:
    """The words of a row that belong to no list."""
    kept, at = [], 0
    for column in element.properties:
        if column.type:
            kept.append(words[at])
            at += 1
        else:
            count = int(words[at])
            if count < 0:
                raise ValueError("a list of negative length")
            at += 1 + count
    if at != len(words):
        raise ValueError("more words than properties")
    return " ".join(kept)
