"""Teo, the second person: as tall as the first, told apart by colours, hair and the side of the bag."""

from __future__ import annotations

import numpy as np
import pytest

from anix_cli.character import view_warnings
from anix_cli.samples import portrait
from anix_cli.samples.looks import MIRA, TEO
from anix_cli.samples.mira import build

SIZE = (192, 256)


@pytest.fixture(scope="module")
def teo() -> dict[str, np.ndarray]:
    return {view: portrait.render_view(view, look=TEO, size_px=SIZE, samples=2) for view in portrait.VIEWS}


def test_the_views_can_be_used_without_a_warning(teo):
    assert view_warnings(teo) == ()


def test_the_bag_hangs_on_his_right(teo):
    green = {}
    for view, picture in teo.items():
        r, g, b = (picture[..., channel].astype(int) for channel in range(3))
        row = np.arange(SIZE[1])[:, None] / SIZE[1]
        green[view] = (picture[..., 3] > 250) & (g - r > 15) & (g - b > 5) & (row > 0.4) & (row < 0.58)
    half = SIZE[0] // 2
    assert green["right"].sum() > 1.5 * green["left"].sum()
    # Facing the camera, his right is on the left of the picture.
    assert green["front"][:, :half].sum() > 5 * max(1, green["front"][:, half:].sum())


def test_he_is_as_tall_as_she_without_cap_and_tail(teo):
    rows = np.nonzero((teo["front"][..., 3] > 127).any(axis=1))[0]
    scale = portrait.PIXELS_PER_M * SIZE[1] / portrait.SIZE_PX[1]
    assert (rows.max() + 1 - rows.min()) / scale == pytest.approx(1.72, abs=0.02)
    assert len(build(TEO).solids) < len(build(MIRA).solids)


def test_his_jacket_is_yellow(teo):
    row = int((portrait.FOOT_LINE_PX - 1.15 * portrait.PIXELS_PER_M) * SIZE[1] / portrait.SIZE_PX[1])
    chest = teo["front"][row, SIZE[0] // 2 + 6 : SIZE[0] // 2 + 14]
    r, g, b, _ = chest.astype(int).mean(axis=0)
    assert r > 180 and g > 120 and b < 110
