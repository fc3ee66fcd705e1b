"""The rasteriser against the float64 reference, and against itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import reference
from clouds import cloud
from hypothesis import given, settings
from hypothesis import strategies as st

from anix_cli.core.camera import intrinsics_from_fov_y, look_at
from anix_cli.core.gaussians import Gaussians, concatenate
from anix_cli.splat import Rendered, render

SIZE = (97, 61)
AHEAD = np.eye(4)
# Measured: 130 dB or more everywhere. The issue asks for 80.
LEAST_DB = 100.0


def assert_same_picture(
    parts: list[Gaussians],
    *,
    pose: np.ndarray = AHEAD,
    size: tuple[int, int] = SIZE,
    near: float = 0.05,
    intrinsics: np.ndarray | None = None,
    background: tuple[float, float, float] = (0.0, 0.0, 0.0),
    eps2d: float = 0.3,
) -> Rendered:
    """Draws both ways and compares colour, alpha and depth. Returns the picture for further looks."""
    k = intrinsics_from_fov_y(60, size) if intrinsics is None else intrinsics
    options = {"near": near, "background": background, "eps2d": eps2d}
    actual, expected = (
        render(parts, pose, k, size, **options),
        reference.render(parts, pose, k, size, **options),
    )
    assert reference.psnr_db(actual.rgb, expected.rgb) > LEAST_DB
    assert reference.psnr_db(actual.alpha, expected.alpha) > LEAST_DB
    # Where alpha is 1/255 to within rounding, one of the two may call the pixel empty.
    sure = np.abs(expected.alpha - 1 / 255) > 1e-6
    np.testing.assert_array_equal(np.isfinite(actual.depth)[sure], np.isfinite(expected.depth)[sure])
    seen = sure & np.isfinite(expected.depth)
    # A faint pixel's alphas are good to some 1e-6 each, so the mean of their depths is to fewer digits.
    np.testing.assert_allclose(actual.depth[seen], expected.depth[seen], rtol=4e-4)
    return actual


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_random_scene_with_each_degree_of_spherical_harmonics(degree: int) -> None:
    picture = assert_same_picture([cloud(1500, degree, degree=degree)])
    assert 0.2 < picture.alpha.mean() < 0.6


def test_dense_scene_that_finishes_its_pixels() -> None:
    picture = assert_same_picture([cloud(3000, 5, degree=1, scale=0.25)])
    assert np.mean(picture.alpha > 0.999) > 0.2


def test_camera_anywhere_looking_down_with_an_off_centre_principal_point() -> None:
    k = np.array([[70.0, 0, 30.5], [0, 82.0, 44.25], [0, 0, 1]])
    assert_same_picture([cloud(1500, 6, degree=3)], pose=look_at((1, 9, 2), (0.5, 0, 6)), intrinsics=k)


def test_camera_inside_the_scene_with_gaussians_behind_and_across_the_near_plane() -> None:
    scene = cloud(2000, 7, degree=1, centre=(0, 0, 0), radius=1.0)
    assert (scene.means[:, 2] < 0).sum() > 500
    assert_same_picture([scene], near=0.01)
    assert_same_picture([scene], near=0.5)


def test_gaussians_on_the_camera_plane_and_at_the_camera() -> None:
    scene = cloud(200, 8, centre=(0, 0, 0), radius=1.0)
    scene.means[:100, 2] = 0
    scene.means[100] = 0
    assert_same_picture([scene], near=0.0)
    assert_same_picture([scene], near=1e-6)


def test_giants() -> None:
    assert_same_picture([cloud(100, 9, scale=20, spread=1.0)])


def test_needles_of_every_size_and_direction() -> None:
    assert_same_picture([cloud(300, 10, scale=0.02, spread=3.0)])


@pytest.mark.parametrize("antialiased", [False, True])
def test_needles_a_hundred_thousand_times_longer_than_thick(antialiased: bool) -> None:
    scene = cloud(300, 11, scale=0.002, spread=0.1, antialiased=antialiased)
    scene.scales[:, 0] = 200
    picture = assert_same_picture([scene])
    assert picture.alpha.mean() > 0.05


def test_flat_and_vanishing_gaussians() -> None:
    scene = cloud(600, 12, scale=0.1)
    scene.scales[:200, 2] = 0
    scene.scales[200:400] = 0
    assert_same_picture([scene])
    assert_same_picture([replace(scene, antialiased=True)])


def test_opacity_zero_and_one() -> None:
    scene = cloud(1000, 13, scale=0.08)
    scene.opacities[:500], scene.opacities[500:] = 0, 1
    assert_same_picture([scene])
    scene.opacities[:] = 0
    assert not render(scene, AHEAD, intrinsics_from_fov_y(60, SIZE), SIZE, near=0.05).alpha.any()


def test_antialiased_and_wider_dilation() -> None:
    scene = cloud(1500, 14, degree=1, scale=0.02, antialiased=True)
    assert_same_picture([scene])
    assert_same_picture([scene], eps2d=1.0)
    assert_same_picture([replace(scene, antialiased=False)], eps2d=0.05)


def test_background_shows_through() -> None:
    assert_same_picture([cloud(400, 15)], background=(0.1, 0.6, 0.95))


def test_thousands_on_one_pixel_and_ties_in_depth() -> None:
    scene = cloud(3000, 16, scale=0.01)
    scene.means[:2000] = (0.1, 0.2, 4.0)
    scene.opacities[:] *= 0.02
    scene.means[2000:, 2] = 3.0
    assert_same_picture([scene])


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (1, 33), (17, 3), (16, 16), (65, 129)])
def test_odd_sizes(size: tuple[int, int]) -> None:
    picture = assert_same_picture([cloud(400, 17, degree=2, scale=0.1)], size=size)
    assert picture.rgb.shape == (size[1], size[0], 3)
    assert picture.depth.shape == picture.alpha.shape == (size[1], size[0])


def test_empty_views() -> None:
    k = intrinsics_from_fov_y(60, SIZE)
    behind = cloud(100, 18, centre=(0, 0, -20))
    for parts in ([], [behind], [behind.take(np.zeros(100, bool))], behind):
        picture = render(parts, AHEAD, k, SIZE, near=0.05, background=(0.25, 0.5, 0.75))
        assert (picture.rgb == np.array([0.25, 0.5, 0.75], np.float32)).all()
        assert not picture.alpha.any()
        assert np.isinf(picture.depth).all()


def test_parts_are_drawn_as_if_concatenated() -> None:
    k = intrinsics_from_fov_y(60, SIZE)
    # More than one unit of work per part, unlike degrees, and equal depths across parts.
    scene, character = cloud(9000, 19, degree=3, scale=0.02), cloud(700, 20, degree=1, radius=1.0)
    character.means[:50] = scene.means[:50]
    apart = render([scene, character], AHEAD, k, SIZE, near=0.05)
    together = render(concatenate([scene, character]), AHEAD, k, SIZE, near=0.05)
    np.testing.assert_array_equal(apart.alpha, together.alpha)
    np.testing.assert_array_equal(apart.depth, together.depth)
    # Harmonics are rounded to steps of each group of 16, which are others when concatenated.
    np.testing.assert_allclose(apart.rgb, together.rgb, atol=1e-4)


def test_antialiasing_is_each_parts_own() -> None:
    sharp = cloud(500, 21, scale=0.01)
    soft = replace(cloud(500, 22, scale=0.01), antialiased=True)
    assert_same_picture([sharp, soft])
    assert_same_picture([soft, sharp])


def test_bytes_do_not_depend_on_threads_nor_on_the_run() -> None:
    k = intrinsics_from_fov_y(60, (160, 200))
    scene = cloud(20_000, 23, degree=1, scale=0.03)
    pictures = [render(scene, AHEAD, k, (160, 200), near=0.05, threads=n) for n in (1, 2, 5, None, 1)]
    for other in pictures[1:]:
        for name in ("rgb", "depth", "alpha"):
            np.testing.assert_array_equal(getattr(pictures[0], name), getattr(other, name))


def test_a_crop_is_a_part_of_the_picture() -> None:
    # Tiles and bands fall elsewhere, so that this holds whatever the tiling. The Jacobian's limits follow the
    # picture's borders, hence Gaussians near the axis only.
    scene = cloud(800, 24, degree=1, radius=0.8, scale=0.05)
    k = intrinsics_from_fov_y(40, (128, 96))
    whole = render(scene, AHEAD, k, (128, 96), near=0.05)
    shifted = k.copy()
    shifted[0, 2] -= 23
    shifted[1, 2] -= 37
    crop = render(scene, AHEAD, shifted, (80, 50), near=0.05)
    np.testing.assert_allclose(crop.rgb, whole.rgb[37:87, 23:103], atol=2e-6)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(1, 60),
    scale=st.sampled_from([1e-4, 0.05, 1.0, 30.0]),
    spread=st.sampled_from([0.0, 1.0, 4.0]),
    centre=st.sampled_from([(0.0, 0.0, 0.0), (0.0, 0.0, 6.0), (3.0, -2.0, 3.0)]),
    antialiased=st.booleans(),
    size=st.tuples(st.integers(1, 40), st.integers(1, 40)),
)
def test_hostile_scenes(*, seed, count, scale, spread, centre, antialiased, size) -> None:
    scene = cloud(
        count, seed, degree=seed % 4, scale=scale, spread=spread, centre=centre, antialiased=antialiased
    )
    assert_same_picture([scene], size=size, near=1e-3)


def test_read_only_strided_and_double_arrays_are_taken() -> None:
    k = intrinsics_from_fov_y(60, SIZE)
    scene = cloud(300, 25, degree=1)
    expected = render(scene, AHEAD, k, SIZE, near=0.05)
    scene.means.setflags(write=False)
    awkward = replace(scene, sh=np.repeat(scene.sh, 2, axis=0)[::2], scales=scene.scales.astype(np.float64))
    np.testing.assert_array_equal(render(awkward, AHEAD, k, SIZE, near=0.05).rgb, expected.rgb)


@pytest.mark.parametrize("size", [(0, 4), (4, -1)])
def test_a_picture_without_pixels_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="pixels"):
        render(cloud(3, 26), AHEAD, np.eye(3), size, near=0.05)


def test_a_camera_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="not finite"):
        render(cloud(3, 27), AHEAD * np.nan, np.eye(3), SIZE, near=0.05)
