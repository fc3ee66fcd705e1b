"""What a body does beside walking: gestures, and postures that last until something ends them.

Who sits down sits until getting up, walking away or another posture, through all shots of a take.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction

from ..character.models.repertoire import kind_of, motion_for
from ..core.plan import Beat, Gesture
from ..core.time import frames_from_seconds
from .pace import nominal_speed

STILL = frozenset({"stop", "wait", "idle", "stand"})
"""What is read as a gesture and shows nothing but a body at rest."""
BENT = frozenset({"crouch", "squat", "kneel"})
"""What is read as movement and holds its place with bent legs."""
LASTING = frozenset({"crouch", "kneel", "lie_down", "sit"})
"""What is held until something ends it, unless it is done so many times."""
RISING = frozenset({"stand_up", "stand", "jump", "hop", "dance", "curtsy", "fall"})
"""What nobody does without getting up first."""
RISE_S = Fraction(9, 20)
"""A posture is left within so long; as :data:`anix_cli.character.gestures.EASE_S`."""


def held_throughout(gestures: Sequence[Gesture], frames: int) -> str | None:
    """The posture that a body keeps through all frames of a shot; None for one that stands or moves."""
    held = (each for each in gestures if each.start <= 0 and each.start + each.frames >= frames)
    return next((each.action for each in held if each.action in LASTING), None)


def gestures_of(
    beats: Sequence[Beat],
    frames: int,
    fps: Fraction,
    before: Gesture | None = None,
    motions: Collection[str] = (),
) -> tuple[tuple[Gesture, ...], Gesture | None]:
    """The gestures of a shot in the order in which they begin (two in a row stay two), and the posture in
    which it ends, counted from the first frame of the next shot.

    Args:
        beats: placed in the shot of ``frames`` frames.
        before: the posture in which it begins.
        motions: names of motions that the screenplay gives, which show other actions as well.
    """
    rise = frames_from_seconds(RISE_S, fps)
    held, found = before, list[Gesture]()
    for beat in sorted(beats, key=lambda beat: beat.start):
        if beat.frames <= 0:
            continue
        if held is not None and _ends(beat, held):
            found.append(_until(held, beat.start + rise))
            held = None
        if _is_gesture(beat) or (beat.category != "camera" and _is_given(beat, motions)):
            gesture = Gesture(beat.action, beat.start, beat.frames, beat.side)
            if not _lasts(beat):
                found.append(gesture)
            elif held is None:
                held = gesture
    after = None
    if held is not None:
        found.append(_until(held, frames + rise))
        after = Gesture(held.action, held.start - frames, held.frames, held.side)
    return tuple(sorted(found, key=lambda gesture: gesture.start)), after


def _is_gesture(beat: Beat) -> bool:
    return beat.action in BENT or (beat.category in {"gesture", "object"} and beat.action not in STILL)


def _is_given(beat: Beat, motions: Collection[str]) -> bool:
    """Whether a motion shows what is no gesture else: a dance; walks and runs are no gestures even so."""
    name = motion_for(beat.action, motions) if motions else None
    return name is not None and not kind_of(name)


def _lasts(beat: Beat) -> bool:
    return beat.action in LASTING and (beat.amount is None or beat.amount.unit != "times")


def _ends(beat: Beat, held: Gesture) -> bool:
    """Whether a beat needs the body up, or in another posture."""
    goes = beat.category == "locomotion" and beat.action not in BENT and nominal_speed(beat) > 0
    return goes or beat.action in RISING or (_lasts(beat) and beat.action != held.action)


def _until(held: Gesture, frame: int) -> Gesture:
    return Gesture(held.action, held.start, max(frame - held.start, 1), held.side)
