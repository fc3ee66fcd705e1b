"""``anix batch``"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .events import STDOUT, Events, events_to
from .listening import MetricsFile, NotifyCommand, listening
from .options import (
    STDIN,
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
    Set,
    Slate,
    Strict,
    preset_in,
    say,
    say_json,
    unread,
)

if TYPE_CHECKING:
    from ..core.events import Event
    from ..report.eventlog import Told
    from ..run.batch.films import Booked, Wish
    from ..run.batch.night import Outcome, Place

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


Films = Annotated[list[Path], typer.Argument(metavar="FILM.YAML…", readable=False, help="The screenplays.")]
Out = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Films and reports go here.")]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", min=1, help="Workers; default: one a GPU, or one for two CPU cores."),
]
Ray = Annotated[
    str | None,
    typer.Option("--ray", metavar="ADDRESS", help="Workers on a Ray cluster: auto, or its head's address."),
]
Shard = Annotated[
    str | None, typer.Option("--shard", metavar="I/N", help="Only each Nth film from the Ith: 2/8.")
]
KeepGoing = Annotated[
    bool, typer.Option("--keep-going", help="Make the other takes of a film of which one failed.")
]
Retries = Annotated[
    int, typer.Option("--retries", min=0, help="How often what a lost worker did is done again.")
]
Timeout = Annotated[
    str, typer.Option("--timeout-per-clip", metavar="TIME", help="A worker this long at one clip hangs.")
]
Budget = Annotated[
    float | None,
    typer.Option(
        "--budget-hours", min=0.01, metavar="H", help="Leave what would take longer for another night."
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be made, and make nothing.")]
NoReport = Annotated[bool, typer.Option("--no-report", help="Write no reports and no index.")]


@dataclass(frozen=True)
class _How:
    """How a batch is worked off; times in seconds."""

    jobs: int | None
    retries: int
    keep_going: bool
    timeout_s: float
    budget_s: float | None
    ray: str | None = None


def register(app: typer.Typer) -> None:
    app.command(epilog="Example:  anix batch films/*.yaml --out out --keep-going")(batch)


def batch(
    films: Films,
    out: Out,
    backend: Backend = "animatic",
    jobs: Jobs = None,
    ray: Ray = None,
    shard: Shard = None,
    keep_going: KeepGoing = False,
    retries: Retries = 1,
    timeout: Timeout = "60m",
    budget: Budget = None,
    dry_run: DryRun = False,
    settings: Set = None,
    preset: Preset = None,
    candidates: Candidates = None,
    slate: Slate = False,
    no_metadata: NoMetadata = False,
    overwrite: Overwrite = False,
    strict: Strict = False,
    no_report: NoReport = False,
    device: Device = None,
    gpus_per_clip: GpusPerClip = 1,
    events: Events = None,
    metrics: MetricsFile = None,
    notify_command: NotifyCommand = None,
    as_json: Json = False,
    quiet: Quiet = False,
    ffmpeg: Ffmpeg = None,
) -> None:
    """Make many films unattended; only what changed is made again, and one that fails stops no other.

    Each film lies in DIR as its screenplay is called, with manifest and report, beside an index.html of all.
    Prints how each ended; exit code 1 if any failed.
    """
    from ..core.errors import ExitCode
    from ..report.batchview import batch_view, summary_rows, summary_text
    from ..report.diagnostics import encoding_of
    from ..run.batch.films import Wish

    if dry_run and (events or metrics or notify_command):
        raise typer.BadParameter("nothing happens that could be told of", param_hint="'--dry-run'")
    how = _How(jobs, retries, keep_going, seconds_of(timeout), None if budget is None else budget * 3600, ray)
    chosen = _sharded(films, shard)
    wish = Wish(
        out,
        backend,
        preset_in(settings, backend, preset),
        slate=slate,
        anonymous=no_metadata,
        gpus_per_clip=gpus_per_clip,
        candidates=candidates,
        overwrite=overwrite,
        report=not no_report,
        strict=strict,
        device=device,
        ffmpeg=ffmpeg,
    )
    if dry_run:
        _foresee(chosen, wish, how, as_json=as_json)
        return
    with (
        events_to(events) as log,
        listening(
            "batch", chosen, backend, log=log, metrics=metrics, notify=notify_command
        ) as listener,
    ):  # fmt: skip
        with batch_view(quiet=quiet) as view:

            def told(event: Event, film: str | None = None, take: int | None = None) -> None:
                listener(event, film, take)
                view(event, film, take)

            outcomes = _run(chosen, wish, how, told)
            if not no_report and any(one.made for one in outcomes):
                _index(out)
        rows = summary_rows(outcomes)
        with unread():
            if as_json:
                say_json({"films": rows})
            elif events != STDOUT:
                say(summary_text(rows, encoding_of(sys.stdout)))
        if any(one.failed for one in outcomes):
            raise typer.Exit(ExitCode.SHOTS_FAILED)


def _workers(wish: Wish, how: _How) -> int:
    from .. import generate
    from ..run.batch.machine import workers_for

    return workers_for(generate.capabilities(wish.backend), how.jobs, wish.gpus_per_clip)


def _booked(films: Sequence[Path], wish: Wish, how: _How) -> list[Booked]:
    """The films in the order in which they are made, those left for which the time is not enough."""
    from ..run.batch.films import book, shortest_first, within

    booked = book(films, wish)
    if how.budget_s is None:
        return booked
    return shortest_first(within(booked, how.budget_s, _workers(wish, how)))


def _foresee(films: Sequence[Path], wish: Wish, how: _How, *, as_json: bool) -> None:
    """``--dry-run``: what would be made, how long it takes, and what would stop it."""
    from ..core.errors import ExitCode
    from ..report.batchplan import foreseen, foreseen_text
    from ..report.diagnostics import encoding_of, show

    booked = _booked(films, wish, how)
    show([problem for one in booked for problem in one.problems], sys.stderr)
    found = foreseen(booked, _workers(wish, how))
    if as_json:
        say_json(found)
    else:
        say(foreseen_text(found, encoding_of(sys.stdout)))
    if any(one.plan is None for one in booked):
        raise typer.Exit(ExitCode.SHOTS_FAILED)


def _run(films: Sequence[Path], wish: Wish, how: _How, told: Told) -> list[Outcome]:
    from queue import SimpleQueue

    from .. import generate
    from ..run.batch.films import begin
    from ..run.batch.local import Said
    from ..run.batch.machine import places_for
    from ..run.batch.night import Night

    heard = SimpleQueue[Said]()
    booked = _booked(films, wish, how)
    gpus_each = wish.gpus_per_clip if generate.capabilities(wish.backend).weights else 0

    def night(places: Sequence[Place]) -> list[Outcome]:
        begin(booked)
        return Night(
            booked, wish, places, heard, told, how.retries, how.keep_going, how.timeout_s, how.budget_s
        ).run()

    if how.ray is None:
        outcomes = night(places_for(_workers(wish, how), heard, gpus_each=gpus_each))
    else:
        from ..run.batch.onray import Cluster

        with Cluster(how.ray) as cluster:
            outcomes = night(cluster.places(how.jobs, heard, gpus_each=gpus_each))
    return sorted(outcomes, key=lambda one: films.index(one.booked.screenplay))


def _index(folder: Path) -> None:
    """An index of all films in the folder, those of other nights among them."""
    from ..core.errors import AnixError
    from ..report.diagnostics import show
    from ..report.indexpage import index_page
    from ..run.reportfile import check_report_output, told_of, write_page
    from ..run.reportindex import index_of

    try:
        place = folder / "index.html"
        check_report_output(place, "index", overwrite=False)
        write_page(place, index_page(), index_of(folder))
    except AnixError as error:  # the films are made
        show([told_of(error)], sys.stderr)


def seconds_of(text: str) -> float:
    """``90``, ``90s``, ``30m`` or ``2h`` in seconds."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text.strip().lower(), re.ASCII)
    if found is None or float(found[1]) == 0:
        raise typer.BadParameter(
            f"{text!r} is no time; write 90s, 30m or 2h", param_hint="'--timeout-per-clip'"
        )
    return float(found[1]) * _UNITS[found[2]]


def _sharded(films: Sequence[Path], shard: str | None) -> list[Path]:
    """The films of one part of several, each once, in the order in which they were given."""
    if STDIN in films:
        raise typer.BadParameter("a batch reads files, not standard input", param_hint="'FILM.YAML…'")
    # A link of another name is another film: it is called by its name.
    once = list({(os.path.realpath(film), film.name): film for film in reversed(films)}.values())[::-1]
    if shard is None:
        return once
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", shard, re.ASCII)
    part, parts = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= part <= parts:
        raise typer.BadParameter(f"{shard!r} is not I/N with I from 1 to N, as 2/8", param_hint="'--shard'")
    return once[part - 1 :: parts]
