"""Numbers in a command: which digits are one, what they are worth, how an unclear one is to be written."""

from __future__ import annotations

import re

LONGEST = 12
"""Characters of the longest number that is read."""
_PLAIN = re.compile(r"(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_COMMA = re.compile(r"(\d+),(\d+)")
_RATIO = re.compile(r"(\d{1,4})/([1-9]\d{0,3})")
_FRACTION = re.compile(r"([1-7])/([23458])")
_SIGNS = "+-−–±"

PATTERN = rf"(?<=\w-)\d+|(?:(?<!\w)[{_SIGNS}])?(?:(?<!\w)\.)?\d(?:[.,/]?\d|[eE][+-]?\d|[xX]\d|[-–]\d)*"
"""All that stands together as a number, rightly or wrongly. What follows a
hyphen, as in the name gate-2, is no sign and no range."""


def is_number(text: str) -> bool:
    """Whether a token stands for a number, rightly or wrongly written."""
    return text.lstrip(_SIGNS + ".")[:1].isdecimal()


def number(text: str) -> float | None:
    """What a number is worth: 3, 2.5, .5, 1/2 or 1,000. None where that can be misread."""
    if (part := _FRACTION.fullmatch(text)) is not None:
        return int(part[1]) / int(part[2]) if int(part[1]) < int(part[2]) else None
    if len(text) > LONGEST or not (_PLAIN.fullmatch(text) or _GROUPED.fullmatch(text)):
        return None
    return float(text.replace(",", ""))


def how_to_write(text: str) -> str:
    """What to do about a number that is not read."""
    comma, ratio = _COMMA.fullmatch(text), _RATIO.fullmatch(text)
    ways = {
        "Write a smaller number.": len(text) > LONGEST,
        "Write no sign, and the direction in words: backward, left, down.": text[0] in _SIGNS,
        f"Write {comma[1]}.{comma[2]}, with a point." if comma else "": comma,
        f"Write {int(ratio[1]) / int(ratio[2]):.3g}." if ratio else "": ratio,
        "Write one number, not a range.": "-" in text or "–" in text,
        "Write all its digits.": "e" in text,
    }
    return next((way for way, fits in ways.items() if fits), "Write it like 3, 2.5 or 1,000.")
