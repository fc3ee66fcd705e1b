"""Transitions between shots, drawn at the join; the length of the film does not change."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .join import Frames, Overlay


def fade_gains(shots: Sequence[tuple[int, float]], fps: Fraction) -> NDArray[np.float64]:
    """Brightness of every frame of a film whose shots fade through black.

    The shot before goes to black over half of the fade and this one comes out of it over the other half;
    the gain is linear in the time from the middle of a frame to the cut. The first shot only comes in.
    A half never takes longer than its shot.

    Args:
        shots: (frames, seconds of the fade into this shot) in order.

    Returns:
        [F] float64 in [0, 1].
    """
    gains = np.ones(sum(frames for frames, _ in shots))
    cut = 0
    for number, (frames, fade_s) in enumerate(shots):
        if fade_s > 0:
            half = float(fade_s * fps / 2)
            _ramp(gains[cut : cut + frames], half)
            if number:
                before = shots[number - 1][0]
                _ramp(gains[cut - before : cut][::-1], half)
        cut += frames
    return gains


def _ramp(gains: NDArray[np.float64], half_frames: float) -> None:
    """Lowers gains [n] in place, rising from 0 just before the first to 1 after ``half_frames``."""
    length = min(half_frames, len(gains))
    if length > 0:
        np.minimum(gains, (np.arange(len(gains)) + 0.5) / length, out=gains)


def fade(gains: NDArray[np.float64]) -> Overlay:
    """Multiplies film frame f by ``gains[f]``, rounded; frames of gain 1 stay exactly as they are."""

    def draw(frames: Frames, start: int) -> Frames:
        here = gains[start : start + len(frames)]
        if np.all(here == 1.0):
            return frames
        faded = frames.copy()
        for index in np.flatnonzero(here != 1.0):
            table = np.round(np.arange(256) * here[index]).astype(np.uint8)
            faded[index] = table[frames[index]]
        return faded

    return draw
