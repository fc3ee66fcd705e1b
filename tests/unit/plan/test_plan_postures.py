"""Postures last: who sits down sits until something ends it."""

from __future__ import annotations

import numpy as np
import pytest
from plan_films import planned, shot

from anix_cli.core.plan import Gesture

FPS, RISE = 16, 7
"""Frames a second, and those within which a posture is left (0.45 s)."""


def acts(*commands: str, seconds: float = 2, **more: bool) -> list[tuple[Gesture, ...]]:
    shots = [shot(f"s{at}", command, seconds, **more) for at, command in enumerate(commands)]
    return [item.subjects[0].gestures for item in planned(*shots)]


def test_who_sits_down_sits_through_the_take() -> None:
    first, second, third = acts("she sits down", "", "she nods")
    assert first == (Gesture("sit", 0, 32 + RISE),)
    assert second == (Gesture("sit", -32, 64 + RISE),)  # the same act, counted from this shot's first frame
    assert third == (Gesture("sit", -64, 96 + RISE), Gesture("nod", 0, 32))


@pytest.mark.parametrize("ends", ["she stands up", "she walks forward", "she jumps", "she kneels down"])
def test_what_needs_the_body_up_ends_it(ends: str) -> None:
    first, second = acts("she sits down", ends)
    assert first[0].start + first[0].frames == 32 + RISE
    assert second[0] == Gesture("sit", -32, 32 + RISE)
    assert [gesture.action for gesture in second].count("sit") == 1


def test_within_a_shot_it_lasts_until_the_next_way() -> None:
    (only,) = acts("she kneels down, then waves, then runs forward", seconds=6)
    kneel, wave = only
    assert (kneel.action, wave.action) == ("kneel", "wave") and kneel.start == 0
    assert kneel.start + kneel.frames == wave.start + wave.frames + RISE  # she runs when she has waved


def test_sitting_twice_is_sitting_once() -> None:
    first, second = acts("she sits down", "she sits")
    assert len(first) == len(second) == 1


def test_knee_bends_are_no_posture() -> None:
    first, second = acts("she kneels three times", "")
    assert first[0].frames == 32 and second == ()


def test_a_cut_keeps_it_and_an_anchor_does_not() -> None:
    assert acts("she sits down", "", cut=True)[1] == (Gesture("sit", -32, 64 + RISE),)
    taken = [
        item.subjects[0].gestures
        for item in planned(shot("a", "she sits down", 2), shot("b", "", 2, cut=True, anchor="door"))
    ]
    assert taken[1] == ()


def test_the_box_stays_that_of_one_who_sits() -> None:
    items = planned(shot("a", "she sits down", 2), shot("b", "", 2), shot("c", "she stands up", 2))
    boxes = [item.subjects[0] for item in items]
    assert all(np.isfinite(box.box_px).all() for box in boxes)
    assert boxes[1].root == pytest.approx(np.repeat(boxes[0].root[-1:], 32, axis=0))
