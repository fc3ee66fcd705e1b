"""Which way is up: a scene that leans is set level by its ground, and by nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from places import FACADE, box, crate_at, discs, flat, houses, slope_of, surface

from anix_cli.core.gaussians import Gaussians, concatenate
from anix_cli.core.screenplay import SceneSpec
from anix_cli.scene import (
    open_scene,
    read_splats,
    robust_bounds,
    similarity,
    transform,
    write_ply,
    write_sog,
    write_spz,
)
from anix_cli.scene.upright import Up, find_up, levelling

F64 = NDArray[np.float64]
PLAZA = Path(__file__).parents[3] / "screenplays/courier/plaza.spz"


def turn(axis: tuple[float, float, float], degrees: float) -> F64:
    """[4, 4] rotation about an axis through the origin."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle, turned = np.radians(degrees), np.eye(4)
    turned[:3, :3] += np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return turned


def up_of(*parts: Gaussians, lean: F64 | None = None) -> Up | None:
    scene = concatenate(parts)
    scene = scene if lean is None else transform(scene, lean)
    return find_up(scene, robust_bounds(scene))


def off_deg(up: Up | None, lean: F64) -> float:
    """Angle between what was found and the true vertical."""
    assert up is not None
    return float(np.degrees(np.arccos(np.clip(up.normal @ lean[:3, 1], -1, 1))))


LEANS = [turn((1, 0, 0), 4), turn((1, 0, 0.4), -12), turn((0.2, 0, 1), 20), turn((1, 0, -1), 27)]


@pytest.mark.parametrize("lean", LEANS)
def test_a_leaning_square_is_set_level(lean: F64) -> None:
    up = up_of(surface(flat), FACADE, lean=lean)
    assert off_deg(up, lean) < 0.2
    rotation = levelling(up)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(rotation) == pytest.approx(1)
    np.testing.assert_allclose(rotation @ lean[:3, 1], [0, 1, 0], atol=0.004)


@pytest.mark.parametrize("lean", LEANS)
def test_the_sample_set_leaning_is_level_within_two_degrees(lean: F64) -> None:
    scene = transform(read_splats(PLAZA).gaussians, lean)
    up = find_up(scene, robust_bounds(scene))
    assert off_deg(up, lean) < 0.1
    assert up is not None and up.settled


def test_what_is_nearly_right_is_left_alone() -> None:
    up = up_of(surface(flat), FACADE, lean=turn((1, 0, 0), 0.3))
    assert up is not None and up.tilt_deg == pytest.approx(0.3, abs=0.1)
    np.testing.assert_array_equal(levelling(up), np.eye(3))
    np.testing.assert_array_equal(levelling(None), np.eye(3))


def test_kerbs_floaters_and_a_dense_corner_do_not_tip_it() -> None:
    def kerb(x: F64, z: F64) -> F64:
        return np.where(x > 6, 0.12, 0.0)

    rng = np.random.default_rng(4)
    corner = box((6, 0, 6), (9, 1.5, 9), "x", 30_000)
    stray = discs(rng.uniform((-10, -4, -10), (10, 6, 10), (1_500, 3)))
    lean = turn((1, 0, 1), 9)
    assert off_deg(up_of(surface(kerb), FACADE, corner, stray, lean=lean), lean) < 1


@pytest.mark.parametrize("unit", [1e-6, 1e-4, 0.003, 40.0, 1e3, 1e5])
def test_the_unit_does_not_matter(unit: float) -> None:
    lean = turn((0, 0, 1), 8)
    scaled = lean @ np.diag([unit, unit, unit, 1])
    assert off_deg(up_of(surface(flat), FACADE, lean=scaled), lean) < 0.1


def test_walls_and_ceilings_never_win() -> None:
    # A room whose floor nobody filmed: walls are planes too, and the ceiling has everything below it.
    walls = [box((-5, 0, z), (5, 3, z + 0.01), "z", 20_000) for z in (-5.0, 5.0)]
    ceiling = box((-5, 3, -5), (5, 3.01, 5), "y", 20_000)
    assert up_of(*walls, ceiling) is None
    assert up_of(FACADE) is None


def test_a_steep_plane_is_no_ground() -> None:
    assert up_of(surface(flat), lean=turn((1, 0, 0), 38)) is None


def test_a_lone_object_has_no_ground() -> None:
    rng = np.random.default_rng(3)
    ball = rng.normal(size=(20_000, 3))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    assert up_of(discs(ball, "x")) is None
    assert up_of(discs(rng.normal(size=(9_000, 3)) * (1, 2, 0.6))) is None
    assert up_of(discs(np.zeros((500, 3)))) is None
    assert up_of(discs(ball[:20])) is None


@pytest.mark.parametrize("lean", [np.eye(4), turn((1, 0, 0.4), 9)])
def test_houses_on_a_slope_stay_upright(lean: F64) -> None:
    """The plane leans, but what stands on it does not."""
    up = up_of(surface(slope_of(14)), *houses(slope_of(14)), lean=lean)
    assert off_deg(up, lean) < 1
    # Without anything that stands there the plane is all there is to go by.
    assert off_deg(up_of(surface(slope_of(14)), lean=lean), lean) == pytest.approx(14, abs=0.2)


def test_one_leaning_thing_on_level_ground_says_nothing() -> None:
    crate = transform(concatenate(crate_at(0, 0, 0.0)), turn((1, 0, 0.3), 12))
    assert off_deg(up_of(surface(flat), crate), np.eye(4)) < 0.2


def test_a_square_above_a_drop_is_level() -> None:
    """Land far below lies beside a terrace, not beneath it."""
    land = box((-10, -3, -13), (10, -2.6, -10), "y", 6_000)
    for lean in (turn((1, 0, 0), 11), turn((1, 0, 0), -11)):
        assert off_deg(up_of(surface(flat), FACADE, land, lean=lean), lean) < 0.2


def test_a_table_denser_than_the_floor_does_not_count_for_more() -> None:
    lean = turn((1, 0, 1), 12)
    sparse = surface(flat, 6_000, 4.0)
    walls = [box((-4, 0, z), (4, 2.6, z + 0.01), "z", 2_000) for z in (-4.0, 4.0)]
    walls += [box((x, 0, -4), (x + 0.01, 2.6, 4), "x", 2_000) for x in (-4.0, 4.0)]
    table = box((-1, 0.74, -1), (1, 0.75, 1), "y", 40_000)
    assert off_deg(up_of(sparse, *walls, table, lean=lean), lean) < 0.2


def test_a_third_of_floaters_below_the_ground_is_nothing() -> None:
    rng = np.random.default_rng(8)
    stray = discs(rng.uniform((-10, -8, -10), (10, -0.2, 10), (25_000, 3)))
    stray = replace(stray, opacities=rng.uniform(0.05, 0.4, 25_000).astype(np.float32))
    lean = turn((1, 0, 1), 9)
    assert off_deg(up_of(surface(flat), FACADE, stray, lean=lean), lean) < 0.2


def test_what_looks_alike_from_another_side_is_not_settled() -> None:
    floor, ceiling = surface(flat, 12_000, 4.0), box((-4, 2.6, -4), (4, 2.61, 4), "y", 12_000)
    walls = [box((-4, 0, z), (4, 2.6, z + 0.01), "z", 6_000) for z in (-4.0, 4.0)]
    walls += [box((x, 0, -4), (x + 0.01, 2.6, 4), "x", 6_000) for x in (-4.0, 4.0)]
    things = [*crate_at(-2, 2, 0.0), *crate_at(2, 2, 0.0), *crate_at(2, -2, 0.0)]
    room = [floor, ceiling, *walls, *things]
    upright, on_its_head, on_its_side = (
        up_of(*room, lean=lean) for lean in (None, turn((1, 0, 0), 180), turn((1, 0, 0), 90))
    )
    assert upright is not None and upright.settled
    assert on_its_head is not None and not on_its_head.settled
    assert on_its_side is None or not on_its_side.settled


def test_the_same_scene_gives_the_same_up() -> None:
    one, other = (up_of(surface(flat), FACADE, lean=LEANS[1]) for _ in range(2))
    assert one is not None and other is not None
    np.testing.assert_array_equal(one.normal, other.normal)


def test_a_scene_of_a_screenplay_is_set_level(tmp_path: Path) -> None:
    lean = turn((1, 0, 0.3), 11)
    path = tmp_path / "leaning.spz"
    write_spz(path, transform(concatenate([surface(flat), FACADE]), lean))
    scene = open_scene(SceneSpec(path, scale=1.0))
    (note,) = scene.stage.notes
    assert note.code == "W301" and "leant by 11.0°" in note.message
    up = scene.stage.stage_from_file[:3, :3] @ lean[:3, 1]
    np.testing.assert_allclose(up, [0, 1, 0], atol=0.01)
    assert np.abs(scene.stage.ground.at([[0, 0], [8, 8], [-8, 5]])).max() < 0.05
    # What is written is exact.
    written = open_scene(SceneSpec(path, up="+y", scale=1.0))
    np.testing.assert_array_equal(written.stage.stage_from_file, np.eye(4))
    assert written.stage.key != scene.stage.key
    # The origin stays where it was put.
    moved = open_scene(SceneSpec(path, scale=2.0, origin=(1.0, 0.5, -1.0))).stage
    np.testing.assert_allclose(moved.stage_from_file @ [1, 0.5, -1, 1], [0, 0, 0, 1], atol=1e-12)


@pytest.mark.parametrize(("suffix", "up"), [(".ply", "-y"), (".spz", "+y"), (".sog", "-y"), (".npz", "+z")])
def test_every_formats_axis_is_where_the_search_begins(suffix: str, up: str, tmp_path: Path) -> None:
    lean, path = turn((1, 0, 0.4), 14), tmp_path / f"leaning{suffix}"
    file_from_yard = np.linalg.inv(similarity(up, 1.0)) @ lean
    yard = transform(concatenate([surface(flat), FACADE]), file_from_yard)
    if suffix == ".npz":
        np.savez(path, xyz=yard.means)
    else:
        {".ply": write_ply, ".spz": write_spz, ".sog": write_sog}[suffix](path, yard)
    stage = open_scene(SceneSpec(path, scale=1.0)).stage
    vertical = stage.stage_from_file[:3, :3] @ file_from_yard[:3, 1]
    np.testing.assert_allclose(vertical, [0, 1, 0], atol=0.01)
    np.testing.assert_allclose(stage.ground.at([[0, 0], [7, -7], [-5, 6]]), 0, atol=0.08)


def test_a_slight_lean_is_set_level_without_a_word(tmp_path: Path) -> None:
    path = tmp_path / "slight.spz"
    for degrees, codes in ((3, []), (7, ["W301"])):
        write_spz(path, transform(concatenate([surface(flat), FACADE]), turn((1, 0, 0), degrees)))
        stage = open_scene(SceneSpec(path, scale=1.0)).stage
        assert [note.code for note in stage.notes] == codes
        assert not np.array_equal(stage.stage_from_file, np.eye(4)), "level either way"
    assert "which takes the axis as it is" in (stage.notes[0].hint or "")


def test_a_plane_that_is_no_ground_does_not_turn_the_scene(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "wall.spz"
    write_spz(path, FACADE)
    lying = Up(turn((1, 0, 0), 20)[:3, 1], 20.0, settled=True)
    monkeypatch.setattr("anix_cli.scene.analysis.find_up", lambda *_: lying)
    stage = open_scene(SceneSpec(path, scale=1.0)).stage
    np.testing.assert_array_equal(stage.stage_from_file, np.eye(4))
    assert [note.code for note in stage.notes] == ["W301", "W303"]


def test_a_crop_cuts_what_would_hide_the_ground(tmp_path: Path) -> None:
    lean = turn((0, 0, 1), 6)
    below = discs(np.random.default_rng(3).uniform((-10, -6, -10), (10, -4, 10), (40_000, 3)))
    path = tmp_path / "deep.spz"
    write_spz(path, transform(concatenate([surface(flat), FACADE, below]), lean))
    spec = SceneSpec(path, scale=1.0, crop_m=(None, (-2.5, 20.0), None))
    up = open_scene(spec).stage.stage_from_file[:3, :3] @ lean[:3, 1]
    np.testing.assert_allclose(up, [0, 1, 0], atol=0.01)


def test_two_giant_gaussians_and_floaters_do_not_move_the_bounds() -> None:
    plain = concatenate([surface(flat), FACADE])
    giants = discs(np.array([[60.0, 40.0, -80.0], [-90.0, 5.0, 70.0]]))
    giants = replace(giants, scales=giants.scales * np.float32(900), opacities=giants.opacities * 0 + 1)
    stray = discs(np.random.default_rng(6).uniform(-200, 200, (200, 3)))
    stray = replace(stray, opacities=stray.opacities * np.float32(0.3))
    np.testing.assert_allclose(
        robust_bounds(concatenate([plain, giants, stray])), robust_bounds(plain), atol=0.15
    )
