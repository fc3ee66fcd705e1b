"""``anix render``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..report.console import console
from ..run.signals import attentive
from .events import STDOUT, Events, both, events_to, telling
from .listening import MetricsFile, NotifyCommand, listening
from .options import (
    Backend,
    Candidates,
    Device,
    Ffmpeg,
    GpusPerClip,
    Json,
    NoMetadata,
    Overwrite,
    Preset,
    Quiet,
    ScreenplayFile,
    Set,
    Slate,
    Strict,
    draw_on,
    open_screenplay,
    preset_in,
    say,
    say_json,
    work_on,
)


def register(app: typer.Typer) -> None:
    app.command(epilog="Example:  anix render film.yaml -o film.mp4")(render)


def render(
    film: ScreenplayFile,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILM.MP4",
            help="The film; default: FILM.mp4 here (by codec .mov, .mkv, FILM_png). {title}, {seed}, {size} "
            "and more are filled in.",
        ),
    ] = None,
    backend: Backend = "animatic",
    settings: Set = None,
    preset: Preset = None,
    candidates: Candidates = None,
    slate: Slate = False,
    no_metadata: NoMetadata = False,
    overwrite: Overwrite = False,
    strict: Strict = False,
    no_report: Annotated[
        bool, typer.Option("--no-report", help="Do not write the report (FILM.html) beside the film.")
    ] = False,
    device: Device = None,
    gpus_per_clip: GpusPerClip = 1,
    events: Events = None,
    metrics: MetricsFile = None,
    notify_command: NotifyCommand = None,
    as_json: Json = False,
    quiet: Quiet = False,
    ffmpeg: Ffmpeg = None,
) -> None:
    """Make the film: plan, guide, generate and join; only what changed is made again.

    Beside the film lie its manifest (FILM.mp4.json) and its report (FILM.html).
    """
    from ..run.film import film_name
    from ..run.render import render_film
    from .report import beside

    with (
        events_to(events) as log,
        listening("render", [film], backend, log=log, metrics=metrics, notify=notify_command) as told,
    ):
        with console(quiet=quiet) as view, telling(told, str(film)):
            draw_on(device)
            work_on(gpus_per_clip)
            given = preset_in(settings, backend, preset)
            screenplay = open_screenplay(film, given)
            target = film_name(output, screenplay, backend)
            made = render_film(
                screenplay,
                target,
                backend=backend,
                slate=slate,
                anonymous=no_metadata,
                overwrite=overwrite,
                strict=strict,
                ffmpeg=ffmpeg,
                emit=attentive(both(told, view)),
                report=None
                if no_report
                else beside(target, given, slate=slate, anonymous=no_metadata, candidates=candidates),
                candidates=candidates,
            )
        if as_json:
            say_json(made.manifest)
        elif events != STDOUT:
            say(str(made.path))
