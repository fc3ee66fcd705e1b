"""What is in a video file: its size, rate, colour tags, number of frames, time stamps.

imageio-ffmpeg's wheel brings no ffprobe, so this reads what ffmpeg itself says.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..core.errors import AnixError, fail
from . import child as children
from .child import Child, Ended
from .ffmpeg import find_ffmpeg
from .process import as_input, launch, output_of, url

MAKE_ANEW = (
    "Run the same command again: what is damaged in the store is made anew. "
    "If that does not help, remove the folder that the file lies in."
)
"""What to do about a damaged file of the store."""


@dataclass(frozen=True)
class VideoInfo:
    """What a video says of itself. Colour tags are ffmpeg's words, "unknown" where there is none."""

    size_px: tuple[int, int]
    fps: Fraction
    codec: str
    pix_fmt: str
    color_range: str
    color_space: str
    color_primaries: str
    color_trc: str
    frames: int


def count_packets(path: Path) -> int:
    """The number of coded frames that a video file holds, without decoding them. Raises E541."""
    return len(_framecrc(path, copy=True))


def count_frames(path: Path) -> int:
    """The number of frames that come out when a video is decoded from start to end. Raises E541."""
    return len(_framecrc(path, copy=False))


def frame_times(path: Path) -> tuple[Fraction, ...]:
    """The presentation time in seconds of every frame, decoded in order. Raises E541."""
    return tuple(_framecrc(path, copy=False))


def count_pictures(folder: Path, pattern: str) -> int:
    """How many pictures of a folder can be decoded, by number from 0 on up to the first gap.

    Args:
        pattern: of their names, with the number as ``%06d``.

    Raises:
        AnixError: E541, there is none, or one is damaged.
    """
    import ffmpeg

    source = ffmpeg.input(pattern, format="image2", start_number=0, err_detect="explode")
    stream = source.output("pipe:1", format="framecrc", fps_mode="passthrough", xerror=None, flush_packets=1)
    reader = launch(stream, "reading", folder, stdout=True, cwd=folder)
    ended, output = output_of(reader)
    check_read(folder, reader, ended)
    return sum(1 for line in output.splitlines() if line and not line.startswith(b"#"))


def _framecrc(path: Path, *, copy: bool) -> list[Fraction]:
    _must_exist(path)
    options: dict[str, Any] = {"format": "framecrc", "map": "0:v:0", "xerror": None}
    options["flush_packets"] = 1  # each frame at once: what comes is how we know that it is at work
    options |= {"vcodec": "copy"} if copy else {"fps_mode": "passthrough"}
    source = as_input(path, err_detect="explode")
    reader = launch(source.output("pipe:1", **options), "reading", path, stdout=True)
    ended, output = output_of(reader)
    check_read(path, reader, ended)
    tick = Fraction(1)
    times = []
    for line in output.decode(errors="replace").splitlines():
        if line.startswith("#tb 0:"):
            tick = Fraction(line.split(":")[1].strip())
        elif line and not line.startswith("#"):
            times.append(int(line.split(",")[2]) * tick)
    return times


_VIDEO = re.compile(r"Stream #0:\d+.*?: Video: (?P<codec>\w+).*")
_SIZE = re.compile(r", (\d+)x(\d+)[ ,]")
_FPS = re.compile(r", ([\d.]+)(k?) fps")
_COLOUR = re.compile(r", (\w+)(?:\(([^)]*)\))?, \d+x\d+")
_EXACT = re.compile(r"^\s*anix_fps\s*: (\d+/\d+)\s*$", re.IGNORECASE | re.MULTILINE)


def probe(path: Path, *, count: bool = False) -> VideoInfo:
    """What a video says of itself, read from ffmpeg's own description (its wheel brings no ffprobe).

    ``frames`` is 0 unless ``count`` asks for the packets to be counted. Raises E541.
    """
    _must_exist(path)
    text = _describe(path)
    line = _VIDEO.search(text)
    size = _SIZE.search(line.group(0)) if line else None
    if line is None or size is None:
        raise unreadable(path, "it holds no video")
    rate, exact = _FPS.search(line.group(0)), _EXACT.search(text)
    fps = _rate(float(rate.group(1)) * (1000 if rate.group(2) else 1)) if rate else Fraction(0)
    if exact:
        fps = Fraction(exact.group(1))
    pix_fmt, tags = _colour(line.group(0))
    return VideoInfo(
        (int(size.group(1)), int(size.group(2))),
        fps,
        line.group("codec"),
        pix_fmt,
        *tags,
        count_packets(path) if count else 0,
    )


def _must_exist(path: Path) -> None:
    if not path.is_file():
        raise unreadable(path, "it does not exist")


def _describe(path: Path) -> str:
    """ffmpeg's description of a file. It ends with a complaint about the missing output; that is expected."""
    command = [str(find_ffmpeg()), "-hide_banner", "-nostdin"]
    command += ["-protocol_whitelist", "file,pipe", "-i", url(path)]
    try:
        _, _, text = children.ask(command, seconds=children.STALL_S)
    except subprocess.TimeoutExpired as error:
        raise fail(
            "E402", f"ffmpeg did not say in {error.timeout:g} seconds what {path} is.", file=path
        ) from error
    except OSError as error:
        raise fail("E401", f"ffmpeg cannot be started: {error.strerror or error}.") from error
    return text.decode(errors="replace")


def _rate(fps: float) -> Fraction:
    """The exact rate behind one that was printed with two decimals: 23.98 is 24000/1001."""
    if abs(fps - round(fps)) < 0.005:
        return Fraction(round(fps))
    ntsc = Fraction(round(fps) * 1000, 1001)
    return ntsc if abs(float(ntsc) - fps) < 0.006 else Fraction(fps).limit_denominator(1000)


def _colour(line: str) -> tuple[str, tuple[str, str, str, str]]:
    """Pixel format and the tags range, space, primaries, transfer of "yuv420p(tv, bt709, progressive)".

    ffmpeg prints one word where space, primaries and transfer agree, else "space/primaries/transfer".
    """
    found = _COLOUR.search(line)
    if found is None:
        return "unknown", ("unknown",) * 4
    words = [word.strip() for word in (found.group(2) or "").split(",")]
    scale = next((word for word in words if word in ("tv", "pc")), "unknown")
    other = [
        w for w in words if w and w not in ("tv", "pc", "progressive") and not w.startswith(("top", "bottom"))
    ]
    spaces = other[0].split("/") if other else ["unknown"]
    space, primaries, trc = spaces if len(spaces) == 3 else (spaces[0],) * 3
    return found.group(1), (scale, space, primaries, trc)


def check_read(path: Path, child: Child, ended: Ended) -> None:
    """Makes sure that ffmpeg read a file without complaint.

    Raises:
        AnixError: E541, it found damage (to a part of a frame it only tells of, its exit code stays 0);
            E402, it failed and blames no file.
    """
    if ended.complaints:
        raise unreadable(path, ended.complaints)
    if ended.code != 0:
        raise child.failure(ended)


def unreadable(path: Path, why: str) -> AnixError:
    return fail(
        "E541",
        f"The video {path} cannot be read: {why}.",
        file=path,
        hint=MAKE_ANEW,
    )
