"""``style:`` fills in what a shot leaves open."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from anix_cli.core.errors import AnixError
from anix_cli.core.schemas import schema
from anix_cli.core.screenplay import Screenplay
from anix_cli.screenplay import load
from anix_cli.screenplay.styles import styles

ASSETS = Path(__file__).resolve().parents[3] / "screenplays" / "courier"
HEAD = f"""\
anix: 1
scene: {{file: {ASSETS}/plaza.spz, up: +y, scale: 1}}
characters:
  mira: {{views: {{front: {ASSETS}/mira_front.png, left: {ASSETS}/mira_left.png,
    right: {ASSETS}/mira_right.png, back: {ASSETS}/mira_back.png}}}}
cameras: {{gate: {{at: [0, 1.6, -9], lens_mm: 30}}}}
"""


def made(tmp_path: Path, text: str) -> Screenplay:
    path = tmp_path / "film.yaml"
    path.write_text(HEAD + text)
    return load(path)


def test_the_schema_names_them_all() -> None:
    assert schema("screenplay-v1")["definitions"]["style"]["enum"] == list(styles())


@pytest.mark.parametrize("style", styles())
def test_each_is_a_sound_camera(tmp_path: Path, style: str) -> None:
    said: dict[str, Any] = dict(styles()[style])
    (shot,) = made(tmp_path, f"style: {style}\nshots: [{{id: a, command: waves}}]").shots
    (camera,) = shot.cameras
    assert (shot.style, camera.move) == (style, "auto")
    assert float(shot.duration.seconds(Fraction(16))) == said.pop("duration")
    for key, value in said.items():
        assert getattr(camera, {"height": "height_m"}.get(key, key)) == value
        # As if it had been written: the schema takes it.
    written = ", ".join(f"{key}: {value}" for key, value in said.items())
    (own,) = made(tmp_path, f"shots: [{{id: a, command: waves, duration: 1, camera: {{{written}}}}}]").shots
    assert own.cameras == shot.cameras


def test_what_is_written_wins(tmp_path: Path) -> None:
    camera = "camera: {lens_mm: 60, height: 2, distance: 4}"
    text = f"style: action\nshots: [{{id: a, command: runs, duration: 3, {camera}}}]"
    (shot,) = made(tmp_path, text).shots
    (found,) = shot.cameras
    assert (found.lens_mm, found.height_m, found.frame, found.handheld) == (60, 2, None, 0.5)
    assert float(shot.duration.seconds(Fraction(16))) == 3
    (wide,) = made(tmp_path, "style: drama\nshots: [{id: a, command: runs, camera: {fov_y_deg: 40}}]").shots
    assert (wide.cameras[0].lens_mm, wide.cameras[0].fov_y_deg) == (None, 40)


def test_a_shot_has_its_own(tmp_path: Path) -> None:
    text = "style: epic\nshots: [{id: a, command: runs}, {id: b, command: waves}, "
    text += "{id: c, command: bows, style: noir}]"
    one, two, three = made(tmp_path, text).shots
    assert (one.cameras[0].frame, two.cameras[0].frame, three.cameras[0].frame) == ("wide", None, "medium")
    assert (one.cameras[0].lens_mm, two.cameras[0].lens_mm, three.cameras[0].lens_mm) == (24, None, 28)
    assert [float(shot.duration.seconds(Fraction(16))) for shot in (one, two, three)] == [7, 7, 5]


def test_named_cameras_and_later_parts_stay(tmp_path: Path) -> None:
    text = "style: action\nshots: [{id: a, command: runs, camera: gate}, "
    text += "{id: b, command: '', cut: true, camera: [follow, {move: pan, direction: left}]}]"
    one, two = made(tmp_path, text).shots
    assert (one.cameras[0].lens_mm, one.cameras[0].frame, one.cameras[0].handheld) == (None, None, 0.5)
    assert (two.cameras[0].frame, two.cameras[1].frame, two.cameras[1].handheld) == ("full", None, 0.5)


def test_an_unknown_style(tmp_path: Path) -> None:
    with pytest.raises(AnixError) as caught:
        made(tmp_path, "style: documentry\nshots: [{id: a, command: waves, duration: 1}]")
    (found,) = caught.value.diagnostics
    assert found.nearest == "documentary"


def test_no_duration_without_a_style(tmp_path: Path) -> None:
    with pytest.raises(AnixError) as caught:
        made(tmp_path, "shots: [{id: a, command: waves}]")
    assert [found.code for found in caught.value.diagnostics] == ["E113"]
