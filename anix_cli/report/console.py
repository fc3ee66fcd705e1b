"""Progress on stderr: bars on a terminal, one plain line a step anywhere else."""

from __future__ import annotations

import os
import sys
import threading
import time
from types import TracebackType
from typing import IO, Any

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
from .diagnostics import as_text, encoding_of
from .terminal import wants_colour

HEARTBEAT_S = 30.0


def console(*, quiet: bool = False, stream: IO[str] | None = None) -> Console:
    """The view that fits where stderr goes; ``quiet`` keeps warnings only."""
    out = stream or sys.stderr
    if quiet:
        return Console(out)
    live = out.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI")
    return Bars(out) if live else Lines(out)


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


class Bars(Console):
    """One tqdm bar a stage."""

    def __init__(self, stream: IO[str]) -> None:
        super().__init__(stream)
        self._bar: Any = None

    def __call__(self, event: Event) -> None:
        match event:
            case StageStarted(stage, frames) if frames:
                from tqdm import tqdm

                self._bar = tqdm(total=frames, desc=f"{stage:<9}", unit="frame", file=self.stream, leave=True)
            case FramesDone(_, shot, frames) if self._bar is not None:
                self._bar.set_postfix_str(shot, refresh=False)
                self._bar.update(frames)
            case StageFinished():
                self.close()
            case RunStarted():
                self.line(_opening(event))
            case _:
                super().__call__(event)

    def line(self, text: str) -> None:
        if self._bar is None:
            super().line(text)
        else:
            self._bar.write(text, file=self.stream)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class Lines(Console):
    """A plain line a step, and a heartbeat in long silences."""

    def __init__(self, stream: IO[str]) -> None:
        super().__init__(stream)
        self._lock = threading.Lock()
        self._written = time.monotonic()
        self._stage = ""
        self._done = self._total = 0
        self._ended = threading.Event()
        self._pulse = threading.Thread(target=self._beat, daemon=True)
        self._pulse.start()

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                self.line(_opening(event))
            case StageStarted(stage, frames):
                self._stage, self._done, self._total = stage, 0, frames
            case FramesDone(_, _, frames):
                self._done += frames
            case GuideFinished(shot, _, seconds):
                self.line(f"guide     {shot}: done in {seconds:.1f} s")
            case ClipFinished(shot, clip, _, frames, seconds, candidate):
                which = "" if candidate is None else f" candidate {candidate}"
                self.line(f"generate  {shot}{which} clip {clip}: {frames} frames in {seconds:.1f} s")
            case FilmFinished(path, frames, size, seconds, reused):
                how = "up to date" if reused else f"joined in {seconds:.1f} s"
                self.line(f"join      {path}: {frames} frames, {_size(size)}, {how}")
            case ReportFinished(path, size, seconds, reused):
                how = "up to date" if reused else f"made in {seconds:.1f} s"
                self.line(f"report    {path}: {_size(size)}, {how}")
            case _:
                super().__call__(event)

    def line(self, text: str) -> None:
        with self._lock:
            self._written = time.monotonic()
            super().line(text)

    def close(self) -> None:
        self._ended.set()

    def _beat(self) -> None:
        while not self._ended.wait(1.0):
            if self._stage and time.monotonic() - self._written > HEARTBEAT_S:
                self.line(f"{self._stage:<9} {self._done}/{self._total} frames")


def _size(count: int) -> str:
    """Bytes for people."""
    unit, name = next(((u, n) for u, n in ((1e9, "GB"), (1e6, "MB")) if count >= u), (1e3, "kB"))
    return f"{count / unit:.3g} {name}"


def _opening(event: RunStarted) -> str:
    name = event.title or "film"
    made = f"{event.clips - event.clips_cached} of {event.clips} clips to make"
    return f"{name}: {event.shots} shots, {made}, {event.guide_frames} guide frames to render"
