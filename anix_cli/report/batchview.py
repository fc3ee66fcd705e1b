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
    Noted,
    TaskFailed,
    TaskFinished,
)
from .console import HEARTBEAT_S
from .diagnostics import as_text, encoding_of
from .terminal import escaped, wants_colour


class BatchLines:
    """A line for each clip, film and failure, and a heartbeat in long silences. Quiet: failures only."""

    def __init__(self, *, quiet: bool = False, stream: IO[str] | None = None) -> None:
        self._stream = stream or sys.stderr
        self._quiet = quiet
        self._lock = threading.Lock()
        self._written = time.monotonic()
        self._done = self._total = 0
        self._ended = threading.Event()
        if not quiet:
            threading.Thread(target=self._beat, daemon=True).start()

    def __enter__(self) -> BatchLines:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()

    def __call__(self, event: Event, film: str | None = None, take: int | None = None) -> None:
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
            case BatchStarted(films, tasks, workers):
                self._total = tasks
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
            case TaskFinished():
                self._done += 1
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
            if time.monotonic() - self._written > HEARTBEAT_S:
                self._say(f"{self._done}/{self._total} tasks done")


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
