"""The shot list: times, takes, places and cameras, from a screenplay as read."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from anix_cli.core.errors import AnixError
from anix_cli.core.screenplay import (
    AnchorSpec,
    CameraSpec,
    CharacterSpec,
    FilmSpec,
    KeySpec,
    SceneSpec,
    Screenplay,
    ShotSpec,
    TransitionSpec,
)
from anix_cli.core.time import Duration
from anix_cli.plan.shotlist import cameras_in_words, shot_list

FPS = Fraction(24)


def shot(name: str, command: str, amount: str = "2", unit: str = "s", **more) -> ShotSpec:
    return ShotSpec(name, command, Duration(Fraction(amount), unit), **{"character": "mira", **more})


def listed(*shots: ShotSpec, fps: Fraction = FPS):
    people = {name: CharacterSpec({}, 1.7, "") for name in ("mira", "teo")}
    anchors = {"door": AnchorSpec((0.0, 3.0)), "well": AnchorSpec((4.0, 9.0))}
    film = Screenplay(
        Path("/f/film.yaml"), "Film", FilmSpec(), SceneSpec(Path("s.ply")), people, anchors, shots
    )  # fmt: skip
    return shot_list(film, fps)


def test_shots_lie_end_to_end_in_whole_frames():
    rows, _ = listed(shot("a", "she walks"), shot("b", "", "7", "frames"), shot("c", "she waves", "1.02"))
    assert [(row.start, row.frames, row.stop) for row in rows] == [(0, 48, 48), (48, 7, 55), (55, 24, 79)]
    assert rows[1].timecodes == ("00:00:02:00", "00:00:02:07")


def test_a_rate_that_is_no_whole_number():
    rows, _ = listed(shot("a", "she walks", "10"), shot("b", "", "10"), fps=Fraction(24000, 1001))
    assert [row.frames for row in rows] == [240, 240]


def test_a_cut_begins_a_take():
    rows, _ = listed(shot("a", ""), shot("b", "", cut=True), shot("c", ""), shot("d", "", cut=True))
    assert [row.take for row in rows] == [1, 2, 2, 3]
    first, _ = listed(shot("a", "", cut=True))
    assert first[0].take == 1


def test_places():
    rows, _ = listed(
        shot("a", "she walks", anchor="door"),
        shot("b", "he waves", character="teo"),
        shot("c", "he waves", character="teo", cut=True),
        shot("d", "she waves", cut=True),
        shot("e", "she waves", cut=True, anchor="well"),
    )
    assert [row.place for row in rows] == ["door", "origin", "goes on", "goes on", "well"]


def test_commands_and_moves_are_as_understood():
    rows, _ = listed(
        shot("a", "she walks to the well, then waves"),
        shot("b", "she waves"),
        shot("c", ""),
        shot("d", "the camera orbits left 90 degrees"),
    )
    assert [row.understood for row in rows][:3] == ["walk to well, then wave", "wave", "hold"]
    assert [row.camera for row in rows] == ["follow", "stationary", "stationary", "orbit 90° left"]


def test_cameras_in_words():
    cameras = (
        CameraSpec("follow", length=Duration(Fraction(36), "frames"), side="front"),
        CameraSpec("orbit", degrees=110.0, direction="right", frame="wide", lens_mm=24.0),
        CameraSpec("crane", up_m=-2.5, placement="gate", distance_m=4.0, height_m=1.5, fov_y_deg=40.0),
    )
    assert cameras_in_words(cameras, FPS) == (
        "follow for 1.5 s, front, then orbit 110° right, wide, 24 mm, "
        "then crane down 2.5 m from gate, 4 m away, 1.5 m high, 40° tall"
    )


def test_all_that_a_camera_is_told_is_in_its_words():
    key = KeySpec((0.0, 1.0))
    cameras = (
        CameraSpec("dolly", direction="in", metres=2.0, look_at="well", ease="linear", handheld=0.5),
        CameraSpec("zoom", to_lens_mm=85.0, headroom=0.1, lead_room=0.17, side="over_the_shoulder"),
        CameraSpec("dolly_zoom", times=2.0, focus=3.0, f_number=2.8, look_at=(0.0, 1.0, 2.5)),
        CameraSpec("rack_focus", focus="well"),
        CameraSpec("path", keys=(key, key)),
        CameraSpec("path", path=Path("/film/p.json")),
    )
    assert cameras_in_words(cameras, FPS) == (
        "dolly in 2 m, looking at well, handheld 0.5, ease linear, "
        "then zoom to 85 mm, over the shoulder, 0.1 headroom, 0.17 lead room, "
        "then dolly zoom 2 times, looking at [0, 1, 2.5], focused on 3 m, f/2.8, "
        "then rack focus, focused on well, then path through 2 keys, then path of p.json"
    )


def test_a_fade_is_told_in_frames():
    rows, _ = listed(
        shot("a", ""), shot("b", "", transition=TransitionSpec("fade", Duration(Fraction(1, 2))))
    )
    assert [row.fade_frames for row in rows] == [0, 12]


def test_warnings_come_with_the_rows():
    rows, remarks = listed(shot("a", "she turns"))
    assert rows[0].understood == "turn"
    assert [remark.code for remark in remarks] == ["W205"]


def test_everything_that_is_not_understood_is_told_at_once():
    with pytest.raises(AnixError) as failed:
        listed(shot("a", "she glorps"), shot("b", "she waves", "1/100"), shot("c", "she walks to the moon"))
    assert [problem.code for problem in failed.value.diagnostics] == ["E201", "E210", "E205"]


def test_a_row_can_be_told_apart_by_its_take_only():
    rows, _ = listed(shot("a", ""), shot("b", "", cut=True))
    assert replace(rows[1], take=1, id="a", start=0) == rows[0].__class__(
        1, "a", "mira", "", "hold", "stationary", "goes on", 0, 48, FPS
    )
