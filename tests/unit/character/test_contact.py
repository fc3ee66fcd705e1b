"""Feet on the ground, measured as the benchmark does: on a model of our own, and on real ones.

``ANIX_CHARACTERS`` names a folder of GLB files to measure.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

import figure
import glb
import numpy as np
import pytest

from anix_cli.character import hull
from anix_cli.character.body import CarvedBody
from anix_cli.character.course import goes_ahead
from anix_cli.character.models.body import ModelBody
from anix_cli.character.models.figure import stand
from anix_cli.character.models.pose import worlds
from anix_cli.character.models.read import read_model
from anix_cli.character.pose import rig
from anix_cli.character.skeleton import JOINTS
from anix_cli.character.tread import STEPS
from benchmarks.characters import contact, course_of, courses, model_body, moment_of

REAL = sorted(Path(os.environ.get("ANIX_CHARACTERS", os.devnull)).glob("*.glb"))
HEIGHT_M = 1.7


@pytest.mark.parametrize("walk", [True, False], ids=["clips", "bones"])
def test_feet_stay_where_they_are_set_down(tmp_path, walk):
    body, steps, soles, rows = model_body(glb.person(walk=walk)[0].write(tmp_path / "p.glb"), HEIGHT_M)
    for action, course in courses(steps):
        if action != "run":  # its clip is a walk
            found = contact(body, course, soles, rows)
            assert found.slide_m < 0.02 and found.sunk_m < 0.02, (action, found)


@pytest.mark.slow
@pytest.mark.parametrize("path", REAL, ids=[path.stem for path in REAL])
def test_feet_of_real_characters(path):
    body, steps, soles, rows = model_body(path, HEIGHT_M)
    for action, course in courses(steps):
        if action != "bend":
            found = contact(body, course, soles, rows)
            assert found.slide_m < 0.02 and found.sunk_m < 0.02, (action, found)


def test_arms_that_reach_below_the_feet_are_raised_not_the_body(tmp_path):
    """A person with arms so long that hands would be in the ground."""
    body = ModelBody(stand(read_model(glb.person(walk=False)[0].write(tmp_path / "p.glb")), HEIGHT_M), 3000)
    steps = body.actor.steps
    now = moment_of(course_of(steps, np.full(30, 1.2), np.zeros(30)), 20)
    pose, shift, _ = body.actor.pose(now)
    placed = shift.copy()
    means = body.dressed.posed(pose, placed).means
    _, rows = body._arms[0]
    ground = float(means[rows, 1].min()) + 0.1  # as if the ground were 10 cm above the fingertips
    soles = body._soles
    low = means.copy()
    low[soles, 1] += ground - float(means[soles, 1].min())
    raised = body.dressed.posed(body._hands_up(pose, low, placed), placed).means
    assert float(raised[rows, 1].min()) == pytest.approx(ground - 0.015, abs=0.02)
    others = np.setdiff1d(np.arange(len(means)), np.concatenate([each for _, each in body._arms]))
    np.testing.assert_allclose(raised[others], means[others], atol=1e-4)


@pytest.fixture(scope="module")
def carved():
    return CarvedBody(rig(hull(figure.views(), HEIGHT_M, cell_m=0.03)))


@pytest.mark.parametrize("action", ["walk", "run", "backwards", "aside", "turn", "bend"])
def test_a_carved_body_keeps_its_feet_where_they_stand(carved, action):
    """From the first step on."""
    course = dict(courses(STEPS))[action]
    means = np.stack([carved.at(moment_of(course, frame)).means for frame in range(len(course.root))])
    for side, limb in enumerate(carved.rig.legs):
        own = (carved.rig.body.means[:, 1] < 0.06) & (limb.end > 0.99)
        back = carved.rig.body.means[:, 2] < limb.heel[2] + 0.02
        toes, heel = own & (limb.toes > 0.99), own & back & (carved.rig.body.means[:, 1] < 0.03)
        if action == "aside":  # soles lie level, however far aside the leg reaches
            tilt = means[:, own, 1].max(axis=1) - means[:, own, 1].min(axis=1)
            assert np.ptp(tilt) < 0.005
        down = means[:, own, 1].min(axis=1) < 0.02
        planted = course.known[id(carved.rig)].planted[:, side] > 0
        still = planted[1:] & planted[:-1] & down[1:] & down[:-1]
        assert still.sum() > 10
        moved = [np.diff(means[:, part][:, :, [0, 2]].mean(axis=1), axis=0)[still] for part in (toes, heel)]
        # A foot rolls: its toes stay as the heel comes up, its heel as the toes come down.
        assert float(np.minimum(*(np.hypot(*each.T) for each in moved)).max()) < 0.005
    assert float(means[..., 1].min()) > -0.02


@pytest.mark.parametrize(
    ("speed", "least_m", "most_m"), [(1.0, 0.035, 0.075), (1.4, 0.035, 0.075), (4.0, 0.06, 0.12)]
)
def test_hips_go_up_and_down_as_a_persons_do(carved, speed, least_m, most_m):
    """About 4 to 6 cm in a walk, twice as much in a run; a little more on the short feet of this one."""
    course = course_of(STEPS, np.full(96, speed), np.zeros(96))
    row = JOINTS.index("left_hip")
    hips = [carved.skeleton(moment_of(course, frame)).points[row, 1] for frame in range(40, 90)]
    assert least_m < max(hips) - min(hips) < most_m


@pytest.mark.parametrize("action", ["walk", "backwards"])
def test_nobody_sinks_in_the_first_step_or_the_last(carved, action):
    """A foot that stays a whole step behind would draw the body down by a fifth of its height."""
    course = dict(courses(STEPS))[action]
    tops = [float(carved.at(moment_of(course, frame)).means[:, 1].max()) for frame in range(len(course.root))]
    assert min(tops) > max(tops) - 0.1 * HEIGHT_M


def test_soles_follow_every_bone_that_moves_them(tmp_path):
    """Boots that join shins, toes that bend: where the solver takes a sole to be is where it is drawn."""
    body, _, _, _ = model_body(glb.person(walk=True)[0].write(tmp_path / "p.glb"), HEIGHT_M)
    feet, coarse = body.actor._feet, body.actor._coarse
    bones = body.dressed.figure.model.bones[coarse.skin.bones]
    rows = np.flatnonzero(np.isin(bones, feet.nodes).any(axis=1))
    pose = body.actor.walk.at(0.3)
    world = body.dressed.figure.stage_from_model @ worlds(body.dressed.figure.model.nodes, pose)
    drawn = coarse.means(pose)[rows]
    for leg in feet.legs:
        sole = feet._sole(leg, world, np.array([1.0, 0.0, 0.0, 0.0]))
        apart = np.linalg.norm(sole[:, None] - drawn[None], axis=2).min(axis=1)
        assert apart.max() < 1e-9


def test_who_steps_aside_goes_ahead():
    """Even where rounding has the way a hair behind."""
    yaw = 0.7
    beside = np.array([math.cos(yaw), -math.sin(yaw)])
    for hair in (-1e-16, 0.0, 1e-16):
        assert goes_ahead(beside + hair * np.array([math.sin(yaw), math.cos(yaw)]), yaw)
    assert goes_ahead(np.zeros(2), yaw) and not goes_ahead(-np.array([math.sin(yaw), math.cos(yaw)]), yaw)


def test_a_body_sets_off_half_through_a_step():
    speeds = np.concatenate([np.zeros(4), np.full(20, 1.4), np.zeros(4), np.full(9, 1.4)])
    course = course_of(STEPS, speeds, np.zeros(len(speeds)))
    for begins in (4, 28):
        before = begins - 1
        counted = float(course.gait_phase[before])
        phase = course.phase(counted, begins)
        assert phase % 1.0 == pytest.approx(0.5)
    assert course.phase(float(course.gait_phase[10]), 10.0) == pytest.approx(course.gait_phase[10] + 0.5)
