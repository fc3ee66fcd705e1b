"""The rows of a PLY element, in pieces: binary of either byte order or ASCII, lists passed over."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import fail

from .ply_header import Element, PlyHeader
from .ply_lists import ListRows

PIECE = 1 << 16
"""Rows decoded at a time: memory beyond the result stays at a few tens of MB."""


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

    def column(self, name: str) -> NDArray[Any]:
        """[N] as in the file, byte order included."""
        at = self._column[name]
        return np.asarray(self.table[f"p{at}"] if self.table.dtype.names else self.table[:, at])

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
    """All rows of one element, ``PIECE`` or fewer at a time; list properties are left out.

    Raises:
        AnixError: E306, rows are missing; E307, a row is no row of this element.
    """
    if header.encoding == "ascii":
        from .ply_text import text_rows

        return text_rows(stream, header, index, path)
    return _binary(stream, header, index, path)


def scalar_names(element: Element) -> list[str]:
    """Names of the properties that are not lists."""
    return [column.name for column in element.properties if column.type]


def _binary(stream: BinaryIO, header: PlyHeader, index: int, path: Path) -> Iterator[Rows]:
    element = header.elements[index]
    types = [str(column.type) for column in element.properties if column.type]
    names = scalar_names(element)
    fields = [(f"p{i}", header.order + code) for i, code in enumerate(types)]
    start = _start(stream, header, index, path)
    if element.has_lists:
        for piece in _without_lists(stream, header, element, start, path):
            yield Rows(piece.view(fields)[:, 0], names)
        return
    uniform = len(set(types)) == 1
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


def _start(stream: BinaryIO, header: PlyHeader, index: int, path: Path) -> int:
    """The byte at which an element begins."""
    start = header.size
    for before in header.elements[:index]:
        if not before.has_lists:
            start += before.count * before.stride
            continue
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
            for _, end in ListRows(data, header, before, path).pieces(start):
                start = end
    return start


def _without_lists(
    stream: BinaryIO, header: PlyHeader, element: Element, start: int, path: Path
) -> Iterator[NDArray[np.uint8]]:
    """[rows, bytes of the scalars of a row] uint8."""
    with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        rows = ListRows(mapped, header, element, path)
        runs = rows.runs()
        data = np.frombuffer(mapped, np.uint8)
        try:
            for starts, _ in rows.pieces(start):
                piece = np.empty((len(starts), sum(runs)), np.uint8)
                at = 0
                for i, run in enumerate(runs):
                    for byte in range(run):
                        piece[:, at + byte] = data[starts[:, i] + byte]
                    at += run
                yield piece
        finally:
            del data  # the map cannot be closed while something looks into it
