"""Video files: lossless (masters and masks FFV1, guides and depth HuffYUV), and the delivery format (H.264).

Pixels in memory are sRGB uint8 RGB. A delivery file is BT.709 limited range, converted *and* tagged in all
four tags: on ffmpeg 9 the ``-color_*`` options leave primaries and transfer unknown, ``setparams`` sets them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.errors import AnixError, fail
from ..core.plan import FilmOutput
from .beside import Beside
from .child import Child
from .delivery import FFV1, encoder_options
from .inspect import VideoInfo, check_read, count_frames, count_packets, frame_times, probe, unreadable
from .process import as_input, launch, output_url, running, tags

Kind = Literal["master", "guide", "depth", "mask", "delivery"]
Frames = NDArray[Any]

FROM_BT709 = "scale=in_color_matrix=bt709:in_range=tv:out_range=pc:flags=bicubic+accurate_rnd+full_chroma_int"

# Written in a fifth of FFV1's time and read in a third, for half as much again on the disk. It holds no
# checksums: a guide keeps its own.
_HUFFMAN = {"vcodec": "ffvhuff", "pred": "median"}

_PIECE_BYTES = 32 << 20


@dataclass(frozen=True)
class _Format:
    """How a kind looks in memory (raw pixel format, dtype, channels) and in its file."""

    raw: str
    dtype: type[np.generic]
    channels: int
    options: dict[str, Any]


_FORMATS: dict[str, _Format] = {
    "master": _Format("rgb24", np.uint8, 3, {**FFV1, "pix_fmt": "bgr0", "format": "matroska"}),
    "guide": _Format("rgb24", np.uint8, 3, {**_HUFFMAN, "pix_fmt": "gbrp", "format": "matroska"}),
    "depth": _Format("gray16le", np.uint16, 1, {**_HUFFMAN, "pix_fmt": "gray16le", "format": "matroska"}),
    "mask": _Format("gray", np.uint8, 1, {**FFV1, "pix_fmt": "gray", "format": "matroska"}),
    "delivery": _Format("rgb24", np.uint8, 3, {"format": "mp4"}),
}


def delivery_timescale(fps: Fraction) -> int:
    """Ticks per second of a delivery file: at least 10,000, and a whole number of them is a frame."""
    return fps.numerator * -(-10_000 // fps.numerator)


class VideoWriter:
    """Writes one video, frame by frame, to exactly the path given (rename it into place when it is whole).

    Args:
        path: an existing file is replaced; on any failure the file is removed.
        kind: "master" takes uint8 [F, H, W, 3], "guide" and "delivery" too; "depth" uint16 [F, H, W]; "mask"
            bool or uint8 [F, H, W], stored as 0 and 255.
        encoding, beside, metadata: of a delivery file: codec and quality, sound and captions, tags.
        named: what messages call the file, if not by ``path``.

    Raises:
        AnixError: E402 ffmpeg failed, E411 the disk is full, E401 no ffmpeg.
    """

    def __init__(
        self,
        path: Path,
        size_px: tuple[int, int],
        fps: Fraction,
        kind: Kind,
        *,
        container: str | None = None,
        encoding: FilmOutput | None = None,
        beside: Beside | None = None,
        metadata: dict[str, str] | None = None,
        named: Path | None = None,
    ) -> None:
        self.path, self.size_px, self.fps, self.kind = path, size_px, fps, kind
        self.frames = 0
        self._format = _FORMATS[kind]
        self._container = container
        self._encoding = encoding or FilmOutput()
        self._beside = beside or Beside()
        self._metadata = metadata or {}
        self._named = named or path
        self._child: Child | None = None
        if kind == "delivery" and (size_px[0] % 2 or size_px[1] % 2):
            raise ValueError(f"a delivery file needs an even width and height, not {size_px}")

    def __enter__(self) -> VideoWriter:
        import ffmpeg

        width, height = self.size_px
        options = {**self._format.options, "fflags": "+bitexact", "flags:v": "+bitexact", "r": str(self.fps)}
        if self._container:
            options["format"] = self._container
        if self.kind == "delivery":
            options |= encoder_options(self._encoding, options["format"])
            options |= self._beside.options(options["format"])
        if options["format"] == "matroska" and self.kind != "delivery":
            # ffmpeg shows rates with two decimals only; seeking to the frame needs the exact one.
            options["metadata:g:a"] = f"anix_fps={self.fps.numerator}/{self.fps.denominator}"
        if options["format"] in ("mp4", "mov"):
            options["video_track_timescale"] = delivery_timescale(self.fps)
        options |= tags(self._metadata)
        raw = ffmpeg.input(
            "pipe:0",
            format="rawvideo",
            pix_fmt=self._format.raw,
            s=f"{width}x{height}",
            framerate=str(self.fps),
        )
        film = ffmpeg.output(raw["v:0"], *self._beside.inputs(), output_url(self.path), **options)
        self._child = launch(film, "writing", self._named, stdin=True, watched=self.path)
        return self

    def write(self, frames: Frames) -> None:
        """Appends frames; see the class for their shape and dtype."""
        if self._child is None:
            raise ValueError("a VideoWriter writes inside its with block only")
        array = self._checked(frames)
        try:
            for frame in array:
                self._child.write(np.ascontiguousarray(frame))
        except BrokenPipeError as error:
            raise self._child.failure(self._child.finish()) from error
        self.frames += len(array)

    def _checked(self, frames: Frames) -> Frames:
        width, height = self.size_px
        channels = (3,) if self._format.channels == 3 else ()
        if frames.shape[1:] != (height, width, *channels):
            raise ValueError(f"{self.kind} frames are [F, {height}, {width}{', 3' if channels else ''}]")
        if self.kind == "mask":
            return np.where(frames, np.uint8(255), np.uint8(0))
        if frames.dtype != self._format.dtype:
            raise ValueError(f"{self.kind} frames are {np.dtype(self._format.dtype)}, not {frames.dtype}")
        return frames

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        done = False
        try:
            if kind is None:
                ended = child.finish()
                if ended.code != 0:
                    raise child.failure(ended)
                self._verify()
                done = True
        finally:
            child.end()
            if not done:
                _remove(self.path)

    def _verify(self) -> None:
        if self.frames == 0:
            raise ValueError("a video needs at least one frame")
        check_written(self.path, self._named)
        try:
            held = count_packets(self.path)
        except AnixError as error:
            raise blame_writer(error, self._named) from error
        if held != self.frames:
            raise not_made(self._named, f"it wrote {held} of {self.frames} frames")


def check_written(path: Path, named: Path) -> None:
    """Makes sure that ffmpeg, which said that all is well, wrote something. Raises E402 about ``named``."""
    if not path.is_file() or path.stat().st_size == 0:
        raise not_made(named, "it wrote nothing")


def blame_writer(error: AnixError, named: Path) -> AnixError:
    """What an error of reading back a file that was just written means: damage is its writer's fault."""
    if error.diagnostics[0].code != "E541":
        return error
    return not_made(named, "what it wrote cannot be read back")


def not_made(named: Path, why: str) -> AnixError:
    """The error of an ffmpeg whose result is not what its exit code says."""
    return fail(
        "E402",
        f"{named} could not be made: ffmpeg ended without an error, but {why}.",
        file=named,
        hint="Run the same command again; if it happens again, name another ffmpeg with ANIX_FFMPEG.",
    )


def read_frames(path: Path, start: int = 0, count: int | None = None, kind: Kind = "master") -> Frames:
    """Frames start … start + count − 1 (to the end if ``count`` is None), exact to the frame.

    Returns:
        uint8 [F, H, W, 3] (master, guide, delivery), uint16 [F, H, W] (depth), uint8 [F, H, W] of 0, 255
        (mask).

    Raises:
        AnixError: E541, the file is missing or damaged, or holds fewer frames than were asked for; E402,
            ffmpeg failed at it.
    """
    chunks = list(iter_frames(path, start=start, count=count, kind=kind))
    if not chunks:
        raise unreadable(path, "it holds no frame there")
    return np.concatenate(chunks) if len(chunks) > 1 else chunks[0]


def iter_frames(
    path: Path, chunk: int | None = None, *, start: int = 0, count: int | None = None, kind: Kind = "master"
) -> Iterator[Frames]:
    """As :func:`read_frames`, in pieces of at most ``chunk`` frames (None: about 32 MiB at a time)."""
    info = probe(path)
    width, height = info.size_px
    form = _FORMATS[kind]
    shape = (height, width, 3) if form.channels == 3 else (height, width)
    frame_bytes = height * width * form.channels * np.dtype(form.dtype).itemsize
    if chunk is None:
        chunk = max(1, _PIECE_BYTES // frame_bytes)
    reader = launch(_decoder(path, info, start, count, kind), "reading", path, stdout=True)
    with running(reader):
        left = count
        while left is None or left > 0:
            wanted = chunk if left is None else min(chunk, left)
            data = reader.read(wanted * frame_bytes)
            got = len(data) // frame_bytes
            if got:
                yield data[: got * frame_bytes].view(form.dtype).reshape(got, *shape)
            if left is not None:
                left -= got
            if got < wanted:
                break
        ended = reader.finish()
    check_read(path, reader, ended)
    if left:
        raise unreadable(path, f"{left} of the frames {start} to {start + (count or 0) - 1} are not there")


def _decoder(path: Path, info: VideoInfo, start: int, count: int | None, kind: Kind) -> Any:
    before: dict[str, Any] = {"err_detect": "explode"}
    after: dict[str, Any] = {"format": "rawvideo", "pix_fmt": _FORMATS[kind].raw, "fps_mode": "passthrough"}
    if start > 0:
        # Half a frame early: a time stamp that was rounded to the container's ticks still comes after it.
        before["ss"] = f"{float((start - Fraction(1, 2)) / info.fps):.6f}"
    if count is not None:
        after["frames:v"] = count
    # Times start anew at 0: what is left of a seek would round two frames to one tick.
    after["vf"] = "setpts=N/(FRAME_RATE*TB)" + (f",{FROM_BT709}" if kind == "delivery" else "")
    return as_input(path, **before).output("pipe:1", map="0:v:0", xerror=None, **after)


def _remove(path: Path) -> None:
    if path.is_file():  # never a device that somebody writes to
        path.unlink()


__all__ = [
    "FROM_BT709",
    "Kind",
    "VideoInfo",
    "VideoWriter",
    "count_frames",
    "count_packets",
    "delivery_timescale",
    "frame_times",
    "iter_frames",
    "probe",
    "read_frames",
]
