"""Camera mathematics against closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anix_cli.core.camera import intrinsics_from_fov_y, intrinsics_from_lens, look_at, project

coordinate = st.floats(-50, 50)
point = st.tuples(coordinate, coordinate, coordinate)


@given(point, point)
def test_look_at_is_a_rotation_that_centres_its_target(eye, target):
    if math.dist(eye, target) < 1e-3:
        return
    pose = look_at(eye, target)
    rotation = pose[:3, :3]
    assert np.allclose(rotation.T @ rotation, np.eye(3), atol=1e-9)
    assert np.linalg.det(rotation) == pytest.approx(1)
    pixel, depth = project(target, pose, intrinsics_from_fov_y(50, (640, 480)))
    assert depth == pytest.approx(math.dist(eye, target))
    assert pixel == pytest.approx([320, 240], abs=1e-5)


def test_up_is_up_in_the_picture_and_left_is_left():
    pose = look_at((0, 1, 5), (0, 1, 0))  # looks along -Z, so world +X is to the right
    k = intrinsics_from_lens(36, (800, 600))
    above, _ = project((0, 2, 0), pose, k)
    beside, _ = project((1, 1, 0), pose, k)
    assert above[0] == pytest.approx(400) and above[1] < 300
    assert beside[0] > 400 and beside[1] == pytest.approx(300)


@pytest.mark.parametrize(("target", "top"), [((0, -5, 0), (0, 0, -1)), ((0, 5, 0), (0, 0, 1))])
def test_straight_down_and_up_are_defined(target, top):
    pose = look_at((0, 0, 0), target)
    assert np.allclose(-pose[:3, 1], top)


@pytest.mark.parametrize("size", [(832, 480), (480, 832), (512, 512)])
def test_field_of_view_is_vertical_and_the_lens_is_on_36_mm_width(size):
    k = intrinsics_from_fov_y(50, size)
    assert 2 * math.degrees(math.atan(size[1] / 2 / k[1, 1])) == pytest.approx(50)
    k = intrinsics_from_lens(50, size)
    assert 2 * math.atan(size[0] / 2 / k[0, 0]) == pytest.approx(2 * math.atan(18 / 50))
