# ruff: noqa: E501
"""Scores readings against expected ones, by the rules that stand with the sentences.

An expected reading is an object as in ``data/directions.tsv``: ``steps`` in order (``order: any`` lifts
that),
lists for several right values, ``accept`` for several whole answers, ``error`` for a refusal, ``forbid`` for
partial steps that must not occur. Category, direction, move, amount and order are strict; actions are
compared
through a table of synonyms. ``data/sentences.tsv`` writes the same in short (:func:`expected_of`), and there
a
direction or an amount that is not written must not be read either.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from anix_cli.core.plan import Beat
from anix_cli.words import Reading, understand

DATA = Path(__file__).with_name("data")
SAME = [
    {"walk", "go", "step", "approach"}, {"sidestep", "step"}, {"exit", "walk", "leave"}, {"enter", "walk"},
    {"jump", "leap"}, {"climb", "shin", "ascend"}, {"descend", "go"}, {"pick_up", "take"}, {"take_off", "remove"},
    {"dolly", "push", "move"}, {"orbit", "arc"}, {"follow", "track"}, {"stationary", "static", "hold"},
    {"turn_head", "turn", "look"}, {"lie_down", "lie"}, {"stand_up", "get_up"}, {"back_away", "walk"},
    {"film", "record"}, {"enter", "walk"}, {"circle", "walk"}, {"draw_curtains", "draw"}, {"make_bed", "make"},
    {"jumping_jack", "jumping_jacks"}, {"put_hands", "put"}, {"whip", "pan"}, {"fasten", "button"},
]  # fmt: skip
SIDES = {"camera_left": "screen_left", "camera_right": "screen_right", "cw": "clockwise", "ccw": "counterclockwise",
         "frame_left": "screen_left", "frame_right": "screen_right"}  # fmt: skip
_CATEGORIES = {"L": "locomotion", "G": "gesture", "O": "object", "C": "camera"}


def kept_back(text: str) -> bool:
    """Whether a sentence belongs to the third that was not looked at while the rules were tuned."""
    return hashlib.sha256(text.encode()).digest()[0] % 3 == 0


def directions() -> Iterator[tuple[str, dict[str, Any]]]:
    with (DATA / "directions.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield row["text"], json.loads(row["expected"])


def sentences(name: str = "sentences") -> Iterator[tuple[str, dict[str, Any]]]:
    with (DATA / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield row["text"], expected_of(row["expected"])


def expected_of(short: str) -> dict[str, Any]:
    """``L:walk/go >toward #3steps ~slow side=left o=box t=door + ; G:wave || error !! C:* , L:run``: category
    letters, actions, direction, amount, pace, side, object, target, "at the same time"; then what is right as
    well, and what must not be. ``>*`` leaves a direction open."""
    accept = []
    forbid = []
    for answer in short.split("||"):
        wanted, _, unwanted = answer.partition("!!")
        forbid += [_part(part) for part in unwanted.split(",") if part.strip()]
        text = wanted.strip()
        if text == "error":
            accept.append({"error": "any"})
            continue
        any_order = text.startswith("any:")
        steps = [_step(part) for part in text.removeprefix("any:").split(" ; ")]
        accept.append({"steps": steps, **({"order": "any"} if any_order else {})})
    return {"accept": accept, "forbid": forbid}


def _part(text: str) -> dict[str, Any]:
    category, _, action = text.strip().partition(":")
    found: dict[str, Any] = {"category": [_CATEGORIES[letter] for letter in category]}
    return found if action == "*" else {**found, "action": action}


def _step(text: str) -> dict[str, Any]:
    head, *fields = text.split()
    category, _, actions = head.partition(":")
    step: dict[str, Any] = {
        "category": [_CATEGORIES[letter] for letter in category],
        "action": actions.split("/"),
    }
    step |= {"direction": None, "amount": None, "sync": None}
    for field in fields:
        step |= _field(field)
    return step


def _field(field: str) -> dict[str, Any]:
    sign, value = field[0], field[1:]
    if sign == "+":
        return {"sync": "with_previous"}
    if sign == ">":
        values = value.split("/")
        return {"direction": ["*"] if "*" in values else [None if one == "-" else one for one in values]}
    if sign == "~":
        return {"speed": ["*"] if "*" in value.split("/") else value.split("/")}
    if sign == "#":
        return {"amount": [_amount(one) for one in value.split("/")]}
    name, _, value = field.partition("=")
    return {{"o": "object", "t": "target", "side": "side"}[name]: value.replace("_", " ").split("/")}


def _amount(text: str) -> Any:
    match = re.fullmatch(r"([\d.]+)([a-z]+)", text)
    return {"value": float(match[1]), "unit": match[2]} if match else "*"


def read(text: str) -> Reading:
    return understand(text, characters=None)


def right(text: str, expected: Mapping[str, Any]) -> bool:
    """Whether a sentence is read as expected, nothing forbidden in it."""
    reading = read(text)
    return fits(reading, expected) and not forbidden(reading, expected)


def fits(reading: Reading, expected: Mapping[str, Any]) -> bool:
    answers = expected.get("accept") or [expected]
    return any(_answers(reading, answer) for answer in answers)


def forbidden(reading: Reading, expected: Mapping[str, Any]) -> bool:
    """Whether something was read that must not be."""
    beats = () if reading.problems else reading.beats
    return any(_same(part, beat) for part in expected.get("forbid", ()) for beat in beats)


def _answers(reading: Reading, answer: Mapping[str, Any]) -> bool:
    if "error" in answer:
        return bool(reading.problems)
    if reading.problems:
        return False
    steps = answer["steps"]
    if len(steps) != len(reading.beats):
        return False
    if answer.get("order") != "any":
        return all(_same(step, beat) for step, beat in zip(steps, reading.beats, strict=True))
    free = list(reading.beats)
    for step in steps:
        loose = {name: value for name, value in step.items() if name != "sync"}
        found = next((beat for beat in free if _same(loose, beat)), None)
        if found is None:
            return False
        free.remove(found)
    together = sum(step.get("sync") is not None for step in steps)
    return sum(beat.sync is not None for beat in reading.beats) == together


def _same(step: Mapping[str, Any], beat: Beat) -> bool:
    return all(_field_same(name, wanted, beat) for name, wanted in step.items())


def _field_same(name: str, wanted: Any, beat: Beat) -> bool:
    values = wanted if isinstance(wanted, list) else [wanted]
    if "*" in values:
        return True
    if name in {"action", "move"}:
        return any(
            value == beat.action or any({value, beat.action} <= same for same in SAME) for value in values
        )
    if name == "amount":
        return any(_amounts(value, beat) for value in values)
    got = getattr(beat, name)
    if name == "direction":
        return SIDES.get(got, got) in {SIDES.get(value, value) for value in values}
    if name in {"object", "target"}:
        got = (got or "").replace("_", " ")
        return any(got == value or got.endswith(" " + str(value).replace("_", " ")) for value in values)
    return got in values


def _amounts(wanted: Any, beat: Beat) -> bool:
    if wanted is None or beat.amount is None:
        return wanted is None and beat.amount is None
    got, unit = beat.amount.value, beat.amount.unit
    value = float(wanted["value"])
    turns = {("turns", "deg"): 360.0, ("deg", "turns"): 1 / 360.0}
    if unit != wanted["unit"]:
        got *= turns.get((unit, wanted["unit"]), 0.0)
    return abs(got - value) < 1e-6
