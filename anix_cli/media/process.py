"""ffmpeg's command lines (through ffmpeg-python), run as a :class:`~anix_cli.media.child.Child`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..core.errors import fail
from .child import Child, Ended
from .ffmpeg import find_ffmpeg

_CHUNK = 1 << 20


_VEILED = {0xDC00 + byte: 0x10FF00 + byte for byte in range(0x80, 0x100)}
"""ffmpeg-python encodes what it is given as UTF-8, which bytes of file names need not be (PEP 383): these
wait as characters that nothing else uses."""
_UNVEILED = {veiled: byte for byte, veiled in _VEILED.items()}


def url(path: Path) -> str:
    """A file as ffmpeg must be given it, so that a leading dash, a colon or a quote means nothing special."""
    return f"file:{path.absolute()}"


def output_url(path: Path) -> str:
    """A file as ffmpeg-python must be given it, for :func:`arguments`."""
    return url(path).translate(_VEILED)


def as_input(path: Path, **options: Any) -> Any:
    """An ffmpeg-python input of a local file; the file can name no other protocol than files."""
    import ffmpeg

    return ffmpeg.input(output_url(path), protocol_whitelist="file,pipe", **options)


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

    told = (argument.translate(_UNVEILED) for argument in ffmpeg.get_args(stream))
    return ["-hide_banner", "-nostdin", "-y", "-loglevel", "repeat+level+error", *told]


def launch(
    stream: Any,
    doing: str,
    path: Path,
    *,
    stdin: bool = False,
    stdout: bool = False,
    cwd: Path | None = None,
    watched: Path | None = None,
) -> Child:
    """Starts ffmpeg on a graph; the caller must call :meth:`Child.end`. Raises E401.

    Args:
        doing, path: what messages say that it does, "writing", and with which file.
        watched: the file that it writes, if any: while that changes, ffmpeg is at work.
    """
    command = [str(find_ffmpeg()), *arguments(stream)]
    try:
        return Child(command, doing, path, stdin=stdin, stdout=stdout, cwd=cwd, watched=watched)
    except OSError as error:
        raise fail("E401", f"ffmpeg cannot be started: {error.strerror or error}.") from error


@contextmanager
def running(child: Child) -> Iterator[Child]:
    """A program at work; gone, whatever happens, when the block is left."""
    try:
        yield child
    finally:
        child.end()


def output_of(child: Child) -> tuple[Ended, bytes]:
    """Lets a program that was started with ``stdout`` run to its end: how it ended, and all its output."""
    with running(child):
        pieces = []
        while len(piece := child.read(_CHUNK)):
            pieces.append(piece.tobytes())
        return child.finish(), b"".join(pieces)
