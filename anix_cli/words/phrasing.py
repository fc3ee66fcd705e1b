"""Beats in words, and what a backend is told of a command: all that happens, nothing that does not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..core.plan import Beat

_FIRST = {
    "in_place": "in place", "around": "around", "backward": "backward", "back": "back", "forward": "forward",
    "screen_left": "to the left of the picture", "screen_right": "to the right of the picture",
    "camera_left": "to the left of the picture", "camera_right": "to the right of the picture",
    "stage_left": "to stage left", "stage_right": "to stage right",
    "downstage_left": "downstage left", "downstage_right": "downstage right",
    "upstage_left": "upstage left", "upstage_right": "upstage right",
}  # fmt: skip
_PLACES = {
    "toward": "to", "away": "away from", "past": "past", "along": "along", "across": "across", "up": "up",
    "down": "down", "through": "through", "over": "over", "under": "under", "around": "around", "in": "into",
    "out": "out of",
}  # fmt: skip
_UNITS = {"m": "metre", "steps": "step", "deg": "degree", "turns": "turn", "s": "second", "times": "time"}


def in_words(beat: Beat) -> str:
    """A beat as a short order: "walk 3 metres to the door slowly"."""
    name = beat.action.replace("_", " ")
    head = f"the camera: {name}" if beat.category == "camera" else name
    side = f"with the {beat.side} side" if beat.side in {"left", "right"} else ""
    if beat.side == "both":
        side = "with both sides"
    thing = f"the {beat.object}" if beat.object else ""
    parts = [head, thing, _amount(beat), _direction(beat), side]
    if beat.speed:
        parts.append({"slow": "slowly", "fast": "fast"}[beat.speed])
    return " ".join(part for part in parts if part)


def _amount(beat: Beat) -> str:
    if beat.amount is None:
        return ""
    unit = _UNITS[beat.amount.unit] + ("" if beat.amount.value == 1 else "s")
    return f"for {beat.amount.value:g} {unit}" if beat.amount.unit == "s" else f"{beat.amount.value:g} {unit}"


def _direction(beat: Beat) -> str:
    direction = beat.direction or ""
    if beat.target and (direction in _PLACES or not direction):
        return f"{_PLACES.get(direction, 'at')} the {beat.target.replace('_', ' ')}"
    told = _FIRST.get(direction, direction.replace("_", " "))
    if direction in {"left", "right"}:
        told = f"to the {direction}"
    return f"{told} at the {beat.target.replace('_', ' ')}" if beat.target else told


def joined_phrases(phrases: Sequence[str], beats: Sequence[Beat]) -> str:
    """Phrases in order: ", then " between what follows on one another, " while " between what goes
    together."""
    told = ""
    for phrase, beat in zip(phrases, beats, strict=True):
        link = "" if not told else " while " if beat.sync else ", then "
        told += link + phrase
    return told


def resaid(phrase: str, old: Beat, new: Beat) -> str:
    """The words of a beat with its side or direction changed; "" where more than that has changed."""
    for name in ("side", "direction"):
        before, after = getattr(old, name), getattr(new, name)
        if before and after and replace(old, **{name: after}) == new:
            told, count = re.subn(rf"\b{before}\b", after, phrase)
            return told if count == 1 else ""
    return ""


def with_changes(command: str, place: tuple[int, int], changed: Mapping[tuple[int, int], str]) -> str:
    """A part of a command with some of its words replaced; ``changed``: place → word."""
    at, end = place
    told = ""
    for (start, stop), word in sorted(changed.items()):
        if at <= start and stop <= end:
            told, at = told + command[at:start] + word, stop
    return (told + command[at:end]).strip()
