"""What is told of odd views, soft edges of cut-outs, and turnaround sheets."""

from __future__ import annotations

import figure
import numpy as np
import pytest
from PIL import Image, ImageFilter

from anix_cli.character import aligned, measure, read_views, view_warnings
from anix_cli.character.measure import view_frames
from anix_cli.character.views import cut_out
from anix_cli.core.errors import AnixError
from anix_cli.core.screenplay import VIEW_NAMES


@pytest.fixture(scope="module")
def views():
    return figure.views()


def _codes(views) -> list[str]:
    return [found.code for found in view_warnings(views)]


def _cut(image):
    """Without the free space about the figure."""
    rows, columns = (np.flatnonzero(image[..., 3].any(axis=axis)) for axis in (1, 0))
    return image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def test_a_copy_is_found_in_another_frame_and_size(views):
    small = Image.fromarray(_cut(views["front"])).resize((213, 384), Image.Resampling.BOX)
    assert "W341" in _codes({**views, "back": np.asarray(small)})
    mirrored = np.pad(views["left"][:, ::-1], ((5, 9), (30, 2), (0, 0)))
    assert "W342" in _codes({**views, "right": mirrored})


def test_a_view_of_somebody_else_is_noticed(views):
    other = views["left"].copy()
    other[..., :3] = (10, 240, 20)
    (found,) = view_warnings({**views, "left": other})
    assert found.code == "W343" and "left" in found.message and "colours" in found.message
    wide = np.asarray(Image.fromarray(views["back"]).resize((1000, 512), Image.Resampling.BOX))
    (found,) = view_warnings({**views, "back": wide})
    assert found.code == "W343" and "back" in found.message and "outline" in found.message


def test_a_character_that_the_border_cuts_is_noticed(views):
    (found,) = view_warnings({**views, "front": views["front"][:-40]})
    assert found.code == "W344" and "front" in found.message and "lower" in found.message


def test_pictures_trimmed_to_the_character_are_not_cut(views):
    trimmed = {name: _cut(image) for name, image in views.items()}
    assert _codes(trimmed) == []
    assert "W344" in _codes({**trimmed, "back": trimmed["back"][130:]})


def test_a_small_view_is_noticed(views):
    small = np.asarray(Image.fromarray(views["right"]).resize((96, 128), Image.Resampling.BOX))
    (found,) = view_warnings({**views, "right": small})
    assert found.code == "W345" and "120 pixels" in found.message and "right" in found.message


@pytest.mark.parametrize(("radius", "told"), [(0.0, []), (1.0, []), (5.0, ["W346"])])
def test_a_blurred_view_is_noticed(views, radius, told):
    soft = Image.fromarray(views["left"]).convert("RGBa").filter(ImageFilter.GaussianBlur(radius))
    assert _codes({**views, "left": np.asarray(soft.convert("RGBA"))}) == told


def test_swapped_sides_are_noticed(views):
    (found,) = view_warnings({**views, "left": views["right"], "right": views["left"]})
    assert found.code == "W347"


def _on(image, colour):
    alpha = image[..., 3:] / 255.0
    rgb = image[..., :3] * alpha + np.array(colour) * (1 - alpha)
    return np.dstack([np.rint(rgb).astype(np.uint8), np.full(image.shape[:2], 255, np.uint8)])


@pytest.mark.parametrize("background", [(255, 255, 255), (0, 200, 40), (120, 130, 140)])
def test_no_fringe_of_the_background_is_left(background):
    """A disc with soft edges on a plain ground: coverage within 2 %, and no colour but its own."""
    y, x = np.mgrid[0:160, 0:160] + 0.5
    alpha = np.clip(60.3 - np.hypot(x - 80.2, y - 79.7), 0, 1)
    truth = np.dstack([np.full((160, 160, 3), (150, 30, 40)), alpha * 255]).round().astype(np.uint8)
    cut = cut_out(_on(truth, background))
    assert np.abs(cut[..., 3] / 255 - alpha).mean() < 0.02 * (alpha > 0).mean()
    seen = cut[..., 3] > 12
    assert np.abs(cut[seen][:, :3].astype(int) - (150, 30, 40)).max() <= 10  # 4 % of white
    assert cut[..., 3].sum() / 255 == pytest.approx(alpha.sum(), rel=0.004)


def test_a_green_screen_goes_from_between_arm_and_body_a_white_one_stays():
    image = np.zeros((120, 120, 4), np.uint8)
    image[20:100, 30:90] = (140, 60, 50, 255)
    image[50:70, 50:70, 3] = 0
    assert cut_out(_on(image, (0, 220, 30)))[60, 60, 3] == 0
    assert cut_out(_on(image, (255, 255, 255)))[60, 60, 3] == 255


def _sheet(views, order, *, per_row=4, ground=None, caption=True):
    cells = []
    for name in order:
        cell = np.pad(_cut(views[name]), ((24, 60), (20, 20), (0, 0)))
        if caption:
            cell[-40:-20, 20:40] = (0, 0, 0, 255)
        cells.append(cell)
    wide = max(cell.shape[1] for cell in cells)
    cells = [np.pad(c, ((0, 0), (0, wide - c.shape[1]), (0, 0))) for c in cells]
    rows = [np.hstack(cells[i : i + per_row]) for i in range(0, 4, per_row)]
    sheet = np.vstack(rows)
    return sheet if ground is None else _on(sheet, ground)


@pytest.mark.parametrize(
    ("order", "per_row", "ground"),
    [
        (("front", "left", "right", "back"), 4, None),
        (("front", "left", "back", "right"), 4, (255, 255, 255)),
        (("front", "right", "back", "left"), 2, (255, 255, 255)),
    ],
)
def test_a_sheet_is_split_into_the_four_views(tmp_path, views, order, per_row, ground):
    file = tmp_path / "sheet.png"
    Image.fromarray(_sheet(views, order, per_row=per_row, ground=ground)).save(file)
    read = read_views(dict.fromkeys(VIEW_NAMES, file), sheet=True)
    for name, image in read.items():
        own, truth = _cut(image), _cut(views[name])
        assert abs(own.shape[0] - truth.shape[0]) <= 2 and abs(own.shape[1] - truth.shape[1]) <= 2
        height, width = (min(a, b) for a, b in zip(own.shape[:2], truth.shape[:2], strict=True))
        both = (own[:height, :width, 3] >= 128) & (truth[:height, :width, 3] >= 128)
        off = np.abs(own[:height, :width, :3].astype(int) - truth[:height, :width, :3])[both]
        assert off.mean() < 4, name
    assert len({image.shape for image in read.values()}) == 1
    assert view_warnings(read) == ()
    assert measure(read, 1.7).width_m == pytest.approx(measure(views, 1.7).width_m, abs=0.02)


def test_a_sheet_of_three_figures_is_refused(tmp_path, views):
    file = tmp_path / "sheet.png"
    Image.fromarray(_sheet(views, ("front", "left", "back"))).save(file)
    with pytest.raises(AnixError) as error:
        read_views(dict.fromkeys(VIEW_NAMES, file), sheet=True)
    (found,) = error.value.diagnostics
    assert found.code == "E346" and found.file == file and "3 figures" in found.message


def test_one_picture_for_all_four_views_is_still_that(tmp_path, views):
    file = tmp_path / "front.png"
    Image.fromarray(views["front"]).save(file)
    read = read_views(dict.fromkeys(VIEW_NAMES, file))
    np.testing.assert_array_equal(read["back"], views["front"])


def test_views_of_unlike_frames_get_one_scale_and_one_line_of_the_feet(views):
    small = np.asarray(Image.fromarray(views["left"]).resize((288, 384), Image.Resampling.BOX))
    framed = {**views, "left": small, "right": np.pad(views["right"], ((40, 0), (0, 90), (0, 0)))}
    made = aligned(framed)
    frames = view_frames(made, 1.7)
    assert len({image.shape for image in made.values()}) == 1
    assert {frame.foot_px for frame in frames.values()} == {next(iter(frames.values())).foot_px}
    for name, image in made.items():
        assert np.ptp(np.flatnonzero(image[..., 3].max(axis=1) >= 128)) + 1 == pytest.approx(480, abs=2)
        share = (image[..., 3] >= 128).sum() / (views[name][..., 3] >= 128).sum()
        assert share == pytest.approx(1, abs=0.02)
    assert aligned(views)["left"] is views["left"]


@pytest.mark.parametrize(
    ("cut", "side"),
    [((slice(0, -100), slice(None)), "lower"), ((slice(None), slice(60, None)), "left")],
)
@pytest.mark.parametrize("ground", [None, (255, 255, 255)])
def test_a_figure_that_the_border_of_a_sheet_cuts_is_noticed(tmp_path, views, cut, side, ground):
    file = tmp_path / "sheet.png"
    sheet = _sheet(views, ("front", "left", "right", "back"), ground=ground, caption=False)
    for name, image in (("sheet.png", sheet), ("cut.png", sheet[cut])):
        file = tmp_path / name
        Image.fromarray(np.ascontiguousarray(image)).save(file)
        files = dict.fromkeys(VIEW_NAMES, file)
        notes = [n for n in view_warnings(read_views(files, sheet=True), files) if n.code == "W344"]
        assert len(notes) == (name == "cut.png")
    assert "sheet" in notes[0].message and side in notes[0].message and notes[0].file == file
