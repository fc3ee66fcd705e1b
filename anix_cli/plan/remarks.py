"""What keeps a beat, as read, from being blocked as written; needs names of places, but no mathematics."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping

from ..core.plan import Beat
from ..core.screenplay import LAST_SHOT, AnchorSpec
from ..words.lexicon import OFF_GROUND, lexicon
from .trouble import Trouble

ROUND = frozenset({"around", "clockwise", "counterclockwise"})
"""The ways in which one goes round something."""


def remarks_on(beat: Beat, anchors: Mapping[str, AnchorSpec], people: Collection[str] = ()) -> list[Trouble]:
    """E205 no such place; W202, W204, W205 where it is done only roughly."""
    found: list[Trouble] = []
    direction = beat.direction or ""
    if beat.category != "locomotion":
        return found
    known = beat.target in anchors or beat.target in people or is_camera(beat.target)
    if direction == "toward" and beat.target and not known:
        found.append(_no_place(beat.target, anchors))
    elif direction not in {"toward", "away"} and beat.target and not (direction in ROUND and known):
        course = f"“{beat.target}” is not looked up: the character goes {_in_words(direction)}."
        found.append(Trouble("W204", course, "To send it to a place, write “to the …”."))
    if (assumed := _assumed(beat)) is not None:
        found.append(
            Trouble("W205", f"It is not said {assumed}.", "Write the direction to have it another way.")
        )
    if beat.action in OFF_GROUND:
        found.append(
            Trouble("W202", f"“{beat.action}” is blocked as plain movement over the ground for now.")
        )
    return found


def is_camera(name: str | None) -> bool:
    """Whether a place that a command names is the camera."""
    return bool(name) and str(name).rsplit(maxsplit=1)[-1] in lexicon().closed["camera"]


def base_of(anchors: Mapping[str, AnchorSpec], name: str) -> str:
    """The anchor, or ``LAST_SHOT``, from which an anchor counts in the end; itself where from none."""
    base = name
    for _ in range(len(anchors)):
        if base == LAST_SHOT or base not in anchors or anchors[base].base is None:
            break
        base = anchors[base].base or ""
    return base


def no_place(anchors: Mapping[str, AnchorSpec], name: str) -> Trouble:
    """What to say of an anchor that has no place in a shot: E148, E144."""
    if base_of(anchors, name) == LAST_SHOT:
        text = f"“{name}” counts from where the shot before ended, and there is no shot before the first one."
        return Trouble("E148", text, "Give the place: at:, or use it in a later shot.")
    text = f"“{name}” is a box of the picture, not a place on the stage."
    return Trouble("E144", text, "Name an anchor with at: or from:.")


def _no_place(target: str, anchors: Mapping[str, AnchorSpec]) -> Trouble:
    """E205 with what was meant, if that is near: another anchor, or a misspelt direction."""
    words = [*anchors, *(alias for anchor in anchors.values() for alias in anchor.aliases)]
    spoken = {word.lower().replace("_", " "): word for word in words}
    known = ", ".join(sorted(words)) or "none"
    plain = [word for word in lexicon().closed["direction"] if "_" not in word]
    near = difflib.get_close_matches(target.lower(), [*spoken, *plain], n=1, cutoff=0.75)
    message = f"There is no anchor called “{target}” to go to."
    meant = spoken.get(near[0], near[0]) if near else None
    return Trouble(
        "E205", message, f"Name one of the anchors ({known}), or add it under anchors:.", nearest=meant
    )


def _assumed(beat: Beat) -> str | None:
    """What a beat leaves open, with what is taken for it; None where nothing is."""
    if beat.direction is not None or beat.target is not None:
        return None
    if beat.action == "turn":
        amount = "" if beat.amount and beat.amount.unit in {"deg", "turns"} else "a quarter turn "
        return f"which way to turn: {amount}to the character's own left is assumed"
    if beat.action == "sidestep":
        return "to which side to step: the character's own left is assumed"
    return None


def _in_words(direction: str) -> str:
    return {
        "backward": "backward",
        "left": "to its left",
        "right": "to its right",
        "around": "in a circle",
    }.get(direction, "straight on")
