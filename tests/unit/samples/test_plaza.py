"""The square: counts, ground, free space, no holes, budget."""

from __future__ import annotations

import io

import numpy as np
import pytest

from anix_cli.core.camera import intrinsics_from_lens, look_at
from anix_cli.core.gaussians import Gaussians
from anix_cli.samples import layout
from anix_cli.samples.ground import BEDDING_Y_M, ground
from anix_cli.samples.plaza import plaza, things
from anix_cli.samples.surfaces import Surfels, join
from anix_cli.scene import write_spz
from anix_cli.splat import render

BUDGET_BYTES = 4_000_000


@pytest.fixture(scope="module")
def square() -> Gaussians:
    return plaza()


def _in_free_space(means: np.ndarray, margin: float = 0.0) -> np.ndarray:
    inside = np.zeros(len(means), dtype=bool)
    for x0, z0, x1, z1 in layout.FREE_M.values():
        inside |= (
            (means[:, 0] > x0 - margin)
            & (means[:, 0] < x1 + margin)
            & (means[:, 2] > z0 - margin)
            & (means[:, 2] < z1 + margin)
        )
    return inside


def test_the_paving_is_level_and_at_zero() -> None:
    paving = join(ground())
    bedding = paving.means[:, 1] < BEDDING_Y_M + 0.05
    walked = paving.where(_in_free_space(paving.means) & ~bedding)
    assert len(walked) > 10_000
    assert np.abs(walked.means[:, 1]).max() <= 0.02
    assert walked.normals[:, 1].min() > 0.99
    assert paving.means[:, 1].max() <= 0.15


def test_no_furniture_stands_in_the_free_space() -> None:
    furniture: Surfels = join(things())
    reach = 2 * furniture.sizes[:, :2].max(axis=1)
    low = furniture.means[:, 1] - reach < 2.2
    assert not (_in_free_space(furniture.means, 0.15) & low).any()


def test_the_fountain_stands_where_the_anchor_says() -> None:
    furniture = join(things())
    x, z = layout.FOUNTAIN_XZ
    near = np.hypot(furniture.means[:, 0] - x, furniture.means[:, 2] - z) < 2.6
    tall = furniture.where(near).means
    assert tall[:, 1].max() > 2.5
    np.testing.assert_allclose((tall[:, [0, 2]].max(0) + tall[:, [0, 2]].min(0)) / 2, (x, z), atol=0.05)


@pytest.mark.slow
class TestWholeSquare:
    def test_counts_and_values(self, square: Gaussians) -> None:
        assert 120_000 <= len(square) <= 300_000
        assert square.sh_degree == 2
        assert np.isfinite(square.means).all()
        assert np.isfinite(square.sh).all()
        np.testing.assert_allclose(np.linalg.norm(square.quats, axis=1), 1.0, atol=1e-5)
        assert square.scales.min() > 0
        shiny = np.any(square.sh[:, 1:] != 0, axis=(1, 2)).mean()
        assert 0.01 < shiny < 0.3

    def test_it_fits_the_budget_and_is_the_same_every_time(self, square: Gaussians) -> None:
        first, again = io.BytesIO(), io.BytesIO()
        write_spz(first, square, sh_bits=(5, 4))
        write_spz(again, plaza(), sh_bits=(5, 4))
        assert first.getvalue() == again.getvalue()
        assert 500_000 < len(first.getvalue()) < BUDGET_BYTES

    def test_nothing_opaque_hangs_in_the_free_space(self, square: Gaussians) -> None:
        y = square.means[:, 1]
        hanging = _in_free_space(square.means) & (y > 0.1) & (y < 2.2) & (square.opacities > 0.05)
        assert hanging.sum() == 0

    @pytest.mark.parametrize("turn_deg", range(0, 360, 45))
    def test_every_direction_is_filled(self, square: Gaussians, turn_deg: int) -> None:
        angle = np.radians(turn_deg)
        eye = np.array([0.0, 1.5, 2.0])
        target = eye + np.array([np.sin(angle), 0.12, np.cos(angle)])
        size = (208, 120)
        picture = render(square, look_at(eye, target), intrinsics_from_lens(24, size), size, near=0.1)
        assert picture.alpha.min() > 0.97
        assert picture.rgb.max(axis=2).min() > 0.02
        assert picture.rgb.std() > 0.08

    def test_seen_from_above_the_ground_is_at_zero(self, square: Gaussians) -> None:
        size = (160, 160)
        picture = render(
            square, look_at((-0.6, 4, -3), (-0.6, 0, -3)), intrinsics_from_lens(24, size), size, near=0.1
        )
        heights = 4 - picture.depth
        assert abs(float(np.median(heights))) < 0.005
        assert np.quantile(np.abs(heights), 0.98) < 0.02

    def test_seen_by_a_standing_camera_the_ground_is_at_zero(self, square: Gaussians) -> None:
        size = (208, 120)
        eye = np.array([-0.5, 1.6, -6.0])
        pose = look_at(eye, (-0.5, 0.0, -2.0))
        intrinsics = intrinsics_from_lens(35, size)
        picture = render(square, pose, intrinsics, size, near=0.1)
        ray = pose[:3, :3] @ np.linalg.inv(intrinsics) @ np.array([size[0] / 2, size[1] / 2, 1.0])
        height = eye[1] + ray[1] * picture.depth[size[1] // 2, size[0] // 2]
        # Depth is that of the centres of discs, which at a flat angle lie a little before what is seen.
        assert abs(height) < 0.04
