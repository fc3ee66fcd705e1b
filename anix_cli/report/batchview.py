"""A batch as plain lines, and its summary."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from ..core.errors import Diagnostic
from ..core.events import (
    BatchFinished,
    BatchStarted,
    ClipFinished,
    Event,
    FilmFailed,
    FilmFinished,
    FilmLeft,
    Noted,
    TaskFailed,
)
from .bars import REDRAWN_S, Bars, Row
from .console import DRAWN_S, HEARTBEAT_S
from .diagnostics import as_text, encoding_of
from .progress import BatchProgress, left_told, steps_told
from .terminal import escaped, is_live, wants_colour

MOST_WORKERS = 8
"""So many are shown each."""


def batch_view(*, quiet: bool = False, stream: IO[str] | None = None) -> BatchLines:
    """The view that fits where stderr goes; ``quiet`` keeps failures only."""
    out = stream or sys.stderr
    return BatchBars(out) if is_live(out) and not quiet else BatchLines(quiet=quiet, stream=out)


class BatchLines:
    """A line for each clip, film and failure, and a heartbeat in long silences. Quiet: failures only."""

    def __init__(self, *, quiet: bool = False, stream: IO[str] | None = None) -> None:
        self._stream = stream or sys.stderr
        self._quiet = quiet
        self._lock = threading.RLock()
        self._written = time.monotonic()
        self._progress = BatchProgress()
        self._ended = threading.Event()
        if not quiet:
            threading.Thread(target=self._beat, daemon=True).start()

    def __enter__(self) -> BatchLines:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()

    def __call__(self, event: Event, film: str | None = None, take: int | None = None) -> None:
        with self._lock:
            self._progress(event, film, take)
        match event:
            case TaskFailed(again=True, problems=problems):
                self._show(problems)
                self._say(f"{self._name(film)}: once more")
            case FilmFailed(problems=problems):
                self._show(problems)
                self._say(f"{self._name(film)}: failed")
            case Noted(diagnostic):
                self._show((diagnostic,))
            case _ if not self._quiet:
                self._tell(event, film)

    def _tell(self, event: Event, film: str | None) -> None:
        match event:
            case FilmLeft():
                self._say(f"{self._name(film)}: left for another time")
            case BatchStarted(films, tasks, workers):
                self._say(f"{_count(films, 'film')}, {_count(tasks, 'task')}, {_count(workers, 'worker')}")
            case ClipFinished(shot, clip, _, frames, seconds, candidate):
                which = "" if candidate is None else f" candidate {candidate}"
                self._say(
                    f"{self._name(film)}: {shot}{which} clip {clip}: {frames} frames in {seconds:.1f} s"
                )
            case FilmFinished(path, frames, _, _, reused):
                place = escaped(path, encoding_of(self._stream))
                how = ", up to date" if reused else ""
                self._say(f"{self._name(film)}: {place}: {frames} frames{how}")
            case BatchFinished(made, failed, seconds):
                self._say(f"{made} made, {failed} failed in {seconds:.0f} s")

    def _show(self, problems: Sequence[Diagnostic]) -> None:
        colour, encoding = wants_colour(self._stream), encoding_of(self._stream)
        for problem in problems:
            self._say(as_text(problem, colour=colour, encoding=encoding))

    def _name(self, film: str | None) -> str:
        return "" if film is None else escaped(Path(film).name or film, encoding_of(self._stream))

    def _say(self, text: str) -> None:
        with self._lock:
            self._written = time.monotonic()
            self._stream.write(text + "\n")
            self._stream.flush()

    def _beat(self) -> None:
        while not self._ended.wait(1.0):
            with self._lock:
                if time.monotonic() - self._written > HEARTBEAT_S:
                    for line in batch_beat(self._progress):
                        self._say(line)


class BatchBars(BatchLines):
    """Bars: the whole batch, and what each worker makes. Lines above them for films and failures."""

    def __init__(self, stream: IO[str]) -> None:
        self._bars = Bars(stream)
        self._drawn, self._over = 0.0, False
        super().__init__(stream=stream)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            super().__exit__()
            self._over = True
            self._bars.close()

    def __call__(self, event: Event, film: str | None = None, take: int | None = None) -> None:
        super().__call__(event, film, take)
        with self._lock:
            if not self._over and time.monotonic() - self._drawn > DRAWN_S:
                self._draw()

    def _tell(self, event: Event, film: str | None) -> None:
        if isinstance(event, BatchFinished):
            with self._lock:
                self._over = True
                self._bars.close()
        if not isinstance(event, ClipFinished):  # shown while it was made
            super()._tell(event, film)

    def _say(self, text: str) -> None:
        self._bars.line(text)

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        progress = self._progress
        done, total = progress.frames
        if not total:  # films are only joined
            done, total = progress.tasks_done, progress.tasks
        rows = [
            Row(f"{progress.films_done}/{progress.films} films", done, total, left_told(progress.left_s()))
        ]
        for _, (what, run) in sorted(progress.workers.items())[:MOST_WORKERS]:
            rows.append(Row(f"{what} {run.where()}", *run.step_of))
        self._bars.show(rows)

    def _beat(self) -> None:
        while not self._ended.wait(REDRAWN_S):
            with self._lock:
                if self._drawn and not self._over:
                    self._draw()


def batch_beat(progress: BatchProgress) -> list[str]:
    """A heartbeat: how much is done, how long it may still take, and what the workers do."""
    left = left_told(progress.left_s())
    told = f"{progress.films_done}/{progress.films} films, {progress.tasks_done}/{progress.tasks} tasks done"
    lines = [f"{told}, {left}" if left else told]
    for _, (what, run) in sorted(progress.workers.items())[:MOST_WORKERS]:
        doing = steps_told(run)
        lines.append(f"  {what}: {doing}" if doing else f"  {what}")
    return lines


def summary_rows(outcomes: Sequence[Any]) -> list[dict[str, Any]]:
    """How each film ended, as plain values.

    Args:
        outcomes: with ``booked`` (its ``screenplay`` and ``output``), ``made``, ``reused``, ``left`` and
            ``problems``.
    """
    return [
        {
            "screenplay": str(one.booked.screenplay),
            "film": str(one.booked.output) if one.made else None,
            "state": _state(one),
            "problems": [
                {"code": problem.code, "message": problem.message}
                for problem in one.problems
                if problem.severity == "error"
            ],
        }
        for one in outcomes
    ]


def summary_text(rows: Sequence[dict[str, Any]], encoding: str = "utf-8") -> str:
    """A line a film, as a terminal may show it: its state, its screenplay, its file or why there is none."""
    return "\n".join(
        "\t".join((
            row["state"],
            escaped(row["screenplay"], encoding),
            escaped(row["film"] or _why(row["problems"]), encoding),
        ))
        for row in rows
    )  # fmt: skip


def _why(problems: Sequence[dict[str, Any]]) -> str:
    if not problems:
        return ""
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{problems[0]['code']} {problems[0]['message']}{more}"


def _state(one: Any) -> str:
    if one.made:
        return "up to date" if one.reused else "made"
    return "invalid" if one.booked.plan is None else "left" if one.left else "failed"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
