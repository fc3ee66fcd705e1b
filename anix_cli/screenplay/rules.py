"""What a schema cannot say: names that must exist, ids that must differ, where an anchor may stand."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from anix_cli.core.screenplay import PathInFile

from .check import INVALID, Checker
from .near import nearest

MOVES_OF = {"degrees": ("orbit",), "direction": ("orbit",), "up": ("crane",)}
"""Camera parameters that belong to certain moves only."""


def check(reading: Checker, data: Mapping[str, Any]) -> None:
    """Notes every broken rule. ``data`` may lack values or hold INVALID: these have their problem already."""
    shots = data.get("shots", INVALID)
    shots = [shot if isinstance(shot, dict) else {} for shot in shots] if isinstance(shots, list) else []
    defaults = _mapping(data, "defaults")
    _ids(reading, shots)
    _anchors(reading, data)
    _camera(reading, defaults.get("camera"), ("defaults", "camera"))
    _name(reading, data, "characters", defaults.get("character"), ("defaults", "character"))
    for index, shot in enumerate(shots):
        where: PathInFile = ("shots", index)
        _camera(reading, shot.get("camera"), (*where, "camera"))
        _name(reading, data, "characters", shot.get("character"), (*where, "character"))
        _name(reading, data, "anchors", shot.get("anchor"), (*where, "anchor"))
        if shot:
            _who_acts(reading, data, shot, defaults, where)
            _time(reading, shot, defaults, where, _length(shots[index - 1], defaults) if index else None)
    _entrances(reading, data, shots, defaults)


def _entrances(
    reading: Checker, data: Mapping[str, Any], shots: list[dict[str, Any]], defaults: Mapping[str, Any]
) -> None:
    """An anchor is where a character comes in: it can't be moved there once a take shows it."""
    cast = list(_mapping(data, "characters"))
    seen: set[Any] = set()
    for index, shot in enumerate(shots):
        if shot.get("cut", False) is not False:
            seen.clear()
        name = shot.get("character", defaults.get("character", cast[0] if len(cast) == 1 else None))
        if "anchor" in shot and isinstance(name, str) and name in seen:
            reading.problem(
                ("shots", index, "anchor"),
                "E124",
                f'an anchor is where a character comes into a take, but "{name}" is in this one already',
                hint="add cut: true to start a new take here, or remove the anchor",
            )
        if isinstance(name, str):
            seen.add(name)


def _mapping(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def _ids(reading: Checker, shots: list[dict[str, Any]]) -> None:
    first: dict[str, int] = {}
    for index, shot in enumerate(shots):
        name = shot.get("id", INVALID)
        if name is INVALID:
            continue
        if name in first:
            line = reading.positions["shots", first[name], "id"].line
            reading.problem(
                ("shots", index, "id"),
                "E121",
                f'two shots have the id "{name}": the first is on line {line}',
                hint="give each shot an id of its own",
            )
        first.setdefault(name, index)


def _name(reading: Checker, data: Mapping[str, Any], section: str, name: Any, where: PathInFile) -> None:
    """A reference to a character or an anchor must lead somewhere."""
    known = data.get(section, {})
    if not isinstance(name, str) or not isinstance(known, dict) or name in known:
        return
    code = "E122" if section == "characters" else "E123"
    what = section.removesuffix("s")
    names = ", ".join(list(known)[:12])
    reading.problem(
        where,
        code,
        f'there is no {what} "{name}"',
        expected=f"one of {names}" if names else None,
        nearest=nearest(name, known),
        hint=None if names else f"add it under {section}:",
    )


def _anchors(reading: Checker, data: Mapping[str, Any]) -> None:
    anchors = _mapping(data, "anchors")
    for name, anchor in anchors.items():
        face = anchor.get("face") if isinstance(anchor, dict) else None
        where: PathInFile = ("anchors", name, "face")
        _name(reading, data, "anchors", face, where)
        if not isinstance(face, str) or face not in anchors:
            continue
        here, there = _ground_place(anchor), _ground_place(anchors[face])
        if face == name or (here is not None and here == there):
            reading.problem(
                where,
                "E129",
                f'anchor "{name}" faces its own place, which is no direction',
                hint="face another anchor, or give degrees",
            )


def _ground_place(anchor: Any) -> tuple[Any, Any] | None:
    at = anchor.get("at") if isinstance(anchor, dict) else None
    return (at[0], at[-1]) if isinstance(at, list) and INVALID not in at else None


def _camera(reading: Checker, camera: Any, where: PathInFile) -> None:
    if not isinstance(camera, dict):
        return
    move = camera.get("move", "auto")
    if move is not INVALID:
        for key, moves in MOVES_OF.items():
            if key in camera and move not in moves:
                reading.problem(
                    (*where, key),
                    "E126",
                    f'"{key}" does not belong to the camera move "{move}", only to {" and ".join(moves)}',
                    hint=f"write move: {moves[0]}, or remove {key}",
                )
    if "lens_mm" in camera and "fov_y_deg" in camera:
        reading.problem(
            (*where, "fov_y_deg"),
            "E127",
            "lens_mm and fov_y_deg both set how wide the lens is",
            hint="keep one of them",
        )


def _who_acts(
    reading: Checker,
    data: Mapping[str, Any],
    shot: Mapping[str, Any],
    defaults: Mapping[str, Any],
    where: PathInFile,
) -> None:
    characters = _mapping(data, "characters")
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
    """Every shot has a duration, and half a fade fits into it and into the shot ``before`` (its duration)."""
    duration = _length(shot, defaults)
    if duration is None:
        hint = "for example duration: 4, here or for all under defaults:"
        reading.problem(where, "E113", 'a shot needs "duration"', hint=hint)
    transition = shot.get("transition")
    fade = transition.get("fade") if isinstance(transition, dict) else None
    if not isinstance(fade, Fraction):
        return
    for length, which in ((duration, "this shot"), (before, "the shot before")):
        if isinstance(length, Fraction) and fade / 2 > length:
            reading.problem(
                (*where, "transition", "fade"),
                "E128",
                f"half of a fade of {float(fade):g} s does not fit into {which}, "
                f"which lasts {float(length):g} s",
                hint="shorten the fade",
            )
            return
