"""Sampling of surfaces: areas, coverage, directions, placement."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anix_cli.samples import surfaces
from anix_cli.samples.light import quats_of
from anix_cli.samples.surfaces import box, cells, cylinder, hashed, join, line, quad, ring, surfels


@given(
    length=st.floats(0.05, 20.0),
    spacing=st.floats(0.05, 1.0),
    start=st.sampled_from([0.0, 0.02, 0.05]),
    end=st.sampled_from([0.0, 0.02, 0.05]),
)
def test_cells_fill_the_length_without_gaps(length: float, spacing: float, start: float, end: float) -> None:
    at, wide = cells(length, spacing, start=start, end=end)
    assert wide.sum() == pytest.approx(length)
    assert (wide > 0).all()
    assert wide.max() <= 1.5 * max(spacing, min(length, spacing)) + 1e-9
    np.testing.assert_allclose(at[1:] - at[:-1], (wide[1:] + wide[:-1]) / 2)
    assert at[0] == pytest.approx(wide[0] / 2)


def test_cells_grow_from_free_edges_only() -> None:
    _, both = cells(3.0, 0.4, start=0.05, end=0.05)
    _, one = cells(3.0, 0.4, start=0.05)
    assert both[0] == pytest.approx(0.05)
    assert both[-1] == pytest.approx(0.05)
    assert one[0] == pytest.approx(0.05)
    assert one[-1] > 0.3


def test_a_quad_covers_its_inside_and_ends_at_its_edges() -> None:
    wall = quad((0, 0, 0), (2, 0, 0), (0, 1, 0), (200, 100, 50), edges=surfaces.ALL_EDGES)
    x, y = np.meshgrid(np.linspace(0.1, 1.9, 60), np.linspace(0.1, 0.9, 40))
    assert _alpha(wall, x.ravel(), y.ravel()).min() > 0.93
    outside = np.linspace(-0.5, 1.5, 50)
    assert _alpha(wall, np.full(50, -0.10), outside).max() < 0.15
    assert _alpha(wall, np.full(50, 2.10), outside).max() < 0.15


def _alpha(wall: surfaces.Surfels, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Alpha of a quad in the plane z = 0 seen along z, straight from the definition."""
    through = np.ones_like(x)
    for mean, size, opacity in zip(wall.means, wall.sizes, wall.opacities, strict=True):
        power = ((x - mean[0]) / size[0]) ** 2 + ((y - mean[1]) / size[1]) ** 2
        through *= 1 - opacity * np.exp(-power / 2)
    return 1 - through


def test_quads_face_u_cross_v_and_boxes_face_outwards() -> None:
    assert np.allclose(quad((0, 0, 0), (1, 0, 0), (0, 1, 0), (9, 9, 9)).normals, (0, 0, 1))
    cube = box((-1, 0, -2), (1, 3, 2), (9, 9, 9))
    outwards = np.einsum("ij,ij->i", cube.normals, cube.means - [0, 1.5, 0])
    assert (outwards > 0).all()
    top = box((-1, 0, -2), (1, 3, 2), (9, 9, 9), faces="Y")
    assert np.allclose(top.means[:, 1], 3.0)
    assert np.allclose(top.normals, (0, 1, 0))


def test_round_shapes_have_their_radius() -> None:
    mantle = cylinder((1, 0, 2), (0.5, 0.5), 2.0, (9, 9, 9))
    np.testing.assert_allclose(np.hypot(mantle.means[:, 0] - 1, mantle.means[:, 2] - 2), 0.5)
    assert np.einsum("ij,ij->i", mantle.normals, mantle.means - [1, 0, 2]).min() > 0
    inside = cylinder((0, 0, 0), (0.5, 0.5), 2.0, (9, 9, 9), inward=True)
    assert np.einsum("ij,ij->i", inside.normals, inside.means * [1, 0, 1]).max() < 0
    annulus = ring((0, 0.3, 0), 1.0, 1.5, (9, 9, 9))
    radius = np.hypot(annulus.means[:, 0], annulus.means[:, 2])
    assert 1.0 < radius.min() < radius.max() < 1.5
    assert np.allclose(annulus.normals, (0, 1, 0))


def test_a_line_ends_at_its_ends() -> None:
    bar = line((0, 0, 0), (2, 0, 0), 0.05, (9, 9, 9), segment=0.5)
    # Where alpha falls to one half: 1.17 standard deviations beyond the last mean.
    assert bar.means[-1, 0] + 1.17 * bar.sizes[-1, 0] == pytest.approx(2.0, abs=0.08)
    assert bar.means[0, 0] - 1.17 * bar.sizes[0, 0] == pytest.approx(0.0, abs=0.08)


def test_placing_turns_what_faced_z_to_face_x() -> None:
    wall = quad((0, 0, 0), (1, 0, 0), (0, 1, 0), (9, 9, 9)).placed((5, 0, 7), 90)
    assert np.allclose(wall.normals, (1, 0, 0))
    assert np.allclose(wall.means[:, 0], 5.0)
    assert wall.means[:, 2].max() < 7.0


@given(st.integers(0, 2**31))
def test_quaternions_turn_the_axes_into_tangent_bitangent_and_normal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    normals = rng.normal(size=(20, 3))
    tangents = surfaces.tangents_of(normals)
    part = surfels(rng.normal(size=(20, 3)), normals, tangents, (0.1, 0.1, 0.01), (9, 9, 9))
    w, x, y, z = quats_of(part).T
    np.testing.assert_allclose(w * w + x * x + y * y + z * z, 1.0)
    first = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], 1)
    third = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], 1)
    np.testing.assert_allclose(first, part.tangents, atol=1e-9)
    np.testing.assert_allclose(third, part.normals, atol=1e-9)


def test_hashed_numbers_are_spread_and_depend_on_place_and_salt() -> None:
    points = np.stack(np.meshgrid(np.arange(40), np.arange(40), [0.0]), -1).reshape(-1, 3) * 0.15
    first, again, other = hashed(points), hashed(points), hashed(points, salt=1)
    assert (first == again).all()
    assert (first != other).mean() > 0.99
    counts, _ = np.histogram(first, bins=8, range=(0, 1))
    assert counts.min() > 0.7 * len(points) / 8
    assert abs(np.corrcoef(first[:-1], first[1:])[0, 1]) < 0.1


def test_joining_keeps_order() -> None:
    one, two = (surfels([[k, 0, 0]], (0, 1, 0), (1, 0, 0), (1, 1, 1), (9, 9, 9)) for k in (1, 2))
    assert join([one, two]).means[:, 0].tolist() == [1.0, 2.0]
