"""Cameras as keys: closed forms, and the path that the keys stand for, walked by an oracle of its own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anix_cli.core.camera import look_at
from anix_cli.generate.worlds.actions import Steps, keys_of, line_of, step_of


def poses(places, yaws_deg=None, pitches_deg=None):
    """[F, 4, 4] at places [F, 3]; yaw 0 looks along +Z and grows to the right, pitch grows upwards."""
    places = np.asarray(places, dtype=float)
    count = len(places)
    yaws = np.radians(np.zeros(count) if yaws_deg is None else yaws_deg)
    pitches = np.radians(np.zeros(count) if pitches_deg is None else pitches_deg)
    ahead = np.stack(
        [-np.sin(yaws) * np.cos(pitches), np.sin(pitches), np.cos(yaws) * np.cos(pitches)], axis=1
    )
    return np.stack([look_at(at, at + way) for at, way in zip(places, ahead, strict=True)])


def along(direction, metres, count):
    return np.linspace(0, 1, count)[:, None] * metres * np.asarray(direction, dtype=float) + [0, 1.6, 0]


STEPS = Steps(0.1, 2.0)


def test_straight_on_at_a_keys_speed_is_that_key_and_nothing_is_lost():
    keys = keys_of(poses(along((0, 0, 1), 2.0, 21)), STEPS)
    assert (keys.forward == 1).all() and not keys.right.any() and not keys.yaw.any() and not keys.pitch.any()
    assert keys.residual.position_max_m < 1e-9 and keys.residual.turn_max_deg < 1e-9


def test_half_of_it_is_every_other_frame():
    keys = keys_of(poses(along((0, 0, 1), 1.0, 21)), STEPS)
    assert keys.forward.sum() == 10
    assert set(np.add.reduceat(keys.forward, range(0, 20, 2))) == {1}
    assert keys.residual.position_max_m == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("direction", "forward", "right"),
    [((0, 0, -1), -1, 0), ((-1, 0, 0), 0, 1), ((1, 0, 0), 0, -1)],
)
def test_directions_are_the_cameras_own(direction, forward, right):
    keys = keys_of(poses(along(direction, 2.0, 21)), STEPS)
    assert (keys.forward == forward).all() and (keys.right == right).all()
    turned = keys_of(poses(along((-1, 0, 0), 2.0, 21), np.full(21, 90)), STEPS)
    assert (turned.forward == 1).all()  # looking to where it goes


def test_turns_are_the_mouse():
    still = along((0, 0, 1), 0, 11)
    for sign in (1, -1):
        keys = keys_of(poses(still, sign * 2.0 * np.arange(11)), STEPS)
        assert (keys.yaw == sign).all() and not keys.forward.any()
        assert keys.residual.turn_max_deg < 1e-6
        tilted = keys_of(poses(still, None, sign * 2.0 * np.arange(11)), STEPS)
        assert (tilted.pitch == sign).all()


def test_past_the_back_it_goes_on_the_same_way():
    keys = keys_of(poses(along((0, 0, 1), 0, 181), 2.0 * np.arange(181)), STEPS)
    assert (keys.yaw == 1).all() and keys.residual.turn_max_deg < 1e-6


def test_a_rise_and_a_roll_are_left_over():
    rising = keys_of(poses(along((0, 1, 0), 1.5, 16)), STEPS)
    assert not rising.forward.any() and rising.residual.height_max_m == pytest.approx(1.5)
    rolled = poses(along((0, 0, 1), 0, 3))
    for index in range(3):
        angle = math.radians(10 * index)
        turn = np.eye(4)
        turn[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
        rolled[index] = rolled[index] @ turn
    assert keys_of(rolled, STEPS).residual.roll_max_deg == pytest.approx(20)


def test_too_quick_a_turn_is_told():
    keys = keys_of(poses(along((0, 0, 1), 0, 11), 5.0 * np.arange(11)), STEPS)
    assert (keys.yaw == 1).all()
    assert keys.residual.turn_max_deg == pytest.approx(30)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 60))
def test_the_residual_is_that_of_the_path_that_keys_walk(seed, count):
    drawn = np.random.default_rng(seed)
    ground = np.cumsum(drawn.normal(0, 0.05, (count, 2)), axis=0)
    places = np.stack([ground[:, 0], np.full(count, 1.6), ground[:, 1]], axis=1)
    yaws = np.cumsum(drawn.normal(0, 1.0, count))
    keys = keys_of(poses(places, yaws), STEPS)
    x, z = places[0, 0], places[0, 2]
    yaw = math.radians(yaws[0])
    away, turns = [0.0], [0.0]
    for index in range(count - 1):
        before = yaw
        yaw += math.radians(2.0) * keys.yaw[index]
        x += 0.1 * (-keys.forward[index] * math.sin(before) - keys.right[index] * math.cos(before))
        z += 0.1 * (keys.forward[index] * math.cos(before) - keys.right[index] * math.sin(before))
        away.append(math.hypot(x - places[index + 1, 0], z - places[index + 1, 2]))
        turns.append(abs(math.degrees(math.remainder(yaw - math.radians(yaws[index + 1]), math.tau))))
    assert keys.residual.position_max_m == pytest.approx(max(away), abs=1e-9)
    assert keys.residual.position_rms_m == pytest.approx(math.sqrt(np.mean(np.square(away))), abs=1e-9)
    assert keys.residual.turn_max_deg == pytest.approx(max(turns), abs=1e-5)
    assert max(away) < 0.6  # carried on from frame to frame, it does not grow


def test_the_step_is_the_quickest_frames():
    assert step_of(poses(along((0, 0, 1), 2.0, 21))) == pytest.approx(0.1)
    assert step_of(poses(along((0, 0, 1), 0.0, 5))) == 1.0
    assert step_of(poses(along((0, 0, 1), 0.0, 1))) == 1.0


@pytest.mark.parametrize(
    ("path", "action", "amount"),
    [
        (poses(along((0, 0, 1), 3.0, 33)), "forward", 3.0),
        (poses(along((0, 0, -1), 3.0, 33)), "backward", 3.0),
        (poses(along((-1, 0, 0), 2.0, 33)), "right", 2.0),
        (poses(along((1, 0, 0), 2.0, 33)), "left", 2.0),
        (poses(along((0, 0, 1), 0, 33), np.linspace(0, 30, 33)), "right_rot", 30.0),
        (poses(along((0, 0, 1), 0, 33), np.linspace(0, -200, 33)), "left_rot", 200.0),
        (poses(along((0, 0, 1), 0, 33), None, np.linspace(0, 20, 33)), "up_rot", 20.0),
        (poses(along((0, 0, 1), 0, 33), None, np.linspace(0, -20, 33)), "down_rot", 20.0),
        (poses(along((0, 0, 1), 0, 33)), "forward", 0.0),
    ],
)
def test_one_action_for_a_clip(path, action, amount):
    line = line_of(path, depth_m=5.0)
    assert (line.action, line.amount) == (action, pytest.approx(amount))
    assert line.residual.position_max_m < 1e-9 and line.residual.turn_max_deg < 1e-5


def test_what_shows_most_is_the_action():
    both = poses(along((0, 0, 1), 1.0, 33), np.linspace(0, 20, 33))
    near, far = line_of(both, depth_m=2.0), line_of(both, depth_m=50.0)
    assert near.action == "forward" and near.residual.turn_max_deg == pytest.approx(20)
    assert far.action == "right_rot" and far.residual.position_max_m == pytest.approx(1.0)
