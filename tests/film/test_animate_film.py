"""Films by the code of wan-animate and wan-animate-2, on tiny random weights; and who cannot be in one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from anix_cli.cli.main import run

from .test_chain import edit

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "character"))
import glb

for module in ("torch", "diffusers", "peft", "ftfy"):
    pytest.importorskip(module)


@pytest.fixture
def film(project, monkeypatch):
    monkeypatch.chdir(project)
    monkeypatch.setenv("ANIX_TEST_NOISE", "1")
    text = (project / "film.yaml").read_text()
    head, _, shots = text.partition("shots:\n")
    first = shots.splitlines()[0].replace("duration: 1.5", "duration: 0.9667")  # 29 frames at 30 a second
    (project / "film.yaml").write_text(f"{head}shots:\n{first}\n")
    edit(project, "128x96, fps: 8", "96x64")
    return project


def test_twenty_nine_frames_are_two_clips_of_a_performance(film):
    assert run(["render", "film.yaml", "-o", "film.mp4", "--backend", "wan-animate-noise"]) == 0
    manifest = json.loads((film / "film.mp4.json").read_text())
    assert manifest["backend"] == "wan-animate-noise" and manifest["frames"] == 29
    (shot,) = manifest["shots"]
    assert [clip["frames"] for clip in shot["clips"]] == [15, 14]
    records = [json.loads(path.read_text()) for path in film.glob(".anix/v1/clips/*/*/clip.json")]
    notes = {record["index"]: record["notes"] for record in records}
    assert [notes[index]["wan_animate"]["kept"] for index in (0, 1)] == [0, 5]
    assert notes[1]["noise"] is True and "seam" in notes[1]


def test_a_film_driven_by_the_animatic(film, capsys):
    text = (film / "film.yaml").read_text().replace("duration: 0.9667", "duration: 0.7917")  # 19 frames at 24
    (film / "film.yaml").write_text(text)
    assert run(["render", "film.yaml", "-o", "film.mp4", "--backend", "wan-animate-2-noise"]) == 0
    assert "W193" in capsys.readouterr().err
    manifest = json.loads((film / "film.mp4.json").read_text())
    assert [clip["frames"] for clip in manifest["shots"][0]["clips"]] == [10, 9]
    records = [json.loads(path.read_text()) for path in film.glob(".anix/v1/clips/*/*/clip.json")]
    notes = {record["index"]: record["notes"]["wan_animate_2"] for record in records}
    assert [notes[index]["image"] for index in (0, 1)] == ["of the animatic", "of the clip before"]


def test_a_character_without_a_rig_is_told_of_while_planning(film, capsys):
    glb.cube(film / "cube.glb")
    text = (film / "film.yaml").read_text()
    start = text.index("views:")
    text = text[:start] + "model: cube.glb" + text[text.index("}", start) + 1 :]
    (film / "film.yaml").write_text(text)
    assert run(["plan", "film.yaml", "--backend", "wan-animate-noise"]) == 3
    told = capsys.readouterr().err
    assert "E195" in told and "cube.glb" in told
    assert run(["plan", "film.yaml", "--backend", "wan-vace-noise"]) == 0
