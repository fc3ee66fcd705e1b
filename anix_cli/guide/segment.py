"""Guides in pieces: a long shot's guide is made segment by segment, and these are joined without loss.

A segment is a folder like a guide's, with ``segment.json`` in the place of ``guide.json``.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import fail
from ..core.plan import PlannedShot, ScenePlacement
from ..media.inspect import MAKE_ANEW, count_packets
from ..media.process import launch, output_of, output_url
from ..media.video import VideoWriter
from ..splat.choose import Part, Rasteriser
from .checks import Checks, read_checks, write_checks
from .frames import guide_frames

SEGMENT_FRAMES = 240
"""Frames of a segment: what a killed run may lose of a guide."""

FILES = {"rgb": "rgb.mkv", "depth": "depth.mkv", "mask": "mask.mkv"}
_RECORD = "segment.json"


@dataclass(frozen=True)
class Segment:
    """A written segment: how many frames, and the sum of their mean alphas."""

    folder: Path
    frames: int
    alpha_sum: float


def spans_of(frames: int, length: int = SEGMENT_FRAMES) -> list[range]:
    """The segments of a guide: equal lengths from the start, the last one shorter."""
    return [range(start, min(start + length, frames)) for start in range(0, frames, length)]


def write_segment(
    shot: PlannedShot,
    scene: Part,
    placement: ScenePlacement,
    frames: range,
    *,
    size_px: tuple[int, int],
    fps: Fraction,
    scale_m: float,
    rasteriser: Rasteriser,
    into: Path,
    advance: Callable[[int], None],
) -> Segment:
    """Writes some frames of a shot's guide into an existing folder; memory does not grow with their number.

    Raises:
        AnixError: E4xx, the encoder or the disk failed.
    """
    alpha_sum = 0.0
    checks = np.zeros((len(frames), len(FILES)), np.uint32)
    made = guide_frames(
        shot, scene, placement, frames, size_px=size_px, scale_m=scale_m, rasteriser=rasteriser
    )
    with ExitStack() as files:
        files.enter_context(closing(made))
        rgb = files.enter_context(VideoWriter(into / FILES["rgb"], size_px, fps, "guide"))
        depth = files.enter_context(VideoWriter(into / FILES["depth"], size_px, fps, "depth"))
        mask = files.enter_context(VideoWriter(into / FILES["mask"], size_px, fps, "mask"))
        for row, frame in enumerate(made):
            rgb.write(frame.rgb[None])
            depth.write(frame.depth[None])
            mask.write(frame.mask[None])
            checks[row] = frame.checks
            alpha_sum += frame.alpha
            advance(1)
    write_checks(into, checks)
    record = {"frames": len(frames), "alpha_sum": alpha_sum}
    (into / _RECORD).write_text(json.dumps(record) + "\n", encoding="utf-8")
    return Segment(into, len(frames), alpha_sum)


def read_segment(folder: Path) -> Segment:
    """What :func:`write_segment` wrote. Raises AnixError: E541, it is damaged."""
    try:
        record: Any = json.loads((folder / _RECORD).read_text(encoding="utf-8"))
        return Segment(folder, int(record["frames"]), float(record["alpha_sum"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _damaged(folder / _RECORD) from error


def join_segments(segments: Sequence[Segment], fps: Fraction, into: Path) -> Segment:
    """Writes the videos and checksums of all segments, one after the other, into an existing folder.

    The coded frames are copied, and get the times that they have in one piece.

    Raises:
        AnixError: E541, a segment is damaged; E402, E411, ffmpeg or the disk failed.
    """
    total = sum(segment.frames for segment in segments)
    for name in FILES.values():
        _join([segment.folder / name for segment in segments], into / name, fps)
        if count_packets(into / name) != total:
            raise _damaged(segments[0].folder / name)
    write_checks(into, np.concatenate([_checks_of(segment) for segment in segments]))
    return Segment(into, total, sum(segment.alpha_sum for segment in segments))


def _checks_of(segment: Segment) -> Checks:
    try:
        checks = read_checks(segment.folder)
    except (OSError, ValueError) as error:
        raise _damaged(segment.folder) from error
    if len(checks) != segment.frames:
        raise _damaged(segment.folder)
    return checks


def _join(parts: Sequence[Path], joined: Path, fps: Fraction) -> None:
    """ffmpeg's concat demuxer, over links with plain names: no quoting can go wrong in the list.

    Matroska keeps whole milliseconds; laid end to end, roundings would add up. So times are counted anew.
    """
    import ffmpeg

    with tempfile.TemporaryDirectory(prefix="anix-guide-") as name:
        folder = Path(name)
        lines = ["ffconcat version 1.0"]
        for number, part in enumerate(parts):
            link = f"{number:06d}{part.suffix}"
            (folder / link).symlink_to(part.absolute())
            lines.append(f"file {link}")
        (folder / "list.txt").write_text("\n".join(lines) + "\n", encoding="ascii")
        source = ffmpeg.input("list.txt", format="concat", protocol_whitelist="file")
        options = {
            "vcodec": "copy", "format": "matroska", "fflags": "+bitexact", "map_metadata": -1,
            "bsf:v": f"setts=ts=round(N*{fps.denominator}/({fps.numerator}*TB))",
            "metadata:g:a": f"anix_fps={fps.numerator}/{fps.denominator}",
        }  # fmt: skip
        stream = ffmpeg.output(source["v:0"], output_url(joined), **options)
        joiner = launch(stream, "joining the segments of", joined, stdout=True, cwd=folder, watched=joined)
        ended, _ = output_of(joiner)
    if ended.code != 0:
        raise joiner.failure(ended)


def _damaged(path: Path) -> Exception:
    return fail(
        "E541",
        f"A segment of a guide, {path}, cannot be used: it is damaged.",
        file=path,
        hint=MAKE_ANEW,
    )
