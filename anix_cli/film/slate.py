"""The slate: shot, command and time code over the lower edge of the picture, on a dark band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.time import timecode
from .join import Frames, Overlay

_BAND = 0.65
"""How much the band darkens: white text on it has a contrast of at least 7 : 1 on any picture."""
_TEXT_SHARE = 0.038
_COMMAND_LINES = 2


@dataclass(frozen=True)
class SlatedShot:
    """What a slate says of one shot. ``start`` and ``frames`` are counted in the film."""

    id: str
    command: str
    start: int
    frames: int


def slate(shots: Sequence[SlatedShot], *, fps: Fraction, size_px: tuple[int, int]) -> Overlay:
    """An overlay that names the shot, its command and the film's time code on every frame."""
    ends = np.cumsum([shot.frames for shot in shots])
    writer = _Writer(size_px)
    cache: dict[int, NDArray[np.float32]] = {}

    def draw(frames: Frames, start: int) -> Frames:
        slated = frames.copy()
        for offset in range(len(frames)):
            frame = start + offset
            number = min(int(np.searchsorted(ends, frame, side="right")), len(shots) - 1)
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


class _Writer:
    """Sets text into a band as ink [h, W] float32 in [0, 1]."""

    def __init__(self, size_px: tuple[int, int]) -> None:
        from PIL import ImageFont

        self.text_px = max(8, round(size_px[1] * _TEXT_SHARE))
        self.font: Any = ImageFont.load_default(self.text_px)
        self.margin = max(2, self.text_px // 2)
        self.line = round(self.text_px * 1.3)
        self.size = size_px
        self.clock_width = round(self.font.getlength("00:00:00:00")) + self.margin

    def band(self, shot: SlatedShot) -> NDArray[np.float32]:
        room = self.size[0] - 2 * self.margin
        texts = [self.shortened(plain(shot.id), room - self.clock_width)]
        texts += self.wrapped(plain(shot.command), room)
        texts = [text for text in texts if text]
        height = min(self.size[1], max(1, len(texts)) * self.line + 2 * self.margin)
        return self._ink(height, [(self.margin, row, text) for row, text in enumerate(texts)])

    def clock(self, text: str, height: int) -> NDArray[np.float32]:
        left = self.size[0] - self.margin - round(self.font.getlength(text))
        return self._ink(height, [(left, 0, text)])

    def shortened(self, text: str, room: int) -> str:
        """The text, or as much of its beginning as fits before an ellipsis."""
        if self.font.getlength(text) <= room:
            return text
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if self.font.getlength(text[:middle].rstrip() + "…") <= room:
                low = middle
            else:
                high = middle - 1
        return text[:low].rstrip() + "…"

    def wrapped(self, text: str, room: int) -> list[str]:
        """The text on at most two lines; what does not fit ends in an ellipsis."""
        words, lines = text.split(), [""]
        for number, word in enumerate(words):
            longer = f"{lines[-1]} {word}".strip()
            if not lines[-1] or self.font.getlength(longer) <= room:
                lines[-1] = longer
            elif len(lines) < _COMMAND_LINES:
                lines.append(word)
            else:
                lines[-1] = " ".join([lines[-1], *words[number:]])
                break
        return [self.shortened(line, room) for line in lines]

    def _ink(self, height: int, texts: list[tuple[int, int, str]]) -> NDArray[np.float32]:
        from PIL import Image, ImageDraw

        picture = Image.new("L", (self.size[0], height))
        draw = ImageDraw.Draw(picture)
        for x, row, text in texts:
            draw.text((x, self.margin + row * self.line), text, fill=255, font=self.font)
        return np.asarray(picture, dtype=np.float32) / np.float32(255)


def plain(text: str) -> str:
    """Text without what cannot be drawn: line breaks and control characters become spaces."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
