"""Who hears what happens in a run beside the terminal: ``--events``, ``--metrics``, ``--notify-command``."""

from __future__ import annotations

import shlex
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..core.codes import exit_code_of
from ..core.errors import AnixError, Diagnostic, ExitCode

if TYPE_CHECKING:
    from ..core.events import Event
    from ..report.eventlog import Told
    from ..report.metrics import Metrics

MetricsFile = Annotated[
    Path | None,
    typer.Option(
        "--metrics",
        metavar="FILE.PROM",
        readable=False,
        help="Keep a text file for Prometheus (node_exporter's textfile collector).",
    ),
]
NotifyCommand = Annotated[
    str | None,
    typer.Option(
        "--notify-command",
        metavar="COMMAND",
        help="Run this at the end, without a shell; stdin: a summary in JSON; {text}, {failed} … filled in.",
    ),
]
EVERY_S = 2.0
"""The metrics' file is at most so old."""
HURRIED_S = 5.0
"""So long a notification may take where the run was stopped: whoever stopped it waits."""


@contextmanager
def listening(
    command: str, films: Sequence[Path], backend: str, *, log: Told, metrics: Path | None, notify: str | None
) -> Iterator[Told]:
    """Hears a run from its beginning to its end, however it ends; yields what is to be told of it.

    Raises:
        AnixError: E412, E411, the metrics' file cannot be written; typer.BadParameter, the command is none.
    """
    from ..report.ending import Ending

    names = [str(film) for film in films]
    words = _words(notify)
    ending = Ending(command, names)
    with _metrics_in(metrics, command, backend, names) as counted:

        def told(event: Event, film: str | None = None, take: int | None = None) -> None:
            log(event, film, take)
            ending(event, film, take)
            if counted is not None:
                counted(event, film, take)

        code = int(ExitCode.OK)
        try:
            yield told
        except BaseException as error:
            code = _code_of(error)
            if isinstance(error, AnixError):
                ending.stopped_by(error.diagnostics)
            raise
        finally:
            if counted is not None:
                counted.finish(code)
            if words:
                _notify(words, ending.document(code))


def _words(command: str | None) -> list[str]:
    """The command as its words. One that isn't there is said before the night, and no reason not to begin."""
    if command is None:
        return []
    from ..run.notify import lacking

    try:
        words = shlex.split(command)
    except ValueError as error:
        raise typer.BadParameter(f"{command!r}: {error}", param_hint="'--notify-command'") from error
    if not words:
        raise typer.BadParameter("a command is missing", param_hint="'--notify-command'")
    _warn(lacking(words))
    return words


def _notify(words: Sequence[str], summary: dict[str, object]) -> None:
    from ..run.notify import LONGEST_S, notify

    stopped = summary["exit_code"] in (ExitCode.TERMINATED, ExitCode.INTERRUPTED)
    _warn(notify(words, summary, longest_s=HURRIED_S if stopped else LONGEST_S))


def _warn(problem: Diagnostic | None) -> None:
    if problem is not None:
        from ..report.diagnostics import show

        show([problem], sys.stderr)


def _code_of(error: BaseException) -> int:
    """The exit code that an exception leads to."""
    from ..run.signals import Terminated

    if isinstance(error, typer.Exit):
        return error.exit_code
    if isinstance(error, AnixError):
        return int(exit_code_of(error.diagnostics))
    if isinstance(error, Terminated):
        return int(ExitCode.TERMINATED)
    if isinstance(error, KeyboardInterrupt):
        return int(ExitCode.INTERRUPTED)
    return int(ExitCode.OK if isinstance(error, BrokenPipeError) else ExitCode.BUG)


@contextmanager
def _metrics_in(
    place: Path | None, command: str, backend: str, films: Sequence[str]
) -> Iterator[Metrics | None]:
    """Metrics that are written to a file while the run goes on and, the last time, when it has ended."""
    if place is None:
        yield None
        return
    from ..report.metrics import Metrics

    metrics, over = Metrics(command, backend, films), threading.Event()
    _write(metrics, place)
    thread = threading.Thread(target=_keep_written, args=(metrics, place, over), daemon=True)
    thread.start()
    try:
        yield metrics
    finally:
        over.set()
        thread.join()
        try:
            _write(metrics, place)
        except AnixError as error:  # the films are made all the same
            _warn(Diagnostic("W414", error.diagnostics[0].message, hint="the films are made all the same"))


def _keep_written(metrics: Metrics, place: Path, over: threading.Event) -> None:
    written = metrics.last
    while not over.wait(EVERY_S):
        if metrics.last != written:
            written = metrics.last
            with suppress(AnixError):  # it may go better next time
                _write(metrics, place)


def _write(metrics: Metrics, place: Path) -> None:
    """Replaces the file in one step, under a name meanwhile that no collector reads (they read *.prom)."""
    from ..store import atomic

    text = metrics.text()
    with atomic.scratch(place, "") as partial, atomic.unwritable(place):
        partial.write_text(text, encoding="utf-8")
        partial.replace(atomic.destination(place))
