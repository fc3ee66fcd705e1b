"""Clips as the join needs them: held against the plan, and their frames one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import AnixError, fail
from ..media.inspect import MAKE_ANEW, count_frames
from ..media.mp4 import Track, read_track
from ..media.video import iter_frames
from .frames import Frames, Overlay
from .transition import dissolved


@dataclass(frozen=True)
class Segment:
    """One clip as the join needs it.

    ``name`` is what messages call it ("shot run, clip 2"). ``overlap`` is how many frames of the film, from
    its first one on, belong to what comes before it too: there it dissolves from one to the other.
    """

    master: Path
    delivery: Path
    frames: int
    name: str = "a clip"
    overlap: int = 0


def check_segments(
    segments: Sequence[Segment], size_px: tuple[int, int], output: Path
) -> tuple[list[Segment], list[Track], int]:
    """The clips that have frames, their headers, held against the plan, and how many frames the film has.

    Raises:
        AnixError: as :func:`join`.
    """
    total = sum(segment.frames - segment.overlap for segment in segments)
    if total <= 0:
        raise fail("E543", "The film has no frames: there is no clip to join.", file=output)
    segments = [segment for segment in segments if segment.frames]
    return segments, [_checked_track(segment, size_px) for segment in segments], total


def _checked_track(segment: Segment, size_px: tuple[int, int]) -> Track:
    track = read_track(segment.delivery)
    if not track.complete:
        raise _damaged(segment, segment.delivery, "it is cut off")
    if track.frames != segment.frames:
        raise _miscounted(segment, segment.delivery, track.frames)
    if track.size_px != size_px:
        raise _missized(segment, segment.delivery, track.size_px, size_px)
    return track


def composed(
    segments: Sequence[Segment], size_px: tuple[int, int], overlays: Sequence[Overlay]
) -> Iterator[Frames]:
    """The film's frames with dissolves and overlays, in pieces, from the masters."""
    overlaps, end = [], 0
    for segment in segments:
        if segment.overlap:
            overlaps.append((end - segment.overlap, end))
        end += segment.frames - segment.overlap
    at = 0
    for chunk in dissolved(_pieces(segments, size_px), overlaps):
        for overlay in overlays:
            chunk = overlay(chunk, at)  # noqa: PLW2901
        at += len(chunk)
        yield chunk


def _pieces(segments: Sequence[Segment], size_px: tuple[int, int]) -> Iterator[tuple[int, Frames]]:
    """The clips' frames from their masters, in pieces, each with the film frame that its first one is."""
    at = 0
    for segment in segments:
        at -= segment.overlap
        got = 0
        for chunk in iter_frames(segment.master, kind="master"):
            height, width = chunk.shape[1:3]
            if (width, height) != size_px:
                raise _missized(segment, segment.master, (width, height), size_px)
            got += len(chunk)
            if got > segment.frames:
                break
            yield at, chunk
            at += len(chunk)
        if got != segment.frames:
            raise _miscounted(segment, segment.master, got, more=got > segment.frames)


def blame(segments: Sequence[Segment]) -> None:
    """Raises the error of the clip that spoiled a joined film, if one can be found by itself."""
    for segment in segments:
        try:
            held = count_frames(segment.delivery)
        except AnixError as error:
            raise _damaged(segment, segment.delivery, "it cannot be decoded") from error
        if held != segment.frames:
            raise _miscounted(segment, segment.delivery, held)


def _damaged(segment: Segment, path: Path, why: str) -> AnixError:
    return fail(
        "E541",
        f"The video of {segment.name}, {path}, cannot be used: {why}.",
        file=path,
        hint=MAKE_ANEW,
    )


def _miscounted(segment: Segment, path: Path, held: int, *, more: bool = False) -> AnixError:
    found = "more" if more else str(held)
    return fail(
        "E542",
        f"The video of {segment.name}, {path}, has {found} frames where the plan wants {segment.frames}.",
        file=path,
        hint=MAKE_ANEW,
    )


def _missized(segment: Segment, path: Path, size: tuple[int, int], film: tuple[int, int]) -> AnixError:
    return fail(
        "E544",
        f"The video of {segment.name}, {path}, is {size[0]}x{size[1]}; the film is {film[0]}x{film[1]}.",
        file=path,
        hint="Plan again with the film's size, and run the same command again.",
    )
