"""Variants of a shot: made from seeds of their own, shown side by side, picked into the screenplay."""

from __future__ import annotations

import json
import re

import pytest

from anix_cli.cli.main import run
from anix_cli.core.keys import clip_seed

from .test_chain import clips, edit


@pytest.fixture
def film(project, monkeypatch):
    monkeypatch.chdir(project)
    return project


def seeds(folder) -> dict[str, list[int]]:
    """The seeds of all clips in the store, by shot."""
    found: dict[str, list[int]] = {}
    for file in (folder / ".anix").glob("v1/clips/*/*/clip.json"):
        record = json.loads(file.read_text())
        found.setdefault(record["shot"], []).append(record["seed"])
    return {shot: sorted(those) for shot, those in found.items()}


def manifest(folder) -> dict[str, int]:
    """The seed of each shot's first clip in the film."""
    told = json.loads((folder / "film.mp4.json").read_text())
    keys = {clip["key"]: shot["id"] for shot in told["shots"] for clip in shot["clips"][:1]}
    found = {}
    for file in (folder / ".anix").glob("v1/clips/*/*/clip.json"):
        if file.parent.name in keys:
            found[keys[file.parent.name]] = json.loads(file.read_text())["seed"]
    return found


def test_candidates_are_made_and_one_is_picked(film, capsys):
    edit(film, "id: wave,", "id: wave, candidates: 3,")
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    assert "wave candidate 2 clip 0" in capsys.readouterr().err
    assert seeds(film)["wave"] == sorted(clip_seed(7, "wave", 0, number) for number in range(3))
    assert len(seeds(film)["run"]) == len(seeds(film)["orbit"]) == 1
    assert manifest(film)["wave"] == clip_seed(7, "wave", 0)
    page = (film / "film.html").read_text()
    assert page.count('<ul class="candidates"') == 1
    assert re.findall(r"anix pick film\.yaml wave=\d", page) == [
        f"anix pick film.yaml wave={n}" for n in (1, 2)
    ]
    before = clips(film)
    assert run(["pick", "film.yaml", "wave=2"]) == 0
    assert "id: wave, pick: 2, candidates: 3," in (film / "film.yaml").read_text()
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    # The wave itself is there already; only what continues it is made, as its recipe is another one.
    assert [shot for name, (shot, _) in clips(film).items() if name not in before] == ["orbit"]
    assert manifest(film)["wave"] == clip_seed(7, "wave", 0, 2)
    assert set(before) < set(clips(film))  # what was not picked is kept
    after = clips(film)
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0 and clips(film) == after


def test_candidates_of_every_shot_by_an_option(film, capsys):
    assert run(["render", "film.yaml", "-o", "film.mp4", "--candidates", "2", "--no-report"]) == 0
    assert {shot: len(those) for shot, those in seeds(film).items()} == dict.fromkeys(
        ("run", "wave", "orbit", "end"), 2
    )
    assert run(["report", "film.yaml", "-o", "film.html"]) == 0  # what the store holds is shown
    assert (film / "film.html").read_text().count('<ul class="candidates"') == 4


def test_a_batch_makes_candidates(film, capsys, monkeypatch):
    monkeypatch.setenv("ANIX_TEST_NOISE", "1")
    arguments = [
        "batch",
        "film.yaml",
        "--out",
        "out",
        "--backend",
        "faulty",
        "--candidates",
        "2",
        "--no-report",
    ]
    assert run(arguments) == 0
    assert {len(those) for those in seeds(film).values()} == {2}
    before = clips(film)
    assert run(arguments) == 0 and clips(film) == before and "up to date" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["wave=16"], ["wave"], ["=1"], ["wave=-1"], ["wave=x"]])
def test_wrong_picks(film, arguments):
    before = (film / "film.yaml").read_bytes()
    assert run(["pick", "film.yaml", *arguments]) == 2
    assert (film / "film.yaml").read_bytes() == before


def test_a_pick_of_no_shot(film, capsys):
    assert run(["pick", "film.yaml", "wav=1"]) == 2
    assert "did you mean wave?" in capsys.readouterr().err
