"""What models are shown of a movement: skeletons as annotators draw them, joints in the picture, depth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scenery
from hypothesis import given
from hypothesis import strategies as st

from anix_cli.character.skeleton import JOINTS
from anix_cli.core.camera import look_at, project
from anix_cli.core.plan import Gesture
from anix_cli.generate.motion.depths import as_picture, depths
from anix_cli.generate.motion.poses import pose
from anix_cli.generate.motion.stickman import COLOURS, LIMBS, VACE, WAN_ANIMATE, draw
from anix_cli.generate.performing import Troupe

SIZE = (832, 480)


def person():
    """Joints [20, 2] of somebody who fills the picture, none near another's limb."""
    points = np.full((20, 2), np.nan)
    for name, at in {
        "neck": (416, 100), "nose": (416, 60), "right_shoulder": (340, 110), "right_elbow": (300, 200),
        "right_wrist": (280, 290), "left_shoulder": (492, 110), "left_elbow": (540, 200),
        "left_wrist": (560, 290), "right_hip": (370, 280), "right_knee": (365, 360),
        "right_ankle": (360, 440), "left_hip": (462, 280), "left_knee": (467, 360),
        "left_ankle": (472, 440), "left_toe": (500, 450),
    }.items():  # fmt: skip
        points[JOINTS.index(name)] = at
    return points


def middle(points, limb):
    return ((points[LIMBS[limb][0]] + points[LIMBS[limb][1]]) / 2).astype(int)


@pytest.mark.parametrize("limb", [0, 1, 2, 3, 4, 5, 6, 9, 12])
def test_limbs_have_their_hue_blue_first_for_vace_and_red_first_for_wan_animate(limb):
    points = person()
    x, y = middle(points, limb)
    dim = [int(value * 0.6) for value in COLOURS[limb]]
    assert draw([points], SIZE, VACE)[y, x].tolist() == pytest.approx(dim[::-1], abs=2)
    assert draw([points], SIZE, WAN_ANIMATE)[y, x].tolist() == dim


def test_joints_lie_over_limbs_in_full_colour():
    points = person()
    for index in np.flatnonzero(np.isfinite(points[:18]).all(axis=1)):
        x, y = points[index].astype(int)
        assert draw([points], SIZE, WAN_ANIMATE)[y, x].tolist() == list(COLOURS[index])
        patch = draw([points], SIZE, VACE)[y - 1 : y + 2, x - 1 : x + 2].reshape(-1, 3)
        assert np.abs(patch - np.array(COLOURS[index][::-1])).sum(axis=1).min() <= 30


def test_toes_are_wan_animates_alone():
    points = person()
    x, y = middle(points, 17)
    assert draw([points], SIZE, VACE)[y, x].tolist() == [0, 0, 0]
    assert draw([points], SIZE, WAN_ANIMATE)[y, x].tolist() == [153, 0, 51]


def test_a_joint_that_was_not_found_takes_its_limbs_along():
    points = person()
    points[JOINTS.index("left_knee")] = np.nan
    picture = draw([points], SIZE, VACE)
    for limb in (10, 11):
        x, y = middle(person(), limb)
        assert not picture[y, x].any()
    x, y = middle(points, 9)
    assert picture[y, x].any()


@pytest.mark.parametrize(("size", "wide"), [((832, 480), 3.75), ((1280, 720), 5.6), ((480, 832), 3.75)])
def test_vaces_limbs_are_eight_of_1024_wide(size, wide):
    points = np.full((20, 2), np.nan)
    points[1], points[8] = (size[0] / 2, 60), (size[0] / 2, size[1] - 60)
    row = draw([points], size, VACE)[size[1] // 2].astype(float).max(axis=1)
    assert row.sum() / row.max() == pytest.approx(wide, abs=1.0)


@pytest.mark.parametrize(("size", "wide"), [((832, 480), 3), ((1280, 720), 5), ((96, 64), 3)])
def test_wan_animates_limbs_are_as_wide_as_its_annotator_makes_them(size, wide):
    points = np.full((20, 2), np.nan)
    points[1], points[8] = (size[0] / 2, 6), (size[0] / 2, size[1] - 6)
    row = draw([points], size, WAN_ANIMATE)[size[1] // 2]
    assert int(row.any(axis=1).sum()) == wide


@given(st.lists(st.floats(-1e4, 1e4), min_size=40, max_size=40), st.sampled_from([VACE, WAN_ANIMATE]))
def test_anything_can_be_drawn(values, hand):
    picture = draw([np.array(values).reshape(20, 2)], (96, 64), hand)
    assert picture.shape == (64, 96, 3) and picture.dtype == np.uint8


def test_nobody_is_black():
    assert not draw([], SIZE, VACE).any() and not draw([np.full((20, 2), np.nan)], SIZE, VACE).any()


# Joints that the camera sees

CAMERA = look_at((0, 1.2, 4.0), (0, 0.8, 0))


def asked(count=6, *, boxes=(), gestures=(), camera=CAMERA, **more):
    root = np.stack([np.linspace(-0.4, 0.4, count), np.zeros(count), np.zeros(count)], axis=1)
    who = scenery.subject(root, yaw=more.pop("yaw", 0.0), speed=1.4, phase=np.arange(count) / 8)
    who = replace(who, gestures=tuple(gestures))
    return scenery.request([who], [camera] * count, boxes=boxes, **more), who


def test_joints_are_where_the_camera_sees_them():
    request, who = asked()
    found = pose(request, who, Troupe())
    assert found.told.all() and found.why == ""
    known = dict(zip(JOINTS, found.joints_px[3], strict=True))
    assert known["left_shoulder"][0] > known["right_shoulder"][0]  # it faces the camera
    assert known["nose"][1] < known["neck"][1] < known["left_hip"][1] < known["left_ankle"][1]
    foot, _ = project(who.root[3], CAMERA, scenery.K)
    assert abs((known["left_ankle"][1] + known["right_ankle"][1]) / 2 - foot[1]) < 12


def test_what_the_scene_covers_is_not_seen():
    wall = ((-2.0, 0.0, 1.0), (2.0, 0.55, 1.2), (150, 90, 60))
    free, covered = (pose(*asked(boxes=boxes), Troupe()).joints_px for boxes in ((), (wall,)))
    ankles = [JOINTS.index(f"{side}_ankle") for side in ("left", "right")]
    assert np.isfinite(free[:, ankles]).all() and np.isnan(covered[:, ankles]).all()
    high = JOINTS.index("neck")
    np.testing.assert_array_equal(covered[:, high], free[:, high])


def test_a_wall_behind_hides_nothing():
    wall = ((-2.0, 0.0, -0.9), (2.0, 2.5, -0.8), (150, 90, 60))
    assert np.isfinite(pose(*asked(boxes=(wall,)), Troupe()).joints_px[:, :14]).all()


def test_what_is_beside_the_picture_or_behind_the_camera_is_not_seen():
    near = look_at((0, 1.5, 0.9), (0, 1.5, 0))
    found = pose(*asked(camera=near), Troupe()).joints_px
    assert np.isfinite(found[3, JOINTS.index("neck")]).all()
    assert np.isnan(found[3, JOINTS.index("left_ankle")]).all()
    away = look_at((0, 1.2, 4.0), (0, 0.8, 8))
    assert np.isnan(pose(*asked(camera=away), Troupe()).joints_px).all()


def test_words_are_left_to_tell_what_a_rig_cannot_show():
    juggling = Gesture("shake_hips", 2, 3)
    found = pose(*asked(gestures=[juggling, Gesture("wave", 0, 6, "left")]), Troupe())
    assert found.told.tolist() == [True, True, False, False, False, True]
    assert found.why == "its rig cannot shake hips"
    assert np.isnan(found.joints_px[2:5]).all()


# Depth


def test_depth_is_inverse_and_spans_the_frame():
    row = np.array([[1.0, 2.0, 4.0, np.inf]], np.float32).repeat(4, axis=0)
    assert as_picture(row)[0].tolist() == [255, 127, 63, 0]
    assert not as_picture(np.full((4, 4), 3.0, np.float32)).any()
    assert not as_picture(np.full((4, 4), np.inf, np.float32)).any()


def test_the_body_is_in_the_depth_before_the_scene_and_behind_what_covers_it():
    wall = ((-2.0, 0.0, 1.0), (2.0, 0.55, 1.2), (150, 90, 60))
    request, who = asked(2, boxes=(wall,))
    found = depths(request, who, Troupe())
    assert found.shape == request.guide.shape and found.dtype == np.uint8
    (x, y), away = project(who.root[0] + (0, 1.2, 0), CAMERA, scenery.K)
    (u, v), _ = project(who.root[0] + (0, 0.3, 0), CAMERA, scenery.K)
    alone = as_picture(request.depth[0])
    assert found[0, int(y), int(x), 0] > alone[int(y), int(x)]
    inverse = 1 / request.depth[0]
    expected = (1 / away - inverse.min()) / (np.quantile(inverse, 0.998) - inverse.min()) * 255
    assert found[0, int(y), int(x), 0] == pytest.approx(expected, abs=12)
    assert found[0, int(v), int(u), 0] == pytest.approx(alone[int(v), int(u)], abs=2)


def test_a_subject_out_of_the_picture_leaves_the_scenes_depth():
    request, who = asked(2)
    found = depths(request, replace(who, visible=np.zeros(2, bool)), Troupe())
    np.testing.assert_array_equal(found[1, ..., 0], as_picture(request.depth[1]))
