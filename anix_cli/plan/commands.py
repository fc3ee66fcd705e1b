"""The commands of a screenplay read, with problems placed in it; and which camera each shot gets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from ..core.errors import Diagnostic
from ..core.plan import Beat
from ..core.screenplay import LAST_SHOT, CameraSpec, Screenplay, ShotSpec
from ..words import Reading, understand
from ..words.meaning import Guess, guess
from .complaints import about
from .parts import frames_of_parts, transition_trouble
from .remarks import base_of, no_place, remarks_on
from .roles import owners_of, roles_of, targets_named
from .spoken import cameras_of

DEFAULT_FPS = Fraction(16)
"""The rate where neither the film nor the backend has one."""
LONGEST_S = 3600


def read_commands(screenplay: Screenplay, fps: Fraction = DEFAULT_FPS) -> tuple[Diagnostic, ...]:
    """All problems and warnings of all commands, the camera moves in them, and durations; needs no scene.

    Args:
        fps: the backend's rate; the film's own wins.
    """
    fps = screenplay.film.fps or fps
    found: list[Diagnostic] = []
    for index in range(len(screenplay.shots)):
        beats, cameras, troubles = read_command(screenplay, index)
        found += troubles
        found += _placeless(screenplay, index, beats)
        frames, short = frames_of(screenplay, index, fps)
        found += short
        times = {"camera": frames_of_parts(cameras, frames, fps)[1] if frames else None}
        times["transition"] = transition_trouble(screenplay, index, fps)
        found += [
            screenplay.diagnostic(("shots", index, key), trouble.code, trouble.message, hint=trouble.hint)
            for key, trouble in times.items()
            if trouble
        ]
    return tuple(found)


def _placeless(screenplay: Screenplay, index: int, beats: Sequence[Beat]) -> list[Diagnostic]:
    """Anchors to which a command sends the character, though they have no place in this shot."""
    anchors = screenplay.anchors
    found: list[Diagnostic] = []
    for name in sorted({beat.target for beat in beats if beat.target in anchors} - {None}, key=str):
        base = base_of(anchors, name or "")
        if (base == LAST_SHOT and index == 0) or (base in anchors and anchors[base].box is not None):
            trouble = no_place(anchors, name or "")
            where = ("shots", index, "command")
            found.append(screenplay.diagnostic(where, trouble.code, trouble.message, hint=trouble.hint))
    return found


def frames_of(screenplay: Screenplay, index: int, fps: Fraction) -> tuple[int, list[Diagnostic]]:
    """How many frames a shot has; 0 and E210 where there are none, E218 where there are too many."""
    duration = screenplay.shots[index].duration
    frames = duration.frames(fps)
    if frames > LONGEST_S * fps:
        hours = f"{duration} at {float(fps):g} fps is {float(frames / fps / 3600):.1f} hours."
        hint = "A shot lasts an hour at the most."
        return 0, [screenplay.diagnostic(("shots", index, "duration"), "E218", hours, hint=hint)]
    if frames > 0:
        return frames, []
    short = f"{duration} is less than one frame at {float(fps):g} fps."
    hint = f"Give it at least {float(1 / fps):.3f} s."
    return 0, [screenplay.diagnostic(("shots", index, "duration"), "E210", short, hint=hint)]


def read_command(
    screenplay: Screenplay, index: int
) -> tuple[tuple[Beat, ...], tuple[CameraSpec, ...], list[Diagnostic]]:
    """One shot's beats, its cameras with their moves decided, and what is wrong with its words."""
    reading = reading_of(screenplay, index)
    where = ("shots", index, "command")
    found = [about(screenplay, ("shots", index, "command"), problem) for problem in reading.problems]
    found += [
        screenplay.diagnostic(where, "W201", f"“{lost.text}” was not understood: only the prompt has it.",
                              found=lost.text)
        for lost in reading.not_understood
    ]  # fmt: skip
    found += [
        screenplay.diagnostic(where, "W231", f"“{one.text}” was read as “{one.meant}”.", found=one.text,
                              nearest=one.meant)
        for one in reading.corrected
    ]  # fmt: skip
    found += [
        screenplay.diagnostic(where, "W232", f"“{one.text}” was taken as “{one.action.replace('_', ' ')}”, "
                              f"{one.likeness:.2f} alike.", found=one.text,
                              hint="Say it with a plain verb to be sure.")
        for one in reading.taken
    ]  # fmt: skip
    beats = targets_named(reading.beats, screenplay)
    for beat in beats:
        found += [
            screenplay.diagnostic(
                where, trouble.code, trouble.message, hint=trouble.hint, nearest=trouble.nearest
            )
            for trouble in remarks_on(beat, screenplay.anchors, screenplay.characters)
        ]
    found += _another_acts(screenplay, index, reading)
    cameras, troubles = _cameras(screenplay, index, reading)
    return beats, cameras, [_at_word(problem) for problem in found + troubles]


def _another_acts(screenplay: Screenplay, index: int, reading: Reading) -> list[Diagnostic]:
    """W230 where somebody else does something in the command than the one who acts in the shot."""
    shot = screenplay.shots[index]
    owners = owners_of(screenplay.characters)
    doing = {other for one in roles_of(screenplay, shot, reading, shot.character) for other in one}
    named = {owners[actor] for actor in reading.actors if actor in owners} - {shot.character} - doing
    where = ("shots", index, "command")
    return [
        screenplay.diagnostic(
            where, "W230", f"The command names {other}, but {shot.character} acts in this shot.",
            hint=f"Write character: {other}, or say she or he.",
        )
        for other in sorted(named)
    ]  # fmt: skip


def _at_word(problem: Diagnostic) -> Diagnostic:
    """The same problem, pointed at the words concerned if they stand once in the command, on one line."""
    if problem.found is None or problem.span is None or problem.source is None:
        return problem
    start = problem.span.column - 1
    written = problem.source[start : start + problem.span.length]
    places = [found.start() for found in re.finditer(re.escape(problem.found), written, re.IGNORECASE)]
    if len(places) != 1:
        return problem
    column = problem.span.column + places[0]
    return replace(problem, span=replace(problem.span, column=column, length=len(problem.found)))


def reading_of(screenplay: Screenplay, index: int) -> Reading:
    """One shot's command as understood."""
    return reading_of_shot(screenplay, screenplay.shots[index])


def reading_of_shot(screenplay: Screenplay, shot: ShotSpec) -> Reading:
    """The same of a shot that is at hand. What is outside the lexicon is asked of the extra ``language``, if
    that is installed. "Do that again" repeats the shot before, where the same character acts in it."""
    reading = _read(shot.command, _Names.of(screenplay))
    if not _asks_back(reading):
        return reading
    shots, names = screenplay.shots, _Names.of(screenplay)
    index = next((at for at, one in enumerate(shots) if one.id == shot.id), 0)
    first = index
    while first > 0 and shots[first - 1].character == shot.character and _asks_back(reading):
        first -= 1
        reading = _read(shots[first].command, names)
    for at in range(first + 1, index + 1):
        reading = _read(shots[at].command, names, reading.beats)
    return reading


def _asks_back(reading: Reading) -> bool:
    return any(problem.kind == "unresolved_reference" for problem in reading.problems)


class _Names(NamedTuple):
    """What commands may name, as keys of what was read already."""

    characters: tuple[str, ...]
    places: tuple[str, ...]
    aliases: tuple[tuple[str, str], ...]

    @staticmethod
    def of(screenplay: Screenplay) -> _Names:
        names = spoken_names(screenplay)
        return _Names(tuple(names["characters"]), tuple(names["places"]), tuple(names["aliases"].items()))


def _read(command: str, names: _Names, before: tuple[Beat, ...] = ()) -> Reading:
    return _read_once(command, names, before, guess())


@lru_cache(maxsize=4096)  # one screenplay's commands are asked for several times
def _read_once(command: str, names: _Names, before: tuple[Beat, ...], meaning: Guess | None) -> Reading:
    return understand(
        command,
        characters=names.characters,
        places=names.places,
        aliases=dict(names.aliases),
        meaning=meaning,
        before=before,
    )


def spoken_names(screenplay: Screenplay) -> dict[str, Any]:
    """What commands call characters and places, as :func:`anix_cli.words.understand` takes it."""
    people = [*screenplay.characters]
    for character in screenplay.characters.values():
        people += character.aliases
    return {
        "characters": people,
        "places": screenplay.anchors,
        "aliases": {alias: name for name, anchor in screenplay.anchors.items() for alias in anchor.aliases},
    }


def _cameras(
    screenplay: Screenplay, index: int, reading: Reading
) -> tuple[tuple[CameraSpec, ...], list[Diagnostic]]:
    """The moves decided (:mod:`.spoken`), and what is wrong with them."""
    named = {*screenplay.anchors, *screenplay.characters}
    cameras, wrong = cameras_of(reading.beats, screenplay.shots[index].cameras, named)
    if wrong is None:
        return cameras, []
    trouble, words = wrong
    where = ("shots", index, "command")
    found = screenplay.diagnostic(
        where, trouble.code, trouble.message, found=words or None, hint=trouble.hint
    )
    return cameras, [found]
