"""Is a file a whole sound? Judged by content from its structure, without decoding it or loading a library.

WAV (Microsoft's RIFF multimedia data standards; RF64: EBU Tech 3306), FLAC (RFC 9639), MP3 (ISO/IEC 11172-3
with ID3v2), AAC in ADTS or MPEG-4 (ISO/IEC 14496-3, -12) and Ogg (RFC 3533).
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ..core.errors import AnixError, fail
from .boxes import boxes, find_box, read_header, top_boxes

KNOWN = "WAV, FLAC, MP3, AAC (also as M4A) and Ogg"

_HEAD = 64 << 10
_MAX_CHUNKS = 10_000
_OPEN_ENDED = 0x7FFFF000
"""WAV written to a pipe: its writer could not come back to say how much there is."""
_OGG_SOUNDS = (b"\x01vorbis", b"OpusHead", b"\x7fFLAC", b"Speex   ")
_STRANGERS = (
    ((b"<!doctype html", b"<html"), "a web page: the download probably failed"),
    ((b"version https://git-lfs",), "a Git LFS pointer: run git lfs pull"),
)


@dataclass(frozen=True)
class SoundInfo:
    """What a sound file says of itself.

    Attributes:
        demuxer: ffmpeg's name of the format, so that the content can pass for nothing else.
        seconds: how long it says it is, None where its header does not say.
    """

    demuxer: str
    seconds: float | None


def probe_sound(path: Path) -> SoundInfo:
    """Format and length of a sound file.

    Raises:
        AnixError: E381, it is no sound, or damaged, or cut off; E382, there is no sound in it.
    """
    try:
        if not path.is_file():  # a look into a pipe could wait for ever
            raise _RefusedError("is not a file" if path.exists() else "does not exist")
        size = path.stat().st_size
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
            if not head:
                raise _RefusedError("is empty (0 bytes)")
            return _probe(head, stream, size)
    except OSError as error:
        raise unusable(path, f"cannot be read: {(error.strerror or str(error)).lower()}") from error
    except _SilentError as silence:
        raise silent(path, str(silence)) from silence
    except _RefusedError as refusal:
        raise unusable(path, str(refusal)) from refusal
    except (struct.error, KeyError, IndexError, ValueError) as error:
        raise unusable(path, "is damaged: its header makes no sense") from error


def unusable(path: Path, why: str) -> AnixError:
    """E381. ``why`` goes on after the file's name: "is cut off"."""
    return fail(
        "E381",
        f"The sound file {path.name} {why}.",
        file=path,
        hint=f"Export or copy it again; sounds are {KNOWN} files.",
    )


def silent(path: Path, why: str = "holds no sound") -> AnixError:
    """E382."""
    return fail(
        "E382", f"The file {path.name} {why}.", file=path, hint="Name a file with sound, or remove audio:."
    )


class _RefusedError(Exception):
    pass


class _SilentError(Exception):
    pass


def _probe(head: bytes, stream: BinaryIO, size: int) -> SoundInfo:
    skipped = 0
    if head[:3] == b"ID3" and len(head) >= 10:  # tags before MP3, AAC and (against the rules) FLAC
        skipped = 10 + _synchsafe(head[6:10]) + (10 if head[5] & 0x10 else 0)
        if skipped >= size:
            raise _RefusedError("is cut off: it ends within its tags")
        stream.seek(skipped)
        head = stream.read(_HEAD)
    if head[:4] in (b"RIFF", b"RF64") and head[8:12] == b"WAVE":
        return SoundInfo("wav", _wav(stream, size))
    if head[:4] == b"fLaC":
        return SoundInfo("flac", _flac(head, size))
    if head[:4] == b"OggS":
        if not any(name in head for name in _OGG_SOUNDS):
            raise _SilentError("holds no sound")
        return SoundInfo("ogg", None)
    if head[4:8] in (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip"):
        return SoundInfo("mov", _mpeg4(stream, size))
    for demuxer, length_of in (("aac", _adts_bytes), ("mp3", _mpeg_bytes)):
        if _has_frames(head, length_of, whole=skipped + len(head) >= size):
            return SoundInfo(demuxer, None)
    start = head[:512].lstrip().lower()
    for signs, words in _STRANGERS:
        if start.startswith(signs):
            raise _RefusedError(f"is {words}")
    raise _RefusedError(f"is not a sound that anix can read ({KNOWN})")


def _synchsafe(four: bytes) -> int:
    return sum((byte & 0x7F) << shift for byte, shift in zip(four, (21, 14, 7, 0), strict=True))


def _wav(stream: BinaryIO, size: int) -> float | None:
    """Walks the chunks up to the samples."""
    at, rate, long_size = 12, 0, None
    for _ in range(_MAX_CHUNKS):
        if at + 8 > size:
            break
        stream.seek(at)
        kind, length = struct.unpack("<4sI", stream.read(8))
        if kind == b"ds64":
            long_size = struct.unpack_from("<8xQ", stream.read(16))[0]
        elif kind == b"fmt ":
            channels, sample_rate, block = struct.unpack_from("<2xHI4xH", stream.read(16))
            if not (channels and sample_rate and block):
                raise _RefusedError("is damaged: its format makes no sense")
            rate = sample_rate * block
        elif kind == b"data":
            if not rate:
                raise _RefusedError("is damaged: its format is missing")
            return _wav_seconds(length if long_size is None else long_size, size - at - 8, rate)
        at += 8 + length + length % 2
    raise _RefusedError("is cut off: its samples are missing")


def _wav_seconds(told: int, there: int, rate: int) -> float:
    if told >= _OPEN_ENDED and told > there:
        told = there
    if told == 0:
        raise _SilentError("holds no sound: it has no samples")
    if told > there:
        share = f"{there / rate:.2f} of {told / rate:.2f} seconds are there"
        raise _RefusedError(f"is cut off: {share}")
    return told / rate


def _flac(head: bytes, size: int) -> float | None:
    """STREAMINFO (RFC 9639, 8.2): 20 bits of rate, 3 of channels, 5 of depth, 36 of samples."""
    if head[4] & 0x7F != 0 or len(head) < 42:
        raise _RefusedError("is damaged: the FLAC header is missing")
    packed = int.from_bytes(head[18:26], "big")
    rate, samples = packed >> 44, packed & ((1 << 36) - 1)
    if rate == 0:
        raise _RefusedError("is damaged: its format makes no sense")
    at, last = 4, False
    while not last:  # a header that is longer than what was read can't be followed, nor need it be
        if at + 4 > len(head):
            return samples / rate if samples else None
        last, at = bool(head[at] & 0x80), at + 4 + int.from_bytes(head[at + 1 : at + 4], "big")
        if at >= size:
            raise _RefusedError("is cut off: it ends within its header")
    return samples / rate if samples else None


def _mpeg4(stream: BinaryIO, size: int) -> float | None:
    moov = read_header(stream)
    if not moov:
        raise _RefusedError("is cut off: it has no table of contents")
    for kind, body in boxes(moov):
        if kind == b"trak" and find_box(body, b"mdia", b"hdlr")[8:12] == b"soun":
            header = find_box(body, b"mdia", b"mdhd")
            form = ">IQ" if header[0] == 1 else ">II"
            ticks, length = struct.unpack_from(form, header, 20 if header[0] == 1 else 12)
            if any(end > size for _, _, end in top_boxes(stream)):
                raise _RefusedError("is cut off")
            return length / ticks if length and ticks else None
    raise _SilentError("holds no sound: it has pictures only")


def _has_frames(head: bytes, length_of: Callable[[bytes], int | None], *, whole: bool) -> bool:
    """Whether two frames follow one another somewhere near the start (or one fills a short file)."""
    for at in range(min(len(head), 8192)):
        if head[at] != 0xFF:
            continue
        length = length_of(head[at : at + 8])
        if length is None:
            continue
        after = at + length
        if after + 8 <= len(head):
            if length_of(head[after : after + 8]) is not None:
                return True
        elif whole and at == 0 and after <= len(head):
            return True
    return False


def _adts_bytes(header: bytes) -> int | None:
    """Length of an AAC frame (ISO/IEC 14496-3, 1.A.2.2), None if this is none."""
    if len(header) < 7 or header[0] != 0xFF or header[1] & 0xF6 != 0xF0 or (header[2] >> 2) & 15 > 12:
        return None
    length = (header[3] & 3) << 11 | header[4] << 3 | header[5] >> 5
    return length if length >= 7 else None


_KBITS = {
    3: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    2: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
"""Bit rates of layer III by version: 3 is MPEG-1, 2 stands for MPEG-2 and 2.5."""
_HERTZ = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}


def _mpeg_bytes(header: bytes) -> int | None:
    """Length of an MP3 frame (ISO/IEC 11172-3, 2.4.1.3), None if this is none."""
    if len(header) < 4 or header[0] != 0xFF or header[1] & 0xE6 != 0xE2:
        return None
    version, rate, hertz = (header[1] >> 3) & 3, header[2] >> 4, (header[2] >> 2) & 3
    if version == 1 or rate in (0, 15) or hertz == 3:
        return None
    kbits = _KBITS[3 if version == 3 else 2][rate]
    slots = 144 if version == 3 else 72
    return slots * kbits * 1000 // _HERTZ[version][hertz] + (header[2] >> 1 & 1)
