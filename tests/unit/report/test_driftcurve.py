"""The curve of drift: in place, in scale, and not misled by what a backend may note."""

from __future__ import annotations

import pytest

from anix_cli.core.filmreport import ReportedClip, ReportedTake
from anix_cli.report.drawing import Line, svg
from anix_cli.report.driftcurve import _DRIFT, _SEAM, HEIGHT_PX, WIDTH_PX, drift_curve
from tests.unit.report.test_filmpage import KEY, a_shot

KNOWN = {"drift": {"first": 0, "last": 8, "worst": 9, "curve": [0.0, 4.0, 8.0]}, "seam": {"levels": 2.0}}


def take(*notes: object) -> ReportedTake:
    clips = tuple(
        ReportedClip(number, 6 * number, 6, 1, KEY, "", "made", "", KEY, 1.0, one)
        for number, one in enumerate(notes)
    )
    return ReportedTake(1, (a_shot("run", frames=6 * len(clips), clips=clips),))


def lines(drawing, colour) -> list[Line]:
    return [part for part in drawing.parts if isinstance(part, Line) and part.colour == colour]


def test_nothing_measured_is_no_drawing() -> None:
    assert drift_curve(take({}, {"drift": "x", "seam": 5})) is None


def test_clips_lie_one_after_the_other_and_values_in_scale() -> None:
    drawing = drift_curve(take({"drift": {"first": 2.0, "last": 4.0}}, KNOWN))
    assert drawing is not None
    first, second = (line.points for line in lines(drawing, _DRIFT))
    assert len(first) == 2 and len(second) == 3
    assert first[-1][0] < second[0][0], "in time"
    zero, eight = second[0][1], second[-1][1]
    assert first[0][1] == pytest.approx(zero + (eight - zero) / 4)
    (mark,) = lines(drawing, _SEAM)
    assert mark.points[0][1] == zero and mark.points[1][1] == pytest.approx(zero + (eight - zero) / 4)
    for part in drawing.parts:
        for x, y in part.points if isinstance(part, Line) else [part.at]:
            assert 0 <= x <= WIDTH_PX and 0 <= y <= HEIGHT_PX


@pytest.mark.parametrize("odd", [float("nan"), -1, 1e30, True, None, "<b>", [1]])
def test_what_is_no_number_is_left_out(odd: object) -> None:
    notes = {"drift": {"curve": [1.0, odd, 2.0]}, "seam": {"levels": odd}}
    drawing = drift_curve(take(notes))
    assert drawing is not None and len(lines(drawing, _DRIFT)[0].points) == 2
    assert not lines(drawing, _SEAM) and "<b>" not in svg(drawing)
