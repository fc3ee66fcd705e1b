"""`--strict`: warnings count as errors, and nothing is made."""

from __future__ import annotations

import json

import pytest

from tests.conftest import SCREENPLAY


@pytest.fixture
def warned(film):
    """A film with two warnings that validate sees as well, W101 and W205, and perhaps more of the plan."""
    text = SCREENPLAY.replace("back: back.png", "back: front.png").replace("he stops and waves", "he turns")
    (film / "film.yaml").write_text(text, "utf-8")
    return film


def test_validate(warned, anix):
    code, out, err = anix("validate", "film.yaml")
    assert (code, out) == (0, "film.yaml: valid, 4 shots, 4.5 s\n")
    assert err.count(": W") == 2
    code, out, err = anix("validate", "film.yaml", "--strict")
    assert (code, out) == (3, "")
    assert err.splitlines()[-1] == "film.yaml: 2 warnings that count as errors (--strict)"
    code, out, err = anix("validate", "film.yaml", "--strict", "--json")
    document = json.loads(out)
    assert (code, document["valid"], document["exit_code"]) == (3, False, 3)
    assert {one["severity"] for one in document["documents"][0]["diagnostics"]} == {1}


@pytest.mark.parametrize(
    "arguments",
    [
        ("plan", "film.yaml", "-o", "plan.json"),
        ("plan", "film.yaml", "-o", "-"),
        ("plan", "film.yaml", "--json"),
        ("render", "film.yaml", "-o", "film.mp4"),
    ],
)
def test_plan_and_render_make_no_plan_and_no_film(arguments, warned, anix):
    before = made(warned)
    code, out, err = anix(*arguments, "--strict")
    assert (code, out) == (3, "")
    count = sum(line.split(": ")[1][:1] == "W" for line in err.splitlines() if ": W" in line)
    assert count >= 2
    assert err.splitlines()[-1] == f"anix: {count} warnings that count as errors (--strict)"
    assert made(warned) == before


def made(folder):
    """What lies in a folder, but for the store, which may keep what is known of the scene."""
    return sorted(path for path in folder.rglob("*") if ".anix" not in path.parts)


def test_without_warnings_strict_changes_nothing(film, anix):
    (film / "film.yaml").write_text(SCREENPLAY.replace("duration: 1}", "duration: 4}"), "utf-8")
    code, _, err = anix("validate", "film.yaml", "--strict")
    assert (code, err) == (0, "")
    code, _, err = anix("plan", "film.yaml", "-o", "plan.json", "--strict")
    assert (code, err) == (0, "")
    assert (film / "plan.json").exists()


def test_an_error_is_not_hidden_by_warnings(warned, anix):
    text = (warned / "film.yaml").read_text("utf-8").replace("128x96", "129x96")
    (warned / "film.yaml").write_text(text, "utf-8")
    code, _, err = anix("validate", "film.yaml", "--strict")
    assert code == 3
    assert "1 error, 1 warning that counts as an error (--strict)" in err.splitlines()[-1]
