"""Joins clips to one film: by stream copy where that is exact, else by one encode from the masters."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..core.errors import AnixError, fail
from ..core.plan import FilmOutput
from ..media.beside import Beside
from ..media.delivery import is_lossless, is_of_clips
from ..media.inspect import frame_times
from ..media.loudness import Loudness
from ..media.mp4 import Track
from ..media.process import launch, output_of, output_url
from ..media.process import tags as as_options
from ..media.video import VideoWriter, blame_writer, check_written, delivery_timescale
from ..store import atomic
from .captions import Caption
from .frames import Overlay
from .naming import check_name
from .segments import Segment, blame, check_segments, composed
from .soundtrack import SILENT, Soundtrack
from .tracks import tracks_beside


@dataclass(frozen=True)
class Joined:
    """A finished film.

    Attributes:
        copied: its picture was copied without a new encode.
        loudness: of its sound, where that was measured.
    """

    frames: int
    bytes: int
    copied: bool
    loudness: Loudness | None = None


def join(
    segments: Sequence[Segment],
    output: Path,
    *,
    fps: Fraction,
    size_px: tuple[int, int],
    encoding: FilmOutput | None = None,
    overlays: Sequence[Overlay] | None = None,
    captions: Sequence[Caption] = (),
    sound: Soundtrack = SILENT,
    title: str = "",
    metadata: Mapping[str, str] | None = None,
    advance: Callable[[int], None] | None = None,
    seal: Callable[[Path, Joined], None] | None = None,
) -> Joined:
    """Writes the film in one step: ``output`` is the old film or the whole new one, never half of it.

    Args:
        encoding: codec and quality; any but the clips' own makes a new encode from the masters necessary.
        overlays: drawn one after the other; any one makes a new encode necessary as well.
        captions, sound: subtitles and what is heard; the picture is the same, to the byte, with
            and without them.
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
    segments, headers, total = check_segments(segments, size_px, output)
    copied = is_of_clips(encoding) and not overlays and _alike(segments, headers, fps)
    tags = {} if metadata is None else {"title": title, **metadata}
    lossless = is_lossless(encoding)
    with (
        atomic.writing(output) as partial,
        tracks_beside(output, captions, sound, total, fps, lossless=lossless) as tracks,
    ):
        if copied:
            _copy(segments, partial, output, container, fps, tags, tracks.beside)
        else:
            frames = composed(segments, size_px, overlays or ())
            with VideoWriter(
                partial,
                size_px,
                fps,
                "delivery",
                container=container,
                encoding=encoding,
                beside=tracks.beside,
                metadata=tags,
                named=output,
            ) as film:
                for chunk in frames:
                    film.write(chunk)
                    if advance:
                        advance(len(chunk))
        _verify(partial, segments, total, fps, output, copied=copied)
        if copied and advance:
            advance(total)
        joined = Joined(total, partial.stat().st_size, copied, tracks.loudness)
        if seal:
            seal(partial, joined)
    return joined


def _alike(segments: Sequence[Segment], tracks: Sequence[Track], fps: Fraction) -> bool:
    """Whether the files differ in their pictures only, each frame lasting exactly 1/fps, in picture order;
    and none is shown together with another."""
    ticks = Fraction(tracks[0].timescale) / fps
    if ticks.denominator != 1:
        return False
    return all(
        track.description == tracks[0].description
        and track.timescale == tracks[0].timescale
        and track.durations == ((segment.frames, ticks.numerator),)
        and not track.reordered
        and not segment.overlap
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
        stream = ffmpeg.output(*streams, output_url(partial), map_metadata=-1, **options)
        joiner = launch(stream, "joining the clips to", output, stdout=True, cwd=folder, watched=partial)
        ended, _ = output_of(joiner)
    if ended.code != 0:
        raise joiner.failure(ended)
    check_written(partial, output)


def _verify(
    film: Path, segments: Sequence[Segment], total: int, fps: Fraction, output: Path, *, copied: bool
) -> None:
    """Decodes the film: every frame is there, at its time. ffmpeg alone says 0 to films with holes."""
    try:
        times = frame_times(film)
    except AnixError as error:
        if copied:
            blame(segments)
        raise blame_writer(error, output) from error
    if len(times) != total:
        if copied:
            blame(segments)
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
