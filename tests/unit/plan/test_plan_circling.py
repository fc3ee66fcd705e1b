"""Going round a place: a circle that is free, the way that is said, as far as is said."""

from __future__ import annotations

import numpy as np
import pytest
from plan_films import codes, plan, screenplay, shot

from anix_cli.core.errors import AnixError
from anix_cli.core.plan import PlannedShot
from anix_cli.core.screenplay import AnchorSpec
from anix_cli.scene.standing import StandingRoom

WELL = (1.0, 8.0)
ANCHORS = {
    "start": AnchorSpec((0.0, 0.0), face=0.0),
    "near": AnchorSpec((2.5, 8.0), face=180.0),
    "well": AnchorSpec(WELL),
}


def room(half_m: float, reach_m: float = 20.0) -> StandingRoom:
    """Free ground with a square block about the well, within walls."""
    cell, count = 0.125, int(2 * reach_m / 0.125)
    at = (np.arange(count) + 0.5) * cell - reach_m
    x, z = np.meshgrid(at, at)
    blocked = (np.abs(x - WELL[0]) < half_m) & (np.abs(z - WELL[1]) < half_m)
    return StandingRoom((-reach_m, -reach_m), cell, blocked, ~blocked)


def go(command: str, seconds: float, anchor: str = "near", around: StandingRoom | None = None) -> PlannedShot:
    play = screenplay(shot("a", command, seconds, anchor=anchor), anchors=ANCHORS)
    return next(iter(plan(play, room=around).shots()))


def polar(item: PlannedShot) -> tuple[np.ndarray, np.ndarray]:
    """Metres from the well, and degrees round it, counterclockwise seen from above."""
    away = item.subjects[0].root[:, [0, 2]] - WELL
    return np.hypot(*away.T), np.degrees(np.unwrap(np.arctan2(away[:, 0], away[:, 1])))


@pytest.mark.parametrize(
    ("command", "degrees"),
    [
        ("walks around the well clockwise", -360), ("walks around the well counterclockwise", 360),
        ("runs around the well three times", -1080), ("jogs twice around the well", -720),
    ],
)  # fmt: skip
def test_goes_round_as_far_and_the_way_that_is_said(command: str, degrees: float) -> None:
    away, round_ = polar(go(command, 30))
    assert np.abs(away - 1.5).max() < 0.01
    assert abs(round_[-1] - round_[0]) == pytest.approx(abs(degrees), abs=1)
    assert "clockwise" not in command or round_[-1] - round_[0] == pytest.approx(degrees, abs=1)


def test_faces_along_its_way_and_goes_at_its_pace() -> None:
    item = go("walks around the well", 9)
    subject = item.subjects[0]
    steps = np.diff(subject.root[:, [0, 2]], axis=0)
    moving = np.linalg.norm(steps, axis=1) * 16 > 1.0
    course = np.arctan2(steps[:, 0], steps[:, 1])
    off = np.angle(np.exp(1j * (course - subject.yaw_rad[:-1])))
    assert moving.sum() > 60 and np.degrees(np.abs(off[moving])).max() < 12
    assert subject.speed_mps.max() == pytest.approx(1.4, rel=0.12)


def test_goes_on_into_the_next_shot_where_the_time_is_short() -> None:
    item = go("walks around the well", 4)
    assert 60 < abs(np.ptp(polar(item)[1])) < 300 and item.subjects[0].speed_mps[-1] > 1.2


@pytest.mark.parametrize("half_m", [0.6, 1.5, 2.6])
def test_keeps_clear_of_what_is_there(half_m: float) -> None:
    """The circle is as wide as what it goes round: no point of it is in the block, nor far from it."""
    item = go("walks around the well counterclockwise", 40, "start", room(half_m))
    away, _ = polar(item)
    root = item.subjects[0].root[:, [0, 2]] - WELL
    assert np.abs(root).max(axis=1).min() > half_m + 0.12
    circle = away[len(away) // 2]
    assert np.hypot(half_m, half_m) < circle < max(np.hypot(half_m, half_m) + 1.0, 3.01)


def test_where_no_circle_is_free_is_told() -> None:
    closed = room(1.5)
    closed.blocked[:, int((WELL[0] + 20) / 0.125)] = True
    closed.floor[:] = ~closed.blocked
    with pytest.raises(AnixError) as caught:
        go("walks around the well", 20, "near", closed)
    assert "E221" in codes(caught.value)


def test_too_far_for_its_time_is_told() -> None:
    with pytest.raises(AnixError) as caught:
        go("walks around the well three times", 4)
    assert codes(caught.value) == ["E212"]
