"""Skeletons and depths where wan-vace draws, as they reach its pipeline; what the scene has before a body."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import staged
from staged import SIZE, arrays, asked, made, walker

from anix_cli.core.clip import Cast
from anix_cli.core.plan import Gesture
from anix_cli.generate.diffusion.regions import covered, passes, whole_patches
from anix_cli.generate.motion.depths import depths
from anix_cli.generate.motion.poses import pose
from anix_cli.generate.motion.stickman import VACE, draw
from anix_cli.generate.performing import Troupe
from anix_cli.generate.vace.conditions import conditions
from anix_cli.generate.vace.motion import control

sys.path.insert(0, str(Path(__file__).parents[1] / "character"))
import glb

WALL = ((-2.0, 0.0, 2.0), (2.0, 1.1, 2.2), (150, 90, 60))
"""Nearer than the walker, up to the hips as the camera sees it."""


def put(request, motion):
    told, notes = control(motion, request, request.blocking[0], Troupe())
    region = passes(request)[0][1]
    return conditions(request, request.guide, region, 5, told), notes


def test_a_skeleton_stands_where_it_draws_and_nowhere_else():
    request = asked()
    made, notes = put(request, "pose")
    plain, _ = put(request, "text")
    np.testing.assert_array_equal(made.mask, plain.mask)
    posed = pose(request, request.blocking[0], Troupe())
    new, inside = slice(5, 13), made.mask[5:13] == 255
    drawn = np.stack([draw([joints], SIZE, VACE) for joints in posed.joints_px])
    np.testing.assert_array_equal(made.video[new][inside], drawn[new][inside])
    np.testing.assert_array_equal(made.video[new][~inside], request.guide[new][~inside])
    np.testing.assert_array_equal(made.video[:5], request.tail)
    assert made.video[new][inside].max() > 100 and (made.video[new][inside] == 0).mean() > 0.5
    assert notes == {"motion": "pose", "motion_frames": 8}


def test_depth_stands_where_it_draws():
    request = asked(4)
    made, notes = put(request, "depth")
    inside = made.mask[5:9] == 255
    expected = depths(request, request.blocking[0], Troupe())
    np.testing.assert_array_equal(made.video[5:9][inside], expected[5:9][inside])
    assert notes["motion"] == "depth"


def test_text_is_grey():
    made, notes = put(asked(4), "text")
    assert (made.video[5:9][made.mask[5:9] == 255] == 128).all() and notes == {"motion": "text"}


def test_frames_that_the_rig_cannot_show_stay_grey():
    request = asked(8, who=(walker(13, gestures=[Gesture("shake_hips", 7, 3)]),))
    made, notes = put(request, "pose")
    grey = [bool((made.video[at][made.mask[at] == 255] == 128).all()) for at in range(5, 13)]
    assert grey == [False, False, True, True, True, False, False, False]
    assert notes == {
        "motion": "pose", "motion_frames": 5, "motion_left_to_words": "its rig cannot shake hips",
    }  # fmt: skip


def test_a_body_without_limbs_is_told_of_in_words(tmp_path):
    box = Cast({}, 1.7, "", "box", glb.cube(tmp_path / "cube.glb"))
    request = replace(asked(4), cast={"mira": box})
    made, notes = put(request, "pose")
    assert (made.video[5:9][made.mask[5:9] == 255] == 128).all()
    assert notes["motion"] == "text" and "no rig" in notes["motion_left_to_words"]


def test_what_the_scene_has_before_the_body_stays():
    open_, walled = asked(4), asked(4, boxes=[WALL])
    before, after = (passes(request)[0][1] for request in (open_, walled))
    assert (after <= before).all() and after.sum() < 0.75 * before.sum()
    kept = before & ~after
    assert (walled.depth[kept] < 2.1).all()
    made, _ = put(walled, "text")
    shown = made.mask[5] == 0
    np.testing.assert_array_equal(made.video[5][shown], walled.guide[5][shown])
    assert not covered(open_, open_.blocking[0]).any()
    np.testing.assert_array_equal(covered(walled, walled.blocking[0]), whole_patches(covered(
        walled, walled.blocking[0])))  # fmt: skip


def test_of_several_those_whom_the_scene_hides_take_no_call():
    high = ((-2.0, 0.0, -1.2), (2.0, 4.0, -1.0), (150, 90, 60))
    near, far = walker(9, name="near"), walker(9, name="far", z=-3.0)
    request = asked(4, who=(near, far), boxes=[high])
    assert [who.character for who, _ in passes(request)] == ["near"]
    both = asked(4, who=(near, far))
    assert [who.character for who, _ in passes(both)] == ["far", "near"]


# Through diffusers

diffusers = pytest.importorskip("diffusers")
pytest.importorskip("peft")


@pytest.fixture
def backend(monkeypatch):
    from anix_cli.generate import get

    monkeypatch.setenv("ANIX_TEST_NOISE", "1")
    backend = get("wan-vace-noise")
    yield backend
    backend.close()


def test_each_of_several_is_posed_alone_and_far_ones_first(backend, monkeypatch):
    calls = staged.watch(monkeypatch, diffusers.WanVACEPipeline)
    near, far = walker(9, name="near", x=0.6), walker(9, name="far", z=-3.0, x=-0.6)
    request = asked(4, who=(near, far), options={"motion": "pose"})
    frames, notes = made(backend, request)
    told = notes["wan_vace"]["passes"]
    assert [(one["character"], one["motion"]) for one in told] == [("far", "pose"), ("near", "pose")]
    assert frames.shape == (4, 64, 96, 3)
    assert [len(call["reference_images"]) for call in calls] == [3, 3]
    masks = [arrays(call["mask"])[5:9] == 255 for call in calls]
    videos = [arrays(call["video"])[5:9] for call in calls]
    for who, mask, video in zip((far, near), masks, videos, strict=True):
        joints = pose(request, who, Troupe()).joints_px[5:9]
        drawn = np.stack([draw([one], SIZE, VACE) for one in joints])
        np.testing.assert_array_equal(video[mask], drawn[mask])
    outside = ~(masks[0] | masks[1])
    np.testing.assert_array_equal(videos[1][outside], request.guide[5:9][outside])
    behind = masks[0] & ~masks[1]
    assert (videos[1][behind] != request.guide[5:9][behind]).any()  # what the first call drew


def test_the_motion_changes_the_pixels(backend):
    request = asked(4)
    told = {motion: made(backend, request, options={"motion": motion})[0].tobytes()
            for motion in ("text", "pose", "depth")}  # fmt: skip
    assert len(set(told.values())) == 3
    again, _ = made(backend, request, options={"motion": "pose"})
    assert again.tobytes() == told["pose"]
