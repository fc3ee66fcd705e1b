"""PLY headers (Turk 1994, "The PLY Polygon File Format"), read as untrusted input."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from .faults import cut_off, damaged

HEADER_LIMIT = 256 * 1024

_SCALARS = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1",
    "short": "i2", "int16": "i2", "ushort": "u2", "uint16": "u2",
    "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip
_ORDERS = {"ascii": "=", "binary_little_endian": "<", "binary_big_endian": ">"}
_END = re.compile(rb"\nend_header[ \t]*\r?\n")
_END_OLD = re.compile(rb"\rend_header[ \t]*\r")
_OLD = re.compile(rb"ply[ \t]*\r[^\n]")
"""Lines that end as on the old Macintosh."""
_COUNT = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True)
class Property:
    """One column. ``type`` is a numpy type code without byte order ("f4"), None for a list.

    ``list_types`` are the codes of a list's length and of its items.
    """

    name: str
    type: str | None
    list_types: tuple[str, str] | None = None


@dataclass(frozen=True)
class Element:
    """A table of the file: ``count`` rows of ``properties``."""

    name: str
    count: int
    properties: tuple[Property, ...]

    @property
    def has_lists(self) -> bool:
        return any(column.type is None for column in self.properties)

    @property
    def stride(self) -> int:
        """Bytes of a row in a binary file; of a list only its length, so the least that a row takes."""
        codes = [column.type or (column.list_types or ("u1", ""))[0] for column in self.properties]
        return sum(int(code[1]) for code in codes)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.properties)


@dataclass(frozen=True)
class PlyHeader:
    """A parsed header.

    Attributes:
        encoding: "ascii", "binary_little_endian" or "binary_big_endian".
        size: bytes of the header; the first element begins there.
        comments: texts of ``comment`` and ``obj_info`` lines.
    """

    encoding: str
    size: int
    elements: tuple[Element, ...]
    comments: tuple[str, ...]

    @property
    def order(self) -> str:
        """Byte order as numpy writes it."""
        return _ORDERS[self.encoding]

    def find(self, name: str) -> int | None:
        """Index of the first element of that name."""
        return next((i for i, element in enumerate(self.elements) if element.name == name), None)


def read_header(stream: BinaryIO, path: Path) -> PlyHeader:
    """Parses the header at the start of ``stream``.

    Raises:
        AnixError: E307, the header has no end within ``HEADER_LIMIT`` bytes or a line that PLY does not know.
    """
    start = stream.read(HEADER_LIMIT)
    old = _OLD.match(start) is not None
    end = (_END_OLD if old else _END).search(start)
    if end is None:
        if len(start) < HEADER_LIMIT:
            raise cut_off(path, len(start))
        raise damaged(path, f"no end of the PLY header within its first {HEADER_LIMIT:,} bytes")
    text = start[: end.start()].decode("utf-8", "replace")
    lines = [line.strip() for line in text.split("\r" if old else "\n")]
    encoding: str | None = None
    comments: list[str] = []
    elements: list[tuple[str, int, list[Property]]] = []
    for line in lines[1:]:
        keyword, *words = line.split() or [""]
        rest = line[len(keyword) :]
        if keyword in {"comment", "obj_info"}:
            comments.append(rest.strip())
        elif keyword == "format" and len(words) >= 1 and words[0] in _ORDERS:
            encoding = words[0]
        elif keyword == "element" and len(words) == 2 and _COUNT.fullmatch(words[1]):
            elements.append((words[0], int(words[1]), []))
        elif keyword == "property" and elements and (column := _property(words)):
            elements[-1][2].append(column)
        elif line:
            raise damaged(path, f"its PLY header has the line “{line[:60]}”, which is not PLY")
    if encoding is None:
        raise damaged(path, "its PLY header has no format line")
    tables = tuple(Element(name, count, tuple(columns)) for name, count, columns in elements)
    return PlyHeader(encoding, end.end(), tables, tuple(comments))


def check_names(element: Element, path: Path) -> None:
    """Raises E307 if two properties have one name, so that it is not clear which one is meant."""
    seen: set[str] = set()
    for name in element.names:
        if name in seen:
            raise damaged(path, f"its PLY element “{element.name[:40]}” has two properties “{name[:40]}”")
        seen.add(name)


def _property(words: list[str]) -> Property | None:
    if len(words) == 2 and words[0] in _SCALARS:
        return Property(words[1], _SCALARS[words[0]])
    whole = len(words) == 4 and _SCALARS.get(words[1], "f")[0] != "f"  # a length is no fraction
    if whole and words[0] == "list" and words[2] in _SCALARS:
        return Property(words[3], None, (_SCALARS[words[1]], _SCALARS[words[2]]))
    return None
