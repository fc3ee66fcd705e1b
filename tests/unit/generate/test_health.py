"""Frames that are no picture, judged against the guide."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from anix_cli.generate.health import fault

RNG = np.random.default_rng(3)
TEXTURE = RNG.integers(40, 200, (48, 64, 3)).astype(np.uint8)


def asked(guide, *, boxes=None, tail=0):
    count = len(guide)
    box = np.tile([10.0, 10, 20, 40], (count, 1)) if boxes is None else boxes
    who = SimpleNamespace(box_px=box, visible=np.ones(count, bool))
    return SimpleNamespace(guide=guide, tail=guide[:tail], blocking=(who,))


def moving(count=6, tail=0):
    return np.stack([np.roll(TEXTURE, 3 * i, axis=1) for i in range(count + tail)])


def test_a_picture_is_one():
    guide = moving(tail=2)
    assert fault(guide[2:], asked(guide, tail=2)) is None


@pytest.mark.parametrize(
    ("frames", "words"),
    [
        (np.zeros((6, 48, 64, 3), np.uint8), "black"),
        (np.full((6, 48, 64, 3), 90, np.uint8), "flat colour"),
        (np.stack([TEXTURE] * 6), "nothing moves"),
    ],
)
def test_no_picture_is_named(frames, words):
    assert words in fault(frames, asked(moving()))


def test_one_black_frame_is_enough():
    frames = moving()
    frames[4] = 0
    assert fault(frames, asked(moving())) == "frame 4 is black, and the scene there is not"


def test_a_black_scene_may_be_black_and_a_still_one_still():
    black = np.zeros((6, 48, 64, 3), np.uint8)
    assert fault(black, asked(black)) is None
    still = np.stack([TEXTURE] * 6)
    assert fault(still, asked(still)) is None


def test_a_character_that_should_go_and_does_not_is_frozen():
    still = np.stack([TEXTURE] * 6)
    boxes = np.tile([10.0, 10, 20, 40], (6, 1)) + np.arange(6)[:, None] * [2.0, 0, 2, 0]
    assert "nothing moves" in fault(still, asked(still, boxes=boxes))
    hidden = asked(still, boxes=boxes)
    hidden.blocking[0].visible[:] = False
    assert fault(still, hidden) is None


def test_the_tail_is_not_looked_at():
    guide = moving(tail=3)
    guide[:3] = 0
    assert fault(guide[3:], asked(guide, tail=3)) is None


def test_a_few_pixels_that_move_far_away_are_not_frozen():
    guide = np.stack([TEXTURE] * 6)
    boxes = np.tile([10.0, 10, 12, 14], (6, 1)) + np.arange(6)[:, None] * [1.0, 0, 1, 0]
    walking = guide.copy()
    for index in range(6):
        walking[index, 10:14, 10 + index : 12 + index] = 255
    assert fault(walking, asked(guide, boxes=boxes)) is None
