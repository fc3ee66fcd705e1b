"""SPZ versions 1 to 3: one gzip member that holds a 16-byte header and the columns, one after another.

Layout as published by Niantic (github.com/nianticlabs/spz, README and ``load-spz.cc``): positions (24-bit
fixed point; version 1: float16), opacities (8 bit, not logits), colours (8 bit of ``0.5 + 0.15·f_dc``),
scales (8 bit of ``(log s + 10)·16``), rotations (version 3: index of the largest component and three times
10 bits; before: xyz in 8 bits each, w ≥ 0 derived), SH of degree 1–3 (8 bit, ``128 + 128·x``, RGB
interleaved). Quaternions are xyzw in the file. The frame is +Y up (RUB) unless an extension says otherwise.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from anix_cli.core.errors import AnixError, Diagnostic, fail

from .info import MAX_GAUSSIANS, READ_NOW, SplatInfo

MAGIC = 0x5053474E
HEADER = struct.Struct("<IIIBBBB")
FLAG_ANTIALIASED, FLAG_EXTENSIONS = 1, 2
SH_WIDTH = {0: 1, 1: 4, 2: 9, 3: 16}
_EXTENSIONS_LIMIT = 1 << 20
_CHUNK = 1 << 20
_DEFLATE_RATIO = 1032
"""No deflate stream expands by more (RFC 1951: 258 bytes from 2 bits)."""

_COORDINATES_EXTENSION = 0xADBE0003
_UP_OF_COORDINATES = {1: "-y", 4: "+y", 6: "-y", 7: "+y", 9: "-z", 12: "+z", 14: "-z", 15: "+z"}
"""The right-handed members of SPZ's ``CoordinateSystem``: LDB, RUB, RDF, LUF, LFD, RFU, RBD, LBU."""


@dataclass(frozen=True)
class SpzHeader:
    """The 16 bytes that a file begins with."""

    version: int
    count: int
    sh_degree: int
    fractional_bits: int
    flags: int

    @property
    def row_sizes(self) -> tuple[int, int, int, int, int, int]:
        """Bytes a Gaussian takes in each column: positions, opacities, colours, scales, rotations, SH."""
        position, rotation = (6 if self.version == 1 else 9), (4 if self.version == 3 else 3)
        return position, 1, 3, 3, rotation, 3 * (SH_WIDTH[self.sh_degree] - 1)

    @property
    def size(self) -> int:
        """Bytes of header and columns, decompressed."""
        return HEADER.size + self.count * sum(self.row_sizes)


def probe_spz(stream: BinaryIO, path: Path, size: int) -> SplatInfo:
    """The structure of an SPZ file of ``size`` bytes; its gzip stream is checked to the end.

    Raises:
        AnixError: E305–E307, E309–E312: see ``probe``.
    """
    return walk_spz(stream, path, size, keep=False)[0]


def _damaged(path: Path, what: str) -> AnixError:
    return fail("E307", f"{path.name} is damaged: {what}", file=path, hint="Export or download it again.")


def _parse_header(data: bytes, path: Path, size: int) -> SpzHeader:
    magic, version, count, degree, bits, flags, _ = HEADER.unpack(data)
    if magic != MAGIC:
        raise fail("E304", f"{path.name} is a gzip file, but no SPZ scene", file=path)
    if version == 0:
        raise _damaged(path, "it gives 0 as its SPZ version")
    if version > 3:
        raise fail("E305", f"{path.name} is SPZ version {version}; anix reads {READ_NOW}", file=path)
    if degree not in SH_WIDTH:
        raise fail(
            "E310", f"{path.name} has spherical harmonics of degree {degree}; anix reads 0 to 3", file=path
        )
    if count == 0:
        raise fail("E309", f"{path.name} holds no Gaussians: its header says 0", file=path)
    header = SpzHeader(version, count, degree, bits, flags)
    if count > MAX_GAUSSIANS:
        raise fail(
            "E312",
            f"{path.name} promises {count:,} Gaussians; anix reads at most {MAX_GAUSSIANS:,}",
            file=path,
        )
    if header.size > size * _DEFLATE_RATIO:
        raise _short(path, header, size * _DEFLATE_RATIO, "could hold at most ")
    if bits > 24:
        raise _damaged(path, f"its positions claim {bits} fractional bits, more than the 24 they have")
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
                    raise _damaged(path, f"it holds more than the {header.count:,} Gaussians of its header")
                inside = max(0, min(len(data), header.size - before))
                if keep:
                    body += data[:inside]
                extensions += data[inside:]
            trailing += len(inflate.unused_data) if inflate.eof else 0
    except zlib.error as error:
        text = f"{path.name} is corrupt: its compressed data fail their own check"
        raise fail("E311", text, file=path, hint="Copy or download the file again.") from error
    if header is None or seen < header.size or not inflate.eof:
        if header is None:
            text = f"{path.name} is truncated: it ends after {size:,} bytes, within its header"
            raise fail("E306", text, file=path, hint="Fetch the file again.")
        raise _short(path, header, seen)
    up, source, notes = _frame_of(path, bytes(extensions))
    if trailing:
        text = f"{path.name} has {trailing:,} bytes after its end, which are left unread"
        notes = (*notes, Diagnostic("W305", text, file=path))
    info = SplatInfo(
        path,
        f"SPZ v{header.version}",
        header.count,
        header.sh_degree,
        bool(header.flags & FLAG_ANTIALIASED),
        up,
        source,
        (),
        notes,
    )
    return info, header, body


def _frame_of(path: Path, extensions: bytes) -> tuple[str, str, tuple[Diagnostic, ...]]:
    """The up axis, who says so, and a warning for extensions that are not understood.

    Records are ``u32 type, u32 length, payload`` (SPZ ``extensions/README.md``); Adobe's 0xADBE0003 names the
    frame of the data.
    """
    at, unknown = 0, 0
    up, source = "+y", "SPZ specification"
    while at + 8 <= len(extensions):
        kind, length = struct.unpack_from("<II", extensions, at)
        payload = extensions[at + 8 : at + 8 + length]
        at += 8 + length
        if kind != _COORDINATES_EXTENSION or len(payload) < 4:
            unknown += 1
            continue
        system = struct.unpack_from("<I", payload)[0]
        if system not in _UP_OF_COORDINATES:
            text = f"{path.name} has left-handed or unknown axes ({system}), which is not supported yet"
            raise fail("E305", text, file=path, hint="Export it again in SPZ's own frame (RUB).")
        up, source = _UP_OF_COORDINATES[system], "the file says so"
    if unknown or at < len(extensions):
        text = f"{path.name} carries SPZ extensions that are not understood; they are left unread"
        return up, source, (Diagnostic("W308", text, file=path),)
    return up, source, ()
