"""Errors as data: what is wrong, where, what was expected, and what to do.

A user's mistake is never a traceback. Every problem is a :class:`Diagnostic` with a stable code that
:mod:`anix_cli.core.codes` documents; :class:`AnixError` carries all that were found, so that a director
fixes ten mistakes in one go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path
from typing import Literal

Severity = Literal["error", "warning"]


class ExitCode(IntEnum):
    """Exit codes of every command; the README documents them."""

    OK = 0
    SHOTS_FAILED = 1
    USAGE = 2
    INVALID = 3
    ENVIRONMENT = 4
    BUG = 70
    TERMINATED = 75
    INTERRUPTED = 130


@dataclass(frozen=True)
class Span:
    """A place in a text file. ``line`` and ``column`` count from 1; ``length`` is in characters."""

    line: int
    column: int
    length: int = 1


@dataclass(frozen=True)
class Place:
    """A span of a file, with the text of its line."""

    file: Path
    span: Span
    source: str


@dataclass(frozen=True)
class Diagnostic:
    """One problem.

    Attributes:
        code: a key of ``core.codes.CODES``; ``E…`` is an error, ``W…`` a warning.
        message: one sentence that names what was found and what is expected.
        file: the file in which the problem lies, if any.
        span: the place in that file, if it is text.
        source: the text of that line, without its line break.
        found: what was found, as a director would write it.
        expected: what is expected.
        nearest: the nearest right spelling, only where one is truly near.
        hint: what to do.
        strict: a warning that counts as an error, because ``--strict`` was asked for.
    """

    code: str
    message: str
    file: Path | None = None
    span: Span | None = None
    source: str | None = None
    found: str | None = None
    expected: str | None = None
    nearest: str | None = None
    hint: str | None = None
    strict: bool = False

    @property
    def severity(self) -> Severity:
        return "warning" if self.code.startswith("W") and not self.strict else "error"


class AnixError(Exception):
    """One or more problems that end what was being done."""

    def __init__(self, diagnostics: Diagnostic | Iterable[Diagnostic]) -> None:
        found = (diagnostics,) if isinstance(diagnostics, Diagnostic) else tuple(diagnostics)
        if not found:
            raise ValueError("an AnixError needs at least one diagnostic")
        self.diagnostics: tuple[Diagnostic, ...] = found
        super().__init__("; ".join(f"{d.code} {d.message}" for d in found))


def fail(code: str, message: str, *, file: Path | None = None, hint: str | None = None) -> AnixError:
    """An :class:`AnixError` of one problem that has no place in a screenplay (``raise fail(...)``)."""
    return AnixError(Diagnostic(code, message, file=file, hint=hint))


def together(*checks: Callable[[], object]) -> list[Diagnostic]:
    """Does all checks, whatever each finds: what they raise, each problem once."""
    found: dict[tuple[str, str], Diagnostic] = {}
    for check in checks:
        try:
            check()
        except AnixError as error:
            for problem in error.diagnostics:
                found.setdefault((problem.code, problem.message), problem)
    return list(found.values())


def strictly(found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The same problems, every warning counting as an error."""
    return tuple(
        replace(problem, strict=True) if problem.severity == "warning" else problem for problem in found
    )


def refuse_warnings(found: Iterable[Diagnostic]) -> None:
    """Raises AnixError of the warnings, counting as errors, if there are any: what ``--strict`` asks for."""
    warnings = [problem for problem in strictly(found) if problem.strict]
    if warnings:
        raise AnixError(warnings)
