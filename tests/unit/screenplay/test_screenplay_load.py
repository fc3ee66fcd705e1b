"""A sound screenplay becomes the right types, whatever the bytes that carry it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from screenplay_texts import BASE, HEAD, SHOTS, shot

from anix_cli.core.errors import Span
from anix_cli.core.screenplay import CameraSpec
from anix_cli.screenplay import load

WHOLE = """\
anix: 1
title: The courier
film: {size: 640x360, fps: 24000/1001, seed: 7}
scene: {file: room.ply, up: -y, scale: 1.5, origin: [1, 2, -3.5], ground: 0.25}
characters:
  mira: {views: {front: f.png, left: l.png, right: r.png, back: b.png}, height: 1.72, description: a courier }
anchors:
  door:  {at: [0, 3], face: fountain}
  fountain: {at: [4, 0.5, 9], face: -90}
defaults: {character: mira, camera: follow, duration: 2.5}
shots:
  - {id: run,  command: Mira runs forward, anchor: door, duration: 4}
  - {id: 007, command: "", camera: {move: orbit, degrees: 90, direction: left, frame: full, lens_mm: 35}}
  - {id: up, cut: true, command: " waves ", camera: {move: crane, up: -3, fov_y_deg: 40, side: front,
     distance: 4, height: 1.5}, duration: 250ms, transition: {fade: 0.25}}
"""


def test_every_value_arrives(read, folder):
    film = read(WHOLE)
    assert film.path == folder / "film.yaml"
    assert film.title == "The courier"
    assert (film.film.size_px, film.film.fps, film.film.seed) == ((640, 360), Fraction(24000, 1001), 7)
    assert film.scene.file == folder / "room.ply"
    assert (film.scene.up, film.scene.scale, film.scene.ground_m) == ("-y", 1.5, 0.25)
    assert film.scene.origin == (1.0, 2.0, -3.5)
    mira = film.characters["mira"]
    assert dict(mira.views) == {
        "front": folder / "f.png",
        "left": folder / "l.png",
        "right": folder / "r.png",
        "back": folder / "b.png",
    }
    assert (mira.height_m, mira.description) == (1.72, "a courier")
    assert (film.anchors["door"].at, film.anchors["door"].face) == ((0.0, 3.0), "fountain")
    assert (film.anchors["fountain"].at, film.anchors["fountain"].face) == ((4.0, 0.5, 9.0), -90.0)
    run, hold, up = film.shots
    assert (run.id, run.command, run.duration_s, run.anchor) == ("run", "Mira runs forward", 4, "door")
    assert (run.camera, run.cut, run.fade_s) == (CameraSpec(move="follow"), False, 0.0)
    assert (hold.id, hold.command, hold.duration_s) == ("007", "", Fraction(5, 2))
    assert hold.camera == CameraSpec(move="orbit", degrees=90, direction="left", frame="full", lens_mm=35)
    assert (up.command, up.cut, up.duration_s, up.fade_s) == ("waves", True, Fraction(1, 4), 0.25)
    assert up.camera == CameraSpec(
        move="crane", up_m=-3, fov_y_deg=40, side="front", distance_m=4, height_m=1.5
    )
    assert {take.character for take in film.shots} == {"mira"}
    assert film.notes == ()


def test_defaults_of_a_short_one(read):
    film = read(BASE)
    assert film.title == "film"
    assert (film.film.size_px, film.film.fps, film.film.seed) == ((832, 480), None, 0)
    assert (film.scene.up, film.scene.scale, film.scene.origin, film.scene.ground_m) == (
        "auto",
        None,
        None,
        None,
    )
    assert film.characters["mira"].height_m == 1.7
    assert film.shots[0].character == "mira"
    assert film.shots[0].camera == CameraSpec()


def test_places_of_values_and_keys(read):
    film = read(WHOLE)
    assert film.positions["shots", 0, "command"] == Span(12, 25, 17)
    assert film.positions["film", "fps"] == Span(3, 28, 10)
    assert film.positions["characters", "mira"] == Span(6, 3, 4)
    assert film.positions["shots",] == Span(11, 1, 5)
    assert film.positions["shots", 1] == Span(13, 6, 2)
    assert film.lines[0] == "anix: 1"
    note = film.diagnostic(("shots", 1, "duration"), "E104", "message")
    assert (note.span, note.source) == (Span(13, 6, 2), film.lines[12])


def test_the_place_of_a_merged_value_is_where_it_is_written(read):
    film = read(
        f"x-base: &base {{duration: 2, camera: follow}}\n{HEAD}shots:\n  - {{id: a, command: x, <<: *base}}\n"
    )
    assert film.shots[0].duration_s == 2
    assert film.positions["shots", 0, "duration"] == Span(1, 26, 1)


def test_a_key_of_its_own_wins_over_a_merged_one(read):
    merged = "x-a: &a {duration: 2, cut: true}\nx-b: &b {duration: 3, command: wave}\n"
    film = read(f"{merged}{HEAD}shots:\n  - {{<<: [*a, *b], id: s, command: run}}\n")
    assert (film.shots[0].command, film.shots[0].duration_s, film.shots[0].cut) == ("run", 2, True)


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
    ("written", "seconds"),
    [
        ("4", Fraction(4)),
        ("0.1", Fraction(1, 10)),
        ("1e-1", Fraction(1, 10)),
        ("4s", Fraction(4)),
        ("2.5s", Fraction(5, 2)),
        ("250ms", Fraction(1, 4)),
        ("3600", Fraction(3600)),
    ],
)
def test_durations_are_exact(read, written, seconds):
    assert read(BASE.replace("duration: 3", f"duration: {written}")).shots[0].duration_s == seconds


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
