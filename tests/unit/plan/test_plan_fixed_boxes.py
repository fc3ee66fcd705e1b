"""``anchor_box``: where in the picture backends put the character."""

from __future__ import annotations

import numpy as np
from plan_films import plan, screenplay, shot

from anix_cli.core.screenplay import CameraSpec

STILL = CameraSpec("stationary")


def test_projected_boxes_go_with_the_body() -> None:
    (one,) = plan(screenplay(shot("a", "Mira walks forward", 4, camera=STILL))).shots()
    assert np.ptp(one.subjects[0].box_px, axis=0).max() > 20


def test_fixed_boxes_stay_where_the_shot_begins() -> None:
    (moving,) = plan(screenplay(shot("a", "Mira walks forward", 4))).shots()
    made = plan(screenplay(shot("a", "Mira walks forward", 4, anchor_box="fixed")))
    (one,) = made.shots()
    first = moving.subjects[0].box_px[:1]
    assert np.array_equal(one.subjects[0].box_px, np.repeat(first, one.frames, axis=0))
    assert one.subjects[0].visible.all()
    assert np.array_equal(one.subjects[0].root, moving.subjects[0].root)
    assert one.guide_key != moving.guide_key
    assert one.clips[0].recipe_key != moving.clips[0].recipe_key
    assert not made.notes


def test_who_leaves_a_fixed_box_is_told_of() -> None:
    made = plan(screenplay(shot("a", "Mira runs left", 4, camera=STILL, anchor_box="fixed")))
    assert [note.code for note in made.notes] == ["W227"]
