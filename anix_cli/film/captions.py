"""Captions as SubRip, which ffmpeg turns into a film's subtitle track.

SubRip has no specification and no escapes; players take <i>, {\\an8}, \\N and &amp; in it for markup. An
invisible word joiner (U+2060) after the sign that would begin it keeps the words as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

_JOINER = "\u2060"
_MARKUP = re.compile(r"[<{\\]|&(?=[#A-Za-z])|--(?=>)")


@dataclass(frozen=True)
class Caption:
    """A text over frames start … stop − 1 of the film."""

    text: str
    start: int
    stop: int


def subrip(captions: Sequence[Caption], fps: Fraction) -> str:
    """The captions as a SubRip file, times rounded to its milliseconds. Empty ones are left out."""
    blocks = [
        f"{number}\n{_time(caption.start / fps)} --> {_time(caption.stop / fps)}\n{shown(caption.text)}\n"
        for number, caption in enumerate(filter(lambda one: shown(one.text), captions), start=1)
    ]
    return "\n".join(blocks)


def shown(text: str) -> str:
    """A caption as it goes into the file: trimmed lines, none of them empty, nothing that is markup."""
    lines = [line.strip() for line in text.splitlines()]
    return "\n".join(_MARKUP.sub(rf"\g<0>{_JOINER}", line) for line in lines if line)


def _time(seconds: Fraction) -> str:
    rest, thousandths = divmod(int(seconds * 1000 + Fraction(1, 2)), 1000)
    minutes, second = divmod(rest, 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{second:02d},{thousandths:03d}"
