"""The loader and an independent validator of the published schema accept and refuse the same."""

from __future__ import annotations

import copy
import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from anix_cli.core.errors import AnixError, Diagnostic
from anix_cli.core.schemas import schema
from anix_cli.screenplay import NEEDED, load
from anix_cli.screenplay.text import Source
from anix_cli.screenplay.tree import Entry, Mapping, Node, Scalar, Sequence, kind_of
from anix_cli.screenplay.values import number, size

SCHEMA = schema("screenplay-v1")
PARTS = SCHEMA["definitions"]
WHOLE = Draft7Validator({**SCHEMA, "required": list(NEEDED)})
"""What the loader asks of a screenplay that is put together; a file by itself may be a part."""
PART = Draft7Validator(SCHEMA)
VIEWS = {"front": "a", "left": "b", "right": "c", "back": "d"}
SOUND: dict[str, Any] = {
    "anix": 1,
    "title": "T",
    "film": {
        "size": "832x480",
        "fps": 16,
        "seed": 7,
        "memory": 1,
        "quality": "best",
        "codec": "h265",
        "background": "#0a141e",
        "loudness": -16,
        "music": {"file": "m.wav", "volume": -6, "loop": True, "fade": "2s", "duck": 12},
        "captions": "burnt",
        "subtitles": "s.vtt",
        "font": "f.ttf",
        "also": ["poster", "otio"],
        "poster": "12f",
    },
    "look": "real",
    "style": "drama",
    "scene": {
        "file": "a.ply",
        "up": "+y",
        "scale": {"reference": [[0, 0, 1], [0, -0.4, 1]], "metres": 2.0},
        "origin": [0, 0, 0],
        "crop": {"x": [-1, 1], "y": [0, 2.5], "z": [-3, 3]},
        "ground": "auto",
        "collider": "a.glb",
        "description": "x",
    },
    "characters": {
        "mira": {
            "views": VIEWS,
            "height": 1.7,
            "scale": 1,
            "description": "x",
            "aliases": ["courier", "T-Rex"],
        },
        "bob": {"views": VIEWS},
        "robot": {
            "model": "a.glb",
            "height": 1.7,
            "motions": {"wave": "w.bvh", "dance": {"file": "m.glb", "clip": "Dance", "start": 1, "end": 2}},
        },
        "teo": {"sheet": "v.png", "height": 1.6},
    },
    "anchors": {
        "door": {"at": [0, 3], "face": 90, "aliases": ["gate"]},
        "high": {"at": [0, 1, 3], "face": "door"},
        "mat": {"from": "door", "left": 1, "forward": -2, "up": 0.5, "face": "last_shot"},
        "there": {"from": "last_shot"},
        "edge": {"box": [0.2, 0.3, 0.45, 0.95], "face": "door"},
    },
    "cameras": {
        "gate": {"at": [0, 1, -4], "look_at": "door", "lens_mm": 35},
        "eyes": {"at": [1, 2], "look_at": [0, 1, 0], "fov_y_deg": 40},
    },
    "defaults": {
        "character": "mira",
        "camera": "auto",
        "duration": 4,
        "prompt": "fog",
        "negative": "text",
        "anchor_box": "projected",
        "options": {"animatic": {"shadow": False}},
    },
    "shots": [
        {
            "id": "a",
            "command": "run",
            "character": "mira",
            "anchor": "door",
            "duration": "4s",
            "cut": True,
            "transition": {"fade": 1},
            "seed": 3,
            "candidates": 4,
            "memory": 2,
            "pick": 2,
            "prompt": "dusk",
            "negative": "",
            "look": "x",
            "options": {"animatic": {"shadow": True, "a": 1, "b": "c"}},
            "audio": "a.wav",
            "caption": "Hi",
            "anchor_box": "fixed",
            "style": "action",
        },
        {
            "id": "b",
            "command": "",
            "camera": {
                "move": "orbit", "degrees": 90, "direction": "left", "side": "left", "frame": "full",
                "distance": 2, "height": 1, "lens_mm": 35,
            },
        },
        {"id": "c", "command": "", "camera": {"move": "crane", "up": 3, "fov_y_deg": 40}},
        {
            "id": "d",
            "command": "",
            "camera": ["gate", {"move": "orbit", "for": 2}, {"from": "eyes", "for": "8f"}],
        },
        {"id": 7, "command": "", "camera": "gate", "duration": "64f", "transition": {"fade": "12f"}},
        {
            "id": "dip",
            "command": "",
            "transition": {"dip": 1, "colour": "white"},
            "audio": {"file": "a.wav", "volume": 3},
        },
        {"id": "dissolve", "command": "", "cut": True, "transition": {"dissolve": 0.5}},
        {
            "id": "e",
            "command": "",
            "camera": [
                {
                    "move": "dolly_zoom", "direction": "in", "times": 2, "ease": "in", "headroom": 0.1,
                    "lead_room": 0.1, "look_at": "door", "handheld": 0.5, "focus": "mira", "f_number": 2.8,
                },
                {"move": "dolly", "metres": 2, "focus": 3, "look_at": [0, 1, 0]},
                {"move": "zoom", "to_lens_mm": 85},
                {"path": "path.json", "coordinates": "stage"},
                {
                    "keys": [
                        {"at": [0, 1], "time": 0, "look_at": "door", "roll": 5, "lens_mm": 35},
                        {"at": [0, 1, 2], "time": "2s", "look_at": [0, 1, 0], "fov_y_deg": 40},
                    ]
                },
            ],
        },
    ],
    "x-mine": {"any": ["thing", None]},
}  # fmt: skip
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5000),
    st.floats(-5000, 5000, allow_nan=False).map(lambda value: round(value, 2) + 0.0),
    st.sampled_from(
        ["", "x", "auto", "orbit", "zoom", "left", "832x480", "833x480", "4097x64", "64x4096", "24000/1001",
         "4s", "250ms", "4 s", "64f", "12.5f", "+y", "y", "a b", "-a", "007", "a" * 300, "a" * 1001,
         "a" * 4001, "door", "mira", "gate", "last_shot", "the dog", "dog ", "1st", "it's", "best", "h264",
         "H264", "#fff", "#ffffff", "#FFFFFF", "teal", "skyblue", "0s", "0.0ms", "0f",
         1e9, 0.1, 30.0, 3600, 3600.1, 4294967295, 4294967296, 0, 1, 1.0]
    ),
    st.sampled_from(
        [[], {}, [1, 2, 3], [0, 3], [0, "a"], [0.1, 0.2, 0.3, 0.4], [0, 0, 0, 2], ["a"] * 21, ["x", "y"],
         ["follow"], ["follow", {"move": "crane"}], [{"for": 1}], [[1]], ["follow"] * 65, {"move": "crane"},
         {"from": "gate"}, {"fade": 2}, {"odd": 1}, {"at": [0, 1]}, {"at": [0, 1], "from": "door"},
         {"left": 1}, {"box": [0, 0, 1, 1]}, {"animatic": {"x": 1}}, {"Animatic": {"x": 1}},
         {"animatic": {"X": 1}}, {"animatic": {}}, {"a": {"b": [1]}}, {"views": VIEWS}, {"x": [0, 1]},
         {"reference": [[0, 0, 1], [0, 1, 1]], "character": "mira"}]
    ),
)  # fmt: skip
KEYS = st.sampled_from(
    ["odd", "at", "from", "box", "left", "face", "for", "move", "keys", "path", "time", "times", "lens_mm",
     "duration", "x-more", "fps", "bob", "1st", "options", "aliases", "extent", "look_at",
     "camera", "views", "w", "model", "metres", "character"]
)  # fmt: skip


def places(node: Any, path: tuple[Any, ...] = ()):
    yield path
    if path[:1] == ("x-mine",):
        return
    inside = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in inside:
        yield from places(value, (*path, key))


PLACES = list(places(SOUND))


def test_every_key_of_the_schema_is_in_the_sound_screenplay():
    seen: set[int] = set()

    def walk(value: Any, node: Any) -> None:
        while "$ref" in node:
            node = PARTS[node["$ref"].removeprefix("#/definitions/")]
        for branch in node.get("anyOf", ()):
            if Draft7Validator({**branch, "definitions": PARTS}).is_valid(value):
                walk(value, branch)
        seen.add(id(node))
        if isinstance(value, dict):
            for key, inner in value.items():
                found = node.get("properties", {}).get(key)
                seen.add(id(found))
                patterns = [
                    part for name, part in node.get("patternProperties", {}).items() if re.search(name, key)
                ]
                for part in [found] if found else patterns:
                    walk(inner, part)
        elif isinstance(value, list):
            for inner in value:
                walk(inner, node.get("items", {}))

    walk(SOUND, SCHEMA)
    sections = [SCHEMA, *PARTS.values(), PARTS["scene"]["properties"]["crop"]]
    missing = [
        key
        for part in sections
        for key, node in part.get("properties", {}).items()
        if id(node) not in seen and key != "extends"  # needs a file: told below
    ]
    assert missing == []


def changed(data: Any, place: tuple[Any, ...], change: Any) -> Any:
    """The data with one value set, removed, or a key added; as it is where the place is gone by now."""
    kind, key, value = change
    if kind == "set" and not place:
        return value
    node = data
    try:
        for part in place[: len(place) if kind == "add" else -1]:
            node = node[part]
        if kind == "add":
            node.setdefault(key, value)
        elif kind == "remove" and place:
            del node[place[-1]]
        elif place:
            node[place[-1]] = value
    except (KeyError, IndexError, TypeError, AttributeError):
        pass
    return data


def of_the_schema(problem: Diagnostic) -> bool:
    """Whether a schema could have found the problem; rules and files are the loader's alone."""
    if problem.code == "E113":
        return problem.message != 'a shot needs "duration"'
    return problem.code in {"E104", "E105", "E110", "E112", "E114", "E116", "E117", "E119", "E134"}


def accepted_by_loader(data: Any, path: Path = Path("-")) -> bool:
    try:
        load(path, text=json.dumps(data).encode())
    except AnixError as error:
        return not any(of_the_schema(problem) for problem in error.diagnostics)
    return True


def tree_of(value: Any, source: Source) -> Node:
    """The tree that YAML gives for JSON, without its places."""
    if isinstance(value, dict):
        entries = {key: Entry(tree_of(key, source), tree_of(inner, source)) for key, inner in value.items()}
        return Mapping(source, 0, 0, entries)
    if isinstance(value, list):
        return Sequence(source, 0, 0, [tree_of(inner, source) for inner in value])
    plain = not isinstance(value, str)
    text = json.dumps(value) if plain else value
    return Scalar(source, 0, 0, text, kind_of(text) if plain else "text", plain)


def accepted_without_yaml(data: Any) -> bool:
    """The same verdict, many times faster."""
    with patch("anix_cli.screenplay.parse", lambda source: tree_of(data, source)):
        return accepted_by_loader(None)


CHANGES = st.tuples(
    st.sampled_from(PLACES),
    st.one_of(
        st.tuples(st.just("set"), st.none(), VALUES),
        st.tuples(st.just("remove"), st.none(), st.none()),
        st.tuples(st.just("add"), KEYS, VALUES),
    ),
)


def test_what_is_sound_is_sound():
    assert WHOLE.is_valid(SOUND)
    assert accepted_by_loader(SOUND)
    assert accepted_without_yaml(SOUND)


@pytest.mark.parametrize("place", PLACES[::8], ids=lambda place: ".".join(map(str, place)) or "all")
@pytest.mark.parametrize("value", [True, -0.5, "x", [], 1e30], ids=repr)
def test_trees_without_yaml_are_trees_of_yaml(place, value):
    data = changed(copy.deepcopy(SOUND), place, ("set", None, value))
    assert accepted_without_yaml(data) == accepted_by_loader(data)


def agree(*changes: Any) -> None:
    data = copy.deepcopy(SOUND)
    for place, change in changes:
        data = changed(data, place, copy.deepcopy(change))
    if data is None:
        return  # an empty document has a code of its own
    assert accepted_without_yaml(data) == WHOLE.is_valid(data)


@settings(max_examples=400, deadline=None)
@given(CHANGES)
def test_they_agree_after_one_change(change):
    agree(change)


@settings(max_examples=200, deadline=None)
@given(st.lists(CHANGES, min_size=2, max_size=2))
def test_they_agree_after_two_changes(changes):
    agree(*changes)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: ".".join(map(str, place)) or "all")
def test_they_agree_on_each_place(place):
    """No luck is needed: every place without its value, with others, and with keys of others."""
    values = [None, True, -1, "x", "", [], {}]
    keys = [("odd", 1), ("from", "door"), ("lens_mm", 0)]
    for change in (
        ("remove", None, None),
        *(("set", None, value) for value in values),
        *(("add", *pair) for pair in keys),
    ):
        agree((place, change))


@pytest.mark.parametrize(
    "written",
    ["base.yaml", ["base.yaml"], ["base.yaml"] * 16, ["base.yaml"] * 17, "", [], [""], None, 3, [3], {}, True,
     [["base.yaml"]], "x" * 1001],
    ids=repr,
)  # fmt: skip
def test_they_agree_on_extends(tmp_path, written):
    (tmp_path / "base.yaml").write_text("anix: 1\n", encoding="utf-8")
    data = {**SOUND, "extends": written}
    assert accepted_by_loader(data, tmp_path / "film.yaml") == WHOLE.is_valid(data)


@pytest.mark.parametrize(
    ("place", "written"),
    [
        (("defaults", "duration"), "3600.1s"),
        (("defaults", "duration"), "3600001ms"),
        (("shots", 3, "camera", 1, "for"), "9999s"),
        (("film", "fps"), "9999/1"),
        (("film", "fps"), "1/2"),
    ],
)
def test_where_a_pattern_cannot_count_the_loader_is_stricter(place, written):
    data = changed(copy.deepcopy(SOUND), place, ("set", None, written))
    assert WHOLE.is_valid(data)
    assert not accepted_by_loader(data)


@pytest.mark.parametrize(
    ("without", "is_part"),
    [
        ((), True),
        (("shots",), True),
        (("shots", "scene", "characters"), True),
        (("shots", "scene", "characters", "anchors", "cameras", "defaults", "title", "film"), True),
        (("anix",), False),
        (("scene",), False),
        (("characters",), False),
    ],
)
def test_a_part_may_lack_what_another_has(tmp_path, without, is_part):
    """A file by itself is judged by the published schema, and taken over by the loader, alike."""
    part = {key: value for key, value in SOUND.items() if key not in without}
    assert PART.is_valid(part) == is_part
    (tmp_path / "part.yaml").write_text(json.dumps(part), encoding="utf-8")
    whole = {**SOUND, "extends": "part.yaml"}
    assert accepted_by_loader(whole, tmp_path / "film.yaml") == ("anix" in part)


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
    assert number(f"{digits}.5e{exponent}") == (digits + Fraction(1, 2)) * Fraction(10) ** exponent
