"""How a clip walks: how far a stride goes, when each foot strikes, what leaves the ground. Measured on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .clips import Track
from .dressed import Dressed
from .figure import arm_nodes
from .model import F64, Pose, Rhythm

_SAMPLES = 60
_SOLE_SHARE = 0.09
"""Of the height, below which a neutral body is feet."""
SOLE_SHARE = 0.012
"""Of the height, how far above the lowest point of a foot its sole reaches."""
_CONTACT_SHARE = 0.018
_WALK, _RUN = (1.15, 0.0, 1.0, 1.4), (1.55, 0.12, 0.4, 0.9)
"""Most of a step's length and of the height in the air, in legs; least and most of a stand, in steps."""
_SHORTEST, _LONGEST = 0.12, 2.4
"""Of a stride (two steps), in heights; what is beyond is no gait that stays in place."""


@dataclass(frozen=True)
class Stride:
    """A clip as a gait.

    Attributes:
        length_m: over the ground in one round of the clip, two steps.
        times_s: [K] of the clip at even shares of that way, from a strike of the left foot on; more than
            once round where it wraps.
        air_m: [K] how far the lowest foot is off the ground there.
        drift_mps: (x, z) how fast the clip itself moves the body, which is taken back.
        strikes, spans: [2] of the left and the right foot, in steps: when it strikes in a round of two, and
            how long it stands.
        places: [2, 2] (x, z) of the middle of each foot about the root, over the time that it stands.
    """

    length_m: float
    times_s: F64
    air_m: F64
    drift_mps: tuple[float, float]
    strikes: F64
    spans: F64
    places: F64

    def time_at(self, round_share: float) -> float:
        """The clip's time at a share of a round."""
        return float(np.interp(round_share % 1.0, np.linspace(0, 1, len(self.times_s)), self.times_s))

    def air_at(self, round_share: float) -> float:
        return float(np.interp(round_share % 1.0, np.linspace(0, 1, len(self.air_m)), self.air_m))


@dataclass(frozen=True)
class Gaitway:
    """A clip that goes over the ground."""

    track: Track
    stride: Stride

    def at(self, gait_phase: float) -> Pose:
        return self.track.at(self.stride.time_at(gait_phase / 2) % max(self.track.duration_s, 1e-6))

    def air(self, gait_phase: float) -> float:
        return self.stride.air_at(gait_phase / 2)


def even(track: Track, length_m: float, places: F64) -> Stride:
    """A gait of which only the length is known, or guessed; feet stand by turns."""
    seconds = np.linspace(0, track.duration_s, 2)
    return Stride(length_m, seconds, np.zeros(2), (0.0, 0.0), np.array([0.0, 1.0]), np.ones(2), places)


def as_performed(
    dressed: Dressed, track: Track, rhythm: Rhythm | None, places: F64, *, leg_m: float, runs: bool
) -> Stride:
    """A gait from outside, in the bounds of a person's: its feet stand when those of its performer stood.

    Args:
        places: [2, 2] (x, z) of the feet at rest. leg_m: from hip to sole.
    """
    if rhythm is None:
        return even(track, 2 * leg_m, places)
    longest, most_air, least, most = _RUN if runs else _WALK
    whole = max(track.duration_s, 1e-6)
    begins = rhythm.strikes_s[0]
    seconds = begins + np.linspace(0, whole, _SAMPLES + 1)
    strikes = np.remainder(2 * (np.array(rhythm.strikes_s) - begins) / whole, 2)
    spans = np.clip(2 * np.array(rhythm.stands_s) / whole, least, most)
    length = min(rhythm.way * leg_m, 2 * longest * leg_m)
    feet = feet_rows(dressed)
    air = np.zeros(_SAMPLES + 1)
    if runs and feet is not None:
        rows = np.concatenate(feet)
        low = np.array([dressed.means(track.at(float(at % whole)))[rows, 1].min() for at in seconds])
        highest = min(float(low.max() - np.percentile(low, 10)), most_air * leg_m)
        air = highest * _flights(2 * np.linspace(0, 1, _SAMPLES + 1), strikes, spans)
    return Stride(length, seconds, air, (0.0, 0.0), strikes, spans, places)


def _flights(steps: F64, strikes: F64, spans: F64) -> F64:
    """0 … 1 at times in steps: 0 while a foot stands, 1 in the middle between two."""
    found = np.zeros(len(steps))
    for side in (0, 1):
        leaves, lands = strikes[side] + spans[side], strikes[1 - side]
        length = (lands - leaves) % 2
        if 0 < length < 1:
            found = np.maximum(found, np.sin(np.pi * np.clip(((steps - leaves) % 2) / length, 0, 1)) ** 2)
    return found


def measure(dressed: Dressed, track: Track) -> Stride | None:
    """How a clip walks; None where no foot pushes the ground back."""
    feet = feet_rows(dressed)
    if feet is None or track.duration_s <= 0:
        return None
    times = np.linspace(0, track.duration_s, _SAMPLES + 1)
    poses = [track.at(float(at)) for at in times]
    drift = _drift(dressed, poses[0], poses[-1]) / track.duration_s
    means = np.stack([dressed.means(pose) for pose in poses])
    means[:, :, 0] -= drift[0] * times[:, None]
    means[:, :, 2] -= drift[1] * times[:, None]
    height = dressed.figure.height_m
    low = np.stack([means[:, rows, 1].min(axis=1) for rows in feet], axis=1)  # [K, 2]
    ground = float(np.percentile(low.min(axis=1), 10))
    speeds, known = _pushed(means, feet, low, ground + _CONTACT_SHARE * height)
    if known.sum() < _SAMPLES // 6:
        return None
    usual = float(np.median(speeds[known]))
    length = usual * _SAMPLES
    if not _SHORTEST * height < abs(length) < _LONGEST * height:
        return None
    filled = np.where(known, np.clip(speeds / usual, 0.6, 1.6), 1.0)
    filled *= abs(length) / filled.sum()
    start = _left_strike(means, feet)
    order = (np.arange(_SAMPLES + 1) + start) % _SAMPLES
    way = np.concatenate([[0.0], np.cumsum(filled[order[:-1]])])
    at = np.interp(np.linspace(0, way[-1], _SAMPLES + 1), way, np.arange(_SAMPLES + 1) + start)
    around = at % _SAMPLES
    air = np.maximum(np.interp(around, np.arange(_SAMPLES + 1), low.min(axis=1)) - ground, 0)
    seconds = at / _SAMPLES * track.duration_s
    soles = soles_of(dressed, feet)
    middles = np.stack(
        [means[:-1][:, rows][:, :, [0, 2]].mean(axis=1) for rows in soles], axis=1
    )  # [K, 2, 2]
    stands = [_stands(low[:, side], middles[:, side, 1], ground + _CONTACT_SHARE * height) for side in (0, 1)]
    shares = np.interp(np.arange(_SAMPLES + 1), at - start, np.linspace(0, 1, len(at)))
    strikes, spans, places = np.array([0.0, 1.0]), np.ones(2), neutral_places(dressed, feet)
    for side, (first, count) in enumerate(stands):
        if count == 0:
            continue
        begins = 2 * float(shares[(first - start) % _SAMPLES])
        ends = 2 * float(shares[(first + count - start) % _SAMPLES])
        strikes[side], spans[side] = begins % 2, float(np.clip((ends - begins) % 2, 0.2, 1.6))
        rows = (first + np.arange(count + 1)) % _SAMPLES
        places[side] = middles[rows, side].mean(axis=0)
    return Stride(
        abs(length),
        seconds,
        np.where(air < 0.012 * height, 0, air),
        (float(drift[0]), float(drift[1])),
        strikes,
        spans,
        places,
    )


def neutral_places(dressed: Dressed, feet: tuple[NDArray[np.intp], NDArray[np.intp]]) -> F64:
    """[2, 2] (x, z) of the middle of each foot of a body at rest."""
    means = dressed.means(dressed.figure.neutral)
    return np.stack([means[rows][:, [0, 2]].mean(axis=0) for rows in soles_of(dressed, feet)])


def soles_of(
    dressed: Dressed, feet: tuple[NDArray[np.intp], NDArray[np.intp]]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Of the rows of both feet, those that are lowest at rest."""
    heights = dressed.means(dressed.figure.neutral)[:, 1]
    left, right = (
        rows[heights[rows] <= heights[rows].min() + SOLE_SHARE * dressed.figure.height_m] for rows in feet
    )
    return left, right


def _stands(low: F64, middle: F64, contact: float) -> tuple[int, int]:
    """(first sample, count) of the longest time that a foot is down and goes back; count 0 for never."""
    back = (low[:-1] <= contact) & (low[1:] <= contact) & (np.roll(middle, -1) < middle)
    if not back.any() or back.all():
        return 0, 0
    begin = int(np.flatnonzero(~back)[0])
    best, run = (0, 0), 0
    for step in range(1, len(back) + 1):
        at = (begin + step) % len(back)
        run = run + 1 if back[at] else 0
        if run > best[1]:
            best = ((at - run + 1) % len(back), run)
    return best


def feet_rows(dressed: Dressed) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """Rows of the left and of the right foot; None where there are not two."""
    means = dressed.means(dressed.figure.neutral)
    figure = dressed.figure
    moving = figure.model.bones[dressed.skin.bones[:, 0]]
    body = dressed.skin.body & ~np.isin(moving, arm_nodes(figure.model, figure.roles))
    low = body & (means[:, 1] < _SOLE_SHARE * figure.height_m)
    left, right = np.flatnonzero(low & (means[:, 0] > 0)), np.flatnonzero(low & (means[:, 0] < 0))
    return (left, right) if min(len(left), len(right)) >= 4 else None


def _drift(dressed: Dressed, first: Pose, last: Pose) -> F64:
    """(x, z) how far a clip carries the body from its first to its last pose, if it does so at all."""
    a, b = (dressed.means(pose)[dressed.skin.body].mean(axis=0) for pose in (first, last))
    moved = np.asarray((b - a)[[0, 2]])
    return moved if float(np.linalg.norm(moved)) > 0.12 * dressed.figure.height_m else np.zeros(2)


def _pushed(
    means: F64, feet: tuple[NDArray[np.intp], NDArray[np.intp]], low: F64, contact: float
) -> tuple[F64, NDArray[np.bool_]]:
    """How far the standing foot goes back from each sample to the next, [K], and where one stands.

    A foot that swings may skim the ground, even dip into it; the one that stands is that which goes back.
    """
    count = len(means) - 1
    pushed, known = np.zeros(count), np.zeros(count, dtype=bool)
    for index in range(count):
        back = []
        for side, rows in enumerate(feet):
            if low[index, side] <= contact:
                lowest = rows[means[index, rows, 1] <= low[index, side] + 0.2 * (contact - low.min())]
                back.append(float((means[index, lowest, 2] - means[index + 1, lowest, 2]).mean()))
        if back:
            pushed[index] = max(back, key=abs) if max(back) <= 0 else max(back)
            known[index] = True
    return pushed, known


def _left_strike(means: F64, feet: tuple[NDArray[np.intp], NDArray[np.intp]]) -> int:
    """The sample at which the left foot is furthest ahead of the right one."""
    ahead = means[:-1, feet[0], 2].mean(axis=1) - means[:-1, feet[1], 2].mean(axis=1)
    return int(ahead.argmax())
