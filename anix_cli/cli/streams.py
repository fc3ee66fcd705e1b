"""Standard streams that never end a run: closed, full or unable to show a character."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any, TextIO


class Unbreakable(io.TextIOBase):
    """Standard error, or what is left of it: a log that is full or whose reader has gone stops nothing."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]  # the base class has None, and hides the stream's own
        return getattr(self._stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        if self._stream is not None:
            with suppress(OSError, ValueError):
                self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        if self._stream is not None:
            with suppress(OSError, ValueError):
                self._stream.flush()

    def isatty(self) -> bool:
        with suppress(OSError, ValueError):
            return self._stream is not None and self._stream.isatty()
        return False

    def fileno(self) -> int:
        if self._stream is None:
            raise OSError("standard error is closed")
        return self._stream.fileno()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def prepare_streams() -> None:
    """Gives every command a standard output and error that can be written, whatever the caller closed.

    An ASCII terminal gets escapes for what it can't show, never an exception.
    """
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  (open until exit)
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if not isinstance(sys.stderr, Unbreakable):
        sys.stderr = Unbreakable(sys.stderr)


def standard_input() -> bytes:
    """All of standard input; nothing if it is closed."""
    return b"" if sys.stdin is None else sys.stdin.buffer.read()


def close_stdout() -> None:
    """The reader has gone: what Python would still flush at exit goes nowhere."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
