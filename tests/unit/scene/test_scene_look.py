"""Views and map: things are where their coordinates say, and text says which way is which."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from places import box, discs, flat, surface

from anix_cli.core.gaussians import Gaussians, concatenate
from anix_cli.core.stage import HeightMap
from anix_cli.scene import robust_bounds
from anix_cli.scene.free import free_space
from anix_cli.scene.look import (
    MapView,
    Standpoint,
    View,
    eight_views,
    map_view,
    reachable,
    seen_in,
    standpoint,
    walkable,
)
from anix_cli.scene.mapsheet import covering, grid_step, map_sheet
from anix_cli.scene.sheet import Mark, pole_m, views_sheet
from anix_cli.scene.standing import StandingRoom

LEVEL = HeightMap.level(0.0)
GROUND = surface(flat, 8000)
WALLS = [
    box(*corners, normal, 6000)
    for side in (-10, 10)
    for normal, corners in (
        ("z", ((-10, 0, side), (10, 4, side + 0.01))),
        ("x", ((side, 0, -10), (side + 0.01, 4, 10))),
    )
]
YARD = concatenate([GROUND, *WALLS])


def lamp(x: float, y: float, z: float) -> Gaussians:
    """A small white ball."""
    return Gaussians(
        np.array([[x, y, z]], np.float32), np.array([[1, 0, 0, 0]], np.float32),
        np.full((1, 3), 0.1, np.float32), np.ones(1, np.float32), np.full((1, 1, 3), 9, np.float32),
    )  # fmt: skip


def brightest(rgb: np.ndarray) -> np.ndarray:
    """(x, y) of the middle of what is nearly white."""
    y, x = np.nonzero(rgb.min(axis=-1) > 200)
    assert len(x)
    return np.array([x.mean() + 0.5, y.mean() + 0.5])


@pytest.mark.parametrize("place", [(0.0, 0.0), (6.0, 2.5), (-3.25, 7.0), (8.0, -8.0)])
def test_the_map_is_true(place: tuple[float, float]) -> None:
    x, z = place
    scene = concatenate([GROUND, lamp(x, 0.2, z)])
    view = map_view(scene, robust_bounds(scene), LEVEL, side_px=400)
    at = view.pixel(place)
    assert np.linalg.norm(brightest(view.rgb) - at) < 1.0
    column, row = (int(value) for value in at)
    np.testing.assert_allclose(view.ground_points()[row, column], place, atol=1 / view.pixels_per_m)


def test_on_the_map_z_is_up_and_x_to_the_left() -> None:
    view = MapView(np.zeros((100, 200, 3), np.uint8), 10.0, 5.0, 10.0, None)
    np.testing.assert_allclose(view.pixel([[10, 5], [9, 5], [10, 4]]), [[0, 0], [10, 0], [0, 10]])


def test_what_is_above_heads_is_left_out_of_the_map() -> None:
    roof = discs(np.random.default_rng(0).uniform((-10, 5, -10), (10, 5.01, 10), (6000, 3)))
    roof = replace(roof, scales=roof.scales * np.float32(5))
    scene = concatenate([YARD, roof, lamp(2, 0.2, 3)])
    view = map_view(scene, robust_bounds(scene), LEVEL, side_px=300)
    assert view.cut_m == 3
    assert np.linalg.norm(brightest(view.rgb) - view.pixel((2, 3))) < 1.0
    without = map_view(scene, robust_bounds(scene), None, side_px=300)
    assert without.cut_m is None
    assert without.rgb.min(axis=-1).max() < 200  # the roof hides the lamp


def test_a_map_of_a_corridor_is_wide_enough_to_write_on() -> None:
    scene = surface(flat, 3000)
    scene = scene.take(np.abs(scene.means[:, 0]) < 0.5)
    view = map_view(scene, robust_bounds(scene), LEVEL, side_px=400)
    height, width = view.rgb.shape[:2]
    assert (height, width) == (400, 200)
    assert view.shows((4.0, 0.0))
    assert not view.shows((6.0, 0.0))


def views_of(scene: Gaussians, stand: Standpoint) -> list[View]:
    return eight_views(scene, robust_bounds(YARD), stand)


def test_views_turn_right_and_left_is_x() -> None:
    stand = Standpoint(True, np.array([0, 1.6, 0.0]))
    views = views_of(concatenate([YARD, lamp(2, 1.6, 5)]), stand)
    assert [view.yaw_deg for view in views] == [0, -45, -90, -135, 180, 135, 90, 45]
    across, down = brightest(views[0].rgb)
    assert across < 200  # +X is on the left of a view along +Z
    assert abs(down - 160) < 3
    np.testing.assert_allclose(seen_in(views[0], [[2, 1.6, 5]])[0][0], (across, down), atol=1.5)
    for view in views:
        ahead = view.world_from_camera[:3, 2]
        yaw = np.radians(view.yaw_deg)
        np.testing.assert_allclose(ahead, (np.sin(yaw), 0, np.cos(yaw)), atol=1e-9)


def test_views_of_an_object_go_round_it_from_its_front() -> None:
    scene = discs(np.random.default_rng(0).normal(0, 1, (500, 3)))
    bounds = robust_bounds(scene)
    stand = standpoint(scene, bounds, None, None)
    assert not stand.inside
    views = eight_views(scene, bounds, stand)
    assert views[0].yaw_deg == 180
    assert views[0].world_from_camera[2, 3] > 2
    corners = np.stack(np.meshgrid(*bounds.T), axis=-1).reshape(-1, 3)
    for view in views:
        assert np.isfinite(seen_in(view, corners)[0]).all()
        assert abs(np.linalg.norm(view.world_from_camera[:3, 3] - stand.at) - stand.radius_m) < 1e-6


def test_what_is_hidden_is_told() -> None:
    views = views_of(YARD, Standpoint(True, np.array([0, 1.6, 0.0])))
    pixels, clear = seen_in(views[0], [[0, 0, 5], [0, 1.6, 15], [0, 1.6, -5]])
    assert clear.tolist() == [True, False, False]
    assert np.isfinite(pixels).all(axis=1).tolist() == [True, True, False]


def test_a_place_is_seen_from_an_open_spot_within() -> None:
    pillar = concatenate(
        [box((-1, 0, -1), (1, 3, -0.99), "z", 2000), box((-1, 0, 1), (1, 3, 1.01), "z", 2000)]
    )
    scene = concatenate([YARD, pillar])
    bounds = robust_bounds(scene)
    room = free_space(scene, bounds, LEVEL).standing
    stand = standpoint(scene, bounds, LEVEL, room)
    assert stand.inside
    x, y, z = stand.at
    assert max(abs(x), abs(z)) < 6
    assert abs(y - min(1.6, 0.35 * (bounds[1] - bounds[0])[1])) < 0.01
    assert room.clearance_m((x, z)) > 1
    lone = concatenate([GROUND, box((-1, 0, -1), (1, 3, 1), "z", 4000)])
    around = standpoint(
        lone, robust_bounds(lone), LEVEL, free_space(lone, robust_bounds(lone), LEVEL).standing
    )
    assert not around.inside


def test_what_a_wall_closes_off_is_not_reached() -> None:
    wall = box((-10, 0, 3), (10, 3, 3.01), "z", 12_000)
    scene = concatenate([YARD, wall])
    room = free_space(scene, robust_bounds(scene), LEVEL).standing
    walked = reachable(room, (0, -5))

    def at(x: float, z: float) -> tuple[int, int]:
        column, row = np.floor((np.array([x, z]) - room.low_m) / room.cell_m).astype(int)
        return row, column

    assert walked[at(4, -8)]
    assert walkable(room)[at(0, 7)]
    assert not walked[at(0, 7)]
    assert not walkable(room)[at(0, 3)]
    assert reachable(room, (0, 3)) is None
    assert reachable(room, (0, 300)) is None


@pytest.mark.parametrize(("scale", "step"), [(18.2, 5), (66, 1), (65, 2), (7, 10), (660, 0.1), (0.05, 2000)])
def test_grid_steps_are_round_and_far_enough_apart(scale: float, step: float) -> None:
    assert grid_step(scale) == pytest.approx(step)
    assert 66 <= grid_step(scale) * scale * 1.0001 < 5 * 66


def test_marks_are_drawn_where_they_are() -> None:
    bounds = robust_bounds(YARD)
    room = free_space(YARD, bounds, LEVEL).standing
    view = map_view(YARD, bounds, LEVEL, side_px=400)
    marks = [Mark("well", np.array([4.0, 0.0, -2.0]), 0.0)]
    plain, marked = (
        np.asarray(map_sheet(view, room, None, LEVEL, given, title="yard"), dtype=int)
        for given in ([], marks)
    )
    assert plain.shape == marked.shape
    y, x = np.nonzero(np.abs(marked - plain).sum(axis=-1) > 200)
    side, head = (plain.shape[1] - view.rgb.shape[1]) // 2, 104
    where = view.pixel((4, -2)) + np.array([side, head])
    assert np.hypot(x - where[0], y - where[1]).min() < 4
    assert x.min() > where[0] - 14  # the label is to the right
    stand = Standpoint(True, np.array([0, 1.6, 0.0]))
    views = views_of(YARD, stand)
    sheets = [
        np.asarray(views_sheet(views, stand, given, title="yard", eye_m=1.6, span=20), int)
        for given in ([], marks)
    ]
    sheets[1][:44] = sheets[0][:44]  # the title tells how high poles are
    y, x = np.nonzero(np.abs(sheets[1] - sheets[0]).sum(axis=-1) > 200)
    rows, columns = set((y > 44 + 350).tolist()), set((x // 486).tolist())
    assert rows == {True}
    assert columns <= {1, 2}  # along -Z +X, and perhaps along +X


def test_a_scene_without_ground_has_a_map_as_well() -> None:
    scene = discs(np.random.default_rng(0).normal(0, 1, (500, 3)))
    view = map_view(scene, robust_bounds(scene), None, side_px=200)
    sheet = map_sheet(view, None, None, None, [], title="thing")
    assert sheet.size[0] > view.rgb.shape[1]


def test_a_single_cell_is_seen_however_small_it_is_on_the_map() -> None:
    """A lamp post on a square of 400 m: its cell is less than a pixel wide."""
    cells = np.zeros((1600, 1600), bool)
    cells[400, 1000] = True
    room = StandingRoom((-200.0, -200.0), 0.25, cells, ~cells)
    view = MapView(np.full((480, 480, 3), 200, np.uint8), 210.0, 210.0, 480 / 420, None)
    covered = covering(cells, room, view)
    x, y = view.pixel((-200 + 1000.5 * 0.25, -200 + 400.5 * 0.25))
    assert covered[int(y), int(x)]
    assert 1 <= covered.sum() <= 4
    sheet = np.asarray(map_sheet(view, room, room.floor, LEVEL, [], title="square"), int)
    red = (sheet[..., 0] > 200) & (sheet[..., 1] < 100)
    near = red[104 + int(y) - 12 : 104 + int(y) + 12, 74 + int(x) - 12 : 74 + int(x) + 12]
    assert near.sum() > 40  # a ring


@pytest.mark.parametrize("pixels_per_m", [0.7, 3.0, 20.0, 90.0])
def test_covering_is_where_cells_are(pixels_per_m: float) -> None:
    cells = np.random.default_rng(3).random((40, 30)) < 0.1
    room = StandingRoom((-3.0, 2.0), 0.25, cells, ~cells)
    height, width = round(10.4 * pixels_per_m), round(8.3 * pixels_per_m)
    view = MapView(np.zeros((height, width, 3), np.uint8), 4.8, 12.3, pixels_per_m, None)
    covered = covering(cells, room, view)
    expected = np.zeros((height, width), bool)
    for row, column in zip(*np.nonzero(cells), strict=True):
        low = np.array([-3 + column * 0.25, 2 + row * 0.25])
        (x1, y1), (x0, y0) = view.pixel(low), view.pixel(low + 0.25)
        expected[
            max(0, int(np.floor(y0 + 1e-4))) : max(0, int(np.ceil(y1 - 1e-4))),
            max(0, int(np.floor(x0 + 1e-4))) : max(0, int(np.ceil(x1 - 1e-4))),
        ] = True
    np.testing.assert_array_equal(covered, expected)


@pytest.mark.parametrize(("span", "high"), [(40, 1.7), (3, 1.7), (2, 0.2), (0.004, 0.0005), (1e6, 1.7)])
def test_poles_have_room_in_small_scenes(span: float, high: float) -> None:
    assert pole_m(span) == pytest.approx(high)


def test_the_numbers_at_a_map_far_from_its_origin_have_room() -> None:
    assert grid_step(50, widest=8) == 2
    assert grid_step(66, widest=2) == 1
