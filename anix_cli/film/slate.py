"""The slate: shot, command and time code over the lower edge of the picture, on a dark band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..core.time import timecode
from .frames import Frames, Overlay
from .lettering import load_font, plain, shortened, wrapped

_BAND = 0.65
"""How much the band darkens: white text on it has a contrast of at least 7 : 1 on any picture."""
_TEXT_SHARE = 0.038
_LINE = 1.3
_COMMAND_LINES = 2


@dataclass(frozen=True)
class SlatedShot:
    """What a slate says of one shot. ``start`` and ``frames`` are counted in the film."""

    id: str
    command: str
    start: int
    frames: int


def slate(
    shots: Sequence[SlatedShot], *, fps: Fraction, size_px: tuple[int, int], font: Path | None = None
) -> Overlay:
    """An overlay that names the shot, its command and the film's time code on every frame.

    Where a shot dissolves from the one before, it is the new one that is named.
    """
    starts = np.array([shot.start for shot in shots])
    writer = _Writer(size_px, font)
    cache: dict[int, NDArray[np.float32]] = {}

    def draw(frames: Frames, start: int) -> Frames:
        slated = frames.copy()
        for offset in range(len(frames)):
            frame = start + offset
            number = max(int(np.searchsorted(starts, frame, side="right")) - 1, 0)
            if number not in cache:
                cache.clear()
                cache[number] = writer.band(shots[number])
            band = cache[number]
            ink = np.maximum(band, writer.clock(timecode(frame, fps), len(band)))[..., None]
            area = slated[offset, -ink.shape[0] :]
            dark = area * np.float32(1 - _BAND)
            area[:] = np.round(dark + (255 - dark) * ink).astype(np.uint8)
        return slated

    return draw


def band_px(size_px: tuple[int, int]) -> int:
    """The most of the picture's height that a slate covers."""
    text_px = _text_px(size_px)
    return min(size_px[1], (1 + _COMMAND_LINES) * round(text_px * _LINE) + 2 * max(2, text_px // 2))


def _text_px(size_px: tuple[int, int]) -> int:
    return max(8, round(size_px[1] * _TEXT_SHARE))


class _Writer:
    """Sets text into a band as ink [h, W] float32 in [0, 1]."""

    def __init__(self, size_px: tuple[int, int], font: Path | None) -> None:
        self.text_px = _text_px(size_px)
        self.font = load_font(font, self.text_px)
        self.margin = max(2, self.text_px // 2)
        self.line = round(self.text_px * _LINE)
        self.size = size_px
        self.clock_width = round(self.font.getlength("00:00:00:00")) + self.margin

    def band(self, shot: SlatedShot) -> NDArray[np.float32]:
        room = self.size[0] - 2 * self.margin
        texts = [shortened(self.font, plain(shot.id), room - self.clock_width)]
        texts += wrapped(self.font, plain(shot.command), room, _COMMAND_LINES)
        texts = [text for text in texts if text]
        height = min(self.size[1], max(1, len(texts)) * self.line + 2 * self.margin)
        return self._ink(height, [(self.margin, row, text) for row, text in enumerate(texts)])

    def clock(self, text: str, height: int) -> NDArray[np.float32]:
        left = self.size[0] - self.margin - round(self.font.getlength(text))
        return self._ink(height, [(left, 0, text)])

    def _ink(self, height: int, texts: list[tuple[int, int, str]]) -> NDArray[np.float32]:
        from PIL import Image, ImageDraw

        picture = Image.new("L", (self.size[0], height))
        draw = ImageDraw.Draw(picture)
        for x, row, text in texts:
            draw.text((x, self.margin + row * self.line), text, fill=255, font=self.font)
        return np.asarray(picture, dtype=np.float32) / np.float32(255)
