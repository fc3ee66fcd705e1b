"""Every screenplay that anix ships, judged by a YAML parser and a validator that share nothing with it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError, YAMLStreamError

from anix_cli.core.schemas import schema
from anix_cli.samples.template import SCREENPLAY_FILE, TEMPLATES

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = sorted((ROOT / "screenplays").glob("*.yaml"))
BROKEN = sorted((ROOT / "screenplays" / "broken").glob("*.yaml"))
SHARED = sorted((ROOT / "screenplays" / "broken" / "shared").glob("*.yaml"))
VALIDATOR = Draft7Validator(schema("screenplay-v1"))
FIRST_LINE = re.compile(r"# yaml-language-server: \$schema=(\S+)\n")

NOT_YAML = {
    *("apostrophe", "brace_never_closed", "code_page", "colon_in_text", "colour_as_a_comment"),
    *("control_character", "indentation", "key_twice", "quote_never_closed", "signs"),
    *("space_missing_after_colon", "tab", "two_documents", "windows_path"),
}
"""Faults that any YAML parser stops at."""
BY_SCHEMA = {
    *("anchor_that_says_too_much", "box_in_pixels", "cameras", "comma_in_text", "crop_the_wrong_way_round"),
    *(
        "durations",
        "empty",
        "film_settings",
        "ids",
        "look_alikes",
        "many_at_once",
        "missing_keys",
        "misspelt_keys",
    ),
    *("prompt_in_the_wrong_place", "shots_as_text", "wide_characters", "words_with_two_meanings"),
    *("wrong_kinds", "wrong_size"),
}
"""Faults that an editor marks, since the schema says what is right."""
BY_RULES = {
    *("alias_bomb", "anchor_in_a_take", "anchors_in_a_circle", "commands", "extends_a_broken_file"),
    *("extends_in_a_circle", "extends_nothing", "fade_too_long", "last_shot_before_the_first"),
    *("missing_files", "misspelt_names", "moves_do_not_add_up", "nobody_acts", "one_picture_for_two_views"),
    *("pictures", "scene_cut_off", "two_lenses", "utf16", "windows_path_that_reads"),
}
"""Faults that only anix finds: names, files, lengths."""


def data_of(file: Path) -> Any:
    return YAML(typ="safe", pure=True).load(file.read_bytes())


def schema_named_by(file: Path) -> Path:
    """The schema that an editor loads for a screenplay."""
    found = FIRST_LINE.match(file.read_text(encoding="utf-8"))
    assert found, "the first line names the schema"
    return (file.parent / found[1]).resolve()


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.stem)
def test_samples_fit_the_schema_that_they_name(file):
    assert schema_named_by(file) == ROOT / "schemas" / "screenplay-v1.json"
    assert list(VALIDATOR.iter_errors(data_of(file))) == []


@pytest.mark.parametrize("name", TEMPLATES)
def test_templates_fit_the_schema_that_they_name(tmp_path, name):
    for inside, content in TEMPLATES[name].files():
        (tmp_path / inside).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / inside).write_bytes(content)
    film = tmp_path / SCREENPLAY_FILE
    assert json.loads(schema_named_by(film).read_text(encoding="utf-8")) == VALIDATOR.schema
    assert list(VALIDATOR.iter_errors(data_of(film))) == []


@pytest.mark.parametrize("file", [*BROKEN, *SHARED], ids=lambda file: file.stem)
def test_broken_ones_name_the_schema_too(file):
    if file.stem in ("utf16", "code_page"):
        return  # nothing in them can be read
    assert schema_named_by(file) == ROOT / "schemas" / "screenplay-v1.json"


def test_each_broken_one_is_of_one_kind():
    kinds = (NOT_YAML, BY_SCHEMA, BY_RULES)
    assert sum(map(len, kinds)) == len(set().union(*kinds)) == len(BROKEN)
    assert set().union(*kinds) == {file.stem for file in BROKEN}


@pytest.mark.parametrize("name", sorted(NOT_YAML))
def test_what_is_no_yaml_is_none_elsewhere_either(name):
    with pytest.raises((YAMLError, YAMLStreamError, UnicodeDecodeError)):
        data_of(ROOT / "screenplays" / "broken" / f"{name}.yaml")


@pytest.mark.parametrize("name", sorted(BY_SCHEMA))
def test_an_independent_validator_refuses_what_the_schema_forbids(name):
    assert not VALIDATOR.is_valid(data_of(ROOT / "screenplays" / "broken" / f"{name}.yaml"))


@pytest.mark.parametrize("name", sorted(BY_RULES))
def test_an_independent_validator_finds_nothing_else(name):
    assert list(VALIDATOR.iter_errors(data_of(ROOT / "screenplays" / "broken" / f"{name}.yaml"))) == []
