"""`anix validate`: what it says, where, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from jsonschema import Draft7Validator

from anix_cli.core.schemas import schema
from tests.conftest import SCREENPLAY

PUBLISHED = Draft7Validator(schema("diagnostics-v1"))
WRONG = SCREENPLAY.replace("128x96", "129x96")
WARNED = SCREENPLAY.replace("back: back.png", "back: front.png")


@pytest.fixture
def films(film):
    """film.yaml is sound, wrong.yaml has an error, warned.yaml a warning."""
    (film / "wrong.yaml").write_text(WRONG, "utf-8")
    (film / "warned.yaml").write_text(WARNED, "utf-8")
    return film


def test_a_sound_screenplay(films, anix):
    code, out, err = anix("validate", "film.yaml")
    assert (code, out, err) == (0, "film.yaml: valid, 4 shots, 4.5 s\n", "")


def test_for_a_person_problems_go_to_standard_error(films, anix):
    code, out, err = anix("validate", "wrong.yaml", "film.yaml", "warned.yaml")
    assert code == 3
    assert out == "film.yaml: valid, 4 shots, 4.5 s\nwarned.yaml: valid, 4 shots, 4.5 s\n"
    lines = err.splitlines()
    assert lines[0] == "wrong.yaml:4:14: E104 size 129x96: both numbers must be even"
    assert lines[2] == "    |              ^^^^^^"
    assert "wrong.yaml: 1 error" in lines
    assert lines[lines.index("wrong.yaml: 1 error") + 1].startswith("warned.yaml:8:")
    assert "error" not in lines[-1]


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (("film.yaml",), 0),
        (("warned.yaml",), 0),
        (("film.yaml", "wrong.yaml"), 3),
        (("none.yaml", "wrong.yaml"), 2),
        (("wrong.yaml", "none.yaml"), 3),
        (("warned.yaml", "none.yaml"), 2),
        (("none.yaml",), 2),
        ((".",), 2),
    ],
)
@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
def test_the_exit_code_is_that_of_the_first_error(names, code, form, films, anix):
    found, out, err = anix("validate", *names, "--format", form)
    assert found == code
    if form != "text":
        assert err == ""
    if form == "json":
        document = json.loads(out)
        PUBLISHED.validate(document)
        assert (document["exit_code"], document["valid"]) == (code, code == 0)
        assert [one["file"] for one in document["screenplays"]] == list(names)
    elif form == "sarif":
        assert json.loads(out)["runs"][0]["invocations"][0]["exitCode"] == code
    elif form == "github":
        assert any(line.startswith("::error ") for line in out.splitlines()) == (code != 0)


def test_json_is_one_option_of_format(films, anix):
    assert anix("validate", "wrong.yaml", "--json") == anix("validate", "wrong.yaml", "--format", "json")
    code, out, err = anix("validate", "wrong.yaml", "--json", "--format", "sarif")
    assert (code, out) == (2, "")
    assert "exclude each other" in err
    code, out, err = anix("validate", "wrong.yaml", "--format", "xml")
    assert (code, out) == (2, "")
    assert "sarif" in err


def test_the_same_file_twice_is_checked_once(films, anix):
    document = json.loads(anix("validate", "wrong.yaml", "wrong.yaml", "--json")[1])
    assert len(document["screenplays"]) == 1


@pytest.mark.parametrize("form", ["json", "sarif", "github"])
@pytest.mark.parametrize(
    "stdin", [SCREENPLAY.encode(), WRONG.encode(), b"", b"\xff\xfe", b"anix: 1\n\x1b[31m\x9b"]
)
def test_standard_input(form, stdin, films, anix):
    code, out, err = anix("validate", "-", "--format", form, stdin=stdin)
    assert code == (0 if stdin == SCREENPLAY.encode() else 3)
    assert err == ""
    assert "\x1b" not in out and "\x9b" not in out
    if form == "json":
        document = json.loads(out)
        PUBLISHED.validate(document)
        assert document["documents"][0]["uri"] == "untitled:stdin"
    elif form == "sarif":
        results = json.loads(out)["runs"][0]["results"]
        assert {
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results
        } <= {"untitled:stdin"}
    else:
        assert all(line.startswith("::error ") and "file=" not in line for line in out.splitlines())


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1", "cp1252"])
def test_foreign_names_on_any_stream(form, encoding, films):
    text = WRONG.replace("title: Small", "title: 門 – é").replace("gate", "門")
    name = b"caf\xe9 \xe9\x97\x80.yaml"
    (films / os.fsdecode(name)).write_text(text, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "anix_cli", "validate", name, b"no\xe9ne.yaml", "--format", form],
        env={**os.environ, "PYTHONIOENCODING": encoding}, capture_output=True, check=False,
    )  # fmt: skip
    out, err = done.stdout.decode(encoding), done.stderr.decode(encoding)
    assert done.returncode == 3, err
    if form == "text":
        assert "caf\\xe9" in err and out == ""
        assert "no\\xe9ne.yaml: 1 error" in err
        return
    assert err == ""
    if form == "json":
        document = json.loads(out)
        PUBLISHED.validate(document)
        assert document["documents"][0]["uri"].endswith("/caf%E9%20%E9%97%80.yaml")
    elif form == "sarif":
        artifacts = json.loads(out)["runs"][0]["artifacts"]
        assert [one["location"]["uri"] for one in artifacts] == ["caf%E9%20%E9%97%80.yaml", "no%E9ne.yaml"]
    else:
        assert len(out.splitlines()) == 2
        assert all(line.startswith("::error file=") for line in out.splitlines())


def test_an_alias_of_a_screenplay_is_the_file_that_was_named(films, anix):
    (films / "link.yaml").symlink_to("wrong.yaml")
    document = json.loads(anix("validate", "link.yaml", "--json")[1])
    assert [one["uri"] for one in document["documents"]] == [(films / "link.yaml").as_uri()]
    (films / "sub").mkdir()
    document = json.loads(anix("validate", "sub/../wrong.yaml", "--json")[1])
    assert [one["uri"] for one in document["documents"]] == [(films / "wrong.yaml").as_uri()]


def test_problems_lie_in_the_file_that_has_them(films, anix):
    (films / "cast.yaml").write_text("anix: 1\nfilm: {size: 129x96}\n", "utf-8")
    (films / "long.yaml").write_text(
        SCREENPLAY.replace("film: {size: 128x96, fps: 8, seed: 7}", "extends: cast.yaml")
    )
    code, out, _ = anix("validate", "long.yaml", "--json")
    found = {one["uri"].rpartition("/")[2]: one["diagnostics"] for one in json.loads(out)["documents"]}
    assert code == 3
    assert found["long.yaml"] == []
    assert [one["code"] for one in found["cast.yaml"]] == ["E104"]
    assert found["cast.yaml"][0]["range"]["start"] == {"line": 1, "character": 13}


PART, REST = SCREENPLAY.split("anchors:", 1)
PART = PART.replace("title: Small\n", "")


@pytest.fixture
def parts(film):
    """whole.yaml extends part.yaml, which has no shots."""
    (film / "part.yaml").write_text(PART, "utf-8")
    (film / "whole.yaml").write_text("anix: 1\nextends: part.yaml\nanchors:" + REST, "utf-8")
    return film


def test_what_another_one_extends_is_checked_as_a_part(parts, anix):
    code, out, err = anix("validate", "part.yaml", "whole.yaml")
    assert (code, err) == (0, "")
    assert out == "part.yaml: valid, a part that others extend\nwhole.yaml: valid, 4 shots, 4.5 s\n"
    code, _, err = anix("validate", "part.yaml")
    assert code == 3 and 'E113 the screenplay needs "shots"' in err


def test_a_part_is_checked_where_the_whole_is_broken(parts, anix):
    (parts / "part.yaml").write_text(PART.replace("height: 1.7", "heigth: 1.7"), "utf-8")
    (parts / "whole.yaml").write_text("anix: 1\nextends: [part.yaml]\nshots: 3\n", "utf-8")
    code, out, err = anix("validate", "part.yaml", "whole.yaml")
    assert (code, out) == (3, "")
    assert 'part.yaml:8:5: E112 unknown key "heigth"' in err and "whole.yaml:3:8: " in err
    assert "E113" not in err.replace(" needs one of", "")
    (parts / "whole.yaml").write_text("extends: [part.yaml\n", "utf-8")
    assert anix("validate", "part.yaml", "whole.yaml", "part.yaml")[0] == 3


def test_a_folder_that_is_gone(parts, anix, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    code, out, err = anix("validate", "film.yaml")
    assert (code, out) == (4, "")
    told, _, message = err.partition(" ")
    assert told == "E415" and message == "the folder that this command was started in is gone\n"
