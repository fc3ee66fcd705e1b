"""Texts on pictures: beside what they name, where they cover neither each other nor the marks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from PIL import ImageDraw

Colour = tuple[int, int, int]
Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in pixels."""

SMALL, MEDIUM, LARGE = 15, 18, 22
_LONGEST = 28
_WAYS = 16
_NEAR_PX, _RINGS_PX = 14, (14, 30, 52, 80, 116, 160)
_BORDER_PX = 2


class Labels:
    """Labels of one picture: placed one after the other, and drawn together, lines below texts."""

    def __init__(self, draw: ImageDraw.ImageDraw, size: tuple[int, int], size_px: int = MEDIUM) -> None:
        self._draw, self._size, self._font = draw, size, font(size_px)
        self._taken: list[Box] = []
        self._placed: list[tuple[tuple[float, float], list[tuple[float, float]], str, Colour]] = []

    def keep_free(self, box: Box) -> None:
        """Nothing is written there."""
        self._taken.append(box)

    def place(self, text: str, at: ArrayLike, colour: Colour) -> Box:
        """Beside a point: to the right if that is free, else on another side, else further off with a line
        to the point; where all is taken, where least is covered."""
        text = shortened(text)
        left, top, right, bottom = self._draw.textbbox((0, 0), text, self._font, stroke_width=2)
        x, y = (float(value) for value in np.asarray(at))
        boxes = [(ring, box) for ring in _RINGS_PX for box in _around(x, y, right - left, bottom - top, ring)]
        inside = [(ring, box) for ring, box in boxes if self._holds(box)] or boxes[:1]
        ring, box = next(
            ((ring, box) for ring, box in inside if not self._covered(box)),
            min(inside, key=lambda each: self._covered(each[1])),
        )
        end = (min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3]))
        line = [(x, y), end] if ring > _NEAR_PX else []
        self._taken.append(box)
        self._placed.append(((box[0] - left, box[1] - top), line, text, colour))
        return box

    def draw(self) -> None:
        """Draws all that was placed."""
        for _, line, _, colour in self._placed:
            if line:
                self._draw.line(line, (0, 0, 0), 3)
                self._draw.line(line, colour, 1)
        for corner, _, text, colour in self._placed:
            self._draw.text(corner, text, colour, self._font, stroke_width=2, stroke_fill=(0, 0, 0))

    def _holds(self, box: Box) -> bool:
        wide, high = self._size
        low = _BORDER_PX
        return box[0] >= low and box[1] >= low and box[2] <= wide - low and box[3] <= high - low

    def _covered(self, box: Box) -> float:
        """Area of what is there already."""
        return sum(_shared(box, other) for other in self._taken)


def _around(x: float, y: float, wide: float, high: float, ring: float) -> list[Box]:
    """Places of a text round a point: right, left, above, below, then those between."""
    first = [0, _WAYS // 2, 3 * _WAYS // 4, _WAYS // 4]
    boxes = []
    for way in [*first, *(way for way in range(_WAYS) if way not in first)]:
        across, down = math.cos(2 * math.pi * way / _WAYS), math.sin(2 * math.pi * way / _WAYS)
        middle_x = x + across * (ring + wide / 2)
        middle_y = y + down * (ring + high / 2)
        boxes.append((middle_x - wide / 2, middle_y - high / 2, middle_x + wide / 2, middle_y + high / 2))
    return boxes


def _shared(one: Box, other: Box) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0.0


def shortened(text: str) -> str:
    """On one line, without the middle if it is long."""
    text = " ".join(text.split())
    half = (_LONGEST - 1) // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}…{text[-half:]}"


def fitted(draw: ImageDraw.ImageDraw, text: str, size_px: int, room: float) -> str:
    """The text, cut at its end so that it is no wider than that."""
    if draw.textlength(text, font(size_px)) <= room:
        return text
    while text and draw.textlength(f"{text}…", font(size_px)) > room:
        text = text[:-1]
    return f"{text}…"


def font(size: int):  # type: ignore[no-untyped-def]  # Pillow gives one of two types
    from PIL import ImageFont

    return ImageFont.load_default(size)
