"""The rows of a PLY element in an ASCII file, lists passed over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import AnixError, fail

from .faults import damaged
from .ply_header import Element, PlyHeader
from .ply_rows import PIECE, Rows, scalar_names

_LINE_LIMIT = 4 << 20
"""Bytes: a face of a hundred thousand corners fits."""
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eEdD][+-]?[0-9]+)?")
_NO_NUMBER = re.compile(r"[+-]?(?:nan(?:\([^)]*\))?|1\.#(?:q|s)?(?:nan|ind)\w*)", re.IGNORECASE)
_INFINITE = re.compile(r"([+-]?)(?:inf(?:inity)?|1\.#inf\w*)", re.IGNORECASE)
"""Besides what C prints, what older Microsoft libraries do."""


def text_rows(stream: BinaryIO, header: PlyHeader, index: int, path: Path) -> Iterator[Rows]:
    """All rows of one element, ``PIECE`` at a time.

    Raises:
        AnixError: E306, rows are missing; E307, a line is no row of this element.
    """
    element = header.elements[index]
    stream.seek(header.size)
    lines = _lines(stream, path)
    for before in header.elements[:index]:
        if before.properties:
            for _ in islice(lines, before.count):
                pass
    names, done = scalar_names(element), 0
    while done < element.count:
        piece = list(islice(lines, min(PIECE, element.count - done)))
        if not piece:
            text = (
                f"{path.name} is truncated: its header promises {element.count:,} rows of "
                f"“{element.name[:40]}”, it has {done:,}"
            )
            raise fail("E306", text, file=path, hint="Fetch or export the file again.")
        yield Rows(_table(piece, element, done, path), names)
        done += len(piece)


def _lines(stream: BinaryIO, path: Path) -> Iterator[str]:
    """The lines that are not blank."""
    while line := stream.readline(_LINE_LIMIT):
        if len(line) == _LINE_LIMIT:
            raise damaged(path, f"a line of it has more than {_LINE_LIMIT:,} bytes")
        if line.strip():
            yield line.decode("latin-1")


def _table(lines: list[str], element: Element, done: int, path: Path) -> NDArray[np.float64]:
    """[rows, columns]: at once where all is as usual, else word by word."""
    columns = len(scalar_names(element))
    if not element.has_lists:
        try:
            table = np.loadtxt(lines, comments=None, ndmin=2)
            if table.shape == (len(lines), columns):
                return np.asarray(table, dtype=np.float64)
        except (ValueError, OverflowError, IndexError):
            pass  # there is something in it that only a look at each word finds
    table = np.empty((len(lines), columns))
    for row, line in enumerate(lines):
        words = line.split()
        if element.has_lists:
            words = _without_lists(words, element, done + row + 1, path)
        if len(words) != columns:
            raise _no_row(
                path, element, done + row + 1, f"has {len(words)} numbers where {columns} are named"
            )
        for column, word in enumerate(words):
            value = _value(word)
            if value is None:
                raise _no_row(path, element, done + row + 1, f"has “{word[:20]}” where a number is expected")
            table[row, column] = value
    return table


def _no_row(path: Path, element: Element, row: int, what: str) -> AnixError:
    return damaged(path, f"row {row:,} of its “{element.name[:40]}” {what}")


def _value(word: str) -> float | None:
    """A number in one of the spellings that programs print; None for anything else."""
    if _NUMBER.fullmatch(word):
        return float(word.replace("d", "e").replace("D", "e"))
    if _NO_NUMBER.fullmatch(word):
        return np.nan
    found = _INFINITE.fullmatch(word)
    return None if found is None else float(f"{found[1]}inf")


def _without_lists(words: list[str], element: Element, row: int, path: Path) -> list[str]:
    """The words of a row that belong to no list."""
    kept, at = [], 0
    for column in element.properties:
        if at >= len(words):
            raise _no_row(path, element, row, "ends before all its properties")
        if column.type:
            kept.append(words[at])
            at += 1
            continue
        length = _value(words[at])
        if length is None or not length.is_integer() or length < 0:
            raise _no_row(path, element, row, f"has a list of “{words[at][:20]}” numbers")
        at += 1 + int(length)
    if at != len(words):
        raise _no_row(path, element, row, f"has {len(words)} words, its lists and properties take {at}")
    return kept
