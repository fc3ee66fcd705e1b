"""Who does what: the characters of a shot's command, beat by beat."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from ..core.plan import Beat
from ..core.screenplay import CharacterSpec, Screenplay, ShotSpec
from ..words import Reading

Roles = tuple[tuple[str, ...], ...]
"""For each beat, those who do it together; the camera's own have none."""

_ALL = re.compile(r"\b(?:they|both)\b", re.IGNORECASE)


def owners_of(characters: Mapping[str, CharacterSpec]) -> dict[str, str]:
    """Names and aliases of characters, with whose they are."""
    return {called: name for name, character in characters.items() for called in (name, *character.aliases)}


def targets_named(beats: Sequence[Beat], screenplay: Screenplay) -> tuple[Beat, ...]:
    """The beats, with characters that are gone to or faced by their names, not by their aliases."""
    owners = owners_of(screenplay.characters)
    return tuple(
        replace(beat, target=owners[beat.target])
        if beat.target in owners and beat.target not in screenplay.anchors
        else beat
        for beat in beats
    )


def roles_of(screenplay: Screenplay, shot: ShotSpec, reading: Reading, lead: str | None) -> Roles:
    """Who does each beat of a reading.

    "Mira and Ben walk" is both; "they" are those named together before, else everybody; what names nobody
    goes on with the one before, and begins with ``lead``. Where the lead has no part in a command that names
    others, all of it is the lead's (and W230 says so).
    """
    if len(screenplay.characters) == 1 and lead is not None:
        return tuple(() if beat.category == "camera" else (lead,) for beat in reading.beats)
    owners = owners_of(screenplay.characters)
    now: tuple[str, ...] = () if lead is None else (lead,)
    together: tuple[str, ...] = tuple(screenplay.characters)
    found: list[tuple[str, ...]] = []
    end = 0
    for beat, actor in zip(reading.beats, reading.actors, strict=False):
        if beat.category == "camera":
            found.append(())
            continue
        start, stop = beat.span
        said = shot.command[end:start] if start >= end else ""
        listed = _listed(said, tuple(owners))
        if len(listed) > 1:
            now = together = tuple(dict.fromkeys(owners[_key(owners, one)] for one in listed))
        elif actor in owners:
            now = (owners[actor],)
        elif _ALL.search(said) or _ALL.match(shot.command[start:stop]):
            now = together
        found.append(now)
        end = max(end, stop)
    if lead is None or any(lead in doing for doing in found):
        return tuple(found)
    return tuple((lead,) if doing else () for doing in found)


def _listed(said: str, names: tuple[str, ...]) -> list[str]:
    """The names of a list that ends right before a verb: “Mira, Ben and Tom”."""
    if len(names) < 2 or " and " not in said.lower():
        return []
    found = _list_of(names).search(said)
    return [] if found is None else [one.group(0) for one in _name_of(names).finditer(found.group(0))]


def _key(owners: Mapping[str, str], said: str) -> str:
    plain = said.lower().replace("_", " ")
    return next(name for name in owners if name.lower().replace("_", " ") == plain)


@lru_cache(maxsize=64)
def _name_of(names: tuple[str, ...]) -> re.Pattern[str]:
    longest = sorted((name.replace("_", " ") for name in names), key=len, reverse=True)
    choice = "|".join(re.escape(name).replace(r"\ ", "[ _]") for name in longest)
    return re.compile(rf"\b(?:{choice})\b", re.IGNORECASE)


@lru_cache(maxsize=64)
def _list_of(names: tuple[str, ...]) -> re.Pattern[str]:
    one = rf"(?:the\s+)?{_name_of(names).pattern}"
    return re.compile(
        rf"{one}(?:\s*,\s*{one})*\s*,?\s+and\s+{one}\s*(?:(?:both|all|\w+ly)\s*)*$", re.IGNORECASE
    )
