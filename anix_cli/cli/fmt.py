"""``anix fmt``"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..core.codes import exit_code_of
from ..core.errors import AnixError, Diagnostic
from .options import STDIN, say, say_bytes
from .streams import close_stdout

if TYPE_CHECKING:
    from ..run.fmt import Formatting

WOULD_CHANGE = 1

_EPILOG = (
    "Example:  anix fmt film.yaml    Exit codes of --check: 0 nothing would change, 1 something would, "
    "3 a file is not YAML that anix can read."
)


def register(app: typer.Typer) -> None:
    app.command(epilog=_EPILOG)(fmt)


def fmt(
    films: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILM.YAML",
            readable=False,
            help="Screenplays; - reads standard input and writes standard output.",
        ),
    ],
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; name the files that would change, and exit with 1."),
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Write nothing; show what would change as a unified diff.")
    ] = False,
) -> int:
    """Rewrite screenplays in canonical order and layout. Comments are kept, the meaning never changes."""
    from ..report.diagnostics import show
    from ..run.fmt import formatting, rewrite
    from .streams import standard_input

    if STDIN in films and len(films) > 1:
        raise typer.BadParameter("- stands for the only screenplay", param_hint="'FILM.YAML'")
    problems: list[Diagnostic] = []
    changed = silent = False
    for film in dict.fromkeys(films):
        try:
            change = formatting(film, text=standard_input() if film == STDIN else None)
            if not (check or diff or film == STDIN):
                rewrite(change)
        except AnixError as error:
            show(error.diagnostics, sys.stderr)
            problems += error.diagnostics
            continue
        changed = changed or change.changed
        if silent:
            continue
        try:
            _tell(film, change, check=check, diff=diff)
        except BrokenPipeError:  # nobody reads on; the other files are still put in order
            close_stdout()
            silent = True
    if problems:
        return int(exit_code_of(tuple(problems)))
    return WOULD_CHANGE if check and changed else 0


def _tell(film: Path, change: Formatting, *, check: bool, diff: bool) -> None:
    if diff:
        say_bytes(change.diff())
    elif check:
        if change.changed:
            say(str(film))
    elif film == STDIN:
        say_bytes(change.after)
    else:
        say(f"{film}: {'formatted' if change.changed else 'unchanged'}")
