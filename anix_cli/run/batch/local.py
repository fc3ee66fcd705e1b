"""Workers that are processes of this machine: orders go in and events come out, a line of JSON each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

from ...core.errors import Diagnostic
from ...core.events import Event
from ...core.eventstream import event_of
from .orders import Order

ENDING_S = 10.0
"""So long a worker that was asked to end has for it."""


@dataclass(frozen=True)
class Said:
    """What a worker tells: an event, or None when it has ended. ``run`` counts the processes in its place."""

    worker: int
    run: int
    event: Event | None


@dataclass
class Local:
    """One place of work: a process, and another one after it has been lost.

    Args:
        heard: where all that workers tell arrives.
        command: of the process.
        environment: what is set for it beside ours.
        cores: the CPU cores that it may use; none said: all.
    """

    number: int
    heard: SimpleQueue[Said]
    command: Sequence[str]
    environment: dict[str, str] = field(default_factory=dict)
    cores: Sequence[int] = ()
    run: int = 0
    _process: subprocess.Popen[bytes] | None = None

    @property
    def ready(self) -> bool:
        """A process can always be started."""
        return True

    def give(self, order: Order) -> None:
        """Hands over an order; a process is started for it if none runs."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        pipe = self._process.stdin if self._process else None
        if pipe is not None:
            with suppress(OSError):  # it has just died: its end is told by its reader
                pipe.write(order.line().encode() + b"\n")
                pipe.flush()

    def end(self) -> None:
        """Asks the process to end, as cleanly as SIGTERM does."""
        if self._process is not None:
            with suppress(OSError):
                self._process.terminate()

    def kill(self) -> None:
        """Ends it at once, and waits until it has ended."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def wait(self, seconds: float = ENDING_S) -> None:
        """Waits for the end of the process, and kills it if that takes longer than this."""
        if self._process is None:
            return
        try:
            self._process.wait(max(seconds, 0.0))
        except subprocess.TimeoutExpired:
            self.kill()

    def how_it_ended(self, doing: str) -> Diagnostic:
        """Why a process that was doing something is gone (E561)."""
        code = self._process.wait() if self._process is not None else 0
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        hint = "finished clips are kept; the same command goes on from here"
        if code == -9:
            hint = f"most often memory ran out: use fewer --jobs; {hint}"
        return Diagnostic("E561", f"{doing}: the worker {how}", hint=hint)

    def _start(self) -> None:
        self.run += 1
        self._process = subprocess.Popen(
            [sys.executable, *self.command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **self.environment},
            start_new_session=True,  # Ctrl-C is for the one who started the batch, who tells us
        )
        if self.cores and hasattr(os, "sched_setaffinity"):
            with suppress(OSError):
                os.sched_setaffinity(self._process.pid, self.cores)
        threading.Thread(target=self._read, args=(self._process.stdout, self.run), daemon=True).start()

    def _read(self, pipe: Any, run: int) -> None:
        for line in pipe:
            with suppress(ValueError, KeyError, TypeError):  # what is no event was not meant for us
                self.heard.put(Said(self.number, run, event_of(json.loads(line))))
        self.heard.put(Said(self.number, run, None))
