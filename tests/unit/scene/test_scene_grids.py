"""Filters on grids agree with scipy's, ties included."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

from anix_cli.scene.grids import blurred, filled, median_around, summed_around


@st.composite
def grids(draw: st.DrawFn) -> np.ndarray:
    rows, columns = draw(st.integers(1, 14)), draw(st.integers(1, 14))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return rng.normal(size=(rows, columns)).round(draw(st.sampled_from([0, 1, 12])))


@given(grids(), st.sampled_from([3, 5]))
def test_filters_agree_with_scipy(grid: np.ndarray, size: int) -> None:
    np.testing.assert_allclose(
        summed_around(grid) / 9, ndimage.uniform_filter(grid, 3, mode="constant"), atol=1e-13
    )
    np.testing.assert_array_equal(
        median_around(grid, size), ndimage.median_filter(grid, size, mode="nearest")
    )
    np.testing.assert_allclose(
        blurred(grid, 0.6), ndimage.gaussian_filter(grid, 0.6, mode="nearest"), rtol=1e-13, atol=1e-13
    )


@given(grids(), st.sampled_from([0.02, 0.2, 0.6, 0.95]), st.integers(0, 2**32))
def test_unknown_cells_are_filled_from_the_cell_that_scipy_finds(
    grid: np.ndarray, share: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    known = rng.random(grid.shape) < share
    known[rng.integers(len(grid)), rng.integers(grid.shape[1])] = True
    number = np.arange(grid.size, dtype=np.float64).reshape(grid.shape)
    nearest = ndimage.distance_transform_edt(~known, return_distances=False, return_indices=True)
    np.testing.assert_array_equal(filled(number, known), number[tuple(nearest)])


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1)])
def test_a_single_row_or_column_is_filled(shape: tuple[int, int]) -> None:
    known = np.zeros(shape, dtype=bool)
    known.flat[0] = True
    assert (filled(np.full(shape, 2.0), known) == 2.0).all()
