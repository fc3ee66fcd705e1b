"""What a schema cannot say: names that must exist, ids that must differ, where an anchor may stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anix_cli.core.screenplay import LAST_SHOT, PathInFile
from anix_cli.core.time import Duration

from . import cameras
from .check import INVALID, Checker
from .near import nearest
from .values import as_duration


def check(reading: Checker, data: Mapping[str, Any]) -> None:
    """Notes every broken rule. ``data`` may lack values or hold INVALID: these have their problem already."""
    shots = data.get("shots", INVALID)
    shots = [shot if isinstance(shot, dict) else {} for shot in shots] if isinstance(shots, list) else []
    defaults = mapping(data, "defaults")
    _ids(reading, shots)
    _anchors(reading, data)
    _aliases(reading, data)
    _crop(reading, mapping(mapping(data, "scene"), "crop"))
    cameras.check_placements(reading, data)
    cameras.check(reading, data, defaults.get("camera"), ("defaults", "camera"))
    name(reading, data, "characters", defaults.get("character"), ("defaults", "character"))
    for index, shot in enumerate(shots):
        where: PathInFile = ("shots", index)
        cameras.check(reading, data, shot.get("camera"), (*where, "camera"))
        cameras.check_lengths(reading, {**defaults, **shot}, where)
        name(reading, data, "characters", shot.get("character"), (*where, "character"))
        name(reading, data, "anchors", shot.get("anchor"), (*where, "anchor"))
        if shot:
            _who_acts(reading, data, shot, defaults, where)
            _time(reading, shot, defaults, where, _length(shots[index - 1], defaults) if index else None)
            _start(reading, data, shot, index)
    _entrances(reading, data, shots, defaults)


def mapping(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A section of the data, empty where it is missing or broken."""
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def name(reading: Checker, data: Mapping[str, Any], section: str, written: Any, where: PathInFile) -> None:
    """A reference to a character, an anchor or a camera must lead somewhere."""
    known = data.get(section, {})
    if not isinstance(written, str) or not isinstance(known, dict) or written in known:
        return
    code = {"characters": "E122", "anchors": "E123", "cameras": "E141"}[section]
    names = ", ".join(list(known)[:12])
    reading.problem(
        where,
        code,
        f'there is no {section.removesuffix("s")} "{written}"',
        expected=f"one of {names}" if names else None,
        nearest=nearest(written, known),
        hint=None if names else f"add it under {section}:",
    )


def _entrances(
    reading: Checker, data: Mapping[str, Any], shots: list[dict[str, Any]], defaults: Mapping[str, Any]
) -> None:
    """An anchor is where a character comes in: it can't be moved there once a take shows it."""
    cast = list(mapping(data, "characters"))
    seen: set[Any] = set()
    for index, shot in enumerate(shots):
        if shot.get("cut", False) is not False:
            seen.clear()
        who = shot.get("character", defaults.get("character", cast[0] if len(cast) == 1 else None))
        if "anchor" in shot and isinstance(who, str) and who in seen:
            reading.problem(
                ("shots", index, "anchor"),
                "E124",
                f'an anchor is where a character comes into a take, but "{who}" is in this one already',
                hint="add cut: true to start a new take here, or remove the anchor",
            )
        if isinstance(who, str):
            seen.add(who)


def _start(reading: Checker, data: Mapping[str, Any], shot: Mapping[str, Any], index: int) -> None:
    """Anchors that depend on what was before: a box needs a fresh camera, last_shot needs a shot before."""
    anchor = mapping(data, "anchors").get(shot.get("anchor") or "")
    where: PathInFile = ("shots", index, "anchor")
    if not isinstance(anchor, dict):
        return
    if "box" in anchor and index > 0 and shot.get("cut", False) is False:
        reading.problem(
            where,
            "E144",
            f'"{shot["anchor"]}" is a box of the picture, which only the first shot of a take can compose',
            hint="add cut: true to start a new take here",
        )
    elif index == 0 and LAST_SHOT in _chain(mapping(data, "anchors"), shot["anchor"]):
        reading.problem(where, "E148", "there is no shot before the first one", hint="give the place: at:")


def _ids(reading: Checker, shots: list[dict[str, Any]]) -> None:
    first: dict[str, int] = {}
    for index, shot in enumerate(shots):
        written = shot.get("id", INVALID)
        if written is INVALID:
            continue
        if written in first:
            line = reading.positions["shots", first[written], "id"].span.line
            reading.problem(
                ("shots", index, "id"),
                "E121",
                f'two shots have the id "{written}": the first is on line {line}',
                hint="give each shot an id of its own",
            )
        first.setdefault(written, index)


def _anchors(reading: Checker, data: Mapping[str, Any]) -> None:
    anchors = mapping(data, "anchors")
    for key, anchor in anchors.items():
        if not isinstance(anchor, dict):
            continue
        where: PathInFile = ("anchors", key)
        if key == LAST_SHOT:
            taken = f'"{LAST_SHOT}" already means where the one who acted in the shot before ended'
            reading.problem(where, "E142", taken, hint="give the anchor another name")
        for field in ("from", "face"):
            if anchor.get(field) != LAST_SHOT:
                name(reading, data, "anchors", anchor.get(field), (*where, field))
            if "box" in mapping(anchors, str(anchor.get(field))):
                boxed = f'"{anchor[field]}" is a box of the picture, not a place on the stage'
                reading.problem((*where, field), "E144", boxed, hint="name an anchor with at: or from:")
        if _goes_round(anchors, key):
            circle = " from ".join([key, *_chain(anchors, key)])
            reading.problem((*where, "from"), "E143", f"a circle: {circle}", hint="give one of them at:")
        _box(reading, anchor.get("box"), (*where, "box"))
        _facing(reading, anchors, key)


def _facing(reading: Checker, anchors: Mapping[str, Any], key: str) -> None:
    anchor = anchors[key]
    face = anchor.get("face")
    if not isinstance(face, str) or not isinstance(anchors.get(face), dict):
        return
    here, there = _ground_place(anchor), _ground_place(anchors[face])
    if face == key or (here is not None and here == there):
        reading.problem(
            ("anchors", key, "face"),
            "E129",
            f'anchor "{key}" faces its own place, which is no direction',
            hint="face another anchor, or give degrees",
        )


def _chain(anchors: Mapping[str, Any], key: str) -> list[str]:
    """The bases of a relative anchor, one after the other, up to one that has none or was there before."""
    chain: list[str] = []
    base = mapping(anchors, key).get("from")
    while isinstance(base, str):
        chain.append(base)
        if base == key or chain.count(base) > 1:
            break
        base = mapping(anchors, base).get("from")
    return chain


def _goes_round(anchors: Mapping[str, Any], key: str) -> bool:
    """Whether following the bases of an anchor comes back to it."""
    return key in _chain(anchors, key)


def _box(reading: Checker, box: Any, where: PathInFile) -> None:
    if isinstance(box, list) and INVALID not in box and not (box[0] < box[2] and box[1] < box[3]):
        reading.problem(
            where,
            "E145",
            "the box has no inside: its second corner must lie to the right of the first and below it",
            expected="[x0, y0, x1, y1] with x0 < x1 and y0 < y1",
        )


def _crop(reading: Checker, crop: Mapping[str, Any]) -> None:
    for axis, limits in crop.items():
        if isinstance(limits, list) and INVALID not in limits and not limits[0] < limits[1]:
            between = f'nothing lies between the two limits of "{axis}"'
            reading.problem(("scene", "crop", axis), "E145", between, expected="the lower limit first")


def _aliases(reading: Checker, data: Mapping[str, Any]) -> None:
    """A word that commands use means one thing."""
    owners: dict[str, str] = {}
    for section in ("characters", "anchors"):
        for key in mapping(data, section):
            owners.setdefault(str(key).casefold(), str(key))
    for section in ("characters", "anchors"):
        for key, owner in mapping(data, section).items():
            aliases = owner.get("aliases") if isinstance(owner, dict) else None
            for index, alias in enumerate(aliases if isinstance(aliases, list) else ()):
                if not isinstance(alias, str):
                    continue
                other = owners.setdefault(alias.casefold(), key)
                if other != key:
                    reading.problem(
                        (section, key, "aliases", index),
                        "E147",
                        f'"{alias}" already means "{other}"',
                        hint="one word can mean one thing only",
                    )


def _ground_place(anchor: Any) -> tuple[Any, Any] | None:
    at = anchor.get("at") if isinstance(anchor, dict) else None
    return (at[0], at[-1]) if isinstance(at, list) and INVALID not in at else None


def _who_acts(
    reading: Checker,
    data: Mapping[str, Any],
    shot: Mapping[str, Any],
    defaults: Mapping[str, Any],
    where: PathInFile,
) -> None:
    characters = mapping(data, "characters")
    if "character" not in shot and "character" not in defaults and len(characters) > 1:
        names = ", ".join(list(characters)[:12])
        reading.problem(
            where,
            "E125",
            "this shot does not say which character acts",
            expected=f"character: with one of {names}",
            hint="name one here, or for all shots under defaults:",
        )


def _length(shot: Mapping[str, Any], defaults: Mapping[str, Any]) -> Any:
    return shot.get("duration", defaults.get("duration"))


def _time(
    reading: Checker, shot: Mapping[str, Any], defaults: Mapping[str, Any], where: PathInFile, before: Any
) -> None:
    """Every shot has a duration, and half a fade fits into it and into the shot ``before`` (its duration).

    Frames and seconds are compared only in the plan, which knows the rate.
    """
    duration = _length(shot, defaults)
    if duration is None:
        hint = "for example duration: 4, here or for all under defaults:"
        reading.problem(where, "E113", 'a shot needs "duration"', hint=hint)
    fade = as_duration(mapping(shot, "transition").get("fade"))
    if fade is None:
        return
    for written, which in ((duration, "this shot"), (before, "the shot before")):
        length = as_duration(written)
        if length and not _fits(fade, length):
            reading.problem(
                (*where, "transition", "fade"),
                "E128",
                f"half of a fade of {fade} does not fit into {which}, which lasts {length}",
                hint="shorten the fade",
            )
            return


def _fits(fade: Duration, length: Duration) -> bool:
    return fade.unit != length.unit or fade.amount / 2 <= length.amount
