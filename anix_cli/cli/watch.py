"""``anix watch``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Device, Quiet, Set, draw_on, flush, say


def register(app: typer.Typer) -> None:
    app.command(epilog="Example:  anix watch film.yaml")(watch)


def watch(
    film: Annotated[Path, typer.Argument(metavar="FILM.YAML", readable=False, help="The screenplay.")],
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="Where it is served; 0 is any.")
    ] = 8765,
    settings: Set = None,
    device: Device = None,
    quiet: Quiet = False,
) -> None:
    """Show a draft of the film in a browser, and make it anew whenever the screenplay is saved.

    A page on this machine alone (127.0.0.1) shows the first frame that an edit changes, then the film and its
    report. It is drawn by the animatic backend, at most 416 pixels wide; only what changed is made again.
    Nothing is written but in the store. Ctrl-C ends it.
    """
    from ..report.console import console
    from ..report.diagnostics import as_text
    from ..report.filmpage import film_page
    from ..report.watchpage import watch_page
    from ..run.signals import attentive
    from ..run.watch.board import Board
    from ..run.watch.server import serving
    from ..run.watch.watching import Watcher

    draw_on(device)
    board = Board()
    try:
        with console(quiet=quiet) as view, serving(board, *watch_page(film.name), port) as address:
            say(address)
            flush()
            Watcher(
                film,
                board,
                attentive(view),
                film_page(),
                lambda problem: as_text(problem, colour=False, encoding="utf-8"),
                tuple(settings or ()),
            ).watch()
    finally:
        board.close()
