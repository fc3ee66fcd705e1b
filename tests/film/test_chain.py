"""The whole chain on a small film, through the command line, as a user drives it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from anix_cli.cli.main import run
from anix_cli.core.schemas import schema
from anix_cli.media.inspect import count_frames
from anix_cli.media.video import read_frames

FRAMES = {"run": 12, "wave": 8, "orbit": 8, "end": 8}


@pytest.fixture
def film(project, monkeypatch):
    monkeypatch.chdir(project)
    return project


def clips(folder: Path) -> dict[str, tuple[str, int]]:
    """Clip folders of the store with what is in clip.json, by folder name."""
    found = {}
    for file in (folder / ".anix").glob("v1/clips/*/*/clip.json"):
        record = json.loads(file.read_text())
        found[file.parent.name] = (record["shot"], record["index"])
    return found


def made_since(folder: Path, before: dict) -> set[str]:
    return {shot for name, (shot, _) in clips(folder).items() if name not in before}


def edit(folder: Path, old: str, new: str) -> None:
    text = (folder / "film.yaml").read_text()
    assert old in text
    (folder / "film.yaml").write_text(text.replace(old, new))


def test_render_makes_the_film_and_its_manifest(film, capsys):
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    out, err = capsys.readouterr()
    assert out == "film.mp4\n"
    assert "\r" not in err and "\x1b" not in err
    assert count_frames(film / "film.mp4") == sum(FRAMES.values())
    manifest = json.loads((film / "film.mp4.json").read_text())
    jsonschema.validate(manifest, schema("manifest-v1"))
    assert {shot["id"]: shot["frames"] for shot in manifest["shots"]} == FRAMES


def test_each_stage_starts_from_the_file_of_the_one_before(film, capsys):
    assert run(["plan", "film.yaml", "-o", "plan.json"]) == 0
    assert run(["guide", "plan.json", "--json"]) == 0
    capsys.readouterr()
    assert run(["generate", "plan.json", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert run(["join", "plan.json", "-o", "staged.mp4"]) == 0
    assert run(["render", "film.yaml", "-o", "whole.mp4"]) == 0
    assert (film / "staged.mp4").read_bytes() == (film / "whole.mp4").read_bytes()
    for one in made:
        assert count_frames(Path(one["master"])) == one["frames"]
        jsonschema.validate(
            json.loads((Path(one["master"]).parent / "clip.json").read_text()), schema("clip-v1")
        )
    for guide in (film / ".anix").glob("v1/guides/*/*/guide.json"):
        jsonschema.validate(json.loads(guide.read_text()), schema("guide-v1"))


def test_stages_out_of_order_say_what_to_run_first(film, capsys):
    assert run(["plan", "film.yaml", "-o", "plan.json"]) == 0
    assert run(["generate", "plan.json"]) == 2
    err = capsys.readouterr().err
    assert "E552" in err and "anix guide" in err
    assert run(["join", "plan.json", "-o", "film.mp4"]) == 2
    err = capsys.readouterr().err
    assert "E554" in err and "anix generate" in err
    assert not (film / "film.mp4").exists()


def test_a_second_render_makes_nothing(film):
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    before = {path: path.stat().st_mtime_ns for path in film.rglob("*") if path.is_file()}
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    after = {path: path.stat().st_mtime_ns for path in film.rglob("*") if path.is_file()}
    assert after == before


def test_only_what_an_edit_touches_is_made_again(film, capsys):
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    kept = clips(film)
    edit(film, "title: Small", "title: Small   # a remark")
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    assert made_since(film, kept) == set()
    edit(film, "he stops and waves", "he stops and bows")
    capsys.readouterr()
    assert run(["plan", "film.yaml"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"wave.*changed: .*prompt", out)
    assert re.search(r"orbit.*continues", out)
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    assert made_since(film, kept) == {"wave", "orbit"}
    kept = clips(film)
    edit(film, "degrees: 60", "degrees: 45")
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    assert made_since(film, kept) == {"orbit"}
    kept = clips(film)
    edit(film, "seed: 7", "seed: 8")
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    assert made_since(film, kept) == set(FRAMES)


def test_what_was_finished_survives_and_is_used_again(film):
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    first = (film / "film.mp4").read_bytes()
    kept = clips(film)
    gone = next(name for name, (shot, _) in kept.items() if shot == "wave")
    shutil.rmtree(film / ".anix/v1/clips" / gone[:2] / gone)
    assert run(["render", "film.yaml", "-o", "again.mp4"]) == 0
    assert clips(film) == kept  # the same pixels come back, so nothing after it is stale
    assert (film / "again.mp4").read_bytes() == first


def test_a_film_from_an_empty_store_is_the_same_film(film, monkeypatch):
    assert run(["render", "film.yaml", "-o", "one.mp4"]) == 0
    monkeypatch.setenv("ANIX_CACHE_DIR", str(film / "elsewhere"))
    assert run(["render", "film.yaml", "-o", "two.mp4"]) == 0
    assert (film / "elsewhere" / "v1").is_dir()
    assert (film / "one.mp4").read_bytes() == (film / "two.mp4").read_bytes()


def test_slate_is_burnt_in_at_the_join_only(film):
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    kept = clips(film)
    assert run(["render", "film.yaml", "-o", "slated.mp4", "--slate"]) == 0
    assert clips(film) == kept
    clean = read_frames(film / "film.mp4", 0, 1, kind="delivery").astype(int)
    slated = read_frames(film / "slated.mp4", 0, 1, kind="delivery").astype(int)
    assert np.abs(clean - slated)[:, -12:].mean() > 10
    assert np.abs(clean - slated)[:, :40].mean() < 2


def test_long_shots_are_chained_from_several_clips_without_a_jump(film):
    edit(film, "anchor: gate, duration: 1.5", "anchor: gate, duration: 8")
    edit(film, "Mo runs forward", "Mo walks forward slowly")
    edit(film, "anix: 1", "anix: 1")
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    frames = read_frames(film / "film.mp4", 0, 64, kind="delivery").astype(np.float32)
    assert len([1 for shot, _ in clips(film).values() if shot == "run"]) == 2
    steps = np.abs(np.diff(frames, axis=0)).mean(axis=(1, 2, 3))
    seam = 31  # 64 frames in two clips of 32
    assert steps[seam] < 1.5 * np.median(steps)


def test_what_happens_can_be_read_by_another_program(film, capsys):
    assert run(["render", "film.yaml", "-o", "film.mp4", "--events", "run.ndjson", "--no-report"]) == 0
    told = [json.loads(line) for line in (film / "run.ndjson").read_text().splitlines()]
    for one in told:
        jsonschema.validate(one, schema("events-v1"))
    kinds = [one["event"] for one in told]
    assert kinds.count("clip_finished") == len(clips(film)) and kinds[-1] == "film_finished"
    assert (
        sum(one["frames"] for one in told if one["event"] == "frames_done" and one["stage"] == "join") == 36
    )
    edit(film, "anchor: gate", "anchor: gat")
    assert run(["render", "film.yaml", "--events", "run.ndjson"]) == 3
    edit(film, "anchor: gat", "anchor: gate")
    (film / "yard.ply").write_bytes(b"ply\n")
    assert run(["render", "film.yaml", "--events", "run.ndjson"]) == 3
    (last,) = [json.loads(line) for line in (film / "run.ndjson").read_text().splitlines()]
    assert last["event"] == "film_failed" and last["problems"][0]["code"].startswith("E3")
