"""``plan.json`` and the ``plan.npz`` beside it: the plan as files that other programs can read.

The JSON holds all but the per-frame arrays. These lie in an npz (or, for a pipe, inside the JSON as base64),
all shots one after the other; a shot's part follows from the frame counts. ``arrays_key`` binds the two
together. Paths are relative to the plan's folder. The JSON is written last: a plan that is there is whole.
"""

from __future__ import annotations

import base64
import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import AnixError, Diagnostic, Span, fail
from ..core.keys import fingerprint
from ..core.plan import (
    Amount,
    Beat,
    Estimate,
    Gesture,
    Plan,
    PlannedCharacter,
    PlannedClip,
    PlannedShot,
    ScenePlacement,
    Subject,
    Take,
)
from ..core.schemas import schema
from .clips import changed_since

PLAN_VERSION = 1
Arrays = dict[str, Any]
"""Name → array."""

_SHOT_ARRAYS = {"world_from_camera": (4, 4), "intrinsics": (3, 3)}
_SUBJECT_ARRAYS: dict[str, tuple[int, ...]] = {
    "root": (3,), "yaw_rad": (), "speed_mps": (), "gait_phase": (), "box_px": (4,), "visible": (),
    "lift_m": (),
}  # fmt: skip


def write_plan(plan: Plan, path: Path) -> None:
    """Writes ``path`` and the npz of the same stem beside it. Raises E411, E412."""
    from ..store.atomic import write_text, writing

    path = path.absolute()
    with writing(path.with_suffix(".npz")) as partial:
        np.savez(partial, **arrays_of(plan))
    write_text(
        path, json.dumps(plan_document(plan, base=path.parent, arrays=f"{path.stem}.npz"), indent=1) + "\n"
    )


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
        "options": dict(plan.options),
        "screenplay": _relative(plan.screenplay, base) if plan.screenplay else None,
        "store": _relative(plan.store, base),
        "scene": {
            "file": _relative(scene.file, base), "key": scene.key, "digest": scene.digest,
            "stage_from_file": scene.stage_from_file.tolist(), "extent_m": scene.extent_m,
        },
        "cast": [
            {"name": member.name,
             "views": {view: _relative(file, base) for view, file in member.views.items()},
             "key": member.key, "height_m": member.height_m, "description": member.description}
            for member in plan.cast
        ],
        "takes": [{"shots": [_shot_record(shot) for shot in take.shots]} for take in plan.takes],
        "estimate": asdict(plan.estimate),
        "notes": [_note_record(note, base) for note in plan.notes],
        "arrays": stored,
        "arrays_key": fingerprint(held),
    }  # fmt: skip


def arrays_of(plan: Plan) -> Arrays:
    """All per-frame arrays, shots (and their subjects) one after the other; every value float64 or bool."""
    shots = list(plan.shots())
    subjects = [subject for shot in shots for subject in shot.subjects]
    held: Arrays = {}
    for name, tail in _SHOT_ARRAYS.items():
        held[name] = np.concatenate([np.zeros((0, *tail)), *(getattr(shot, name) for shot in shots)])
    for name, rest in _SUBJECT_ARRAYS.items():
        kind = np.bool_ if name == "visible" else np.float64
        held[name] = np.concatenate([np.zeros((0, *rest), kind), *(getattr(item, name) for item in subjects)])
    return held


def _ratio(fps: Fraction) -> str:
    return f"{fps.numerator}/{fps.denominator}"


def _relative(path: Path, base: Path) -> str:
    try:
        return Path(os.path.relpath(path, base)).as_posix()
    except ValueError:  # another drive
        return path.as_posix()


def _shot_record(shot: PlannedShot) -> dict[str, Any]:
    return {
        "id": shot.id,
        "command": shot.command,
        "camera": shot.camera,
        "start": shot.start,
        "frames": shot.frames,
        "fade_s": shot.fade_s,
        "beats": [_beat_record(beat) for beat in shot.beats],
        "subjects": [_subject_record(subject) for subject in shot.subjects],
        "guide_key": shot.guide_key,
        "guide_stale_because": shot.guide_stale_because,
        "clips": [_clip_record(clip) for clip in shot.clips],
    }


def _subject_record(subject: Subject) -> dict[str, Any]:
    """Who it is and what it does; the arrays hold the rest."""
    gestures = [
        {key: value for key, value in asdict(gesture).items() if value is not None}
        for gesture in subject.gestures
    ]
    return {"character": subject.character, "gestures": gestures}


def _beat_record(beat: Beat) -> dict[str, Any]:
    """A beat without the fields that it does not have."""
    record = asdict(beat) | {"span": list(beat.span)}
    return {key: value for key, value in record.items() if value is not None}


def _clip_record(clip: PlannedClip) -> dict[str, Any]:
    record = asdict(clip)
    record.pop("shot_id")
    return record


def _note_record(note: Diagnostic, base: Path) -> dict[str, Any]:
    record = {key: value for key, value in asdict(note).items() if value is not None}
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
    try:
        document = json.loads((path.read_bytes() if text is None else text).decode("utf-8"))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise fail("E240", f"The plan {path} cannot be read: {reason}.", file=path,
                   hint="Make one with: anix plan film.yaml -o plan.json") from error  # fmt: skip
    except (ValueError, RecursionError) as error:
        raise fail("E240", f"{path} is not a plan, or is cut off: it is not complete JSON.", file=path,
                   hint="Make it again with: anix plan film.yaml -o plan.json") from error  # fmt: skip
    _check_document(document, path)
    arrays = _read_arrays(document, path, base)
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


def _check_document(document: Any, path: Path) -> None:
    from jsonschema import Draft7Validator

    version = document.get("plan") if isinstance(document, dict) else None
    if not isinstance(version, int) or isinstance(version, bool):
        raise fail("E240", f'{path} is not a plan: it has no "plan" version.', file=path,
                   hint="Make one with: anix plan film.yaml -o plan.json")  # fmt: skip
    if version != PLAN_VERSION:
        raise fail("E241", f"{path} is a plan of version {version}; this anix reads version {PLAN_VERSION}.",
                   file=path, hint="Plan again with this anix.")  # fmt: skip
    errors = sorted(
        Draft7Validator(schema("plan-v1")).iter_errors(document), key=lambda error: list(map(str, error.path))
    )
    if errors:
        raise AnixError(
            Diagnostic("E242", f"{path} at {error.json_path}: {error.message[:200]}", file=path,
                       hint="Plan again; a plan is not meant to be written by hand.")
            for error in errors[:10]
        )  # fmt: skip


def _read_arrays(document: Mapping[str, Any], path: Path, base: Path) -> Arrays:
    stored = document["arrays"]
    if stored is None:
        raise fail("E243", f"{path} says nothing about where its arrays are.", file=path,
                   hint="Write the plan with: anix plan film.yaml -o plan.json")  # fmt: skip
    file = path if isinstance(stored, dict) else base / stored
    try:
        source: Any = (
            io.BytesIO(base64.b64decode(stored["base64"], validate=True))
            if isinstance(stored, dict)
            else file
        )
        with np.load(source, allow_pickle=False) as held:
            arrays = {name: held[name] for name in (*_SHOT_ARRAYS, *_SUBJECT_ARRAYS)}
    except FileNotFoundError as error:
        raise fail("E243", f"{file} is missing: it holds the frames of {path.name} and belongs beside it.",
                   file=path, hint="Copy both files, or plan again.") from error  # fmt: skip
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, AttributeError) as error:
        raise fail("E244", f"The arrays in {file} are damaged or cut off.", file=path,
                   hint="Plan again.") from error  # fmt: skip
    if not _shapes_agree(document, arrays) or fingerprint(arrays) != document["arrays_key"]:
        raise fail("E244", f"The arrays in {file} belong to another plan than {path.name}.", file=path,
                   hint="Copy both files of one plan, or plan again.")  # fmt: skip
    return arrays


def _shapes_agree(document: Mapping[str, Any], arrays: Arrays) -> bool:
    shots = [shot for take in document["takes"] for shot in take["shots"]]
    frames = sum(shot["frames"] for shot in shots)
    rows = sum(shot["frames"] * len(shot["subjects"]) for shot in shots)
    expected = {name: (frames, *tail) for name, tail in _SHOT_ARRAYS.items()}
    expected |= {name: (rows, *tail) for name, tail in _SUBJECT_ARRAYS.items()}
    return all(
        arrays[name].shape == shape and arrays[name].dtype == (np.bool_ if name == "visible" else np.float64)
        for name, shape in expected.items()
    )


def _plan_from(document: Mapping[str, Any], arrays: Arrays, base: Path) -> Plan:
    scene = document["scene"]
    cuts = _Cuts(arrays)
    return Plan(
        title=document["title"],
        size_px=(document["size"][0], document["size"][1]),
        fps=Fraction(document["fps"]),
        seed=document["seed"],
        backend=document["backend"],
        options=document["options"],
        scene=ScenePlacement(
            file=_absolute(scene["file"], base), key=scene["key"], digest=scene["digest"],
            stage_from_file=np.array(scene["stage_from_file"], dtype=np.float64), extent_m=scene["extent_m"],
        ),
        cast=tuple(
            PlannedCharacter(
                member["name"], {view: _absolute(file, base) for view, file in member["views"].items()},
                member["key"], member["height_m"], member["description"],
            )
            for member in document["cast"]
        ),
        takes=tuple(
            Take(tuple(_shot_from(record, cuts) for record in take["shots"])) for take in document["takes"]
        ),
        estimate=Estimate(**document["estimate"]),
        store=_absolute(document["store"], base),
        screenplay=_absolute(document["screenplay"], base) if document["screenplay"] else None,
        notes=tuple(_note_from(note, base) for note in document["notes"]),
    )  # fmt: skip


class _Cuts:
    """Takes the arrays apart again, from front to back."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays
        self._shot, self._subject = 0, 0

    def shot(self, frames: int) -> Arrays:
        start, self._shot = self._shot, self._shot + frames
        return {name: self._arrays[name][start : self._shot] for name in _SHOT_ARRAYS}

    def subject(self, frames: int) -> Arrays:
        start, self._subject = self._subject, self._subject + frames
        return {name: self._arrays[name][start : self._subject] for name in _SUBJECT_ARRAYS}


def _shot_from(record: Mapping[str, Any], cuts: _Cuts) -> PlannedShot:
    frames = record["frames"]
    plain = {key: record[key] for key in ("id", "command", "camera", "start", "frames", "fade_s", "guide_key",
                                          "guide_stale_because")}  # fmt: skip
    return PlannedShot(
        **plain,
        **cuts.shot(frames),
        beats=tuple(_beat_from(beat) for beat in record["beats"]),
        clips=tuple(PlannedClip(shot_id=record["id"], **clip) for clip in record["clips"]),
        subjects=tuple(
            Subject(
                character=subject["character"],
                **cuts.subject(frames),
                gestures=tuple(Gesture(**gesture) for gesture in subject["gestures"]),
            )
            for subject in record["subjects"]
        ),
    )


def _beat_from(record: Mapping[str, Any]) -> Beat:
    amount = Amount(**record["amount"]) if "amount" in record else None
    return Beat(**{**record, "amount": amount, "span": tuple(record["span"])})


def _note_from(record: Mapping[str, Any], base: Path) -> Diagnostic:
    file = _absolute(record["file"], base) if "file" in record else None
    span = Span(**record["span"]) if "span" in record else None
    return Diagnostic(**{**record, "file": file, "span": span})


def _absolute(text: str, base: Path) -> Path:
    return Path(os.path.normpath(base / text))
