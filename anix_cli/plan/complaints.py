"""What is said of a command that cannot be followed, at its place in the screenplay."""

from __future__ import annotations

from ..core.errors import Diagnostic
from ..core.screenplay import PathInFile, Screenplay
from ..words import Problem, complaint


def about(screenplay: Screenplay, where: PathInFile, problem: Problem) -> Diagnostic:
    """A problem of the command at ``where``, with what to do about it."""
    said = complaint(problem, screenplay.characters)
    return screenplay.diagnostic(
        where, said.code, said.message, found=said.found, hint=said.hint, expected=said.expected,
        nearest=said.nearest,
    )  # fmt: skip
