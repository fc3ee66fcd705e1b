"""Captions drawn on the picture: white with a dark edge, centred above the lower edge."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .captions import Caption, in_turn
from .frames import Frames, Overlay
from .lettering import load_font, plain, wrapped

_TEXT_SHARE = 0.055
_LINE = 1.25
_EDGE_SHARE = 0.09
_ROOM_SHARE = 0.88
_MOST_LINES = 4

_Ink = tuple[int, NDArray[np.float32], NDArray[np.float32]]
"""Rows from the top of the picture, and how much of letters [h, W, 1] and of their edge covers it."""


def burnt(
    captions: Sequence[Caption], *, size_px: tuple[int, int], raised_px: int = 0, font: Path | None = None
) -> Overlay:
    """An overlay that shows each caption on exactly its frames: those that begin while it is shown.

    Args:
        raised_px: how much of the lower edge is taken by something else.
    """
    shown = in_turn(captions)
    starts = [one.start for one in shown]
    cache: dict[int, _Ink] = {}

    def draw(frames: Frames, start: int) -> Frames:
        drawn = frames
        for offset in range(len(frames)):
            number = bisect_right(starts, start + offset) - 1
            if number < 0 or start + offset >= shown[number].stop:
                continue
            if drawn is frames:
                drawn = frames.copy()
            if number not in cache:
                cache.clear()
                cache[number] = _set(shown[number].text, size_px, raised_px, font)
            top, letters, edge = cache[number]
            area = drawn[offset, top : top + len(letters)]
            area[:] = np.round(area * (1 - edge) * (1 - letters) + 255 * letters).astype(np.uint8)
        return drawn

    return draw


def _set(text: str, size_px: tuple[int, int], raised_px: int, font: Path | None) -> _Ink:
    from PIL import Image, ImageDraw

    width, height = size_px
    text_px = max(8, round(height * _TEXT_SHARE))
    face = load_font(font, text_px)
    edge_px = max(1, round(text_px * _EDGE_SHARE))
    lines: list[str] = []
    for line in text.splitlines():
        lines += wrapped(face, plain(line), width * _ROOM_SHARE, _MOST_LINES)
    lines = lines[-_MOST_LINES:]
    line_px = round(text_px * _LINE)
    tall = min(height, len(lines) * line_px + 2 * edge_px)
    pictures = [Image.new("L", (width, tall)) for _ in range(2)]
    for row, line in enumerate(lines):
        place = (width / 2, edge_px + row * line_px)
        for picture, stroke in zip(pictures, (0, edge_px), strict=True):
            ImageDraw.Draw(picture).text(
                place, line, fill=255, font=face, anchor="ma", stroke_width=stroke, stroke_fill=255
            )
    letters, edge = (np.asarray(one, dtype=np.float32)[..., None] / np.float32(255) for one in pictures)
    bottom = height - raised_px - round(height * 0.04)
    return max(0, bottom - tall), letters, edge
