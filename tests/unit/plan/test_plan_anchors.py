"""Anchors that count from others, from where the last shot ended, and boxes of the picture."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from plan_films import HEIGHT_M, Size, codes, plan, planned, screenplay, shot, stage

from anix_cli.core.errors import AnixError
from anix_cli.core.plan import Plan, PlannedShot
from anix_cli.core.screenplay import (
    LAST_SHOT,
    AnchorSpec,
    CameraSpec,
    CharacterSpec,
    PlacementSpec,
    ShotSpec,
)
from anix_cli.core.stage import HeightMap, Stage
from anix_cli.plan.boxes import project_boxes, room_of
from anix_cli.plan.marks import Mark, marks_of, moving

FLAT = HeightMap.level(0.0)
SLOPE = HeightMap((-50.0, -50.0), 100.0, np.array([[-5.0, 5.0], [-5.0, 5.0]]))
"""Rises 10 cm a metre towards +X."""


def close(mark: Mark, xz: tuple[float, float], yaw_deg: float | None = None, y: float | None = None) -> bool:
    turned = mark.yaw_rad is None if yaw_deg is None else mark.yaw_rad == pytest.approx(math.radians(yaw_deg))
    return mark.xz == pytest.approx(xz) and turned and mark.y_m == (None if y is None else pytest.approx(y))


def test_left_and_forward_are_those_of_the_base() -> None:
    anchors = {
        "door": AnchorSpec((1.0, 2.0)),
        "east": AnchorSpec((0.0, 0.0), face=90.0),
        "a": AnchorSpec(base="door", left_m=2, forward_m=3),
        "b": AnchorSpec(base="east", left_m=2, forward_m=3),
        "c": AnchorSpec(base="b", forward_m=-1),
        "d": AnchorSpec(base="b", face="door"),
        "e": AnchorSpec(base="d", forward_m=math.hypot(2, 4), face=10.0),
    }
    marks = marks_of(anchors, FLAT)
    assert close(marks["a"], (3, 5)) and close(marks["b"], (3, -2), 90) and close(marks["c"], (2, -2), 90)
    assert close(marks["d"], (3, -2), math.degrees(math.atan2(-2, 4)))
    assert close(marks["e"], (1, 2), 10)


def test_heights_count_from_the_base() -> None:
    anchors = {
        "low": AnchorSpec((10.0, 0.0)),
        "high": AnchorSpec((10.0, 4.0, 0.0)),
        "ground": AnchorSpec(base="low", left_m=10),
        "step": AnchorSpec(base="low", left_m=10, up_m=0.5),
        "perch": AnchorSpec(base="high", left_m=10),
        "under": AnchorSpec(base="perch", up_m=-1),
    }
    marks = marks_of(anchors, SLOPE)
    assert close(marks["ground"], (20, 0)) and close(marks["step"], (20, 0), y=1.5)
    assert close(marks["perch"], (20, 0), y=4) and close(marks["under"], (20, 0), y=3)
    (item,) = plan(screenplay(shot("a", "", anchor="step"), anchors=anchors), on=stage(SLOPE)).shots()
    np.testing.assert_allclose(item.subjects[0].root[0], [20, 1.5, 0])


def test_long_chains_and_circles_come_to_an_end() -> None:
    chain = {str(step): AnchorSpec(base=str(step + 1), forward_m=1) for step in range(5000)}
    marks = marks_of({**chain, "5000": AnchorSpec((0.0, 0.0))}, FLAT)
    assert close(marks["0"], (0, 5000))
    ring = {"a": AnchorSpec(base="b"), "b": AnchorSpec(base="c"), "c": AnchorSpec(base="a")}
    looks = {"d": AnchorSpec((0.0, 0.0), face="e"), "e": AnchorSpec(base="d", forward_m=2)}
    found = marks_of({**ring, **looks, "f": AnchorSpec(base="nowhere"), "g": AnchorSpec(base="g")}, FLAT)
    assert {"d", "e"} <= set(found) and not {"f", "g"} & set(found)


def test_anchors_that_depend_on_the_shot() -> None:
    anchors = {
        **LAST,
        "mat": AnchorSpec(base="door"),
        "well": AnchorSpec((4.0, 9.0)),
        "by": AnchorSpec(base="well"),
    }
    assert set(moving(anchors)) == {"on", "turned", "door", "mat"}
    still = marks_of(anchors, FLAT)
    assert close(still["by"], (4, 9)) and close(still["door"], (0, 3)) and "on" not in still
    now = marks_of(moving(anchors), FLAT, {**still, LAST_SHOT: Mark((1.0, 3.0), math.pi / 2)})
    assert close(now["on"], (3, 3), 90) and close(now["door"], (0, 3), 90) and close(now["mat"], (0, 3), 90)
    assert set(now) == set(anchors)


LAST = {
    "on": AnchorSpec(base="last_shot", forward_m=2),
    "turned": AnchorSpec(base="last_shot", left_m=1, face=0.0),
    "door": AnchorSpec((0.0, 3.0), face="on"),
}


def test_last_shot_is_where_the_one_who_acted_ended() -> None:
    two = {"mira": CharacterSpec({}, HEIGHT_M), "tom": CharacterSpec({}, 1.8)}
    for cut in (True, False):
        shots = tuple(
            plan(
                screenplay(
                    shot("a", "walks to the left", 5),
                    shot("b", "waves", character="tom", anchor="on", cut=cut),
                    shot("c", "nods", anchor="turned", cut=True),
                    shot("d", "nods", anchor="door", cut=True),
                    anchors=LAST, characters=two,
                )
            ).shots()
        )  # fmt: skip
        mira, tom = shots[0].subjects[0], shots[1].subjects[0]
        end = planned(shot("a", "walks to the left", 5), shot("b", ""))[1].subjects[0]
        yaw = end.yaw_rad[0]
        assert math.degrees(mira.yaw_rad[-1]) == pytest.approx(90, abs=1)
        ahead = end.root[0] + 2 * np.array([math.sin(yaw), 0, math.cos(yaw)])
        np.testing.assert_allclose(tom.root[0], ahead, atol=1e-9)
        assert tom.yaw_rad[0] == pytest.approx(yaw)
        beside = tom.root[-1] + [math.cos(yaw), 0, -math.sin(yaw)]
        np.testing.assert_allclose(shots[2].subjects[0].root[0], beside, atol=1e-9)
        assert shots[2].subjects[0].yaw_rad[0] == 0
        goal = shots[2].subjects[0].root[0] + [0, 0, 2]
        away = goal - [0, 0, 3]
        assert shots[3].subjects[0].yaw_rad[0] == pytest.approx(math.atan2(away[0], away[2]))


def test_commands_go_to_relative_anchors() -> None:
    anchors = {"door": AnchorSpec((0.0, 3.0)), "mat": AnchorSpec(base="door", left_m=1.5)}
    (item,) = plan(screenplay(shot("a", "walks to the mat", 6), anchors=anchors)).shots()
    np.testing.assert_allclose(item.subjects[0].root[-1], [1.5, 0, 3], atol=0.01)
    there = {"start": AnchorSpec(base="last_shot", forward_m=-3)}
    _, back = plan(screenplay(shot("a", "waves"), shot("b", "walks to the start", 6), anchors=there)).shots()
    np.testing.assert_allclose(back.subjects[0].root[-1], [0, 0, -3], atol=0.01)


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (shot("a", "", anchor="on"), "E148"), (shot("a", "walks to the on", 4), "E148"),
        (shot("a", "", anchor="door"), "E148"), (shot("a", "walks to the edge", 4), "E144"),
        (shot("a", "", anchor="post"), "E144"), (shot("a", "", anchor="by"), "E144"),
    ],
)  # fmt: skip
def test_anchors_without_a_place(made: ShotSpec, code: str) -> None:
    anchors = {
        **LAST, "edge": AnchorSpec(box=(0.2, 0.2, 0.4, 0.9)), "post": AnchorSpec((1.0, 1.0), face="edge"),
        "by": AnchorSpec(base="edge", left_m=1),
    }  # fmt: skip
    with pytest.raises(AnixError) as caught:
        plan(screenplay(made, anchors=anchors))
    assert codes(caught.value) == [code]


def test_unused_anchors_out_of_the_scene_are_told() -> None:
    anchors = {
        "far": AnchorSpec((90.0, 0.0)), "up": AnchorSpec((1.0, 12.0, 0.0)), "sun": AnchorSpec((80.0, 0.0)),
        "door": AnchorSpec((0.0, 3.0), face="sun"), "next": AnchorSpec(base="far", forward_m=1),
    }  # fmt: skip
    made = plan(screenplay(shot("a", "", anchor="door"), anchors=anchors), on=stage(reach_m=20))
    assert [(note.code, re.findall("“(.*?)”", note.message)[0]) for note in made.notes] == [
        ("W213", "up"), ("W213", "next"),
    ]  # fmt: skip


def test_an_anchor_that_faces_its_own_place_is_told() -> None:
    anchors = {"door": AnchorSpec((0.0, 3.0), face="mat"), "mat": AnchorSpec(base="door")}
    with pytest.raises(AnixError) as caught:
        plan(screenplay(shot("a", "", anchor="door"), anchors=anchors))
    assert codes(caught.value) == ["E129"]


@pytest.mark.parametrize("camera", [CameraSpec("stationary"), CameraSpec("stationary", "gate")])
def test_a_gesture_makes_no_one_taller(camera: CameraSpec) -> None:
    rest, waves = (
        next(boxed((0.4, 0.4, 0.5, 0.8), camera=camera, cameras={"gate": GATE}, command=command).shots())
        for command in ("", "waves")
    )
    np.testing.assert_allclose(waves.world_from_camera[0], rest.world_from_camera[0])
    np.testing.assert_allclose(waves.subjects[0].root[0], rest.subjects[0].root[0])
    assert waves.subjects[0].box_px[0, 1] < rest.subjects[0].box_px[0, 1] - 5


def shares(item: PlannedShot) -> tuple[float, float, float]:
    """Foot (x, y) and height of the planned box at the first frame, as shares of the picture."""
    x0, y0, x1, y1 = item.subjects[0].box_px[0]
    return (x0 + x1) / 2 / 832, y1 / 480, (y1 - y0) / 480


def boxed(box: tuple[float, float, float, float], *, on: Stage | None = None, **more: Any) -> Plan:
    face = more.pop("face", None)
    command = more.pop("command", "")
    cameras = more.pop("cameras", {})
    one = shot("a", command, 3, anchor="edge", **more)
    anchors = {"edge": AnchorSpec(box=box, face=face), "door": AnchorSpec((0.0, 3.0))}
    return plan(screenplay(one, anchors=anchors, cameras=cameras), on=on)


BOXES = [(0.1, 0.3, 0.25, 0.95), (0.6, 0.05, 0.9, 0.98), (0.45, 0.4, 0.55, 0.6), (0.8, 0.6, 0.9, 0.75)]


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("move", ["stationary", "follow", "orbit", "crane"])
@pytest.mark.parametrize("command", ["", "walks forward"])
def test_a_box_composes_the_camera(box: tuple[float, float, float, float], move: str, command: str) -> None:
    made = boxed(box, camera=CameraSpec(move), command=command)
    (item,) = made.shots()
    x, y, height = shares(item)
    assert (x, y, height) == pytest.approx(((box[0] + box[2]) / 2, box[3], box[3] - box[1]), abs=1e-3)
    assert not {note.code for note in made.notes} - {"W207", "W208"}  # it may walk off, or be far away
    np.testing.assert_allclose(item.subjects[0].root[0], 0, atol=1e-9)
    if move == "follow" or (move == "orbit" and not command):  # and it stays there as the camera moves
        boxes = item.subjects[0].box_px
        middles = (boxes[:, 0] + boxes[:, 2]) / 2 / 832
        assert np.ptp(middles) < 0.05 and (command or np.ptp(boxes[:, 3]) / 480 < 0.08)


def test_a_box_keeps_the_written_side_and_lens_and_overrides_the_frame() -> None:
    for frame, distance in ((None, None), ("close", None), (None, 9.0)):
        camera = CameraSpec("stationary", side="left", lens_mm=70, frame=frame, distance_m=distance)
        (item,) = boxed(BOXES[0], camera=camera, face=90.0).shots()
        assert shares(item) == pytest.approx((0.175, 0.95, 0.65), abs=1e-3)
        eye = item.world_from_camera[0, :3, 3]
        assert abs(eye[0]) < 1e-6 and eye[2] < 0  # it faces +X, so that its left is −Z
        assert item.subjects[0].yaw_rad[0] == pytest.approx(math.pi / 2)


def test_a_box_finds_the_character_where_it_was() -> None:
    anchors = {"edge": AnchorSpec(box=BOXES[0], face="door"), "door": AnchorSpec((9.0, 9.0))}
    run, item = plan(
        screenplay(shot("a", "runs", 3), shot("b", "", cut=True, anchor="edge"), anchors=anchors)
    ).shots()
    end = planned(shot("a", "runs", 3), shot("b", "", cut=True))[1].subjects[0].root[0]
    np.testing.assert_allclose(item.subjects[0].root[0], end)
    assert item.subjects[0].yaw_rad[0] == pytest.approx(math.atan2(9, 9 - end[2]))
    assert shares(item) == pytest.approx((0.175, 0.95, 0.65), abs=1e-3) and run.frames == 48


def test_a_still_camera_keeps_a_box_through_the_take() -> None:
    anchors = {"edge": AnchorSpec(box=BOXES[0])}
    a, b = plan(screenplay(shot("a", "waves", anchor="edge"), shot("b", "nods"), anchors=anchors)).shots()
    np.testing.assert_allclose(b.world_from_camera, a.world_from_camera, atol=1e-6)


VIEWS = st.tuples(
    st.floats(-8, 8), st.floats(0.4, 6), st.floats(-8, 8), st.floats(-4, 4), st.floats(0, 2), st.floats(-4, 4)
)


def box_of(view: PlacementSpec, xz: tuple[float, float], yaw: float, ground: HeightMap) -> np.ndarray:
    """The box of a body that stands there, as shares of the picture."""
    made = plan(
        screenplay(
            shot("a", "", anchor="there", camera=CameraSpec("stationary", "view")),
            anchors={"there": AnchorSpec(xz, face=yaw)}, cameras={"view": view},
        ),
        on=stage(ground, reach_m=40),
    )  # fmt: skip
    return next(made.shots()).subjects[0].box_px[0] / [832, 480, 832, 480]


@given(VIEWS, st.floats(-6, 6), st.floats(-6, 6), st.floats(-180, 180), st.sampled_from([FLAT, SLOPE]))
@settings(max_examples=60, deadline=None)
def test_a_box_seen_from_a_named_camera_is_a_place(
    view: tuple[float, ...], x: float, z: float, yaw: float, ground: HeightMap
) -> None:
    ex, ey, ez, lx, ly, lz = view
    assume(math.dist((ex, ez), (x, z)) > 1.5 and math.dist((ex, ez), (lx, lz)) > 1)
    ey += float(ground.at((ex, ez)))
    placed = PlacementSpec((ex, ey, ez), (lx, ly + float(ground.at((lx, lz))), lz))
    box = box_of(placed, (x, z), yaw, ground)
    assume((box[[0, 1]] >= 0).all() and (box[[2, 3]] <= 1).all() and box[3] > box[1])
    made = boxed(
        (float(box[0]), float(box[1]), float(box[2]), float(box[3])), face=yaw,
        camera=CameraSpec("stationary", "view"), cameras={"view": placed}, on=stage(ground, reach_m=40),
    )  # fmt: skip
    (item,) = made.shots()
    np.testing.assert_allclose(item.subjects[0].root[0, [0, 2]], [x, z], atol=0.05)
    assert not made.notes
    assert item.subjects[0].yaw_rad[0] == pytest.approx(math.radians(yaw))


GATE = PlacementSpec((0.0, 1.6, -6.0), (0.0, 1.0, 3.0))
AT_GATE = {"camera": CameraSpec("stationary", "gate"), "cameras": {"gate": GATE}}


@pytest.mark.parametrize("move", ["stationary", "orbit", "follow", "crane"])
def test_a_place_in_a_box_holds_for_every_move_and_faces_an_anchor(move: str) -> None:
    box = tuple(box_of(GATE, (1.5, 1.0), math.degrees(math.atan2(-1.5, 2.0)), FLAT).tolist())
    made = boxed(box, face="door", camera=CameraSpec(move, "gate"), cameras={"gate": GATE})  # type: ignore[arg-type]
    (item,) = made.shots()
    np.testing.assert_allclose(item.subjects[0].root[0], [1.5, 0, 1], atol=0.01)
    assert item.subjects[0].yaw_rad[0] == pytest.approx(math.atan2(-1.5, 2), abs=0.01)
    assert not made.notes


def test_a_box_of_another_height_is_told_with_one_that_fits() -> None:
    x0, y0, x1, y1 = box_of(GATE, (1.5, 1.0), 0.0, FLAT)
    made = boxed((x0, y1 - 2 * (y1 - y0), x1, y1), **AT_GATE)
    (note,) = made.notes
    assert note.code == "W212" and f"mira is {y1 - y0:.2f} high" in note.message
    fits = [float(value) for value in re.findall(r"[0-9.]+", (note.hint or "").split("[")[1].split("]")[0])]
    assert fits == pytest.approx([x0, y0, x1, y1], abs=0.011)
    assert not boxed((fits[0], fits[1], fits[2], fits[3]), **AT_GATE).notes


def test_a_box_that_stands_on_no_ground_is_as_far_away_as_its_height_says() -> None:
    made = boxed((0.45, 0.1, 0.55, 0.3), **AT_GATE)
    (item,) = made.shots()
    assert shares(item)[2] == pytest.approx(0.2, abs=0.005)
    assert [note.code for note in made.notes] == ["W212"] and "its feet are lower" in made.notes[0].message


def test_a_box_so_small_that_the_camera_leaves_the_scene_is_told() -> None:
    made = boxed((0.5, 0.5, 0.501, 0.502), on=stage(reach_m=10))
    assert [note.code for note in made.notes] == ["W214"] and "For the box" in made.notes[0].message


@pytest.mark.parametrize(
    ("box", "camera"),
    [
        ((0.45, 0.1, 0.46, 0.101), GATE), ((0.4, 0.1, 0.6, 0.9), replace(GATE, look_at=None)),
        ((0.4, 0.1, 0.6, 0.9), replace(GATE, look_at="mira")),
        ((0.4, 0.1, 0.6, 0.9), replace(GATE, look_at=(0.0, 40.0, -5.0))),
    ],
)  # fmt: skip
def test_boxes_that_show_no_place(box: tuple[float, float, float, float], camera: PlacementSpec) -> None:
    with pytest.raises(AnixError) as caught:
        boxed(box, camera=CameraSpec("stationary", "gate"), cameras={"gate": camera}, on=stage(reach_m=20))
    assert codes(caught.value) == ["E216"]


def test_the_box_of_the_plan_is_that_of_the_body() -> None:
    (item,) = boxed(BOXES[1]).shots()
    subject = item.subjects[0]
    box, _ = project_boxes(
        subject.root[:1], subject.yaw_rad[:1], room_of(Size(), np.zeros(1), np.zeros(1)),
        world_from_camera=item.world_from_camera[:1], intrinsics=item.intrinsics[:1], size_px=(832, 480),
    )  # fmt: skip
    np.testing.assert_allclose(box[0], subject.box_px[0])


def test_one_may_face_where_the_last_shot_ended() -> None:
    anchors = {"start": AnchorSpec((2.0, 5.0)), "here": AnchorSpec((0.0, 1.0), face=LAST_SHOT)}
    shots = shot("a", "", 1, anchor="start"), shot("b", "", 1, anchor="here", cut=True)
    first, second = plan(replace(screenplay(*shots), anchors=anchors)).shots()
    there, here = first.subjects[0].root[-1], second.subjects[0].root[0]
    facing = math.atan2(there[0] - here[0], there[2] - here[2])
    assert abs(facing - second.subjects[0].yaw_rad[0]) < 1e-9
