"""Whether the one who acts can be seen."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..core.plan import Subject
from .trouble import Trouble

LONG_S = 2.0
"""A character may be out of the picture for this long without a word."""


def absent(subject: Subject, shot_id: str, size_px: tuple[int, int], fps: Fraction) -> Trouble | None:
    """W208 where a character is not in the picture for a whole shot, or long; with the side it is on."""
    if subject.visible.all():
        return None
    gone = ~subject.visible
    seconds = float(int(gone.sum()) / fps)
    if seconds <= LONG_S and not gone.all():
        return None
    when = "in" if gone.all() else f"for {seconds:.1f} s of"
    hint = "Let the camera follow, or show more (frame: wide, distance:), or cut where it goes out of sight."
    where = _where(subject.box_px[gone], size_px)
    return Trouble(
        "W208", f"{subject.character} is not in the picture {when} shot {shot_id}, but {where}.", hint
    )


def _where(box_px: np.ndarray[tuple[int, ...], np.dtype[np.float64]], size_px: tuple[int, int]) -> str:
    """Where most of these boxes are that lie out of the picture; zeros are behind the camera."""
    sides = {
        "behind the camera": ~box_px.any(axis=1),
        "to the left of it": box_px[:, 2] <= 0,
        "to the right of it": box_px[:, 0] >= size_px[0],
        "above it": box_px[:, 3] <= 0,
        "below it": box_px[:, 1] >= size_px[1],
    }
    return max(sides, key=lambda side: int(sides[side].sum()))
