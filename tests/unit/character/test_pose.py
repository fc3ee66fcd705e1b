"""A body in step: where it stands, which way it faces, feet on the ground."""

from __future__ import annotations

import math

import figure
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from anix_cli.character import hull
from anix_cli.character.bending import bend, lean_over, set_down
from anix_cli.character.pose import gait, place, rig
from anix_cli.character.turn import AXES, turned, turned_quats

ROOT = np.array([2.0, 0.35, -1.0])


@pytest.fixture(scope="module")
def body():
    return hull(figure.views(), figure.HEIGHT_M)


@pytest.fixture(scope="module")
def bones(body):
    return rig(body)


def _scipy(quats):
    return Rotation.from_quat(np.asarray(quats)[:, [1, 2, 3, 0]])


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_turning_agrees_with_scipy(axis):
    rng = np.random.default_rng(3)
    points, angles = rng.normal(size=(50, 3)), rng.uniform(-3, 3, 50)
    quats = rng.normal(size=(50, 4))
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    oracle = Rotation.from_euler(axis, angles[:, None])
    pivot = np.array([0.3, -0.2, 0.5])
    np.testing.assert_allclose(turned(points, axis, angles, pivot), oracle.apply(points - pivot) + pivot)
    found = _scipy(turned_quats(quats, axis, angles)).as_matrix()
    np.testing.assert_allclose(found, (oracle * _scipy(quats)).as_matrix(), atol=1e-12)


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_bending_in_place_turns_as_points_are_turned(axis):
    rng = np.random.default_rng(5)
    points, pivot = rng.normal(size=(60, 3)), np.array([0.1, 0.9, -0.2])
    weights = np.repeat([0.0, 1.0, 0.4], 20)
    rows = np.flatnonzero(weights > 0)
    found = points.copy()
    bend(found, rows, weights, *AXES[axis], 0.7, pivot)
    np.testing.assert_allclose(found, turned(points, axis, 0.7 * weights, pivot), atol=1e-15)


def test_a_body_is_set_down_as_points_and_quaternions_are_turned():
    rng = np.random.default_rng(6)
    points, upper = rng.normal(size=(60, 3)), np.repeat([0.0, 1.0, 0.3], 20)
    own = rng.normal(size=(60, 4)).astype(np.float32)
    own /= np.linalg.norm(own, axis=1, keepdims=True)
    pivot, pitch = np.array([0.1, 0.9, -0.2]), np.repeat([0.2, -0.5, 0.0], 20)
    leant, pitched = points.copy(), pitch.copy()
    low = lean_over(leant, pitched, upper, 0.6, pivot, 0.05)
    expected = turned(points, "x", 0.6 * upper, pivot) + np.outer(0.05 * upper, [1, 0, 0])
    np.testing.assert_allclose(leant, expected, atol=1e-15)
    np.testing.assert_allclose(pitched, pitch + 0.6 * upper)
    assert low == expected[upper < 0.5, 1].min()
    means, quats = np.empty((60, 3), np.float32), np.empty((60, 4), np.float32)
    set_down(leant, pitched, own, 0.25, 2.2, ROOT, means, quats)
    np.testing.assert_allclose(means, turned(leant + np.array([0, 0.25, 0]), "y", 2.2) + ROOT, atol=1e-6)
    np.testing.assert_allclose(quats, turned_quats(turned_quats(own, "x", pitched), "y", 2.2), atol=3e-7)


def test_at_rest_nothing_moves_whatever_the_phase(bones):
    still = gait(0.0, 0.3)
    assert still.flight_m == still.lean == still.sway_m == 0
    assert (*still.hips, *still.knees, *still.ankles, *still.shoulders, *still.elbows) == (0,) * 10
    first, second = (place(bones, ROOT, 0.4, speed_mps=0.0, gait_phase=p) for p in (0.0, 7.31))
    assert first.means.tobytes() == second.means.tobytes()
    assert first.means[:, 1].min() == pytest.approx(ROOT[1], abs=0.01)


@pytest.mark.parametrize(("yaw", "ahead"), [(0, (0, 1)), (math.pi / 2, (1, 0)), (math.pi, (0, -1))])
def test_yaw_turns_to_the_left(bones, yaw, ahead):
    posed = place(bones, ROOT, yaw, speed_mps=0.0, gait_phase=0.0)
    chest, spine = (np.median(_painted(posed, colour), axis=0) for colour in (figure.FRONT, figure.BACK))
    assert (chest - spine)[0] * ahead[0] + (chest - spine)[2] * ahead[1] > 0.1
    left = np.median(_painted(posed, figure.LEFT), axis=0) - ROOT
    # Her own left is +X when she faces +Z.
    assert left[0] * ahead[1] - left[2] * ahead[0] > 0.15


def _painted(posed, colour):
    rgb = 0.5 + 0.28209479177387814 * posed.sh[:, 0]
    return posed.means[np.abs(rgb - colour).max(axis=1) < 0.06]


@given(speed=st.floats(0, 7), phase=st.floats(0, 100), yaw=st.floats(-7, 7))
@settings(max_examples=60, deadline=None)
def test_feet_meet_the_ground_and_never_enter_it(bones, speed, phase, yaw):
    posed = place(bones, ROOT, yaw, speed_mps=speed, gait_phase=phase)
    sole = float(posed.means[:, 1].min()) - ROOT[1]
    flight = gait(speed, phase).flight_m
    assert -1e-4 <= sole <= 0.011 + flight
    assert 0 <= flight <= 0.051
    assert speed > 1.9 or flight == 0
    np.testing.assert_allclose(np.linalg.norm(posed.quats, axis=1), 1, atol=1e-5)
    # It bends, but it stays a body: nobody's head leaves its shoulders.
    assert 1.4 < np.ptp(posed.means[:, 1]) < 1.75
    assert np.hypot(*(posed.means[:, [0, 2]] - ROOT[[0, 2]]).T).max() < 1.1


def test_both_feet_are_down_at_each_strike_of_a_walk(bones):
    for phase in (0.0, 1.0, 5.0):
        posed = place(bones, (0, 0, 0), 0.0, speed_mps=1.4, gait_phase=phase)
        low = posed.means[posed.means[:, 1] < 0.035]
        assert low[low[:, 0] > 0][:, 1].min() < 0.03
        assert low[low[:, 0] < 0][:, 1].min() < 0.03


def test_even_strikes_are_the_left_foot_and_arms_go_against_legs(bones):
    even, odd = gait(1.4, 2.0), gait(1.4, 3.0)
    assert even.hips[0] > 0.2 > -0.2 > even.hips[1]
    assert even.shoulders[0] < -0.1 < 0.1 < even.shoulders[1]
    np.testing.assert_allclose(even.hips, odd.hips[::-1], atol=1e-12)
    posed = place(bones, (0, 0, 0), 0.0, speed_mps=1.4, gait_phase=2.0)
    shoes = posed.means[posed.means[:, 1] < 0.1]
    assert shoes[shoes[:, 0] > 0][:, 2].mean() > 0.2 > -0.2 > shoes[shoes[:, 0] < 0][:, 2].mean()


@pytest.mark.parametrize("speed", [0.9, 1.4, 1.8])
def test_the_foot_that_stands_does_not_slip(bones, speed):
    step_m = 0.7 + (speed - 1.4) * 0.5 / 2.6
    ankles = []
    for phase in np.linspace(0.1, 0.9, 9):
        posed = place(bones, (0, 0, step_m * phase), 0.0, speed_mps=speed, gait_phase=phase)
        foot = bones.legs[0].end > 0.9
        ankles.append(posed.means[foot].mean(axis=0))
    assert np.ptp(np.array(ankles)[:, 2]) < 0.08
    assert np.ptp(np.array(ankles)[:, 1]) < 0.05


def test_the_trunk_is_lowest_at_the_strike_and_bobs_more_when_faster(bones):
    def head(speed, phase):
        return float(place(bones, (0, 0, 0), 0.0, speed_mps=speed, gait_phase=phase).means[:, 1].max())

    for speed in (1.0, 1.4):
        assert head(speed, 4.5) > head(speed, 4.0) + 0.01
    assert head(1.4, 4.5) - head(1.4, 4.0) > head(0.6, 4.5) - head(0.6, 4.0) > 0


def test_motion_is_continuous_in_phase_and_speed(bones):
    def at(speed, phase):
        return place(bones, (0, 0, 0), 0.0, speed_mps=speed, gait_phase=phase).means

    for speed in (1.4, 3.0, 4.5):
        for phase in np.linspace(0, 2, 9):
            step = np.abs(at(speed, phase + 0.01) - at(speed, phase - 0.01)).max()
            assert step < 0.06
    assert np.abs(at(0.001, 0.3) - at(0.0, 0.3)).max() < 0.02
    np.testing.assert_allclose(at(2.5, 1.25), at(2.5, 7.25), atol=1e-5)


def test_arms_hang_at_ease_and_elbows_lie_in_them(body, bones):
    hands_before = np.abs(body.means[(body.means[:, 1] > 0.8) & (body.means[:, 1] < 0.9)][:, 0]).max()
    hands_after = np.abs(bones.body.means[:, 0]).max()
    assert hands_before > 0.42 and hands_after < 0.36
    for arm in bones.arms:
        assert arm is not None
        assert 0.3 < np.linalg.norm(arm.bend - arm.root) * 2 < 0.75
        assert np.linalg.norm(bones.body.means - arm.bend, axis=1).min() < 0.07


def test_arms_pressed_to_the_body_stay_there():
    trunk = [c for c in figure.CAPSULES if max(abs(c[0][0]), abs(c[1][0])) < 0.15]
    bones = rig(hull(figure.views(capsules=trunk), figure.HEIGHT_M))
    assert bones.arms == (None, None)
    place(bones, (0, 0, 0), 0.0, speed_mps=2.0, gait_phase=0.4)


def test_a_robe_swings_less_than_free_legs(bones):
    robe = [*figure.CAPSULES, ((0, 0.9, 0), (0, 0.2, 0), 0.16, 0.2, figure.BOOTS)]
    assert rig(hull(figure.views(capsules=robe), figure.HEIGHT_M)).stride < 0.5 < bones.stride == 1


def test_posing_changes_neither_its_input_nor_its_mind(body):
    before = body.means.copy()
    once = place(body, ROOT, 1.0, speed_mps=3.0, gait_phase=0.7)
    again = place(rig(body), ROOT, 1.0, speed_mps=3.0, gait_phase=0.7)
    assert once.means.tobytes() == again.means.tobytes()
    assert once.quats.tobytes() == again.quats.tobytes()
    np.testing.assert_array_equal(body.means, before)
