"""Plans as pictures: the map from above and the curves over time."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from plan_films import plan, screenplay, shot

from anix_cli.core.errors import AnixError
from anix_cli.core.screenplay import CameraSpec
from anix_cli.report.drawing import Drawing, check_drawing_output, nice, png, svg, write_drawing
from anix_cli.report.plancurves import CURVES, curves_of, plan_curves
from anix_cli.report.planmap import BLOCKED, FLOOR, plan_map
from anix_cli.scene.standing import StandingRoom

SVG = "{http://www.w3.org/2000/svg}"
ANCHORS = {"door": (0.0, 3.0), "far <away> & gone": (900.0, 0.0), "a<b & c": (1.0, 2.0)}


def made():
    return plan(screenplay(
        shot("walk", "walks forward", 4), shot("round", "waves", 3, camera=CameraSpec("orbit", degrees=90)),
        shot("close", "nods", 2, cut=True, camera=CameraSpec("zoom", times=2)),
        title='Fire & "Water" <3 \x07',
    ))  # fmt: skip


def written(drawing: Drawing) -> list[ET.Element]:
    return list(ET.fromstring(svg(drawing)).iter(f"{SVG}text"))  # noqa: S314  # it is our own text


def texts(drawing: Drawing) -> list[str]:
    return [element.text or "" for element in written(drawing)]


def test_a_map_shows_takes_shots_and_anchors():
    drawing = plan_map(made(), ANCHORS, None, {"walk": 0.75, "round": float("inf")})
    said = texts(drawing)
    assert 'Fire & "Water" <3 · from above: +z up, +x to the left' in said
    assert {"take 1", "take 2", "door", "a<b & c"} <= {*said} and "far <away> & gone" not in said
    assert "round: orbit, 00:00:04:00" in said and "walk: follow, 00:00:00:00, 0.8 m free" in said


def test_a_map_is_drawn_as_seen_from_above():
    drawing = plan_map(made(), {"left": (3.0, 0.0), "right": (-3.0, 0.0), "up": (0.0, 6.0)}, None)
    at = {
        element.text: (float(element.get("x", "")), float(element.get("y", "")))
        for element in written(drawing)
    }
    assert at["left"][0] < at["up"][0] < at["right"][0] and at["up"][1] < at["left"][1]


def test_a_map_shows_where_there_is_room():
    blocked = np.zeros((40, 40), dtype=bool)
    blocked[:, :19] = True
    room = StandingRoom((-10.0, -10.0), 0.5, blocked, ~blocked)
    picture = np.asarray(Image.open(io.BytesIO(png(plan_map(made(), {}, room)))).convert("RGB"))
    for colour in (BLOCKED, FLOOR):
        assert (picture == colour).all(axis=-1).mean() > 0.02


def test_curves_are_those_of_the_plan():
    film = made()
    walk, around, close = film.shots()
    speed, turning, yaw, tall, _, lens = curves_of(around, film)
    eyes = around.world_from_camera[:, :3, 3]
    assert speed.sum() / 16 == pytest.approx(np.linalg.norm(np.diff(eyes, axis=0), axis=1).sum(), rel=0.05)
    assert turning.max() > 20 and np.ptp(yaw) > 60 and tall.min() > 0.3
    assert lens == pytest.approx(35) and curves_of(close, film)[-1][-1] == pytest.approx(70)
    assert np.ptp(curves_of(close, film)[2]) == 0
    assert curves_of(walk, film)[0][-1] == pytest.approx(1.4, rel=0.2)
    said = texts(plan_curves(film))
    assert {name for name, _ in CURVES} <= {*said} and {"walk", "round", "close"} <= {*said}


@pytest.mark.parametrize("suffix", [".svg", ".png", ".PNG"])
def test_a_drawing_becomes_a_file_by_its_name(tmp_path: Path, suffix: str):
    file = tmp_path / f"film{suffix}"
    drawing = plan_curves(made())
    write_drawing(drawing, file)
    if suffix == ".svg":
        assert file.read_text() == svg(drawing)
    else:
        assert Image.open(file).size == (round(drawing.width), round(drawing.height))


def test_another_name_is_refused(tmp_path: Path):
    for name in ("film.jpg", "film"):
        with pytest.raises(AnixError) as caught:
            check_drawing_output(tmp_path / name)
        assert caught.value.diagnostics[0].code == "E433"


@pytest.mark.parametrize(("span", "step"), [(1, 0.2), (7, 1), (16, 2), (40, 5), (0.03, 0.005), (900, 200)])
def test_steps_are_round(span: float, step: float):
    assert nice(span) == pytest.approx(step)
