"""Labels keep apart; lengths have as many digits as they need."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from anix_cli.scene.labels import Labels, fitted, font, shortened
from anix_cli.scene.lengths import length, metres, short

WHITE = (255, 255, 255)


def overlap(one, other) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def test_labels_of_marks_that_lie_close_do_not_cover_each_other() -> None:
    picture = Image.new("RGB", (600, 400))
    labels = Labels(ImageDraw.Draw(picture), picture.size)
    marks = [(300 + 9 * (number % 4), 200 + 9 * (number // 4)) for number in range(12)]
    for x, y in marks:
        labels.keep_free((x - 10, y - 10, x + 10, y + 10))
    boxes = [labels.place(f"mark {number}", at, WHITE) for number, at in enumerate(marks)]
    assert not any(overlap(one, other) for one, other in combinations(boxes, 2))
    assert not any(overlap(box, (x - 10, y - 10, x + 10, y + 10)) for box in boxes for x, y in marks)
    labels.draw()
    assert np.asarray(picture).max() == 255


@pytest.mark.parametrize("at", [(2, 2), (198, 2), (2, 98), (198, 98), (500, 50)])
def test_a_label_stays_in_the_picture(at: tuple[int, int]) -> None:
    picture = Image.new("RGB", (200, 100))
    box = Labels(ImageDraw.Draw(picture), picture.size).place("bench", at, WHITE)
    if at[0] < 200:
        assert box[0] >= 0
        assert box[1] >= 0
        assert box[2] <= 200
        assert box[3] <= 100


def test_long_texts_are_cut() -> None:
    assert shortened("a  b\nc") == "a b c"
    assert shortened("x" * 200) == "x" * 13 + "…" + "x" * 13
    draw = ImageDraw.Draw(Image.new("RGB", (8, 8)))
    cut = fitted(draw, "a rather long title of a scene", 22, 120)
    assert cut.endswith("…")
    assert draw.textlength(cut, font(22)) <= 120
    assert fitted(draw, "short", 22, 120) == "short"


@pytest.mark.parametrize(
    ("value", "span", "expected"),
    [
        (-3.4217, 20, "-3.42"), (-0.001, 20, "0.00"), (0.00042, 0.05, "0.00042"), (1.5, 1, "1.500"),
        (3600.4, 7200, "3600"), (1e9, 2e9, "1e+09"), (2e-12, 1e-11, "2e-12"), (5, 0, "5.000"),
        (7.25, float("nan"), "7.250"),
    ],
)  # fmt: skip
def test_digits_of_coordinates(value: float, span: float, expected: str) -> None:
    assert metres(value, span) == expected


def test_noughts_at_the_end_go() -> None:
    assert [short(value, 20) for value in (0.5, 0, 12, 3.25)] == ["0.5", "0", "12", "3.25"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(5, "5 m"), (0.5, "0.5 m"), (0.05, "5 cm"), (0.002, "2 mm"), (0.0002, "0.2 mm"), (2000, "2 km"),
     (23.16, "23.16 m"), (0, "0 m"), (1e-9, "1e-09 m")],
)  # fmt: skip
def test_lengths_have_the_unit_that_suits_them(value: float, expected: str) -> None:
    assert length(value) == expected
