"""Colours held to the guide, and the numbers about seams and drift."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anix_cli.generate.colourlock import lock
from anix_cli.generate.scores import drift, seam

RNG = np.random.default_rng(5)
GUIDE = np.stack([np.roll(RNG.integers(60, 190, (60, 80, 3)), 2 * i, axis=1) for i in range(6)]).astype(
    np.uint8
)
ANCHOR = np.zeros((6, 60, 80), bool)
ANCHOR[:, 20:50, 30:50] = True


def clean():
    """What a generator should give: the guide, with a character in the anchor."""
    frames = GUIDE.copy()
    frames[ANCHOR] = RNG.integers(0, 255, (int(ANCHOR.sum()), 3))
    return frames


def off(frames, gain, offset):
    return np.clip(np.round(frames * gain + offset), 0, 255).astype(np.uint8)


@given(st.floats(0.85, 1.15), st.floats(-15, 15))
def test_an_affine_drift_is_taken_out(gain, offset):
    made = clean()
    locked = lock(off(made, gain, offset), GUIDE, ANCHOR)
    assert np.abs(locked.frames[~ANCHOR].astype(int) - GUIDE[~ANCHOR]).mean() < 1.0
    inside = made[ANCHOR].astype(float)
    sound = (inside * gain + offset > 0) & (inside * gain + offset < 255)
    assert np.abs(locked.frames[ANCHOR].astype(float) - inside)[sound].mean() < 2.0
    np.testing.assert_allclose(locked.gain, 1 / gain, atol=0.03)


def test_a_flash_in_the_first_frames_goes():
    made = clean()
    flashed = made.copy()
    flashed[:2] = off(made[:2], 1.0, 12)
    locked = lock(flashed, GUIDE, ANCHOR)
    assert np.abs(locked.frames[~ANCHOR].astype(int) - GUIDE[~ANCHOR]).max() <= 1
    np.testing.assert_allclose(locked.offset[:2], -12, atol=0.3)
    np.testing.assert_allclose(locked.offset[2:], 0, atol=0.3)


def test_what_is_right_stays_as_it_is():
    made = clean()
    np.testing.assert_array_equal(lock(made, GUIDE, ANCHOR).frames, made)


def test_what_the_generator_mended_does_not_pull_the_colours():
    made = clean()
    made[:, :12, :20] = 250  # a hole of the scan that it closed
    locked = lock(made, GUIDE, ANCHOR)
    assert np.abs(locked.offset).max() < 1.0
    np.testing.assert_allclose(locked.gain, 1, atol=0.01)


def test_another_picture_is_left_alone():
    other = np.random.default_rng(9).integers(0, 255, GUIDE.shape).astype(np.uint8)
    np.testing.assert_array_equal(lock(other, GUIDE, ANCHOR).frames, other)


def test_a_frame_without_kept_pixels_takes_the_nearest_fit():
    anchor = ANCHOR.copy()
    anchor[3] = True
    locked = lock(off(clean(), 1.0, 8), GUIDE, anchor)
    np.testing.assert_allclose(locked.offset[3], locked.offset[2])
    everywhere = np.ones_like(anchor)
    made = clean()
    np.testing.assert_array_equal(lock(made, GUIDE, everywhere).frames, made)


def request(tail):
    return SimpleNamespace(guide=GUIDE, anchor=ANCHOR, tail=tail)


def test_drift_is_how_far_means_are_off():
    made = clean()
    made[4:] = off(made[4:], 1.0, 10)
    found = drift(made, request(made[:0]))
    assert found["worst"] == 10 and 4.5 < found["last"] < 5.5 and found["first"] == 0


def test_a_seam_without_a_jump_scores_nothing():
    made = clean()
    found = seam(made[2:], request(made[:2]))
    assert found == {"levels": 0.0, "usual": 0.0, "repeats": False}
    flashed = off(made[2:], 1.0, 12)
    assert seam(flashed, request(made[:2]))["levels"] == 12
    assert seam(made, request(made[:0])) is None


def test_a_frame_that_comes_twice_is_told():
    made = clean()
    again = np.concatenate([made[1:2], made[2:5]])
    assert seam(again, request(made[:2]))["repeats"] is True
