"""``anix shots``"""

from __future__ import annotations

import shutil
import sys
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Backend, Json, ScreenplayFile, open_screenplay, say, say_json

if TYPE_CHECKING:
    from ..core.screenplay import Screenplay

DEFAULT_BACKEND = "animatic"


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
    backend: Backend = DEFAULT_BACKEND,
) -> None:
    """Print the shot list: each shot as understood, its camera, when, how long, where and who.

    As JSON, an array with an object for each shot: take, id, character, command, understood, camera, place
    (an anchor, "goes on" or "origin"), start_frame, end_frame, frames, start_s, end_s, duration_s, fade_s.
    Frames count from 0; end_frame and end_s are where the next shot begins. CSV has the same columns.
    """
    from ..plan.shotlist import shot_list
    from ..report import shotlist
    from ..report.diagnostics import encoding_of, show

    if as_json and form not in (Format.TABLE, Format.JSON):
        raise typer.BadParameter(f"--json and --format {form.value} exclude each other")
    screenplay = open_screenplay(film)
    rows, remarks = shot_list(screenplay, _rate(screenplay, backend))
    show((*screenplay.notes, *remarks), sys.stderr)
    if as_json or form is Format.JSON:
        say_json(shotlist.as_data(rows))
    elif form is Format.CSV:
        say(shotlist.as_csv(rows))
    elif form is Format.MARKDOWN:
        say(shotlist.as_markdown(rows))
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        say(shotlist.as_table(rows, screenplay.title, width=width, encoding=encoding_of(sys.stdout)))


def _rate(screenplay: Screenplay, backend: str) -> Fraction:
    """The film's rate, else the backend's own, else 16. Raises AnixError: E501, no such backend."""
    from ..plan.commands import DEFAULT_FPS

    rate = screenplay.film.fps
    if rate is not None and backend == DEFAULT_BACKEND:
        return rate  # without the mathematics that a backend brings along
    from .. import generate

    own = generate.capabilities(backend).fps
    return rate or own or DEFAULT_FPS
