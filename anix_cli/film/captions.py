"""Captions as SubRip, which ffmpeg turns into a film's subtitle track, and as WebVTT for web pages.

SubRip has no specification and no escapes; players take <i>, {\\an8}, \\N and &amp; in it for markup. An
invisible word joiner (U+2060) after the sign that would begin it keeps the words as they are. WebVTT (W3C)
has escapes.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

_JOINER = "\u2060"
_MARKUP = re.compile(r"[<{\\]|&(?=[#A-Za-z])|--(?=>)")


@dataclass(frozen=True)
class Caption:
    """A text from frame ``start`` of the film up to frame ``stop``; between frames where a file says so."""

    text: str
    start: int | Fraction
    stop: int | Fraction


def in_turn(captions: Sequence[Caption]) -> list[Caption]:
    """The captions in order of time, none overlapping: several at once are one of more lines.

    Some kinds of subtitle track hold one text at a time. Empty captions are left out.
    """
    there = [one for one in captions if _lines(one.text) and one.stop > one.start]
    edges = sorted({edge for one in there for edge in (one.start, one.stop)})
    coming = sorted(there, key=lambda one: one.start, reverse=True)
    found: list[Caption] = []
    now: list[Caption] = []
    for start, stop in pairwise(edges):
        now = [one for one in now if one.stop > start]
        while coming and coming[-1].start <= start:
            now.append(coming.pop())
        if now:
            found.append(Caption("\n".join("\n".join(_lines(one.text)) for one in now), start, stop))
    return found


def subrip(captions: Sequence[Caption], fps: Fraction) -> str:
    """The captions as a SubRip file, times rounded to its milliseconds."""
    blocks = [
        f"{number}\n{_time(one.start / fps, ',')} --> {_time(one.stop / fps, ',')}\n{shown(one.text)}\n"
        for number, one in enumerate(in_turn(captions), start=1)
    ]
    return "\n".join(blocks)


def webvtt(captions: Sequence[Caption], fps: Fraction) -> str:
    """The captions as a WebVTT file, times rounded to its milliseconds."""
    blocks = [
        f"{_time(one.start / fps, '.')} --> {_time(one.stop / fps, '.')}\n"
        f"{html.escape(one.text, quote=False)}\n"
        for one in in_turn(captions)
    ]
    return "\n".join(["WEBVTT\n", *blocks])


def shown(text: str) -> str:
    """A caption as it goes into SubRip: trimmed lines, none of them empty, nothing that is markup."""
    return "\n".join(_MARKUP.sub(rf"\g<0>{_JOINER}", line) for line in _lines(text))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _time(seconds: Fraction, point: str) -> str:
    rest, thousandths = divmod(int(seconds * 1000 + Fraction(1, 2)), 1000)
    minutes, second = divmod(rest, 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}{point}{thousandths:03d}"
