"""``--events``: the event stream of a run, for other programs."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..core.errors import AnixError, fail
from ..core.events import FilmFailed

if TYPE_CHECKING:
    from ..core.events import Emit, Event
    from ..report.eventlog import Told

Events = Annotated[
    Path | None,
    typer.Option(
        "--events",
        metavar="FILE|-",
        readable=False,
        help="Write what happens as lines of JSON (schema events-v1); - for stdout, instead of the result.",
    ),
]
STDOUT = Path("-")


def _nowhere(event: Event, film: str | None = None, take: int | None = None) -> None:
    pass


@contextmanager
def events_to(place: Path | None) -> Iterator[Told]:
    """What writes events to ``place``, a line at once; for None, nowhere.

    A file is begun anew.

    Raises:
        AnixError: E412, the file can't be written.
    """
    from ..report.eventlog import event_lines

    if place is None:
        yield _nowhere
        return
    if place == STDOUT:
        # Of its own, so that a reader who leaves ends the lines and not the run.
        with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="ascii") as stream:
            yield event_lines(stream)
        return
    try:
        stream = place.open("w", encoding="ascii")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise fail("E412", f"the events cannot be written to {place}: {reason}", file=place) from error
    try:
        yield event_lines(stream)
    finally:
        with suppress(OSError, ValueError, io.UnsupportedOperation):
            stream.close()


def both(log: Told, view: Emit) -> Emit:
    """A listener that writes an event down and shows it."""

    def emit(event: Event) -> None:
        log(event, None, None)
        view(event)

    return emit


@contextmanager
def telling(log: Told, film: str) -> Iterator[None]:
    """Writes down what ends a run, if anything does."""
    try:
        yield
    except AnixError as error:
        log(FilmFailed(film, error.diagnostics), None, None)
        raise
