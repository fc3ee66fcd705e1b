"""The commands of a screenplay read, with problems placed in it; and which camera each shot gets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..core.errors import Diagnostic
from ..core.plan import Beat
from ..core.screenplay import LAST_SHOT, CameraSpec, Screenplay
from ..words import Reading, understand
from .complaints import about
from .parts import fade_trouble, frames_of_parts
from .remarks import base_of, no_place, remarks_on

DEFAULT_FPS = Fraction(16)
"""The rate where neither the film nor the backend has one."""
LONGEST_S = 3600
_SUPPORTED = frozenset({"orbit", "follow", "stationary", "crane"})
_NOT_YET = frozenset({"in", "out", "down"})
"""Ways in which the supported moves do not go yet."""


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
        times["transition"] = fade_trouble(screenplay, index, fps)
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
    for beat in reading.beats:
        found += [
            screenplay.diagnostic(
                where, trouble.code, trouble.message, hint=trouble.hint, nearest=trouble.nearest
            )
            for trouble in remarks_on(beat, screenplay.anchors)
        ]
    found += _another_acts(screenplay, index, reading)
    cameras, troubles = _cameras(screenplay, index, reading)
    return reading.beats, cameras, [_at_word(problem) for problem in found + troubles]


def _another_acts(screenplay: Screenplay, index: int, reading: Reading) -> list[Diagnostic]:
    """W230 where somebody else does something in the command than the one who acts in the shot."""
    shot = screenplay.shots[index]
    owners = {
        called: name
        for name, character in screenplay.characters.items()
        for called in (name, *character.aliases)
    }
    named = {owners[actor] for actor in reading.actors if actor in owners} - {shot.character}
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
    return understand(screenplay.shots[index].command, **spoken_names(screenplay))


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
    """The moves decided. "auto" is the paper's rule: locomotion → follow, gesture or object → stationary,
    camera words in the command → that move."""
    specs = screenplay.shots[index].cameras
    told = [beat for beat in reading.beats if beat.category == "camera"]
    where = ("shots", index, "command")
    found = [
        screenplay.diagnostic(where, "E203", f"The camera move “{_name(beat)}” is not supported yet.",
                              found=_name(beat), hint="There are follow, stationary, orbit and crane.")
        for beat in told if beat.action not in _SUPPORTED or beat.direction in _NOT_YET
    ]  # fmt: skip
    moves = list(dict.fromkeys(beat.action for beat in told))
    clash = None if found or not moves else _clash(moves, specs)
    if clash:
        found.append(screenplay.diagnostic(where, "E204", clash[0], hint=clash[1]))
    if told and not found:
        return (_with_words(replace(specs[0], move=moves[0]), told[0]),), []
    auto = _auto(reading.beats)
    return tuple(replace(spec, move=auto) if spec.move == "auto" else spec for spec in specs), found


def _clash(moves: list[str], specs: Sequence[CameraSpec]) -> tuple[str, str] | None:
    """What the command says about the camera against what ``camera:`` says, and what to do about it."""
    if len(moves) > 1:
        hint = "Split the shot where the camera changes, or write the moves as a list: camera: [...]."
        return f"The camera cannot {' and '.join(moves)} at once.", hint
    if len(specs) > 1:
        return f"The command says {moves[0]}, but camera: lists its moves.", "Say it in one place only."
    if specs[0].move not in {"auto", moves[0]}:
        says = specs[0].placement or specs[0].move
        return f"The command says {moves[0]}, but camera: says {says}.", "Say it in one place only."
    return None


def _name(beat: Beat) -> str:
    return f"{beat.action} {beat.direction}" if beat.direction else beat.action


def _auto(beats: Sequence[Beat]) -> str:
    return "follow" if any(beat.category == "locomotion" for beat in beats) else "stationary"


def _with_words(spec: CameraSpec, beat: Beat) -> CameraSpec:
    """What the command says about the move, where ``camera:`` does not."""
    if beat.action == "orbit":
        side = {"left": "left", "clockwise": "left", "right": "right", "counterclockwise": "right"}
        amount = beat.amount
        turns = {"deg": 1.0, "turns": 360.0, "times": 360.0}
        degrees = amount.value * turns[amount.unit] if amount and amount.unit in turns else None
        around = 360.0 if beat.direction == "around" else None
        return replace(
            spec,
            direction=spec.direction or side.get(beat.direction or ""),
            degrees=spec.degrees if spec.degrees is not None else degrees or around,
        )
    if beat.action == "crane" and spec.up_m is None and beat.amount and beat.amount.unit == "m":
        return replace(spec, up_m=beat.amount.value)
    return spec
