"""Diagnostics as text with caret lines, and as data."""

from __future__ import annotations

import unicodedata
from contextlib import suppress
from pathlib import Path
from typing import Any

from anix_cli.core.errors import Diagnostic

_WIDEST = 120
_LONGEST_SOURCE = 2000
_RED, _YELLOW, _BOLD, _DIM, _OFF = "\x1b[31m", "\x1b[33m", "\x1b[1m", "\x1b[2m", "\x1b[0m"
# Directional marks and overrides, and the byte-order mark: invisible, and able to disguise text.
_HIDDEN = frozenset("\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


def as_text(diagnostic: Diagnostic, *, colour: bool = False) -> str:
    """A diagnostic for a person, without a line break at its end.

    ::

        film.yaml:12:15: E104 size 833x480: both numbers must be even
          12 | film: {size: 833x480}
             |              ^^^^^^^
             = expected two even numbers from 64 to 4096, written as WIDTHxHEIGHT
             = did you mean 834x480?
    """
    place = _place(diagnostic)
    code = diagnostic.code
    if colour:
        tint = _RED if diagnostic.severity == "error" else _YELLOW
        place, code = (f"{_BOLD}{place}{_OFF}" if place else ""), f"{_BOLD}{tint}{code}{_OFF}"
    lines = [f"{place}{code} {escaped(diagnostic.message)}"]
    gutter = "   "
    if diagnostic.span is not None and diagnostic.source is not None:
        number = str(diagnostic.span.line)
        gutter = " " * (len(number) + 3)
        shown, carets = _underlined(diagnostic.source, diagnostic.span.column, diagnostic.span.length)
        if colour:
            carets = carets.replace("^", f"{tint}^", 1) + _OFF
        lines += [f"  {number} | {shown}", f"{gutter}| {carets}"]
    lines += [f"{gutter}= {_with_margin(note, gutter)}" for note in _notes(diagnostic)]
    return "\n".join(lines)


def as_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic for a machine: JSON types only, every key always there, places counted from 1."""
    span = diagnostic.span
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "file": str(diagnostic.file).encode("utf-8", "replace").decode() if diagnostic.file else None,
        "line": span.line if span else None,
        "column": span.column if span else None,
        "length": span.length if span else None,
        "source": diagnostic.source[:_LONGEST_SOURCE] if diagnostic.source is not None else None,
        "found": diagnostic.found,
        "expected": diagnostic.expected,
        "nearest": diagnostic.nearest,
        "hint": diagnostic.hint,
    }


def escaped(text: str) -> str:
    """Text that is safe on a terminal: control, hidden and undecodable characters as escapes."""
    return "".join(_shown(char) for char in text)


def _shown(char: str) -> str:
    if char == "\t":
        return "\\t"
    if char == "\n":
        return "\\n"
    value = ord(char)
    if 0xDC80 <= value <= 0xDCFF:  # a byte of a file name that is not UTF-8 (PEP 383)
        return f"\\x{value - 0xDC00:02x}"
    if char in _HIDDEN or unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp"):
        return f"\\x{value:02x}" if value < 0x100 else f"\\u{value:04x}"
    return char


def _place(diagnostic: Diagnostic) -> str:
    if diagnostic.file is None:
        return ""
    shown = _relative(diagnostic.file)
    if diagnostic.span is not None:
        shown += f":{diagnostic.span.line}:{diagnostic.span.column}"
    return f"{shown}: "


def _relative(file: Path) -> str:
    if file == Path("-"):
        return "<stdin>"
    with suppress(ValueError, OSError):  # outside it, or in a folder that was deleted
        file = file.relative_to(Path.cwd())
    return escaped(str(file))


def _underlined(source: str, column: int, length: int) -> tuple[str, str]:
    """The line and its carets, both cut to a window round the place where the line is very long."""
    start, stop = column - 1, column - 1 + min(length, _WIDEST // 2)
    # What lies further away than the window is never looked at: a line may be millions of characters long.
    before = _expanded(source[max(start - 2 * _WIDEST, 0) : start])
    marked = _expanded(source[start:stop])
    after = _expanded(source[stop : stop + 2 * _WIDEST])
    if _columns(before) > _WIDEST // 2 and _columns(before + marked + after) > _WIDEST:
        before = f"...{before[-(_WIDEST // 2 - 3) :]}"
    room = max(_WIDEST - _columns(before) - _columns(marked), 0)
    if len(after) > room:
        after = f"{after[: max(room - 3, 0)]}..."
    return f"{before}{marked}{after}".rstrip(), " " * _columns(before) + "^" * max(1, _columns(marked))


def _expanded(text: str) -> str:
    return escaped(text.replace("\t", "    "))


def _columns(text: str) -> int:
    """Columns of a terminal that a text takes: wide characters two, combining marks none."""
    total = 0
    for char in text:
        if unicodedata.combining(char) or char in "\u200d\ufe0e\ufe0f":
            continue
        total += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return total


def _notes(diagnostic: Diagnostic) -> list[str]:
    notes = []
    if diagnostic.found:
        notes.append(f"found {diagnostic.found}")
    if diagnostic.expected:
        notes.append(f"expected {diagnostic.expected}")
    if diagnostic.nearest:
        notes.append(f"did you mean {diagnostic.nearest}?")
    if diagnostic.hint:
        notes.append(diagnostic.hint)
    return notes


def _with_margin(note: str, gutter: str) -> str:
    return f"\n{gutter}  ".join(escaped(line) for line in note.split("\n"))
