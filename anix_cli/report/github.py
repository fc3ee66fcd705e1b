"""What was found as GitHub's workflow commands, which annotate the lines of a pull request.

The format is that of GitHub's documentation, "Workflow commands for GitHub Actions"; the escapes are those
of its toolkit (``@actions/core``, command.ts).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from anix_cli.core.codes import CODES
from anix_cli.core.errors import Diagnostic, Span

from .checked import Checked, in_full, place_of, readable, whole
from .terminal import escaped

_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def workflow_commands(checked: Sequence[Checked], *, encoding: str = "utf-8") -> list[str]:
    """A line for each problem, told once, of characters that ``encoding`` has."""
    found = ((problem, *place_of(problem, one)) for one in checked for problem in one.problems)
    return list(dict.fromkeys(_command(*told, encoding) for told in found))


def _command(problem: Diagnostic, file: Path, span: Span | None, encoding: str) -> str:
    properties = ",".join(
        f"{key}={escaped(value, encoding).translate(_PROPERTY)}"
        for key, value in _properties(problem, file, span)
    )
    lines = in_full(problem).split("\n")
    message = "\n".join(escaped(line, encoding) for line in lines).translate(_DATA)
    return f"::{problem.severity} {properties}::{message}"


def _properties(problem: Diagnostic, file: Path, span: Span | None) -> Iterator[tuple[str, str]]:
    if file != Path("-"):
        yield "file", _in_repository(file)
    if span is not None:
        line, column = span.line, span.column
        yield "line", str(line)
        yield "endLine", str(line)
        yield "col", str(column)
        yield "endColumn", str(column + span.length)
    title = CODES[problem.code].title if problem.code in CODES else ""
    yield "title", f"{problem.code} {title}".rstrip()


def _in_repository(file: Path) -> str:
    """A file as GitHub knows it: relative to the checkout, else as a person knows it."""
    workspace = os.environ.get("GITHUB_WORKSPACE")
    if workspace:
        with suppress(ValueError, OSError):
            return whole(file).relative_to(whole(Path(workspace))).as_posix()
    return readable(file)
