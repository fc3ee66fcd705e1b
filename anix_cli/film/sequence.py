"""A film as a folder of pictures, one a frame, with its sound and its captions as files beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import AnixError, fail
from ..core.plan import FilmOutput
from ..media.beside import CHANNELS, RATE, sound_encoder
from ..media.delivery import picture_encoder
from ..media.inspect import count_pictures
from ..media.process import as_input, launch, output_of, output_url, running
from ..media.video import blame_writer, check_written
from ..store import atomic
from .captions import Caption, in_turn, subrip
from .frames import Frames, Overlay
from .join import Joined
from .naming import CAPTIONS, PICTURE, SOUND, is_picture
from .segments import Segment, check_segments, composed
from .soundtrack import SILENT, Soundtrack
from .tracks import tracks_beside


def write_sequence(
    segments: Sequence[Segment],
    output: Path,
    *,
    fps: Fraction,
    size_px: tuple[int, int],
    encoding: FilmOutput,
    overlays: Sequence[Overlay] = (),
    captions: Sequence[Caption] = (),
    sound: Soundtrack = SILENT,
    advance: Callable[[int], None] | None = None,
    seal: Callable[[Path, Joined], None] | None = None,
) -> Joined:
    """Writes ``frame.000000.png`` … into a new folder, which then takes the place of the old one.

    PNG holds the frames as they are, sRGB; OpenEXR the same in linear light, as half floats. Arguments and
    errors as those of :func:`~anix_cli.film.join.join`.
    """
    segments, _, total = check_segments(segments, size_px, output)
    with (
        atomic.writing_folder(output, is_picture) as partial,
        tracks_beside(output, captions, sound, total, fps, lossless=True) as tracks,
    ):
        _write_pictures(
            composed(segments, size_px, overlays), partial, output, encoding.codec, size_px, advance
        )
        _verify(partial, encoding.codec, total, output)
        if tracks.beside.sound:
            _write_sound(tracks.beside.sound, partial / SOUND, output)
        if in_turn(captions):
            (partial / CAPTIONS).write_text(subrip(captions, fps), encoding="utf-8")
        size = sum(file.stat().st_size for file in partial.iterdir())
        joined = Joined(total, size, copied=False, loudness=tracks.loudness)
        if seal:
            seal(partial, joined)
    return joined


def linear(frames: Frames) -> np.ndarray:
    """sRGB bytes as linear light (IEC 61966-2-1): [n, 3, H, W] float32, planes green, blue, red."""
    level = np.arange(256) / 255
    table = np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4).astype("<f4")
    return np.ascontiguousarray(table[frames].transpose(0, 3, 1, 2)[:, (1, 2, 0)])


def _write_pictures(
    frames: Iterator[Frames],
    folder: Path,
    output: Path,
    codec: str,
    size_px: tuple[int, int],
    advance: Callable[[int], None] | None,
) -> None:
    import ffmpeg

    raw = ffmpeg.input(
        "pipe:0",
        format="rawvideo",
        pix_fmt="gbrpf32le" if codec == "exr" else "rgb24",
        s=f"{size_px[0]}x{size_px[1]}",
    )
    options: dict[str, Any] = {**picture_encoder(codec), "fflags": "+bitexact", "flags:v": "+bitexact"}
    options |= {"format": "image2", "start_number": 0, "fps_mode": "passthrough"}
    writer = launch(raw.output(PICTURE + codec, **options), "writing", output, stdin=True, cwd=folder)
    with running(writer):
        try:
            for chunk in frames:
                for picture in linear(chunk) if codec == "exr" else chunk:
                    writer.write(np.ascontiguousarray(picture))
                if advance:
                    advance(len(chunk))
        except BrokenPipeError as error:
            raise writer.failure(writer.finish()) from error
        ended = writer.finish()
    if ended.code != 0:
        raise writer.failure(ended)


def _verify(folder: Path, codec: str, total: int, output: Path) -> None:
    """Decodes the pictures: there are as many as there should be, each whole."""
    missing = next((n for n in range(total) if not (folder / f"{PICTURE % n}{codec}").is_file()), None)
    count = len(list(folder.iterdir()))
    if missing is None and count == total:
        try:
            count = count_pictures(folder, PICTURE + codec)
        except AnixError as error:
            raise blame_writer(error, output) from error
    if missing is not None or count != total:
        raise fail("E542", f"The pictures in {output} are {count} instead of {total}.", file=output)


def _write_sound(raw: Path, target: Path, output: Path) -> None:
    source = as_input(raw, format="f32le", ar=RATE, ac=CHANNELS)
    codec = sound_encoder("wav", lossless=True)
    stream = source.output(
        output_url(target), acodec=codec, format="wav", fflags="+bitexact", **{"flags:a": "+bitexact"}
    )
    writer = launch(stream, "writing", output, stdout=True, watched=target)
    ended, _ = output_of(writer)
    if ended.code != 0:
        raise writer.failure(ended)
    check_written(target, output)
