"""A film through the whole chain by wan-vace's own code, on tiny random weights: its pictures are noise."""

from __future__ import annotations

import json
import shutil

import pytest

from anix_cli.cli.main import run
from anix_cli.core.schemas import schema

from .test_chain import edit

for module in ("torch", "diffusers", "peft", "ftfy"):
    pytest.importorskip(module)


@pytest.fixture
def film(project, monkeypatch):
    monkeypatch.chdir(project)
    monkeypatch.setenv("ANIX_TEST_NOISE", "1")
    text = (project / "film.yaml").read_text()
    head, _, shots = text.partition("shots:\n")
    first = shots.splitlines()[0].replace("duration: 1.5", "duration: 1.8125")  # 29 frames
    (project / "film.yaml").write_text(f"{head}shots:\n{first}\n")
    edit(project, "128x96, fps: 8", "96x64")
    return project


def render() -> int:
    return run(["render", "film.yaml", "-o", "film.mp4", "--backend", "wan-vace-noise"])


def test_twenty_nine_frames_are_two_clips_and_the_same_again(film):
    assert render() == 0
    manifest = json.loads((film / "film.mp4.json").read_text())
    assert manifest["backend"] == "wan-vace-noise"
    (shot,) = manifest["shots"]
    assert [clip["frames"] for clip in shot["clips"]] == [15, 14] and manifest["frames"] == 29
    records = {}
    for path in film.glob(".anix/v1/clips/*/*/clip.json"):
        record = json.loads(path.read_text())
        records[record["index"]] = record["notes"]
    assert all(notes["noise"] is True for notes in records.values())
    assert [records[n]["wan_vace"]["kept"] for n in (0, 1)] == [0, 9]
    assert "seam" in records[1] and "seam" not in records[0]
    assert records[0]["wan_vace"]["passes"][0]["views"][0] == "back"  # the camera follows
    frames = {clip["index"]: clip["files"]["frames.mkv"] for clip in shot["clips"]}
    shutil.rmtree(film / ".anix")
    (film / "film.mp4").unlink()
    (film / "film.mp4.json").unlink()
    assert render() == 0
    again = json.loads((film / "film.mp4.json").read_text())["shots"][0]["clips"]
    assert {clip["index"]: clip["files"]["frames.mkv"] for clip in again} == frames


def test_each_of_two_is_drawn_by_its_own_words(film):
    """One call each, told of what that one does and looks like."""
    text = (film / "film.yaml").read_text()
    cast = """  ann:
    views: {front: front.png, left: left.png, right: right.png, back: back.png}
    height: 1.5
    description: a woman in blue
anchors:
"""
    head, _, _ = text.replace("anchors:\n", cast).partition("shots:\n")
    (film / "film.yaml").write_text(
        f"{head}shots:\n"
        "  - {id: in, command: Ann nods, character: ann, anchor: well, duration: 5f, "
        "camera: {move: stationary, frame: full}}\n"
        "  - {id: both, command: Mo claps while Ann bows, anchor: gate, duration: 1, "
        "camera: {move: stationary, frame: full}}\n"
    )
    assert run(["render", "film.yaml", "-o", "film.mp4", "--backend", "wan-vace-noise", "--no-report"]) == 0
    records = [json.loads(path.read_text()) for path in film.glob(".anix/v1/clips/*/*/clip.json")]
    (both,) = (one for one in records if one["shot"] == "both")
    told = {each["character"]: each["prompt"].split("; ") for each in both["notes"]["wan_vace"]["passes"]}
    assert {name: words[0] for name, words in told.items()} == {"mo": "Mo claps", "ann": "Ann bows"}
    assert "a woman in blue" in told["ann"] and "a man in a green coat" not in told["ann"]


def test_without_the_switch_there_is_no_such_backend(film, monkeypatch, capsys):
    monkeypatch.delenv("ANIX_TEST_NOISE")
    assert render() != 0
    assert "E501" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("backend", "seconds", "cut"),
    [("cogvideox", "3.625", [15, 14]), ("hunyuan-video", "1.21", [15, 14]), ("wan-i2v", "1.8125", [15, 14])],
)
def test_a_baseline_makes_a_film_and_says_what_it_was_not_told(film, capsys, backend, seconds, cut):
    import jsonschema

    edit(film, "duration: 1.8125", f"duration: {seconds}")
    assert run(["render", "film.yaml", "-o", "film.mp4", "--backend", f"{backend}-noise", "--no-report"]) == 0
    said = capsys.readouterr().err
    assert "W193" in said and "cameras" in said
    manifest = json.loads((film / "film.mp4.json").read_text())
    (shot,) = manifest["shots"]
    assert manifest["backend"] == f"{backend}-noise" and manifest["frames"] == 29
    assert "cameras" in next(each["message"] for each in manifest["warnings"] if each["code"] == "W193")
    assert [clip["frames"] for clip in shot["clips"]] == cut
    first = {0: "of the animatic", 1: "of the clip before"}
    for path in film.glob(".anix/v1/clips/*/*/clip.json"):
        record = json.loads(path.read_text())
        jsonschema.validate(record, schema("clip-v1"))
        told = record["notes"][backend.replace("-", "_")]
        assert record["notes"]["noise"] is True and "cameras" in str(told["cannot_take"])
        assert told["first_frame"] == first[record["index"]]


def test_a_baseline_of_one_size_refuses_others(film, capsys):
    assert run(["render", "film.yaml", "-o", "film.mp4", "--backend", "cogvideox"]) == 3
    said = capsys.readouterr().err
    assert "E191" in said and "720x480" in said
    assert not (film / "film.mp4").exists()


@pytest.mark.parametrize(
    ("backend", "seconds"), [("matrix-game-2", "1.16"), ("hunyuan-gamecraft", "1.21"), ("deepverse", "1.45")]
)
def test_a_game_world_makes_a_film_in_another_program(film, capsys, backend, seconds):
    """The program's own code, but for the library and its weights; see the backends' ``noise_worker``."""
    import jsonschema

    edit(film, "duration: 1.8125", f"duration: {seconds}")
    asked = ["render", "film.yaml", "--backend", f"{backend}-noise", "--no-report", "-o"]
    assert run([*asked, "film.mp4"]) == 0
    said = capsys.readouterr().err
    assert "W193" in said and "anchors" in said and "Traceback" not in said
    manifest = json.loads((film / "film.mp4.json").read_text())
    (shot,) = manifest["shots"]
    assert manifest["backend"] == f"{backend}-noise" and manifest["frames"] == 29
    assert [clip["frames"] for clip in shot["clips"]] == [15, 14]
    first = {0: "of the animatic", 1: "of the clip before"}
    for path in film.glob(".anix/v1/clips/*/*/clip.json"):
        record = json.loads(path.read_text())
        jsonschema.validate(record, schema("clip-v1"))
        told = record["notes"][backend.replace("-", "_")]
        assert record["notes"]["noise"] is True and told["first_frame"] == first[record["index"]]
        assert 0 <= told["residual"]["position_rms_m"] <= told["residual"]["position_max_m"] < 1
        assert told["made_by"].startswith("checkout" if backend == "deepverse" else "fastvideo stand-in")
    if backend == "matrix-game-2":
        frames = [clip["files"]["frames.mkv"] for clip in shot["clips"]]
        shutil.rmtree(film / ".anix")
        assert run([*asked, "again.mp4"]) == 0
        again = json.loads((film / "again.mp4.json").read_text())["shots"][0]["clips"]
        assert [clip["files"]["frames.mkv"] for clip in again] == frames


def test_a_game_world_without_its_environment_is_told_before_work(film, capsys, monkeypatch):
    monkeypatch.delenv("ANIX_FASTVIDEO_PYTHON", raising=False)
    edit(film, "96x64", "640x352")
    assert run(["render", "film.yaml", "-o", "film.mp4", "--backend", "matrix-game-2"]) == 4
    assert "E482" in capsys.readouterr().err
    assert not (film / "film.mp4").exists()
