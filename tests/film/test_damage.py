"""Damage in the store is made anew; a failing backend is named; plans never replace other files."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from anix_cli import generate
from anix_cli.cli.main import run

from .numbered import Numbered
from .test_chain import clips, edit


@pytest.fixture
def film(project, monkeypatch):
    monkeypatch.chdir(project)
    return project


def folder_of(film: Path, shot: str) -> Path:
    name = next(name for name, (found, _) in clips(film).items() if found == shot)
    return film / ".anix/v1/clips" / name[:2] / name


def spoil(file: Path) -> None:
    """Other bytes of the same number in the middle of a file."""
    data = bytearray(file.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 200] = bytes(255 - byte for byte in data[middle : middle + 200])
    file.write_bytes(data)


@pytest.mark.parametrize("name", ["delivery.mp4", "frames.mkv"])
def test_a_spoilt_clip_is_made_anew(film, capsys, name):
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    whole = (film / "film.mp4").read_bytes()
    spoil(folder_of(film, "wave") / name)
    capsys.readouterr()
    assert run(["render", "film.yaml", "-o", "again.mp4"]) == 0
    assert "W411" in capsys.readouterr().err
    assert (film / "again.mp4").read_bytes() == whole


def test_a_single_bit_is_noticed_before_a_film_is_joined(film, capsys):
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    file = folder_of(film, "wave") / "delivery.mp4"
    data = bytearray(file.read_bytes())
    data[-9] ^= 1  # copying alone would not look at it
    file.write_bytes(data)
    capsys.readouterr()
    assert run(["render", "film.yaml", "-o", "again.mp4"]) == 0
    assert "W411 shot wave" in capsys.readouterr().err
    assert (film / "again.mp4").read_bytes() == (film / "film.mp4").read_bytes()


def test_a_spoilt_guide_is_rendered_anew(film, capsys):
    assert run(["plan", "film.yaml", "-o", "plan.json"]) == 0
    assert run(["guide", "plan.json"]) == 0
    guide = next((film / ".anix/v1/guides").glob("*/*/rgb.mkv"))
    spoil(guide)
    capsys.readouterr()
    assert run(["generate", "plan.json"]) == 2
    err = capsys.readouterr().err
    assert "W411" in err and "anix guide" in err
    assert run(["guide", "plan.json"]) == 0
    assert run(["generate", "plan.json"]) == 0


def test_why_a_clip_is_stale_tells_gone_from_waiting(film, capsys):
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    shutil.rmtree(folder_of(film, "wave"))
    capsys.readouterr()
    assert run(["plan", "film.yaml", "--json"]) == 0
    shots = {s["id"]: s for take in json.loads(capsys.readouterr().out)["takes"] for s in take["shots"]}
    reasons = {name: shot["clips"][0]["stale_because"] for name, shot in shots.items()}
    assert reasons == {
        "run": None,
        "wave": "no longer in the store",
        "orbit": "continues a clip that is made again",
        "end": None,
    }


def install(monkeypatch, name: str) -> None:
    point = EntryPoint(name, f"tests.film.numbered:{name.title()}", generate.GROUP)
    monkeypatch.setattr(generate, "_found", lambda: {name: point})


def test_a_backend_that_changed_is_noticed_after_planning(film, monkeypatch, capsys):
    install(monkeypatch, "numbered")
    assert run(["plan", "film.yaml", "--backend", "numbered", "-o", "plan.json"]) == 0
    assert run(["guide", "plan.json"]) == 0
    newer = replace(Numbered.capabilities, version="2")
    monkeypatch.setattr(Numbered, "capabilities", newer)
    capsys.readouterr()
    assert run(["generate", "plan.json"]) == 2
    err = capsys.readouterr().err
    assert "E453" in err and "anix plan" in err


def test_clips_without_a_tail_are_found_by_themselves(film, monkeypatch, capsys):
    install(monkeypatch, "tailless")
    arguments = ["film.yaml", "--backend", "tailless"]
    assert run(["render", *arguments, "-o", "film.mp4"]) == 0
    shutil.rmtree(folder_of(film, "run"))
    capsys.readouterr()
    assert run(["plan", *arguments]) == 0
    assert "1 of 4 clips" in capsys.readouterr().out


def test_a_failing_backend_is_named_and_keeps_what_is_done(film, monkeypatch, capsys):
    install(monkeypatch, "failing")
    assert run(["render", "film.yaml", "-o", "film.mp4", "--backend", "failing"]) == 1
    err = capsys.readouterr().err
    assert "E555" in err and "wave" in err and "out of memory" in err and "bug in anix" not in err
    assert {shot for shot, _ in clips(film).values()} == {"run"}


@pytest.mark.parametrize("output", ["film.yaml", "plan.npz", "notes.json", "."])
def test_a_plan_never_replaces_something_else(film, capsys, output):
    (film / "notes.json").write_text('{"my": "notes"}')
    before = {path: path.read_bytes() for path in film.glob("*") if path.is_file()}
    assert run(["plan", "film.yaml", "-o", output]) == 2
    assert "E433" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in film.glob("*") if path.is_file()} == before


def test_a_plan_replaces_a_plan_and_says_where_it_cannot_be_written(film, capsys):
    assert run(["plan", "film.yaml", "-o", "plan.json"]) == 0
    first = (film / "plan.json").read_bytes()
    edit(film, "seed: 7", "seed: 8")
    assert run(["plan", "film.yaml", "-o", "plan.json"]) == 0
    assert (film / "plan.json").read_bytes() != first
    capsys.readouterr()
    assert run(["plan", "film.yaml", "-o", f"{'p' * 300}.json"]) == 4
    assert "E412" in capsys.readouterr().err
    assert run(["plan", "film.yaml", "-o", "/proc/plan.json"]) == 4
    assert "E412" in capsys.readouterr().err
