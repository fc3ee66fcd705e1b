"""``anix join``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..report.console import console
from ..run.signals import attentive
from .options import Ffmpeg, Json, NoMetadata, Overwrite, PlanFile, Quiet, Slate, open_plan, say, say_json


def register(app: typer.Typer) -> None:
    app.command(epilog="Example:  anix join plan.json -o film.mp4")(join)


def join(
    plan: PlanFile,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILM.MP4", help="The film.")],
    slate: Slate = False,
    no_metadata: NoMetadata = False,
    overwrite: Overwrite = False,
    as_json: Json = False,
    quiet: Quiet = False,
    ffmpeg: Ffmpeg = None,
) -> None:
    """Join the clips of a plan to a film, with its manifest beside it."""
    from ..run.film import check_output, film_name, join_film, made_clips
    from ..run.heal import healing
    from ..run.preflight import preflight
    from ..store.store import Store

    planned = open_plan(plan)
    output = film_name(output, planned, planned.backend)
    check_output(planned, output, overwrite=overwrite)
    preflight(planned, ffmpeg=ffmpeg, output=output)
    with console(quiet=quiet) as view:
        store = Store(planned.store)
        film = healing(
            planned,
            store,
            attentive(view),
            lambda: join_film(
                planned,
                made_clips(planned, store),
                output,
                slate=slate,
                anonymous=no_metadata,
                emit=attentive(view),
            ),
        )
    if as_json:
        say_json(film.manifest)
    else:
        say(str(film.path))
