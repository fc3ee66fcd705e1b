"""``anix character``: views of a model, the cast at a glance, a turntable clip."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anix_cli.cli.main import run
from anix_cli.media.video import read_frames

sys.path.insert(0, str(Path(__file__).parents[1] / "character"))
import glb

COURIER = Path(__file__).parents[3] / "screenplays" / "courier"


@pytest.fixture
def model(tmp_path):
    return glb.person(walk=True)[0].write(tmp_path / "mira.glb")


def test_views(model, tmp_path, capsys):
    folder = tmp_path / "views"
    assert run(["character", "views", str(model), "-o", str(folder), "--size", "128"]) == 0
    names = [f"{name}.png" for name in ("front", "left", "right", "back")]
    assert capsys.readouterr().out.split() == [str(folder / name) for name in names]
    assert sorted(file.name for file in folder.iterdir()) == sorted(names)
    with Image.open(folder / "front.png") as picture:
        assert picture.size == (128, 128) and picture.mode == "RGBA"
    # Its own pictures are replaced; others are not, and nothing is written before that is known.
    assert run(["character", "views", str(model), "-o", str(folder), "--size", "64"]) == 0
    Image.new("RGB", (4, 4)).save(folder / "back.png")
    before = (folder / "front.png").read_bytes()
    assert run(["character", "views", str(model), "-o", str(folder), "--size", "96"]) == 2
    assert "E357" in capsys.readouterr().err and (folder / "front.png").read_bytes() == before
    assert run(["character", "views", str(model), "-o", str(folder), "--size", "96", "--overwrite"]) == 0


def test_views_as_json_with_a_turntable(model, tmp_path, capsys):
    arguments = ["--size", "64", "--turntable", "8", "--json", "--height", "1.6"]
    assert run(["character", "views", str(model), "-o", str(tmp_path / "v"), *arguments]) == 0
    said = json.loads(capsys.readouterr().out)
    assert len(said["views"]) == 12 and Path(said["views"]["turn_315"]).is_file()
    assert said["height_m"] == 1.6 and "hips" in said["bones"] and said["clips"] == ["Armature|Walking_A"]
    assert run(["character", "views", str(model), "-o", str(tmp_path / "w"), "--turntable", "5"]) == 2


def test_a_model_that_cannot_be_read(tmp_path, capsys):
    path = tmp_path / "m.glb"
    path.write_bytes(b"glTF")
    assert run(["character", "views", str(path), "-o", str(tmp_path / "v")]) == 3
    assert "E352" in capsys.readouterr().err
    assert run(["character", "views", str(tmp_path / "no.glb"), "-o", str(tmp_path / "v")]) == 3
    assert "E351" in capsys.readouterr().err


FILM = """anix: 1
scene: {{file: plaza.ply}}
characters:
  mira: {{model: {model}, height: 1.8}}
  paul:
    views: {{front: {front}, left: {left}, right: {right}, back: {back}}}
    height: 1.7
defaults: {{character: mira}}
shots: [{{id: a, command: Mira waves, duration: 2}}]
"""


def test_the_cast_of_a_screenplay(model, tmp_path, capsys):
    views = {side: COURIER / f"mira_{side}.png" for side in ("front", "left", "right", "back")}
    views["right"] = tmp_path / "r.png"
    with Image.open(views["left"]) as left:
        left.transpose(Image.Transpose.FLIP_LEFT_RIGHT).save(views["right"])
    (tmp_path / "plaza.ply").write_bytes(b"ply")
    film, sheet = tmp_path / "film.yaml", tmp_path / "cast.png"
    film.write_text(FILM.format(model=model.name, **views))
    assert run(["character", "check", str(film), "-o", str(sheet)]) == 0
    said = capsys.readouterr()
    assert "mira: by its model, 1.8 m high" in said.out and "paul: by its views" in said.out
    assert "film.yaml:6:" in said.err and "W342" in said.err
    drawn = np.asarray(Image.open(sheet).convert("RGB")).astype(int)
    assert drawn.shape[0] > 600
    red = (drawn[..., 0] > 190) & (drawn[..., 1] < 60)  # a courier in a red jacket, in the second row
    assert red[drawn.shape[0] // 2 :].sum() > 500
    assert run(["character", "check", str(film), "--strict"]) == 3
    assert run(["character", "check", str(film), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["given_by"] for each in told["characters"]] == ["model", "views"]
    assert told["characters"][1]["warnings"] == ["W342"]


def test_a_broken_model_is_shown_where_the_screenplay_names_it(tmp_path, capsys):
    (tmp_path / "plaza.ply").write_bytes(b"ply")
    (tmp_path / "mira.glb").write_bytes(b"Kaydara FBX Binary")
    film = tmp_path / "film.yaml"
    film.write_text(
        "anix: 1\nscene: {file: plaza.ply}\ncharacters:\n  mira: {model: mira.glb}\n"
        "shots: [{id: a, command: Mira waves, duration: 2}]\n"
    )
    assert run(["character", "check", str(film)]) == 3
    said = capsys.readouterr().err
    assert "film.yaml:4:17: E351" in said and "FBX" in said


def test_a_turntable_clip(model, tmp_path, capsys):
    clip = tmp_path / "look.mp4"
    arguments = ["-o", str(clip), "--size", "96", "--seconds", "0.5", "--action", "walk"]
    assert run(["character", "look", str(model), *arguments]) == 0
    assert "12 frames" in capsys.readouterr().out
    frames = read_frames(clip, kind="delivery")
    assert frames.shape == (12, 96, 96, 3)
    assert np.abs(frames[0].astype(int) - frames[6].astype(int)).mean() > 0.5  # it goes round
    assert run(["character", "look", str(model), *arguments]) == 2
    assert "E357" in capsys.readouterr().err


def test_a_sheet_in_a_screenplay(tmp_path, capsys):
    views = [Image.open(COURIER / f"mira_{side}.png") for side in ("front", "left", "back", "right")]
    width, height = views[0].size
    sheet = Image.new("RGBA", (4 * width, height))
    for place, view in enumerate(views):
        sheet.paste(view, (place * width, 0))
    sheet.save(tmp_path / "sheet.png")
    (tmp_path / "plaza.ply").write_bytes(b"ply")
    film, drawn = tmp_path / "film.yaml", tmp_path / "cast.png"
    film.write_text(
        "anix: 1\nscene: {file: plaza.ply}\ncharacters: {mira: {sheet: sheet.png, height: 1.7}}\n"
        "shots: [{id: a, character: mira, command: wave, duration: 2}]\n",
        encoding="utf-8",
    )
    assert run(["character", "check", str(film), "-o", str(drawn), "--json"]) == 0
    (said,) = json.loads(capsys.readouterr().out)["characters"]
    assert said["given_by"] == "sheet" and said["warnings"] == []
    sheet.crop((0, 0, 3 * width, height)).save(tmp_path / "sheet.png")
    assert run(["character", "check", str(film)]) == 3
    told = capsys.readouterr().err
    assert "E346" in told and "film.yaml:3:" in told
