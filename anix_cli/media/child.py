"""Runs another program so that it can neither outlive us nor keep us waiting for ever.

Its messages go to a file, so that it never waits on a pipe that nobody drains. It gets a process group of its
own: the terminal's Ctrl-C does not reach it (we end it ourselves, and then know that its file is half
written), and what it started ends with it. Time without progress is counted in waits that brought nothing,
not read from a clock: a computer that slept, or a clock that was set, ends nothing.
"""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..core.errors import AnixError, fail

STALL_S = 120.0
"""A program is ended after this long without progress: no byte taken, given or written to its file."""

ASK_S = 20.0
"""A short question must be answered in this time."""

_TICK_S = 0.25
_PIPE_BYTES = 1 << 20
_LOG_BYTES = 8 << 20
_SHOWN = 300
_FULL = ("No space left on device", "ENOSPC", "Disk quota exceeded")
_AGAIN = "Run the same command again; if it happens again, name another ffmpeg with ANIX_FFMPEG."
_COMPLAINT = re.compile(r"\[(?:error|fatal|panic)\] ([^\r\n]*)")
"""What ffmpeg itself calls an error, with "level" among its log flags. Other lines are not its own (a loader
or a wrapper wrote them) or do not matter."""


@dataclass(frozen=True)
class Ended:
    """How a program ended: exit code, what it called errors ("" if nothing), and what it said, for people.

    ``full``: a disk was full.
    """

    code: int
    complaints: str
    said: str
    full: bool


class Child:
    """A running program. Use :meth:`end` in any case.

    Args:
        command: the program and its arguments.
        doing, path: what messages say that it does, "writing", and with which file.
        watched: a file that it writes; while it changes there is progress.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        doing: str,
        path: Path,
        *,
        stdin: bool = False,
        stdout: bool = False,
        cwd: Path | None = None,
        watched: Path | None = None,
    ) -> None:
        self._doing, self._path, self._watched = doing, path, watched
        self._messages = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the child)
        try:
            self.process = subprocess.Popen(
                [encoded(word) for word in command],
                stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
                stdout=subprocess.PIPE if stdout else subprocess.DEVNULL,
                stderr=self._messages,
                cwd=cwd,
                bufsize=0,
                process_group=0,
            )
        except BaseException:
            self._messages.close()
            raise
        self._exit = _exit_handle(self.process.pid)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                _widen(pipe.fileno())

    def write(self, data: NDArray[np.generic]) -> None:
        """Hands over a contiguous array's bytes.

        Raises:
            BrokenPipeError: the program takes no more.
            AnixError: E402, it makes no progress.
        """
        if self.process.stdin is None:
            raise ValueError("this child has no standard input")
        handle, left = self.process.stdin.fileno(), data.data.cast("B")
        while left:
            if not self._await(handle, select.POLLOUT):
                raise BrokenPipeError
            with suppress(BlockingIOError):
                left = left[os.write(handle, left[:_PIPE_BYTES]) :]

    def read(self, size: int) -> NDArray[np.uint8]:
        """The next ``size`` bytes, fewer at the end. Raises E402 if there is no progress."""
        if self.process.stdout is None:
            raise ValueError("this child has no standard output")
        handle, buffer, got = self.process.stdout.fileno(), np.empty(size, dtype=np.uint8), 0
        while got < size and self._await(handle, select.POLLIN):
            with suppress(BlockingIOError):
                count = os.readv(handle, [buffer.data[got:]])
                if count == 0:
                    break
                got += count
        return buffer[:got]

    def finish(self) -> Ended:
        """Closes the input and waits for the end. Raises E402 if there is no progress."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        if self.process.returncode is None:
            self._await(None, 0)
        _end_group(self.process)
        text = self._log()
        complaints = "; ".join(dict.fromkeys(_COMPLAINT.findall(text)))
        said = complaints or "; ".join(text.strip().splitlines()[-4:])
        full = any(sign in text for sign in _FULL)
        code = self.process.returncode
        return Ended(-signal.SIGKILL if code is None else code, shortened(complaints), shortened(said), full)

    def end(self) -> None:
        """Ends the program if it still runs, and whatever it started; frees its pipes."""
        _end_group(self.process)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        if self._exit is not None:
            os.close(self._exit)
            self._exit = None
        self._messages.close()

    def failure(self, ended: Ended) -> AnixError:
        """The error of a program that ended badly: E411 if the disk is full, else E402."""
        if ended.full:
            return fail(
                "E411",
                f"The disk is full: {self._path} could not be finished.",
                file=self._path,
                hint="Free some space and run the same command again; what was finished is kept.",
            )
        how = f"was ended by signal {-ended.code}" if ended.code < 0 else f"ended with code {ended.code}"
        said = f" It said: {ended.said}" if ended.said else ""
        return fail("E402", f"ffmpeg {how} while {self._doing} {self._path}.{said}", file=self._path)

    def _await(self, handle: int | None, event: int) -> bool:
        """Waits until a pipe can be used (True) or the program has ended and the pipe cannot (False)."""
        pipe, any_of = select.poll(), select.poll()
        if handle is not None:
            pipe.register(handle, event)
            any_of.register(handle, event)
        if self._exit is not None:
            any_of.register(self._exit, select.POLLIN)
        tick_s, idle_s, mark = min(_TICK_S, STALL_S / 4), 0.0, self._mark()
        while idle_s < STALL_S:
            if handle is None and self._exit is None:
                with suppress(subprocess.TimeoutExpired):
                    self.process.wait(tick_s)
                    return False
                ready: set[int | None] = set()
            else:
                ready = {one for one, _ in any_of.poll(tick_s * 1000)}
            if handle in ready:
                return True
            if self._exit in ready if self._exit is not None else self.process.poll() is not None:
                return handle is not None and bool(pipe.poll(0))  # it may have written just before its end
            before, mark = mark, self._mark()
            idle_s = idle_s + tick_s if mark == before else 0.0
        raise fail(
            "E402",
            f"ffmpeg did nothing for {STALL_S:g} seconds while {self._doing} {self._path}, and was ended.",
            file=self._path,
            hint=_AGAIN,
        )

    def _mark(self) -> tuple[int, int] | None:
        """Changes as long as the watched file is written to."""
        if self._watched is None:
            return None
        try:
            found = self._watched.stat()
        except OSError:
            return None
        return found.st_size, found.st_mtime_ns

    def _log(self) -> str:
        self._messages.seek(0)
        return self._messages.read(_LOG_BYTES).decode(errors="replace")


def shortened(text: str) -> str:
    """As much of a program's words as a message may hold."""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Kills the group while its number is surely still its own, and takes the program's exit code."""
    if process.returncode is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):  # stuck in the kernel, as on a dead network disk
            process.wait(ASK_S)


def _exit_handle(pid: int) -> int | None:
    """Something to poll for a program's end; None where the system has no such thing."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _widen(pipe: int) -> None:
    """Fewer and larger steps, where the system can."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def encoded(word: str) -> bytes:
    """A word of a command. Text is UTF-8 whatever the locale, and names of files are as they are."""
    try:
        return os.fsencode(word)
    except UnicodeEncodeError:
        return word.encode("utf-8", "surrogateescape")


def ask(command: Sequence[str], *, seconds: float | None = None) -> tuple[int, bytes, bytes]:
    """Runs a short command: exit code, standard output, messages.

    Raises:
        OSError: it cannot be started.
        subprocess.TimeoutExpired: it did not end in time (``ASK_S``), and was ended.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(
            [encoded(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=messages,
            process_group=0,
        )
        exit_handle, patience = _exit_handle(process.pid), ASK_S if seconds is None else seconds
        try:
            if exit_handle is None:
                process.wait(patience)
            else:
                poll = select.poll()
                poll.register(exit_handle, select.POLLIN)
                if not poll.poll(patience * 1000):
                    raise subprocess.TimeoutExpired(command, patience)
        finally:
            _end_group(process)
            if exit_handle is not None:
                os.close(exit_handle)
        output.seek(0)
        messages.seek(0)
        return process.returncode, output.read(_LOG_BYTES), messages.read(_LOG_BYTES)
