"""``anix explain``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..core.errors import AnixError, Diagnostic, ExitCode
from .options import Json, encodable, open_screenplay, say, say_json
from .streams import standard_input


def register(app: typer.Typer) -> None:
    app.command(epilog='Example:  anix explain "she turns left and waves"')(explain)


def explain(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A command; - reads standard input.")],
    film: Annotated[
        Path | None,
        typer.Option("--film", metavar="FILM.YAML", help="The screenplay whose names it may use."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show how a command is read: its beats in order, and what was not understood.

    As JSON, one object: beats (category, action or, for the camera, move, direction, amount, speed, side,
    object, target, sync, span; what is not said is left out), not_understood, and cancelled and corrected
    where there are any. A command that cannot be followed gives error, message, suggest and span instead, and
    exit code 3.
    """
    from ..report.reading import reading_record, reading_text
    from ..words import complaint, understand
    from ..words.meaning import guess

    command = standard_input().decode("utf-8", "replace").strip() if text == "-" else text
    names: dict[str, Any] = {"characters": None} if film is None else _names(film)
    reading = understand(command, **names, meaning=guess())
    if as_json:
        say_json(reading_record(command, reading))
        if reading.problems:
            raise typer.Exit(int(ExitCode.INVALID))
        return
    if reading.problems:
        raise AnixError(
            Diagnostic(said.code, said.message, found=said.found, hint=said.hint, expected=said.expected,
                       nearest=said.nearest)
            for said in map(complaint, reading.problems)
        )  # fmt: skip
    say(encodable(reading_text(command, reading)))


def _names(film: Path) -> dict[str, Any]:
    from ..plan.commands import spoken_names

    return spoken_names(open_screenplay(film))
