""".ksplat (github.com/mkkellogg/GaussianSplats3D, ``SplatBuffer``): sections of rows, sorted into buckets.

A header of 4096 bytes and one of 1024 for each section; then for each section the lengths of its partly
filled buckets, the buckets' centres, and room for its rows. A row: position, sizes, quaternion wxyz,
red green blue opacity, harmonics (of each degree all of red, then green, then blue). Level 0 has floats;
level 1 half floats, and positions of 16 bits about the centre of the bucket; level 2 harmonics of a byte.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from anix_cli.core.errors import fail

from ..info import SplatInfo
from .faults import check_count, cut_off, damaged, left_over, truncated, unsupported

HEADER_SIZE, SECTION_SIZE = 4096, 1024
_HEADER = struct.Struct("<BBHIIIIHH3fff")
_SECTION = struct.Struct("<IIIIfHHIIIIHH")
_SECTIONS_LIMIT = 65536
_BYTES_WITHOUT_SH = (44, 24, 24)
SH_BYTES = (4, 2, 1)
SH_NUMBERS = {0: 0, 1: 9, 2: 24, 3: 45}
_HALF_RANGE = 1.5
_QUANTA = (1, 32767, 32767)


@dataclass(frozen=True)
class Section:
    """A section.

    Attributes:
        buckets: first byte of the lengths of partly filled buckets; their centres follow.
        rows: first byte of the rows.
        step: unit of 16-bit positions; ``zero`` is the number that means the bucket's centre.
    """

    count: int
    sh_degree: int
    bucket_size: int
    bucket_count: int
    full_buckets: int
    partial_buckets: int
    bucket_bytes: int
    step: float
    zero: int
    buckets: int
    rows: int
    row_size: int


@dataclass(frozen=True)
class Ksplat:
    """A file, looked through. ``sh_range``: what the bytes 0 and 255 of level 2's harmonics mean."""

    info: SplatInfo
    level: int
    sh_range: tuple[float, float]
    sections: tuple[Section, ...]


def looks_like_ksplat(start: bytes, size: int) -> bool:
    """Whether the first bytes are a header of version 0.1 or above."""
    if size < HEADER_SIZE or len(start) < _HEADER.size:
        return False
    major, minor, unused, room, _, most, count, level, *_ = _HEADER.unpack_from(start)
    version = major == 0 and 1 <= minor < 16 and unused == 0
    return bool(version and level <= 2 and 0 < room <= _SECTIONS_LIMIT and max(most, count) > 0)


def walk_ksplat(stream: BinaryIO, path: Path, size: int) -> Ksplat:
    """Reads all headers of a file of ``size`` bytes whose stream stands at its start.

    Raises:
        AnixError: E305–E307, E309, E310, E312.
    """
    start = stream.read(HEADER_SIZE)
    if len(start) < HEADER_SIZE:
        raise cut_off(path, size)
    major, minor, _, room, _, _, _, level, _, *numbers = _HEADER.unpack_from(start)
    if major != 0 or minor < 1:
        raise unsupported(path, f"is .ksplat version {major}.{minor}")
    if level > 2:
        raise damaged(path, f"it gives {level} as its level of compression, which goes to 2")
    if room > _SECTIONS_LIMIT:
        raise damaged(path, f"it claims {room:,} sections")
    if size < HEADER_SIZE + room * SECTION_SIZE:
        raise cut_off(path, size, "within the headers of its sections")
    headers = [_SECTION.unpack_from(stream.read(SECTION_SIZE)) for _ in range(room)]
    # Writers that stop half way leave the counts of rows written at 0: then the room counts, as far as there
    # are buckets for it.
    unwritten = not any(header[0] for header in headers)
    sections, at = [], HEADER_SIZE + room * SECTION_SIZE
    for header in headers:
        section, at = _section(path, level, header, at, unwritten)
        if unwritten and level and section.count and size >= at:
            section = replace(section, count=min(section.count, _in_buckets(stream, section)))
        sections.append(section)
    count = sum(section.count for section in sections)
    check_count(SplatInfo(path, f".ksplat level {level}", count, 0, False, "-y", "PLY convention"))
    if size < at:
        raise truncated(path, count, at, size)
    low, high = numbers[3] or -_HALF_RANGE, numbers[4] or _HALF_RANGE
    if not (math.isfinite(low) and math.isfinite(high)):
        raise damaged(path, "the range of its harmonics is no number")
    degree = max(section.sh_degree for section in sections if section.count)
    info = SplatInfo(
        path,
        f".ksplat level {level}",
        count,
        degree,
        False,
        "-y",
        "PLY convention",
        (),
        left_over(path, size - at),
    )
    return Ksplat(info, level, (low, high), tuple(sections))


def _section(
    path: Path, level: int, header: tuple[float, ...], at: int, unwritten: bool
) -> tuple[Section, int]:
    """The section whose data begin at byte ``at``, and where they end."""
    written, room, bucket_size, bucket_count = (int(value) for value in header[:4])
    block, bucket_bytes = header[4], int(header[5])
    zero, full, partial, degree = (
        int(header[7]) or _QUANTA[level],
        int(header[9]),
        int(header[10]),
        int(header[11]),
    )
    if degree not in SH_NUMBERS:
        text = f"{path.name} has spherical harmonics of degree {degree}; .ksplat has 0 to 3"
        raise fail("E310", text, file=path)
    count = room if unwritten else written
    if count > room:
        raise damaged(path, f"a section holds {count:,} Gaussians, more than the {room:,} it has room for")
    if level and count:
        if bucket_bytes < 12 or full + partial > bucket_count or not math.isfinite(block):
            raise damaged(path, "its buckets contradict each other")
        if not partial and full * bucket_size < count:
            raise damaged(path, f"its {full:,} buckets do not hold its {count:,} Gaussians")
    row_size = _BYTES_WITHOUT_SH[level] + SH_NUMBERS[degree] * SH_BYTES[level]
    rows = at + partial * 4 + bucket_bytes * bucket_count
    section = Section(
        count,
        degree,
        bucket_size,
        bucket_count,
        full,
        partial,
        bucket_bytes,
        block / 2 / zero,
        zero,
        at,
        rows,
        row_size,
    )
    return section, rows + row_size * room


def _in_buckets(stream: BinaryIO, section: Section) -> int:
    """How many rows the buckets of a section hold."""
    stream.seek(section.buckets)
    lengths: tuple[int, ...] = struct.unpack(
        f"<{section.partial_buckets}I", stream.read(4 * section.partial_buckets)
    )
    return section.full_buckets * section.bucket_size + sum(lengths)


def probe_ksplat(stream: BinaryIO, path: Path, size: int) -> SplatInfo:
    """The structure of a .ksplat file.

    Raises:
        AnixError: as ``walk_ksplat``.
    """
    return walk_ksplat(stream, path, size).info
