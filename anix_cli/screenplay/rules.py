"""What a schema cannot say: names that must exist, ids that must differ, where an anchor may stand."""

from __future__ import annotations

from collections.abc import Mapping, Set
from fractions import Fraction
from itertools import islice
from typing import Any

from anix_cli.core.screenplay import PathInFile
from anix_cli.core.time import Duration

from . import anchors, cameras
from .check import INVALID, Checker
from .names import check_aliases, mapping, reference
from .styles import duration_of
from .values import as_duration


def check(reading: Checker, data: Mapping[str, Any]) -> None:
    """Notes every broken rule. ``data`` may lack values or hold INVALID: these have their problem already."""
    shots = data.get("shots", INVALID)
    shots = [shot if isinstance(shot, dict) else {} for shot in shots] if isinstance(shots, list) else []
    defaults = {"style": data.get("style"), **mapping(data, "defaults")}
    _ids(reading, shots)
    anchors.check(reading, data)
    check_aliases(reading, data)
    _crop(reading, mapping(mapping(data, "scene"), "crop"))
    _scale(reading, data, mapping(mapping(data, "scene"), "scale"))
    cameras.check_placements(reading, data)
    cameras.check(reading, data, defaults.get("camera"), ("defaults", "camera"))
    reference(reading, data, "characters", defaults.get("character"), ("defaults", "character"))
    rate = mapping(data, "film").get("fps")
    rate = rate if isinstance(rate, Fraction) else None
    for index, shot in enumerate(shots):
        where: PathInFile = ("shots", index)
        cameras.check(reading, data, shot.get("camera"), (*where, "camera"))
        cameras.check_lengths(reading, shot, defaults, where)
        reference(reading, data, "characters", shot.get("character"), (*where, "character"))
        reference(reading, data, "anchors", shot.get("anchor"), (*where, "anchor"))
        if shot:
            _who_acts(reading, data, shot, defaults, where)
            before = _length(shots[index - 1], defaults) if index else None
            _time(reading, where, shot, (_length(shot, defaults), before), rate)
    _entrances(reading, data, shots, defaults)


def _entrances(
    reading: Checker, data: Mapping[str, Any], shots: list[dict[str, Any]], defaults: Mapping[str, Any]
) -> None:
    """An anchor is where a character comes in: it can't be moved there once a take shows it."""
    cast = list(mapping(data, "characters"))
    marks = mapping(data, "anchors")
    resting = anchors.resting_on_last(marks)
    seen: set[Any] = set()
    for index, shot in enumerate(shots):
        cut = shot.get("cut", False) is not False
        if cut:
            seen.clear()
        who = shot.get("character", defaults.get("character", cast[0] if len(cast) == 1 else None))
        if "anchor" in shot and isinstance(who, str) and who in seen:
            reading.problem(
                ("shots", index, "anchor"),
                "E124",
                f'an anchor is where a character comes into a take, but "{who}" is in this one already',
                hint="add cut: true to start a new take here, or remove the anchor",
            )
        elif isinstance(shot.get("anchor"), str):
            _start(reading, marks, resting, shot["anchor"], index, fresh=cut or index == 0)
        if isinstance(who, str):
            seen.add(who)


def _start(
    reading: Checker, marks: Mapping[str, Any], resting: Set[str], anchor: str, index: int, *, fresh: bool
) -> None:
    """Anchors that depend on what was before: a box needs a fresh camera, last_shot needs a shot before."""
    where: PathInFile = ("shots", index, "anchor")
    if "box" in mapping(marks, anchor) and not fresh:
        reading.problem(
            where,
            "E144",
            f'"{anchor}" is a box of the picture, which only the first shot of a take can compose',
            hint="add cut: true to start a new take here",
        )
    elif index == 0 and anchor in resting:
        reading.problem(
            where,
            "E148",
            f'"{anchor}" counts from the shot before, and this is the first one',
            hint="name an anchor here that has a place of its own: at:",
        )


def _ids(reading: Checker, shots: list[dict[str, Any]]) -> None:
    first: dict[str, int] = {}
    for index, shot in enumerate(shots):
        written = shot.get("id", INVALID)
        if written is INVALID:
            continue
        if written in first:
            where: PathInFile = ("shots", index, "id")
            one, other = (reading.positions["shots", at, "id"] for at in (first[written], index))
            file = "" if one.file == other.file else f" of {one.file.name}"
            reading.problem(
                where,
                "E121",
                f'two shots have the id "{written}": the first is on line {one.span.line}{file}',
                hint="give each shot an id of its own",
            )
        first.setdefault(written, index)


def _crop(reading: Checker, crop: Mapping[str, Any]) -> None:
    for axis, limits in crop.items():
        if isinstance(limits, list) and INVALID not in limits and not limits[0] < limits[1]:
            between = f'nothing lies between the two limits of "{axis}"'
            reading.problem(("scene", "crop", axis), "E145", between, expected="the lower limit first")


def _scale(reading: Checker, data: Mapping[str, Any], scale: Mapping[str, Any]) -> None:
    reference(reading, data, "characters", scale.get("character"), ("scene", "scale", "character"))
    ends = scale.get("reference")
    if not isinstance(ends, list) or any(end is INVALID or INVALID in end for end in ends):
        return
    if ends[0] == ends[1]:
        reading.problem(
            ("scene", "scale", "reference"),
            "E145",
            "the two points of the reference are the same, so there is no length between them",
            hint="name the two ends of something whose length you know, such as a door",
        )


def _who_acts(
    reading: Checker,
    data: Mapping[str, Any],
    shot: Mapping[str, Any],
    defaults: Mapping[str, Any],
    where: PathInFile,
) -> None:
    characters = mapping(data, "characters")
    if "character" not in shot and "character" not in defaults and len(characters) > 1:
        names = ", ".join(islice(characters, 12))
        reading.problem(
            where,
            "E125",
            "this shot does not say which character acts",
            expected=f"character: with one of {names}",
            hint="name one here, or for all shots under defaults:",
        )


def _length(shot: Mapping[str, Any], defaults: Mapping[str, Any]) -> Any:
    rhythm = duration_of(shot.get("style", defaults.get("style")))
    return shot.get("duration", defaults.get("duration", None if rhythm is None else Fraction(str(rhythm))))


def _time(
    reading: Checker,
    where: PathInFile,
    shot: Mapping[str, Any],
    lengths: tuple[Any, Any],
    rate: Fraction | None,
) -> None:
    """Every shot has a duration, and what it begins with fits it.

    Args:
        lengths: of this shot and of the one before.
        rate: frames per second where it is written; without it only the plan compares frames and seconds.
    """
    if lengths[0] is None:
        hint = "for example duration: 4, here or for all under defaults:"
        reading.problem(where, "E113", 'a shot needs "duration"', hint=hint)
    transition = mapping(shot, "transition")
    if "dissolve" in transition:
        _dissolve(reading, where, shot)
    for kind in ("fade", "dip"):
        fade = as_duration(transition.get(kind))
        if fade is not None:
            _fade(reading, (*where, "transition", kind), fade, lengths, rate)


def _dissolve(reading: Checker, where: PathInFile, shot: Mapping[str, Any]) -> None:
    """A dissolve is a way to cut: inside a take there is one picture only."""
    if where[-1] == 0:
        reading.problem(
            (*where, "transition", "dissolve"),
            "E138",
            "the first shot has no shot before it to dissolve from",
            hint="use fade, which opens it from black",
        )
    elif shot.get("cut", False) is False:
        reading.problem(
            (*where, "transition", "dissolve"),
            "E138",
            "this shot goes on where the one before ended, so there is nothing to dissolve from",
            hint="add cut: true to start a new take here, or remove the dissolve",
        )


def _fade(
    reading: Checker, where: PathInFile, fade: Duration, lengths: tuple[Any, Any], rate: Fraction | None
) -> None:
    """Half a fade fits into its shot and into the one before (E128)."""
    for written, which in zip(lengths, ("this shot", "the shot before"), strict=True):
        length = as_duration(written)
        if length is None or (rate is None and fade.unit != length.unit):
            continue
        if fade.seconds(rate or Fraction(1)) > 2 * length.seconds(rate or Fraction(1)):
            reading.problem(
                where,
                "E128",
                f"half of a fade of {fade} does not fit into {which}, which lasts {length}",
                hint=f"a fade is at most twice as long as {which}: shorten the fade, or lengthen the shot",
            )
            return
