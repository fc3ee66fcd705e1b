"""The published screenplay schema and the types of core say the same; editors find all they need in it."""

from __future__ import annotations

import json
import re
from dataclasses import MISSING, fields
from typing import Any

import pytest
from jsonschema import Draft7Validator

from anix_cli.core import screenplay as types
from anix_cli.core.schemas import schema, schema_text
from anix_cli.plan.progress import EASES
from anix_cli.screenplay import cameras
from anix_cli.screenplay.moves import MEANT
from anix_cli.screenplay.values import COLOURS, LONGEST_SHOT_S, colour, size

SCHEMA = schema("screenplay-v1")
PARTS = SCHEMA["definitions"]
UNITS = re.compile(r"_(px|m|s|rgb|db|lufs)$|(?<=roll)_deg$")
RENAMED = {
    types.AnchorSpec: {"base": "from"},
    types.CameraSpec: {"placement": "from", "length": "for"},
    types.ShotSpec: {"cameras": "camera"},
}
"""Fields that cannot be called like their keys, which are words of Python, or that hold something else."""
# What the loader reads of a schema; see screenplay/check.py.
KEYWORDS = {
    *("$schema", "$id", "$ref", "title", "description", "default", "examples", "definitions", "format"),
    *("type", "enum", "anyOf", "oneOf", "required", "dependencies", "properties", "patternProperties"),
    *("if", "then"),  # at the top alone, see screenplay/__init__.py
    *("additionalProperties", "minProperties", "items", "minItems", "maxItems", "minLength", "maxLength"),
    *("pattern", "patternErrorMessage", "minimum", "maximum", "exclusiveMinimum"),
}
FORMATS = {"size", "rate", "duration", "path", "colour"}


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


def resolved(node: Any) -> Any:
    return PARTS[node["$ref"].removeprefix("#/definitions/")] if "$ref" in node else node


def test_it_is_a_schema_and_knows_its_name():
    Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert json.loads(schema_text("screenplay-v1")) == SCHEMA
    with pytest.raises(FileNotFoundError):
        schema_text("screenplay-v0")


def test_only_keywords_that_the_loader_reads():
    assert {key for _, node in ALL for key in node} <= KEYWORDS
    assert {node["format"] for _, node in ALL if "format" in node} == FORMATS


def test_keys_that_go_together_are_written_as_the_loader_reads_them():
    for path, node in ALL:
        for branch in node.get("oneOf", ()):
            assert set(branch) == {"required"} and len(branch["required"]) == 1, path
        for needed in node.get("dependencies", {}).values():
            assert isinstance(needed, list) or path == "#"


@pytest.mark.parametrize(("path", "node"), ALL, ids=[path for path, _ in ALL])
def test_everything_can_be_completed_and_explained(path, node):
    if "object" in str(node.get("type", "")):
        assert node["additionalProperties"] is False
        assert node["title"]
        assert ("patternProperties" in node and path != "#") == ("patternErrorMessage" in node)
    if "pattern" in node:
        assert node["patternErrorMessage"]
    is_value = re.search(r"/(properties|patternProperties|definitions)/[^/]+$", path)
    if not is_value or "^x-" in path:
        return
    meant = resolved(node)
    assert meant["description"].endswith(".")
    if path == "#/patternProperties/^x-":
        return
    assert meant["examples"]
    for example in (*meant["examples"], *([meant["default"]] if "default" in meant else [])):
        Draft7Validator({**meant, "definitions": PARTS}).validate(example)


@pytest.mark.parametrize(("path", "node"), ALL, ids=[path for path, _ in ALL])
def test_words_to_choose_from_are_explained(path, node):
    """A person who completes a word finds in the description what each does."""
    meant = next((node for at, node in ALL if at == re.sub(r"/anyOf/[0-9]+$", "", path)), node)
    words = [word for word in node.get("enum", ()) if isinstance(word, str) and word[0] not in "+-"]
    if re.search("/camera(_part)?/anyOf/0$", path):
        meant = PARTS["camera_move"]["properties"]["move"]
    for word in words:
        assert word in meant["description"], word


def test_the_whole_schema_is_an_example_of_itself():
    everything = {key: resolved(node)["examples"][0] for key, node in SCHEMA["properties"].items()}
    assert list(Draft7Validator(SCHEMA).iter_errors(everything)) == []


def yaml_keys(cls: type) -> set[str]:
    names = RENAMED.get(cls, {})
    return {names.get(field.name, UNITS.sub("", field.name)) for field in fields(cls)}


@pytest.mark.parametrize(
    ("cls", "part", "of_the_key_alone"),
    [
        (types.FilmSpec, "film", set()),
        (types.SceneSpec, "scene", set()),
        (types.CharacterSpec, "character", {"scale"}),  # is in the height
        (types.AnchorSpec, "anchor", set()),
        (types.PlacementSpec, "placement", set()),
        (types.CameraSpec, "camera_move", set()),
        (types.KeySpec, "camera_key", set()),
        (types.ShotSpec, "shot", set()),
    ],
)
def test_a_key_and_its_field_share_a_name(cls, part, of_the_key_alone):
    assert yaml_keys(cls) | of_the_key_alone == set(PARTS[part]["properties"])


def test_the_keys_of_a_shot():
    shot = set(PARTS["shot"]["properties"])
    assert set(PARTS["shot"]["properties"]["transition"]["properties"]) == {
        "fade",
        "dip",
        "colour",
        "dissolve",
    }
    assert set(SCHEMA["properties"]["defaults"]["properties"]) < shot


def test_the_sections_of_a_screenplay():
    machinery = {"path", "positions", "files", "notes"}
    into_shots = {"anix", "extends", "look", "style", "defaults"}
    assert yaml_keys(types.Screenplay) - machinery == set(SCHEMA["properties"]) - into_shots


def default_of(cls: type, name: str) -> Any:
    field = next(field for field in fields(cls) if field.name == name)
    return None if field.default is MISSING else field.default


@pytest.mark.parametrize(
    ("cls", "part", "field"),
    [
        (types.FilmSpec, "film", "seed"),
        (types.FilmSpec, "film", "quality"),
        (types.FilmSpec, "film", "codec"),
        (types.SceneSpec, "scene", "up"),
        (types.CharacterSpec, "character", "height_m"),
        (types.AnchorSpec, "anchor", "left_m"),
        (types.AnchorSpec, "anchor", "forward_m"),
        (types.AnchorSpec, "anchor", "up_m"),
        (types.ShotSpec, "shot", "cut"),
    ],
)
def test_defaults_are_the_same(cls, part, field):
    assert PARTS[part]["properties"][UNITS.sub("", field)]["default"] == default_of(cls, field)


def test_defaults_that_are_read_are_the_same():
    film, scene = PARTS["film"]["properties"], PARTS["scene"]["properties"]
    assert size(film["size"]["default"]) == default_of(types.FilmSpec, "size_px")
    assert colour(film["background"]["default"]) == default_of(types.FilmSpec, "background_rgb")
    assert PARTS["camera"]["default"] == default_of(types.CameraSpec, "move")
    assert types.ShotSpec("a", "", duration=None).cameras == (types.CameraSpec(),)
    for automatic in ("scale", "ground"):
        assert scene[automatic]["default"] == "auto"
        assert default_of(types.SceneSpec, "scale" if automatic == "scale" else "ground_m") is None
    assert PARTS["aliases"]["default"] == list(default_of(types.CharacterSpec, "aliases"))
    assert PARTS["options"]["default"] == dict(types.ShotSpec("a", "", duration=None).options)


def test_every_field_with_a_default_of_its_own_has_it_in_the_schema():
    """None means that something else decides; what is a value here must be one there."""
    for cls, part in (
        (types.FilmSpec, "film"),
        (types.SceneSpec, "scene"),
        (types.CharacterSpec, "character"),
    ):
        for field in fields(cls):
            if field.default not in (MISSING, None):
                key = UNITS.sub("", field.name)
                assert "default" in resolved(PARTS[part]["properties"][key]), key


def test_words_are_the_same():
    assert tuple(PARTS["character"]["properties"]["views"]["properties"]) == types.VIEW_NAMES
    character = SCHEMA["then"]["properties"]["characters"]["additionalProperties"]
    assert character["properties"]["views"]["required"] == list(types.VIEW_NAMES)
    moves = PARTS["camera_move"]["properties"]["move"]["enum"]
    assert PARTS["camera"]["anyOf"][0]["enum"] == PARTS["camera_part"]["anyOf"][0]["enum"] == moves
    for key, belongs in cameras.MOVES_OF.items():
        assert key in PARTS["camera_move"]["properties"]
        assert set(belongs) <= set(moves)
    assert set(cameras.PLACED) | set(cameras.WHOLE) <= set(PARTS["camera_move"]["properties"])
    ways = PARTS["camera_move"]["properties"]["direction"]["enum"]
    assert set(cameras.WAYS) | {"push", "pull"} >= set(cameras.MOVES_OF["direction"])
    assert set(ways) == {way for said in cameras.WAYS.values() for way in said}
    assert set(cameras.WAYS) | set(cameras.SPOKEN.values()) | set(MEANT) <= set(moves)
    assert not set(cameras.SPOKEN) & set(moves)
    assert tuple(PARTS["camera_move"]["properties"]["ease"]["enum"]) == EASES
    assert PARTS["camera_move"]["properties"]["coordinates"]["default"] == types.CameraSpec().coordinates
    assert PARTS["duration"]["anyOf"][0]["maximum"] == LONGEST_SHOT_S
    assert PARTS["anchor"]["properties"]["from"]["anyOf"][0]["enum"] == [types.LAST_SHOT]
    pattern = PARTS["film"]["properties"]["background"]["pattern"]
    assert pattern == f"^(#[0-9a-fA-F]{{6}}|{'|'.join(COLOURS)})$"


def test_names_are_the_same_everywhere():
    patterns = {
        next(iter(SCHEMA["properties"][key]["patternProperties"]))
        for key in ("characters", "anchors", "cameras")
    }
    assert len(patterns) == 1
    name = re.compile(patterns.pop())
    for good in ("mira", "Zoë", "門", "T-Rex", "old man", "St. Mary", "_a", "x" * 64, "नमस्ते", "می‌خواهم"):
        assert name.search(good), good
    for bad in ("", "1st", "-a", " a", "a ", "a/b", "a:b", "it's", 'a"', "x" * 65, "a\\b", "a|b", "?", "×"):
        assert not name.search(bad), bad
    for unseen in ("\u200b", "\u202e", "\u00a0", "\u3000", "\ufeff", "\u2028", "\x1b", "\x9b", "\n"):
        assert not any(name.search(bad) for bad in (f"a{unseen}b", f"{unseen}a", f"a{unseen}")), ascii(unseen)
