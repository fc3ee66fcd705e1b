"""The ground of made-up places whose height is known in closed form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from places import FACADE, THIN, Height, box, discs, flat, surface

from anix_cli.core.gaussians import Gaussians, concatenate
from anix_cli.core.stage import HeightMap
from anix_cli.scene import robust_bounds, transform
from anix_cli.scene.ground import find_ground


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
