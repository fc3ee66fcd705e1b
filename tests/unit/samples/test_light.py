"""Baked light: shadows fall away from the sun, corners are darker, shine depends on the view."""

from __future__ import annotations

import numpy as np
import pytest

from anix_cli.samples import light
from anix_cli.samples.surfaces import GLOW, MATT, WATER, Surfels, box, join, quad, surfels


@pytest.fixture(scope="module")
def yard() -> Surfels:
    """A level floor about the origin with a block of 1 × 3 × 1 m on it."""
    floor = quad((-6, 0, -6), (0, 0, 12), (12, 0, 0), (128, 128, 128), speckle=0.0)
    return join([floor, box((-0.5, 0, -0.5), (0.5, 3, 0.5), (128, 128, 128), faces="xXzZY", speckle=0.0)])


def _at(x: float, y: float, z: float) -> tuple[np.ndarray, np.ndarray]:
    return np.array([[x, y, z]]), np.array([[0.0, 1.0, 0.0]])


def test_a_block_shades_the_floor_on_the_side_away_from_the_sun(yard: Surfels) -> None:
    field = light.distance_field(yard)
    away = -light.TO_SUN * np.array([1, 0, 1]) / np.hypot(light.TO_SUN[0], light.TO_SUN[2])
    length = 3 * np.hypot(light.TO_SUN[0], light.TO_SUN[2]) / light.TO_SUN[1]
    for share, low, high in ((0.5, 0.0, 0.1), (1.6, 0.95, 1.0)):
        assert low <= light.sun_seen(field, *_at(*(away * length * share)))[0] <= high
    assert light.sun_seen(field, *_at(*(-away * 2)))[0] > 0.95


def test_the_foot_of_a_block_sees_less_sky_than_the_open_floor(yard: Surfels) -> None:
    field = light.distance_field(yard)
    foot = light.sky_seen(field, *_at(0.62, 0, 0))[0]
    near = light.sky_seen(field, *_at(1.5, 0, 0))[0]
    open_floor = light.sky_seen(field, *_at(5, 0, 0))[0]
    assert foot < near < open_floor
    assert open_floor > 0.9


def test_lit_colours_are_brighter_towards_the_sun_and_warmer_than_in_the_shade(yard: Surfels) -> None:
    gaussians = light.bake(yard)
    colours = 0.5 + light.C0 * gaussians.sh[:, 0]
    normals = yard.normals
    sunny, shady = colours[normals[:, 2] < -0.9].mean(0), colours[normals[:, 2] > 0.9].mean(0)
    assert sunny.mean() > shady.mean() + 0.15
    assert sunny[0] / sunny[2] > shady[0] / shady[2]


def test_the_sky_is_not_lit() -> None:
    patch = surfels([[0, 100, 0]], (0, -1, 0), (1, 0, 0), (5, 5, 1), (51, 102, 204), speckle=0.0, finish=GLOW)
    colour = 0.5 + light.C0 * light.bake(patch).sh[0, 0]
    np.testing.assert_allclose(colour, np.array([51, 102, 204]) / 255, atol=1e-6)


def test_only_shiny_surfels_depend_on_the_view() -> None:
    gaussians = light.bake(
        join(
            [
                surfels([[0, 0.4, 0]], (0, 1, 0), (1, 0, 0), (0.1, 0.1, 0.01), (50, 90, 90), finish=finish)
                for finish in (MATT, WATER)
            ]
        )
    )
    assert not gaussians.sh[0, 1:].any()
    assert gaussians.sh[1, 1:].any()
    down = _colour(gaussians.sh[1], np.array([0.0, -1.0, 0.0]))
    for turn in np.linspace(0, 2 * np.pi, 5)[:-1]:
        level = _colour(gaussians.sh[1], np.array([np.cos(turn), 0.0, np.sin(turn)]))
        opposite = _colour(gaussians.sh[1], -np.array([np.cos(turn), 0.0, np.sin(turn)]))
        assert ((level + opposite) / 2 > down).all()


def _colour(sh: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Spherical harmonics to degree 2 as printed by Kerbl et al. 2023, written out once more."""
    x, y, z = d
    basis = [
        0.28209479177387814,
        -0.4886025119029199 * y,
        0.4886025119029199 * z,
        -0.4886025119029199 * x,
        1.0925484305920792 * x * y,
        -1.0925484305920792 * y * z,
        0.31539156525252005 * (2 * z * z - x * x - y * y),
        -1.0925484305920792 * x * z,
        0.5462742152960396 * (x * x - y * y),
    ]
    return 0.5 + np.array(basis) @ sh


def test_level_sheen_is_one_minus_the_square_of_the_height() -> None:
    sh = np.zeros((1, 9, 3))
    light._add_level_sheen(sh, np.array([0]), np.array([[0.1, 0.2, 0.3]]))
    for d in ((0, -1, 0), (1, 0, 0), (0.6, -0.8, 0), (0, 0.6, 0.8)):
        seen = _colour(sh[0], np.array(d, dtype=float)) - 0.5
        np.testing.assert_allclose(seen, np.array([0.1, 0.2, 0.3]) * (1 - d[1] ** 2), atol=1e-12)
