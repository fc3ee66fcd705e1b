"""What a watched film looks like now: put up by the one who makes it, read by those who serve it."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

KEPT = 2
"""Versions of the film and of the report that can still be read: a page may be in the middle of one."""


@dataclass(frozen=True)
class State:
    """What is told.

    Attributes:
        version: grows with every change.
        phase: "planning", "drawing", "making", "ready" or "stopped by an error".
        message: about it, one line.
        problems: errors and warnings in words, as they are told on a terminal.
        frame, film, report: their addresses, "" while there is none.
        shot: which shot the frame is of.
    """

    version: int = 0
    phase: str = "planning"
    message: str = ""
    problems: tuple[str, ...] = ()
    title: str = ""
    frame: str = ""
    shot: str = ""
    film: str = ""
    report: str = ""


@dataclass(frozen=True)
class Shown:
    """Something that can be read: bytes, or a file that stays open, so that it is whole though replaced."""

    kind: str
    data: bytes = b""
    handle: int | None = None
    size: int = 0

    def read(self, start: int, count: int) -> bytes:
        """Bytes from ``start`` on, as many as there are up to ``count``."""
        if self.handle is None:
            return self.data[start : start + count]
        return os.pread(self.handle, count, start)


@dataclass
class Board:
    """The state, and what it points to; safe to use from several threads."""

    state: State = field(default_factory=State)
    _shown: dict[str, Shown] = field(default_factory=dict)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def tell(self, **changes: Any) -> None:
        """Changes parts of the state, and wakes those who wait for it."""
        with self._changed:
            self.state = replace(self.state, version=self.state.version + 1, **changes)
            self._changed.notify_all()

    def put_bytes(self, stem: str, suffix: str, kind: str, data: bytes) -> str:
        """Makes bytes readable; their address, a new one each time."""
        return self._put(stem, suffix, Shown(kind, data, size=len(data)))

    def put_file(self, stem: str, file: Path, kind: str) -> str:
        """Makes a file readable as it is now."""
        handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        return self._put(stem, file.suffix, Shown(kind, handle=handle, size=os.fstat(handle).st_size))

    def _put(self, stem: str, suffix: str, shown: Shown) -> str:
        with self._changed:
            address = f"/{stem}-{self.state.version + 1}{suffix}"
            self._shown[address] = shown
            old = [name for name in self._shown if name.startswith(f"/{stem}-")][:-KEPT]
            for name in old:
                _close(self._shown.pop(name))
        return address

    def shown(self, address: str) -> Shown | None:
        with self._changed:
            return self._shown.get(address)

    def after(self, version: int, seconds: float) -> Mapping[str, Any]:
        """The state as soon as it is another than ``version``, or after so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self.state.version != version, timeout=seconds)
            return asdict(self.state)

    def close(self) -> None:
        """Lets go of all files."""
        with self._changed:
            for shown in self._shown.values():
                _close(shown)
            self._shown.clear()


def _close(shown: Shown) -> None:
    if shown.handle is not None:
        os.close(shown.handle)
