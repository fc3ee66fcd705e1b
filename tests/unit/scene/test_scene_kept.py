"""A stage that was worked out once is kept by content; without its Gaussians there is nothing to decode."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from places import FACADE, discs, flat, surface

from anix_cli.core.errors import AnixError
from anix_cli.core.gaussians import concatenate
from anix_cli.core.screenplay import SceneSpec
from anix_cli.scene import Scene, open_scene, transform, write_spz
from anix_cli.store.store import Store


@pytest.fixture
def spec(tmp_path: Path) -> SceneSpec:
    path = tmp_path / "plaza.spz"
    lean = np.eye(4)
    lean[1:3, 1:3] = np.array([[np.cos(0.1), -np.sin(0.1)], [np.sin(0.1), np.cos(0.1)]])
    write_spz(path, transform(concatenate([surface(flat, 8_000), FACADE]), lean))
    return SceneSpec(path)


def same(one: Scene, other: Scene) -> None:
    a, b = one.stage, other.stage
    assert (a.key, one.digest, a.notes) == (b.key, other.digest, b.notes)
    np.testing.assert_array_equal(a.stage_from_file, b.stage_from_file)
    np.testing.assert_array_equal(a.bounds_m, b.bounds_m)
    assert (a.ground.origin_m, a.ground.cell_m) == (b.ground.origin_m, b.ground.cell_m)
    np.testing.assert_array_equal(a.ground.heights_m, b.ground.heights_m)
    np.testing.assert_array_equal(one.gaussians.means, other.gaussians.means)
    np.testing.assert_array_equal(one.gaussians.sh, other.gaussians.sh)


def test_a_kept_stage_is_the_one_that_was_found(spec: SceneSpec, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    first = open_scene(spec, store=store)
    assert first.loaded is not None and "leant by" in first.stage.notes[0].message
    again = open_scene(spec, store=store)
    assert again.loaded is None, "nothing was decoded"
    same(again, first)
    assert again.loaded is not None
    same(open_scene(spec), first)


def test_what_changes_the_stage_is_looked_at_anew(spec: SceneSpec, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    open_scene(spec, store=store)
    changed = (
        replace(spec, up="+y"),
        replace(spec, scale=2.0),
        replace(spec, origin=(1.0, 0.0, 0.0)),
        replace(spec, crop_m=(None, (-1.0, 4.0), None)),
    )
    for other in changed:
        assert open_scene(other, store=store).loaded is not None
        same(open_scene(other, store=store), open_scene(other))
    # A written ground takes the place of the found one, without another search.
    level = open_scene(replace(spec, ground_m=0.3), store=store)
    assert level.loaded is None and float(level.stage.ground.at([5, 5])) == 0.3
    write_spz(spec.file, surface(flat, 9_000))
    assert open_scene(spec, store=store).loaded is not None


def test_no_ground_and_warnings_of_the_file_are_kept(tmp_path: Path) -> None:
    ball = np.random.default_rng(3).normal(size=(2_000, 3))
    path = tmp_path / "ball.npz"
    np.savez(path, xyz=ball / np.linalg.norm(ball, axis=1, keepdims=True))
    store = Store(tmp_path / "store")
    first, again = (open_scene(SceneSpec(path), store=store) for _ in range(2))
    assert [note.code for note in again.stage.notes] == ["W310", "W301", "W302", "W303"]
    assert again.loaded is None
    same(again, first)


def test_a_damaged_or_closed_store_costs_only_time(spec: SceneSpec, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    first = open_scene(spec, store=store)
    (heights,) = (tmp_path / "store").rglob("ground.npy")
    heights.write_bytes(bytes(heights.stat().st_size))
    same(open_scene(spec, store=store), first)
    assert open_scene(spec, store=store).loaded is None, "made anew, and kept again"
    closed = tmp_path / "closed"
    closed.write_text("a file where a folder should be")
    same(open_scene(spec, store=Store(closed / "store")), first)


def test_a_scene_that_is_gone_is_missed_though_its_stage_is_kept(spec: SceneSpec, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    open_scene(spec, store=store)
    spec.file.unlink()
    with pytest.raises(AnixError, match="E301"):
        open_scene(spec, store=store)


def test_the_ground_of_a_scene_of_discs_is_kept_exactly(tmp_path: Path) -> None:
    path = tmp_path / "flat.spz"
    write_spz(path, discs(np.random.default_rng(0).uniform(-5, 5, (4_000, 3)) * (1, 0, 1)))
    store = Store(tmp_path / "store")
    first, again = (open_scene(SceneSpec(path, up="+y", scale=1.0), store=store) for _ in range(2))
    assert first.stage.notes == again.stage.notes == ()
    same(first, again)


def test_free_space_is_kept(spec: SceneSpec, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    first = open_scene(spec, store=store).free
    scene = open_scene(spec, store=store)
    again = scene.free
    assert scene.loaded is None, "nothing was decoded"
    for one, other in ((first, again), (first, open_scene(spec).free)):
        np.testing.assert_array_equal(one.taken, other.taken)
        np.testing.assert_array_equal(one.low_m, other.low_m)
        assert (one.shape, one.cell_m, one.standing.low_m) == (
            other.shape,
            other.cell_m,
            other.standing.low_m,
        )
        np.testing.assert_array_equal(one.standing.blocked, other.standing.blocked)
        np.testing.assert_array_equal(one.standing.floor, other.standing.floor)
    (blocked,) = (tmp_path / "store").rglob("blocked.npy")
    blocked.write_bytes(bytes(blocked.stat().st_size))
    np.testing.assert_array_equal(open_scene(spec, store=store).free.taken, first.taken)
    # Another ground is another free space.
    raised = open_scene(replace(spec, ground_m=0.7), store=store).free
    assert (raised.standing.floor != first.standing.floor).any()
