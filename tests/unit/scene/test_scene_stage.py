"""A scene opened as a screenplay names it: what is assumed is said, what is written is obeyed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from places import FACADE, discs, flat, surface
from splat_files import names, ply, random_gaussians

from anix_cli.core.errors import AnixError, Diagnostic
from anix_cli.core.gaussians import Gaussians, concatenate
from anix_cli.core.screenplay import ScaleReference, SceneSpec
from anix_cli.scene import open_scene, place, probe, read_splats, similarity, transform, write_ply, write_spz
from anix_cli.scene.placement import Crop


@pytest.fixture(scope="module")
def plaza() -> Gaussians:
    return concatenate([surface(flat), FACADE])


@pytest.fixture(scope="module")
def spz(plaza: Gaussians, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scene") / "plaza.spz"
    write_spz(path, plaza)
    return path


def codes(notes: tuple[Diagnostic, ...]) -> list[str]:
    return [note.code for note in notes]


def test_what_is_assumed_is_said(spz: Path, plaza: Gaussians, tmp_path: Path) -> None:
    scene = open_scene(SceneSpec(spz))
    # The ground says the same of what is up as the format does: that is no assumption.
    assert codes(scene.stage.notes) == ["W302"]
    assert scene.stage.notes[0].file == spz
    on_its_head = tmp_path / "head.spz"
    write_spz(on_its_head, transform(plaza, similarity("-y", 1.0)))
    notes = open_scene(SceneSpec(on_its_head)).stage.notes
    assert codes(notes) == ["W301", "W302", "W303"]
    assert "+y up (SPZ specification), which no ground in it confirms" in notes[0].message
    np.testing.assert_array_equal(scene.stage.stage_from_file, np.eye(4))
    np.testing.assert_allclose(scene.stage.ground.at([[0, 0], [5, -5]]), 0, atol=0.03)
    assert codes(open_scene(SceneSpec(spz, up="+y", scale=1.0)).stage.notes) == []


def test_ply_hangs_head_down_by_convention(plaza: Gaussians, spz: Path, tmp_path: Path) -> None:
    path = tmp_path / "plaza.ply"
    write_ply(path, transform(plaza, similarity("-y", 1.0)))
    hanging, standing = open_scene(SceneSpec(path)), open_scene(SceneSpec(spz))
    assert codes(hanging.stage.notes) == ["W302"]
    np.testing.assert_allclose(hanging.gaussians.means, standing.gaussians.means, atol=2e-4)
    np.testing.assert_allclose(hanging.stage.bounds_m, standing.stage.bounds_m, atol=1e-3)


def test_scale_and_origin(spz: Path) -> None:
    spec = SceneSpec(spz, up="+y", scale=2.0, origin=(1.0, 0.5, -1.0))
    scene, plain = open_scene(spec), open_scene(SceneSpec(spz))
    np.testing.assert_allclose(scene.stage.stage_from_file @ [1, 0.5, -1, 1], [0, 0, 0, 1])
    np.testing.assert_allclose(scene.gaussians.scales, 2 * plain.gaussians.scales, rtol=1e-6)
    np.testing.assert_allclose(
        scene.gaussians.means, 2 * (plain.gaussians.means - [1, 0.5, -1]), rtol=1e-6, atol=1e-5
    )
    np.testing.assert_allclose(scene.stage.ground.at([0, 0]), -1, atol=0.05)


def test_a_length_that_is_known_gives_the_scale(spz: Path) -> None:
    door = ScaleReference(((1.0, 0.0, 2.0), (1.0, 0.5, 2.0)), 2.0)
    scene, plain = (
        open_scene(SceneSpec(spz, up="+y", scale=door)),
        open_scene(SceneSpec(spz, up="+y", scale=4.0)),
    )
    assert scene.stage.notes == ()
    assert scene.stage.key == plain.stage.key
    start, end = (scene.stage.stage_from_file @ [*point, 1] for point in door.reference)
    assert np.linalg.norm(end - start) == pytest.approx(2)
    np.testing.assert_array_equal(scene.gaussians.means, plain.gaussians.means)
    with pytest.raises(AnixError, match="E313"):
        open_scene(replace(SceneSpec(spz), scale=replace(door, reference=((1, 2, 3), (1, 2, 3)))))


def test_a_reference_is_in_the_coordinates_of_the_file(plaza: Gaussians, tmp_path: Path) -> None:
    """nerfstudio's note that it shrank the capture enlarges the scene, not what the file holds."""
    path = tmp_path / "splat.ply"
    write_ply(path, plaza)
    note = {"transform": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], "scale": 0.25}
    (tmp_path / "dataparser_transforms.json").write_text(json.dumps(note))
    door = ScaleReference(((0.0, 0.0, 0.0), (0.0, 0.5, 0.0)), 2.0)
    scene = open_scene(SceneSpec(path, up="+y", scale=door))
    np.testing.assert_allclose(scene.gaussians.means, 4 * plaza.means, atol=1e-4)
    moved = open_scene(SceneSpec(path, up="+y", origin=(1.0, 0.5, -1.0)))
    np.testing.assert_allclose(moved.gaussians.means, 4 * (plaza.means - [1, 0.5, -1]), atol=1e-3)


def test_a_written_ground_is_obeyed(spz: Path) -> None:
    scene = open_scene(SceneSpec(spz, up="+y", scale=1.0, ground_m=0.4))
    np.testing.assert_array_equal(scene.stage.ground.at([[0, 0], [99, -99]]), 0.4)


def test_no_ground_is_said(tmp_path: Path) -> None:
    path = tmp_path / "wall.spz"
    write_spz(path, FACADE)
    scene = open_scene(SceneSpec(path, up="+y", scale=1.0))
    assert codes(scene.stage.notes) == ["W303"]
    np.testing.assert_array_equal(scene.stage.ground.at([3, 3]), 0)


def test_the_key_is_that_of_content_and_placement(spz: Path, tmp_path: Path) -> None:
    copy = tmp_path / "another name.spz"
    copy.write_bytes(spz.read_bytes())
    base = SceneSpec(spz)
    key = open_scene(base).stage.key
    # What is assumed and what is written are the same stage.
    assert open_scene(SceneSpec(copy, up="+y", scale=1.0)).stage.key == key
    others = [
        replace(base, up="-y"),
        replace(base, scale=2.0),
        replace(base, origin=(0.0, 0.0, 0.0)),
        replace(base, ground_m=0.0),
    ]
    keys = {open_scene(spec).stage.key for spec in others}
    assert len(keys | {key}) == 5


def test_far_away_scenes_come_to_the_origin(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(300, 14))
    table[:, :3] += (450_000.0, 80.0, 5_400_000.0)
    path = tmp_path / "utm.ply"
    path.write_bytes(ply(table, names(0), types=["double"] * 14))
    scene = open_scene(SceneSpec(path, up="+y", scale=1.0))
    assert "W307" in codes(scene.stage.notes)
    assert np.abs(scene.stage.bounds_m).max() < 10
    matrix = scene.stage.stage_from_file
    wanted = table[:, :3] @ matrix[:3, :3].T + matrix[:3, 3]
    np.testing.assert_allclose(scene.gaussians.means, wanted, atol=1e-5)
    np.testing.assert_array_equal(place(read_splats(path), matrix).means, scene.gaussians.means)
    named = open_scene(SceneSpec(path, up="+y", scale=1.0, origin=(450_000.0, 80.0, 5_400_001.0)))
    np.testing.assert_allclose(named.gaussians.means, table[:, :3] - (450_000, 80, 5_400_001), atol=1e-5)


def test_problems_get_their_place_in_the_screenplay(spz: Path, tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []

    def explain(key: str, code: str, message: str, **details: Any) -> Diagnostic:
        asked.append((key, code))
        return Diagnostic(code, message, file=Path("film.yaml"), **details)

    ball = np.random.default_rng(3).normal(size=(2_000, 3))
    np.savez(tmp_path / "ball.npz", xyz=ball / np.linalg.norm(ball, axis=1, keepdims=True))
    notes = open_scene(SceneSpec(tmp_path / "ball.npz"), explain=explain).stage.notes[1:]
    assert asked == [("up", "W301"), ("scale", "W302"), ("ground", "W303")]
    assert {note.file for note in notes} == {Path("film.yaml")}
    asked.clear()
    with pytest.raises(AnixError) as caught:
        open_scene(SceneSpec(tmp_path / "nowhere.ply"), explain=explain)
    assert asked == [("file", "E301")]
    assert caught.value.diagnostics[0].file == Path("film.yaml")
    with pytest.raises(AnixError, match="E313"):
        open_scene(SceneSpec(spz, up="+q"))


def test_probe_and_read_agree(tmp_path: Path) -> None:
    write_spz(tmp_path / "a.spz", random_gaussians(30, 2))
    write_ply(tmp_path / "a.ply", random_gaussians(30, 2))
    for path in (tmp_path / "a.spz", tmp_path / "a.ply"):
        assert probe(path) == read_splats(path).info


def test_crop_keeps_what_lies_between_the_limits_of_the_stage(spz: Path) -> None:
    spec = SceneSpec(spz, up="+y", scale=2.0, origin=(1.0, 0.0, 0.0), crop_m=((-4.0, 6.0), None, (-3.0, 3.0)))
    scene, whole = open_scene(spec), open_scene(replace(spec, crop_m=None))
    x, _, z = whole.gaussians.means.T
    keep = (x >= -4) & (x <= 6) & (z >= -3) & (z <= 3)
    assert 0 < keep.sum() < len(keep)
    np.testing.assert_array_equal(scene.gaussians.means, whole.gaussians.means[keep])
    np.testing.assert_array_equal(scene.gaussians.quats, whole.gaussians.quats[keep])
    low, high = scene.stage.bounds_m
    assert low[0] >= -4 and high[0] <= 6 and low[2] >= -3 and high[2] <= 3 and whole.stage.bounds_m[1, 0] > 10
    assert scene.stage.notes == whole.stage.notes


def test_cropped_floaters_no_longer_hide_the_ground(plaza: Gaussians, tmp_path: Path) -> None:
    path = tmp_path / "plaza.spz"
    below = np.random.default_rng(3).uniform((-10, -6, -10), (10, -5.9, 10), (40_000, 3))
    write_spz(path, concatenate([plaza, discs(below)]))
    spec = SceneSpec(path, up="+y", scale=1.0)
    assert open_scene(spec).stage.ground.at([0, 0]) == pytest.approx(-6, abs=0.2)
    cut = open_scene(replace(spec, crop_m=(None, (-1.0, 20.0), None)))
    assert cut.stage.ground.at([0, 0]) == pytest.approx(0, abs=0.05)


def test_a_crop_is_part_of_the_key_where_there_is_one(spz: Path) -> None:
    base = SceneSpec(spz)
    key = open_scene(base).stage.key
    assert open_scene(replace(base, crop_m=(None, None, None))).stage.key == key
    crops: list[Crop] = [((-5.0, 5.0), None, None), (None, None, (-5.0, 5.0)), ((-5.0, 6.0), None, None)]
    assert len({open_scene(replace(base, crop_m=crop)).stage.key for crop in crops} | {key}) == 4


def test_a_crop_that_leaves_nothing_says_where_the_scene_is(spz: Path) -> None:
    asked: list[str] = []

    def explain(key: str, code: str, message: str, **details: Any) -> Diagnostic:
        asked.append(key)
        return Diagnostic(code, message, **details)

    spec = SceneSpec(spz, up="+y", scale=1.0, crop_m=((100.0, 200.0), None, None))
    with pytest.raises(AnixError) as caught:
        open_scene(spec, explain=explain)
    (problem,) = caught.value.diagnostics
    assert problem.code == "E315" and asked == ["crop"]
    assert "x from -9.8 to 9.8" in problem.message


def test_a_scene_that_is_all_transparent_is_none(tmp_path: Path, plaza: Gaussians) -> None:
    faint = replace(plaza, opacities=np.full(len(plaza), 0.003, np.float32))
    write_ply(tmp_path / "faint.ply", faint)
    with pytest.raises(AnixError, match=r"E309.*55,000 Gaussians.*opacity below 1/255"):
        open_scene(SceneSpec(tmp_path / "faint.ply"))
    faint.opacities[7] = 0.005
    write_ply(tmp_path / "faint.ply", faint)
    assert len(open_scene(SceneSpec(tmp_path / "faint.ply")).gaussians) == 55_000
