"""The boxes of ISO/IEC 14496-12 files (mp4, mov, m4a): walked without any import that takes time."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

_MAX_HEADER = 64 << 20
_MAX_BOXES = 10_000
"""More boxes at the top of a file are no film's and no sound's: a crafted file must not cost minutes."""


def read_header(stream: BinaryIO) -> bytes:
    """The content of the box ``moov``, b"" if there is none; other boxes are stepped over."""
    for kind, start, end in top_boxes(stream):
        if kind == b"moov":
            stream.seek(start)
            return stream.read(min(end - start, _MAX_HEADER))
    return b""


def top_boxes(stream: BinaryIO) -> Iterator[tuple[bytes, int, int]]:
    """Type, first byte of the content, and the byte after the end of each box of a file, as it says itself.

    A box that says that it goes to the end of the file, or makes no sense, is the last and is left out.
    """
    at = 0
    for _ in range(_MAX_BOXES):
        stream.seek(at)
        if len(head := stream.read(16)) < 8:
            return
        length, kind = struct.unpack_from(">I4s", head)
        header = 8
        if length == 1 and len(head) == 16:
            length, header = struct.unpack_from(">Q", head, 8)[0], 16
        if length < header:
            return
        yield kind, at + header, at + length
        at += length


def boxes(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Type and content of each box in a row; a last one that is cut off is given as far as it goes."""
    at = 0
    while at + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        header = 8
        if length == 1 and at + 16 <= len(data):
            length, header = struct.unpack_from(">Q", data, at + 8)[0], 16
        elif length == 0:
            length = len(data) - at
        if length < header:
            return
        yield kind, data[at + header : at + length]
        at += length


def find_box(data: bytes, *path: bytes) -> bytes:
    """The content of a box in a box in …; KeyError if there is none."""
    for name in path:
        data = dict(boxes(data))[name]
    return data
