"""How a run ended, for other programs: a view of its events, as plain values."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import __version__
from ..core.errors import Diagnostic
from ..core.events import Event, FilmFailed, FilmFinished, FilmLeft, TaskFailed, TaskStarted

VERSION = 1
STATES = ("made", "up to date", "failed", "invalid", "left", "unfinished")


class Ending:
    """Follows a run and sums up what became of its films.

    A film is ``made`` or ``up to date``; ``failed``, or ``invalid`` where it could not be begun; ``left`` for
    another time; or ``unfinished``: the run was stopped. Where films lie is told from the root on, as whoever
    is told need not be here.

    Args:
        films: the screenplays, as they were given.
    """

    def __init__(self, command: str, films: Sequence[str]) -> None:
        self._command = command
        self._started = time.monotonic()
        self._rows: dict[str, dict[str, Any]] = {name: _row(name) for name in films}
        self._problems: list[Diagnostic] = []
        self._begun: set[str] = set()

    def __call__(self, event: Event, film: str | None = None, take: int | None = None) -> None:
        row = self._row_of(film)
        match event:
            case TaskStarted(name):
                self._begun.add(name)
            case TaskFailed(again=False, problems=problems) if row is not None:
                row["problems"] += _plain(problems)
            case FilmFinished(path, reused=reused) if row is not None:
                row |= {"state": "up to date" if reused else "made", "film": str(Path(path).absolute())}
            case FilmLeft() if row is not None:
                row["state"] = "left"
            case FilmFailed(name, problems):
                row = self._row_of(name)
                if row is not None:
                    alone = self._command == "render"
                    row["state"] = "failed" if alone or name in self._begun else "invalid"
                    row["problems"] = row["problems"] or _plain(problems)

    def stopped_by(self, problems: Sequence[Diagnostic]) -> None:
        """The whole run was ended by these."""
        self._problems += problems

    def document(self, exit_code: int) -> dict[str, Any]:
        """The summary: films with their states and problems, and counts of them."""
        films = list(self._rows.values())
        counts = {state: sum(row["state"] == state for row in films) for state in STATES}
        told = [f"{count} {state}" for state, count in counts.items() if count]
        seconds = round(time.monotonic() - self._started, 1)
        known = {problem["message"] for row in films for problem in row["problems"]}
        return {
            "summary": VERSION,
            "anix": __version__,
            "command": self._command,
            "exit_code": exit_code,
            "seconds": seconds,
            "text": f"anix {self._command}: {', '.join(told) or 'nothing to do'} in {seconds:.0f} s",
            **{state.replace(" ", "_"): count for state, count in counts.items()},
            "films": films,
            "problems": [one for one in _plain(self._problems) if one["message"] not in known],
        }

    def _row_of(self, film: str | None) -> dict[str, Any] | None:
        if film is None:  # a run of one film
            return next(iter(self._rows.values()), None) if len(self._rows) == 1 else None
        return self._rows.get(film)


def _row(name: str) -> dict[str, Any]:
    return {"screenplay": name, "film": None, "state": "unfinished", "problems": []}


def _plain(problems: Sequence[Diagnostic]) -> list[dict[str, str]]:
    return [
        {"code": problem.code, "message": problem.message}
        for problem in problems
        if problem.severity == "error"
    ]
