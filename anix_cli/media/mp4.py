"""What decides whether two H.264 files can be joined without a new encode, read from their headers.

A few boxes of ISO/IEC 14496-12: the sample description with its decoder configuration, the time scale and
the sample table. Reading them takes far less than starting a program for each of a thousand clips.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from .boxes import boxes, find_box, read_header
from .inspect import unreadable

_VISUAL_ENTRY = 78
"""Bytes of a visual sample entry before the boxes in it."""


@dataclass(frozen=True)
class Track:
    """The video track of an mp4 file.

    Attributes:
        description: codec, size, decoder configuration and colour tags, as bytes to compare.
        size_px: width and height of the coded picture.
        timescale: ticks per second.
        durations: (number of samples, ticks of each) in order.
        frames: number of samples.
        reordered: whether samples are shown in another order than they are stored.
        complete: whether the file is long enough to hold all samples.
    """

    description: bytes
    size_px: tuple[int, int]
    timescale: int
    durations: tuple[tuple[int, int], ...]
    frames: int
    reordered: bool
    complete: bool


def read_track(path: Path) -> Track:
    """The first video track of an mp4 file. Raises E541 if there is none or the file is cut off."""
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            moov = read_header(stream)
    except OSError as error:
        raise unreadable(path, (error.strerror or str(error)).lower()) from error
    try:
        for kind, body in boxes(moov):
            if kind == b"trak" and find_box(body, b"mdia", b"hdlr")[8:12] == b"vide":
                return _track(find_box(body, b"mdia"), size)
    except (KeyError, struct.error, IndexError, StopIteration) as error:
        raise unreadable(path, "its header is cut off or damaged") from error
    raise unreadable(path, "it holds no video")


def _track(media: bytes, size: int) -> Track:
    header = find_box(media, b"mdhd")
    timescale = struct.unpack_from(">I", header, 20 if header[0] == 1 else 12)[0]
    table = find_box(media, b"minf", b"stbl")
    parts = dict(boxes(table))
    count = struct.unpack_from(">I", parts[b"stts"], 4)[0]
    durations = tuple(struct.unpack_from(">II", parts[b"stts"], 8 + 8 * i) for i in range(count))
    uniform, frames = struct.unpack_from(">II", parts[b"stsz"], 4)
    sizes = (uniform,) * frames if uniform else struct.unpack_from(f">{frames}I", parts[b"stsz"], 12)
    description = _codec(parts[b"stsd"])
    width, height = struct.unpack_from(">HH", description, 4 + 24)
    return Track(
        description=description,
        size_px=(width, height),
        timescale=timescale,
        durations=tuple((int(number), int(ticks)) for number, ticks in durations),
        frames=frames,
        reordered=b"ctts" in parts,
        complete=frames > 0 and sum(sizes) + len(media) < size,
    )


def _codec(description: bytes) -> bytes:
    """A sample description without its bit rates, which differ from clip to clip and do not matter."""
    entry = next(boxes(description[8:]))[1]
    kept = [kind + body for kind, body in boxes(entry[_VISUAL_ENTRY:]) if kind != b"btrt"]
    return description[12:16] + entry[:_VISUAL_ENTRY] + b"".join(kept)
