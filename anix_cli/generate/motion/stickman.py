"""Skeletons drawn as pose annotators draw them: COCO's 18 joints, a hue for each limb, black around them.

Two models, two hands. What each was trained on is read off its published annotator:

- VACE (``vace/annotators/pose.py`` and ``dwpose/util.py``, body alone): drawn on a canvas whose shorter side
  is 1024, with limbs 8 wide and joints of radius 4, then brought to the picture's size. It hands its maps on
  with red and blue swapped, as its authors' own figures show; so does this.
- Wan-Animate (``wan/modules/animate/preprocess/human_visualization.py``): drawn at the picture's size, half
  as wide as a two-hundredth of its shorter side less one pixel, with toes, red first.

Both leave out a limb if one of its joints was not found, draw limbs at 0.6 of their brightness, and joints
over them. VACE's maps are those of its mode ``pose_body``: its ``pose`` has 68 points of the face as well,
which no rig tells, and neither has hands. Wan-Animate's have hands where its detector is surer than 0.6; they
are left out as where it is not, since the joints of a rig's fingers are not known here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.clip import Frames

if TYPE_CHECKING:
    from PIL import Image

F64 = NDArray[np.float64]

LIMBS = (
    (1, 2), (1, 5), (2, 3), (3, 4), (5, 6), (6, 7), (1, 8), (8, 9), (9, 10), (1, 11), (11, 12), (12, 13),
    (1, 0), (0, 14), (14, 16), (0, 15), (15, 17), (13, 18), (10, 19),
)  # fmt: skip
"""Joints by their number in ``character.skeleton.JOINTS``, in the order in which they are drawn."""
COLOURS = (
    (255, 0, 0), (255, 85, 0), (255, 170, 0), (255, 255, 0), (170, 255, 0), (85, 255, 0), (0, 255, 0),
    (0, 255, 85), (0, 255, 170), (0, 255, 255), (0, 170, 255), (0, 85, 255), (0, 0, 255), (85, 0, 255),
    (170, 0, 255), (255, 0, 255), (255, 0, 170), (255, 0, 85), (200, 200, 0), (100, 100, 0),
)  # fmt: skip
"""RGB, of a limb and of a joint of the same number."""
_DIMMED = 0.6


@dataclass(frozen=True)
class Hand:
    """Whose annotator is followed.

    Attributes:
        joints: how many of the joints are drawn, and limbs among them.
        canvas_px: the shorter side of what is drawn on; None for the picture itself.
        swapped: blue comes first.
    """

    joints: int
    canvas_px: int | None
    swapped: bool


VACE = Hand(joints=18, canvas_px=1024, swapped=True)
WAN_ANIMATE = Hand(joints=20, canvas_px=None, swapped=False)


def draw(people: Sequence[F64], size_px: tuple[int, int], hand: Hand) -> Frames:
    """One picture [H, W, 3] uint8 RGB.

    Args:
        people: joints [20, 2] of each in pixels of the picture; NaN where one is not seen.
    """
    from PIL import Image

    width, height = size_px
    canvas, width_px = _canvas(size_px, hand)
    picture = Image.new("RGB", canvas)
    scale = np.array([canvas[0] / width, canvas[1] / height])
    placed = [points[: hand.joints] * scale for points in people]
    _draw_limbs(picture, placed, hand, width_px)
    _draw_joints(picture, placed, hand, width_px)
    if canvas != size_px:
        smaller = width * height < canvas[0] * canvas[1]
        picture = picture.resize(size_px, Image.Resampling.BOX if smaller else Image.Resampling.LANCZOS)
    return np.asarray(picture)


def _canvas(size_px: tuple[int, int], hand: Hand) -> tuple[tuple[int, int], int]:
    """(size of what is drawn on, half the width of a limb)."""
    shorter = min(size_px)
    if hand.canvas_px is None:
        return size_px, max(shorter // 200 - 1, 1)
    width, height = (max(1, round(side * hand.canvas_px / shorter / 64)) * 64 for side in size_px)
    return (width, height), 4


def _draw_limbs(picture: Image.Image, people: Sequence[F64], hand: Hand, width_px: int) -> None:
    from PIL import ImageDraw

    pen = ImageDraw.Draw(picture)
    for (first, second), colour in zip(LIMBS, COLOURS, strict=False):
        if max(first, second) >= hand.joints:
            continue
        fill = _colour(tuple(int(value * _DIMMED) for value in colour), hand)
        for points in people:
            if np.isfinite(points[[first, second]]).all():
                pen.polygon(_ellipse(points[first], points[second], width_px), fill=fill, outline=fill)


def _draw_joints(picture: Image.Image, people: Sequence[F64], hand: Hand, width_px: int) -> None:
    from PIL import ImageDraw

    pen = ImageDraw.Draw(picture)
    reach = range(-width_px, width_px + 1)
    disc = [(x, y) for x in reach for y in reach if x * x + y * y <= width_px * width_px]
    for index, colour in zip(range(hand.joints), COLOURS, strict=False):
        for points in people:
            if np.isfinite(points[index]).all():
                x, y = (int(value) for value in points[index])
                pen.point([(x + across, y + down) for across, down in disc], fill=_colour(colour, hand))


def _ellipse(a: F64, b: F64, width_px: int) -> list[tuple[float, float]]:
    """The outline of a limb: an ellipse from joint to joint, in whole pixels and degrees as theirs."""
    x, y = (int(value) for value in (a + b) / 2)
    along_x, along_y = a - b
    angle = math.radians(int(math.degrees(math.atan2(along_y, along_x))))
    cos, sin = math.cos(angle), math.sin(angle)
    turns = np.radians(np.arange(360))
    out, aside = int(math.hypot(along_x, along_y) / 2) * np.cos(turns), width_px * np.sin(turns)
    xs, ys = x + out * cos - aside * sin, y + out * sin + aside * cos
    return list(zip(xs.round().tolist(), ys.round().tolist(), strict=True))


def _colour(rgb: tuple[int, ...], hand: Hand) -> tuple[int, ...]:
    return rgb[::-1] if hand.swapped else rgb
