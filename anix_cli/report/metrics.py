"""A run in Prometheus' text format (exposition format 0.0.4), for node_exporter's textfile collector."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from .. import __version__
from ..core.events import (
    BatchStarted,
    ClipFinished,
    Event,
    FilmFailed,
    FilmFinished,
    FilmLeft,
    FramesDone,
    GuideFinished,
    Noted,
    RunStarted,
    TaskFailed,
    TaskFinished,
    TaskStarted,
)

Labels = tuple[tuple[str, str], ...]
STATES = ("waiting", "running", "made", "reused", "failed", "left")


@dataclass(frozen=True)
class Family:
    """A metric: its samples are (what follows its name, labels, value)."""

    name: str
    kind: Literal["counter", "gauge", "summary"]
    help: str
    samples: Sequence[tuple[str, Labels, float]]


def exposition(families: Iterable[Family]) -> str:
    """The text of metrics; those without a sample are left out."""
    lines = []
    for family in families:
        if not family.samples:
            continue
        lines.append(f"# HELP {family.name} {_escaped(family.help, quotes=False)}")
        lines.append(f"# TYPE {family.name} {family.kind}")
        for ending, labels, value in family.samples:
            inside = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels)
            lines.append(f"{family.name}{ending}{f'{{{inside}}}' if inside else ''} {value:.15g}")
    return "\n".join(lines) + "\n"


@dataclass
class Metrics:
    """Counts what happens.

    Args:
        films: the screenplays, as they were given.
    """

    command: str
    backend: str
    films: Sequence[str]
    started: float = field(default_factory=time.time)
    last: float = field(default_factory=time.time)
    ended: float | None = None
    exit_code: int | None = None
    workers: int = 0
    tasks: int = 0
    running: set[tuple[str, int | None]] = field(default_factory=set)
    tasks_done: int = 0
    states: dict[str, str] = field(default_factory=dict)
    frames: Counter[str] = field(default_factory=Counter)
    clips: list[float] = field(default_factory=lambda: [0, 0.0])
    guides: list[float] = field(default_factory=lambda: [0, 0.0])
    failures: Counter[tuple[str, str]] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.states = dict.fromkeys(self.films, "waiting")
        self._lock = threading.Lock()

    def __call__(self, event: Event, film: str | None = None, take: int | None = None) -> None:
        with self._lock:
            self._count(event, film)

    def _count(self, event: Event, film: str | None) -> None:
        self.last = time.time()
        name = film if film is not None else next(iter(self.films), "")
        match event:
            case BatchStarted(_, tasks, workers):
                self.tasks, self.workers = tasks, workers
            case TaskStarted(task_film, task_take):
                self.running.add((task_film, task_take))
                self._runs(task_film)
            case RunStarted():
                self._runs(name)
            case TaskFinished(task_film, task_take):
                self.running.discard((task_film, task_take))
                self.tasks_done += 1
            case TaskFailed(task_film, task_take, _, again, problems):
                self.running.discard((task_film, task_take))
                code = problems[0].code if problems else ""
                self.failures[code, "true" if again else "false"] += 1
            case FramesDone(stage, _, frames):
                self.frames[stage] += frames
            case ClipFinished(seconds=seconds):
                self.clips = [self.clips[0] + 1, self.clips[1] + seconds]
            case GuideFinished(seconds=seconds):
                self.guides = [self.guides[0] + 1, self.guides[1] + seconds]
            case FilmFinished(reused=reused):
                self.states[name] = "reused" if reused else "made"
            case FilmFailed(failed):
                self.states[failed] = "failed"
            case FilmLeft(left):
                self.states[left] = "left"
            case Noted(diagnostic):
                self.warnings[diagnostic.code] += 1

    def _runs(self, film: str) -> None:
        if self.states.get(film) == "waiting":
            self.states[film] = "running"

    def finish(self, exit_code: int) -> None:
        """The run has ended."""
        self.ended, self.exit_code = time.time(), exit_code

    def text(self) -> str:
        """All of it, as it is now."""
        with self._lock:
            return exposition(self._families())

    def _families(self) -> list[Family]:
        states = Counter(self.states.values())
        return [
            _gauge("anix_build_info", "Version of anix.", {"version": __version__}, 1),
            _gauge("anix_run_info", "What runs.", {"command": self.command, "backend": self.backend}, 1),
            _gauge("anix_run_start_timestamp_seconds", "When the run began.", {}, self.started),
            _gauge("anix_run_end_timestamp_seconds", "When it ended; absent while it runs.", {}, self.ended),
            _gauge("anix_run_exit_code", "How it ended; absent while it runs.", {}, self.exit_code),
            _gauge("anix_last_event_timestamp_seconds", "When anything last happened in it.", {}, self.last),
            _gauge("anix_workers", "Workers of a batch.", {}, self.workers or None),
            Family(
                "anix_films", "gauge", "Films by state.",
                [("", (("state", state),), states[state]) for state in STATES],
            ),
            Family(
                "anix_film_state", "gauge", "1 for the state of each film.",
                [("", (("film", film), ("state", state)), 1) for film, state in self.states.items()],
            ),
            Family("anix_tasks", "gauge", "Tasks (takes and joins) of a batch by state.", self._tasks()),
            Family(
                "anix_frames_total", "counter", "Frames made, by stage.",
                [("", (("stage", stage),), count) for stage, count in sorted(self.frames.items())],
            ),
            _summary("anix_clip_duration_seconds", "Clips made, and how long they took.", self.clips),
            _summary("anix_guide_duration_seconds", "Guides rendered, and how long they took.", self.guides),
            Family(
                "anix_task_failures_total", "counter", "Tasks that failed; again: they are tried anew.",
                [
                    ("", (("code", code), ("again", again)), count)
                    for (code, again), count in sorted(self.failures.items())
                ],
            ),
            Family(
                "anix_warnings_total", "counter", "Warnings, by code.",
                [("", (("code", code),), count) for code, count in sorted(self.warnings.items())],
            ),
        ]  # fmt: skip

    def _tasks(self) -> list[tuple[str, Labels, float]]:
        if not self.tasks:
            return []
        counts = {"all": self.tasks, "running": len(self.running), "done": self.tasks_done}
        return [("", (("state", state),), count) for state, count in counts.items()]


def _gauge(name: str, told: str, labels: dict[str, str], value: float | None) -> Family:
    return Family(name, "gauge", told, [] if value is None else [("", tuple(labels.items()), value)])


def _summary(name: str, told: str, counted: Sequence[float]) -> Family:
    return Family(name, "summary", told, [("_count", (), counted[0]), ("_sum", (), counted[1])])


def _escaped(text: str, *, quotes: bool = True) -> str:
    """A label's value or a help text: UTF-8, on one line. Bytes of paths that are no UTF-8 become escapes."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"') if quotes else text
