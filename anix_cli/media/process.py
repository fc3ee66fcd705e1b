"""Runs ffmpeg: arguments through ffmpeg-python, the process itself by our own code.

A child never outlives the ``with`` that started it, never waits on an undrained pipe (its messages go to a
file) and never sees the terminal's Ctrl-C (we end it ourselves, and then know
that its file is half written).
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from ..core.errors import AnixError, fail
from .ffmpeg import find_ffmpeg

_TAIL_BYTES = 4000
_TAIL_LINES = 4
_FULL = ("No space left on device", "ENOSPC", "Disk quota exceeded")


def url(path: Path) -> str:
    """A file as ffmpeg must be given it, so that a leading dash, a colon or a quote means nothing special."""
    return f"file:{path.absolute()}"


def as_input(path: Path, **options: Any) -> Any:
    """An ffmpeg-python input of a local file; the file can name no other protocol than files."""
    import ffmpeg

    return ffmpeg.input(url(path), protocol_whitelist="file,pipe", **options)


def tags(metadata: Mapping[str, str]) -> dict[str, str]:
    """Output options that write tags into a file. What no command line can hold is left out of them."""
    told = sorted((key, value.replace("\0", "")) for key, value in metadata.items())
    return {
        f"metadata:g:{number}": f"{key}={value}".encode(errors="replace").decode()
        for number, (key, value) in enumerate(told)
    }


def arguments(stream: Any) -> list[str]:
    """The command line, without the program, of an ffmpeg-python graph."""
    import ffmpeg

    return ["-hide_banner", "-nostdin", "-y", "-loglevel", "error", *ffmpeg.get_args(stream)]


class Child:
    """A running ffmpeg. ``stdin`` and ``stdout`` are there if they were asked for."""

    def __init__(self, process: subprocess.Popen[bytes], messages: IO[bytes]) -> None:
        self.process = process
        self._messages = messages

    @property
    def stdin(self) -> IO[bytes]:
        if self.process.stdin is None:
            raise ValueError("this child has no standard input")
        return self.process.stdin

    @property
    def stdout(self) -> IO[bytes]:
        if self.process.stdout is None:
            raise ValueError("this child has no standard output")
        return self.process.stdout

    def messages(self) -> str:
        """The last lines that ffmpeg wrote."""
        self._messages.flush()
        size = self._messages.seek(0, 2)
        self._messages.seek(max(0, size - _TAIL_BYTES))
        lines = self._messages.read().decode(errors="replace").strip().splitlines()
        return "\n".join(lines[-_TAIL_LINES:])

    def finish(self) -> tuple[int, str]:
        """Closes the input, waits for the end; the return code and the last messages."""
        if self.process.stdin is not None and not self.process.stdin.closed:
            with suppress(BrokenPipeError):
                self.process.stdin.close()
        code = self.process.wait()
        return code, self.messages()

    def end(self) -> None:
        """Ends the process if it still runs, and frees its pipes."""
        if self.process.poll() is None:
            self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was still buffered has nowhere to go
                    pipe.close()
        self.process.wait()
        self._messages.close()


def launch(stream: Any, *, stdin: bool = False, stdout: bool = False, cwd: Path | None = None) -> Child:
    """Starts ffmpeg on a graph; the caller must call :meth:`Child.end`. Raises E401."""
    messages = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the child)
    try:
        process = subprocess.Popen(
            [str(find_ffmpeg()), *arguments(stream)],
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE if stdout else subprocess.DEVNULL,
            stderr=messages,
            cwd=cwd,
            process_group=0,
        )
    except OSError as error:
        messages.close()
        raise fail("E401", f"ffmpeg cannot be started: {error.strerror or error}.") from error
    return Child(process, messages)


@contextmanager
def running(
    stream: Any, *, stdin: bool = False, stdout: bool = False, cwd: Path | None = None
) -> Iterator[Child]:
    """ffmpeg at work; gone, whatever happens, when the block is left."""
    child = launch(stream, stdin=stdin, stdout=stdout, cwd=cwd)
    try:
        yield child
    finally:
        child.end()


def run(stream: Any, *, cwd: Path | None = None) -> tuple[int, str, bytes]:
    """Runs ffmpeg to its end: return code, last messages, standard output."""
    with running(stream, stdout=True, cwd=cwd) as child:
        output = child.stdout.read()
        code, messages = child.finish()
    return code, messages, output


def failure(doing: str, path: Path, code: int, messages: str) -> AnixError:
    """The error of an ffmpeg that ended badly: E411 if the disk is full, else E402."""
    if any(sign in messages for sign in _FULL):
        return fail(
            "E411",
            f"The disk is full: {path} could not be finished.",
            file=path,
            hint="Free some space and run the same command again; what was finished is kept.",
        )
    how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
    said = f" It said: {messages}" if messages else ""
    return fail("E402", f"ffmpeg {how} while {doing} {path}.{said}", file=path)


def command_line(stream: Any) -> Sequence[str]:
    """The whole command, for a log."""
    return [str(find_ffmpeg()), *arguments(stream)]
