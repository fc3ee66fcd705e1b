"""``anix shots``"""

from __future__ import annotations

import shutil
import sys
from enum import StrEnum
from typing import Annotated

import typer

from ..core.errors import refuse_warnings
from .options import (
    Backend,
    Json,
    ScreenplayFile,
    Set,
    Strict,
    open_screenplay,
    say,
    say_json,
)


class Format(StrEnum):
    """How the list is written."""

    TABLE = "table"
    CSV = "csv"
    MARKDOWN = "markdown"
    JSON = "json"


def register(app: typer.Typer) -> None:
    app.command(epilog="Example:  anix shots film.yaml --format csv > shots.csv")(shots)


def shots(
    film: ScreenplayFile,
    form: Annotated[
        Format, typer.Option("--format", help="For the screen or another program.")
    ] = Format.TABLE,
    as_json: Json = False,
    backend: Backend = "animatic",
    settings: Set = None,
    strict: Strict = False,
) -> None:
    """Print the shot list: each shot as understood, its camera, when, how long, where and who.

    As JSON, an array with an object for each shot: take, id, character, command, understood, camera, place
    (an anchor, "goes on" or "origin"), start_frame, end_frame, frames, start_s, end_s, duration_s, fade_s,
    dissolve_s.
    Frames count from 0; end_frame and end_s are where the next shot begins. CSV has the same columns.
    """
    from .. import generate
    from ..plan.commands import DEFAULT_FPS
    from ..plan.shotlist import shot_list
    from ..report import shotlist
    from ..report.diagnostics import encoding_of, show

    if as_json and form not in (Format.TABLE, Format.JSON):
        raise typer.BadParameter(f"--json and --format {form.value} exclude each other")
    screenplay = open_screenplay(film, settings or ())
    own = generate.capabilities(backend).fps
    rows, remarks = shot_list(screenplay, screenplay.film.fps or own or DEFAULT_FPS)
    remarks = (*screenplay.notes, *remarks)
    if strict:
        refuse_warnings(remarks)
    show(remarks, sys.stderr)
    if as_json or form is Format.JSON:
        say_json(shotlist.as_data(rows))
    elif form is Format.CSV:
        say(shotlist.as_csv(rows))
    elif form is Format.MARKDOWN:
        say(shotlist.as_markdown(rows))
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        say(shotlist.as_table(rows, screenplay.title, width=width, encoding=encoding_of(sys.stdout)))
