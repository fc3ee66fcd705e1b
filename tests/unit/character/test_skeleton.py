"""Joints of bodies: where they are known to be, and that they go where the body goes."""

from __future__ import annotations

import math
from dataclasses import replace

import figure
import glb
import numpy as np
import pytest

from anix_cli.character import hull
from anix_cli.character.body import CarvedBody
from anix_cli.character.gestures import Act
from anix_cli.character.models.body import ModelBody
from anix_cli.character.models.figure import stand
from anix_cli.character.models.read import read_model
from anix_cli.character.moment import Moment
from anix_cli.character.pose import rig
from anix_cli.character.skeleton import JOINTS, face_points

ROOT = np.array([2.0, 0.35, -1.0])


@pytest.fixture(scope="module")
def carved():
    return CarvedBody(rig(hull(figure.views(), figure.HEIGHT_M)))


@pytest.fixture(scope="module")
def person(tmp_path_factory):
    return ModelBody(
        stand(read_model(glb.person()[0].write(tmp_path_factory.mktemp("m") / "p.glb")), 1.7), 3000
    )


@pytest.fixture(params=["carved", "person"])
def body(request):
    return request.getfixturevalue(request.param)


def joints(body, **more):
    now = Moment(ROOT, **{"yaw_rad": 0.0, **more})
    return dict(zip(JOINTS, body.skeleton(now).points, strict=True)), body.at(now)


def nearest(points, point):
    return float(np.linalg.norm(points - point, axis=1).min())


def test_a_standing_body_is_in_order(body):
    found, _ = joints(body)
    height = {name: point[1] - ROOT[1] for name, point in found.items()}
    for side in ("left", "right"):
        order = ["shoulder", "elbow", "wrist", "knee", "ankle"]
        levels = [height[f"{side}_{part}"] for part in order]
        assert levels == sorted(levels, reverse=True)
        assert height[f"{side}_hip"] > height[f"{side}_knee"]
        out = 1 if side == "left" else -1
        for part in ("shoulder", "elbow", "wrist", "hip", "knee", "ankle"):
            assert out * (found[f"{side}_{part}"][0] - ROOT[0]) > 0, part
    np.testing.assert_allclose(
        found["neck"], (found["left_shoulder"] + found["right_shoulder"]) / 2, atol=1e-5
    )


def test_a_face_is_before_the_head_and_the_left_eye_on_the_left(carved):
    found, _ = joints(carved)
    assert found["nose"][2] > found["left_eye"][2] > found["left_ear"][2]
    assert found["left_ear"][0] > found["left_eye"][0] > found["nose"][0] > found["right_eye"][0]
    assert found["left_eye"][1] > found["nose"][1] > found["neck"][1]


@pytest.mark.parametrize("yaw", [math.pi / 2, math.pi, -1.0])
def test_joints_turn_with_the_body(body, yaw):
    before, after = joints(body)[0], joints(body, yaw_rad=yaw)[0]
    c, s = math.cos(yaw), math.sin(yaw)
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    for name, point in before.items():
        if np.isfinite(point).all():
            np.testing.assert_allclose(after[name], turn @ (point - ROOT) + ROOT, atol=1e-4)


@pytest.mark.parametrize(("speed", "phase"), [(1.4, 0.3), (1.4, 1.6), (4.0, 0.8)])
def test_joints_stay_inside_of_the_body_that_moves(body, speed, phase):
    still, at_rest = joints(body)
    moving, posed = joints(body, speed_mps=speed, gait_phase=phase)
    moved = {name for name in JOINTS if np.linalg.norm(moving[name] - still[name]) > 0.05}
    assert {"left_knee", "left_ankle", "right_knee", "right_ankle"} <= moved | {"left_knee", "right_knee"}
    for name in ("knee", "ankle", "elbow", "wrist"):
        for side in ("left", "right"):
            joint = f"{side}_{name}"
            rest = nearest(at_rest.means, still[joint])
            assert nearest(posed.means, moving[joint]) < rest + 0.035, joint


def test_bones_keep_their_lengths(carved):
    still, _ = joints(carved)
    moving, _ = joints(carved, speed_mps=3.0, gait_phase=0.7, acts=(Act("wave", 1.0, 3.0, "left"),))
    for side in ("left", "right"):
        for a, b in (("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle")):
            first, second = (
                np.linalg.norm(each[f"{side}_{a}"] - each[f"{side}_{b}"]) for each in (still, moving)
            )
            assert second == pytest.approx(first, abs=0.02)


def test_who_waves_raises_the_wrist_of_that_side(body):
    still, _ = joints(body)
    waving, _ = joints(body, acts=(Act("wave", 1.5, 3.0, "right"),))
    assert waving["right_wrist"][1] > still["right_shoulder"][1]
    assert waving["left_wrist"][1] == pytest.approx(still["left_wrist"][1], abs=0.02)


def test_a_jump_lifts_all_of_it(body):
    still, jumping = joints(body)[0], joints(body, lift_m=0.4)[0]
    for name in ("neck", "left_hip", "right_ankle"):
        assert jumping[name][1] - still[name][1] == pytest.approx(0.4, abs=0.02)


def test_what_can_be_seen_on_a_body(body):
    assert body.shows("wave") and not body.shows("juggle")
    assert body.shows("listen")  # nothing but a body that stands is to be seen of it


def test_a_body_without_arms_shows_no_gesture_of_arms(carved):
    bare = CarvedBody(replace(carved.rig, arms=(None, None)))
    assert not bare.shows("wave") and not bare.shows("clap")
    assert bare.shows("bow") and bare.shows("sit")
    found = dict(zip(JOINTS, bare.skeleton(Moment(ROOT, 0.0)).points, strict=True))
    assert np.isnan(found["left_wrist"]).all() and np.isfinite(found["neck"]).all()


def test_a_body_without_limbs_has_no_skeleton(tmp_path):
    box = ModelBody(stand(read_model(glb.cube(tmp_path / "cube.glb")), 1.0), 500)
    assert box.skeleton(Moment(ROOT, 0.0)) is None and box.head is None


def test_a_head_that_is_not_there_has_no_face():
    assert np.isnan(face_points(np.zeros((3, 3)))).all()
