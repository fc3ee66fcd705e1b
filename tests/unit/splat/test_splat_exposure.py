"""Lens and shutter: blur is as wide as optics says, motion is rigid, means are those of light."""

from __future__ import annotations

import math

import numpy as np
import pytest
from clouds import single
from scipy.linalg import expm, logm

from anix_cli.core.camera import intrinsics_from_lens, look_at
from anix_cli.core.optics import Optics
from anix_cli.splat import Rendered
from anix_cli.splat.choose import Cpu, Views
from anix_cli.splat.exposure import (
    accumulate,
    aperture_m,
    between,
    expose,
    lens_points,
    linear_from_srgb,
    pose_at,
    shutter_times,
    srgb_from_linear,
)

SIZE = (160, 120)
K = intrinsics_from_lens(85, SIZE)
STILL = np.repeat(np.eye(4)[None], 3, axis=0)
LENSES = np.repeat(K[None], 3, axis=0)


def drawn(scene, poses, lenses, optics, frame=1):
    views = Views(expose(poses, lenses, frame, optics, SIZE), [[scene]])
    (picture,) = Cpu(1).frames([0], lambda job: views, lambda job, made: made, SIZE, near=0.01)
    return picture


def moments(picture):
    """Mean and variance along x and y of the light in a picture, pixels."""
    light = linear_from_srgb(picture.rgb).sum(axis=-1).astype(np.float64)
    at = np.stack(np.meshgrid(np.arange(SIZE[0]) + 0.5, np.arange(SIZE[1]) + 0.5), axis=-1)
    mean = (light[..., None] * at).sum(axis=(0, 1)) / light.sum()
    return mean, (light[..., None] * (at - mean) ** 2).sum(axis=(0, 1)) / light.sum()


def spot(z):
    """A small bright spot on the axis, its standard deviation some two pixels."""
    return single((0, 0, z), scales=(z * 0.006,) * 3, opacity=0.9, sh=((1.0, 1.0, 1.0),))


@pytest.mark.parametrize("z", [2.0, 3.0, 8.0, 40.0])
def test_a_point_out_of_focus_is_a_disk_of_the_circle_of_confusion(z):
    """Its diameter is f_x · aperture · |1/z − 1/focus|; a disk's variance is a sixteenth of its square."""
    optics = Optics(f_stop=1.4, focus_m=(4.0,), samples=64)
    diameter = K[0, 0] * aperture_m(85, 1.4) * abs(1 / z - 1 / 4.0)
    sharp, blurred = (moments(drawn(spot(z), STILL, LENSES, each)) for each in (None, optics))
    assert np.allclose(sharp[0], blurred[0], atol=0.02)
    assert blurred[1] - sharp[1] == pytest.approx((diameter / 4) ** 2, rel=0.05)
    assert diameter > 1.5


def test_what_is_in_focus_stays_sharp():
    optics = Optics(f_stop=1.4, focus_m=(4.0,), samples=16)
    scene = spot(4.0)
    sharp, focused = (drawn(scene, STILL, LENSES, each) for each in (None, optics))
    assert np.abs(sharp.rgb - focused.rgb).max() < 2e-3
    assert np.abs(sharp.alpha - focused.alpha).max() < 2e-3


def test_focus_is_pulled_from_frame_to_frame():
    optics = Optics(f_stop=1.4, focus_m=(2.0, 4.0, 8.0), samples=32)
    spread = [moments(drawn(spot(4.0), STILL, LENSES, optics, frame))[1].sum() for frame in range(3)]
    assert spread[1] < 0.9 * min(spread[0], spread[2])


def test_an_open_shutter_smears_by_the_way_that_the_camera_goes():
    """180° at 20 pixels a frame is a smear of 10 pixels around the middle, with a variance of 10²/12."""
    z = 5.0
    poses = STILL.copy()
    poses[:, 0, 3] = np.arange(-1, 2) * 20 * z / K[0, 0]
    optics = Optics(shutter_deg=180, samples=64)
    sharp, blurred = (moments(drawn(spot(z), poses, LENSES, each)) for each in (None, optics))
    assert np.allclose(sharp[0], blurred[0], atol=0.02)
    assert (blurred[1] - sharp[1])[0] == pytest.approx(10**2 / 12, rel=0.03)
    assert abs(blurred[1] - sharp[1])[1] < 0.02


def test_a_zoom_smears_as_well():
    lenses = LENSES.copy()
    lenses[:, [0, 1], [0, 1]] *= np.array([0.9, 1.0, 1.1])[:, None]
    exposure = expose(STILL, lenses, 1, Optics(shutter_deg=360, samples=4), SIZE)
    assert np.allclose(
        np.sort(exposure.intrinsics[:, 0, 0]) / K[0, 0], 1 + 0.1 * np.array([-3, -1, 1, 3]) / 8
    )


def test_nothing_to_blur_is_one_sub_frame():
    for optics in (None, Optics(), Optics(samples=8)):
        exposure = expose(STILL, LENSES, 2, optics, SIZE)
        assert len(exposure) == 1
        assert np.array_equal(exposure.world_from_camera[0], STILL[2])


def test_between_two_poses_the_camera_goes_along_a_screw():
    rng = np.random.default_rng(3)
    for _ in range(20):
        a, b = (look_at(rng.normal(size=3), rng.normal(size=3) * 5) for _ in range(2))
        step = np.real(logm(np.linalg.inv(a) @ b))
        for share in (-0.3, 0.0, 0.25, 1.0):
            assert np.allclose(between(a, b, share), a @ expm(share * step), atol=1e-9)


def test_an_orbit_stays_at_its_distance_between_frames():
    poses = np.stack([look_at((5 * math.sin(a), 1.0, 5 * math.cos(a)), (0, 1.0, 0)) for a in (0.0, 0.5, 1.0)])
    for frame, time in ((0, 0.5), (0, -0.5), (1, -0.25), (2, 0.5)):
        pose = pose_at(poses, frame, time)
        assert np.linalg.norm(pose[[0, 2], 3]) == pytest.approx(5, abs=1e-9)
        angle = (frame + time) * 0.5
        assert np.allclose(pose, look_at((5 * math.sin(angle), 1, 5 * math.cos(angle)), (0, 1, 0)), atol=1e-9)


@pytest.mark.parametrize("count", [1, 2, 5, 16, 32])
def test_samples_fill_the_lens_and_the_time(count):
    times, points = shutter_times(count, 0.5), lens_points(count)
    assert np.allclose(np.sort(times), ((np.arange(count) + 0.5) / count - 0.5) * 0.5)
    assert np.allclose(points.mean(axis=0), 0, atol=1e-12)
    assert np.linalg.norm(points, axis=1).max() < 1.15
    if count >= 16:
        assert np.allclose(points.T @ points / count, np.eye(2) / 4, atol=0.04)  # a disk's second moments
        assert abs(np.corrcoef(times, points[:, 0])[0, 1]) < 0.3
        assert abs(np.corrcoef(times, np.linalg.norm(points, axis=1))[0, 1]) < 0.3


def test_means_are_of_light_and_depth_is_that_of_what_is_seen():
    """Half of the time white before black: 188 of 255, not 128; the depth is the surface's."""
    shape = (2, 3)
    white = Rendered(
        np.ones((*shape, 3), np.float32), np.full(shape, 4.0, np.float32), np.ones(shape, np.float32)
    )
    black = Rendered(
        np.zeros((*shape, 3), np.float32), np.full(shape, np.inf, np.float32), np.zeros(shape, np.float32)
    )
    mean = accumulate([white, black])
    assert mean.rgb == pytest.approx(187.5 / 255, abs=1e-3)
    assert (mean.alpha == 0.5).all() and (mean.depth == 4.0).all()
    weighted = accumulate([white, Rendered(white.rgb, 2 * white.depth, white.alpha / 2)])
    assert weighted.depth == pytest.approx((4 * 1 + 8 * 0.5) / 1.5)
    nothing = accumulate([black, black])
    assert np.isinf(nothing.depth).all() and (nothing.rgb == 0).all()
    assert accumulate([white]) is white
    with pytest.raises(ValueError):
        accumulate([])


def test_srgb_round_trip():
    levels = np.linspace(0, 1, 1001, dtype=np.float32)
    assert np.abs(srgb_from_linear(linear_from_srgb(levels)) - levels).max() < 1e-5


@pytest.mark.parametrize(
    "wrong",
    [
        {"f_stop": 0},
        {"f_stop": 2.0},
        {"f_stop": 2.0, "focus_m": (0.0,)},
        {"shutter_deg": 400},
        {"samples": 0},
    ],
)
def test_optics_that_no_camera_has(wrong):
    with pytest.raises(ValueError):
        Optics(**wrong)


def test_the_edge_of_a_thing_out_of_focus_has_its_depth():
    """A wall before nothing: where its blurred edge covers a pixel by a tenth, the depth is the wall's."""
    wall = single((-1.0, 0, 3.0), scales=(0.3, 2.0, 1e-3), opacity=0.999)
    picture = drawn(wall, STILL, LENSES, Optics(f_stop=1.0, focus_m=(9.0,), samples=32))
    edge = (picture.alpha > 0.02) & (picture.alpha < 0.5)
    assert edge.sum() > 200
    assert np.abs(picture.depth[edge] - 3.0).max() < 1e-3
