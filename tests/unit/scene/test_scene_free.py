"""Free space of made-up places whose walls stand where they were put."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from places import box, discs, flat, surface

from anix_cli.core.gaussians import Gaussians, concatenate
from anix_cli.core.stage import HeightMap
from anix_cli.scene import cropped, robust_bounds, transform
from anix_cli.scene.free import FreeSpace, _cell, free_space
from anix_cli.scene.surface import surface_points

WALL = box((-10, 0, 6), (10, 3, 6.01), "z", 30_000)
TABLE = box((2, 0.75, -1), (3.2, 0.76, 0), "y", 2_000)
PILLAR = box((-4, 0, -4), (-3.7, 3, -3.7), "x", 2_000)
LAMP = box((-6, 2, -1), (-5, 2.1, 0), "y", 2_000)
BOUNDS = np.array([[-10.0, 0, -10], [10, 3, 10]])


@pytest.fixture(scope="module")
def yard() -> Gaussians:
    return concatenate([surface(flat, 60_000), WALL, TABLE, PILLAR, LAMP])


@pytest.fixture(scope="module")
def space(yard: Gaussians) -> FreeSpace:
    return free_space(yard, BOUNDS, HeightMap.level(0.0))


def test_what_is_there_is_taken(space: FreeSpace) -> None:
    assert space.cell_m == 0.125
    taken = [[0, 1, 6], [5, 2, 6], [2.5, 0.75, -0.5], [0, 0, 0], [-3.85, 1, -3.7]]
    free = [[0, 1, 5.5], [2.5, 0.4, -0.5], [2.5, 1.2, -0.5], [0, 1, 0], [0, 50, 0], [99, 1, 99]]
    near = np.array(taken)[:, None] + np.array([[0, 0, 0], [0.06, 0.06, 0.06], [-0.06, -0.06, -0.06]])
    assert space.occupied(near).any(axis=1).all()
    assert not space.occupied(free).any()


def test_clearance_is_the_way_to_the_nearest_thing(space: FreeSpace) -> None:
    points = [[8, 1, 5], [8, 1, 2], [0, 2.5, 0], [2.6, 1.76, -0.5], [0, 1, 6]]
    np.testing.assert_allclose(space.clearance_m(points), [1, 1, 2.5, 1, 0], atol=0.14)
    assert space.clearance_m([8, 1, 5]).shape == ()
    assert space.clearance_m(np.zeros((2, 3, 3))).shape == (2, 3)


def test_depth_along_rays(space: FreeSpace) -> None:
    start = [[0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0], [2.5, 2, -0.5]]
    ways = [[0, 0, 2], [0, 0, -1], [0, -1, 0], [0, -1, 1], [0, -5, 0]]
    depth = space.ray_depth_m(start, ways)
    np.testing.assert_allclose(depth, [6, np.inf, 1, np.sqrt(2), 1.25], atol=0.18)
    assert np.isinf(space.ray_depth_m([0, 1, 0], [0, 0, 1], most_m=5))


def test_where_a_body_can_stand(space: FreeSpace) -> None:
    room = space.standing
    spots = {
        "open": ([0, 0], True),
        "beside the wall": ([0, 5.5], True),
        "close to the wall": ([0, 5.85], False),
        "in the wall": ([0, 6], False),
        "in the table": ([2.6, -0.5], False),
        "at the table": ([2.6, 0.6], True),
        "in the pillar": ([-3.85, -3.85], False),
        "under the lamp": ([-5.5, -0.5], True),
    }
    assert dict(zip(spots, room.free([xz for xz, _ in spots.values()]), strict=True)) == {
        name: free for name, (_, free) in spots.items()
    }
    np.testing.assert_allclose(room.clearance_m([[8, 4], [0, 99]]), [2, np.inf], atol=0.2)
    assert room.on_floor([[0, 0], [9, -9]]).all() and not room.on_floor([[0, 30]]).any()


@pytest.mark.parametrize("xz", [(0.0, 6.0), (2.6, -0.5), (-3.85, -3.85), (0.0, 0.0)])
def test_the_nearest_free_place_is_free_and_near(space: FreeSpace, xz: tuple[float, float]) -> None:
    found = space.standing.nearest_free(xz)
    assert found is not None and space.standing.free(found)
    assert np.hypot(*np.subtract(found, xz)) < (0.1 if xz == (0, 0) else 1.05)


def test_what_was_observed(space: FreeSpace) -> None:
    seen, beyond = space.observed([[0, 1.6, 0], [0, 1.6, 40]])
    assert seen > 0.7 and beyond < 0.05


def test_a_slope_is_no_obstacle(yard: Gaussians) -> None:
    def slope(x: np.ndarray, z: np.ndarray) -> np.ndarray:
        return 0.2 * z

    hill = concatenate([surface(slope, 60_000), box((3, 0, 3), (4, 2, 3.02), "z", 3_000)])
    x, z = np.meshgrid(np.arange(-10, 10.1, 0.5), np.arange(-10, 10.1, 0.5))
    ground = HeightMap((-10.0, -10.0), 0.5, slope(x, z))
    room = free_space(hill, robust_bounds(hill), ground).standing
    assert room.free([[0, 0], [0, 7], [0, -7]]).all()
    assert not room.free([3.5, 3])


def test_faint_floaters_and_haze_take_nothing() -> None:
    rng = np.random.default_rng(2)
    faint = discs(rng.uniform((-9, 0.4, -9), (9, 1.4, 9), (300, 3)))
    faint = replace(faint, opacities=faint.opacities * np.float32(0.15))
    haze = discs(rng.uniform((-9, 1, -9), (9, 1.4, 9), (20, 3)))
    haze = replace(haze, scales=haze.scales * np.float32(100))
    scene = concatenate([surface(flat, 60_000), faint, haze])
    room = free_space(scene, BOUNDS, HeightMap.level(0.0)).standing
    assert room.blocked.mean() < 0.001


def test_a_lone_speck_is_no_obstacle_and_a_bollard_is_one() -> None:
    solid = replace(discs(np.array([[2.0, 0.8, 0]])), scales=np.float32([[0.09, 0.08, 0.09]]))
    pair = replace(
        discs(np.array([[4.0, 0.7, 0], [4.02, 0.75, 0.03]])), scales=np.float32([[0.06, 0.02, 0.06]] * 2)
    )
    scraps = discs(np.array([[6.0, 0.7, 0], [6.02, 0.74, 0.03], [6.04, 0.7, 0.02], [6.0, 0.72, 0.05]]))
    scraps = replace(scraps, scales=scraps.scales * np.float32(0.3))
    bollard = [box((-4, 0, z), (-3.88, 0.9, z + 0.01), "z", 60) for z in (0.0, 0.12)]
    bollard += [box((x, 0, 0), (x + 0.01, 0.9, 0.12), "x", 60) for x in (-4.0, -3.88)]
    post = replace(
        discs(np.array([[-6.06, y, 0.06] for y in (0.4, 0.8, 1.2)]), "z"),
        scales=np.float32([[0.03, 0.03, 0.25]] * 3),
    )
    scene = concatenate([surface(flat, 60_000), solid, pair, scraps, *bollard, post])
    space = free_space(scene, BOUNDS, HeightMap.level(0.0))
    assert space.standing.free([[2, 0], [4, 0], [6, 0]]).all(), "one, two, and a few scraps"
    assert not space.occupied([[2.0, 0.8, 0], [4.0, 0.72, 0], [6.02, 0.72, 0.02]]).any()
    assert not space.standing.free([[-3.94, 0.06], [-6.06, 0.06]]).any()


@pytest.mark.parametrize(
    ("width", "height", "cell"),
    [
        (8, 3, 0.125),
        (125, 30, 0.125),
        (126, 30, 0.25),
        (600, 9, 1),
        (7, 3, 0.0625),
        (0.07, 3e3, 1),
        (1e-6, 0, None),
    ],
)
def test_cells_nest_and_are_never_too_many(width: float, height: float, cell: float | None) -> None:
    got = _cell(np.array([width, height, width / 3]))
    assert np.log2(got / 0.125).is_integer() and width / got <= 1000 and height / got <= 4000
    assert cell is None or got == cell
    assert width / got >= 60 or height / got > 2000


def test_a_crop_moves_no_cell() -> None:
    yard = concatenate([surface(flat, 60_000), WALL, TABLE, PILLAR, LAMP])
    whole = free_space(yard, robust_bounds(yard), HeightMap.level(0.0))
    for limits in (((-7.3, 7.1), None, (-6.2, 9.0)), (None, (-1.0, 2.77), (-4.85, 8.4))):
        part = cropped(yard, limits)
        space = free_space(part, robust_bounds(part), HeightMap.level(0.0))
        assert space.cell_m == whole.cell_m
        np.testing.assert_array_equal(space.low_m % space.cell_m, 0)
        # Away from the cut, what is taken and blocked is the very same.
        x, y, z = np.meshgrid(np.arange(-6, 6, 0.06), np.arange(0.03, 2.4, 0.2), np.arange(-4.2, 7, 0.06))
        points = np.stack([x, y, z], axis=-1)
        np.testing.assert_array_equal(space.occupied(points), whole.occupied(points))
        spots = points[0][..., [0, 2]]
        np.testing.assert_array_equal(
            space.standing.clearance_m(spots) == 0, whole.standing.clearance_m(spots) == 0
        )


def test_rays_from_far_outside_arrive() -> None:
    yard = concatenate([surface(flat, 60_000), WALL])
    space = free_space(yard, BOUNDS, HeightMap.level(0.0))
    far = [[0, 1, -1e5], [0, 1, -1e5], [0, 1e6, 0], [1e4, 40, 0]]
    ways = [[0, 0, 1], [0, 0, -1], [0, -1, 0], [-1, 0, 0]]
    np.testing.assert_allclose(space.ray_depth_m(far, ways), [1e5 + 6, np.inf, 1e6, np.inf], atol=0.2)
    assert np.isinf(space.ray_depth_m(far[0], ways[0], most_m=1e4))


def test_a_few_large_gaussians_make_a_wall_as_many_small_ones_do() -> None:
    x, y = np.meshgrid(np.arange(-9, 9.1, 0.6), np.arange(0.3, 3, 0.6))
    few = discs(np.stack([x.ravel(), y.ravel(), 0 * x.ravel() + 6], axis=1), "z")
    few = replace(few, scales=few.scales * np.float32([5, 1, 5]))
    room = free_space(concatenate([surface(flat, 60_000), few]), BOUNDS, HeightMap.level(0.0)).standing
    along = np.stack([np.linspace(-8, 8, 50), np.full(50, 6.0)], axis=1)
    assert not room.free(along).any()
    assert room.free(along - (0, 1)).all()


def test_areas_add_up_and_the_unit_does_not_matter() -> None:
    part = surface(flat, 5_000)
    low, high = np.array([-50.0, -5, -50]), np.array([50.0, 5, 50])
    whole = float((2 * np.pi * part.opacities * part.scales[:, 0] * part.scales[:, 2]).sum())
    for cell in (0.02, 0.1, 1.0):
        assert surface_points(part, low, high, cell).areas.sum() == pytest.approx(whole, rel=1e-4)
    one, other = (surface_points(part, low, high, 0.1) for _ in range(2))
    np.testing.assert_array_equal(one.points, other.points)
    small = transform(concatenate([part, WALL]), np.diag([0.01, 0.01, 0.01, 1]))
    space = free_space(small, BOUNDS * 0.01, HeightMap.level(0.0))
    assert (
        space.cell_m < 0.004 and space.occupied([[0, 0.02, 0.06]]) and not space.occupied([[0, 0.02, 0.05]])
    )


def test_nothing_at_all_is_free_everywhere() -> None:
    nothing = free_space(discs(np.full((3, 3), 500.0)), BOUNDS, HeightMap.level(0.0))
    assert not nothing.occupied([[0, 0, 0]]).any()
    assert np.isinf(nothing.clearance_m([0, 0, 0])) and np.isinf(nothing.ray_depth_m([0, 1, 0], [0, 0, 1]))
    assert nothing.standing.free([0, 0]) and nothing.standing.nearest_free((0, 0)) is None
    assert nothing.observed([0, 1, 0]) == 0
