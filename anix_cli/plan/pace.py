"""How fast a character moves: nominal paces, strides, and speed profiles with eased starts and stops."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..core.easing import smoothstep
from ..core.plan import Beat
from ..words.lexicon import senses_of_actions

F64 = NDArray[np.float64]

SPEED_FACTOR = {"slow": 0.7, "fast": 1.3}
MOST_HURRY = 1.6
"""A pace may be raised to this multiple of its nominal speed to cover a written distance in time."""
HARDEST = 0.7
"""A character may brake in this share of the usual time, not faster, to stop where it should."""
CATCH_UP = 1.12
"""A free run from a standing start may go this much faster, so that it averages its nominal speed."""


@cache
def _pace_of_action() -> dict[str, float]:
    return {action: verb.speed_mps for action, verb in senses_of_actions().items()}


def nominal_speed(beat: Beat) -> float:
    """The pace of a beat, metres a second; 0 for what stays on the spot."""
    if beat.category != "locomotion":
        return 0.0
    return _pace_of_action().get(beat.action, 0.0) * SPEED_FACTOR.get(beat.speed or "", 1.0)


def stride_m(speed_mps: float | F64) -> F64:
    """Length of one step: 0.7 m walking at 1.4 m/s, 1.2 m running at 4 m/s, in between in proportion."""
    return np.asarray(np.clip(0.7 + (np.asarray(speed_mps) - 1.4) * (0.5 / 2.6), 0.45, 1.6))


def acceleration(speed_mps: float) -> float:
    """Mean rate of speeding up to, or slowing down from, a speed: 3 m/s², more for a run (0.8 s at most)."""
    return max(3.0, speed_mps / 0.8)


@dataclass(frozen=True)
class Profile:
    """Speed over time: from ``start`` eased to ``cruise``, held, eased to ``end``.

    Attributes:
        up_s, down_s: lengths of the two ramps.
        stop_s: when the second ramp is over (inf: it never begins).
    """

    start: float
    cruise: float
    end: float
    up_s: float
    down_s: float
    stop_s: float

    def at(self, time_s: F64) -> F64:
        """Speeds [N] at times [N] ≥ 0."""
        up = smoothstep(time_s / self.up_s) if self.up_s > 0 else np.ones_like(time_s)
        speed = self.start + (self.cruise - self.start) * up
        if math.isfinite(self.stop_s):
            fall = (time_s - (self.stop_s - self.down_s)) / max(self.down_s, 1e-9)
            speed = speed + (self.end - self.cruise) * smoothstep(fall)
        return np.asarray(speed)


def come_to_rest(start: float, length_s: float) -> Profile:
    """Slows down to a stand; if the time is too short for it, is still moving when it is over."""
    down = start / acceleration(start) if start > 0 else 0.0
    return Profile(start, start, 0.0, 0.0, down, down)


def keep_going(start: float, nominal: float, length_s: float, *, stops: bool) -> Profile:
    """Moves for a given time, so that the mean speed is ``nominal`` as nearly as the ramps allow."""
    rate = acceleration(max(nominal, start))
    up, down = abs(nominal - start) / rate, nominal / rate if stops else 0.0
    squeeze = min(1.0, length_s / (up + down)) if up + down > 0 else 1.0
    up, down = up * squeeze, down * squeeze
    room = length_s - 0.5 * up - 0.5 * down
    even = (nominal * length_s - 0.5 * start * up) / room if room > 0 else nominal
    cruise = min(max(even, nominal / CATCH_UP), nominal * CATCH_UP)
    if squeeze < 1.0:
        cruise = start + (nominal - start) * squeeze
    return Profile(start, cruise, 0.0, up, down, length_s if stops else math.inf)


def _distance_profile(start: float, cruise: float, length_m: float) -> tuple[Profile, float]:
    """The profile that covers a distance with this cruising speed and ends at rest, and its duration."""
    rate = acceleration(max(cruise, start))
    up, down = abs(cruise - start) / rate, cruise / rate
    ramps = 0.5 * (start + cruise) * up + 0.5 * cruise * down
    if ramps <= length_m:
        total = up + down + (length_m - ramps) / cruise
        return Profile(start, cruise, 0.0, up, down, total), total
    if 0.5 * start * start / acceleration(start) >= length_m:  # brakes harder, within reason, or goes too far
        usual = start / acceleration(start) if start > 0 else 0.0
        down = max(2 * length_m / start, HARDEST * usual) if start > 0 else 0.0
        return Profile(start, start, 0.0, 0.0, down, down), down
    low, high = 0.0, cruise
    for _ in range(60):
        middle = 0.5 * (low + high)
        rate = acceleration(max(middle, start))
        covered = 0.5 * (start + middle) * abs(middle - start) / rate + 0.5 * middle * middle / rate
        low, high = (middle, high) if covered < length_m else (low, middle)
    rate = acceleration(max(low, start))
    up, down = abs(low - start) / rate, low / rate
    return Profile(start, low, 0.0, up, down, up + down), up + down


def cover(start: float, nominal: float, length_m: float, length_s: float) -> tuple[Profile, bool]:
    """Covers a distance and ends at rest, at the nominal speed if that is in time, else faster.

    Returns:
        The profile, and whether it is in time without going beyond ``MOST_HURRY`` times the nominal speed.
    """
    profile, total = _distance_profile(start, nominal, length_m)
    if total <= length_s + 1e-9:
        return profile, True
    low, high = nominal, nominal * MOST_HURRY
    profile, total = _distance_profile(start, high, length_m)
    if total > length_s + 1e-9:
        return profile, False
    for _ in range(50):
        middle = 0.5 * (low + high)
        total = _distance_profile(start, middle, length_m)[1]
        low, high = (low, middle) if total <= length_s else (middle, high)
    return _distance_profile(start, high, length_m)[0], True
