"""Views: cutting out, checks, size and identity."""

from __future__ import annotations

import subprocess
import sys

import figure
import numpy as np
import pytest
from PIL import Image

from anix_cli.character import identity_key, measure, read_views, view_warnings
from anix_cli.character.views import MAX_SIDE_PX, cut_out, downsized
from anix_cli.core.errors import AnixError


@pytest.fixture(scope="module")
def views():
    return figure.views()


def _on(image: np.ndarray, colour) -> np.ndarray:
    alpha = image[..., 3:] / 255.0
    rgb = image[..., :3] * alpha + np.array(colour) * (1 - alpha)
    return np.dstack([rgb.astype(np.uint8), np.full(image.shape[:2], 255, np.uint8)])


def _saved(tmp_path, views):
    files = {}
    for name, image in views.items():
        files[name] = tmp_path / f"{name}.png"
        Image.fromarray(image).save(files[name])
    return files


def _codes(error: pytest.ExceptionInfo[AnixError]) -> list[str]:
    return [d.code for d in error.value.diagnostics]


def test_transparent_views_are_read_as_they_are(tmp_path, views):
    read = read_views(_saved(tmp_path, views))
    assert list(read) == ["front", "left", "right", "back"]
    for name, image in views.items():
        opaque = image[..., 3] > 0
        np.testing.assert_array_equal(read[name][..., 3], image[..., 3])
        np.testing.assert_array_equal(read[name][opaque], image[opaque])


@pytest.mark.parametrize("background", [(255, 255, 255), (30, 200, 60), (128, 128, 128)])
def test_a_plain_background_is_cut_away(views, background):
    noise = np.random.default_rng(1).integers(-3, 4, (*views["front"].shape[:2], 1))
    image = _on(views["front"], background)
    image[..., :3] = np.clip(image[..., :3] + noise, 0, 255)
    cut = cut_out(image)[..., 3] >= 128
    truth = views["front"][..., 3] >= 128
    assert (cut ^ truth).sum() < 0.004 * truth.sum()


def test_what_has_the_background_colour_inside_the_character_stays(views):
    image = views["front"].copy()
    image[200:216, 186:198, :3] = 255
    cut = cut_out(_on(image, (255, 255, 255)))
    assert cut[208, 192, 3] == 255


def test_an_empty_view_is_refused(views):
    for empty in (np.zeros((64, 64, 4), np.uint8), np.full((64, 64, 4), 255, np.uint8)):
        with pytest.raises(AnixError) as error:
            cut_out(empty, "left")
        assert _codes(error) == ["E341"]
        assert "left" in str(error.value)


def test_a_busy_background_is_refused(views):
    image = np.random.default_rng(0).integers(0, 256, (80, 60, 4)).astype(np.uint8)
    image[..., 3] = 255
    with pytest.raises(AnixError) as error:
        cut_out(image)
    assert _codes(error) == ["E342"]


def test_all_mistakes_are_told_at_once(tmp_path, views):
    files = _saved(tmp_path, {**views, "front": np.zeros((64, 64, 4), np.uint8)})
    del files["back"]
    with pytest.raises(AnixError) as error:
        read_views(files)
    assert _codes(error) == ["E341", "E344"]
    assert error.value.diagnostics[0].file == files["front"]


def test_good_views_raise_no_warning(views):
    assert view_warnings(views) == ()


def test_a_view_given_twice_is_noticed(tmp_path, views):
    files = _saved(tmp_path, views)
    (found,) = view_warnings({**views, "back": views["front"]}, files)
    assert (found.code, found.severity, found.file) == ("W341", "warning", files["back"])
    assert "front" in found.message and "back" in found.message


def test_a_mirrored_view_is_noticed(views):
    (found,) = view_warnings({**views, "right": views["left"][:, ::-1]})
    assert found.code == "W342"


def test_size_comes_from_the_silhouettes(views):
    extent = measure(views, figure.HEIGHT_M)
    pixel = figure.HEIGHT_M / 480
    assert extent.height_m == figure.HEIGHT_M
    assert extent.width_m == pytest.approx(2 * (0.43 + 0.04), abs=3 * pixel)
    # The shoes reach from −0.11 to 0.19 m: symmetric about the middle of the feet.
    assert extent.depth_m == pytest.approx(0.30, abs=4 * pixel)


def test_size_does_not_depend_on_how_views_are_framed(views):
    image = Image.fromarray(views["left"])
    framed = {**views, "left": np.asarray(image.resize((192, 256), Image.Resampling.BOX))}
    framed["right"] = np.pad(views["right"], ((40, 0), (0, 90), (0, 0)))
    apart, together = measure(framed, 1.7), measure(views, 1.7)
    assert apart.width_m == pytest.approx(together.width_m, abs=0.02)
    assert apart.depth_m == pytest.approx(together.depth_m, abs=0.02)


def test_a_stray_pixel_does_not_change_the_size(views):
    speck = {name: image.copy() for name, image in views.items()}
    speck["front"][3, 380] = 255
    assert measure(speck, 1.7) == measure(views, 1.7)


def test_large_views_are_made_smaller_with_their_aspect_kept(tmp_path, views):
    large = {name: np.kron(image, np.ones((9, 9, 1), np.uint8)) for name, image in views.items()}
    assert max(large["front"].shape) > 2 * MAX_SIDE_PX
    read = read_views(_saved(tmp_path, large))
    for name, image in read.items():
        assert image.shape == (MAX_SIDE_PX, MAX_SIDE_PX * 384 // 512, 4)
        assert image.flags.c_contiguous and image.dtype == np.uint8
        share = (image[..., 3] >= 128).mean()
        assert share == pytest.approx((views[name][..., 3] >= 128).mean(), rel=0.01)
    assert measure(read, 1.7).width_m == pytest.approx(measure(views, 1.7).width_m, abs=0.01)
    assert identity_key(read, 1.7) == identity_key(read_views(_saved(tmp_path, large)), 1.7)


@pytest.mark.parametrize("shape", [(2048, 3), (2, 2048), (64, 48)])
def test_views_that_are_small_enough_stay_as_they_are(shape):
    image = np.random.default_rng(2).integers(0, 256, (*shape, 4)).astype(np.uint8)
    assert downsized(image) is image


def test_shrinking_mixes_no_colour_of_what_is_transparent():
    image = np.zeros((3000, 3000, 4), np.uint8)
    image[..., 1] = 255  # green, and transparent but for a red stripe
    image[:, 1000:1501] = (200, 10, 30, 255)
    small = downsized(image)
    assert small.shape == (2048, 2048, 4)
    seen = small[..., 3] > 16
    assert seen.mean() == pytest.approx(501 / 3000, abs=0.002)
    assert np.abs(small[seen][:, :3].astype(int) - (200, 10, 30)).max() < 12
    opaque = downsized(np.full((5000, 10, 4), 255, np.uint8))
    assert opaque.shape == (2048, 4, 4) and (opaque == 255).all()


def test_identity_is_pixels_and_height(views):
    key = identity_key(views, 1.7)
    assert key == identity_key(dict(reversed(views.items())), 1.7)
    changed = {**views, "left": views["left"].copy()}
    changed["left"][0, 0, 0] ^= 1
    others = [identity_key(changed, 1.7), identity_key(views, 1.71)]
    assert len({key, *others}) == 3


def test_measuring_needs_neither_scipy_nor_numba():
    code = (
        "import sys, numpy as np\n"
        "from anix_cli.character import measure, identity_key\n"
        "view = np.zeros((64, 64, 4), np.uint8); view[8:60, 20:40] = 255\n"
        "views = dict.fromkeys(('front', 'left', 'right', 'back'), view)\n"
        "measure(views, 1.7), identity_key(views, 1.7)\n"
        "sys.exit(any(name in sys.modules for name in ('numba', 'scipy', 'PIL')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
