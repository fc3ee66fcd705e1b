"""The body carved from four views, held against the figure that the views were drawn from."""

from __future__ import annotations

import figure
import numpy as np
import pytest

from anix_cli.character import hull
from anix_cli.character.shape import signed_distance_m, thickness_m
from anix_cli.core.camera import look_at
from anix_cli.core.errors import AnixError
from anix_cli.splat import render

FAR_M = 200.0
INSET_M = 2 * 0.45 * figure.HEIGHT_M / 160  # means lie inside the surface that they draw
TOWARDS = {"front": (0, 0, 1), "back": (0, 0, -1), "left": (1, 0, 0), "right": (-1, 0, 0)}


@pytest.fixture(scope="module")
def views():
    return figure.views()


@pytest.fixture(scope="module")
def body(views):
    return hull(views, figure.HEIGHT_M)


def _seen(body, name: str, size_px=(384, 512), height_px: int = 480):
    """The body in (nearly) parallel projection, framed as the views are."""
    eye = np.array(TOWARDS[name]) * FAR_M + (0, 0.85, 0)
    focal = height_px / figure.HEIGHT_M * FAR_M
    foot_row = size_px[1] - 16 - 0.85 * height_px / figure.HEIGHT_M
    intrinsics = np.array([[focal, 0, size_px[0] / 2], [0, focal, foot_row], [0, 0, 1]])
    return render([body], look_at(eye, (0, 0.85, 0)), intrinsics, size_px, near=1.0)


def _iou(a, b) -> float:
    return float((a & b).sum() / (a | b).sum())


def _colours(body):
    return 0.5 + 0.28209479177387814 * body.sh[:, 0]


def _middle_z(views) -> float:
    """The views' axis is the middle of the shoes, which point forward in the figure's own frame."""
    columns = np.flatnonzero((views["right"][-40:, :, 3] > 0).any(axis=0))
    return ((columns[0] + columns[-1] + 1) / 2 - 192) * figure.HEIGHT_M / 480


def test_every_view_finds_its_silhouette_again(views, body):
    shift = round(_middle_z(views) * 480 / figure.HEIGHT_M)
    for name, sign in (("front", 0), ("back", 0), ("right", 1), ("left", -1)):
        expected = np.roll(views[name][..., 3] >= 128, -sign * shift, axis=1)
        assert _iou(_seen(body, name).alpha >= 0.5, expected) > 0.95, name


def test_every_view_finds_its_colours_again(views, body):
    shift = round(_middle_z(views) * 480 / figure.HEIGHT_M)
    for name, sign in (("front", 0), ("back", 0), ("right", 1), ("left", -1)):
        expected = np.roll(views[name], -sign * shift, axis=1)
        picture = _seen(body, name)
        both = (picture.alpha > 0.9) & (expected[..., 3] == 255)
        error = np.abs(picture.rgb[both] * 255 - expected[both][:, :3]).mean(axis=1)
        assert np.median(error) < 8, name
        assert (error < 40).mean() > 0.7, name


def test_the_body_stands_on_the_ground_in_its_own_frame(body):
    assert 0 <= body.means[:, 1].min() < 0.01
    assert body.means[:, 1].max() == pytest.approx(figure.HEIGHT_M, abs=0.015)
    feet = body.means[body.means[:, 1] < 0.06]
    assert feet[:, 0].min() == pytest.approx(-feet[:, 0].max(), abs=0.01)
    assert feet[:, 2].min() == pytest.approx(-feet[:, 2].max(), abs=0.02)


def test_gaussians_are_opaque_flat_unit_and_not_too_many(body):
    assert 15_000 < len(body) < 60_000
    assert body.sh_degree == 0
    assert body.opacities.min() > 0.99
    assert (body.scales[:, 2] < 0.5 * body.scales[:, 0]).all()
    np.testing.assert_allclose(np.linalg.norm(body.quats, axis=1), 1, atol=1e-5)
    for column in (body.means, body.quats, body.scales, body.opacities, body.sh):
        assert column.dtype == np.float32
        assert np.isfinite(column).all()


def test_an_arm_is_as_deep_as_it_is_wide(body):
    # At y = 1.1 the arm's axis is 0.295 m out; it leans by 28°, so that a level cut is wider than round.
    cut = body.means[(np.abs(body.means[:, 1] - 1.1) < 0.01) & (body.means[:, 0] > 0.2)]
    width = np.ptp(cut[:, 0]) * np.cos(np.arctan2(0.19, 0.35))
    depth = np.ptp(cut[:, 2])
    assert depth + INSET_M == pytest.approx(0.105, abs=0.015)
    assert depth == pytest.approx(width, abs=0.02)


def test_the_torso_is_as_deep_as_the_side_view_and_the_head_is_round(body):
    torso = body.means[(np.abs(body.means[:, 1] - 1.1) < 0.01) & (np.abs(body.means[:, 0]) < 0.2)]
    assert np.ptp(torso[:, 2]) == pytest.approx(0.23, abs=0.02)
    head = body.means[np.abs(body.means[:, 1] - 1.55) < 0.01]
    middle = (head.max(axis=0) + head.min(axis=0)) / 2
    radii = np.hypot(head[:, 0] - middle[0], head[:, 2] - middle[2])
    assert np.median(radii) == pytest.approx(0.105, abs=0.012)
    assert np.percentile(radii, 95) - np.percentile(radii, 5) < 0.03


def test_shoes_point_forward_from_the_ankles(body):
    ankles = body.means[np.abs(body.means[:, 1] - 0.16) < 0.015][:, 2]
    shoes = body.means[body.means[:, 1] < 0.05][:, 2]
    assert shoes.max() - ankles.max() > 0.07
    assert ankles.min() - shoes.min() < 0.07


def test_sides_have_their_own_colours(body):
    colour = _colours(body)
    chest = (np.abs(body.means[:, 1] - 1.15) < 0.06) & (np.abs(body.means[:, 0]) < 0.08)
    back = chest & (body.means[:, 2] < body.means[chest][:, 2].mean())
    np.testing.assert_allclose(np.median(colour[chest & ~back], axis=0), figure.FRONT, atol=0.06)
    np.testing.assert_allclose(np.median(colour[back], axis=0), figure.BACK, atol=0.06)
    upper_arm = (np.abs(body.means[:, 1] - 1.2) < 0.03) & (body.means[:, 0] > 0.28)
    np.testing.assert_allclose(np.median(colour[upper_arm], axis=0), figure.LEFT, atol=0.12)


def test_the_background_never_shows(views, body):
    bright = {name: image.copy() for name, image in views.items()}
    for image in bright.values():
        image[image[..., 3] == 0] = (255, 0, 255, 0)
    np.testing.assert_allclose(_colours(hull(bright, figure.HEIGHT_M)), _colours(body), atol=1e-4)


def test_the_same_views_give_the_same_bytes(views, body):
    again = hull(views, figure.HEIGHT_M)
    for name in ("means", "quats", "scales", "opacities", "sh"):
        assert getattr(again, name).tobytes() == getattr(body, name).tobytes()


def test_views_that_differ_a_little_keep_thin_parts():
    pole = [*figure.CAPSULES, ((0.55, 0.4, 0), (0.55, 1.5, 0), 0.012, 0.012, figure.SKIN)]
    views = figure.views(capsules=pole)
    views["back"] = np.roll(views["back"], 5, axis=1)
    body = hull(views, figure.HEIGHT_M)
    near_pole = (body.means[:, 0] > 0.5) & (body.means[:, 1] > 0.5) & (body.means[:, 1] < 1.4)
    heights = np.unique((body.means[near_pole][:, 1] / 0.03).astype(int))
    assert len(heights) > 25


def test_a_bag_on_one_hip_deepens_that_hip_only():
    orange = (0.95, 0.55, 0.1)
    bag = [((0.2, y, -0.17), (0.2, y, 0.23), 0.05, 0.05, orange) for y in (0.84, 0.88, 0.92)]
    body = hull(figure.views(capsules=[*figure.CAPSULES, *bag]), figure.HEIGHT_M)
    level = np.abs(body.means[:, 1] - 0.88) < 0.015
    bagged = body.means[level & (body.means[:, 0] > 0.17) & (body.means[:, 0] < 0.3)]
    bare = body.means[level & (body.means[:, 0] < 0) & (body.means[:, 0] > -0.3)]
    assert np.ptp(bagged[:, 2]) > 0.36
    assert np.ptp(bare[:, 2]) < 0.25
    outside = level & (body.means[:, 0] > 0.23) & (body.means[:, 0] < 0.3)
    np.testing.assert_allclose(np.median(_colours(body)[outside], axis=0), orange, atol=0.08)


def test_an_arm_hangs_where_its_colour_is_seen():
    white = (0.95, 0.95, 0.9)
    still = [c for c in figure.CAPSULES if max(abs(c[0][0]), abs(c[1][0])) < 0.15]
    arms = [((s * 0.17, 1.33, 0), (s * 0.4, 0.9, 0.05), 0.05, 0.045, white) for s in (-1, 1)]
    views = figure.views(capsules=[*still, *arms])
    body = hull(views, figure.HEIGHT_M)
    for side in (-1, 1):
        low = (side * body.means[:, 0] > 0.25) & (np.abs(body.means[:, 1] - 0.95) < 0.02)
        # The frame's middle is that of the shoes, 0.045 m before the figure's.
        assert body.means[low][:, 2].mean() == pytest.approx(0.044 - _middle_z(views), abs=0.02)


def test_a_finer_cell_gives_more_gaussians(views, body):
    fine = hull(views, figure.HEIGHT_M, cell_m=figure.HEIGHT_M / 220)
    assert 1.6 < len(fine) / len(body) < 2.2


def test_views_that_cannot_be_one_body_are_refused(views):
    apart = np.zeros((512, 384, 4), np.uint8)
    apart[16:60, 180:200] = 255
    apart[470:496, 180:200] = 255
    with pytest.raises(AnixError) as error:
        hull({**views, "front": apart, "back": apart}, 1.7)
    assert [d.code for d in error.value.diagnostics] == ["E345"]


def test_local_thickness_of_a_bar_and_a_disc():
    y, x = np.mgrid[:80, :160]
    disc = (np.hypot(y - 40, x - 40) < 20).astype(np.float32)
    bar = ((np.abs(y - 40) < 5.5) & (x > 90) & (x < 150)).astype(np.float32)
    thick = thickness_m(signed_distance_m(disc + bar, 0.01), 0.01)
    assert thick[40, 40] == pytest.approx(0.20, abs=0.01)
    assert thick[40, 25] == pytest.approx(0.20, abs=0.01)
    assert thick[40, 120] == pytest.approx(0.055, abs=0.006)
    assert thick[5, 5] == 0
