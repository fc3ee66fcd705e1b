"""Joins clips to one film: by stream copy where that is exact, else by one encode from the masters."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import AnixError, fail
from ..core.plan import FilmOutput
from ..media.beside import Beside
from ..media.delivery import CODEC_NAMES, CONTAINERS, SUFFIXES, is_lossless, is_of_clips
from ..media.inspect import MAKE_ANEW, count_frames, frame_times
from ..media.mp4 import Track, read_track
from ..media.process import launch, output_of, url
from ..media.process import tags as as_options
from ..media.video import VideoWriter, blame_writer, check_written, delivery_timescale, iter_frames
from ..store import atomic
from .captions import Caption
from .soundtrack import Cue
from .tracks import tracks_beside

Frames = NDArray[np.uint8]
Overlay = Callable[[Frames, int], Frames]
"""Frames [n, H, W, 3] and the film frame that the first of them is → the frames with something drawn on."""

MAX_NAME_BYTES = 255 - len(".json")
"""File systems take names of 255 bytes; the manifest's is the film's and ".json"."""


@dataclass(frozen=True)
class Segment:
    """One clip as the join needs it. ``name`` is what messages call it ("shot run, clip 2")."""

    master: Path
    delivery: Path
    frames: int
    name: str = "a clip"


@dataclass(frozen=True)
class Joined:
    """A finished film: its frames and bytes, and whether its picture was copied without a new encode."""

    frames: int
    bytes: int
    copied: bool


def join(
    segments: Sequence[Segment],
    output: Path,
    *,
    fps: Fraction,
    size_px: tuple[int, int],
    encoding: FilmOutput | None = None,
    overlays: Sequence[Overlay] | None = None,
    captions: Sequence[Caption] = (),
    cues: Sequence[Cue] = (),
    title: str = "",
    metadata: Mapping[str, str] | None = None,
    advance: Callable[[int], None] | None = None,
    seal: Callable[[Path, Joined], None] | None = None,
) -> Joined:
    """Writes the film in one step: ``output`` is the old film or the whole new one, never half of it.

    Args:
        encoding: codec and quality; any but the clips' own makes a new encode from the masters necessary.
        overlays: drawn one after the other; any one makes a new encode necessary as well.
        captions, cues: subtitles and sounds; the picture is the same, to the byte, with and without them.
        metadata: tags of the file beside ``title``; None leaves out the title as well.
        advance: called with the number of frames joined since the last call.
        seal: called with the finished, verified temporary file before it gets its name.

    Raises:
        AnixError: E432 not a film's name, E434 not one of this codec; E541 a clip is damaged; E542 a clip or
            the film has the wrong number of frames; E543 no frames; E544 a clip of another size; E381, E382,
            E454 a sound can't be used; E402, E411, E412.
    """
    encoding = encoding or FilmOutput()
    container = check_name(output, encoding.codec)
    total = sum(segment.frames for segment in segments)
    if total == 0:
        raise fail("E543", "The film has no frames: there is no clip to join.", file=output)
    segments = [segment for segment in segments if segment.frames]
    tracks = [_checked_track(segment, size_px) for segment in segments]
    copied = is_of_clips(encoding) and not overlays and _alike(segments, tracks, fps)
    tags = {} if metadata is None else {"title": title, **metadata}
    lossless = is_lossless(encoding)
    with (
        atomic.writing(output) as partial,
        tracks_beside(output, captions, cues, total, fps, container=container, lossless=lossless) as beside,
    ):
        if copied:
            _copy(segments, partial, output, container, fps, tags, beside)
        else:
            frames = _composed(segments, size_px, overlays or ())
            with VideoWriter(
                partial,
                size_px,
                fps,
                "delivery",
                container=container,
                encoding=encoding,
                beside=beside,
                metadata=tags,
                named=output,
            ) as film:
                for chunk in frames:
                    film.write(chunk)
                    if advance:
                        advance(len(chunk))
        _verify(partial, segments, fps, output, copied=copied)
        if copied and advance:
            advance(total)
        joined = Joined(total, partial.stat().st_size, copied)
        if seal:
            seal(partial, joined)
    return joined


def check_name(output: Path, codec: str = "h264") -> str:
    """The container that a film's name asks for. Nothing is opened.

    Raises:
        AnixError: E432, not a film's name; E434, not one of this codec; E412, what lies there is no file, or
            cannot be looked at.
    """
    container = CONTAINERS.get(output.suffix.lower())
    if container is None:
        known = ", ".join(CONTAINERS)
        raise fail("E432", f"{output} is not the name of a film: it must end in one of {known}.", file=output)
    if output.suffix.lower() not in SUFFIXES[codec]:
        usual = output.with_suffix(SUFFIXES[codec][0])
        raise fail(
            "E434",
            f"{CODEC_NAMES[codec]} does not go into a {output.suffix} file; "
            f"it needs {' or '.join(SUFFIXES[codec])}.",
            file=output,
            hint=f"Name the film {usual.name}, or choose another film.codec.",
        )
    length = len(os.fsencode(output.name))
    if length > MAX_NAME_BYTES:
        raise fail(
            "E432",
            f"The film's name is too long: {length} bytes; at most {MAX_NAME_BYTES} fit.",
            file=output,
            hint="Name a shorter output with -o.",
        )
    with atomic.unwritable(output):
        if output.is_dir():
            raise fail("E432", f"{output} is a folder; the name of a film is expected.", file=output)
    atomic.destination(output)
    return container


def _checked_track(segment: Segment, size_px: tuple[int, int]) -> Track:
    track = read_track(segment.delivery)
    if not track.complete:
        raise _damaged(segment, segment.delivery, "it is cut off")
    if track.frames != segment.frames:
        raise _miscounted(segment, segment.delivery, track.frames)
    if track.size_px != size_px:
        raise _missized(segment, segment.delivery, track.size_px, size_px)
    return track


def _alike(segments: Sequence[Segment], tracks: Sequence[Track], fps: Fraction) -> bool:
    """Whether the files differ in their pictures only, each frame lasting exactly 1/fps, in picture order."""
    ticks = Fraction(tracks[0].timescale) / fps
    if ticks.denominator != 1:
        return False
    return all(
        track.description == tracks[0].description
        and track.timescale == tracks[0].timescale
        and track.durations == ((segment.frames, ticks.numerator),)
        and not track.reordered
        for segment, track in zip(segments, tracks, strict=True)
    )


def _copy(
    segments: Sequence[Segment],
    partial: Path,
    output: Path,
    container: str,
    fps: Fraction,
    tags: Mapping[str, str],
    beside: Beside,
) -> None:
    """ffmpeg's concat demuxer, over links with plain names: no quoting can go wrong in the list."""
    import ffmpeg

    options: dict[str, Any] = {"vcodec": "copy", "format": container, "fflags": "+bitexact"}
    if container in ("mp4", "mov"):
        options |= {"movflags": "+faststart", "video_track_timescale": delivery_timescale(fps)}
    options |= beside.options(container) | as_options(tags)
    with tempfile.TemporaryDirectory(prefix="anix-join-") as name:
        folder = Path(name)
        lines = ["ffconcat version 1.0"]
        for number, segment in enumerate(segments):
            link = f"{number:06d}.mp4"
            (folder / link).symlink_to(segment.delivery.absolute())
            lines.append(f"file {link}")
        (folder / "list.txt").write_text("\n".join(lines) + "\n", encoding="ascii")
        source = ffmpeg.input("list.txt", format="concat", protocol_whitelist="file")
        streams = [source["v:0"], *beside.inputs()]
        stream = ffmpeg.output(*streams, url(partial), map_metadata=-1, **options)
        joiner = launch(stream, "joining the clips to", output, stdout=True, cwd=folder, watched=partial)
        ended, _ = output_of(joiner)
    if ended.code != 0:
        raise joiner.failure(ended)
    check_written(partial, output)


def _composed(
    segments: Sequence[Segment], size_px: tuple[int, int], overlays: Sequence[Overlay]
) -> Iterator[Frames]:
    """The film's frames with their overlays, in pieces, from the masters."""
    at = 0
    for segment in segments:
        got = 0
        for chunk in iter_frames(segment.master, kind="master"):
            height, width = chunk.shape[1:3]
            if (width, height) != size_px:
                raise _missized(segment, segment.master, (width, height), size_px)
            got += len(chunk)
            if got > segment.frames:
                break
            for overlay in overlays:
                chunk = overlay(chunk, at)  # noqa: PLW2901
            at += len(chunk)
            yield chunk
        if got != segment.frames:
            raise _miscounted(segment, segment.master, got, more=got > segment.frames)


def _verify(film: Path, segments: Sequence[Segment], fps: Fraction, output: Path, *, copied: bool) -> None:
    """Decodes the film: every frame is there, at its time. ffmpeg alone says 0 to films with holes."""
    try:
        times = frame_times(film)
    except AnixError as error:
        if copied:
            _blame(segments)
        raise blame_writer(error, output) from error
    total = sum(segment.frames for segment in segments)
    if len(times) != total:
        if copied:
            _blame(segments)
        raise fail(
            "E542", f"The joined film {output} has {len(times)} frames instead of {total}.", file=output
        )
    tolerance = Fraction(1, 1000)  # Matroska keeps whole milliseconds
    late = next((i for i, t in enumerate(times) if abs(t - times[0] - i / fps) > tolerance), None)
    if late is not None:
        raise fail(
            "E542",
            f"The joined film {output} is out of step: frame {late} is shown at {float(times[late]):.3f} s "
            f"instead of {float(late / fps):.3f} s.",
            file=output,
        )


def _blame(segments: Sequence[Segment]) -> None:
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
