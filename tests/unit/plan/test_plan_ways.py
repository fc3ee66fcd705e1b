"""Characters go round what is in their way, up to what they are sent to, and into nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_films import codes, only, plan, planned, screenplay, shot, stage

from anix_cli.core.errors import AnixError
from anix_cli.core.plan import Subject
from anix_cli.core.screenplay import AnchorSpec
from anix_cli.core.stage import HeightMap
from anix_cli.plan.rounding import rounded
from anix_cli.plan.routes import Routes
from anix_cli.plan.terrain import CLOSE_M
from anix_cli.scene.standing import StandingRoom

CELL_M, SIDE_M = 0.125, 20.0
Box = tuple[float, float, float, float]


def room(*boxes: Box, floor: Box = (-10, 10, -10, 10)) -> StandingRoom:
    """Ground of 20 x 20 m about the origin with boxes (x0, x1, z0, z1) on it."""
    count = round(SIDE_M / CELL_M)
    middles = (np.arange(count) + 0.5) * CELL_M - SIDE_M / 2
    x, z = np.meshgrid(middles, middles)

    def within(box: Box) -> Any:
        return (box[0] < x) & (x < box[1]) & (box[2] < z) & (z < box[3])

    blocked = np.any([within(box) for box in boxes], axis=0) if boxes else np.zeros(x.shape, bool)
    return StandingRoom((-SIDE_M / 2, -SIDE_M / 2), CELL_M, blocked, within(floor) & ~blocked)


WALL: Box = (-4, 4, 1, 1.3)
"""Between the origin and z = 3, open at both ends."""
PLACES = {
    "door": AnchorSpec((0.0, 3.0)), "far": AnchorSpec((6.0, 8.0)), "statue": AnchorSpec((0.0, -6.0)),
    "vault": AnchorSpec((7.0, -7.0)), "near": AnchorSpec((0.0, 4.0)),
}  # fmt: skip


def goes(command: str, seconds: float, *boxes: Box, **more: Any) -> Subject:
    return _film(command, seconds, *boxes, **more).subjects[0]


def _film(command: str, seconds: float, *boxes: Box, **more: Any) -> Any:
    play = screenplay(shot("a", command, seconds), anchors=PLACES)
    return next(plan(play, room=room(*boxes), **more).shots())


def errors(command: str, seconds: float, *boxes: Box) -> AnixError:
    with pytest.raises(AnixError) as caught:
        _film(command, seconds, *boxes)
    return caught.value


def clearance(xz: Any, boxes: Sequence[Box]) -> float:
    """Distance to the nearest box, 0 inside."""
    away = [
        np.hypot(
            np.maximum(np.maximum(x0 - xz[:, 0], xz[:, 0] - x1), 0),
            np.maximum(np.maximum(z0 - xz[:, 1], xz[:, 1] - z1), 0),
        )
        for x0, x1, z0, z1 in boxes
    ]
    return float(np.min(away))


def length(xz: Any) -> float:
    return float(np.linalg.norm(np.diff(xz, axis=0), axis=1).sum())


def test_a_free_way_stays_as_it_is() -> None:
    play = screenplay(shot("a", "Mira walks to the far", 9), anchors=PLACES)
    free = next(plan(play, room=room()).shots()).subjects[0]
    known = next(plan(play).shots()).subjects[0]
    assert np.array_equal(free.root, known.root)
    assert np.array_equal(free.yaw_rad, known.yaw_rad)


def test_goes_round_a_wall_and_arrives_at_rest() -> None:
    mira = goes("Mira walks to the door", 14, WALL)
    xz = mira.root[:, [0, 2]]
    assert clearance(xz, [WALL]) > CLOSE_M
    assert np.allclose(xz[-1], (0, 3), atol=0.02)
    assert mira.speed_mps[0] == 0
    assert mira.speed_mps[-1] < 1e-6
    around = 2 * math.hypot(4.2, 1.15) + 0.3
    assert around - 0.7 < length(xz) < 1.15 * around


def test_the_body_turns_with_its_way_at_a_limited_rate() -> None:
    mira = goes("Mira walks to the door", 14, WALL)
    rate = np.abs(np.diff(mira.yaw_rad)) * 16
    assert rate.max() < math.radians(310)
    step = np.diff(mira.root[:, [0, 2]], axis=0)
    moving = np.linalg.norm(step, axis=1) > 0.06
    course = np.arctan2(step[:, 0], step[:, 1])
    off = np.abs((course - mira.yaw_rad[:-1] + math.pi) % math.tau - math.pi)[moving]
    assert np.degrees(np.median(off)) < 3
    assert np.degrees(off.max()) < 40


def test_speed_is_that_of_the_path() -> None:
    mira = goes("Mira walks to the door", 14, WALL)
    moved = np.linalg.norm(np.diff(mira.root[:, [0, 2]], axis=0), axis=1) * 16
    assert np.abs(moved - 0.5 * (mira.speed_mps[1:] + mira.speed_mps[:-1])).max() < 0.15


def test_runs_round_it_from_a_run_in_another_direction() -> None:
    shots = (shot("a", "Mira runs forward 0.5 seconds", 0.6), shot("b", "she runs to the beyond", 8))
    play = screenplay(*shots, anchors={**PLACES, "beyond": AnchorSpec((0.0, 5.5))})
    one, two = (item.subjects[0] for item in plan(play, room=room((-4, 4, 4, 4.3))).shots())
    both = np.concatenate([one.root, two.root])[:, [0, 2]]
    assert clearance(both, [(-4, 4, 4, 4.3)]) > 0.1
    assert np.allclose(both[-1], (0, 5.5), atol=0.05)
    assert np.linalg.norm(np.diff(both, axis=0), axis=1).max() * 16 < 6.6


def test_stops_before_a_thing_whose_middle_is_the_place() -> None:
    basin: Box = (-2, 2, -8, -4)
    mira = goes("Mira turns around and walks to the statue", 9, basin)
    assert mira.root[-1, 0] == pytest.approx(0, abs=0.01)
    assert -4 + CLOSE_M < mira.root[-1, 2] < -3.4
    assert abs(abs(mira.yaw_rad[-1]) - math.pi) < 0.02


def test_comes_round_to_a_thing_and_faces_it() -> None:
    basin, wall = (-2.0, 2.0, -8.0, -4.0), (-5.0, 5.0, -2.0, -1.7)
    mira = goes("Mira walks to the statue", 16, basin, wall)
    x, z = mira.root[-1, [0, 2]]
    assert clearance(mira.root[:, [0, 2]], [basin, wall]) > CLOSE_M
    assert clearance(np.array([[x, z]]), [basin]) < 0.6
    to = math.atan2(-x, -6 - z)
    assert math.cos(mira.yaw_rad[-1] - to) > math.cos(math.radians(2))


def test_no_way_through_a_closed_wall() -> None:
    cell = ((4.0, 10.0, -4.3, -4.0), (4.0, 4.3, -10.0, -4.0))
    error = errors("Mira walks to the vault", 12, *cell)
    assert codes(error) == ["E221"]
    assert "“vault”" in str(error.diagnostics[0].message)
    assert "at x 3.9, z -3.9" in error.diagnostics[0].message


def test_what_was_never_captured_is_no_way_round() -> None:
    play = screenplay(shot("a", "Mira walks to the near", 20), anchors=PLACES)
    with pytest.raises(AnixError) as caught:
        plan(play, room=room((-3, 3, 1, 1.3), floor=(-3, 3, -10, 10)))
    assert codes(caught.value) == ["E221"]


def test_walking_into_a_wall_names_where_and_how_far_it_is_free() -> None:
    error = errors("Mira walks 5 metres forward", 6, (-4, 4, 3, 3.3))
    assert codes(error) == ["E222"]
    told = error.diagnostics[0]
    assert "at x 0.0, z 2.9" in told.message or "at x 0.0, z 2.8" in told.message
    fits = float(told.message.split("; ")[1].split(" m ")[0])
    assert 2.3 < fits < 3 - CLOSE_M
    assert f"{fits:g} metres" in str(told.hint)
    again = goes(f"Mira walks {fits:g} metres forward", 6, (-4, 4, 3, 3.3))
    assert again.root[-1, 2] == pytest.approx(fits, abs=0.02)


def test_a_run_that_lasts_too_long_is_told_of() -> None:
    error = errors("Mira runs forward", 5, (-4, 4, 6, 6.3))
    assert codes(error) == ["E222"]
    assert "shorter" in str(error.diagnostics[0].hint)


def test_a_run_does_not_leap_over_a_post() -> None:
    assert codes(errors("Mira sprints forward", 2, (-0.1, 0.1, 6, 6.1))) == ["E222"]


def test_who_stands_in_something_may_leave_it() -> None:
    mira = goes("Mira walks 3 metres forward", 4, (-0.5, 0.5, -0.5, 0.5))
    assert mira.root[-1, 2] == pytest.approx(3, abs=0.02)


def test_a_part_of_the_way_to_a_place() -> None:
    mira = goes("Mira walks 2 metres to the door", 4)
    assert mira.root[-1, 2] == pytest.approx(2, abs=0.02)
    round_it = goes("Mira walks 3 metres to the door", 6, WALL)
    assert length(round_it.root[:, [0, 2]]) == pytest.approx(3, rel=0.05)


def test_a_place_nearer_than_is_said() -> None:
    play = screenplay(shot("a", "Mira walks 9 metres to the door", 5), anchors=PLACES)
    made = plan(play, room=room())
    assert [note.code for note in made.notes] == ["W225"]
    assert "3.0 m" in made.notes[0].message
    assert next(made.shots()).subjects[0].root[-1, 2] == pytest.approx(3, abs=0.02)


def test_the_time_for_a_detour_is_that_of_its_length() -> None:
    assert codes(errors("Mira walks to the door", 4, WALL)) == ["E212"]
    found = errors("Mira walks to the door", 4, WALL).diagnostics[0]
    seconds = float(found.message.split("at least ")[1].split(" s")[0])
    mira = goes("Mira walks to the door", seconds, WALL)
    assert np.allclose(mira.root[-1, [0, 2]], (0, 3), atol=0.05)


def test_feet_follow_slopes_and_stairs() -> None:
    grid = np.linspace(-10, 10, 81)
    ramp = np.clip((grid + 0.0) * 0.4, 0, 1.2)
    ground = HeightMap((-10.0, -10.0), 0.25, np.repeat(ramp[:, None], 81, axis=1))
    mira = goes("Mira walks to the door", 14, WALL, on=stage(ground))
    assert np.allclose(mira.root[:, 1], ground.at(mira.root[:, [0, 2]]))
    assert mira.root[-1, 1] == pytest.approx(1.2, abs=1e-6)


def test_a_cliff_is_no_way() -> None:
    grid = np.linspace(-10, 10, 161)
    step = np.where(grid > 0.5, 1.0, 0.0)
    ground = HeightMap((-10.0, -10.0), 0.125, np.repeat(step[:, None], 161, axis=1))
    routes = Routes(room(WALL), ground)
    assert routes.route((0, -1), (0, 3)) is None


def ledge(height_m: float, x_from_m: float = -10.0) -> HeightMap:
    """Ground that is higher (lower) by so much from z = 3 on, where x is more than a limit."""
    grid = np.linspace(-10, 10, 161)
    return HeightMap(
        (-10.0, -10.0), 0.125, height_m * ((grid[:, None] > 3) & (grid[None, :] > x_from_m)).astype(float)
    )


@pytest.mark.parametrize("height_m", [1.0, 0.6, -0.6, -4.0])
@pytest.mark.parametrize("command", ["Mira walks forward seven metres", "Mira runs forward seven metres"])
def test_a_straight_way_over_a_drop_or_a_high_step_is_refused(command: str, height_m: float) -> None:
    with pytest.raises(AnixError) as caught:
        _film(command, 7, on=stage(ledge(height_m)))
    assert codes(caught.value) == ["E222"]
    told = caught.value.diagnostics[0].message
    assert "over a drop or a step too high" in told
    assert 2.4 <= float(told.split(" z ")[1].split(";")[0]) <= 3.0


@pytest.mark.parametrize("height_m", [0.17, -0.17, 0.3])
def test_a_straight_way_takes_a_step(height_m: float) -> None:
    mira = goes("Mira walks forward seven metres", 7, on=stage(ledge(height_m)))
    assert mira.root[-1, 2] == pytest.approx(7, rel=0.05)
    assert mira.root[-1, 1] == pytest.approx(height_m, abs=1e-6)


def test_to_a_place_one_goes_round_a_ledge() -> None:
    ground = HeightMap((-10.0, -10.0), 0.125, ledge(-2.0).heights_m - ledge(-2.0, 4.0).heights_m)
    ground.heights_m[ground.heights_m.shape[0] // 2 + 40 :] = 0.0  # a pit from z = 3 to 5, with a way past it
    mira = goes("Mira walks to the far", 14, on=stage(ground))
    assert np.allclose(mira.root[:, 1], 0.0, atol=1e-9)
    assert np.allclose(mira.root[-1, [0, 2]], (6, 8), atol=0.05)


places = st.tuples(st.floats(-9, 9), st.floats(-9, 9))
boxes = st.lists(
    st.tuples(st.floats(-8, 7), st.floats(-8, 7), st.floats(0.3, 5), st.floats(0.3, 5)),
    min_size=1,
    max_size=6,
)


@settings(deadline=None, max_examples=60)
@given(places, places, boxes)
def test_no_way_enters_what_is_taken(start: Any, goal: Any, sizes: Any) -> None:
    standing = room(*((x, x + w, z, z + d) for x, z, w, d in sizes))
    routes = Routes(standing, HeightMap.level(0.0))
    if not standing.free(start, 0.25):
        return
    route = routes.route(start, goal)
    if route is None:
        return
    curve = rounded(route.points, lambda points: routes.bump(points) is None, 0.6)
    fine = np.concatenate([np.linspace(a, b, 40) for a, b in pairwise(curve)])
    assert routes.bump(fine) is None
    row, column = (np.floor((fine[:, axis] + 10) / CELL_M).astype(int).clip(0, 159) for axis in (1, 0))
    assert not standing.blocked[row, column].any()
    assert route.arrives == bool(math.dist(route.end, goal) < 1e-9)


@settings(deadline=None, max_examples=25)
@given(st.floats(-170, 170), st.floats(0.5, 12), st.sampled_from(["walks", "jogs", "runs"]))
def test_distance_and_heading_are_as_said(degrees: float, metres: float, verb: str) -> None:
    side = "left" if degrees > 0 else "right"
    command = f"Mira turns {side} {abs(degrees):.0f} degrees and {verb} {metres:.1f} metres"
    root = planned(shot("a", command, 16))[0].subjects[0].root[:, [0, 2]]
    went = root[-1] - root[0]
    assert math.hypot(*went) == pytest.approx(float(f"{metres:.1f}"), rel=0.05)
    off = math.atan2(went[0], went[1]) - math.radians(float(f"{degrees:.0f}"))
    assert math.cos(off) > math.cos(math.radians(5))


@settings(deadline=None, max_examples=15)
@given(st.lists(st.floats(1.0, 4.0), min_size=1, max_size=4))
def test_a_compound_path_is_as_long_as_its_parts(parts: list[float]) -> None:
    said = [f"walks {part:.1f} metres" for part in parts]
    mira = only("Mira " + ", then turns left, then ".join(said), 8.0 * len(parts))
    total = sum(float(f"{part:.1f}") for part in parts)
    assert length(mira.root[:, [0, 2]]) == pytest.approx(total, rel=0.03)
    assert mira.speed_mps[0] == 0
    assert mira.speed_mps[-1] == pytest.approx(0, abs=1e-6)
