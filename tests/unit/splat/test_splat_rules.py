"""The rasteriser's rules in closed form, one or two Gaussians at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from clouds import single

from anix_cli.core.camera import look_at
from anix_cli.core.gaussians import Gaussians, concatenate
from anix_cli.splat import Rendered, render

# A pixel centre lies on the optical axis.
SIZE = (33, 33)
K = np.array([[100.0, 0, 16.5], [0, 100.0, 16.5], [0, 0, 1]])
Y00 = 0.5 / math.sqrt(math.pi)
Y1 = math.sqrt(3 / (4 * math.pi))


def draw(parts: Gaussians | list[Gaussians], pose: np.ndarray | None = None, **options: object) -> Rendered:
    return render(parts, np.eye(4) if pose is None else pose, K, SIZE, **{"near": 0.1, **options})


def test_colour_alpha_and_depth_at_the_centre() -> None:
    picture = draw(single((0, 0, 5), opacity=0.8, sh=[[1.0, 0.0, -1.0]]))
    assert picture.alpha[16, 16] == pytest.approx(0.8, abs=2e-6)
    assert picture.depth[16, 16] == pytest.approx(5.0, rel=1e-5)
    expected = 0.8 * np.array([0.5 + Y00, 0.5, 0.5 - Y00])
    np.testing.assert_allclose(picture.rgb[16, 16], expected, atol=2e-6)


def test_width_is_that_of_the_projected_gaussian_with_its_dilation() -> None:
    picture = draw(single((0, 0, 5), scales=(0.2, 0.1, 0.05), opacity=0.9))
    for pixels, scale, alphas in ((4, 0.2, picture.alpha[16]), (3, 0.1, picture.alpha[:, 16])):
        variance = (100 * scale / 5) ** 2 + 0.3
        assert alphas[16 + pixels] == pytest.approx(0.9 * math.exp(-0.5 * pixels**2 / variance), abs=2e-6)
        assert alphas[16 - pixels] == pytest.approx(alphas[16 + pixels], abs=2e-6)


def test_turned_a_quarter_about_the_view_axis_width_and_height_change_places() -> None:
    upright = draw(single(scales=(0.2, 0.05, 0.1)))
    turned = draw(single(scales=(0.2, 0.05, 0.1), quat=(math.sqrt(0.5), 0, 0, math.sqrt(0.5))))
    np.testing.assert_allclose(turned.alpha, upright.alpha.T, atol=2e-6)


def test_a_turn_by_a_quaternion_is_right_handed() -> None:
    # +30° about z takes the long axis from x towards y, which is down in the picture.
    half = math.radians(15)
    picture = draw(single(scales=(0.3, 0.02, 0.02), quat=(math.cos(half), 0, 0, math.sin(half))))
    assert picture.alpha[16 + 3, 16 + 5] > 0.4
    assert picture.alpha[16 - 3, 16 + 5] < 0.01


def test_antialiasing_keeps_a_small_gaussians_energy() -> None:
    sharp = (100 * 0.01 / 5) ** 2
    factor = sharp / (sharp + 0.3)
    assert draw(single(scales=(0.01,) * 3, antialiased=True)).alpha[16, 16] == pytest.approx(
        0.8 * factor, abs=2e-6
    )
    assert draw(single(scales=(0.01,) * 3)).alpha[16, 16] == pytest.approx(0.8, abs=2e-6)


@pytest.mark.parametrize(("k", "axis", "sign"), [(1, 1, -1), (2, 2, 1), (3, 0, -1)])
def test_signs_of_the_first_band_follow_the_direction_from_camera_to_gaussian(
    k: int, axis: int, sign: int
) -> None:
    sh = np.zeros((4, 3))
    sh[k, 0] = 0.5
    for direction in (1.0, -1.0):
        along = np.zeros(3)
        along[axis] = direction
        pose = look_at(-5 * along, (0, 0, 0), up=(0.0, 1.0, 0.0) if axis != 1 else (0.0, 0.0, 1.0))
        red = draw(single((0, 0, 0), opacity=0.999, sh=sh), pose).rgb[16, 16, 0] / 0.999
        assert red == pytest.approx(0.5 + sign * direction * 0.5 * Y1, abs=1e-5)


def test_direction_is_that_of_the_gaussian_not_of_the_pixel_nor_the_view_axis() -> None:
    sh = np.zeros((4, 3))
    sh[3, 0] = -0.5
    mean = np.array([0.4, 0.0, 4.0])
    picture = draw(single(mean, opacity=0.999, sh=sh))
    red = picture.rgb[16, 26, 0] / picture.alpha[16, 26]
    assert red == pytest.approx(0.5 + 0.5 * Y1 * mean[0] / np.linalg.norm(mean), abs=1e-5)


def test_negative_colours_are_black_each_and_bright_ones_are_cut_at_the_end() -> None:
    dark, bright = (
        single((0, 0, 4), opacity=0.5, sh=[[-9.0] * 3]),
        single((0, 0, 5), opacity=0.5, sh=[[3.0] * 3]),
    )
    assert draw([dark, bright]).rgb[16, 16, 0] == pytest.approx(0.25 * (0.5 + 3 * Y00), abs=2e-6)
    assert draw(single(opacity=0.9, sh=[[9.0] * 3])).rgb[16, 16, 0] == 1.0


def test_the_nearer_occludes_whatever_the_order_and_depth_is_the_mean_of_what_is_seen() -> None:
    front, back = (
        single((0, 0, 3), opacity=0.6, sh=[[1.0, -9, -9]]),
        single((0, 0, 6), opacity=0.5, sh=[[-9, 1.0, -9]]),
    )
    for parts in ([front, back], [back, front]):
        picture = draw(parts)
        np.testing.assert_allclose(
            picture.rgb[16, 16], [0.6 * (0.5 + Y00), 0.4 * 0.5 * (0.5 + Y00), 0], atol=1e-6
        )
        assert picture.alpha[16, 16] == pytest.approx(0.8, abs=2e-6)
        assert picture.depth[16, 16] == pytest.approx((3 * 0.6 + 6 * 0.2) / 0.8, rel=1e-5)


def test_equal_depths_are_drawn_by_index() -> None:
    red, green = single(opacity=0.7, sh=[[1.0, -9, -9]]), single(opacity=0.7, sh=[[-9, 1.0, -9]])
    assert draw([red, green]).rgb[16, 16, 0] > 2 * draw([red, green]).rgb[16, 16, 1]
    assert draw([green, red]).rgb[16, 16, 1] > 2 * draw([green, red]).rgb[16, 16, 0]


def test_alpha_is_at_most_0_999() -> None:
    assert draw(single(opacity=1.0)).alpha[16, 16] == pytest.approx(0.999, abs=2e-6)


def test_a_gaussian_that_would_finish_the_pixel_is_not_drawn() -> None:
    # 0.999 leaves T = 1e-3; 0.91 would leave 0.9e-4 ≤ 1e-4 and is not drawn, nor is what lies behind it.
    first, second, third = (single((0, 0, z), opacity=o) for z, o in ((3, 1.0), (4, 0.91), (5, 0.5)))
    assert draw([first, second, third]).alpha[16, 16] == pytest.approx(0.999, abs=2e-6)
    second = single((0, 0, 4), opacity=0.89)
    assert draw([first, second]).alpha[16, 16] == pytest.approx(1 - 1e-3 * 0.11, abs=2e-6)


def test_alpha_below_a_255th_is_not_drawn() -> None:
    assert draw(single(opacity=0.99 / 255)).alpha[16, 16] == 0
    picture = draw(single(opacity=1.01 / 255))
    assert picture.alpha[16, 16] == pytest.approx(1.01 / 255, abs=2e-6)
    assert (picture.alpha > 0).sum() < 30
    assert np.isinf(picture.depth[0, 0])


def test_extent_goes_beyond_three_deviations_as_far_as_a_255th() -> None:
    picture = draw(single((0, 0, 5), scales=(0.2, 0.2, 0.2), opacity=1.0))
    reach = math.sqrt(2 * math.log(255) * (4.0**2 + 0.3))
    assert 13 < reach < 14
    assert picture.alpha[16, 16 + 13] >= 1 / 255
    assert picture.alpha[16, 16 + 14] == 0


@pytest.mark.parametrize(("z", "drawn"), [(0.1001, True), (0.0999, False), (0.0, False), (-5.0, False)])
def test_near_plane(z: float, drawn: bool) -> None:
    assert (draw(single((0, 0, z), scales=(1e-4,) * 3)).alpha[16, 16] > 0) == drawn


def test_jacobian_is_limited_beyond_the_picture() -> None:
    # Far to the right, x/z is taken as (w − c_x)/f_x + 0.3·w/(2·f_x) = 0.2145, not as 0.5.
    scale, z, x = 2.0, 1.0, 0.5
    picture = draw(single((x, 0, z), scales=(1e-4, 1e-4, scale), opacity=0.99))
    limited = 0.165 + 0.3 * 0.165
    variance = (100 * limited * scale / z) ** 2 + 0.3
    offset = 16.5 - (100 * x / z + 16.5)
    assert picture.alpha[16, 16] == pytest.approx(0.99 * math.exp(-0.5 * offset**2 / variance), rel=1e-3)


def test_concatenated_sets_of_unlike_degree_look_the_same() -> None:
    one, two = single((0.2, 0, 4)), single((-0.2, 0, 5), sh=np.full((16, 3), 0.1))
    np.testing.assert_array_equal(draw([one, two]).rgb, draw(concatenate([one, two])).rgb)
