"""Sides of the picture and of the stage, and the camera, as ways to go: checked in the picture itself."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from plan_films import codes, plan, screenplay, shot

from anix_cli.core.errors import AnixError
from anix_cli.core.plan import Beat, PlannedShot
from anix_cli.core.screenplay import CameraSpec, PlacementSpec
from anix_cli.plan.picture import asks, marks_in

STATIC = CameraSpec("stationary")


def filmed(*shots: Any) -> list[PlannedShot]:
    return list(plan(screenplay(*shots)).shots())


def way(planned: PlannedShot) -> tuple[float, float]:
    """How far the character went to the right of the picture and away from the camera, metres, by the pose of
    the first frame."""
    pose, root = planned.world_from_camera[0], planned.subjects[0].root
    moved = root[-1] - root[0]
    forward = np.array([pose[0, 2], 0.0, pose[2, 2]])
    return float(pose[:3, 0] @ moved), float(forward @ moved / np.linalg.norm(forward))


@pytest.mark.parametrize("camera", [STATIC, CameraSpec("follow"), CameraSpec("orbit", degrees=90.0)])
@pytest.mark.parametrize("anchor", [None, "door"])
@pytest.mark.parametrize(
    ("command", "right", "away"),
    [
        ("walks to screen left", -1, 0), ("walks three metres to screen right", 1, 0),
        ("exits frame left", -1, 0), ("exits stage left", 1, 0), ("walks to stage right", -1, 0),
        ("steps camera right", 1, 0), ("walks upstage", 0, 1), ("runs downstage", 0, -1),
        ("walks downstage left", 0.7071, -0.7071), ("exits upstage right", -0.7071, 0.7071),
    ],
)  # fmt: skip
def test_goes_to_a_side_of_the_picture(
    command: str, right: int, away: int, anchor: str | None, camera: CameraSpec
) -> None:
    (planned,) = filmed(shot("a", command, 3, camera=camera, anchor=anchor))
    across, depth = way(planned)
    length = math.hypot(across, depth)
    assert length > 0.5
    # The turn on the way bends the path; where it ends up it goes the way that was said.
    assert (across * right + depth * away) / length > 0.8
    if "three metres" in command:
        assert length == pytest.approx(3.0, abs=0.7)


def test_steps_to_the_side_keep_facing() -> None:
    (planned,) = filmed(shot("a", "steps two steps to screen left", 3, camera=STATIC))
    yaw = planned.subjects[0].yaw_rad
    assert np.ptp(yaw) < 1e-9 and way(planned)[0] < -0.9


def test_walks_up_to_the_camera_and_stops_before_it() -> None:
    (planned,) = filmed(
        shot("a", "turns around, then walks towards the camera", 6, camera=STATIC, anchor="door")
    )
    eye, root = planned.world_from_camera[0][:3, 3], planned.subjects[0].root
    apart = np.linalg.norm((root - eye)[:, [0, 2]], axis=1)
    assert apart[-1] == pytest.approx(1.2, abs=0.1) and apart[0] > 2
    (planned,) = filmed(shot("a", "walks away from the camera", 3, camera=STATIC))
    assert way(planned)[1] > 1


def test_faces_the_camera() -> None:
    (planned,) = filmed(shot("a", "turns to face the camera", 2, camera=STATIC, anchor="door"))
    pose, one = planned.world_from_camera[-1], planned.subjects[0]
    to_camera = (pose[:3, 3] - one.root[-1])[[0, 2]]
    facing = np.array([math.sin(one.yaw_rad[-1]), math.cos(one.yaw_rad[-1])])
    assert facing @ to_camera / np.linalg.norm(to_camera) == pytest.approx(1.0, abs=1e-3)
    (planned,) = filmed(shot("a", "turns to screen left", 2, camera=STATIC))
    pose, one = planned.world_from_camera[0], planned.subjects[0]
    facing = np.array([math.sin(one.yaw_rad[-1]), math.cos(one.yaw_rad[-1])])
    assert facing @ pose[[0, 2], 0] == pytest.approx(-1.0, abs=1e-3)


def test_the_side_is_that_of_the_moment() -> None:
    """In a take that goes on the camera stands where the shot before left it."""
    first, second = filmed(
        shot("a", "walks forward", 3, camera=CameraSpec("orbit", degrees=180.0), anchor="door"),
        shot("b", "walks to screen left", 3, camera=STATIC),
    )
    assert np.allclose(first.world_from_camera[-1], second.world_from_camera[0], atol=0.2)
    across, depth = way(second)
    assert -across / math.hypot(across, depth) > 0.7


def test_no_side_where_the_camera_looks_straight_down() -> None:
    down = np.eye(4)
    down[:3, 1], down[:3, 2] = (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)
    upstage, left = Beat("locomotion", "walk", "upstage"), Beat("locomotion", "walk", "screen_left")
    found, troubles = marks_in(down, [upstage, left], {})
    assert set(found) == {"screen_left"} and [trouble.code for trouble in troubles] == ["E206"]
    assert "upstage" in troubles[0].message and troubles[0].hint


def test_only_those_who_go_somewhere_ask_for_the_picture() -> None:
    assert not asks([Beat("gesture", "look", "screen_left"), Beat("locomotion", "walk", "left")])
    assert asks([Beat("locomotion", "walk", "toward", target="camera")])


def test_an_anchor_called_camera_comes_before_the_camera() -> None:
    from plan_films import ANCHORS

    from anix_cli.core.screenplay import AnchorSpec

    anchors = {**ANCHORS, "camera": AnchorSpec((0.0, 6.0))}
    play = screenplay(shot("a", "walks to the camera", 6, camera=STATIC), anchors=anchors)
    (planned,) = plan(play).shots()
    assert planned.subjects[0].root[-1][[0, 2]] == pytest.approx([0.0, 6.0], abs=0.05)
    assert planned.frames == 6 * Fraction(16)


def test_a_film_says_so_at_the_command() -> None:
    above = {"above": PlacementSpec((0.0, 8.0, 0.0), look_at=(0.0, 0.0, 0.0))}
    item = shot("a", "walks upstage", camera=CameraSpec("stationary", placement="above"))
    with pytest.raises(AnixError) as caught:
        plan(screenplay(item, cameras=above))
    assert codes(caught.value) == ["E206"]
