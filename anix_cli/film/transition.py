"""Transitions between shots, drawn at the join: fades through a colour, and dissolves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .frames import Frames, Overlay

BLACK = (0, 0, 0)


@dataclass(frozen=True)
class Faded:
    """A shot over frames start … start + frames − 1 of the film, which fades in over so many seconds."""

    start: int
    frames: int
    fade_s: float = 0.0
    colour_rgb: tuple[int, int, int] = BLACK


def fade(shots: Sequence[Faded], fps: Fraction) -> Overlay:
    """Fades: the frames that one touches go to its colour; the others stay exactly as they are."""
    gains, colours = fade_gains(shots, fps)

    def draw(frames: Frames, start: int) -> Frames:
        here = gains[start : start + len(frames)]
        if np.all(here == 1.0):
            return frames
        faded = frames.copy()
        for index in np.flatnonzero(here != 1.0):
            for channel, level in enumerate(colours[start + index]):
                table = np.round(level + (np.arange(256) - level) * here[index]).astype(np.uint8)
                faded[index, ..., channel] = table[frames[index, ..., channel]]
        return faded

    return draw


def fade_gains(shots: Sequence[Faded], fps: Fraction) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """How much is left of the picture in every frame of a film, and the colour that it gives way to.

    The shot before goes to the colour over half of the fade and this one comes out of it over the other half;
    the gain is linear in the time from the middle of a frame to the cut. The first shot only comes in.
    A half never takes longer than its shot. Where two fades meet in a frame, the one that leaves less holds.

    Returns:
        [F] float64 in [0, 1] and [F, 3] sRGB.
    """
    total = max(shot.start + shot.frames for shot in shots)
    gains, colours = np.ones(total), np.zeros((total, 3), np.uint8)
    for number, shot in enumerate(shots):
        if shot.fade_s <= 0:
            continue
        half = float(shot.fade_s * fps / 2)
        _ramp(gains, colours, np.arange(shot.start, shot.start + shot.frames), half, shot.colour_rgb)
        if number:
            before = np.arange(shots[number - 1].start, shot.start)[::-1]
            _ramp(gains, colours, before, half, shot.colour_rgb)
    return gains, colours


def _ramp(
    gains: NDArray[np.float64],
    colours: NDArray[np.uint8],
    frames: NDArray[np.int64],
    half_frames: float,
    colour_rgb: tuple[int, int, int],
) -> None:
    """Lowers the gains of frames in place, rising from 0 just before the first to 1 after ``half_frames``."""
    length = min(half_frames, len(frames))
    if length <= 0:
        return
    rising = (np.arange(len(frames)) + 0.5) / length
    lower = frames[rising < gains[frames]]
    gains[lower] = rising[rising < gains[frames]]
    colours[lower] = colour_rgb


def dissolved(pieces: Iterable[tuple[int, Frames]], overlaps: Sequence[tuple[int, int]]) -> Iterator[Frames]:
    """Frames of shots that overlap → frames of the film, one after the other.

    In an overlap of N frames, frame i is (i + ½)/N of the later shot and the rest of the earlier one, of the
    values as they are stored (sRGB), rounded.

    Args:
        pieces: the film frame of the first, and the frames [n, H, W, 3], in order of the shots.
        overlaps: film frames from … up to which two shots are there, in order; none touches another.
    """
    held: list[Frames] = []  # of the earlier shot, from the overlap's first frame on
    number = 0
    for start, piece in pieces:
        frames, at = piece, start
        if held and at < overlaps[number][1] and _reached(held, overlaps[number]) > at:
            begin, stop = overlaps[number]
            count = min(len(frames), stop - at)
            earlier = np.concatenate(held)[at - begin : at - begin + count]
            share = ((np.arange(at, at + count) - begin + 0.5) / (stop - begin)).astype(np.float32)
            share = share[:, None, None, None]
            blended = earlier * (1 - share) + frames[:count] * share
            yield np.round(blended).astype(np.uint8)
            frames, at = frames[count:], at + count
            if at == stop:
                held, number = [], number + 1
        if not len(frames):
            continue
        free = len(frames) if number >= len(overlaps) else max(0, overlaps[number][0] - at)
        if free:
            yield frames[:free]
        if free < len(frames):
            held.append(frames[free:])


def _reached(held: Sequence[Frames], overlap: tuple[int, int]) -> int:
    """The film frame after the last one that is held."""
    return overlap[0] + sum(len(frames) for frames in held)
