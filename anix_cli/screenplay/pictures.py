"""Is a file a whole picture? Judged by content from its structure, without decoding it.

PNG (https://www.w3.org/TR/png-3/), JPEG (ITU-T T.81) and WebP (RFC 9649) are walked here, which needs no
import; any other format is opened by Pillow, which reads its header.
"""

from __future__ import annotations

import zlib
from pathlib import Path

from ..core.limits import MAX_PICTURE_PX

MOST_BYTES = 256 << 20

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}

Problem = tuple[str, str]


def problem_of(path: Path) -> Problem | None:
    """None for a sound picture, else a code and the rest of a sentence ("is empty (0 bytes)")."""
    try:
        width, height = _size(_read(path), path)
    except _RefusedError as refusal:
        return refusal.code, str(refusal)
    if width * height > MAX_PICTURE_PX:
        return (
            "E133",
            f"is {width}x{height} pixels; at most {MAX_PICTURE_PX // 1_000_000} megapixels are read",
        )
    return ("E132", "has no pixels") if min(width, height) < 1 else None


def _read(path: Path) -> bytes:
    try:
        length = path.stat().st_size
        if length == 0:
            raise _RefusedError("is empty (0 bytes)")
        if length > MOST_BYTES:
            raise _RefusedError(f"is {length >> 20} MiB; at most {MOST_BYTES >> 20} MiB are read", "E133")
        return path.read_bytes()
    except OSError as error:
        raise _RefusedError(f"cannot be read: {error.strerror or error}") from None


class _RefusedError(ValueError):
    def __init__(self, message: str, code: str = "E132") -> None:
        super().__init__(message)
        self.code = code


def _size(data: bytes, path: Path) -> tuple[int, int]:
    if data.startswith(_PNG):
        return _png(data)
    if data.startswith(b"\xff\xd8\xff"):
        return _jpeg(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        if len(data) < int.from_bytes(data[4:8], "little") + 8:
            raise _RefusedError("is cut off: the WebP data ends too early")
        return _pillow(path)
    start = data[:512].lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        raise _RefusedError("is a web page, not a picture: the download probably failed")
    if start.startswith(b"version https://git-lfs"):
        raise _RefusedError("is a Git LFS pointer, not a picture: run git lfs pull")
    return _pillow(path)


def _png(data: bytes) -> tuple[int, int]:
    at, size, pixels = len(_PNG), None, False
    while at + 12 <= len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        kind = data[at + 4 : at + 8]
        end = at + 12 + length
        if end > len(data):
            break
        if zlib.crc32(memoryview(data)[at + 4 : end - 4]) != int.from_bytes(data[end - 4 : end], "big"):
            raise _RefusedError("is damaged: a PNG checksum does not fit")
        if size is None:
            if kind != b"IHDR" or length < 13:
                raise _RefusedError("is damaged: the PNG header is missing")
            size = (
                int.from_bytes(data[at + 8 : at + 12], "big"),
                int.from_bytes(data[at + 12 : at + 16], "big"),
            )
        pixels = pixels or kind == b"IDAT"
        if kind == b"IEND":
            if not pixels:
                raise _RefusedError("is damaged: the PNG holds no pixels")
            return size
        at = end
    raise _RefusedError("is cut off: the PNG data ends too early")


def _jpeg(data: bytes) -> tuple[int, int]:
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        length = int.from_bytes(data[at + 2 : at + 4], "big")
        if marker in _JPEG_SIZES and at + 9 <= len(data):
            if b"\xff\xd9" not in data[at:]:
                raise _RefusedError("is cut off: the JPEG data ends too early")
            return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        at += 2 + length
    raise _RefusedError("is damaged: the JPEG header does not give a size")


def _pillow(path: Path) -> tuple[int, int]:
    from PIL import Image, UnidentifiedImageError  # 60 ms that common formats need not pay

    try:
        with Image.open(path) as picture:
            return picture.size
    except UnidentifiedImageError:
        raise _RefusedError("is not a picture that can be read") from None
    except Image.DecompressionBombError:
        return MAX_PICTURE_PX, 2
    except (OSError, ValueError, SyntaxError, EOFError) as error:
        raise _RefusedError(f"is damaged: {error}") from None
