"""How far a run has come and how long it may still take: what bars and the plain log show of its events."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from ..core.events import (
    BatchStarted,
    Event,
    FilmFailed,
    FilmFinished,
    FilmLeft,
    FramesDone,
    RunStarted,
    StageFinished,
    StageStarted,
    TakeStarted,
    TaskFailed,
    TaskFinished,
    TaskStarted,
)

MADE = ("guide", "generate", "candidates")
"""Stages in which frames are made; in others they are put together."""


@dataclass
class _Stage:
    """Frames of a stage; ``expected_s``: how long all of them would take, as measured before."""

    total: int = 0
    done: int = 0
    expected_s: float | None = None
    begun: float | None = None
    ended: bool = False

    def left_s(self, now: float) -> float | None:
        """None where nothing is known. What was measured in this run counts more than what was before."""
        left = max(self.total - self.done, 0)
        if self.ended or not left:
            return 0.0
        if self.begun is not None and self.done:
            return (now - self.begun) / self.done * left
        return None if self.expected_s is None else self.expected_s / self.total * left


@dataclass
class RunProgress:
    """Where a run of one film is."""

    stage: str = ""
    shot: str = ""
    clip: int | None = None
    step: int = 0
    steps: int = 0
    take: int | None = None
    takes: int = 1
    over: bool = False
    _stages: dict[str, _Stage] = field(default_factory=dict)

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                self.takes = event.takes
                self._stages["guide"] = _Stage(event.guide_frames, expected_s=event.guide_seconds)
                self._stages["generate"] = _Stage(event.clip_frames, expected_s=event.clip_seconds)
            case StageStarted(stage, frames):
                self.stage, self.shot, self.clip, self.step, self.steps = stage, "", None, 0, 0
                found = self._stages.setdefault(stage, _Stage())
                found.total, found.done, found.begun = frames, 0, time.monotonic()
            case TakeStarted(number, takes):
                self.take, self.takes = number, takes
            case FramesDone(stage, shot, frames, clip, step, steps):
                self._stages.setdefault(stage, _Stage()).done += frames
                self.shot, self.clip, self.step, self.steps = shot, clip, step or 0, steps or 0
            case StageFinished(stage):
                self._stages.setdefault(stage, _Stage()).ended = True
            case FilmFinished():
                self.over = True

    @property
    def frames(self) -> tuple[int, int]:
        """Frames that are made, done and in all; where none are to be made, those that are put together."""
        made = [one for name, one in self._stages.items() if name in MADE and one.total]
        stages = made or list(self._stages.values())
        return sum(min(one.done, one.total) for one in stages), sum(one.total for one in stages)

    @property
    def step_of(self) -> tuple[int, int]:
        """Where what is being made is: steps of its clip, or frames of its stage."""
        if self.steps:
            return self.step, self.steps
        stage = self._stages.get(self.stage, _Stage())
        return min(stage.done, stage.total), stage.total

    def where(self) -> str:
        """What is being made: "guide wave", "take 1/2, wave clip 0", "join"."""
        take = (
            f"take {self.take + 1}/{self.takes}, " if self.take is not None and self.clip is not None else ""
        )
        if self.clip is not None:
            variant = " candidate" if self.stage == "candidates" else ""
            return f"{take}{self.shot}{variant} clip {self.clip}"
        return f"{self.stage} {self.shot}".strip()

    def left_s(self) -> float | None:
        """How long it may still take, None where that is not known. What is only put together counts once it
        has begun: it is quick."""
        each = [stage.left_s(time.monotonic()) for stage in self._stages.values()]
        return None if None in each else sum(one or 0.0 for one in each)


@dataclass
class BatchProgress:
    """Where a batch is, and each of its workers."""

    films: int = 0
    films_done: int = 0
    tasks: int = 0
    tasks_done: int = 0
    workers: dict[int, tuple[str, RunProgress]] = field(default_factory=dict)
    _frames: _Stage = field(default_factory=_Stage)
    _at_work: dict[tuple[str, int | None], int] = field(default_factory=dict)

    def __call__(self, event: Event, film: str | None, take: int | None) -> None:
        match event:
            case BatchStarted(films, tasks, workers, frames, seconds):
                self.films, self.tasks = films, tasks
                expected_s = None if seconds is None else seconds / max(workers, 1)
                self._frames = _Stage(frames, expected_s=expected_s, begun=time.monotonic())
            case TaskStarted(name, number, worker):
                which = "" if number is None else f" take {number + 1}"
                self.workers[worker] = f"{Path(name).name}{which}", RunProgress()
                self._at_work[name, number] = worker
            case TaskFinished(name, number):
                self.tasks_done += 1
                self.workers.pop(self._at_work.pop((name, number), -1), None)
            case TaskFailed(name, number):
                self.workers.pop(self._at_work.pop((name, number), -1), None)
            case FilmFinished() | FilmFailed() | FilmLeft():
                self.films_done += 1
            case _ if film is not None and (film, take) in self._at_work:
                self.workers[self._at_work[film, take]][1](event)
                if isinstance(event, FramesDone) and event.stage in MADE:
                    self._frames.done += event.frames

    @property
    def frames(self) -> tuple[int, int]:
        """Frames of guides, clips and candidates: made, and in all."""
        return min(self._frames.done, self._frames.total), self._frames.total

    def left_s(self) -> float | None:
        """How long it may still take, None where that is not known."""
        return self._frames.left_s(time.monotonic())


def left_told(seconds: float | None) -> str:
    """ "about 3 min left"; nothing where it is not known, or none is needed."""
    if not seconds:
        return ""
    if seconds < 60:
        return "under a minute left"
    minutes = round(seconds / 60)
    return f"about {minutes} min left" if minutes < 100 else f"about {seconds / 3600:.1f} h left"


def steps_told(progress: RunProgress) -> str:
    """ "take 1/2, wave clip 0, 12/30"."""
    done, total = progress.step_of
    where = progress.where()
    return f"{where}, {done}/{total}" if total and where else where
