"""What a camera sees of walls whose Gaussians are of known size at a known distance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from anix_cli.core.camera import intrinsics_from_lens
from anix_cli.core.gaussians import Gaussians, concatenate
from anix_cli.scene.view import View, see
from anix_cli.splat import render

SIZE = (640, 360)
K = intrinsics_from_lens(36, SIZE)  # focal length in pixels = 640
FORWARD = np.eye(4)


def wall(
    z: float, sigma: float, *, left: float = -1.0, right: float = 1.0, opacity: float = 0.95
) -> Gaussians:
    """Round Gaussians on a plane across the picture; left and right as shares of what the camera sees."""
    half = z * 0.5
    x, y = np.meshgrid(np.arange(left * half, right * half, sigma), np.arange(-half, half, sigma))
    means = np.stack([x.ravel(), y.ravel(), np.full(x.size, z)], axis=1).astype(np.float32)
    count = len(means)
    return Gaussians(
        means,
        np.tile(np.float32([1, 0, 0, 0]), (count, 1)),
        np.full((count, 3), sigma, np.float32),
        np.full(count, opacity, np.float32),
        np.ones((count, 1, 3), np.float32),
    )


def seen(*parts: Gaussians) -> View:
    return see(concatenate(parts), FORWARD, K, SIZE, near_m=0.05, lens_m=0.5, far_m=50)


@pytest.mark.parametrize(("z", "sigma"), [(4.0, 0.1), (2.0, 0.1), (8.0, 0.05)])
def test_size_is_as_seen_from_the_camera(z: float, sigma: float) -> None:
    view = seen(wall(z, sigma))
    assert view.coarseness == pytest.approx(sigma / z, rel=0.1)
    assert view.covered > 0.98
    assert view.before_lens == 0


def test_what_is_hidden_does_not_count() -> None:
    assert seen(wall(4, 0.1), wall(2, 0.02)).coarseness == pytest.approx(0.01, rel=0.1)


def test_half_a_wall_is_half_a_picture() -> None:
    view = seen(wall(4, 0.05, right=0.0))
    assert view.covered == pytest.approx(0.5, abs=0.03)
    assert view.coarseness == pytest.approx(0.05 / 4, rel=0.1)


def test_the_small_picture_covers_what_the_large_one_does() -> None:
    """Also for a sparse scene, whose holes must not close."""
    dust = wall(4, 0.05).take(np.arange(0, 4_000, 3))
    dust = replace(dust, scales=dust.scales * np.float32(0.2))
    whole = render(dust, FORWARD, K, SIZE, near=0.05).alpha.mean()
    assert 0.05 < whole < 0.5
    assert seen(dust).covered == pytest.approx(whole, rel=0.1)


def test_floaters_before_the_lens() -> None:
    floater = wall(0.2, 0.005, left=-1.0, right=-0.5)
    view = seen(wall(4, 0.05), floater)
    assert view.before_lens == pytest.approx(0.25, abs=0.04)
    behind = see(floater, np.diag([-1.0, 1, -1, 1]), K, SIZE, near_m=0.05, lens_m=0.5, far_m=50)
    assert (behind.covered, behind.before_lens) == (0, 0) and np.isnan(behind.coarseness)


def test_backdrop_may_be_soft() -> None:
    sky = wall(80, 8)
    assert np.isnan(seen(sky).coarseness)
    assert seen(sky).covered > 0.9
    assert seen(sky, wall(4, 0.05, right=-0.5)).coarseness == pytest.approx(0.05 / 4, rel=0.15)
