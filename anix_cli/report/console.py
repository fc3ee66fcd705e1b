"""Progress on stderr: bars on a terminal, one plain line a step anywhere else."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import IO

from ..core.events import (
    ClipFinished,
    Event,
    FilmFinished,
    FramesDone,
    GuideFinished,
    Noted,
    ReportFinished,
    RunStarted,
    StageFinished,
    StageStarted,
)
from .bars import REDRAWN_S, Bars, Row
from .diagnostics import as_text, encoding_of
from .progress import RunProgress, left_told, steps_told
from .terminal import is_live, wants_colour

HEARTBEAT_S = 30.0
DRAWN_S = 0.1
"""Bars are drawn no more often than that."""


def console(*, quiet: bool = False, stream: IO[str] | None = None) -> Console:
    """The view that fits where stderr goes; ``quiet`` keeps warnings only."""
    out = stream or sys.stderr
    if quiet:
        return Console(out)
    return Live(out) if is_live(out) else Lines(out)


class Console:
    """Warnings only. An ``Emit`` and a context manager."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream

    def __enter__(self) -> Console:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __call__(self, event: Event) -> None:
        if isinstance(event, Noted):
            colour, encoding = wants_colour(self.stream), encoding_of(self.stream)
            self.line(as_text(event.diagnostic, colour=colour, encoding=encoding))

    def line(self, text: str) -> None:
        self.stream.write(text + "\n")
        self.stream.flush()

    def close(self) -> None:
        """Ends what is still being drawn."""


class Live(Console):
    """Bars: how far the film is, and what is being made just now."""

    def __init__(self, stream: IO[str]) -> None:
        super().__init__(stream)
        self._bars = Bars(stream)
        self._progress, self._title = RunProgress(), "film"
        self._drawn = 0.0
        self._lock = threading.RLock()
        self._ended = threading.Event()
        threading.Thread(target=self._tick, daemon=True).start()

    def __call__(self, event: Event) -> None:
        with self._lock:
            self._progress(event)
            self._hear(event)

    def _hear(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._title = event.title or "film"
                self.line(_opening(event))
            case FilmFinished() | ReportFinished():
                self._bars.close()
                self.line(_told(event) or "")
            case FramesDone() if time.monotonic() - self._drawn < DRAWN_S:
                pass
            case FramesDone() | StageStarted() | StageFinished():
                self._draw()
            case _:
                super().__call__(event)

    def line(self, text: str) -> None:
        self._bars.line(text)

    def close(self) -> None:
        with self._lock:
            self._ended.set()
            self._bars.close()

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        progress = self._progress
        rows = [Row(self._title, *progress.frames, left_told(progress.left_s()))]
        if where := progress.where():
            rows.append(Row(where, *progress.step_of))
        self._bars.show(rows)

    def _tick(self) -> None:
        while not self._ended.wait(REDRAWN_S):
            with self._lock:
                if self._drawn and not self._progress.over and not self._ended.is_set():
                    self._draw()


class Lines(Console):
    """A plain line a step, and a heartbeat in long silences."""

    def __init__(self, stream: IO[str]) -> None:
        super().__init__(stream)
        self._lock = threading.RLock()
        self._written = time.monotonic()
        self._progress = RunProgress()
        self._ended = threading.Event()
        threading.Thread(target=self._beat, daemon=True).start()

    def __call__(self, event: Event) -> None:
        with self._lock:
            self._progress(event)
        text = _told(event)
        if text is None:
            super().__call__(event)
        else:
            self.line(text)

    def line(self, text: str) -> None:
        with self._lock:
            self._written = time.monotonic()
            super().line(text)

    def close(self) -> None:
        self._ended.set()

    def _beat(self) -> None:
        while not self._ended.wait(1.0):
            with self._lock:
                if self._progress.stage and time.monotonic() - self._written > HEARTBEAT_S:
                    self.line(beat_told(self._progress))


def beat_told(progress: RunProgress) -> str:
    """A heartbeat: what is being made, how far it is, and how long all may still take."""
    done, total = progress.frames
    left = left_told(progress.left_s())
    told = f"{progress.stage:<9} {steps_told(progress)}; {done}/{total} frames in all"
    return f"{told}, {left}" if left else told


def _told(event: Event) -> str | None:
    """The line that an event is worth."""
    match event:
        case RunStarted():
            return _opening(event)
        case GuideFinished(shot, _, seconds):
            return f"guide     {shot}: done in {seconds:.1f} s"
        case ClipFinished(shot, clip, _, frames, seconds, candidate):
            which = "" if candidate is None else f" candidate {candidate}"
            return f"generate  {shot}{which} clip {clip}: {frames} frames in {seconds:.1f} s"
        case FilmFinished(path, frames, size, seconds, reused):
            how = "up to date" if reused else f"joined in {seconds:.1f} s"
            return f"join      {path}: {frames} frames, {_size(size)}, {how}"
        case ReportFinished(path, size, seconds, reused):
            how = "up to date" if reused else f"made in {seconds:.1f} s"
            return f"report    {path}: {_size(size)}, {how}"
    return None


def _size(count: int) -> str:
    """Bytes for people."""
    unit, name = next(((u, n) for u, n in ((1e9, "GB"), (1e6, "MB")) if count >= u), (1e3, "kB"))
    return f"{count / unit:.3g} {name}"


def _opening(event: RunStarted) -> str:
    name = event.title or "film"
    made = f"{event.clips - event.clips_cached} of {event.clips} clips to make"
    return f"{name}: {event.shots} shots, {made}, {event.guide_frames} guide frames to render"
