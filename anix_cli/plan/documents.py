"""A plan's JSON looked through before anything in it is believed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import AnixError, Diagnostic, fail
from ..core.schemas import schema

PLAN_VERSION = 1
MOST_BYTES = 64 << 20
"""The largest JSON that is read."""
_DEEPEST = 24
_LARGEST = 1e15
_LOOSE = 1e-6


def parse(path: Path, text: bytes | None) -> dict[str, Any]:
    """Reads the document and makes sure that it is one of a plan.

    Args:
        text: its bytes, if they were read already.

    Raises:
        AnixError: E240 not there or not JSON, E241 another version, E242 not as the schema says.
    """
    try:
        document = json.loads(_text(path, text), parse_constant=_no_number)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise fail("E240", f"The plan {path} cannot be read: {reason}.", file=path,
                   hint="Make one with: anix plan film.yaml -o plan.json") from error  # fmt: skip
    except (ValueError, RecursionError, MemoryError) as error:
        raise fail("E240", f"{path} is not a plan, or is cut off: it is not complete JSON.", file=path,
                   hint="Make it again with: anix plan film.yaml -o plan.json") from error  # fmt: skip
    _check_version(document, path)
    for check in (_unfit_values, _against_schema, _contradictions):
        if found := list(check(document)):
            raise AnixError(unsound(path, place, what) for place, what in found[:10])
    return dict(document)


def unsound(path: Path, place: str, what: str) -> Diagnostic:
    """E242 at a place of the document."""
    hint = "Plan again; a plan is not meant to be written by hand."
    return Diagnostic("E242", f"{path} at {place}: {what[:200]}", file=path, hint=hint)


def _text(path: Path, text: bytes | None) -> str:
    if text is None:
        with path.open("rb") as stream:
            text = stream.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise fail("E240", f"{path} is not a plan: it is larger than {MOST_BYTES >> 20} MiB.", file=path,
                   hint="Make one with: anix plan film.yaml -o plan.json")  # fmt: skip
    return text.decode("utf-8")


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not JSON")


def _check_version(document: Any, path: Path) -> None:
    version = document.get("plan") if isinstance(document, dict) else None
    if not isinstance(version, int) or isinstance(version, bool):
        raise fail("E240", f'{path} is not a plan: it has no "plan" version.', file=path,
                   hint="Make one with: anix plan film.yaml -o plan.json")  # fmt: skip
    if version != PLAN_VERSION:
        raise fail("E241", f"{path} is a plan of another version; this anix reads version {PLAN_VERSION}.",
                   file=path, hint="Plan again with this anix.")  # fmt: skip


def _unfit_values(document: Any) -> Iterator[tuple[str, str]]:
    """What no reader after this one could handle: text that no file name holds, endless numbers, depth."""
    stack: list[tuple[str, Any, int]] = [("$", document, 0)]
    while stack:
        place, value, depth = stack.pop()
        if depth > _DEEPEST:
            yield place[:60], "nested too deeply"
        elif isinstance(value, dict):
            stack.extend((place, key, depth + 1) for key in value)
            stack.extend((f"{place}.{key}", inner, depth + 1) for key, inner in value.items())
        elif isinstance(value, list):
            stack.extend((f"{place}[{index}]", inner, depth + 1) for index, inner in enumerate(value))
        elif isinstance(value, str) and not _is_text(value):
            yield _shown(place), "holds a character that no text has"
        elif isinstance(value, (int, float)) and not -_LARGEST <= value <= _LARGEST:
            yield _shown(place), "holds a number that is far too large"


def _is_text(value: str) -> bool:
    try:
        return "\0" not in value and bool(value.encode("utf-8") or True)
    except UnicodeEncodeError:  # half of a pair of code units
        return False


def _shown(place: str) -> str:
    return place.encode("utf-8", "replace").decode().replace("\0", "?")[:120]


def _against_schema(document: Any) -> Iterator[tuple[str, str]]:
    from jsonschema import Draft7Validator, validators

    whole = Draft7Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )  # draft 7 counts 48.0 as an integer; a frame count it is not
    validator = validators.extend(Draft7Validator, type_checker=whole)(schema("plan-v1"))
    errors = sorted(validator.iter_errors(document), key=lambda error: list(map(str, error.path)))
    return iter([(error.json_path, error.message) for error in errors])


def _contradictions(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Where parts that the schema allows do not go together."""
    fps = Fraction(document["fps"])
    if not 1 <= fps <= 240:
        yield "$.fps", f"{document['fps']} is not from 1 to 240"
    if not _is_similarity(document["scene"]["stage_from_file"]):
        yield "$.scene.stage_from_file", "does not place a scene: it may move, turn and scale evenly, no more"
    start = 0
    for number, take in enumerate(document["takes"]):
        before = 0
        for index, shot in enumerate(take["shots"]):
            place = f"$.takes[{number}].shots[{index}]"
            if shot["start"] != start:
                yield place, f"begins at frame {shot['start']}, the shots before it end at {start}"
            start = shot["start"] + shot["frames"]
            reached = 0
            for clip in shot["clips"]:
                fits = clip["start"] == reached and clip["generated"] >= clip["frames"]
                if not fits or clip["tail"] > before:
                    yield place, "has clips that do not follow one another"
                    break
                before, reached = clip["frames"], reached + clip["frames"]
            if reached != shot["frames"]:
                yield place, f"has {shot['frames']} frames, and clips for {reached}"


def _is_similarity(rows: list[list[float]]) -> bool:
    """Whether a 4 × 4 matrix moves, turns and scales evenly, without mirroring."""
    matrix = np.array(rows, dtype=np.float64)
    turn = matrix[:3, :3]
    volume = float(np.linalg.det(turn))
    if volume <= 0 or matrix[3].tolist() != [0, 0, 0, 1]:
        return False
    scale = volume ** (1 / 3)
    uneven = turn @ turn.T / scale**2 - np.eye(3)
    return 1e-7 <= scale <= 1e7 and bool(np.abs(uneven).max() < _LOOSE)
