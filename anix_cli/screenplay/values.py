"""Written values that are more than a word or a number: picture sizes, frame rates, durations."""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ..core.time import Duration

LONGEST_NUMBER = 40
LONGEST_SHOT_S = 3600

_PADDED = re.compile(r"[-+]?0[0-9]+(\..*)?")
_EXPONENT = re.compile(r"[eE][-+]?([0-9]+)$")
_SIZE = re.compile(r"\s*([0-9]{1,6})\s*(?:[xX×*]|by)\s*([0-9]{1,6})\s*")
_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(s|ms)|([0-9]{1,6})f")
_LOOSE_DURATION = re.compile(
    r"([0-9]+(?:_[0-9]+)*(?:[.,][0-9]+)?)\s*(s|secs?|seconds?|ms|milliseconds?|m|mins?|minutes?|f|frames?)?"
)
_CLOCK = re.compile(r"(?:([0-9]{1,2}):)?([0-9]{1,2}):([0-9]{2}(?:\.[0-9]+)?)")
COLOURS = {"black": (0, 0, 0), "white": (255, 255, 255), "grey": (128, 128, 128), "skyblue": (135, 206, 235)}
_BROADCAST = {
    Fraction("23.976"): Fraction(24000, 1001),
    Fraction("23.98"): Fraction(24000, 1001),
    Fraction("29.97"): Fraction(30000, 1001),
    Fraction("47.952"): Fraction(48000, 1001),
    Fraction("59.94"): Fraction(60000, 1001),
    Fraction("119.88"): Fraction(120000, 1001),
}


@dataclass(frozen=True)
class WrittenPath:
    """A path as it is written in a file of that folder."""

    text: str
    folder: Path

    @property
    def path(self) -> Path:
        """Where it leads. A screenplay is UTF-8, and so are names of files in it, whatever the locale."""
        try:
            os.fsencode(self.text)
        except UnicodeEncodeError:  # an ASCII locale: the system's names are bytes to Python
            return self.folder / os.fsdecode(self.text.encode("utf-8", "surrogatepass"))
        return self.folder / self.text


class NotAValueError(ValueError):
    """The text does not fit; ``expected`` and ``nearest`` say what would."""

    def __init__(
        self, message: str, *, code: str = "E104", expected: str | None = None, nearest: str | None = None,
        hint: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(message)
        self.code = code
        self.expected = expected
        self.nearest = nearest
        self.hint = hint


def number(text: str) -> Fraction:
    """A written YAML number, exactly.

    Raises:
        NotAValueError: E117 for padded, infinite, not-a-number and absurdly long or large ones.
    """
    lowered = text.lower()
    if lowered.lstrip("+-") in (".inf", ".nan"):
        raise NotAValueError(
            f"{text} is not a number that can be used", code="E117", hint="write a finite number"
        )
    if _PADDED.fullmatch(text):
        plain = text.lstrip("+-0") or "0"
        plain = f"0{plain}" if plain.startswith(".") else plain
        sign = "-" if text.startswith("-") else ""
        raise NotAValueError(
            f"{text} begins with a zero, which some programs read as another number",
            code="E117",
            hint=f"write {sign}{plain}",
        )
    exponent = _EXPONENT.search(text) if not lowered.startswith("0x") else None
    if len(text) > LONGEST_NUMBER or (exponent and (len(exponent[1]) > 2 or int(exponent[1]) > 30)):
        raise NotAValueError(
            "this number is far too large or too long", code="E117", hint="write a smaller one"
        )
    if lowered.startswith(("0x", "0o")):
        return Fraction(int(text, 0))
    return Fraction(text)


def size(text: str) -> tuple[int, int]:
    """``832x480`` → (832, 480), both even, 64 to 4096. Raises NotAValueError with the nearest good size."""
    expected = "two even numbers from 64 to 4096, written as WIDTHxHEIGHT"
    found = _SIZE.fullmatch(text)
    if not found:
        raise NotAValueError(
            f'"{text}" is not a picture size', expected=expected, hint="write it like 832x480"
        )
    width, height = int(found[1]), int(found[2])
    good = (_even(width), _even(height))
    written = f"{good[0]}x{good[1]}"
    if good != (width, height):
        reason = (
            "both numbers must be even" if width % 2 or height % 2 else "both must lie between 64 and 4096"
        )
        raise NotAValueError(f"size {text}: {reason}", expected=expected, nearest=written)
    if text != written:
        raise NotAValueError(
            f'the size "{text}" is not written as WIDTHxHEIGHT', expected=expected, nearest=written
        )
    return good


def _even(value: int) -> int:
    return min(max(value + value % 2, 64), 4096)


def rate(text: str) -> Fraction:
    """``24000/1001`` → Fraction. Raises NotAValueError outside 1 … 240."""
    expected = "a number from 1 to 240, or a fraction such as 24000/1001"
    found = re.fullmatch(r"([1-9][0-9]{0,6})/([1-9][0-9]{0,6})", text)
    if not found:
        hint = None
        if re.fullmatch(r"[0-9]+(_[0-9]+)+", text):
            hint = f"write {text.replace('_', '')}"
        elif plain := re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*(?:fps|hz|p)", text, re.IGNORECASE):
            hint = f"write {plain[1]}"
        raise NotAValueError(f'"{text}" is not a frame rate', expected=expected, hint=hint)
    value = Fraction(int(found[1]), int(found[2]))
    if not 1 <= value <= 240:
        raise NotAValueError(f"{text} frames per second is out of range", expected=expected)
    return value


def broadcast(value: Fraction) -> Fraction:
    """The exact rate that a rounded broadcast rate means (23.976 → 24000/1001); others as they are."""
    return _BROADCAST.get(value, value)


def duration(text: str) -> Duration:
    """``4s``, ``250ms``, ``64f`` as a duration. Raises NotAValueError."""
    expected = "seconds, such as 4 or 2.5, or with a unit: 4s, 250ms, 64f"
    found = _DURATION.fullmatch(text)
    if not found:
        raise NotAValueError(f'"{text}" is not a duration', expected=expected, hint=_meant(text))
    if found[3]:
        length = Duration(Fraction(found[3]), "frames")
    else:
        length = Duration(Fraction(found[1]) / (1000 if found[2] == "ms" else 1))
    if length.amount <= 0:
        raise NotAValueError(f"{text} is no time at all", expected=f"more than 0 {length.unit}")
    if length.unit == "s" and length.amount > LONGEST_SHOT_S:
        raise NotAValueError(f"{text} is longer than an hour", expected="at most 3600 seconds")
    return length


def colour(text: str) -> tuple[int, int, int]:
    """``skyblue``, ``#87ceeb`` → sRGB, 0 … 255. Raises NotAValueError."""
    if text in COLOURS:
        return COLOURS[text]
    if not re.fullmatch("#[0-9a-fA-F]{6}", text):
        hint = None
        if found := re.fullmatch(r"#?([0-9a-fA-F]{6})", text):
            hint = f'write "#{found[1]}"'
        elif found := re.fullmatch(r"#([0-9a-fA-F])([0-9a-fA-F])([0-9a-fA-F])", text):
            hint = f'write "#{"".join(2 * sign for sign in found.groups())}"'
        elif text.lower() in COLOURS | {"gray": 0}:
            hint = f"write {text.lower().replace('gray', 'grey')}"
        expected = f'{", ".join(COLOURS)} or "#rrggbb" in quotes'
        raise NotAValueError(f'"{text}" is not a colour', expected=expected, hint=hint)
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def _meant(text: str) -> str | None:
    """What a length of time was meant to be: ``4 sec``, ``2min``, ``0:04``, ``1_000f``, ``４``."""
    text = _in_plain_digits(text.strip())
    if clock := _CLOCK.fullmatch(text):
        hours, minutes, seconds = (Fraction(part or 0) for part in clock.groups())
        return _said(hours * 3600 + minutes * 60 + seconds, "s")
    found = _LOOSE_DURATION.fullmatch(text)
    if not found or len(text) > LONGEST_NUMBER:
        return None
    amount, unit = Fraction(found[1].replace(",", ".").replace("_", "")), found[2] or "s"
    if unit.startswith("f"):
        whole = amount.denominator == 1
        return (
            _said(amount, "f")
            if whole and amount < 10**6
            else "write a whole number of frames, below 1000000f"
        )
    if unit.startswith("milli") or unit == "ms":
        return _said(amount, "ms")
    return _said(amount * 60 if unit.startswith("m") else amount, "s")


def _in_plain_digits(text: str) -> str:
    """Digits of any script, and letters in full width, as they are on every keyboard."""
    plain = unicodedata.normalize("NFKC", text)
    return "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in plain)


def _said(amount: Fraction, unit: str) -> str:
    return f"write {float(amount):.9g}{unit}"


def as_duration(value: object) -> Duration | None:
    """A duration as it was read, a number of seconds or a text with a unit; None for anything else."""
    if isinstance(value, Duration):
        return value
    return Duration(value) if isinstance(value, Fraction) else None


def text_value(kind: str, text: str) -> object:
    """A text of a schema ``format``, parsed. Raises NotAValueError."""
    if kind == "size":
        return size(text)
    if kind == "rate":
        return rate(text)
    if kind == "duration":
        return duration(text)
    if kind == "colour":
        return colour(text)
    return text
