"""The courier: size, sides, outline, determinism."""

from __future__ import annotations

import numpy as np
import pytest

from anix_cli.samples import mira, portrait
from anix_cli.samples.solids import CONE, Solid, rotation
from anix_cli.samples.trace import trace

SIZE = (192, 256)


@pytest.fixture(scope="module")
def views() -> dict[str, np.ndarray]:
    return {view: portrait.render_view(view, size_px=SIZE, samples=2) for view in portrait.VIEWS}


def _extent(view: np.ndarray) -> tuple[int, int, int, int]:
    rows, columns = np.nonzero(view[..., 3] > 127)
    return int(rows.min()), int(rows.max()), int(columns.min()), int(columns.max())


def test_all_views_share_scale_head_and_foot_line(views: dict[str, np.ndarray]) -> None:
    extents = [_extent(view) for view in views.values()]
    heads, feet = [e[0] for e in extents], [e[1] for e in extents]
    assert max(heads) - min(heads) <= 1
    assert max(feet) - min(feet) <= 1
    foot = portrait.FOOT_LINE_PX * SIZE[1] / portrait.SIZE_PX[1]
    assert abs(feet[0] + 1 - foot) <= 1
    height_m = (feet[0] + 1 - heads[0]) / (portrait.PIXELS_PER_M * SIZE[1] / portrait.SIZE_PX[1])
    assert height_m == pytest.approx(mira.HEIGHT_M, abs=0.012)


def test_front_and_back_have_mirrored_outlines(views: dict[str, np.ndarray]) -> None:
    difference = views["front"][..., 3].astype(int) - views["back"][:, ::-1, 3]
    assert (np.abs(difference) > 127).mean() < 0.001


def test_left_and_right_have_mirrored_outlines_but_not_the_same_picture(views: dict[str, np.ndarray]) -> None:
    left, right = views["left"], views["right"][:, ::-1]
    assert (np.abs(left[..., 3].astype(int) - right[..., 3]) > 127).mean() < 0.001
    both = (left[..., 3] > 250) & (right[..., 3] > 250)
    assert (np.abs(left[both].astype(int) - right[both])[:, :3].max(axis=1) > 40).mean() > 0.08


def test_the_bag_hangs_on_her_left(views: dict[str, np.ndarray]) -> None:
    leather = {view: _leather(picture) for view, picture in views.items()}
    assert leather["left"].sum() > 1.5 * leather["right"].sum()
    # Facing the camera, her left is on the right of the picture; from behind it is on the left.
    assert leather["front"][:, SIZE[0] // 2 :].sum() > 10 * max(1, leather["front"][:, : SIZE[0] // 2].sum())
    assert leather["back"][:, : SIZE[0] // 2].sum() > 10 * max(1, leather["back"][:, SIZE[0] // 2 :].sum())


def _leather(view: np.ndarray) -> np.ndarray:
    """Pixels about the hips with the bag's tan colour."""
    r, g, b = (view[..., k].astype(int) for k in range(3))
    tan = (view[..., 3] > 250) & (r > 140) & (r - g > 40) & (r - g < 110) & (g - b > 40)
    row = np.arange(view.shape[0])[:, None] / view.shape[0]
    return np.asarray(tan & (row > 0.42) & (row < 0.56))


def test_she_faces_left_in_the_left_view(views: dict[str, np.ndarray]) -> None:
    """The cap's brim and the toes point to where she looks."""
    middle = SIZE[0] / 2
    for height_m in (1.658, 0.02):
        columns = np.flatnonzero(views["left"][_row(height_m), :, 3] > 127)
        assert middle - columns.min() > columns.max() - middle + 5


def test_limbs_stand_apart_in_the_front_view(views: dict[str, np.ndarray]) -> None:
    alpha = views["front"][..., 3]

    def runs(height_m: float) -> int:
        solid = alpha[_row(height_m)] > 127
        return int(np.count_nonzero(solid[1:] & ~solid[:-1]))

    assert runs(0.4) == 2  # two legs
    assert runs(1.1) == 3  # arm, waist, arm


def _row(height_m: float) -> int:
    """The row of the picture at a height above the ground."""
    return int((portrait.FOOT_LINE_PX - height_m * portrait.PIXELS_PER_M) * SIZE[1] / portrait.SIZE_PX[1])


def test_alpha_is_soft_at_outlines_and_clean_elsewhere(views: dict[str, np.ndarray]) -> None:
    for view in views.values():
        alpha = view[..., 3]
        assert 0.005 < ((alpha > 0) & (alpha < 255)).mean() < 0.06
        assert not view[alpha == 0].any()
        assert alpha[0].max() == alpha[:, 0].max() == alpha[:, -1].max() == 0


def test_a_view_is_the_same_every_time(views: dict[str, np.ndarray]) -> None:
    assert (portrait.render_view("front", size_px=SIZE, samples=2) == views["front"]).all()


def test_a_traced_capsule_lies_where_it_should() -> None:
    ball = Solid(CONE, 0, (0.0, 0.5, 0.0), (0.0, 1.0, 0.0), 0.2, 0.2)
    body = mira.Body()
    body.group(0.0, [ball])
    origins = np.array([[0.0, 0.75, 2.0], [0.1, 0.75, 2.0], [0.3, 0.75, 2.0]])
    points, normals, owners, _, _ = trace(
        body.table(), np.array(body.blends_m), origins, np.array([0.0, 0.0, -1.0]), np.array([0.0, 1.0, 0.0])
    )
    assert owners.tolist() == [0, 0, -1]
    np.testing.assert_allclose(points[:2, 2], [0.2, np.sqrt(0.03)], atol=1e-3)
    np.testing.assert_allclose(normals[0], (0, 0, 1), atol=1e-3)


def test_rotation_turns_about_x_first() -> None:
    turned = rotation((90.0, 0.0, 90.0)) @ np.array([0.0, 0.0, 1.0])
    # About x: +z → −y; then about z: −y → +x.
    np.testing.assert_allclose(turned, (1, 0, 0), atol=1e-12)
