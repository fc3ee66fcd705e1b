"""``plan.json`` and the ``plan.npz`` beside it: the plan as files that other programs can read.

The JSON holds all but the per-frame arrays. These lie in an npz (or, for a pipe, inside the JSON as base64),
all shots one after the other; a shot's part follows from the frame counts. ``arrays_key`` binds the two
together (:mod:`.arrays`). Paths are relative to the plan's folder. Both files are written and on the disk
before the first of them gets its name, so that a full disk leaves the plan that was there.
"""

from __future__ import annotations

import base64
import io
import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import Diagnostic, Span, fail
from ..core.keys import fingerprint
from ..core.optics import Optics
from ..core.plan import (
    Amount,
    Beat,
    Estimate,
    FilmOutput,
    Gesture,
    Music,
    NamedFile,
    Plan,
    PlannedCharacter,
    PlannedClip,
    PlannedShot,
    Recalled,
    ScenePlacement,
    Sound,
    Subject,
    Take,
    Transition,
)
from ..core.screenplay import MotionSpec
from .arrays import (
    SHOT_ARRAYS,
    SUBJECT_ARRAYS,
    Arrays,
    DamagedError,
    MismatchError,
    UnsoundError,
    arrays_of,
    read_arrays,
)
from .clips import changed_since
from .documents import PLAN_VERSION, parse


def write_plan(plan: Plan, path: Path) -> None:
    """Writes ``path`` and the npz of the same stem beside it. Raises E411, E412."""
    from ..store.atomic import sync_file, unwritable, writing

    path = path.absolute()
    document = plan_document(plan, base=path.parent, arrays=f"{path.stem}.npz")
    with writing(path) as text, writing(path.with_suffix(".npz")) as arrays:
        with unwritable(path):
            text.write_text(_laid_out(document, _TO_SHOTS) + "\n", encoding="utf-8")
            sync_file(text)
        np.savez(arrays, **arrays_of(plan))


_TO_SHOTS = 4
"""How deep in the document the shots lie."""


def _laid_out(value: Any, levels: int, margin: str = "\n") -> str:
    """JSON with a line for each value down to so many levels, and what lies deeper on the same line: a shot a
    line. (With ``indent``, Python's encoder takes four times as long.)"""
    if not levels or not value or not isinstance(value, (dict, list)):
        return json.dumps(value)
    inner = f"{margin} "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {_laid_out(item, levels - 1, inner)}" for key, item in value.items()]
        return "{" + inner + f",{inner}".join(parts) + margin + "}"
    return "[" + inner + f",{inner}".join(_laid_out(item, levels - 1, inner) for item in value) + margin + "]"


def plan_document(
    plan: Plan, *, base: Path, embed: bool = False, arrays: str | None = None
) -> dict[str, Any]:
    """The plan as one JSON-ready object.

    Args:
        base: folder that paths are written relative to.
        embed: put the arrays in as base64, so that the document stands alone.
        arrays: name of the npz beside the document, if there is one.
    """
    held = arrays_of(plan)
    stored: Any = arrays
    if embed:
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **held)
        stored = {"base64": base64.b64encode(buffer.getvalue()).decode("ascii")}
    scene = plan.scene
    return {
        "plan": PLAN_VERSION,
        "title": plan.title,
        "size": list(plan.size_px),
        "fps": _ratio(plan.fps),
        "seed": plan.seed,
        "backend": plan.backend,
        "screenplay": _relative(plan.screenplay, base) if plan.screenplay else None,
        "store": _relative(plan.store, base),
        "output": _output_record(plan.output, base),
        "scene": {
            "file": _relative(scene.file, base), "key": scene.key, "digest": scene.digest,
            "stage_from_file": scene.stage_from_file.tolist(), "extent_m": scene.extent_m,
            "background": list(scene.background_rgb),
            "crop": scene.crop_m and [limits and list(limits) for limits in scene.crop_m],
        },
        "cast": [
            {"name": member.name,
             "views": {view: _relative(file, base) for view, file in member.views.items()},
             "model": _relative(member.model, base) if member.model else None,
             "key": member.key, "height_m": member.height_m, "description": member.description,
             "motions": {name: _motion_record(spec, base) for name, spec in member.motions.items()}}
            for member in plan.cast
        ],
        "takes": [{"shots": [_shot_record(shot, base) for shot in take.shots]} for take in plan.takes],
        "estimate": asdict(plan.estimate),
        "notes": [_note_record(note, base) for note in plan.notes],
        "arrays": stored,
        "arrays_key": fingerprint(held),
    }  # fmt: skip


def _ratio(fps: Fraction) -> str:
    return f"{fps.numerator}/{fps.denominator}"


def _relative(path: Path, base: Path) -> str:
    try:
        return Path(os.path.relpath(path, base)).as_posix()
    except ValueError:  # another drive
        return path.as_posix()


def _motion_record(spec: MotionSpec, base: Path) -> dict[str, Any]:
    file = _relative(spec.file, base)
    return {"file": file, "clip": spec.clip, "start_s": spec.start_s, "end_s": spec.end_s}


def _shot_record(shot: PlannedShot, base: Path) -> dict[str, Any]:
    return {
        "id": shot.id,
        "command": shot.command,
        "camera": shot.camera,
        "start": shot.start,
        "frames": shot.frames,
        "transition": _transition_record(shot.transition) if shot.transition else None,
        "caption": shot.caption,
        "sound": _sound_record(shot.sound, base) if shot.sound else None,
        "beats": [_beat_record(beat) for beat in shot.beats],
        "subjects": [_subject_record(subject) for subject in shot.subjects],
        "guide_key": shot.guide_key,
        "guide_stale_because": shot.guide_stale_because,
        "clips": [_clip_record(clip) for clip in shot.clips],
        **({"optics": {**vars(shot.optics), "focus_m": list(shot.optics.focus_m)}} if shot.optics else {}),
    }


def _output_record(output: FilmOutput, base: Path) -> dict[str, Any]:
    music = output.music
    return {
        **vars(output),
        "also": list(output.also),
        "music": music and {**vars(music), "sound": _sound_record(music.sound, base)},
        "subtitles": output.subtitles and _sound_record(output.subtitles, base),
        "font": output.font and _sound_record(output.font, base),
    }


def _output_from(record: Mapping[str, Any], base: Path) -> FilmOutput:
    music, subtitles, font = record["music"], record["subtitles"], record["font"]
    named = {
        "music": music and Music(**{**music, "sound": _sound_from(music["sound"], base)}),
        "subtitles": subtitles and NamedFile(_absolute(subtitles["file"], base), subtitles["digest"]),
        "font": font and NamedFile(_absolute(font["file"], base), font["digest"]),
    }
    return FilmOutput(**{**record, **named, "also": tuple(record["also"])})


def _transition_record(transition: Transition) -> dict[str, Any]:
    return {"kind": transition.kind, "seconds": transition.seconds, "colour": list(transition.colour_rgb)}


def _transition_from(record: Mapping[str, Any]) -> Transition:
    red, green, blue = record["colour"]
    return Transition(record["kind"], record["seconds"], (red, green, blue))


def _sound_record(sound: NamedFile, base: Path) -> dict[str, Any]:
    """A sound, or another file, which has no volume."""
    return {**vars(sound), "file": _relative(sound.file, base)}


def _sound_from(record: Mapping[str, Any], base: Path) -> Sound:
    return Sound(**{**record, "file": _absolute(record["file"], base)})


def _subject_record(subject: Subject) -> dict[str, Any]:
    """Who it is and what it does; the arrays hold the rest."""
    gestures = [
        {key: value for key, value in vars(gesture).items() if value is not None}
        for gesture in subject.gestures
    ]
    return {"character": subject.character, "gestures": gestures}


def _beat_record(beat: Beat) -> dict[str, Any]:
    """A beat without the fields that it does not have."""
    amount = None if beat.amount is None else vars(beat.amount)
    record = vars(beat) | {"amount": amount, "span": list(beat.span)}
    return {key: value for key, value in record.items() if value is not None}


def _clip_record(clip: PlannedClip) -> dict[str, Any]:
    told = vars(clip) | {"memory": [vars(part) for part in clip.memory]}
    left_out = {"shot_id", *(name for name in ("prompts", "memory") if not told[name])}
    return {key: value for key, value in told.items() if key not in left_out}


def _note_record(note: Diagnostic, base: Path) -> dict[str, Any]:
    record = {key: value for key, value in asdict(note).items() if value is not None and key != "strict"}
    if note.file is not None:
        record["file"] = _relative(note.file, base)
    return record


def read_plan(path: Path, *, text: bytes | None = None) -> Plan:
    """Reads a plan.

    Args:
        path: the JSON file; its folder is what paths in it count from (the current folder for "-").
        text: its bytes, if they were read already (standard input).

    Raises:
        AnixError: E240 not there or not JSON, E241 another version, E242 not as the schema says, E243 the npz
            is missing, E244 the npz is damaged or belongs to another plan, E245 its keys do not follow
            from what it says.
    """
    base = Path.cwd() if str(path) == "-" else path.absolute().parent
    document = parse(path, text)
    arrays = _arrays(document, path, base)
    plan = _plan_from(document, arrays, base)
    _check_keys(plan, path)
    return plan


def _check_keys(plan: Plan, path: Path) -> None:
    unknown = {subject.character for shot in plan.shots() for subject in shot.subjects} - {
        member.name for member in plan.cast
    }
    changed = min(unknown) if unknown else changed_since(plan)
    if changed is not None:
        where = f"the character {changed}" if unknown else f"shot {changed}"
        raise fail("E245", f"What {path} says of {where} was changed after planning, or by another version "
                   "of anix.", file=path, hint="Change the screenplay and run anix plan again.")  # fmt: skip


def _arrays(document: Mapping[str, Any], path: Path, base: Path) -> Arrays:
    stored = document["arrays"]
    if stored is None:
        raise fail("E243", f"{path} says nothing about where its arrays are.", file=path,
                   hint="Write the plan with: anix plan film.yaml -o plan.json")  # fmt: skip
    file = path if isinstance(stored, dict) else base / stored
    try:
        if isinstance(stored, dict):
            return read_arrays(io.BytesIO(base64.b64decode(stored["base64"], validate=True)), document)
        return read_arrays(file, document)
    except FileNotFoundError as error:
        raise fail("E243", f"{file} is missing: it holds the frames of {path.name} and belongs beside it.",
                   file=path, hint="Copy both files, or plan again.") from error  # fmt: skip
    except (DamagedError, ValueError) as error:
        raise fail("E244", f"The arrays in {file} are damaged or cut off.", file=path,
                   hint="Plan again.") from error  # fmt: skip
    except UnsoundError as error:
        raise fail("E244", f"The arrays in {file} are not those of a film: {error}.", file=path,
                   hint="Plan again; a plan is not meant to be written by hand.") from error  # fmt: skip
    except MismatchError as error:
        raise fail("E244", f"The arrays in {file} belong to another plan than {path.name}.", file=path,
                   hint="Copy both files of one plan, or plan again.") from error  # fmt: skip


def _plan_from(document: Mapping[str, Any], arrays: Arrays, base: Path) -> Plan:
    scene = document["scene"]
    cuts = _Cuts(arrays)
    return Plan(
        title=document["title"],
        size_px=(document["size"][0], document["size"][1]),
        fps=Fraction(document["fps"]),
        seed=document["seed"],
        backend=document["backend"],
        scene=ScenePlacement(
            file=_absolute(scene["file"], base), key=scene["key"], digest=scene["digest"],
            stage_from_file=np.array(scene["stage_from_file"], dtype=np.float64), extent_m=scene["extent_m"],
            background_rgb=(scene["background"][0], scene["background"][1], scene["background"][2]),
            crop_m=scene["crop"] and tuple(limits and (limits[0], limits[1]) for limits in scene["crop"]),
        ),
        cast=tuple(
            PlannedCharacter(
                member["name"], {view: _absolute(file, base) for view, file in member["views"].items()},
                member["key"], member["height_m"], member["description"],
                _absolute(member["model"], base) if member["model"] else None,
                {
                    name: MotionSpec(_absolute(of["file"], base), of["clip"], of["start_s"], of["end_s"])
                    for name, of in member.get("motions", {}).items()
                },
            )
            for member in document["cast"]
        ),
        takes=tuple(
            Take(tuple(_shot_from(record, cuts, base) for record in take["shots"]))
            for take in document["takes"]
        ),
        estimate=_estimate(document["estimate"]),
        store=_absolute(document["store"], base),
        screenplay=_absolute(document["screenplay"], base) if document["screenplay"] else None,
        notes=tuple(_note_from(note, base) for note in document["notes"]),
        output=_output_from(document["output"], base),
    )  # fmt: skip


class _Cuts:
    """Takes the arrays apart again, from front to back."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays
        self._shot, self._subject = 0, 0

    def shot(self, frames: int) -> Arrays:
        start, self._shot = self._shot, self._shot + frames
        return {name: self._arrays[name][start : self._shot] for name in SHOT_ARRAYS}

    def subject(self, frames: int) -> Arrays:
        start, self._subject = self._subject, self._subject + frames
        return {name: self._arrays[name][start : self._subject] for name in SUBJECT_ARRAYS}


def _shot_from(record: Mapping[str, Any], cuts: _Cuts, base: Path) -> PlannedShot:
    frames, sound = record["frames"], record["sound"]
    plain = {key: record[key] for key in ("id", "command", "camera", "start", "frames", "guide_key",
                                          "guide_stale_because", "caption")}  # fmt: skip
    return PlannedShot(
        **plain,
        transition=_transition_from(record["transition"]) if record["transition"] else None,
        sound=_sound_from(sound, base) if sound else None,
        optics=_optics_from(record["optics"]) if "optics" in record else None,
        **cuts.shot(frames),
        beats=tuple(_beat_from(beat) for beat in record["beats"]),
        clips=tuple(_clip_from(clip, record["id"]) for clip in record["clips"]),
        subjects=tuple(
            Subject(
                character=subject["character"],
                **cuts.subject(frames),
                gestures=tuple(Gesture(**gesture) for gesture in subject["gestures"]),
            )
            for subject in record["subjects"]
        ),
    )


def _clip_from(record: Mapping[str, Any], shot_id: str) -> PlannedClip:
    memory = tuple(Recalled(**part) for part in record.get("memory", ()))
    return PlannedClip(**{**record, "shot_id": shot_id, "memory": memory})


def _optics_from(record: Mapping[str, Any]) -> Optics:
    return Optics(**{**record, "focus_m": tuple(record["focus_m"])})


def _beat_from(record: Mapping[str, Any]) -> Beat:
    amount = Amount(**record["amount"]) if "amount" in record else None
    return Beat(**{**record, "amount": amount, "span": tuple(record["span"])})


def _note_from(record: Mapping[str, Any], base: Path) -> Diagnostic:
    file = _absolute(record["file"], base) if "file" in record else None
    span = Span(**record["span"]) if "span" in record else None
    return Diagnostic(**{**record, "file": file, "span": span})


def _absolute(text: str, base: Path) -> Path:
    return Path(os.path.normpath(base / text))


def _estimate(document: Mapping[str, Any]) -> Estimate:
    found = document.get("vram_gib")
    return Estimate(**{**document, "vram_gib": None if found is None else (found[0], found[1])})
