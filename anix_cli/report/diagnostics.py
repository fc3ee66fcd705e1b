"""Diagnostics as text with caret lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from anix_cli.core.errors import Diagnostic, Span

from .terminal import cells, columns, escaped, wants_colour

WIDEST = 104
_CUT = "..."
_REACH = 8
"""Characters a column: a letter can carry several marks that take none."""
_RED, _YELLOW, _BOLD, _OFF = "\x1b[31m", "\x1b[33m", "\x1b[1m", "\x1b[0m"


def show(found: Iterable[Diagnostic], stream: IO[str]) -> None:
    """Writes problems for a person, in colour and with signs only where the stream can show them."""
    colour, encoding = wants_colour(stream), encoding_of(stream)
    for problem in found:
        stream.write(as_text(problem, colour=colour, encoding=encoding) + "\n")


def encoding_of(stream: IO[str]) -> str:
    """The encoding of a stream; UTF-8 where it has none of its own."""
    return getattr(stream, "encoding", None) or "utf-8"


def as_text(diagnostic: Diagnostic, *, colour: bool = False, encoding: str = "utf-8") -> str:
    """A diagnostic for a person, without a line break at its end.

    ::

        film.yaml:12:15: E104 size 833x480: both numbers must be even
          12 | film: {size: 833x480}
             |              ^^^^^^^
             = expected two even numbers from 64 to 4096, written as WIDTHxHEIGHT
             = did you mean 834x480?

    Of a source line, at most ``WIDEST`` columns are shown; nothing in it controls a terminal, except colour.
    """
    place, code, tint = _place(diagnostic, encoding), diagnostic.code, ""
    if colour:
        tint = _RED if diagnostic.severity == "error" else _YELLOW
        place, code = (f"{_BOLD}{place}{_OFF}" if place else ""), f"{_BOLD}{tint}{code}{_OFF}"
    lines = [f"{place}{code} {escaped(diagnostic.message, encoding)}"]
    gutter = "   "
    if diagnostic.span is not None and diagnostic.source is not None:
        number = str(diagnostic.span.line)
        gutter = " " * (len(number) + 3)
        shown, indent, width = _underlined(diagnostic.source, diagnostic.span, WIDEST, encoding)
        carets = f"{tint}{'^' * width}{_OFF}" if colour else "^" * width
        lines += [f"  {number} | {shown}".rstrip(), f"{gutter}| {' ' * indent}{carets}"]
    for note in notes(diagnostic):
        margin = f"\n{gutter}  "
        lines.append(f"{gutter}= {margin.join(escaped(line, encoding) for line in note.split(chr(10)))}")
    return "\n".join(lines)


def notes(diagnostic: Diagnostic) -> list[str]:
    """What a problem has to say beyond its message, one remark each; a remark can have several lines."""
    said = []
    if diagnostic.found and diagnostic.found not in diagnostic.message:
        said.append(f"found {diagnostic.found}")
    if diagnostic.expected:
        said.append(f"expected {diagnostic.expected}")
    if diagnostic.nearest:
        said.append(f"did you mean {diagnostic.nearest}?")
    if diagnostic.hint:
        said.append(diagnostic.hint)
    return said


def tally(found: Sequence[Diagnostic]) -> str:
    """How many: "2 errors, 1 warning", "no problems", "1 error, 3 warnings that count as errors"."""
    strict = sum(problem.strict for problem in found)
    errors = sum(problem.severity == "error" for problem in found) - strict
    warnings = len(found) - errors - strict
    said = [_counted(count, what) for count, what in ((errors, "error"), (warnings, "warning")) if count]
    if strict:
        count = "counts as an error" if strict == 1 else "count as errors"
        said.append(f"{_counted(strict, 'warning')} that {count} (--strict)")
    return ", ".join(said) or "no problems"


def name_of(file: Path) -> str:
    """A file as a person knows it: relative to the current folder where it lies inside."""
    if file == Path("-"):
        return "<stdin>"
    with suppress(ValueError, OSError):  # outside it, or in a folder that was deleted
        file = file.relative_to(Path.cwd())
    return str(file)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _place(diagnostic: Diagnostic, encoding: str) -> str:
    if diagnostic.file is None:
        return ""
    shown = escaped(name_of(diagnostic.file), encoding)
    if diagnostic.span is not None:
        shown += f":{diagnostic.span.line}:{diagnostic.span.column}"
    return f"{shown}: "


def _underlined(source: str, span: Span, room: int, encoding: str) -> tuple[str, int, int]:
    """The part of a line that fits into ``room`` columns, and columns before and under its carets."""
    start = min(span.column - 1, len(source))
    # A line may be millions of characters long: what lies further away than this is never looked at.
    first, last = max(start - _REACH * room, 0), start + _REACH * room
    before, onward = list(cells(source[first:start], encoding)), list(cells(source[start:last], encoding))
    marked = _columns(cells(source[start : min(start + span.length, last)], encoding))
    lead, trail = _columns(before), _columns(onward)
    whole = first == 0 and last >= len(source) and lead + trail <= room
    marked = max(1, min(marked, room if whole else room // 2))
    head = _cut(before[::-1], max((room - marked) // 2, room - max(trail, marked)), more=first > 0)[::-1]
    tail = _cut(onward, room - _columns(head), more=last < len(source))
    return "".join((*head, *tail)), _columns(head), marked


def _cut(pieces: list[str], room: int, *, more: bool) -> list[str]:
    """All pieces where they fit into so many columns and no more follow, else the first and an ellipsis."""
    if _columns(pieces) <= room and not more:
        return pieces
    kept: list[str] = []
    room -= len(_CUT)
    for piece in pieces:
        room -= columns(piece)
        if room < 0:
            break
        kept.append(piece)
    return [*kept, _CUT]


def _columns(pieces: Iterable[str]) -> int:
    return sum(map(columns, pieces))
