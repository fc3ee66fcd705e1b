"""The published screenplay schema, the types of core and the loader say the same."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import MISSING, fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from anix_cli.core import screenplay as types
from anix_cli.core.errors import AnixError
from anix_cli.core.schemas import schema, schema_text
from anix_cli.screenplay import load, planned, rules
from anix_cli.screenplay.values import LONGEST_SHOT_S, size

SCHEMA = schema("screenplay-v1")
PARTS = SCHEMA["definitions"]
UNITS = re.compile(r"_(px|m|s)$")
# What the loader needs of a schema beyond draft-07's annotations; see screenplay/check.py.
KEYWORDS = {
    *("$schema", "$id", "$ref", "title", "description", "default", "examples", "definitions", "format"),
    *("type", "enum", "anyOf", "required", "properties", "patternProperties", "additionalProperties"),
    *("minProperties", "items", "minItems", "maxItems", "minLength", "maxLength", "pattern"),
    *("patternErrorMessage", "minimum", "maximum", "exclusiveMinimum"),
}
SCHEMA_CODES = {"E104", "E105", "E110", "E112", "E113", "E114", "E115", "E116", "E117", "E134"}


def schemas(node: Any, path: str = "#"):
    """Every schema inside the schema, with its path."""
    yield path, node
    for key in ("properties", "patternProperties", "definitions"):
        for name, inner in node.get(key, {}).items():
            yield from schemas(inner, f"{path}/{key}/{name[:30]}")
    if "items" in node:
        yield from schemas(node["items"], f"{path}/items")
    for index, inner in enumerate(node.get("anyOf", ())):
        yield from schemas(inner, f"{path}/anyOf/{index}")


ALL = list(schemas(SCHEMA))


def test_it_is_a_schema_and_knows_its_name():
    Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert json.loads(schema_text("screenplay-v1")) == SCHEMA
    with pytest.raises(FileNotFoundError):
        schema_text("screenplay-v0")


def test_only_keywords_that_the_loader_reads():
    assert {key for _, node in ALL for key in node} <= KEYWORDS
    assert {node["format"] for _, node in ALL if "format" in node} == {"size", "rate", "duration", "path"}


@pytest.mark.parametrize(("path", "node"), ALL, ids=[path for path, _ in ALL])
def test_everything_can_be_completed_and_explained(path, node):
    if "object" in str(node.get("type", "")):
        assert node["additionalProperties"] is False
        assert node["title"]
    if (
        "/properties/" in path
        and not path.endswith("/items")
        and "/anyOf/" not in path
        and "$ref" not in node
    ):
        assert node["description"].endswith(".")
        assert node["examples"]
        for example in node["examples"]:
            Draft7Validator({**node, "definitions": PARTS}).validate(example)
        if "default" in node:
            Draft7Validator({**node, "definitions": PARTS}).validate(node["default"])


def yaml_keys(cls: type) -> set[str]:
    return {UNITS.sub("", field.name) for field in fields(cls)}


@pytest.mark.parametrize(
    ("cls", "part"),
    [
        (types.FilmSpec, "film"),
        (types.SceneSpec, "scene"),
        (types.CharacterSpec, "character"),
        (types.AnchorSpec, "anchor"),
        (types.CameraSpec, "camera_move"),
    ],
)
def test_a_key_and_its_field_share_a_name(cls, part):
    assert yaml_keys(cls) == set(PARTS[part]["properties"])


def test_the_keys_of_a_shot():
    nested = yaml_keys(types.ShotSpec) - {"fade"} | {"transition"}
    assert nested == set(PARTS["shot"]["properties"])
    assert set(PARTS["shot"]["properties"]["transition"]["properties"]) == {"fade"}
    assert set(SCHEMA["properties"]["defaults"]["properties"]) < nested


def test_the_sections_of_a_screenplay():
    machinery = {"path", "positions", "lines", "notes"}
    assert yaml_keys(types.Screenplay) - machinery == set(SCHEMA["properties"]) - {"anix", "defaults"}


def test_defaults_are_the_same():
    def default(cls: type, name: str) -> Any:
        field = next(field for field in fields(cls) if field.name == name)
        return None if field.default is MISSING else field.default

    film, scene = PARTS["film"]["properties"], PARTS["scene"]["properties"]
    assert size(film["size"]["default"]) == default(types.FilmSpec, "size_px")
    assert film["seed"]["default"] == default(types.FilmSpec, "seed")
    assert scene["up"]["default"] == default(types.SceneSpec, "up")
    assert PARTS["character"]["properties"]["height"]["default"] == default(types.CharacterSpec, "height_m")
    assert PARTS["camera"]["default"] == default(types.CameraSpec, "move")
    assert PARTS["shot"]["properties"]["cut"]["default"] == default(types.ShotSpec, "cut")


def test_words_are_the_same():
    assert tuple(PARTS["character"]["properties"]["views"]["properties"]) == types.VIEW_NAMES
    assert PARTS["character"]["properties"]["views"]["required"] == list(types.VIEW_NAMES)
    moves = PARTS["camera_move"]["properties"]["move"]["enum"]
    assert PARTS["camera"]["anyOf"][0]["enum"] == moves
    for key, belongs in rules.MOVES_OF.items():
        assert key in PARTS["camera_move"]["properties"]
        assert set(belongs) <= set(moves)
    assert PARTS["duration"]["anyOf"][0]["maximum"] == LONGEST_SHOT_S


def test_what_is_planned_is_not_in_the_schema_yet():
    tops = {"film": "film", "scene": "scene", "characters": "character", "anchors": "anchor", "shots": "shot"}
    for path in planned.KEYS:
        section, _, rest = path.partition(".")
        if not rest:
            assert path not in SCHEMA["properties"]
            continue
        node = SCHEMA["properties"]["defaults"] if section == "defaults" else PARTS[tops[section]]
        for key in rest.removeprefix("*.").split("."):
            node = node["properties"].get(key)
        assert node is None, path
    words = set(PARTS["camera"]["anyOf"][0]["enum"])
    assert not words & {word for hints in planned.VALUES.values() for word in hints}


# The loader against an independent validator

SOUND: dict[str, Any] = {
    "anix": 1,
    "title": "T",
    "film": {"size": "832x480", "fps": 16, "seed": 7},
    "scene": {"file": "a.ply", "up": "+y", "scale": 1.5, "origin": [0, 0, 0], "ground": "auto"},
    "characters": {
        "mira": {
            "views": {"front": "a", "left": "b", "right": "c", "back": "d"},
            "height": 1.7,
            "description": "x",
        }
    },
    "anchors": {"door": {"at": [0, 3], "face": 90}},
    "defaults": {"character": "mira", "camera": "auto", "duration": 4},
    "shots": [
        {
            "id": "a",
            "command": "run",
            "anchor": "door",
            "duration": "4s",
            "cut": True,
            "transition": {"fade": 1},
        },
        {
            "id": "b",
            "command": "",
            "camera": {"move": "orbit", "degrees": 90, "direction": "left", "lens_mm": 35},
        },
    ],
    "x-mine": {"any": ["thing", None]},
}
PLACES = [
    (),
    ("anix",),
    ("title",),
    ("film",),
    ("film", "size"),
    ("film", "fps"),
    ("film", "seed"),
    ("scene", "file"),
    ("scene", "up"),
    ("scene", "scale"),
    ("scene", "origin"),
    ("scene", "origin", 1),
    ("scene", "ground"),
    ("characters",),
    ("characters", "mira"),
    ("characters", "mira", "views"),
    ("characters", "mira", "views", "left"),
    ("characters", "mira", "height"),
    ("characters", "mira", "description"),
    ("anchors",),
    ("anchors", "door", "at"),
    ("anchors", "door", "face"),
    ("defaults",),
    ("defaults", "camera"),
    ("defaults", "duration"),
    ("shots",),
    ("shots", 0),
    ("shots", 0, "id"),
    ("shots", 0, "command"),
    ("shots", 0, "cut"),
    ("shots", 0, "transition"),
    ("shots", 0, "transition", "fade"),
    ("shots", 1, "camera"),
    ("shots", 1, "camera", "move"),
    ("shots", 1, "camera", "degrees"),
    ("shots", 1, "camera", "direction"),
    ("shots", 1, "camera", "lens_mm"),
    ("x-mine",),
]
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5000),
    st.floats(-5000, 5000, allow_nan=False).map(lambda v: round(v, 2)),
    st.sampled_from(
        [
            "",
            "x",
            "auto",
            "orbit",
            "zoom",
            "left",
            "832x480",
            "833x480",
            "4097x64",
            "64x4096",
            "24000/1001",
            "4s",
            "250ms",
            "4 s",
            "64f",
            "+y",
            "y",
            "a b",
            "-a",
            "007",
            "a" * 300,
            "door",
            "mira",
            1e9,
            0.1,
            30.0,
            3600,
            3600.1,
        ]
    ),
    st.just([]),
    st.just({}),
    st.just([1, 2, 3]),
    st.just([0, "a"]),
    st.just({"move": "crane"}),
    st.just({"fade": 2}),
    st.just({"odd": 1}),
)


def changed(place: tuple[Any, ...], value: Any) -> Any:
    data = copy.deepcopy(SOUND)
    if not place:
        return value
    node = data
    for part in place[:-1]:
        node = node[part]
    node[place[-1]] = value
    return data


def accepted_by_loader(data: Any) -> bool:
    """Whether the loader finds nothing that a schema could find (files and rules are left out)."""
    try:
        load(Path("-"), text=json.dumps(data).encode())
    except AnixError as error:
        return not any(problem.code in SCHEMA_CODES for problem in error.diagnostics)
    return True


@settings(max_examples=600, deadline=None)
@given(st.sampled_from(PLACES), VALUES)
def test_the_loader_and_an_independent_validator_agree(place, value):
    data = changed(place, value)
    if place and place[-1] == "duration" and isinstance(value, str):
        return  # a text can hold a duration beyond an hour, which its pattern does not see
    if place == ("defaults",) or (place == () and value in (None, {})):
        return  # a shot's own need of a duration, and an empty document, are rules of the loader
    if isinstance(value, float) and value == 0 and str(value) == "-0.0":
        return  # an integer to the validator; as an id it is the text "-0.0"
    assert accepted_by_loader(data) == Draft7Validator(SCHEMA).is_valid(data)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 5000), st.integers(0, 5000))
def test_sizes_of_the_pattern_are_sizes_of_the_loader(width, height):
    pattern = re.compile(PARTS["film"]["properties"]["size"]["pattern"])
    written = f"{width}x{height}"
    good = all(64 <= side <= 4096 and side % 2 == 0 for side in (width, height))
    assert bool(pattern.search(written)) == good
    if good:
        assert size(written) == (width, height)
    else:
        with pytest.raises(ValueError, match=r"size|must"):
            size(written)


@given(st.integers(1, 40), st.integers(-30, 30))
def test_numbers_are_exact(digits, exponent):
    from anix_cli.screenplay.values import number

    assert number(f"{digits}.5e{exponent}") == (digits + Fraction(1, 2)) * Fraction(10) ** exponent
