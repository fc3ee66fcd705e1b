"""Joins: inside a take a camera goes on from where it is, in place, turn, lens and speed.

The rig's present offset from the new rule, with its rate of change, dies away (:func:`.motion.fade_out`), so
that nothing jumps where shots meet, whatever the two moves are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .motion import fade_out
from .rigs import AIM, ELEVATION, LOG_DISTANCE, PARTS, STEEPEST, offset_of, slid

F64 = NDArray[np.float64]

BLEND_S = 1.0
RATE_S = 1.5
"""In a travel, what the camera had of speed is gone after so long."""
_RATES = (7.0, math.radians(75), math.radians(75), 0.8, 0.8, 0.8, math.radians(45))
"""How fast a blend may move each part of the rig: m/s, rad/s, rad/s, e-folds a second, m/s, rad/s."""
_MOST = 4.0
"""What moves so many times faster is not gone on with: parts of a frame or two have such rates."""
_AT_THE_EYE = math.log(1e-5)
_NEAREST_M = 0.2


@dataclass(frozen=True)
class CameraState:
    """How a shot's camera ends.

    Attributes:
        rigs: [2, 9], the rig one frame before the next shot and at its first frame, where it would go on.
        floor_m: height of what the character that it filmed stands on.
        placed: it stands (or turns) at a place of its own, whatever the character does.
        elsewhere: it looks at something else than the one who acts.
        turn: [2] azimuth and elevation by which it looks past the character, as a box asked for.
        target: what it is about instead of the one who acts: :attr:`.sights.Target.name`.
        turned_away: a move of its own (a pan, a truck, a path) left it so: a camera that is told to stand
            still holds that view.
        shakes: how much, in the last frame.
        focused: what the lens is focused on, as written: :attr:`.sights.Target.name`, metres, or None for the
            one who acts; and at what distance that is.
        f_number: of the lens; None where all is sharp.
        frames: since the take began.
        seed: of the take's chance.
    """

    rigs: F64
    floor_m: float
    placed: bool = False
    elsewhere: bool = False
    turn: tuple[float, float] = (0.0, 0.0)
    target: str = ""
    turned_away: bool = False
    shakes: float = 0.0
    focused: str | float | None = None
    focus_m: float | None = None
    f_number: float | None = None
    frames: int = 0
    seed: str = ""

    @property
    def rig(self) -> F64:
        return np.asarray(self.rigs[1])


def join(rule: F64, before: CameraState, fps: float, *, by_eye: bool, travel_s: float | None) -> F64:
    """The rule [F + 1, 9], begun from the camera's present state: each part of the rig on its own.

    Args:
        by_eye: blend places and turns of the cameras themselves instead of swinging about what they aim at.
        travel_s: the blend takes so long, instead of as long as it needs.
    """
    rigs = before.rigs
    if by_eye:
        distances = rule[:, LOG_DISTANCE]
        rule, rigs = slid(rule, _AT_THE_EYE), slid(rigs, _AT_THE_EYE)
    elif travel_s is not None:
        rule, rigs = _with_distance(rule), _with_distance(rigs)
    offset = offset_of(rigs[1], rule[0])
    rate = (offset_of(rigs[1], rigs[0]) - offset_of(rule[1], rule[0])) * fps
    times = np.arange(len(rule)) / fps
    joined = rule.copy()
    for part, fastest in zip(PARTS, _RATES, strict=True):
        rate[part] *= min(1.0, _MOST * fastest / max(_length(rate[part]), 1e-12))
        if travel_s is None and (_length(offset[part]) > 0 or _length(rate[part]) > 0):
            length = _blend_s(offset[part], rate[part], fastest, brakes=part == AIM)
            joined[:, part] += fade_out(offset[part], rate[part], times, length)
    if travel_s is not None:
        joined += fade_out(offset, 0.0 * rate, times, travel_s)
        joined += fade_out(0.0 * offset, rate, times, min(travel_s, RATE_S))
    low, high = min(-STEEPEST, rule[:, ELEVATION].min()), max(STEEPEST, rule[:, ELEVATION].max())
    joined[:, ELEVATION] = np.minimum(np.maximum(joined[:, ELEVATION], low), high)
    if by_eye:
        return slid(joined, distances)
    if travel_s is not None:
        joined[:, LOG_DISTANCE] = np.log(np.maximum(joined[:, LOG_DISTANCE], _NEAREST_M))
    return joined


def _length(vector: F64) -> float:
    return math.sqrt(float(vector @ vector))


def _with_distance(rig: F64) -> F64:
    """The rig with its distance instead of the logarithm: on a long way, what is even is the speed."""
    plain = rig.copy()
    plain[..., LOG_DISTANCE] = np.exp(rig[..., LOG_DISTANCE])
    return plain


def _blend_s(offset: F64, rate: F64, fastest: float, *, brakes: bool) -> float:
    """How long an offset takes to die away.

    Where the camera's place (``brakes``) is closing in already, just so long that it goes on to do so evenly
    and does not pass where it stops: a quintic from offset −d at rate v is monotonic while v·T ≤ 2.5·d.
    """
    away = _length(offset)
    closing = -float(offset @ rate) / away if away > 1e-6 else 0.0
    if brakes and closing > 0.05:
        return min(max(2.4 * away / closing, 0.5), 3.0)
    return max(BLEND_S, 1.875 * away / fastest)
