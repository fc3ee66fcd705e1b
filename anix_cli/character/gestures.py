"""What arms, legs, trunk and head do in a gesture, as angles added to a body at ease.

Gestures lie over each other as layers of a picture do: each says how far it holds a limb, and what it does
not hold is left to the gait and to gestures that began before it. All angles are in radians.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple, TypeVar

from anix_cli.core.easing import smoothstep

from .families import drawn_as, known_as

EASE_S = 0.45
"""How long a limb takes to where a gesture wants it, and back."""

_WAVES_HZ = 1.8


class Act(NamedTuple):
    """One moment of a gesture: seconds since it began, of how many; ``side`` is the character's own."""

    action: str
    elapsed_s: float
    duration_s: float
    side: str | None = None


@dataclass(frozen=True)
class Arm:
    """An arm, away from hanging down. Turned at the elbow first, then out, forward and across.

    Attributes:
        hold: 0 … 1, how far this replaces what the arm would do otherwise; the angles are scaled alike.
        out: raised sideways, π/2 is level. ``forward``: raised forward. ``across``: turned inwards, level.
        elbow, elbow_out: bent forward and, with the arm hanging, outwards.
        shoulder_m: how far the shoulder is drawn up, for a body of 1.7 m.
    """

    hold: float = 0.0
    out: float = 0.0
    forward: float = 0.0
    across: float = 0.0
    elbow: float = 0.0
    elbow_out: float = 0.0
    shoulder_m: float = 0.0


@dataclass(frozen=True)
class Leg:
    """A leg, away from standing.

    Attributes:
        hold: as of an arm.
        hip, knee: forward and back.
        planted: share of the weight that is on this foot, and with it on its place.
    """

    hold: float = 0.0
    hip: float = 0.0
    knee: float = 0.0
    planted: float = 0.0


Limb = TypeVar("Limb", Arm, Leg)


@dataclass(frozen=True)
class Posture:
    """A whole body's departure from ease, left and right.

    Attributes:
        trunk, nod: pitch forward, of the head in addition. ``shake``: turns the head to its own left.
    """

    arms: tuple[Arm, Arm] = (Arm(), Arm())
    legs: tuple[Leg, Leg] = (Leg(), Leg())
    trunk: float = 0.0
    nod: float = 0.0
    shake: float = 0.0

    def scaled(self, strength: float) -> Posture:
        """The same, ``strength`` of the way from ease."""
        (a, b), (c, d) = self.arms, self.legs
        return Posture(
            (_scaled(a, strength), _scaled(b, strength)),
            (_scaled(c, strength), _scaled(d, strength)),
            self.trunk * strength,
            self.nod * strength,
            self.shake * strength,
        )

    def over(self, below: Posture) -> Posture:
        """This one where it holds a limb, else the one below; trunk and head add up."""
        return Posture(
            (_over(self.arms[0], below.arms[0]), _over(self.arms[1], below.arms[1])),
            (_over(self.legs[0], below.legs[0]), _over(self.legs[1], below.legs[1])),
            self.trunk + below.trunk,
            self.nod + below.nod,
            self.shake + below.shake,
        )


AT_EASE = Posture()


def posture(acts: Sequence[Act]) -> Posture:
    """All gestures of a moment together; where two want one limb, the one that comes last here has it.

    A function of its arguments alone and continuous in time; at the first and last moment of a gesture the
    body is at ease. For an action that is not in :data:`ACTIONS` hands are at work, if anything of it can be
    seen at all (:mod:`.families`).
    """
    result = AT_EASE
    for act in acts:
        drawn = drawn_as(act.action)
        strength = _strength(act.elapsed_s, act.duration_s)
        if drawn is not None and strength > 0:
            draw = _DRAWN.get(drawn, _handle)
            result = draw(act.elapsed_s, act.side).scaled(strength).over(result)
    return result


def _strength(elapsed_s: float, duration_s: float) -> float:
    """0 … 1: how far a gesture is carried out. One too short to get there and back is only hinted at."""
    ease_s = min(EASE_S, duration_s / 2)
    if not 0 < elapsed_s < duration_s:
        return 0.0
    return ease_s / EASE_S * float(smoothstep(min(elapsed_s, duration_s - elapsed_s), 0, ease_s))


def _scaled(limb: Limb, strength: float) -> Limb:
    return type(limb)(*(strength * getattr(limb, field.name) for field in fields(limb)))


def _over(above: Limb, below: Limb) -> Limb:
    if above.hold == 0:
        return below
    rest = _scaled(below, 1 - above.hold)
    names = [field.name for field in fields(above)]
    return type(above)(*(getattr(above, name) + getattr(rest, name) for name in names))


def _deg(value: float) -> float:
    return math.radians(value)


def _arm(**angles_deg: float) -> Arm:
    shoulder_m = angles_deg.pop("shoulder_m", 0.0)
    return Arm(1.0, shoulder_m=shoulder_m, **{name: _deg(value) for name, value in angles_deg.items()})


def _one(arm: Arm, side: str | None, *, trunk: float = 0.0) -> Posture:
    """A posture of one arm, the right one unless a side is named, or of both."""
    return Posture(_arms(arm, side), trunk=trunk)


def _both(arm: Arm, *, trunk: float = 0.0, nod: float = 0.0) -> Posture:
    return Posture((arm, arm), trunk=trunk, nod=nod)


def _arms(arm: Arm, side: str | None) -> tuple[Arm, Arm]:
    free = Arm()
    return {"left": (arm, free), "both": (arm, arm)}.get(side or "right", (free, arm))


def _swing(elapsed_s: float, rate_hz: float) -> float:
    return math.sin(2 * math.pi * rate_hz * elapsed_s)


def _legs(left: tuple[float, float], right: tuple[float, float]) -> tuple[Leg, Leg]:
    """Both legs with the weight on both; hip and knee in degrees."""
    return Leg(1.0, _deg(left[0]), _deg(left[1]), 0.5), Leg(1.0, _deg(right[0]), _deg(right[1]), 0.5)


def _wave(t: float, side: str | None) -> Posture:
    sway = 24 * _swing(t, _WAVES_HZ)
    return _one(_arm(out=98, elbow_out=68 + sway, forward=0, across=18, shoulder_m=0.02), side)


def _beckon(t: float, side: str | None) -> Posture:
    return _one(_arm(forward=48, elbow=75 + 35 * _swing(t, 1.2)), side)


def _raise(t: float, side: str | None) -> Posture:
    return _one(_arm(out=142, elbow_out=18, across=10, shoulder_m=0.045), side)


def _raise_both(t: float, side: str | None) -> Posture:
    return _raise(t, "both")


def _cheer(t: float, side: str | None) -> Posture:
    pump = _swing(t, 1.5)
    return _both(_arm(out=134 + 8 * pump, elbow_out=24 - 12 * pump, across=10, shoulder_m=0.04))


def _stretch(t: float, side: str | None) -> Posture:
    return _both(_arm(out=142, elbow_out=34, across=-8, shoulder_m=0.045), trunk=_deg(-6), nod=_deg(-10))


def _point(t: float, side: str | None) -> Posture:
    if side in ("left", "right"):
        return _one(_arm(out=80, across=12), side)
    return _one(_arm(forward=84, across=4), None)


def _salute(t: float, side: str | None) -> Posture:
    return _one(_arm(out=78, elbow_out=134, across=34, shoulder_m=0.01), side)


def _shrug(t: float, side: str | None) -> Posture:
    return _both(_arm(out=12, elbow=62, across=-38, shoulder_m=0.05), nod=_deg(4))


def _clap(t: float, side: str | None) -> Posture:
    apart = 0.5 + 0.5 * math.cos(2 * math.pi * 2.4 * t)
    return _both(_arm(forward=42, elbow=58, across=30 - 26 * apart))


def _pray(t: float, side: str | None) -> Posture:
    return _both(_arm(forward=34, elbow=80, across=27), nod=_deg(14))


def _bow(t: float, side: str | None) -> Posture:
    return Posture(trunk=_deg(46), nod=_deg(14))


def _nod(t: float, side: str | None) -> Posture:
    return Posture(nod=_deg(20) * (0.5 - 0.5 * math.cos(2 * math.pi * 1.6 * t)))


def _shake_head(t: float, side: str | None) -> Posture:
    return Posture(shake=_deg(26) * _swing(t, 1.4))


def _reach(t: float, side: str | None) -> Posture:
    return _one(_arm(forward=66, elbow=18, across=8), side, trunk=_deg(7))


def _to_mouth(t: float, side: str | None) -> Posture:
    return _one(_arm(forward=56, elbow=112, across=38), side)


def _throw(t: float, side: str | None) -> Posture:
    return _one(_arm(forward=100, elbow=35), side, trunk=_deg(8))


def _stoop(t: float, side: str | None) -> Posture:
    arm = _arm(forward=62, elbow=12, across=4)
    return Posture(_arms(arm, side), _legs((62, 92), (62, 92)), trunk=_deg(52))


def _bend(t: float, side: str | None) -> Posture:
    return Posture(trunk=_deg(55))


def _kick(t: float, side: str | None) -> Posture:
    kicking, standing = Leg(1.0, _deg(58), _deg(14), 0.0), Leg(1.0, 0.0, 0.0, 1.0)
    legs = (kicking, standing) if side == "left" else (standing, kicking)
    return Posture(legs=legs, trunk=_deg(-5))


def _crouch(t: float, side: str | None) -> Posture:
    return Posture(legs=_legs((80, 125), (80, 125)), trunk=_deg(28))


def _sit(t: float, side: str | None) -> Posture:
    arm = _arm(forward=22, elbow=38)
    return Posture((arm, arm), _legs((84, 86), (84, 86)), trunk=_deg(4))


def _kneel(t: float, side: str | None) -> Posture:
    return Posture(legs=_legs((86, 88), (4, 96)), trunk=_deg(4))


def _curtsy(t: float, side: str | None) -> Posture:
    arm = _arm(out=24, elbow_out=10)
    return Posture((arm, arm), _legs((34, 62), (34, 62)), trunk=_deg(10), nod=_deg(10))


def _talk(t: float, side: str | None) -> Posture:
    beat = _swing(t, 0.9)
    hand = _arm(forward=28 + 8 * beat, elbow=62 + 14 * _swing(t, 1.3), across=6)
    return Posture(_arms(hand, side), nod=_deg(5) * beat)


def _laugh(t: float, side: str | None) -> Posture:
    shake = abs(_swing(t, 2.2))
    arm = _arm(forward=14, elbow=64, across=24, shoulder_m=0.02 * shake)
    return Posture((arm, arm), trunk=_deg(-7 + 4 * shake), nod=_deg(-8))


def _cough(t: float, side: str | None) -> Posture:
    jerk = max(_swing(t, 1.3), 0.0)
    return Posture(
        _arms(_arm(forward=52, elbow=112, across=34), side), trunk=_deg(10 + 12 * jerk), nod=_deg(12)
    )


def _shiver(t: float, side: str | None) -> Posture:
    tremble = 3 * _swing(t, 5.0)
    return _both(_arm(forward=20, elbow=96 + tremble, across=40, shoulder_m=0.03), trunk=_deg(8), nod=_deg(8))


def _cross_arms(t: float, side: str | None) -> Posture:
    return _both(_arm(forward=34, elbow=92, across=52))


def _carry(t: float, side: str | None) -> Posture:
    return Posture(_arms(_arm(forward=16, elbow=82, across=4), side))


def _look(t: float, side: str | None) -> Posture:
    turn = {"left": 40.0, "right": -40.0}.get(side or "", 38 * _swing(t, 0.35))
    return Posture(shake=_deg(turn))


def _cover(t: float, side: str | None) -> Posture:
    return _both(_arm(forward=58, elbow=118, across=34), trunk=_deg(8), nod=_deg(16))


def _handle(t: float, side: str | None) -> Posture:
    """Hands at work before the body, on what cannot be seen."""
    turn = 2 * math.pi * 0.8 * t
    left, right = (
        _arm(forward=24 + 5 * math.sin(turn + lag), elbow=66 + 9 * math.cos(turn + lag), across=14)
        for lag in (0.0, 2.0)
    )
    return Posture((left, right), trunk=_deg(5), nod=_deg(12))


_DRAWN: Mapping[str, Callable[[float, str | None], Posture]] = {
    "beckon": _beckon,
    "bend": _bend,
    "bow": _bow,
    "carry": _carry,
    "cheer": _cheer,
    "clap": _clap,
    "cough": _cough,
    "cover": _cover,
    "cross_arms": _cross_arms,
    "crouch": _crouch,
    "curtsy": _curtsy,
    "drink": _to_mouth,
    "eat": _to_mouth,
    "handle": _handle,
    "kick": _kick,
    "kneel": _kneel,
    "laugh": _laugh,
    "look": _look,
    "nod": _nod,
    "pick_up": _stoop,
    "point": _point,
    "pray": _pray,
    "put_down": _stoop,
    "raise": _raise,
    "raise_arm": _raise,
    "raise_arms": _raise_both,
    "raise_hand": _raise,
    "raise_hands": _raise_both,
    "reach": _reach,
    "salute": _salute,
    "shake_head": _shake_head,
    "shiver": _shiver,
    "shrug": _shrug,
    "sit": _sit,
    "squat": _crouch,
    "stoop": _stoop,
    "stretch": _stretch,
    "talk": _talk,
    "throw": _throw,
    "wave": _wave,
}

ACTIONS = known_as(frozenset(_DRAWN))
"""Actions that show in the draft; others have hands at work in their place, or show nothing."""
