"""Pictures of a film for where it can't be played: a poster, and small moving previews."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ..media.stills import read_stills
from .frames import Frames, Overlay
from .segments import Segment

PREVIEW_PX, PREVIEW_FPS, PREVIEW_FRAMES = 320, 8, 160
"""Of a moving preview: largest width, pictures a second, and how many at most; a longer film goes faster."""

_BATCH = 8
_JPEG_QUALITY, _WEBP_QUALITY = 90, 70


def poster(
    segments: Sequence[Segment],
    frame: int,
    fps: Fraction,
    size_px: tuple[int, int],
    overlays: Sequence[Overlay],
) -> bytes:
    """A frame of the film as JPEG, in its size. Raises E541, a master is damaged."""
    (picture,) = frames_at(segments, [frame], fps, size_px, overlays)
    stream = io.BytesIO()
    _image(picture).save(stream, "JPEG", quality=_JPEG_QUALITY, subsampling=0)
    return stream.getvalue()


def moving(
    kind: str,
    segments: Sequence[Segment],
    frames: int,
    fps: Fraction,
    size_px: tuple[int, int],
    overlays: Sequence[Overlay],
) -> bytes:
    """The film as an endless small moving picture. Raises E541, a master is damaged.

    Args:
        kind: "gif" or "webp".
        frames: of the film.
    """
    wanted, lasting = preview_frames(frames, fps)
    width = min(PREVIEW_PX, size_px[0])
    small = (width, max(1, round(size_px[1] * width / size_px[0])))
    pictures = [
        _image(picture).resize(small, resample=_BOX)
        for picture in frames_at(segments, wanted, fps, size_px, overlays)
    ]
    stream = io.BytesIO()
    if kind == "gif":
        first, *others = _of_few_colours(pictures)
        options: dict[str, Any] = {"optimize": False}
    else:
        first, *others = pictures
        options = {"quality": _WEBP_QUALITY, "method": 4}
    first.save(stream, kind.upper(), save_all=True, append_images=others, duration=lasting, loop=0, **options)
    return stream.getvalue()


def preview_frames(frames: int, fps: Fraction) -> tuple[list[int], list[int]]:
    """Which frames of a film its preview shows, and for how many milliseconds each: tens, as GIF has them."""
    step = max(1, round(fps / PREVIEW_FPS))
    seconds = Fraction(frames) / fps
    if frames > step * PREVIEW_FRAMES:
        step = -(-frames // PREVIEW_FRAMES)
        seconds = min(seconds, Fraction(PREVIEW_FRAMES, PREVIEW_FPS))
    wanted = list(range(0, frames, step))
    lasting = seconds / len(wanted)
    ends = [round(lasting * number * 100) * 10 for number in range(len(wanted) + 1)]
    return wanted, [max(10, stop - start) for start, stop in pairwise(ends)]


def frames_at(
    segments: Sequence[Segment],
    wanted: Sequence[int],
    fps: Fraction,
    size_px: tuple[int, int],
    overlays: Sequence[Overlay],
) -> Iterator[Frames]:
    """Single frames [H, W, 3] of the film, dissolves and overlays and all, in the order asked for."""
    starts = _starts(segments)
    parts = [(film, part) for film in wanted for part in _parts(segments, starts, film)]
    stills: list[Frames] = []
    for at in range(0, len(parts), _BATCH):
        places = [(segments[k].master, film - starts[k]) for film, (k, _) in parts[at : at + _BATCH]]
        stills.extend(read_stills(places, fps, size_px))
    mixed: dict[int, Any] = {}
    for (film, (_, share)), still in zip(parts, stills, strict=True):
        mixed[film] = mixed.get(film, 0.0) + still * np.float32(share)
    for film in wanted:
        frames = np.round(mixed[film]).astype(np.uint8)[None]
        for overlay in overlays:
            frames = overlay(frames, film)
        yield frames[0]


def _starts(segments: Sequence[Segment]) -> list[int]:
    """The film frame that each segment begins at."""
    ends = list(accumulate(segment.frames - segment.overlap for segment in segments))
    return [end - segment.frames for end, segment in zip(ends, segments, strict=True)]


def _parts(segments: Sequence[Segment], starts: Sequence[int], film: int) -> list[tuple[int, float]]:
    """Which segments show in a frame of the film, and how much of each."""
    there = [k for k, segment in enumerate(segments) if starts[k] <= film < starts[k] + segment.frames]
    if len(there) == 1:
        return [(there[0], 1.0)]
    earlier, later = there
    first = max(k for k in range(later + 1) if segments[k].overlap)
    share = (film - starts[first] + 0.5) / segments[first].overlap
    return [(earlier, 1 - share), (later, share)]


def _image(picture: Frames) -> Any:
    from PIL import Image

    return Image.fromarray(picture)


_BOX = 4
"""Pillow's name of the mean over all pixels that go into one."""


def _of_few_colours(pictures: list[Any]) -> list[Any]:
    """The pictures with one palette for all, so that what stands still does not flicker."""
    from PIL import Image

    some = pictures[:: max(1, len(pictures) // 16)]
    together = np.concatenate([np.asarray(picture) for picture in some])
    palette = Image.fromarray(together).quantize(colors=255)
    return [picture.quantize(palette=palette) for picture in pictures]
