"""Pictures of models: front is front, edges where they belong, one scale for all."""

from __future__ import annotations

import glb
import numpy as np
import pytest

from anix_cli.character import measure
from anix_cli.character.model import ModelViews
from anix_cli.character.models.figure import reach_m, skinned, stand
from anix_cli.character.models.read import read_model
from anix_cli.character.models.views import pictures, turntable, views_of

SIZE_PX = 256


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A person with a red left hand, and a nose."""
    made, _ = glb.person()
    colours = made.tree["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"]
    view = made.tree["bufferViews"][made.tree["accessors"][colours]["bufferView"]]
    rows = np.frombuffer(made.data, "<f4", count=4 * 8 * len(glb.BONES), offset=view["byteOffset"]).reshape(
        -1, 4
    )
    rows = rows.copy()
    index = list(glb.BONES).index("LeftForeArm")
    rows[8 * index : 8 * index + 8] = (1, 0, 0, 1)
    start = view["byteOffset"]
    made.data = made.data[:start] + rows.tobytes() + made.data[start + rows.nbytes :]
    nose = made.mesh(glb.box((-0.03, 1.62, 0.12), (0.03, 1.68, 0.2)), glb.CUBE_TRIANGLES)
    made.node("nose", mesh=nose)
    return made.write(tmp_path_factory.mktemp("views") / "p.glb")


@pytest.fixture(scope="module")
def views(file):
    return views_of(file, size_px=SIZE_PX, height_m=1.8)


def _red(view):
    rgb = view[..., :3].astype(int)
    return (view[..., 3] > 200) & (rgb[..., 0] > 180) & (rgb[..., 1] < 110)


def test_four_pictures_with_alpha_on_one_line(views):
    assert list(views) == ["front", "left", "right", "back"]
    for view in views.values():
        assert view.shape == (SIZE_PX, SIZE_PX, 4) and view.dtype == np.uint8
        assert (view[0] == 0).all() and (view[:, 0] == 0).all() and (view[:, -1] == 0).all()
        rows = np.flatnonzero((view[..., 3] >= 128).any(axis=1))
        lines = np.flatnonzero((views["front"][..., 3] >= 128).any(axis=1))
        assert abs(rows[0] - lines[0]) <= 1 and abs(rows[-1] - lines[-1]) <= 1


def test_each_side_is_the_one_that_its_name_says(views):
    middle = SIZE_PX / 2
    assert (
        np.nonzero(_red(views["front"]))[1].mean() > middle + 20
    )  # her own left, on the right of the picture
    assert np.nonzero(_red(views["back"]))[1].mean() < middle - 20
    assert _red(views["left"]).sum() > 200 and _red(views["right"]).sum() == 0  # the body hides it
    rows = np.flatnonzero((views["front"][..., 3] >= 128).any(axis=1))
    nose, brow = (round(rows[-1] + 1 - height / 1.8 * len(rows)) for height in (1.65, 1.75))
    ends = {
        name: [np.flatnonzero(views[name][row, :, 3] >= 128)[[0, -1]] for row in (nose, brow)]
        for name in ("left", "right")
    }
    assert ends["left"][0][0] < ends["left"][1][0] - 5  # faces to the left of the picture
    assert ends["right"][0][1] > ends["right"][1][1] + 5


def test_silhouettes_are_those_of_the_geometry(file, views):
    """Against points of the surface, projected by hand."""
    figure = stand(read_model(file), 1.8)
    points = np.concatenate([skinned(p, figure.neutral_bones, figure.neutral) for p in figure.pieces])
    mask = views["front"][..., 3] >= 128
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    scale = (rows[-1] + 1 - rows[0]) / 1.8
    assert (columns[-1] + 1 - columns[0]) / scale == pytest.approx(np.ptp(points[:, 0]), abs=2.5 / scale)
    side = views["left"][..., 3] >= 128
    across = np.flatnonzero(side.any(axis=0))
    assert (across[-1] + 1 - across[0]) / scale == pytest.approx(np.ptp(points[:, 2]), abs=2.5 / scale)


def test_front_and_back_are_mirror_images(views):
    front, back = (views[name][..., 3] >= 128 for name in ("front", "back"))
    assert (front ^ back[:, ::-1]).sum() < 0.01 * front.sum()
    assert (front ^ front[:, ::-1]).sum() < 0.01 * front.sum()  # a person is even


def test_edges_are_soft_by_one_pixel_and_colours_reach_them(views):
    alpha = views["front"][..., 3]
    assert 0 < ((alpha > 0) & (alpha < 255)).sum() < 4 * ((alpha == 255).sum() ** 0.5) * 10
    edge = (alpha > 20) & (alpha < 235)
    assert views["front"][edge][:, :3].max(axis=1).min() > 40  # not darkened by the transparent ground


def test_a_turntable_goes_round_by_her_left(file):
    figure = stand(read_model(file), 1.8)
    made = turntable(figure, 8, size_px=128)
    assert list(made) == ["000", "045", "090", "135", "180", "225", "270", "315"]
    front, left = pictures(figure, [0, 90], size_px=128)
    np.testing.assert_array_equal(made["000"], front)
    np.testing.assert_array_equal(made["090"], left)
    assert _red(made["045"]).sum() > _red(made["315"]).sum()


def test_what_blends_shows_what_is_behind(tmp_path):
    made = glb.Builder()
    looks = [{"pbrMetallicRoughness": {"baseColorFactor": [0, 0, 1, 1]}},
             {"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 0.5]}, "alphaMode": "BLEND"}]  # fmt: skip
    for look in looks:
        made.part("", "materials", {**look, "extensions": {"KHR_materials_unlit": {}}})
    made.node(
        "glass", mesh=made.mesh(glb.box((-0.9, 0, 0.5), (0.9, 2, 0.51)), glb.CUBE_TRIANGLES, material=1)
    )
    made.node("core", mesh=made.mesh(glb.box((-0.2, 0, 0), (0.2, 1, 0.1)), glb.CUBE_TRIANGLES, material=0))
    views = views_of(made.write(tmp_path / "m.glb"), size_px=128)
    low, high = views["front"][100, 64], views["front"][30, 64]
    assert low[3] == 255 and low[0] > 100 and low[2] > 60
    assert 150 < high[3] < 230 and high[2] < 60  # two panes of it, nothing behind


def test_views_of_a_model_are_drawn_when_they_are_looked_at(file):
    views = ModelViews(file, 1.8, size_px=128)
    assert list(views) == ["front", "left", "right", "back"] and views._views is None
    assert views["front"].shape == (128, 128, 4)
    extent = measure(views, 1.8)
    width, _ = reach_m(stand(read_model(file), 1.8))
    assert extent.width_m == pytest.approx(width, abs=0.05)
