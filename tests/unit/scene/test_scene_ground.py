"""The ground of made-up places whose height is known in closed form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from places import FACADE, THIN, Height, box, discs, flat, houses, slope_of, surface

from anix_cli.core.gaussians import Gaussians, concatenate
from anix_cli.core.stage import HeightMap
from anix_cli.scene import robust_bounds, transform
from anix_cli.scene.ground import filmed_heights, find_ground


def ground_of(*parts: Gaussians) -> HeightMap | None:
    scene = concatenate(parts)
    return find_ground(scene, robust_bounds(scene))


def errors(found: HeightMap | None, height: Height, size: float = 9.0) -> NDArray[np.float64]:
    """Found height less true height over a grid."""
    assert found is not None
    x, z = np.meshgrid(np.linspace(-size, size, 61), np.linspace(-size, size, 61))
    return found.at(np.stack([x, z], axis=-1)) - height(x, z)


def test_a_plane_below_a_facade() -> None:
    error = errors(ground_of(surface(flat), FACADE), flat)
    assert np.abs(error).max() < 0.03
    # The visible top lies a little above the centres of the Gaussians, never below.
    assert 0 < np.median(error) < 2 * THIN


@pytest.mark.parametrize("degrees", [-5, 3, 5])
def test_a_slope_is_followed(degrees: float) -> None:
    def slope(x: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.tan(np.radians(degrees)) * z

    assert np.abs(errors(ground_of(surface(slope), FACADE), slope)).max() < 0.05


def test_a_kerb_is_followed() -> None:
    def kerb(x: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(x > 2, 0.15, 0.0)

    found = ground_of(surface(kerb), FACADE)
    assert found is not None
    np.testing.assert_allclose(found.at([[0, 0], [1.4, 5], [2.6, -5], [8, 3]]), [0, 0, 0.15, 0.15], atol=0.03)


def test_stairs_are_climbed() -> None:
    def stairs(x: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
        return 0.17 * np.clip(np.floor(x / 0.4), 0, 8)

    error = errors(ground_of(surface(stairs), FACADE), stairs)
    assert np.percentile(np.abs(error), 95) < 0.12
    assert np.abs(error).max() < 0.2


def test_tables_ceilings_and_facades_are_not_ground() -> None:
    table = box((1, 0.75, 1), (3, 0.76, 2), "y", 3_000)
    ceiling = box((-10, 3, -10), (10, 3.01, 10), "y", 60_000)
    error = errors(ground_of(surface(flat), table, ceiling, FACADE), flat)
    assert np.abs(error).max() < 0.03


def test_what_a_table_hides_is_filled_from_beside_it() -> None:
    whole = surface(flat)
    x, z = whole.means[:, 0], whole.means[:, 2]
    seen = whole.take(~((x > 1) & (x < 3) & (z > 1) & (z < 2)))
    table = box((1, 0.75, 1), (3, 0.76, 2), "y", 3_000)
    assert np.abs(errors(ground_of(seen, table, FACADE), flat)).max() < 0.03


def test_stray_gaussians_below_are_not_ground() -> None:
    stray = box((-10, -6, -10), (10, -1, 10), "y", 1_500)
    assert np.abs(errors(ground_of(surface(flat), stray, FACADE), flat)).max() < 0.03


def test_a_cellar_is_found_where_it_is() -> None:
    def cellar(x: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
        return 0 * x - 37.5

    assert np.abs(errors(ground_of(surface(cellar), FACADE), cellar)).max() < 0.03


def test_of_two_storeys_the_lower_is_the_ground() -> None:
    slab = box((-10, 3, -10), (5, 3.01, 10), "y", 60_000)
    assert np.abs(errors(ground_of(surface(flat, 12_000), slab, FACADE), flat)).max() < 0.05


def test_a_ramp_in_a_street_is_climbed() -> None:
    def ramp(x: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(x > 2, np.tan(np.radians(10)) * np.clip(z + 6, 0, 12), 0.0)

    cheek = box((2, 0, -6), (2.01, 2.1, 10), "x", 4_000)
    error = np.abs(errors(ground_of(surface(ramp, 60_000), cheek, FACADE), ramp))
    assert np.percentile(error, 95) < 0.1


def test_a_hillside_with_houses_is_followed() -> None:
    slope = slope_of(20)
    error = np.abs(errors(ground_of(surface(slope), *houses(slope)), slope))
    assert np.percentile(error, 95) < 0.1


def test_paving_is_as_high_as_its_top_not_as_its_bed() -> None:
    def kerb(x: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(x > 4, 0.12, 0.0)

    bed = box((-10, -0.1, -10), (10, -0.09, 10), "y", 15_000)
    found = ground_of(surface(kerb), bed, FACADE)
    assert found is not None
    np.testing.assert_allclose(found.at([[0, 0], [-7, 5], [6, -5], [8, 3]]), [0, 0, 0.12, 0.12], atol=0.04)


def test_floaters_below_are_not_ground() -> None:
    rng = np.random.default_rng(8)
    stray = discs(rng.uniform((-10, -8, -10), (10, -0.2, 10), (25_000, 3)))
    stray = replace(stray, opacities=rng.uniform(0.05, 0.4, 25_000).astype(np.float32))
    assert np.abs(errors(ground_of(surface(flat), FACADE, stray), flat)).max() < 0.05
    # Where there is as much haze as ground, none is told from the other.
    fog = replace(stray, opacities=rng.uniform(0.3, 0.9, 25_000).astype(np.float32))
    assert ground_of(surface(flat), FACADE, replace(fog, scales=fog.scales * np.float32([2, 8, 2]))) is None


def test_a_lake_that_nobody_could_film_is_as_high_as_its_shore() -> None:
    whole = surface(flat)
    shore = whole.take(np.hypot(whole.means[:, 0], whole.means[:, 2]) > 5)
    assert np.abs(errors(ground_of(shore, FACADE), flat)).max() < 0.05


def test_a_facade_with_sills_and_a_room_without_a_floor_have_no_ground() -> None:
    sills = [box((x, 1, 9.8), (x + 1.2, 1.01, 10), "y", 120) for x in range(-9, 9, 3)]
    assert ground_of(FACADE, *sills) is None
    walls = [box((-4, 0, z), (4, 2.6, z + 0.01), "z", 4_000) for z in (-4.0, 4.0)]
    walls += [box((x, 0, -4), (x + 0.01, 2.6, 4), "x", 4_000) for x in (-4.0, 4.0)]
    ceiling, table = (
        box((-4, 2.6, -4), (4, 2.61, 4), "y", 12_000),
        box((-1, 0.74, -1), (1, 0.75, 1), "y", 2_000),
    )
    assert ground_of(*walls, ceiling, table) is None


def test_the_size_of_the_unit_does_not_matter() -> None:
    small = np.diag([0.01, 0.01, 0.01, 1.0])
    scene = transform(concatenate([surface(flat), FACADE]), small)
    found = find_ground(scene, robust_bounds(scene))
    assert np.abs(errors(found, flat, size=0.09)).max() < 0.0003


def test_a_far_backdrop_of_huge_gaussians_does_not_count() -> None:
    rng = np.random.default_rng(5)
    sky = rng.normal(size=(2_000, 3))
    sky = 300 * np.abs(sky) * (1, 0.4, 1) / np.linalg.norm(sky, axis=1, keepdims=True)
    far = rng.uniform(-250, 250, (6_000, 3)) * (1, 0, 1) - (0, 4, 0)
    backdrop = discs(np.concatenate([sky, far]))
    backdrop = replace(backdrop, scales=backdrop.scales * np.float32(60))
    scene = concatenate([surface(flat), FACADE, backdrop])
    bounds = robust_bounds(scene)
    np.testing.assert_allclose(bounds[:, [0, 2]], [[-10, -10], [10, 10]], atol=0.6)
    assert np.abs(errors(find_ground(scene, bounds), flat)).max() < 0.03


def test_no_ground() -> None:
    rng = np.random.default_rng(3)
    ball = rng.normal(size=(20_000, 3))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    assert ground_of(discs(ball, "x")) is None
    assert ground_of(FACADE) is None
    assert ground_of(discs(np.zeros((5, 3)))) is None
    assert ground_of(discs(np.zeros((500, 3)))) is None


def test_bounds_ignore_outliers_and_the_invisible() -> None:
    plane = surface(flat, 5_000)
    far = discs(np.array([[1e5, 1e5, 1e5], [-1e5, -1e5, -1e5]]))
    ghost = discs(np.full((5_000, 3), 50.0))
    ghost = Gaussians(ghost.means, ghost.quats, ghost.scales, ghost.opacities * 0, ghost.sh)
    bounds = robust_bounds(concatenate([plane, far, ghost]))
    np.testing.assert_allclose(bounds[:, 0], [-9.8, 9.8], atol=0.1)
    np.testing.assert_allclose(bounds[:, 1], [0, 0], atol=0.05)
    np.testing.assert_allclose(robust_bounds(ghost), np.full((2, 3), 50.0))


def test_heights_are_those_that_were_filmed() -> None:
    x, z = np.meshgrid(np.arange(-10, 10.1, 0.5), np.arange(-10, 10.1, 0.5))
    # Beyond x = -2, where nobody filmed, the map goes on upwards.
    ground = HeightMap((-10.0, -10.0), 0.5, np.where(x < -2, 3.0, 0.1 * z))
    scene = surface(slope_of(np.degrees(np.arctan(0.1))), 30_000)
    filmed = scene.take(scene.means[:, 0] > -1.7)
    above = discs(filmed.means.astype(np.float64) * (-1, 0, 1) + (0, 5, 0))  # a ceiling elsewhere
    faint = replace(above, means=above.means - np.float32([0, 2, 0]), opacities=above.opacities * 0 + 0.05)
    heights = filmed_heights(ground, concatenate([filmed, above, faint]))
    assert len(heights) == 24 * 41 and heights.max() < 1.1
    assert abs(float(np.median(heights))) < 0.01 < float(np.median(ground.heights_m))
    np.testing.assert_array_equal(filmed_heights(ground, above), ground.heights_m.ravel())
    np.testing.assert_array_equal(filmed_heights(HeightMap.level(2.0), filmed), [2.0])
