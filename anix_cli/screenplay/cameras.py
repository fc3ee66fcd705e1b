"""Rules of ``camera:`` and ``cameras:`` that a schema cannot say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from anix_cli.core.screenplay import PathInFile
from anix_cli.core.time import Duration

from .check import INVALID, Checker
from .moves import move_of
from .names import mapping, unknown
from .values import as_duration

_TURNS = ("orbit", "arc", "pan", "tilt", "roll", "whip")
_LENSES = ("zoom", "dolly_zoom")
_FILMS = (
    "follow", "stationary", "handheld", "orbit", "arc", "dolly", "push", "pull", "crane", "dolly_zoom",
    "rack_focus",
)  # fmt: skip
MOVES_OF: dict[str, tuple[str, ...]] = {
    "degrees": _TURNS,
    "direction": (
        "orbit", "arc", "pan", "tilt", "roll", "whip", "dolly", "truck", "pedestal", "crane", *_LENSES,
    ),
    "up": ("crane", "pedestal"),
    "metres": ("dolly", "push", "pull", "truck", "dolly_zoom"),
    "times": _LENSES,
    "to_lens_mm": _LENSES,
    "ease": (*_TURNS, "dolly", "push", "pull", "truck", "pedestal", "crane", *_LENSES, "rack_focus", "path"),
    "keys": ("path",),
    "path": ("path",),
    "coordinates": ("path",),
    "lead_room": ("auto", *_FILMS),
}  # fmt: skip
"""Camera parameters that belong to certain moves only."""
WAYS: dict[str, tuple[str, ...]] = {
    "orbit": ("left", "right", "clockwise", "counterclockwise"),
    "arc": ("left", "right", "clockwise", "counterclockwise"),
    "roll": ("left", "right", "clockwise", "counterclockwise"),
    "pan": ("left", "right"),
    "whip": ("left", "right"),
    "truck": ("left", "right"),
    "tilt": ("up", "down"),
    "pedestal": ("up", "down"),
    "crane": ("up", "down"),
    "dolly": ("in", "out"),
    "zoom": ("in", "out"),
    "dolly_zoom": ("in", "out"),
}
"""The directions that a move can have."""
PLACED = ("side", "frame", "distance", "height")
"""Parameters that say where a camera stands, as ``from`` does."""
WHOLE = (
    *(
        "from",
        "side",
        "frame",
        "distance",
        "height",
        "headroom",
        "lead_room",
        "look_at",
        "lens_mm",
        "fov_y_deg",
    ),
)
"""Parameters that a path has of its own."""
SPOKEN = {
    "push in": "push", "push_in": "push", "pull out": "pull", "pull_out": "pull", "pull back": "pull",
    "boom": "pedestal", "tracking": "follow", "track": "follow", "static": "stationary",
    "dolly zoom": "dolly_zoom", "vertigo": "dolly_zoom", "rack focus": "rack_focus", "whip pan": "whip",
    "whip_pan": "whip", "dolly in": "dolly", "dolly out": "dolly", "zoom in": "zoom", "zoom out": "zoom",
}  # fmt: skip
"""What moves are called elsewhere."""


def check_placements(reading: Checker, data: Mapping[str, Any]) -> None:
    """The named cameras: their names, what they look at, their lenses."""
    anchors, characters = mapping(data, "anchors"), mapping(data, "characters")
    taken = {*moves(reading), *SPOKEN}
    for key, placement in mapping(data, "cameras").items():
        where: PathInFile = ("cameras", key)
        if key.casefold() in taken:
            same = f'"{key}" already means a camera move'
            reading.problem(where, "E142", same, hint="give the camera another name")
        if not isinstance(placement, dict):
            continue
        _lens(reading, placement, where)
        _look_at(reading, anchors, characters, placement.get("look_at"), (*where, "look_at"))


def _look_at(
    reading: Checker,
    anchors: Mapping[str, Any],
    characters: Mapping[str, Any],
    look_at: Any,
    where: PathInFile,
    point: str = ", or a point [x, y, z]",
) -> None:
    """What a camera looks at, or is focused on, is somewhere."""
    if not isinstance(look_at, str):
        return
    if look_at not in anchors and look_at not in characters:
        nobody = f'there is no anchor and no character "{look_at}"'
        unknown(reading, where, "E123", nobody, look_at, (*anchors, *characters), more=point)
    if "box" in mapping(anchors, look_at):
        boxed = f'"{look_at}" is a box of the picture, not a place on the stage'
        reading.problem(where, "E144", boxed, hint="name an anchor with at: or from:")


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
    if not isinstance(named, dict) or word in named:
        return
    if word in moves(reading):
        if word == "path":
            _path(reading, {}, where)
        return
    if word.casefold() in SPOKEN:
        other = f'the camera move "{word}" is called {SPOKEN[word.casefold()]} here'
        reading.problem(where, "E141", other, hint=f"write {SPOKEN[word.casefold()]}")
        return
    hint = None if named else f"if it is a place of its own, add it under cameras: {word}: {{at: [x, y, z]}}"
    if (mapping_of := _in_words(reading, word)) is not None:
        hint = f"write the parameters as a mapping: camera: {mapping_of}"
    nothing = f'"{word}" is neither a camera move nor a named camera'
    unknown(reading, where, "E141", nothing, word, (*moves(reading), *named), hint=hint)


def _framed(reading: Checker, text: str) -> str | None:
    """A framing or a side in the place of a move: ``close-up``, ``wide shot``, ``over the shoulder``."""
    words = re.split(r"[\s_-]+", text.lower().strip())
    said = "_".join(words[:-1] if len(words) > 1 and words[-1] in ("shot", "up", "view") else words)
    takes = reading.schema["definitions"]["camera_move"]["properties"]
    for key in ("frame", "side"):
        if (value := said.removesuffix("up").strip("_")) in takes[key]["enum"]:
            return f"{{{key}: {value}}}"
    return None


def _in_words(reading: Checker, text: str) -> str | None:
    """What a camera written in words would be as a mapping: ``orbit left 90``."""
    if framed := _framed(reading, text):
        return framed
    move, *words = text.lower().replace(",", " ").split() or [""]
    if not words or move not in moves(reading):
        return None
    said = {"move": move}
    for word in words:
        if word in WAYS.get(move, ()):
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
    anchors, characters = mapping(data, "anchors"), mapping(data, "characters")
    _look_at(reading, anchors, characters, camera.get("look_at"), (*where, "look_at"))
    _look_at(reading, anchors, characters, camera.get("focus"), (*where, "focus"), ", or metres")
    _fitting(reading, camera, where)
    _lens(reading, camera, where)
    if move_of(camera) == "path":
        _path(reading, camera, where)
    keys = camera.get("keys")
    for index, key in enumerate(keys if isinstance(keys, list) else ()):
        if isinstance(key, dict):
            there = (*where, "keys", index)
            _look_at(reading, anchors, characters, key.get("look_at"), (*there, "look_at"))
            _lens(reading, key, there)


def _fitting(reading: Checker, camera: dict[str, Any], where: PathInFile) -> None:
    """Parameters that fit the move."""
    move = camera["move"] if camera.get("move") is INVALID else move_of(camera)
    for key, owners in MOVES_OF.items() if move is not INVALID else ():
        if key in camera and move not in owners:
            reading.problem(
                (*where, key),
                "E126",
                f'"{key}" does not belong to the camera move "{move}", only to {_listed(owners)}',
                hint=_instead(key, move, camera) or f"write move: {owners[0]}, or remove {key}",
            )
    way = camera.get("direction")
    if move is not INVALID and isinstance(way, str) and way not in WAYS.get(move, (way,)):
        text = f'a camera cannot {move.replace("_", " ")} "{way}", only {_listed(WAYS[move])}'
        reading.problem((*where, "direction"), "E126", text, hint=f"write {WAYS[move][0]}, or another move")
    for key in PLACED if "from" in camera else ():
        if key in camera:
            twice = f'"from" says where the camera stands, and so does "{key}"'
            reading.problem((*where, key), "E126", twice, hint="keep one of them")
    if "times" in camera and "to_lens_mm" in camera:
        twice = '"times" and "to_lens_mm" both say how far it zooms'
        reading.problem((*where, "to_lens_mm"), "E126", twice, hint="keep one of them")
    if "metres" in camera and {"times", "to_lens_mm"} & {*camera}:
        twice = "the lens says how far this camera goes, and so does metres"
        reading.problem((*where, "metres"), "E126", twice, hint="keep one of them")


_SAYS_HOW_FAR = ("up", "metres", "degrees", "times")


def _instead(key: str, move: str, camera: dict[str, Any]) -> str | None:
    """The key by which a move says how far it goes, where another's is written: "up" of a crane."""
    own = [other for other in _SAYS_HOW_FAR if move in MOVES_OF.get(other, ())]
    if key not in _SAYS_HOW_FAR or len(own) != 1 or own[0] in camera:
        return None
    spoken = f"a {move.replace('_', ' ')} goes by {own[0]}"
    if {key, own[0]} != {"up", "metres"} or camera[key] is INVALID:
        return f"{spoken}: write that instead"
    return f"{spoken}: write {own[0]}: {float(camera[key]):g}"  # both are metres


def _listed(words: tuple[str, ...]) -> str:
    return " and ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} and {words[-1]}"


def _path(reading: Checker, camera: dict[str, Any], where: PathInFile) -> None:
    """A path is keys or a file, and says all else by itself."""
    if "keys" in camera and "path" in camera:
        both = '"keys" and "path" exclude each other: both say where the camera goes'
        reading.problem((*where, "path"), "E119", both, hint="keep one of them")
    if "keys" not in camera and "path" not in camera:
        wanted = "the camera move path needs keys or a path"
        reading.problem(where, "E113", wanted, hint="write keys: [{at: [0, 1.6, -4]}, {at: [2, 1.6, 0]}]")
    for key in WHOLE:
        if key in camera:
            own = f'"{key}" does not belong to a path, whose keys or file say it'
            reading.problem((*where, key), "E126", own, hint=f"remove {key}")
    if "coordinates" in camera and "keys" in camera:
        stage = "keys are in metres of the stage: coordinates belongs to a file"
        reading.problem((*where, "coordinates"), "E126", stage, hint="remove coordinates")
    keys = camera.get("keys")
    if isinstance(keys, list):
        _times(reading, keys, (*where, "keys"))


def _times(reading: Checker, keys: list[Any], where: PathInFile) -> None:
    """Times of keys rise, and all of them are there or none."""
    written = [key.get("time") for key in keys if isinstance(key, dict)]
    if len(written) < len(keys) or INVALID in written:
        return
    said = [as_duration(time) for time in written]
    if all(time is None for time in said):
        return
    for index in range(1, len(said)):
        time, before = said[index], said[index - 1] or Duration(Fraction(0))
        if time is None:
            some = "some keys of this path say when, and this one does not"
            reading.problem((*where, index), "E149", some, hint="give all keys a time, or none of them")
        elif time.unit == before.unit or not before.amount:
            if time.amount <= before.amount:
                late = f"this key is at {time}, the one before at {before}"
                reading.problem((*where, index, "time"), "E149", late, hint="let times rise from key to key")
        else:
            mixed = f"this key counts in {time.unit}, the one before in {before.unit}"
            reading.problem((*where, index, "time"), "E149", mixed, hint="write all times in one unit")


def _lens(reading: Checker, camera: dict[str, Any], where: PathInFile) -> None:
    if "lens_mm" in camera and "fov_y_deg" in camera:
        reading.problem(
            (*where, "fov_y_deg"),
            "E127",
            "lens_mm and fov_y_deg both set how wide the lens is",
            hint="keep one of them",
        )
