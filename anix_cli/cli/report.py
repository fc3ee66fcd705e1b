"""``anix report``"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import STDIN, Backend, Json, Overwrite, Preset, Set, open_screenplay, preset_in, say, say_json

if TYPE_CHECKING:
    from ..run.render import ReportAsked
    from ..run.reportfile import Written


def register(app: typer.Typer) -> None:
    app.command(epilog="Example:  anix report film.yaml -o film.html")(report)


def report(
    film: Annotated[
        Path,
        typer.Argument(
            metavar="FILM.YAML|DIR",
            readable=False,
            help="The screenplay, or a folder of films; - reads stdin.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="REPORT.HTML", help="Default: FILM.html here, or DIR/index.html."
        ),
    ] = None,
    backend: Backend = "animatic",
    settings: Set = None,
    preset: Preset = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Write an HTML page that shows each shot of a film: guide and result, map, readings, times, warnings.

    It needs nothing but a browser, tells what is there now, and makes no clip; the film that it is about is
    the one of the same name beside it. Of a folder it makes an index of the films in it and below.
    """
    given = preset_in(settings, backend, preset)
    written = (
        _index(film, output, overwrite=overwrite)
        if film != STDIN and film.is_dir()
        else _film(film, output, backend, given, overwrite=overwrite)
    )
    if as_json:
        say_json({"report": str(written.path), "bytes": written.bytes, "reused": written.reused})
    else:
        say(str(written.path))


def beside(
    film: Path,
    settings: Sequence[str],
    *,
    slate: bool,
    anonymous: bool = False,
    candidates: int | None = None,
) -> ReportAsked:
    """The report that a render makes beside a film."""
    from ..report.filmpage import film_page
    from ..run.filmreport import Asked, report_path
    from ..run.render import ReportAsked

    return ReportAsked(report_path(film), film_page(), Asked(tuple(settings), slate, anonymous, candidates))


def _film(
    film: Path, output: Path | None, backend: str, settings: Sequence[str], *, overwrite: bool
) -> Written:
    from ..report.diagnostics import show
    from ..report.filmpage import film_page
    from ..run.filmreport import Asked, film_beside
    from ..run.layout import store_root
    from ..run.prepare import prepare
    from ..run.reportfile import check_report_output, write_film_report
    from ..store.store import Store

    screenplay = open_screenplay(film, settings)
    target = output or Path((screenplay.path.stem if film != STDIN else "film") + ".html")
    check_report_output(target, "film", overwrite=overwrite)
    store = Store(store_root(screenplay.path))
    prepared = prepare(screenplay, backend=backend, store=store)
    show(prepared.plan.notes, sys.stderr)
    return write_film_report(
        screenplay,
        prepared,
        store,
        report=target,
        film=film_beside(target, screenplay.film.codec),
        page=film_page(),
        asked=Asked(tuple(settings)),
        overwrite=overwrite,
    )


def _index(folder: Path, output: Path | None, *, overwrite: bool) -> Written:
    from ..report.indexpage import index_page
    from ..run.reportfile import check_report_output, write_page
    from ..run.reportindex import index_of

    target = output or folder / "index.html"
    check_report_output(target, "index", overwrite=overwrite)
    return write_page(target, index_page(), index_of(folder))
