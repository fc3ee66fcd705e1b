"""A screenplay's bytes as text: UTF-8 whatever the locale, limits first, and places in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import islice
from pathlib import Path
from typing import Any

from anix_cli.core.errors import AnixError, Diagnostic, Place, Span, fail

MAX_BYTES = 4 << 20
MOST_PROBLEMS = 100
STDIN = Path("-")

_BREAK = re.compile(r"\r\n|\r|\n")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_MOST_CONTROLS = 20
_HEAD = 4096


class Source:
    """The text of a screenplay, its lines, and where a character of it stands.

    ``problems`` collects what is wrong, so that all of it is said at once; the files of one screenplay share
    it.
    """

    def __init__(self, path: Path, text: str, problems: list[Diagnostic] | None = None) -> None:
        self.path = path
        self.text = text
        self.problems: list[Diagnostic] = [] if problems is None else problems
        self._starts = [0]
        lines: list[str] = []
        for found in _BREAK.finditer(text):
            lines.append(text[self._starts[-1] : found.start()])
            self._starts.append(found.end())
        lines.append(text[self._starts[-1] :])
        self.lines = tuple(lines)

    def show(self, text: str) -> None:
        """Shows other text in messages, of the same length line by line."""
        self.lines = tuple(_BREAK.split(text))

    @property
    def folder(self) -> Path:
        """The folder from which relative paths in the file are resolved."""
        return self.path.parent if self.path.is_absolute() else Path.cwd()

    def span(self, start: int, end: int) -> Span:
        """The place of characters start … end − 1, cut at the end of its first line."""
        start = min(max(start, 0), len(self.text))
        line = bisect_right(self._starts, start) - 1
        column = min(start - self._starts[line], len(self.lines[line]))
        length = min(end - start, len(self.lines[line]) - column)
        return Span(line + 1, column + 1, max(1, length))

    @property
    def full(self) -> bool:
        """Whether more problems are noted than will be shown, so that looking for suggestions is idle."""
        return len(self.problems) > MOST_PROBLEMS

    def offset(self, row: int, column: int) -> int:
        """The character offset of a place, both counted from 0."""
        return self._starts[row] + column

    def value_from(self, start: int) -> str:
        """An unquoted value that begins at a character, as far as it goes on its line: for suggestions."""
        place = self.span(start, start + 1)
        line = self.lines[place.line - 1]
        before, rest = line[: place.column - 1], line[place.column - 1 :].split(" #")[0]
        if sum(before.count(sign) for sign in "{[") > sum(before.count(sign) for sign in "}]"):
            rest = re.split(r", |[}\]]", rest)[0]
        return rest.strip()

    def refuse_controls(self) -> None:
        """Notes signs that no text holds (E105), which the YAML parser would stop at."""
        for found in islice(_CONTROL.finditer(self.text), _MOST_CONTROLS):
            self.problem(
                "E105",
                f"control character U+{ord(found.group()):04X} in the text",
                self.span(found.start(), found.end()),
                hint="delete it; it often comes from copying out of a terminal or a PDF",
            )

    def problem(self, code: str, message: str, span: Span | None, **details: Any) -> None:
        """Notes a problem at a span of this text."""
        line = self.lines[span.line - 1] if span else None
        self.problems.append(Diagnostic(code, message, file=self.path, span=span, source=line, **details))

    def place(self, start: int, end: int) -> Place:
        """Where characters start … end − 1 stand."""
        span = self.span(start, end)
        return Place(self.path, span, self.lines[span.line - 1])

    def problem_at(self, place: Place | None, code: str, message: str, **details: Any) -> None:
        """Notes a problem at a place of any file of the screenplay."""
        file, span, line = (place.file, place.span, place.source) if place else (self.path, None, None)
        self.problems.append(Diagnostic(code, message, file=file, span=span, source=line, **details))

    def raise_errors(self, since: int = 0) -> None:
        """Raises AnixError with everything noted so far, in the order of the files, if there is an error.

        Args:
            since: how many problems may be there: only those noted later count.
        """
        if any(problem.severity == "error" for problem in self.problems[since:]):
            raise AnixError(in_file_order(self.problems, self.path))


def in_file_order(problems: list[Diagnostic], first: Path) -> tuple[Diagnostic, ...]:
    """The problems sorted by file, that one first, and place, without repetitions (an alias shows one place
    many times)."""
    files = {first: 0}

    def place(problem: Diagnostic) -> tuple[int, int, int]:
        file = files.setdefault(problem.file or first, len(files))
        return (file, problem.span.line, problem.span.column) if problem.span else (file, 0, 0)

    ordered = sorted(dict.fromkeys(problems), key=place)
    rest = len(ordered) - MOST_PROBLEMS
    if rest > 0:
        more = f"{rest} more problems are not shown"
        ordered[MOST_PROBLEMS:] = [Diagnostic("E110", more, file=ordered[0].file, hint="mend these first")]
    return tuple(ordered)


def read_bytes(path: Path) -> bytes:
    """The bytes of a screenplay file. Raises AnixError E101 where it cannot be read, E110 beyond 4 MiB."""
    try:
        if path.is_dir():
            raise fail(
                "E101",
                "this is a folder, not a screenplay",
                file=path,
                hint="name the .yaml file inside it",
            )
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise fail("E101", "there is no such file", file=path, hint=f"tried {path.absolute()}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise fail("E101", f"the screenplay cannot be read: {reason}", file=path) from None
    return data


def decode(path: Path, data: bytes, problems: list[Diagnostic] | None = None) -> Source:
    """Bytes as text. UTF-8 with or without a byte-order mark. Problems go to ``problems`` if given.

    Raises:
        AnixError: E110 too large, E103 not UTF-8, E105 control characters.
    """
    if len(data) > MAX_BYTES:
        raise fail(
            "E110",
            f"the screenplay is larger than {MAX_BYTES >> 20} MiB",
            file=path,
            hint="a screenplay is text; split a very long film into several",
        )
    if wide := _wide_encoding(data):
        raise fail("E103", f"the file is {wide} text, not UTF-8", file=path, hint="save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if 0 in data[:_HEAD]:
            raise fail(
                "E103", "this is not a text file", file=path, hint="a screenplay is text: name a .yaml file"
            ) from None
        raise AnixError(_invalid_byte(path, data, error.start)) from None
    source = Source(path, text, problems)
    before = len(source.problems)
    source.refuse_controls()
    source.raise_errors(before)
    return source


def _wide_encoding(data: bytes) -> str | None:
    """UTF-16 or UTF-32 where the bytes are one of them, by its mark or by zeros at every other place."""
    if data[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):
        return "UTF-32"
    head = data[:64]
    marked = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    spread = len(head) >= 4 and (not any(head[1::2]) or not any(head[0::2])) and any(head)
    return "UTF-16" if marked or spread else None


def _invalid_byte(path: Path, data: bytes, offset: int) -> Diagnostic:
    before = data[:offset].decode("utf-8-sig", "replace")
    place = Source(path, before)
    line, column = len(place.lines), len(place.lines[-1]) + 1
    rest = _BREAK.split(data[offset : offset + 400].decode("utf-8", "replace"))[0]
    byte = data[offset]
    meant = bytes([byte]).decode("cp1252", "replace")
    guess = f" ({meant} in Windows-1252)" if meant.isprintable() and meant != "\ufffd" else ""
    return Diagnostic(
        "E103",
        f"byte 0x{byte:02X}{guess} at offset {offset} is not UTF-8",
        file=path,
        span=Span(line, column),
        source=place.lines[-1] + rest,
        hint="save the file as UTF-8",
    )


def quoted(text: str) -> str:
    """Text in quotes that YAML reads back as it is."""
    if '"' in text or "\\" in text:
        return "'" + text.replace("'", "''") + "'"
    return f'"{text}"'
