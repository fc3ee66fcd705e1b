"""Reads SubRip and WebVTT files: texts and their times, as plain words.

WebVTT: https://www.w3.org/TR/webvtt1/. SubRip has no specification; both have blocks of lines, each with a
line of two times, so that one reader does for both. Positions, styles and regions are left out.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ..core.errors import AnixError, fail
from .captions import Caption

_CLOCK = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_TIMES = re.compile(rf"\s*{_CLOCK}\s*-->\s*{_CLOCK}(?:\s.*)?")
_TAGS = re.compile(r"</?[A-Za-z0-9.:][^<>]*>|\{\\[^{}]*\}")
_APART = re.compile(r"\n[ \t]*\n")
_MOST_BYTES = 16 << 20
_ASIDE = ("WEBVTT", "NOTE", "STYLE", "REGION", "X-TIMESTAMP-MAP")


@dataclass(frozen=True)
class Subtitle:
    """A text and when it is shown, in seconds."""

    text: str
    start_s: Fraction
    stop_s: Fraction


def read_subtitles(path: Path) -> list[Subtitle]:
    """All texts of a file, in its order.

    Raises:
        AnixError: E383, it can't be read, or holds something else; with the first line that is at fault.
    """
    text = _text(path)
    found: list[Subtitle] = []
    at = 1
    for block in _APART.split(text):
        lines = block.split("\n")
        row = next((number for number, line in enumerate(lines) if "-->" in line), None)
        if row is not None:
            found.append(_subtitle(path, lines[row:], at + row))
        elif block.strip() and not block.lstrip().startswith(_ASIDE) and not _only_number(block):
            first = next(number for number, line in enumerate(lines) if line.strip())
            raise _wrong(path, at + first, "has no line with times, such as 00:00:01,000 --> 00:00:02,500")
        at += len(lines) + 1
    if not found:
        raise _wrong(path, 1, "holds no subtitles")
    return found


def as_captions(subtitles: list[Subtitle], fps: Fraction, frames: int) -> list[Caption]:
    """Subtitles by the frames of a film, as far as it goes."""
    made = (
        Caption(one.text, one.start_s * fps, min(one.stop_s * fps, Fraction(frames))) for one in subtitles
    )
    return [caption for caption in made if caption.start < frames]


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            raise _unusable(path, "is not a file" if path.exists() else "does not exist")
        if path.stat().st_size > _MOST_BYTES:
            raise _unusable(path, f"is larger than {_MOST_BYTES >> 20} MB, which no subtitles are")
        data = path.read_bytes()
    except OSError as error:
        raise _unusable(path, f"cannot be read: {(error.strerror or str(error)).lower()}") from error
    try:
        encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise _wrong(path, line, "is not UTF-8: save the file as UTF-8") from error
    if "\0" in text:
        raise _unusable(path, "is not text")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _subtitle(path: Path, lines: list[str], line: int) -> Subtitle:
    times = _TIMES.fullmatch(lines[0])
    if times is None:
        raise _wrong(path, line, f"has no times that can be read: {lines[0].strip()[:60]!r}")
    start, stop = _seconds(times.groups()[:4]), _seconds(times.groups()[4:])
    if stop < start:
        raise _wrong(path, line, "ends before it begins")
    words = html.unescape(_TAGS.sub("", "\n".join(lines[1:]).replace("\\N", "\n")))
    return Subtitle(words.strip(), start, stop)


def _seconds(parts: tuple[str | None, ...]) -> Fraction:
    hours, minutes, seconds, rest = parts
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return whole + Fraction(int((rest or "0").ljust(3, "0")), 1000)


def _only_number(block: str) -> bool:
    return block.strip().isdigit()


def _wrong(path: Path, line: int, why: str) -> AnixError:
    return _unusable(path, f", line {line}, {why}")


def _unusable(path: Path, why: str) -> AnixError:
    return fail(
        "E383",
        f"The subtitles {path.name}{'' if why.startswith(',') else ' '}{why}.",
        file=path,
        hint="Subtitles are SubRip (.srt) or WebVTT (.vtt) files.",
    )
