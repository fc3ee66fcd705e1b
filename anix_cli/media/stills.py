"""Single frames of videos as small pictures."""

from __future__ import annotations

import io
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .inspect import unreadable
from .process import as_input, launch, output_of

Frames = NDArray[np.uint8]
_WEBP_QUALITY = 74
_FROM_VIDEO = {"in_color_matrix": "bt709", "in_range": "tv"}


def read_stills(
    places: Sequence[tuple[Path, int]], fps: Fraction, size_px: tuple[int, int], *, delivery: bool = False
) -> Frames:
    """Frames of videos, shrunk, with one run of ffmpeg for all of them.

    Args:
        places: file and frame, counted from 0.
        size_px: width and height of the result.
        delivery: the files are films (YUV, BT.709), not lossless masters or guides.

    Returns:
        uint8 [N, H, W, 3].

    Raises:
        AnixError: E541, a file is missing or damaged, or has no such frame; E401.
    """
    import ffmpeg

    width, height = size_px
    missing = next((path for path, _ in places if not path.is_file()), None)
    if missing is not None:
        raise unreadable(missing, "it is not there")
    pictures = []
    for path, frame in places:
        before = {"err_detect": "explode", "threads": 1}
        if frame > 0:
            # Half a frame early: a time stamp that was rounded to the container's ticks still comes after it.
            before["ss"] = f"{float((frame - Fraction(1, 2)) / fps):.6f}"
        source = as_input(path, **before).video.filter("trim", end_frame=1).filter("setpts", "N/(25*TB)")
        small = source.filter("scale", width, height, flags="area", **(_FROM_VIDEO if delivery else {}))
        pictures.append(small.filter("format", "rgb24").filter("setsar", 1))
    joined = ffmpeg.concat(*pictures, v=1, a=0) if len(pictures) > 1 else pictures[0]
    graph = joined.output("pipe:1", format="rawvideo", pix_fmt="rgb24", fps_mode="passthrough", xerror=None)
    ended, data = output_of(launch(graph, "reading", places[0][0], stdout=True))
    if ended.code != 0 or len(data) != len(places) * width * height * 3:
        raise unreadable(places[0][0], "a frame that should be there cannot be read")
    return np.frombuffer(data, dtype=np.uint8).reshape(len(places), height, width, 3)


def webp(frame: Frames) -> bytes:
    """A picture [H, W, 3] as WebP, small rather than perfect; the same bytes for the same pixels."""
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(frame).save(stream, "WEBP", quality=_WEBP_QUALITY, method=4)
    return stream.getvalue()
