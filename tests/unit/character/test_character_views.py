"""Views: cutting out, checks, size and identity."""

from __future__ import annotations

import subprocess
import sys

import figure
import numpy as np
import pytest
from PIL import Image

from anix_cli.character import identity_key, measure, read_views, view_warnings
from anix_cli.character.views import cut_out
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


def test_identity_is_pixels_height_and_description(views):
    key = identity_key(views, 1.7)
    assert key == identity_key(dict(reversed(views.items())), 1.7)
    changed = {**views, "left": views["left"].copy()}
    changed["left"][0, 0, 0] ^= 1
    others = [identity_key(changed, 1.7), identity_key(views, 1.71), identity_key(views, 1.7, "tall")]
    assert len({key, *others}) == 4


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
