"""Fades and slates on frame arrays."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anix_cli.film.lettering import plain, wrapped
from anix_cli.film.slate import SlatedShot, _Writer, slate
from anix_cli.film.transition import Faded, fade, fade_gains

FPS = Fraction(16)


def gains_of(shots: list[tuple[int, float]]) -> np.ndarray:
    """Gains of a film whose shots (frames, seconds of their fade) follow each other."""
    starts = np.cumsum([0, *(frames for frames, _ in shots)]).tolist()
    faded = [Faded(start, frames, fade_s) for start, (frames, fade_s) in zip(starts, shots, strict=False)]
    return fade_gains(faded, FPS)[0]


def test_a_fade_goes_out_of_one_shot_and_into_the_next() -> None:
    gains = gains_of([(16, 0.0), (16, 0.5)])
    ramp = np.array([0.125, 0.375, 0.625, 0.875])
    np.testing.assert_allclose(gains[16:20], ramp)
    np.testing.assert_allclose(gains[12:16], ramp[::-1])
    assert (gains[:12] == 1).all()
    assert (gains[20:] == 1).all()


def test_the_first_shot_comes_in_only() -> None:
    gains = gains_of([(8, 0.5), (8, 0.0)])
    np.testing.assert_allclose(gains[:4], [0.125, 0.375, 0.625, 0.875])
    assert (gains[4:] == 1).all()


@given(
    st.lists(
        st.tuples(st.integers(1, 40), st.sampled_from([0.0, 0.1, 0.5, 2.0, 9.0])), min_size=1, max_size=6
    )
)
def test_gains_keep_the_length_and_touch_neighbours_only(shots) -> None:
    gains = gains_of(shots)
    assert len(gains) == sum(frames for frames, _ in shots)
    assert gains.min() >= 0
    assert gains.max() <= 1
    at = 0
    for number, (frames, fade_s) in enumerate(shots):
        touched = fade_s > 0 or (number + 1 < len(shots) and shots[number + 1][1] > 0)
        if not touched:
            assert (gains[at : at + frames] == 1).all()
        at += frames


@pytest.mark.parametrize("colour", [(0, 0, 0), (255, 255, 255), (135, 206, 235)])
def test_fading_goes_to_a_colour_and_leaves_full_frames_alone(colour: tuple[int, int, int]) -> None:
    frames = np.random.default_rng(0).integers(0, 256, (8, 6, 5, 3), dtype=np.uint8)
    drawn = fade([Faded(0, 4), Faded(4, 4, 0.25, colour)], FPS)(frames[2:], 2)
    gains = [0.75, 0.25, 0.25, 0.75, 1.0, 1.0]
    for frame, gain, was in zip(drawn, gains, frames[2:], strict=True):
        np.testing.assert_array_equal(
            frame, np.round(np.array(colour) + (was - np.array(colour, float)) * gain)
        )


SHOTS = [SlatedShot("run", "Mira runs forward", 0, 10), SlatedShot("wave", "", 10, 6)]


@pytest.mark.parametrize("background", [0, 128, 255])
def test_a_slate_is_readable_on_any_background(background: int) -> None:
    frames = np.full((2, 480, 832, 3), background, dtype=np.uint8)
    drawn = slate(SHOTS, fps=FPS, size_px=(832, 480))(frames, 0)
    np.testing.assert_array_equal(drawn[:, :380], frames[:, :380])
    band = drawn[:, 425:]
    light, dark = band.max() / 255, band.min() / 255
    luminance = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in (light, dark)]
    assert (luminance[0] + 0.05) / (luminance[1] + 0.05) >= 7, "contrast as WCAG 2.1 defines it"
    assert (frames == background).all(), "the input stays as it was"


def test_shot_and_time_code_change_with_the_frame() -> None:
    frames = np.zeros((16, 240, 416, 3), dtype=np.uint8)
    overlay = slate(SHOTS, fps=FPS, size_px=(416, 240))
    drawn = overlay(frames, 0)
    left, right = drawn[:, :, :200], drawn[:, :, 300:]
    np.testing.assert_array_equal(left[0], left[9])
    assert (left[9] != left[10]).any()
    assert all((right[i] != right[i + 1]).any() for i in range(9))
    in_pieces = np.concatenate([overlay(frames[:7], 0), overlay(frames[7:], 7)])
    np.testing.assert_array_equal(in_pieces, drawn)


TEXTS = ["日本語のコマンド", "علي يمشي", "🏃\u200d runs", "a\nb\tc\x00d", "\ud800 alone"]
LONG = ["x" * 5000, "two words " * 400]


@pytest.mark.parametrize("text", [*TEXTS, *LONG, "", " "])
@pytest.mark.parametrize("size", [(832, 480), (64, 36), (16, 16), (8, 8)])
def test_no_text_and_no_size_is_a_crash(text: str, size: tuple[int, int]) -> None:
    frames = np.full((1, size[1], size[0], 3), 90, dtype=np.uint8)
    drawn = slate([SlatedShot(text, text, 0, 1)], fps=FPS, size_px=size)(frames, 0)
    assert drawn.shape == frames.shape


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=200))
def test_what_is_drawn_fits_its_line(text: str) -> None:
    writer = _Writer((832, 480), None)
    lines = wrapped(writer.font, plain(text), 300, 2)
    assert 1 <= len(lines) <= 2
    assert all(writer.font.getlength(line) <= 300 for line in lines)


def test_a_long_command_ends_in_an_ellipsis() -> None:
    font = _Writer((832, 480), None).font
    lines = wrapped(font, "Mira runs forward " * 20, 400, 2)
    assert lines[1].endswith("…")
    assert "Mira runs forward" in lines[0]
    assert wrapped(font, "Mira waves", 400, 2) == ["Mira waves"]
