"""Level and ground are the same at any size of the unit: nothing in the search for them is absolute."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from places import FACADE, crate_at, flat, surface
from test_scene_upright import PLAZA, off_deg, turn

from anix_cli.core.gaussians import Gaussians, concatenate
from anix_cli.core.screenplay import SceneSpec
from anix_cli.core.stage import HeightMap
from anix_cli.scene import open_scene, read_splats, robust_bounds, transform, write_ply
from anix_cli.scene.free import free_space
from anix_cli.scene.ground import find_ground
from anix_cli.scene.upright import find_up, levelling

LEAN = turn((1, 0, 0.4), 12)
SQUARE = np.stack(np.meshgrid(np.arange(-10, 11, 4.0), np.arange(-9, 6, 4.0)), axis=-1)
"""Places of the sample's square with nothing but paving around them."""


@cache
def sample() -> Gaussians:
    """The project's own square, leaning, without the colours that play no part."""
    whole = read_splats(PLAZA).gaussians
    return transform(replace(whole, sh=whole.sh[:, :1]), LEAN)


def stood(scene: Gaussians, unit: float) -> tuple[float, HeightMap | None]:
    """(how many degrees it still leans, its ground) after it was set level."""
    scene = transform(scene, np.diag([unit, unit, unit, 1.0]))
    up, level = find_up(scene, robust_bounds(scene)), np.eye(4)
    level[:3, :3] = levelling(up)
    scene = transform(scene, level)
    return off_deg(up, LEAN), find_ground(scene, robust_bounds(scene))


@pytest.mark.parametrize("unit", [1e-6, 1e-4, 0.01, 1.0, 40.0, 1e3, 1e5, 1e6])
def test_the_sample_leaning_is_level_at_any_scale(unit: float) -> None:
    off, ground = stood(sample(), unit)
    assert off < 0.2 and ground is not None
    assert max(ground.heights_m.shape) <= 160
    heights = ground.at(SQUARE * unit) / unit
    assert abs(np.median(heights)) < 0.02 and np.percentile(np.abs(heights), 90) < 0.05


@settings(max_examples=12, deadline=None)
@given(st.floats(-6, 6), st.floats(0, 360), st.floats(0, 26))
def test_a_yard_is_found_whatever_its_unit_and_lean(exponent: float, turned: float, tilt: float) -> None:
    unit, axis = 10.0**exponent, np.radians(turned)
    lean = turn((np.cos(axis), 0, np.sin(axis)), tilt)
    yard = concatenate([surface(flat, 15_000), FACADE, *crate_at(3, -4, 0.0)])
    scene = transform(yard, lean @ np.diag([unit, unit, unit, 1.0]))
    up, level = find_up(scene, robust_bounds(scene)), np.eye(4)
    assert off_deg(up, lean) < 0.2
    level[:3, :3] = levelling(up)
    scene = transform(scene, level)
    ground = find_ground(scene, robust_bounds(scene))
    assert ground is not None
    # Half a degree is not corrected; over ten metres it makes nine centimetres.
    assert np.abs(ground.at(unit * np.array([[0, 0], [5, 5], [-6, 2], [3, -4]])) / unit).max() < 0.12


@pytest.mark.parametrize(("unit", "scale"), [(1.0, 40.0), (1e-4, None), (1e3, 1e-3), (1.0, 1e5)])
def test_the_stage_of_a_leaning_file(unit: float, scale: float | None, tmp_path: Path) -> None:
    file = tmp_path / "leaning.ply"
    hanging = turn((1, 0, 0), 180) @ np.diag([unit, unit, unit, 1.0])
    yard = transform(concatenate([surface(flat, 15_000), FACADE, *crate_at(3, -4, 0.0)]), LEAN)
    write_ply(file, transform(yard, hanging))
    stage = open_scene(SceneSpec(file, scale=scale)).stage
    size = unit * (scale or 1.0)
    up = stage.stage_from_file[:3, :3] @ hanging[:3, :3] @ LEAN[:3, 1] / size
    assert np.degrees(np.arccos(min(1.0, up[1]))) < 0.2
    assert "W303" not in [note.code for note in stage.notes]
    np.testing.assert_allclose(
        stage.ground.at(size * np.array([[0, 0], [5, 5], [-6, 2]])) / size, 0, atol=0.05
    )


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_free_space_is_bounded_at_any_scale(unit: float) -> None:
    yard = transform(
        concatenate([surface(flat, 15_000), FACADE, *crate_at(3, -4, 0.0)]), np.diag([unit, unit, unit, 1.0])
    )
    tracemalloc.start()
    space = free_space(yard, robust_bounds(yard), HeightMap.level(0.0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500e6 and max(space.shape) < 2_000
    assert space.clearance_m(unit * np.array([[3.0, 0.5, -3.3], [0.0, 0.0, 0.0]])).max() < space.cell_m


def test_lone_heaps_have_no_ground_at_any_scale() -> None:
    heap: NDArray[np.float64] = np.random.default_rng(3).normal(size=(9_000, 3)) * (1, 1.6, 0.7)
    from places import discs

    for unit in (1e-5, 1.0, 1e5):
        scene = transform(discs(heap), np.diag([unit, unit, unit, 1.0]))
        assert find_ground(scene, robust_bounds(scene)) is None
