"""Text that is safe and readable on the stream that it goes to: what it can encode, columns, colour."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from typing import IO

LONGEST_TEXT = 2000
_TAB = "    "
# Marks that show nothing and can disguise text, of the general category Cf. The rest of that category joins
# letters (Persian, Indic scripts, emoji) or is visible, and stays.
_HIDDEN = frozenset(
    "\u061c\u180e\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064"
    "\u2066\u2067\u2068\u2069\ufeff\ufff9\ufffa\ufffb"
)
_JOINERS = frozenset("\u200c\u200d")
_HANGUL_INNER = range(0x1160, 0x1200)  # vowels and finals of decomposed syllables, as macOS writes file names
# What messages say with typographic signs, for a stream that has none.
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("‘’‚", "'"),
        **dict.fromkeys("–—−", "-"),
        **{"…": "...", "×": "x", "→": "->", "·": ".", "\u00a0": " ", "°": " degrees", "±": "+-"},
        **{"≤": "<=", "≥": ">="},
    }
)


def wants_colour(stream: IO[str]) -> bool:
    """Whether to colour: on a terminal only, so that no log ever holds escapes.

    NO_COLOR (no-color.org) wins over all; FORCE_COLOR, other than 0, over TERM=dumb.
    """
    if os.environ.get("NO_COLOR") or not stream.isatty():
        return False
    return os.environ.get("TERM") != "dumb" or os.environ.get("FORCE_COLOR", "0") not in ("", "0")


def is_live(stream: IO[str]) -> bool:
    """Whether what was written can be drawn over: on a terminal that a person may look at."""
    return stream.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI")


def escaped(text: str, encoding: str = "utf-8") -> str:
    """A text as a terminal may show it, on one line.

    Control, hidden and undecodable characters, and what ``encoding`` lacks, become escapes; of a very long
    text the middle is left out.
    """
    return "".join(_shown(char, encoding) for char in shortened(text))


def shortened(text: str) -> str:
    """A text without the middle where it is longer than anybody reads: a value may be megabytes long."""
    half = LONGEST_TEXT // 2
    return text if len(text) <= LONGEST_TEXT else f"{text[:half]} ... {text[-half:]}"


def cells(text: str, encoding: str = "utf-8") -> Iterator[str]:
    """A text as pieces that are shown as one: a character with the marks that stand on it, or an escape.

    A tab becomes spaces, always as many, so that what stands below it can be told its column.
    """
    piece = ""
    for char in text:
        shown = _TAB if char == "\t" else _shown(char, encoding)
        if piece and columns(shown) == 0:
            piece += shown
            continue
        if piece:
            yield piece
        piece = shown
    if piece:
        yield piece


def columns(text: str) -> int:
    """Columns of a terminal that a text takes: wide characters two; marks on a letter and joiners none."""
    return sum(map(_width, text))


def _width(char: str) -> int:
    if char.isascii():
        return 1
    if char in _JOINERS or ord(char) in _HANGUL_INNER or unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _shown(char: str, encoding: str) -> str:
    if char.isascii() and char.isprintable():
        return char
    if char in "\t\n\r":
        return {"\t": "\\t", "\n": "\\n", "\r": "\\r"}[char]
    value = ord(char)
    if 0xDC80 <= value <= 0xDCFF:  # a byte of a file name that is not UTF-8 (PEP 383)
        return f"\\x{value - 0xDC00:02x}"
    hidden = char in _HIDDEN or 0xE0000 <= value < 0xE0080
    if hidden or unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp"):
        return _escape(value)
    return char if _encodes(char, encoding) else _plain(char, encoding)


def _plain(char: str, encoding: str) -> str:
    plain = char.translate(_PLAIN)
    return plain if plain != char and _encodes(plain, encoding) else _escape(ord(char))


def _encodes(char: str, encoding: str) -> bool:
    try:
        char.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _escape(value: int) -> str:
    if value < 0x100:
        return f"\\x{value:02x}"
    return f"\\u{value:04x}" if value < 0x10000 else f"\\U{value:08x}"
