"""Feet that stand where they were set down, however a body goes, stops and turns."""

from __future__ import annotations

import dataclasses
import math
from itertools import pairwise

import glb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anix_cli.character.course import Course
from anix_cli.character.gestures import Act
from anix_cli.character.models.body import ModelBody
from anix_cli.character.models.figure import stand
from anix_cli.character.models.footing import Stance, footing
from anix_cli.character.models.legs import _turned, two_bones
from anix_cli.character.models.read import read_model
from anix_cli.character.moment import Moment
from anix_cli.core.easing import smoothstep
from anix_cli.core.gait import Steps

FPS = 24.0
HEIGHT_M = 1.8


@pytest.fixture(scope="module", params=[True, False], ids=["clips", "bones"])
def body(request, tmp_path_factory):
    made = glb.person(walk=request.param)[0]
    path = made.write(tmp_path_factory.mktemp("feet") / "p.glb")
    return ModelBody(stand(read_model(path), HEIGHT_M), 3000)


def _course(body, speeds, yaws, backwards=False):
    """Frames at these speeds, along these yaws."""
    speeds, yaws = np.asarray(speeds, float), np.asarray(yaws, float)
    way = (-1 if backwards else 1) * speeds[:, None] * np.stack([np.sin(yaws), np.cos(yaws)], axis=1) / FPS
    ground = np.cumsum(way, axis=0) - way[0]
    root = np.stack([ground[:, 0], np.full(len(speeds), 0.2), ground[:, 1]], axis=1)
    steps = speeds / body.actor.steps.at(speeds) / FPS
    phase = np.cumsum(steps) - steps[0]
    return Course(root, yaws, speeds, phase, np.zeros(len(speeds)), FPS)


def _moment(course, frame, **more):
    yaw = float(course.yaw_rad[frame])
    moved = course.root[frame] - course.root[max(frame - 1, 0)]
    return Moment(
        course.root[frame], yaw, speed_mps=float(course.speed_mps[frame]),
        gait_phase=float(course.gait_phase[frame]), time_s=frame / FPS, course=course,
        ahead=bool(moved[0] * math.sin(yaw) + moved[2] * math.cos(yaw) >= 0), **more,
    )  # fmt: skip


def _slides(body, course):
    """Metres: most that a foot slides while it touches the ground; most that anything is below it."""
    names = [body.dressed.figure.model.nodes.names[bone] for bone in body.dressed.figure.model.bones]
    means = np.stack([body.at(_moment(course, frame)).means for frame in range(len(course.root))])
    worst = 0.0
    for side in ("Left", "Right"):
        rows = body.dressed.skin.bones[:, 0] == names.index(f"mixamorig:{side}Foot")
        sole = means[:, rows].astype(np.float64)
        slid = np.zeros(2)
        for before, after in pairwise(sole):
            down = (before[:, 1] < 0.21) & (after[:, 1] < 0.21)
            slid = slid + (after - before)[down][:, [0, 2]].mean(axis=0) if down.sum() > 2 else np.zeros(2)
            worst = max(worst, float(np.hypot(*slid)))
    return worst, float(0.2 - means[..., 1].min())


def _ramped(cruise, frames=72, ramp=12):
    time = np.arange(frames)
    slows = frames - 20
    slowing = smoothstep(time, slows - ramp, slows)
    return cruise * np.minimum(smoothstep(time, 4, 4 + ramp), 1 - slowing)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("speed", [0.9, 1.4])
def test_from_standing_through_a_walk_to_standing(body, speed, backwards):
    course = _course(body, _ramped(speed), np.full(72, 0.7), backwards)
    slid, sunk = _slides(body, course)
    assert slid < 0.02 and sunk < 0.02


def test_along_a_bend(body):
    yaws = np.linspace(0, 2.0, 60)
    slid, sunk = _slides(body, _course(body, np.full(60, 1.2), yaws))
    assert slid < 0.02 and sunk < 0.02


def test_a_turn_on_the_spot_is_made_of_steps(body):
    yaws = math.pi * smoothstep(np.arange(60), 6, 40)
    course = _course(body, np.zeros(60), yaws)
    slid, sunk = _slides(body, course)
    assert slid < 0.02 and sunk < 0.02
    ways = course.known[id(body.actor)]
    assert (ways.planted.sum(axis=1) >= 1).all()  # one foot at a time
    np.testing.assert_allclose(ways.yaw[-1], math.pi, atol=math.radians(30))


def test_at_rest_nothing_moves(body):
    course = _course(body, np.zeros(30), np.zeros(30))
    first, last = (body.at(_moment(course, frame)).means for frame in (0, 29))
    np.testing.assert_allclose(first, last, atol=1e-5)


@given(
    speeds=st.lists(st.floats(0, 4), min_size=8, max_size=40),
    turns=st.lists(st.floats(-0.2, 0.2), min_size=40, max_size=40),
    cut=st.integers(2, 7),
)
def test_what_comes_later_changes_nothing(body, speeds, turns, cut):
    """A film is made in pieces: where feet stand follows from what came before alone."""
    whole = _course(body, speeds, np.cumsum(turns)[: len(speeds)])
    arrays = ("root", "yaw_rad", "speed_mps", "gait_phase", "lift_m")
    part = Course(*(getattr(whole, name)[:cut] for name in arrays), FPS)
    longer, shorter = (footing(each, body.actor._stance, body.actor.steps) for each in (whole, part))
    for field in dataclasses.fields(longer):
        np.testing.assert_array_equal(getattr(longer, field.name)[:cut], getattr(shorter, field.name))
    assert np.isfinite(longer.at).all() and np.isfinite(longer.yaw).all()


@pytest.mark.parametrize("cruise", [2.2, 2.6, 3.0, 4.0])
def test_short_legs_that_set_off_at_a_run_leave_no_foot_behind(cruise):
    """A toon's: a third of a metre, with steps of a metre and a quarter; from standing in half a second."""
    steps, leg_m = Steps(0.36, 1.25, leg_m=0.36), 0.36
    speeds = _ramped(cruise)
    taken = speeds / steps.at(speeds) / FPS
    ground = np.cumsum(speeds) / FPS
    root = np.stack([np.zeros(72), np.zeros(72), ground], axis=1)
    course = Course(root, np.zeros(72), speeds, np.cumsum(taken) - taken[0], np.zeros(72), FPS)

    def stance(speed: float) -> Stance:
        share = float(steps.running(abs(speed)))
        strikes = np.array([0.0, 1.0]) + 0.27 * share
        spans = np.full(2, 1.1 - 0.68 * share)
        return Stance(np.array([[0.1, 0], [-0.1, 0]]), strikes, spans, min(abs(speed) / 0.45, 1.0))

    found = footing(course, stance, steps, 1.7)
    behind = ground[:, None] - found.at[..., 1]
    stands = (found.planted > 0) & ((speeds > 0.5) & (np.arange(72) < 40))[:, None]
    assert stands.sum() > 8
    assert behind[stands].max() < 0.85 * leg_m


def test_a_jump_and_a_crouch_have_the_legs_for_themselves(body):
    course = _course(body, np.zeros(30), np.zeros(30))
    lifted = dataclasses.replace(_moment(course, 10), lift_m=0.3)
    assert body.at(lifted).means[:, 1].min() == pytest.approx(0.5, abs=1e-3)
    act = Act("kneel", 1.0, 2.0)
    with_it = body.at(_moment(course, 10, acts=(act,))).means
    free = body.at(Moment(course.root[10], 0.0, time_s=10 / FPS, acts=(act,))).means
    np.testing.assert_allclose(with_it, free, atol=1e-5)


_vectors = st.tuples(*[st.floats(-1, 1)] * 3).map(np.array)


@given(knee=_vectors, ankle=_vectors, target=_vectors)
def testtwo_bones_reach_what_they_can(knee, ankle, target):
    hip = np.zeros(3)
    a, b = np.linalg.norm(knee), np.linalg.norm(ankle - knee)
    far = np.linalg.norm(target)
    if min(a, b, far) < 0.05 or np.linalg.norm(ankle) < 0.05:
        return
    bend, aim = two_bones(hip, knee, ankle, target)
    bent = knee + _turned(bend, ankle - knee)
    found = _turned(aim, bent)
    assert np.linalg.norm(_turned(aim, knee)) == pytest.approx(a, abs=1e-6)
    reach = min(max(far, abs(a - b)), a + b)
    assert np.linalg.norm(found) == pytest.approx(reach, abs=0.01 * (a + b))
    np.testing.assert_allclose(found / np.linalg.norm(found), target / far, atol=1e-3)
