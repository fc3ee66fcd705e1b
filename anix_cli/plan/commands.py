"""The commands of a screenplay read, with problems placed in it; and which camera each shot gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from ..core.errors import Diagnostic
from ..core.plan import Beat
from ..core.screenplay import CameraSpec, Screenplay
from ..core.time import frames_from_seconds
from . import lexicon
from .remarks import remarks_on
from .words import Problem, Reading, understand

DEFAULT_FPS = Fraction(16)
"""The rate where neither the film nor the backend has one."""
_NOT_YET = frozenset({"in", "out", "down"})
"""Ways in which the supported moves do not go yet."""


def read_commands(screenplay: Screenplay) -> tuple[Diagnostic, ...]:
    """All problems and warnings of all commands, the camera moves in them, and durations; needs no scene."""
    found: list[Diagnostic] = []
    for index in range(len(screenplay.shots)):
        found += read_command(screenplay, index)[2]
        found += frames_of(screenplay, index, screenplay.film.fps or DEFAULT_FPS)[1]
    return tuple(found)


def frames_of(screenplay: Screenplay, index: int, fps: Fraction) -> tuple[int, list[Diagnostic]]:
    """How many frames a shot has; E210 where there are none."""
    duration_s = screenplay.shots[index].duration_s
    frames = frames_from_seconds(duration_s, fps)
    if frames > 0:
        return frames, []
    short = f"{float(duration_s):g} s is less than one frame at {float(fps):g} fps."
    hint = f"Give it at least {float(1 / fps):.3f} s."
    return 0, [screenplay.diagnostic(("shots", index, "duration"), "E210", short, hint=hint)]


def read_command(screenplay: Screenplay, index: int) -> tuple[tuple[Beat, ...], CameraSpec, list[Diagnostic]]:
    """One shot's beats, its camera with the move decided, and what is wrong with its words."""
    shot = screenplay.shots[index]
    reading = understand(shot.command, characters=screenplay.characters, places=screenplay.anchors)
    where = ("shots", index, "command")
    found = [_about_problem(screenplay, index, problem) for problem in reading.problems]
    found += [
        screenplay.diagnostic(where, "W201", f"“{lost.text}” was not understood: only the prompt has it.",
                              found=lost.text)
        for lost in reading.not_understood
    ]  # fmt: skip
    for beat in reading.beats:
        found += [
            screenplay.diagnostic(
                where, trouble.code, trouble.message, hint=trouble.hint, nearest=trouble.nearest
            )
            for trouble in remarks_on(beat, screenplay.anchors)
        ]
    camera, troubles = _camera(screenplay, index, reading)
    return reading.beats, camera, found + troubles


def _better_word(problem: Problem, near: str) -> str | None:
    """What to do about an unknown verb; a single near spelling is said anyway, as ``nearest``."""
    if len(problem.nearest) == 1:
        return None
    return f"Did you mean {near}?" if near else "Say it with a plain verb: walks, turns, waves."


def _about_problem(screenplay: Screenplay, index: int, problem: Problem) -> Diagnostic:
    where = ("shots", index, "command")
    if problem.kind == "unknown_verb":
        near = " or ".join(f"“{word}”" for word in problem.nearest)
        return screenplay.diagnostic(
            where, "E201", f"“{problem.text}” is not an action that anix knows.", found=problem.text,
            nearest=problem.nearest[0] if len(problem.nearest) == 1 else None,
            hint=_better_word(problem, near),
        )  # fmt: skip
    if problem.kind == "negation":
        return screenplay.diagnostic(
            where, "E202", f"“{problem.text}”: saying what is not done is not supported yet.",
            found=problem.text, hint="Say only what is done.",
        )  # fmt: skip
    if problem.kind == "name":
        return screenplay.diagnostic(
            where, "E205", f"An anchor called “{problem.text}” cannot be named in a command, where "
            f"“{problem.nearest[0]}” means something else.", found=problem.text,
            hint="Give the anchor another name.",
        )  # fmt: skip
    if problem.kind == "number":
        return screenplay.diagnostic(
            where, "E209", f"“{problem.text}” is not a number that can be read in one way only.",
            found=problem.text, hint=problem.nearest[0],
        )  # fmt: skip
    if problem.kind == "unresolved_reference":
        return screenplay.diagnostic(
            where, "E208", f"“{problem.text}” points to something said elsewhere; that is not supported yet.",
            found=problem.text, hint="Say the action itself.",
        )  # fmt: skip
    return screenplay.diagnostic(
        where, "E207", "The command holds no action that anix knows.", found=problem.text,
        hint='Write it in plain English ("she walks to the door"), or "" for a hold.',
    )  # fmt: skip


def _camera(screenplay: Screenplay, index: int, reading: Reading) -> tuple[CameraSpec, list[Diagnostic]]:
    """The move decided. "auto" is the paper's rule: locomotion → follow, gesture or object → stationary,
    camera words in the command → that move."""
    spec = screenplay.shots[index].camera
    told = [beat for beat in reading.beats if beat.category == "camera"]
    where = ("shots", index, "command")
    found = [
        screenplay.diagnostic(where, "E203", f"The camera move “{_name(beat)}” is not supported yet.",
                              found=_name(beat), hint="There are follow, stationary, orbit and crane.")
        for beat in told if beat.action not in lexicon.SUPPORTED_MOVES or beat.direction in _NOT_YET
    ]  # fmt: skip
    moves = list(dict.fromkeys(beat.action for beat in told))
    if not found and len(moves) > 1:
        found.append(screenplay.diagnostic(
            where, "E204", f"The camera cannot {' and '.join(moves)} in one shot.",
            hint="Split the shot where the camera changes."))  # fmt: skip
    elif not found and moves and spec.move not in {"auto", moves[0]}:
        found.append(screenplay.diagnostic(
            where, "E204", f"The command says {moves[0]}, but camera: says {spec.move}.",
            hint="Say it in one place only."))  # fmt: skip
    if told and not found:
        return _with_words(replace(spec, move=moves[0]), told[0]), []
    return (spec if spec.move != "auto" else replace(spec, move=_auto(reading.beats))), found


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
