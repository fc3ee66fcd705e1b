"""What was found in a screenplay, for every format that tells it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from anix_cli.core.errors import Diagnostic, Span
from anix_cli.screenplay.settings import GIVEN

from .diagnostics import name_of, notes
from .terminal import shortened


@dataclass(frozen=True)
class Checked:
    """One screenplay that was checked.

    Attributes:
        file: as it was named on the command line; ``-`` is standard input.
        problems: in the order in which a person should read them.
        read: the files that make it up, if it could be read (``extends:`` makes them several).
        shots, duration_s: of a screenplay without errors; None for a part that others extend.
    """

    file: Path
    problems: tuple[Diagnostic, ...] = ()
    read: tuple[Path, ...] = ()
    shots: int | None = None
    duration_s: float | None = None

    @property
    def valid(self) -> bool:
        return not any(problem.severity == "error" for problem in self.problems)


def place_of(problem: Diagnostic, checked: Checked) -> tuple[Path, Span | None]:
    """The file that a problem is told in, and where in it: its own place, else none in the screenplay."""
    if problem.file is None or problem.file == GIVEN:
        return checked.file, None
    return problem.file, problem.span


def in_full(problem: Diagnostic) -> str:
    """A problem's message and all that helps to mend it, a remark a line, for whoever sees nothing else."""
    given = [f"in --set {problem.source}"] if problem.file == GIVEN and problem.source else []
    return "\n".join(map(clean, [problem.message, *given, *notes(problem)]))


def readable(file: Path) -> str:
    """A file's name as text: bytes that are not UTF-8 as escapes, nothing else changed."""
    return clean(name_of(file))


def clean(text: str) -> str:
    """A text that can be encoded: a byte that was not UTF-8 as ``\\xe9``, a lone surrogate as U+FFFD.

    Of a very long one the middle is left out.
    """
    text = shortened(text)
    if text.isascii():
        return text
    return "".join(_encodable(char) for char in text)


def uri_of(file: Path) -> str:
    """A file's address, percent-encoded byte by byte; ``untitled:stdin`` for standard input."""
    return "untitled:stdin" if file == Path("-") else whole(file).as_uri()


def whole(file: Path) -> Path:
    """An absolute path without ``..``, so that one file has one address; links in it are kept otherwise."""
    file = file.absolute()
    return file.parent.resolve() / file.name if ".." in file.parts else file


def _encodable(char: str) -> str:
    value = ord(char)
    if 0xDC80 <= value <= 0xDCFF:  # a byte of a file name that is not UTF-8 (PEP 383)
        return f"\\x{value - 0xDC00:02x}"
    return "\ufffd" if 0xD800 <= value <= 0xDFFF else char
