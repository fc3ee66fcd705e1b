"""The fast float64 picture is that of the brute-force reference."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from clouds import cloud, single

from anix_cli.core.camera import intrinsics_from_fov_y, look_at
from anix_cli.splat.exact import psnr_db, render_exact

SIZE = (61, 45)
K = intrinsics_from_fov_y(55, SIZE)
POSE = look_at((1.0, 2.0, -3.0), (0.0, 0.0, 6.0))


@pytest.mark.parametrize("antialiased", [False, True])
@pytest.mark.parametrize("scale", [0.01, 0.2])
def test_it_is_the_reference(antialiased: bool, scale: float) -> None:
    parts = [cloud(1500, 3, degree=3, scale=scale, antialiased=antialiased), cloud(200, 4, degree=1)]
    options = {"near": 0.5, "background": (0.2, 0.5, 0.9), "eps2d": 0.25}
    actual = render_exact(parts, POSE, K, SIZE, **options)
    expected = reference.render(parts, POSE, K, SIZE, **options)
    assert np.abs(actual.rgb - expected.rgb).max() < 1e-12
    assert np.abs(actual.alpha - expected.alpha).max() < 1e-12
    seen = np.isfinite(expected.depth)
    assert np.array_equal(np.isfinite(actual.depth), seen)
    assert np.abs(actual.depth[seen] - expected.depth[seen]).max() < 1e-11


def test_nothing_shows_the_background() -> None:
    for parts in ([], [single((0, 0, -5.0))]):
        picture = render_exact(parts, np.eye(4), K, SIZE, near=0.1, background=(0.1, 0.2, 0.3))
        assert (picture.rgb == [0.1, 0.2, 0.3]).all()
        assert (picture.alpha == 0).all() and np.isinf(picture.depth).all()


def test_psnr_of_a_known_error() -> None:
    assert psnr_db(np.full(9, 0.51), np.full(9, 0.5)) == pytest.approx(40)
    assert psnr_db(np.ones(3), np.ones(3)) == np.inf
