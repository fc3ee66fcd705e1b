"""SPZ: versions 1 to 3 are one gzip member that holds a 16-byte header and the columns, one after another.

Version 4 has a plain header of 32 bytes, extensions, a table of contents and each column compressed for
itself with Zstandard.

Layout as published by Niantic (github.com/nianticlabs/spz, README and ``load-spz.cc``): positions (24-bit
fixed point; version 1: float16), opacities (8 bit, not logits), colours (8 bit of ``0.5 + 0.15·f_dc``),
scales (8 bit of ``(log s + 10)·16``), rotations (from version 3: index of the largest component and three
times 10 bits; before: xyz in 8 bits each, w ≥ 0 derived), SH of degree 1–4 (8 bit, ``128 + 128·x``, RGB
interleaved). Quaternions are xyzw in the file. The frame is +Y up (RUB) unless an extension says otherwise.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from anix_cli.core.errors import AnixError, Diagnostic, fail

from ..info import SplatInfo
from .faults import (
    check_count,
    check_packing,
    corrupt,
    cut_off,
    damaged,
    degree_cut,
    left_over,
    truncated,
    unsupported,
)

MAGIC = 0x5053474E
HEADER = struct.Struct("<IIIBBBB")
HEADER_4 = struct.Struct("<IIIBBBBI12x")
TOC_ENTRY = struct.Struct("<QQ")
FLAG_ANTIALIASED, FLAG_EXTENSIONS = 1, 2
_FLAG_LEVELS = 0x80
"""Spark's (sparkjs.dev) tree of levels of detail, whose coarser Gaussians stand for the finer ones."""
SH_WIDTH = {0: 1, 1: 4, 2: 9, 3: 16, 4: 25}
_EXTENSIONS_LIMIT = 1 << 20
_CHUNK = 1 << 20
_DEFLATE_RATIO = 1032
"""No deflate stream expands by more (RFC 1951: 258 bytes from 2 bits), nor would Zstandard with positions."""

TOLD = "the file says so"
_COORDINATES_EXTENSION = 0xADBE0003
_UP_OF_COORDINATES = {1: "-y", 4: "+y", 6: "-y", 7: "+y", 9: "-z", 12: "+z", 14: "-z", 15: "+z"}
"""The right-handed members of SPZ's ``CoordinateSystem``: LDB, RUB, RDF, LUF, LFD, RFU, RBD, LBU."""


@dataclass(frozen=True)
class SpzHeader:
    """What a file begins with."""

    version: int
    count: int
    sh_degree: int
    fractional_bits: int
    flags: int

    @property
    def row_sizes(self) -> tuple[int, int, int, int, int, int]:
        """Bytes a Gaussian takes in each column: positions, opacities, colours, scales, rotations, SH."""
        position, rotation = (6 if self.version == 1 else 9), (4 if self.version >= 3 else 3)
        return position, 1, 3, 3, rotation, 3 * (SH_WIDTH[self.sh_degree] - 1)

    @property
    def size(self) -> int:
        """Bytes of header and columns, decompressed."""
        return HEADER.size + self.count * sum(self.row_sizes)


def probe_spz(stream: BinaryIO, path: Path, size: int) -> SplatInfo:
    """The structure of an SPZ file of ``size`` bytes; a gzip stream is checked to its end.

    Raises:
        AnixError: E305–E307, E309–E312: see ``probe``.
    """
    start = stream.read(4)
    stream.seek(0)
    if start == b"NGSP":
        return walk_spz4(stream, path, size)[0]
    return walk_spz(stream, path, size, keep=False)[0]


def _parse_header(data: bytes, path: Path, size: int) -> SpzHeader:
    magic, version, count, degree, bits, flags, _ = HEADER.unpack(data)
    if magic != MAGIC:
        hint = "Unpack it (gunzip) and name the PLY." if data[:4] in {b"ply\n", b"ply\r"} else None
        raise fail("E304", f"{path.name} is a gzip file, but no SPZ scene", file=path, hint=hint)
    if version == 0:
        raise damaged(path, "it gives 0 as its SPZ version")
    if version > 3:
        raise damaged(path, f"SPZ version {version} in the compression of versions 1 to 3")
    header = _checked(SpzHeader(version, count, degree, bits, flags), path)
    if header.size > size * _DEFLATE_RATIO:
        raise _short(path, header, size * _DEFLATE_RATIO, "could hold at most ")
    check_packing(path, count, size, header.size)
    return header


def _checked(header: SpzHeader, path: Path) -> SpzHeader:
    """The header, if its numbers can be.

    Raises:
        AnixError: E307, E309, E310, E312.
    """
    if header.sh_degree not in SH_WIDTH:
        text = f"{path.name} has spherical harmonics of degree {header.sh_degree}; SPZ has 0 to 4"
        raise fail("E310", text, file=path)
    check_count(_info(path, header, b"", 0))
    if header.flags & _FLAG_LEVELS:
        hint = "Export the full scene, without levels of detail."
        raise unsupported(path, "holds several levels of detail, one over the other", hint)
    if header.fractional_bits > 24:
        text = f"its positions claim {header.fractional_bits} fractional bits, more than the 24 they have"
        raise damaged(path, text)
    return header


def _short(path: Path, header: SpzHeader, actual: int, about: str = "holds ") -> AnixError:
    return fail(
        "E306",
        f"{path.name} is truncated: its header promises {header.count:,} Gaussians = {header.size:,} bytes, "
        f"the file {about}{actual:,} (decompressed)",
        file=path,
        hint="The download or copy was probably cut off: fetch the file again.",
    )


def walk_spz(
    stream: BinaryIO, path: Path, size: int, *, keep: bool
) -> tuple[SplatInfo, SpzHeader, bytearray]:
    """Decompresses and checks the whole file; the bytes are kept only if asked for."""
    inflate = zlib.decompressobj(wbits=31)
    head, body, extensions = bytearray(), bytearray(), bytearray()
    header: SpzHeader | None = None
    seen = limit = 0
    trailing = 0
    try:
        while chunk := stream.read(_CHUNK):
            if inflate.eof:
                trailing += len(chunk)
                continue
            while chunk and not inflate.eof:
                room = HEADER.size - len(head) if header is None else limit - seen + 1
                data = inflate.decompress(chunk, min(room, 4 * _CHUNK))
                chunk = inflate.unconsumed_tail
                if header is None:
                    head += data
                    if len(head) < HEADER.size:
                        continue
                    header = _parse_header(bytes(head), path, size)
                    seen = HEADER.size
                    extra = _EXTENSIONS_LIMIT if header.flags & FLAG_EXTENSIONS else 0
                    limit = header.size + extra
                    continue
                before, seen = seen, seen + len(data)
                if seen > limit:
                    raise damaged(path, f"it holds more than the {header.count:,} Gaussians of its header")
                inside = max(0, min(len(data), header.size - before))
                if keep:
                    body += data[:inside]
                extensions += data[inside:]
            trailing += len(inflate.unused_data) if inflate.eof else 0
    except zlib.error as error:
        raise corrupt(path) from error
    if header is None or seen < header.size or not inflate.eof:
        if header is None:
            raise cut_off(path, size)
        raise _short(path, header, seen)
    return _info(path, header, bytes(extensions), trailing), header, body


def _info(path: Path, header: SpzHeader, extensions: bytes, trailing: int) -> SplatInfo:
    up, source, notes = _frame_of(path, extensions)
    return SplatInfo(
        path,
        f"SPZ v{header.version}",
        header.count,
        min(header.sh_degree, 3),
        bool(header.flags & FLAG_ANTIALIASED),
        up,
        source,
        (),
        (*notes, *degree_cut(path, header.sh_degree), *left_over(path, trailing)),
    )


def walk_spz4(stream: BinaryIO, path: Path, size: int) -> tuple[SplatInfo, SpzHeader, list[tuple[int, int]]]:
    """Reads header, extensions and table of contents of a version 4 file; nothing is decompressed.

    Returns:
        (info, header, (first byte, bytes) of each compressed column that is not empty).

    Raises:
        AnixError: E305–E307, E309, E310, E312.
    """
    start = stream.read(HEADER_4.size)
    if len(start) < HEADER_4.size:
        raise cut_off(path, size)
    _, version, count, degree, bits, flags, streams, toc = HEADER_4.unpack(start)
    if version < 4:
        raise damaged(path, f"SPZ version {version} without its compression")
    if version > 4:
        raise unsupported(path, f"is SPZ version {version}")
    header = _checked(SpzHeader(version, count, degree, bits, flags), path)
    wanted = [count * row for row in header.row_sizes if row]
    if streams != len(wanted):
        raise damaged(path, f"it has {streams} columns where degree {degree} takes {len(wanted)}")
    at = toc + streams * TOC_ENTRY.size
    if toc < HEADER_4.size:
        raise damaged(path, "its table of contents lies within its header")
    if size < at:
        raise truncated(path, count, at, size, "more than ")
    if toc - HEADER_4.size > _EXTENSIONS_LIMIT:
        raise damaged(path, f"it has {toc - HEADER_4.size:,} bytes of extensions")
    extensions = stream.read(toc - HEADER_4.size) if flags & FLAG_EXTENSIONS else b""
    stream.seek(toc)
    places: list[tuple[int, int]] = []
    for packed, full in TOC_ENTRY.iter_unpack(stream.read(streams * TOC_ENTRY.size)):
        if full != wanted[len(places)]:
            text = f"a column has {full:,} bytes where {count:,} Gaussians take {wanted[len(places)]:,}"
            raise damaged(path, text)
        places.append((at, packed))
        at += packed
    if size < at:
        raise truncated(path, count, at, size)
    if places[0][1] * _DEFLATE_RATIO < wanted[0]:
        text = f"{places[0][1]:,} bytes do not hold the positions of {count:,} Gaussians"
        raise damaged(path, text)
    check_packing(path, count, sum(packed for _, packed in places), sum(wanted))
    return _info(path, header, extensions, size - at), header, places


def _frame_of(path: Path, extensions: bytes) -> tuple[str, str, tuple[Diagnostic, ...]]:
    """The up axis, who says so, and a warning for extensions that are not understood.

    Records are ``u32 type, u32 length, payload`` (SPZ ``extensions/README.md``); Adobe's 0xADBE0003 names the
    frame of the data.
    """
    at, unknown = 0, 0
    system: int | None = None
    while at + 8 <= len(extensions):
        kind, length = struct.unpack_from("<II", extensions, at)
        if at + 8 + length > len(extensions):
            break
        payload = extensions[at + 8 : at + 8 + length]
        at += 8 + length
        if kind != _COORDINATES_EXTENSION or length < 4:
            unknown += 1
        elif system is None:
            system = struct.unpack_from("<I", payload)[0]
    if system is not None and system not in _UP_OF_COORDINATES:
        what = f"has left-handed or unknown axes ({system})"
        raise unsupported(path, what, "Export it again in SPZ's own frame (RUB).")
    up, source = "+y", "SPZ specification"
    if system is not None:
        up, source = _UP_OF_COORDINATES[system], TOLD
    if unknown or at < len(extensions):
        text = f"{path.name} carries SPZ extensions that are not understood; they are left unread"
        return up, source, (Diagnostic("W308", text, file=path),)
    return up, source, ()
