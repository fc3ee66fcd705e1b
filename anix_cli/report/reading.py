"""How a command was read: as data, and as a few lines for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.plan import Beat
from ..words import Lost, Reading, complaint, in_words

_FIELDS = ("speed", "side", "object", "target", "sync")


def reading_record(command: str, reading: Reading) -> dict[str, Any]:
    """A reading as data; a refusal has ``error``, ``message`` and ``suggest`` instead of beats."""
    if reading.problems:
        first = complaint(reading.problems[0])
        return {
            "error": first.code,
            "message": first.message,
            "suggest": first.suggestions,
            "span": list(reading.problems[0].span),
        }
    record: dict[str, Any] = {
        "beats": [_beat(beat) for beat in reading.beats],
        "not_understood": _parts(reading.not_understood),
    }
    if reading.cancelled:
        record["cancelled"] = [part for part in _parts(reading.cancelled) if part["text"]]
    if reading.corrected:
        record["corrected"] = [
            {"text": one.text, "meant": one.meant, "span": list(one.span)} for one in reading.corrected
        ]
    if reading.taken:
        record["taken"] = [
            {"text": one.text, "action": one.action, "likeness": one.likeness, "span": list(one.span)}
            for one in reading.taken
        ]
    return record


def _parts(parts: Sequence[Lost]) -> list[dict[str, Any]]:
    return [{"text": part.text, "span": list(part.span)} for part in parts]


def _beat(beat: Beat) -> dict[str, Any]:
    name = "move" if beat.category == "camera" else "action"
    record: dict[str, Any] = {"category": beat.category, name: beat.action}
    if beat.direction is not None:
        record["direction"] = beat.direction
    if beat.amount is not None:
        record["amount"] = {"value": beat.amount.value, "unit": beat.amount.unit}
    record |= {field: value for field in _FIELDS if (value := getattr(beat, field)) is not None}
    return {**record, "span": list(beat.span)}


def reading_text(command: str, reading: Reading) -> str:
    """One line for each beat, then what was left out, read another way, or not understood."""
    lines = [_line(number, command, beat) for number, beat in enumerate(reading.beats, 1)]
    lines += [f"not done: {part.text}" for part in reading.cancelled if part.text]
    lines += [f"read as: {one.text} → {one.meant}" for one in reading.corrected]
    lines += [f"taken as: {one.text} → {one.action} ({one.likeness:.2f} alike)" for one in reading.taken]
    lines += [f"not understood: {part.text}" for part in reading.not_understood]
    return "\n".join(lines) or "a hold: nothing is done"


def _line(number: int, command: str, beat: Beat) -> str:
    start, end = beat.span
    told = in_words(beat).removeprefix("the camera: ")
    together = "with " if beat.sync else ""
    return f"{number}. {together}{beat.category}: {told}    “{' '.join(command[start:end].split())}”"
