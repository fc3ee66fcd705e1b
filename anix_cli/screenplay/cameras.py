"""Rules of ``camera:`` and ``cameras:`` that a schema cannot say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from anix_cli.core.screenplay import PathInFile
from anix_cli.core.time import Duration

from . import planned
from .check import INVALID, Checker
from .names import mapping, unknown
from .values import as_duration

MOVES_OF = {"degrees": ("orbit",), "direction": ("orbit",), "up": ("crane",)}
"""Camera parameters that belong to certain moves only."""
PLACED = ("side", "frame", "distance", "height")
"""Parameters that say where a camera stands, as ``from`` does."""


def check_placements(reading: Checker, data: Mapping[str, Any]) -> None:
    """The named cameras: their names, what they look at, their lenses."""
    anchors, characters = mapping(data, "anchors"), mapping(data, "characters")
    taken = {*moves(reading), *planned.MOVES}
    for key, placement in mapping(data, "cameras").items():
        where: PathInFile = ("cameras", key)
        if key.casefold() in taken:
            same = f'"{key}" already means a camera move'
            reading.problem(where, "E142", same, hint="give the camera another name")
        if not isinstance(placement, dict):
            continue
        _lens(reading, placement, where)
        look_at = placement.get("look_at")
        if not isinstance(look_at, str):
            continue
        if look_at not in anchors and look_at not in characters:
            nobody = f'there is no anchor and no character "{look_at}"'
            known = (*anchors, *characters)
            point = ", or a point [x, y, z]"
            unknown(reading, (*where, "look_at"), "E123", nobody, look_at, known, more=point)
        if "box" in mapping(anchors, look_at):
            boxed = f'"{look_at}" is a box of the picture, not a place on the stage'
            reading.problem((*where, "look_at"), "E144", boxed, hint="name an anchor with at: or from:")


def check(reading: Checker, data: Mapping[str, Any], camera: Any, where: PathInFile) -> None:
    """One ``camera:``, whichever way it is written."""
    for part, place in parts_of(camera, where):
        if isinstance(part, str):
            _word(reading, data, part, place)
        elif isinstance(part, dict):
            _mapping(reading, data, part, place, listed=isinstance(camera, list))


def check_lengths(
    reading: Checker, shot: Mapping[str, Any], defaults: Mapping[str, Any], where: PathInFile
) -> None:
    """The parts of a list of moves fit into their shot."""
    own = "camera" in shot
    parts = shot["camera"] if own else defaults.get("camera")
    whole = as_duration(shot.get("duration", defaults.get("duration")))
    if not isinstance(parts, list) or whole is None:
        return
    written = [as_duration(part.get("for")) for part in parts if isinstance(part, dict) and "for" in part]
    lengths = [length for length in written if length is not None]
    if not lengths or any(length.unit != whole.unit for length in lengths):
        return  # mixed units are added up by the plan, which knows the rate
    total = sum((length.amount for length in lengths), Fraction(0))
    all_say = len(lengths) == len(parts)
    if total > whole.amount or (total == whole.amount and not all_say) or (all_say and total < whole.amount):
        said = Duration(total, whole.unit)
        whose = "" if own else " that the defaults give"
        reading.problem(
            (*where, "camera"),
            "E146",
            f"the camera moves{whose} last {said}{'' if all_say else ' and more'}, this shot {whole}",
            hint="change for:, or leave it out where a move may take what is left"
            if own
            else "give this shot a camera: of its own, or leave out for: where a move may take what is left",
        )


def parts_of(camera: Any, where: PathInFile) -> Iterator[tuple[Any, PathInFile]]:
    """The moves of a ``camera:`` with their places."""
    if isinstance(camera, list):
        yield from ((part, (*where, index)) for index, part in enumerate(camera))
    else:
        yield camera, where


def moves(reading: Checker) -> list[str]:
    """The camera moves that there are."""
    found: list[str] = reading.schema["definitions"]["camera_move"]["properties"]["move"]["enum"]
    return found


def _word(reading: Checker, data: Mapping[str, Any], word: str, where: PathInFile) -> None:
    """A word is a move or a named camera."""
    named = data.get("cameras", {})
    if not isinstance(named, dict) or word in named or word in moves(reading):
        return
    first = word.casefold().partition(" ")[0]
    instead = planned.MOVES.get(word.casefold()) or planned.MOVES.get(first)
    if instead:
        reading.problem(where, "E115", f'the camera move "{word}" is not supported yet', hint=instead)
        return
    hint = None if named else f"if it is a place of its own, add it under cameras: {word}: {{at: [x, y, z]}}"
    if (mapping_of := _in_words(reading, word)) is not None:
        hint = f"write the parameters as a mapping: camera: {mapping_of}"
    nothing = f'"{word}" is neither a camera move nor a named camera'
    unknown(reading, where, "E141", nothing, word, (*moves(reading), *named), hint=hint)


def _in_words(reading: Checker, text: str) -> str | None:
    """What a camera written in words would be as a mapping: ``orbit left 90``."""
    move, *words = text.lower().replace(",", " ").split() or [""]
    if not words or move not in moves(reading):
        return None
    said = {"move": move}
    for word in words:
        if word in ("left", "right") and move == "orbit":
            said["direction"] = word
        elif number := re.match(r"[-+]?[0-9]+(\.[0-9]+)?", word):
            said.update({key: number[0] for key in ("degrees", "up") if move in MOVES_OF[key]})
    written = ", ".join(f"{key}: {value}" for key, value in said.items())
    return f"{{{written}}}" if len(said) > 1 else f"{{{written}, ...}}"


def _mapping(
    reading: Checker, data: Mapping[str, Any], camera: dict[str, Any], where: PathInFile, *, listed: bool
) -> None:
    placed, named = camera.get("from"), data.get("cameras", {})
    if isinstance(placed, str) and isinstance(named, dict) and placed not in named:
        hint = None if named else f"add it: cameras: {{{placed}: {{at: [x, y, z]}}}}"
        unknown(reading, (*where, "from"), "E141", f'there is no camera "{placed}"', placed, named, hint=hint)
    if "for" in camera and not listed:
        alone = "for: says how long one of several moves lasts, and this is the only one"
        reading.problem((*where, "for"), "E146", alone, hint="remove it: a move lasts as long as its shot")
    _fitting(reading, camera, where)
    _lens(reading, camera, where)


def _fitting(reading: Checker, camera: dict[str, Any], where: PathInFile) -> None:
    """Parameters that fit the move."""
    move = camera.get("move", "stationary" if "from" in camera else "auto")
    for key, owners in MOVES_OF.items() if move is not INVALID else ():
        if key in camera and move not in owners:
            reading.problem(
                (*where, key),
                "E126",
                f'"{key}" does not belong to the camera move "{move}", only to {" and ".join(owners)}',
                hint=f"write move: {owners[0]}, or remove {key}",
            )
    for key in PLACED if "from" in camera else ():
        if key in camera:
            twice = f'"from" says where the camera stands, and so does "{key}"'
            reading.problem((*where, key), "E126", twice, hint="keep one of them")


def _lens(reading: Checker, camera: dict[str, Any], where: PathInFile) -> None:
    if "lens_mm" in camera and "fov_y_deg" in camera:
        reading.problem(
            (*where, "fov_y_deg"),
            "E127",
            "lens_mm and fov_y_deg both set how wide the lens is",
            hint="keep one of them",
        )
