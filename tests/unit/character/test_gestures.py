"""Gestures: what moves, how far, how fast, and what stays."""

from __future__ import annotations

import figure
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anix_cli.character import hull
from anix_cli.character.families import _ALIKE, AT_REST, NOT_DRAWN, drawn_as
from anix_cli.character.gestures import ACTIONS, AT_EASE, EASE_S, Act, posture
from anix_cli.character.pose import place, rig

FPS = 16
LEFT, RIGHT = 0, 1


@pytest.fixture(scope="module")
def bones():
    return rig(hull(figure.views(), figure.HEIGHT_M))


def _posed(bones, *acts, speed=0.0, phase=0.0, lift=0.0):
    return place(bones, (0, 0, 0), 0.0, speed_mps=speed, gait_phase=phase, lift_m=lift, gestures=acts)


def _points(bones, *acts, **more):
    return _posed(bones, *acts, **more).means.astype(np.float64)


def _hand(bones, side):
    """Which Gaussians are a hand, the left or the right one."""
    arm = bones.arms[side]
    return (arm.lower > 0.99) & (np.linalg.norm(bones.body.means - arm.tip, axis=1) < 0.08)


def test_at_both_ends_and_where_nothing_is_to_be_seen_the_body_is_at_ease(bones):
    rest = _points(bones)
    for act in (
        Act("wave", 0, 2),
        Act("wave", 2, 2),
        Act("wave", 5, 2),
        Act("wave", 0, 0),
        Act("smile", 1, 2),
        Act("lie_down", 1, 2),
    ):
        assert posture([act]) == AT_EASE
        np.testing.assert_array_equal(_points(bones, act), rest)


@pytest.mark.parametrize(("side", "arm"), [(None, RIGHT), ("right", RIGHT), ("left", LEFT)])
def test_a_wave_lifts_one_hand_beside_the_head_and_nothing_else(bones, side, arm):
    rest = _points(bones)
    for elapsed in np.linspace(EASE_S, 3 - EASE_S, 12):
        points = _points(bones, Act("wave", elapsed, 3.0, side))
        hand = points[_hand(bones, arm)]
        assert hand[:, 1].mean() > bones.arms[arm].root[1] + 0.2
        assert hand[:, 1].max() > 1.5  # eyes of a figure of 1.7 m
        outside = -1 if arm == RIGHT else 1
        assert outside * hand[:, 0].mean() > 0.25
        others = bones.arms[arm].whole == 0
        assert np.linalg.norm(points - rest, axis=1)[others].max() < 0.05


def test_a_waving_hand_goes_to_and_fro(bones):
    hand = _hand(bones, RIGHT)
    times = np.arange(EASE_S, 3.5, 1 / 64)
    across = np.array([_points(bones, Act("wave", t, 4.0))[hand, 0].mean() for t in times])
    turns = np.count_nonzero(np.diff(np.sign(across - np.median(across))))
    assert turns / 2 / (times[-1] - times[0]) == pytest.approx(1.8, abs=0.2)
    assert np.ptp(across) > 0.15


@pytest.mark.parametrize("action", ["juggle", "frobnicate", "sew"])
def test_hands_are_at_work_where_there_is_no_gesture(bones, action):
    assert action not in ACTIONS
    rest = _points(bones)
    for side in (LEFT, RIGHT):
        hand = _hand(bones, side)
        first, later = (_points(bones, Act(action, t, 3.0))[hand] for t in (1.0, 1.4))
        for points in (first, later):
            assert (points - rest[hand])[:, 2].mean() > 0.15  # before the body
            assert 0.8 < points[:, 1].mean() < 1.3
        assert np.linalg.norm(later.mean(axis=0) - first.mean(axis=0)) > 0.02
    assert posture([Act(action, 1.0, 3.0)]).legs == AT_EASE.legs


def test_every_word_has_one_drawing():
    words = [word for line in _ALIKE.values() for word in line.split()]
    assert len(words) == len(set(words))
    assert not set(words) & (AT_REST | NOT_DRAWN)
    assert {drawn for drawn in _ALIKE if drawn_as(drawn) not in ACTIONS} == set()
    assert posture([Act("scold", 1.0, 2.0)]) == posture([Act("talk", 1.0, 2.0)]) != AT_EASE


UNLIKE = {posture([Act(action, 0.9, 2.0)]): action for action in sorted(ACTIONS)}
"""One action of each kind: many are drawn alike."""


def test_every_action_that_is_said_to_show_does():
    assert AT_EASE not in UNLIKE
    assert len(UNLIKE) > 15


@pytest.mark.parametrize("action", UNLIKE.values())
def test_gestures_move_without_a_jump_and_stay_a_body(bones, action):
    last, moved = _points(bones), 0.0
    rest, most = last, 6.0 if action == "wave" else 7.5
    for frame in range(2 * FPS + 2):
        posed = _posed(bones, Act(action, frame / FPS, 2.0))
        points = posed.means.astype(np.float64)
        speed = np.linalg.norm(points - last, axis=1).max() * FPS
        assert speed < most, (frame, speed)
        assert points[bones.upper < 0.5, 1].min() == pytest.approx(bones.sole_m, abs=1e-4)
        np.testing.assert_allclose(np.linalg.norm(posed.quats, axis=1), 1, atol=1e-5)
        moved, last = max(moved, np.linalg.norm(points - rest, axis=1).max()), points
    assert moved > 0.04
    np.testing.assert_array_equal(last, rest)


def test_she_waves_while_she_walks_and_only_that_arm_knows(bones):
    for phase in np.linspace(0, 2, 7):
        plain = _points(bones, speed=1.4, phase=phase)
        waving = _points(bones, Act("wave", 1.0, 3.0), speed=1.4, phase=phase)
        apart = np.linalg.norm(waving - plain, axis=1)
        assert apart[bones.arms[RIGHT].whole == 0].max() < 0.05
        assert apart[_hand(bones, RIGHT)].min() > 0.4


def test_gestures_of_different_limbs_go_together_and_of_one_limb_the_last_wins(bones):
    right, left, nod = Act("wave", 1.0, 3.0), Act("point", 1.0, 3.0, "left"), Act("nod", 0.9, 3.0)
    both = posture([right, left, nod])
    assert both.arms == (posture([left]).arms[LEFT], posture([right]).arms[RIGHT])
    assert both.nod == posture([nod]).nod > 0
    assert (
        posture([right, Act("point", 1.0, 3.0)]).arms[RIGHT] == posture([Act("point", 1.0, 3.0)]).arms[RIGHT]
    )
    # One gesture takes the arm over from another without a jump.
    last = None
    for frame in range(4 * FPS):
        acts = [Act("wave", frame / FPS, 2.0), Act("salute", frame / FPS - 1.0, 2.0)]
        points = _points(bones, *acts)
        assert last is None or np.linalg.norm(points - last, axis=1).max() * FPS < 9
        last = points


def test_arms_reach_where_the_words_say(bones):
    right, left = _hand(bones, RIGHT), _hand(bones, LEFT)
    shoulder = bones.arms[RIGHT].root
    ahead = _points(bones, Act("point", 1.0, 2.0))[right].mean(axis=0)
    assert ahead[2] > 0.4 and abs(ahead[1] - shoulder[1]) < 0.15 and abs(ahead[0]) < 0.3
    aside = _points(bones, Act("point", 1.0, 2.0, "left"))[left].mean(axis=0)
    assert aside[0] > 0.55 and abs(aside[1] - shoulder[1]) < 0.2
    up = _points(bones, Act("raise_arms", 1.0, 2.0))
    assert min(up[right, 1].min(), up[left, 1].min()) > 1.62
    brow = _points(bones, Act("salute", 1.0, 2.0))[right].mean(axis=0)
    assert np.linalg.norm(brow - (-0.1, 1.55, 0.1)) < 0.27
    mouth = _points(bones, Act("drink", 1.0, 2.0))[right].mean(axis=0)
    assert np.linalg.norm(mouth - (0, 1.48, 0.15)) < 0.22
    together = [np.abs(_points(bones, Act("clap", t, 3.0))[right, 0]).min() for t in np.linspace(1, 1.5, 13)]
    assert min(together) < 0.05


def test_a_bow_bends_the_upper_body_over_standing_legs(bones):
    rest, bowed = _points(bones), _points(bones, Act("bow", 1.0, 2.0))
    head, feet = rest[:, 1] > 1.5, rest[:, 1] < 0.6
    assert (bowed[head] - rest[head])[:, 2].mean() > 0.4
    assert (bowed[head] - rest[head])[:, 1].mean() < -0.15
    assert np.abs(bowed[feet] - rest[feet]).max() < 0.02


def test_head_gestures_leave_the_shoulders_alone(bones):
    rest = _points(bones)
    for act in (Act("nod", 0.9, 2.0), Act("shake_head", 0.9, 2.0)):
        apart = np.linalg.norm(_points(bones, act) - rest, axis=1)
        assert apart[rest[:, 1] < bones.arms[LEFT].root[1]].max() < 0.01
        assert apart[rest[:, 1] > 1.5].max() > 0.03


@pytest.mark.parametrize(
    ("action", "lower_m"), [("crouch", 0.3), ("sit", 0.25), ("kneel", 0.3), ("pick_up", 0.4)]
)
def test_legs_fold_over_feet_that_stay(bones, action, lower_m):
    rest, low = _points(bones), _points(bones, Act(action, 1.0, 2.0))
    assert low[:, 1].max() < rest[:, 1].max() - lower_m
    feet = [limb.end > 0.9 for limb in bones.legs]
    if action != "kneel":
        for foot in feet:
            assert np.abs(low[foot].mean(axis=0) - rest[foot].mean(axis=0)).max() < 0.03
    assert (low[feet[LEFT], 2].mean() + low[feet[RIGHT], 2].mean()) / 2 == pytest.approx(
        (rest[feet[LEFT], 2].mean() + rest[feet[RIGHT], 2].mean()) / 2, abs=0.1
    )


def test_a_kick_leaves_one_foot_where_it_stands(bones):
    rest, kick = _points(bones), _points(bones, Act("kick", 1.0, 2.0, "left"))
    apart = [np.linalg.norm((kick - rest)[limb.end > 0.9].mean(axis=0)) for limb in bones.legs]
    assert apart[LEFT] > 0.4 and apart[RIGHT] < 0.02


@given(lift=st.floats(0, 2), speed=st.floats(0, 1.5), elapsed=st.floats(0, 2))
@settings(max_examples=15, deadline=None)
def test_a_jump_takes_the_whole_body_up(bones, lift, speed, elapsed):
    act = Act("wave", elapsed, 2.0)
    down, up = (_points(bones, act, speed=speed, phase=0.3, lift=m) for m in (0.0, lift))
    np.testing.assert_allclose(up, down + np.array([0, lift, 0]), atol=1e-5)


def test_a_gesture_too_short_to_be_made_is_hinted_at(bones):
    hand = _hand(bones, RIGHT)
    rest = _points(bones)[hand, 1].mean()
    brief, full = (_points(bones, Act("wave", d / 2, d))[hand, 1].mean() - rest for d in (0.2, 2.0))
    assert 0.02 < brief < 0.5 * full


def test_arms_pressed_to_the_body_cannot_wave():
    trunk = [c for c in figure.CAPSULES if max(abs(c[0][0]), abs(c[1][0])) < 0.15]
    stiff = rig(hull(figure.views(capsules=trunk), figure.HEIGHT_M))
    np.testing.assert_allclose(_points(stiff, Act("wave", 1.0, 2.0)), _points(stiff), atol=1e-4)


def test_a_raised_arm_takes_no_chip_of_the_bag_along():
    """A satchel that touches the arm stays at the hip, and the arm leaves nothing there."""
    bag = ((0.27, 0.98, 0.0), (0.27, 0.86, 0.0), 0.07, 0.07, figure.BOOTS)
    laden = rig(hull(figure.views(capsules=[*figure.CAPSULES, bag]), figure.HEIGHT_M))
    arm = laden.arms[LEFT]
    assert arm is not None
    points = _points(laden, Act("raise", 1.0, 2.0, "left"))
    up = points[:, 1] > 1.5
    beside = up & (points[:, 0] > 0.2)
    line = points[_hand(laden, LEFT)].mean(axis=0) - arm.root
    off = points[beside] - arm.root
    off -= np.outer(off @ line / (line @ line), line)
    assert np.linalg.norm(off, axis=1).max() < 0.2
