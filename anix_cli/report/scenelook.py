"""What ``anix scene look`` tells of the marks beside its pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from anix_cli.scene.lengths import metres, short

_FINER = 10
"""What is copied into a screenplay is told this many times as finely as what is only read."""


def as_lines(facts: dict[str, Any], *, asked: int) -> Iterator[str]:
    """A line for each mark, and how far apart those are that were asked for.

    Args:
        facts: as ``run.scenelook.look_at_scene`` gives them.
        asked: how many of the marks, the last ones, were asked for; the others are anchors.
    """
    low, high = facts["bounds"]
    span = max(b - a for a, b in zip(low, high, strict=True))
    marks = facts["marks"]
    for mark in marks:
        yield f"  {_named(mark, span)}, {_state(mark, span)}; in the file {_in_file(mark, facts, span)}"
    own = marks[len(marks) - asked :] if asked else []
    for one, other in pairwise(own):
        apart = math.dist(*([each["x"], each["y"], each["z"]] for each in (one, other)))
        yield f"  {one['label']} to {other['label']}: {metres(apart, span)} m"
    if len(own) == 2:
        ends = ", ".join(_in_file(mark, facts, span) for mark in own)
        yield f"  if that should be L metres:  scale: {{reference: [{ends}], metres: L}}"


def _named(mark: dict[str, Any], span: float) -> str:
    keys = ("x", "y", "z") if mark["exact"] else ("x", "z")
    at = f"at [{', '.join(short(mark[key], span / _FINER) for key in keys)}]"
    plain = mark["label"] == ", ".join(f"{mark[key]:g}" for key in keys)
    face = "" if mark["face"] is None else f" facing {mark['face']:g}"
    return f"{at}{face}" if plain else f"{mark['label']}: {at}{face}"


def _state(mark: dict[str, Any], span: float) -> str:
    """What is known of a mark, for a person."""
    if not mark["on_map"]:
        return "outside the scene"
    if mark["ground"] is None:
        return "no ground is known" + (
            "" if mark["exact"] else f", the scene begins at y = {_m(mark['y'], span)}"
        )
    if mark["exact"]:
        above = mark["y"] - mark["ground"]
        return f"{_m(abs(above), span)} {'below' if above < 0 else 'above'} the ground"
    where = f"ground at y = {_m(mark['ground'], span)}"
    if mark["free"]:
        return f"{where}, free to stand on"
    return f"{where}, {'something is in the way' if mark['seen'] else 'not captured'}"


def _m(value: float, span: float) -> str:
    return f"{metres(value, span)} m"


def _in_file(mark: dict[str, Any], facts: dict[str, Any], span: float) -> str:
    fine = span / facts["scale"] / _FINER
    return f"[{', '.join(short(value, fine) for value in mark['file'])}]"
