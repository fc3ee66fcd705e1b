"""A sound screenplay becomes the right types, whatever the bytes that carry it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from screenplay_texts import BASE, HEAD, SHOTS, shot

from anix_cli.core.errors import Place, Span
from anix_cli.core.screenplay import (
    AnchorSpec,
    CameraSpec,
    FilmSpec,
    PlacementSpec,
    ScaleReference,
    SceneSpec,
    ShotSpec,
    SoundSpec,
    TransitionSpec,
)
from anix_cli.core.time import Duration
from anix_cli.screenplay import load

WHOLE = """\
anix: 1
title: The courier
film: {size: 640x360, fps: 24000/1001, seed: 7, quality: best, codec: h265, background: "#0a141E"}
look: real
scene: {file: room.ply, up: -y, scale: 1.5, origin: [1, 2, -3.5], ground: 0.25,
  crop: {x: [-4, 4.5], z: [0, 9]}}
characters:
  mira: {views: {front: f.png, left: l.png, right: r.png, back: b.png}, height: 1.72, description: a courier }
  rex:
    views: {front: f.png, left: l.png, right: r.png, back: b.png}
    height: 2
    scale: 1.5
    aliases: [T-Rex, old beast]
anchors:
  door:  {at: [0, 3], face: fountain}
  fountain: {at: [4, 0.5, 9], face: -90, aliases: [basin]}
  mat: {from: door, left: 1.5, forward: -2, up: 0.1}
  there: {from: last_shot, face: 10}
  edge: {box: [0.2, 0.3, 0.45, 0.95], face: door}
cameras:
  gate: {at: [0, 1.6, -4], look_at: fountain, lens_mm: 28}
  eyes: {at: [2, -4], look_at: [0, 1, 3], fov_y_deg: 40}
  rover: {at: [1, -4]}
defaults: {character: mira, camera: follow, duration: 2.5, prompt: fog, negative: text,
  options: {animatic: {shadow: false}}}
shots:
  - {id: run,  command: Mira runs forward, anchor: door, duration: 4}
  - {id: 007, command: "", camera: {move: orbit, degrees: 90, direction: left, frame: full, lens_mm: 35}}
  - {id: up, cut: true, command: " waves ", camera: {move: crane, up: -3, fov_y_deg: 40, side: front,
     distance: 4, height: 1.5}, duration: 250ms, transition: {fade: 0.25}}
  - {id: list, command: x,
     camera: [gate, {move: orbit, for: 1s}, {from: eyes, lens_mm: 50}, {move: crane, from: rover}]}
  - {id: own, command: x, camera: gate, duration: 64f, transition: {fade: 12f}, cut: true, seed: 12,
     prompt: " dusk ", negative: "", look: rendered, options: {wan: {steps: 30, guidance: 5.5, name: a}},
     audio: b.png, caption: " Hi! "}
"""


@pytest.fixture
def film(read):
    return read(WHOLE)


def test_the_film_and_the_scene(film, folder):
    assert film.path == folder / "film.yaml"
    assert film.files == (folder / "film.yaml",)
    assert film.title == "The courier"
    assert film.film == FilmSpec(
        size_px=(640, 360),
        fps=Fraction(24000, 1001),
        seed=7,
        quality="best",
        codec="h265",
        background_rgb=(10, 20, 30),
    )
    assert film.scene == SceneSpec(
        file=folder / "room.ply",
        up="-y",
        scale=1.5,
        origin=(1.0, 2.0, -3.5),
        crop_m=((-4.0, 4.5), None, (0.0, 9.0)),
        ground_m=0.25,
    )
    assert film.notes == ()


def test_a_scale_by_something_of_known_length(read):
    film = read(
        WHOLE.replace("scale: 1.5, o", "scale: {metres: 2, reference: [[0, 1, 2.5], [0, -1, 2.5]]}, o")
    )
    assert film.scene.scale == ScaleReference(((0.0, 1.0, 2.5), (0.0, -1.0, 2.5)), 2.0)
    assert read(WHOLE.replace("scale: 1.5, o", "scale: auto, o")).scene.scale is None


def test_a_scale_by_the_height_of_a_character(read):
    by = "scale: {reference: [[0, 1, 2.5], [0, -1, 2.5]], character: mira}, o"
    film = read(WHOLE.replace("scale: 1.5, o", by))
    height = film.characters["mira"].height_m
    assert height not in (1, 1.7), "written, and more than its default"
    assert film.scene.scale == ScaleReference(((0.0, 1.0, 2.5), (0.0, -1.0, 2.5)), height)


def test_a_collider_lies_beside_the_screenplay(read, folder):
    film = read(WHOLE.replace("scale: 1.5, o", "collider: b.png, o"))
    assert film.scene.collider == folder / "b.png"


def test_the_cast(film, folder):
    mira, rex = film.characters["mira"], film.characters["rex"]
    assert dict(mira.views) == {
        "front": folder / "f.png",
        "left": folder / "l.png",
        "right": folder / "r.png",
        "back": folder / "b.png",
    }
    assert (mira.height_m, mira.description, mira.aliases) == (1.72, "a courier", ())
    assert (rex.height_m, rex.description, rex.aliases) == (3.0, "", ("T-Rex", "old beast"))


def test_marks_and_cameras(film):
    assert dict(film.anchors) == {
        "door": AnchorSpec(at=(0.0, 3.0), face="fountain"),
        "fountain": AnchorSpec(at=(4.0, 0.5, 9.0), face=-90.0, aliases=("basin",)),
        "mat": AnchorSpec(base="door", left_m=1.5, forward_m=-2.0, up_m=0.1),
        "there": AnchorSpec(base="last_shot", face=10.0),
        "edge": AnchorSpec(box=(0.2, 0.3, 0.45, 0.95), face="door"),
    }
    assert dict(film.cameras) == {
        "gate": PlacementSpec(at=(0.0, 1.6, -4.0), look_at="fountain", lens_mm=28),
        "eyes": PlacementSpec(at=(2.0, -4.0), look_at=(0.0, 1.0, 3.0), fov_y_deg=40),
        "rover": PlacementSpec(at=(1.0, -4.0)),
    }


def test_a_shot_has_the_defaults(film):
    run, hold, up, *_ = film.shots
    assert run == ShotSpec(
        id="run",
        command="Mira runs forward",
        duration=Duration(Fraction(4)),
        character="mira",
        anchor="door",
        cameras=(CameraSpec(move="follow"),),
        prompt="fog",
        negative="text",
        look="real",
        options={"animatic": {"shadow": False}},
    )
    assert (hold.id, hold.command, hold.duration) == ("007", "", Duration(Fraction(5, 2)))
    assert hold.cameras == (CameraSpec(move="orbit", degrees=90, direction="left", frame="full", lens_mm=35),)
    assert (up.command, up.cut) == ("waves", True)
    assert up.duration == Duration(Fraction(1, 4))
    assert up.transition == TransitionSpec("fade", Duration(Fraction(1, 4)))
    assert up.cameras == (
        CameraSpec(move="crane", up_m=-3, fov_y_deg=40, side="front", distance_m=4, height_m=1.5),
    )
    assert {take.character for take in film.shots} == {"mira"}


def test_a_list_of_moves(film):
    assert film.shots[3].cameras == (
        CameraSpec(move="stationary", placement="gate"),
        CameraSpec(move="orbit", length=Duration(Fraction(1))),
        CameraSpec(move="stationary", placement="eyes", lens_mm=50),
        CameraSpec(move="crane", placement="rover"),
    )


def test_what_a_shot_says_of_its_own_wins(film, folder):
    assert film.shots[4] == ShotSpec(
        id="own",
        command="x",
        duration=Duration(Fraction(64), "frames"),
        character="mira",
        cameras=(CameraSpec(move="stationary", placement="gate"),),
        cut=True,
        transition=TransitionSpec("fade", Duration(Fraction(12), "frames")),
        seed=12,
        prompt="dusk",
        negative="",
        look="rendered",
        options={"wan": {"steps": 30, "guidance": 5.5, "name": "a"}},
        audio=SoundSpec(folder / "b.png"),
        caption="Hi!",
    )
    assert type(film.shots[4].options["wan"]["steps"]) is int


def test_defaults_of_a_short_one(read, folder):
    film = read(BASE)
    assert film.title == "film"
    assert film.film == FilmSpec()
    assert film.scene == SceneSpec(file=folder / "room.ply")
    assert film.characters["mira"].height_m == 1.7
    assert dict(film.cameras) == {}
    assert film.shots == (
        ShotSpec(id="s1", command="run forward", duration=Duration(Fraction(3)), character="mira"),
    )


def test_places_of_values_and_keys(read, folder):
    film = read(WHOLE)
    lines = WHOLE.splitlines()

    def place(line: int, column: int, length: int) -> Place:
        return Place(folder / "film.yaml", Span(line, column, length), lines[line - 1])

    assert film.positions["shots", 0, "command"] == place(27, 25, 17)
    assert film.positions["film", "fps"] == place(3, 28, 10)
    assert film.positions["characters", "mira"] == place(8, 3, 4)
    assert film.positions["shots",] == place(26, 1, 5)
    assert film.positions["shots", 1] == place(28, 6, 2)
    assert film.positions["shots", 3, "camera", 1, "for"] == place(32, 40, 2)
    note = film.diagnostic(("shots", 1, "duration"), "E104", "message")
    assert (note.file, note.span, note.source) == (folder / "film.yaml", Span(28, 6, 2), lines[27])


def test_the_place_of_a_merged_value_is_where_it_is_written(read):
    film = read(
        f"x-base: &base {{duration: 2, camera: follow}}\n{HEAD}shots:\n  - {{id: a, command: x, <<: *base}}\n"
    )
    assert film.shots[0].duration == Duration(Fraction(2))
    assert film.positions["shots", 0, "duration"].span == Span(1, 26, 1)


def test_a_key_of_its_own_wins_over_a_merged_one(read):
    merged = "x-a: &a {duration: 2, cut: true}\nx-b: &b {duration: 3, command: wave}\n"
    film = read(f"{merged}{HEAD}shots:\n  - {{<<: [*a, *b], id: s, command: run}}\n")
    first = film.shots[0]
    assert (first.command, first.duration, first.cut) == ("run", Duration(Fraction(2)), True)


def test_a_default_camera_is_replaced_as_a_whole(read):
    defaults = "defaults: {camera: {move: orbit, degrees: 90, lens_mm: 24}}\n"
    film = read(f"{defaults}{BASE}  - {{id: b, command: x, duration: 1, camera: {{lens_mm: 50}}}}\n")
    assert film.shots[0].cameras == (CameraSpec(move="orbit", degrees=90, lens_mm=24),)
    assert film.shots[1].cameras == (CameraSpec(lens_mm=50),)


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + WHOLE.encode(),
        WHOLE.replace("\n", "\r\n").encode(),
        WHOLE.replace("\n", "\r").encode(),
        WHOLE.encode() + b"...\n",
        b"%YAML 1.2\n---\n" + WHOLE.encode(),
    ],
    ids=["bom", "crlf", "cr", "document end", "directive"],
)
def test_line_ends_and_marks_change_nothing(read, data):
    plain, other = read(WHOLE), read(data)
    assert other.shots == plain.shots
    assert (other.film, other.scene, other.anchors) == (plain.film, plain.scene, plain.anchors)


@pytest.mark.parametrize("word", ["off", "No", "on", "yes", "y", "2024-01-01", "12e3", "0x1F", "010", "1.10"])
def test_ids_stay_as_written(read, word):
    assert read(BASE.replace("s1", word)).shots[0].id == word


@pytest.mark.parametrize("name", ["on", "No", "Zoë", "門", "T-Rex", "old man"])
def test_names_stay_as_written(read, name):
    film = read(BASE.replace("mira", name).replace("door", name))
    assert list(film.characters) == [name]
    assert list(film.anchors) == [name]


@pytest.mark.parametrize(
    ("written", "command"),
    [
        ("wave 👋", "wave 👋"),
        ("a\u2028b", "a\u2028b"),
        ("|\n      run\n      then wave", "run\nthen wave"),
        ('"\\ud83d\\udc4b"', "👋"),
        ("'it''s late'", "it's late"),
        ("2024-01-01", "2024-01-01"),
        ("run #1", "run"),
        ("run#1", "run#1"),
    ],
)
def test_commands_arrive_unharmed(read, written, command):
    assert read(shot(f"command: {written}")).shots[0].command == command


@pytest.mark.parametrize(
    ("written", "duration"),
    [
        ("4", Duration(Fraction(4))),
        ("0.1", Duration(Fraction(1, 10))),
        ("1e-1", Duration(Fraction(1, 10))),
        ("4s", Duration(Fraction(4))),
        ("2.5s", Duration(Fraction(5, 2))),
        ("250ms", Duration(Fraction(1, 4))),
        ("0.5ms", Duration(Fraction(1, 2000))),
        ("3600", Duration(Fraction(3600))),
        ("64f", Duration(Fraction(64), "frames")),
        ("1f", Duration(Fraction(1), "frames")),
        ("064f", Duration(Fraction(64), "frames")),
    ],
)
def test_durations_are_exact(read, written, duration):
    assert read(BASE.replace("duration: 3", f"duration: {written}")).shots[0].duration == duration


@pytest.mark.parametrize(
    ("written", "rgb"),
    [
        ("black", (0, 0, 0)),
        ("white", (255, 255, 255)),
        ("grey", (128, 128, 128)),
        ("skyblue", (135, 206, 235)),
        ('"#0A14ff"', (10, 20, 255)),
    ],
)
def test_colours(read, written, rgb):
    assert read(f"{HEAD}film: {{background: {written}}}\n{SHOTS}").film.background_rgb == rgb


@pytest.mark.parametrize("words", ["real", "rendered", " water colour ", "1920s film"])
def test_a_look_is_any_words(read, words):
    assert read(f'look: "{words}"\n{BASE}').shots[0].look == words.strip()


@pytest.mark.parametrize(
    ("written", "fps"),
    [
        ("16", Fraction(16)),
        ("12.5", Fraction(25, 2)),
        ("23.976", Fraction(24000, 1001)),
        ("29.97", Fraction(30000, 1001)),
        ("60000/1001", Fraction(60000, 1001)),
        ("1e1", Fraction(10)),
    ],
)
def test_rates_are_exact(read, written, fps):
    assert read(f"{HEAD}film: {{fps: {written}}}\n{SHOTS}").film.fps == fps


def test_paths_start_from_the_file_not_the_current_folder(folder, tmp_path_factory, monkeypatch):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "room.ply").write_bytes(b"other")
    (folder / "film.yaml").write_text(BASE, encoding="utf-8")
    monkeypatch.chdir(elsewhere)
    film = load(folder / "film.yaml")
    assert film.scene.file == folder / "room.ply"
    monkeypatch.chdir(folder.parent)
    relative = load(Path(folder.name) / "film.yaml")
    assert relative.path.is_absolute()
    assert relative.scene.file == folder / "room.ply"


def test_standard_input_starts_from_the_current_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)
    film = load(Path("-"), text=BASE.encode())
    assert film.path == Path("-")
    assert film.title == "untitled"
    assert film.scene.file == folder / "room.ply"


@pytest.mark.parametrize("key", ["command", "caption", "prompt", "negative"])
def test_text_that_a_comment_cuts_off_is_told(read, key):
    command = "" if key == "command" else "    command: x\n"
    cut = read(f"{HEAD}shots:\n  - id: a\n{command}    {key}: house #2\n    duration: 3\n")
    (note,) = cut.notes
    assert note.code == "W102"
    assert note.source[note.span.column - 1 :] == "#2"
    assert '"house #2"' in note.hint
    for fine in ("house # a comment", '"house #2"', "house#2", "house ## a heading"):
        assert not read(f"{HEAD}shots:\n  - id: a\n{command}    {key}: {fine}\n    duration: 3\n").notes
