"""Films through the whole chain by the AniX model's own code, on tiny random weights: they are noise."""

from __future__ import annotations

import json
import shutil

import pytest

from anix_cli.cli.main import run

from .test_chain import edit

for module in ("torch", "diffusers", "peft", "ftfy"):
    pytest.importorskip(module)


@pytest.fixture
def film(project, monkeypatch):
    monkeypatch.chdir(project)
    monkeypatch.setenv("ANIX_TEST_NOISE", "1")
    monkeypatch.setenv("ANIX_WEIGHTS_DIR", str(project / "weights"))
    text = (project / "film.yaml").read_text()
    head, _, shots = text.partition("shots:\n")
    first = shots.splitlines()[0].replace("duration: 1.5", "duration: 0.875")  # 21 frames
    (project / "film.yaml").write_text(f"{head}shots:\n{first}\n")
    edit(project, "128x96, fps: 8", "96x64")
    return project


def render(*more: str) -> int:
    return run(["render", "film.yaml", "-o", "film.mp4", "--backend", "anix-noise", "--no-report", *more])


def records(film) -> dict[int, dict]:
    found = {}
    for path in film.glob(".anix/v1/clips/*/*/clip.json"):
        record = json.loads(path.read_text())
        found[record["index"]] = record["notes"]
    return found


def wants(film, **options) -> None:
    told = ", ".join(f"{name}: {value}" for name, value in options.items())
    text = (film / "film.yaml").read_text()
    (film / "film.yaml").write_text(
        text.replace("shots:\n", f"defaults: {{options: {{anix-noise: {{{told}}}}}}}\nshots:\n")
        if "defaults:" not in text
        else text.replace("defaults: {", f"defaults: {{options: {{anix-noise: {{{told}}}}}, ", 1)
    )


@pytest.mark.parametrize("base", ["wan-1.3b", "hunyuan", "hunyuancustom"])
def test_two_chained_clips_on_each_base_and_the_same_again(film, base):
    wants(film, base=base)
    assert render() == 0
    manifest = json.loads((film / "film.mp4.json").read_text())
    (shot,) = manifest["shots"]
    assert manifest["backend"] == "anix-noise" and manifest["frames"] == 21
    assert [clip["frames"] for clip in shot["clips"]] == [11, 10]
    notes = records(film)
    first, second = (notes[index]["anix"] for index in (0, 1))
    assert (first["passes"][0]["kept"], second["passes"][0]["kept"]) == (0, 5)
    assert first["passes"][0]["views"] == ["front", "left", "back", "right"]
    assert first["base"] == base and first["sampling"]["steps"] == 2 and notes[0]["noise"] is True
    assert "seam" in notes[1]
    frames = {clip["index"]: clip["files"]["frames.mkv"] for clip in shot["clips"]}
    shutil.rmtree(film / ".anix")
    (film / "film.mp4").unlink()
    assert render() == 0
    again = json.loads((film / "film.mp4.json").read_text())["shots"][0]["clips"]
    assert {clip["index"]: clip["files"]["frames.mkv"] for clip in again} == frames


def test_an_adapter_is_found_by_its_name_and_its_content_is_part_of_the_key(film, capsys):
    from anix_cli.generate.anix.noise import random_adapter

    shelf = film / "weights" / "adapters"
    shelf.mkdir(parents=True)
    wants(film, base="wan-1.3b", adapter="mine")
    assert render() == 4
    assert "E483" in capsys.readouterr().err
    shutil.copy(random_adapter("wan-1.3b"), shelf / "mine.safetensors")
    assert render() == 0
    assert records(film)[0]["anix"]["adapter"] == "mine"
    student = random_adapter("wan-1.3b", sigmas=(1.0, 0.75, 0.5))
    shutil.copy(student, shelf / "mine.safetensors")
    capsys.readouterr()
    assert run(["plan", "film.yaml", "--backend", "anix-noise", "--json"]) == 0
    clips = json.loads(capsys.readouterr().out)["takes"][0]["shots"][0]["clips"]
    assert all(clip["stale_because"] for clip in clips)
    assert len({clip["options"]["adapter_digest"] for clip in clips}) == 1


def test_an_adapter_for_another_base_is_refused_before_anything_is_made(film, capsys):
    from anix_cli.generate.anix.noise import random_adapter

    shelf = film / "weights" / "adapters"
    shelf.mkdir(parents=True)
    shutil.copy(random_adapter("wan-1.3b"), shelf / "mine.safetensors")
    wants(film, base="hunyuan", adapter="mine")
    assert render() != 0
    said = capsys.readouterr().err
    assert "E557" in said and "made for wan" in said
    assert not list(film.glob(".anix/v1/clips/*/*/clip.json"))


def test_without_a_gpu_the_real_backend_says_what_is_missing(film, capsys):
    text = (film / "film.yaml").read_text()
    (film / "film.yaml").write_text(text.replace("anix-noise", "anix"))
    assert run(["render", "film.yaml", "-o", "film.mp4", "--backend", "anix", "--no-report"]) != 0
    said = capsys.readouterr().err
    assert "E472" in said or "E474" in said or "E483" in said


def test_a_place_that_the_film_comes_back_to_is_remembered(film, capsys):
    """Two takes between; the third clip is shown the first one, and depends on it alone."""
    text = (film / "film.yaml").read_text()
    head, _, _ = text.partition("shots:\n")
    here, away = "{at: [0, 1.4, -3], look_at: [0, 1, 3]}", "{at: [0, 1.4, -3], look_at: [0, 1, -9]}"
    head += f"cameras:\n  here: {here}\n  away: {away}\n"
    shots = "".join(
        f'  - {{id: {name}, command: "", camera: {place}, duration: 5f{cut}}}\n'
        for name, place, cut in (
            ("a", "here", ""),
            ("b", "away", ", cut: true"),
            ("c", "here", ", cut: true"),
        )
    )
    (film / "film.yaml").write_text(f"{head}shots:\n{shots}")
    wants(film, base="hunyuancustom")

    def clips(memory: int) -> dict[str, str]:
        assert render("--set", f"film.memory={memory}") == 0
        shots = json.loads((film / "film.mp4.json").read_text())["shots"]
        return {shot["id"]: shot["clips"][0]["files"]["frames.mkv"] for shot in shots}

    without, remembering = clips(0), clips(1)
    assert without["a"] == remembering["a"] and without["b"] == remembering["b"]
    assert without["c"] != remembering["c"]
    capsys.readouterr()
    assert run(["plan", "film.yaml", "--backend", "anix-noise", "--set", "film.memory=1", "--json"]) == 0
    takes = json.loads(capsys.readouterr().out)["takes"]
    assert [part["shot_id"] for part in takes[2]["shots"][0]["clips"][0]["memory"]] == ["a"]
    assert run(["validate", "film.yaml", "--set", "film.memory=1", "--backend", "animatic"]) == 0
    assert "W193" in capsys.readouterr().err
