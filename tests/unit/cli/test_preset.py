"""``--preset``: an option of the backend for all shots that do not write their own, and part of every key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anix_cli.cli.main import run


@pytest.fixture
def film(project, monkeypatch):
    monkeypatch.chdir(project)
    path = project / "film.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace(", fps: 8", ""), encoding="utf-8")
    return project


def clips(capsys, *more):
    assert run(["plan", "film.yaml", "--backend", "wan-vace", "-o", "plan.json", "--overwrite", *more]) == 0
    capsys.readouterr()
    plan = json.loads(Path("plan.json").read_text(encoding="utf-8"))
    return [clip for take in plan["takes"] for shot in take["shots"] for clip in shot["clips"]]


def test_it_is_an_option_of_every_shot_and_in_the_key(film, capsys):
    plain, draft, final = (
        clips(capsys),
        clips(capsys, "--preset", "draft"),
        clips(capsys, "--preset", "final"),
    )
    assert {clip["options"].get("preset") for clip in plain} == {None}
    assert {clip["options"]["preset"] for clip in draft} == {"draft"}
    keys = [{clip["recipe_key"] for clip in each} for each in (plain, draft, final)]
    assert len(set.union(*keys)) == 3 * len(plain)
    written = clips(capsys, "--set", "defaults.options.wan-vace.preset=draft")
    assert [clip["recipe_key"] for clip in written] == [clip["recipe_key"] for clip in draft]


def test_a_value_that_is_written_wins(film, capsys):
    own = ["--set", "defaults.options.wan-vace.preset=final"]
    assert {clip["options"]["preset"] for clip in clips(capsys, "--preset", "draft", *own)} == {"final"}


@pytest.mark.parametrize(
    ("backend", "preset", "code"),
    [("wan-vace", "drat", "E194"), ("wan-vace", "", "E1"), ("animatic", "draft", "E193")],
)
def test_what_the_backend_does_not_take_is_told(film, capsys, backend, preset, code):
    assert run(["validate", "film.yaml", "--backend", backend, "--preset", preset]) == 3
    assert code in capsys.readouterr().err
    assert run(["render", "film.yaml", "-o", "film.mp4", "--backend", backend, "--preset", preset]) == 3


def test_what_cannot_reach_a_backend_is_a_warning_with_the_file(film, capsys):
    ask = ["validate", "film.yaml", "--backend", "hunyuan-video", "--json"]
    assert run(ask) == 0
    told = capsys.readouterr().out
    assert "W193" in told and "cameras" in told
    assert run([*ask, "--strict"]) == 3
