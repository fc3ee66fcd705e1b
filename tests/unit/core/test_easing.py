"""The smooth step in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from anix_cli.core.easing import smoothstep


def test_goes_from_zero_to_one_with_rest_at_both_ends() -> None:
    assert smoothstep([-1.0, 2.0, 2.5, 3.0, 3.5, 4.0, 9.0], 2.0, 4.0) == pytest.approx(
        [0, 0, 0.15625, 0.5, 0.84375, 1, 1]
    )
    t = np.linspace(0, 1, 1001)
    slope = np.gradient(smoothstep(t), t)
    assert slope.max() == pytest.approx(1.5, abs=1e-5) and slope[[0, -1]] == pytest.approx([0, 0], abs=0.01)


def test_keeps_shape_and_single_precision_and_takes_borders_of_its_own() -> None:
    x = np.array([[0.5, 1.0], [1.5, 2.0]], dtype=np.float32)
    assert smoothstep(x, 0.0, 2.0).dtype == np.float32 and smoothstep(x, 0.0, 2.0).shape == (2, 2)
    assert smoothstep(x, 0.0, np.array([1.0, 2.0])) == pytest.approx(np.array([[0.5, 0.5], [1.0, 1.0]]))
