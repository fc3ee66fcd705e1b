"""The museum: its scene is small and closed, and its film does what its commands say."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from anix_cli.core.camera import intrinsics_from_lens, look_at
from anix_cli.core.gaussians import Gaussians
from anix_cli.core.plan import Plan
from anix_cli.run.prepare import Prepared, prepare
from anix_cli.samples import write_samples
from anix_cli.samples.museum import DINOSAUR_XZ, DOOR_M, DOORS_M, EXHIBITS, PARTITION_M, PLINTH_M, museum
from anix_cli.scene import read_splats
from anix_cli.screenplay import load
from anix_cli.splat import render
from anix_cli.store.store import Store

FILM = Path(__file__).parents[3] / "screenplays" / "museum.yaml"
KEPT = FILM.parent / "museum" / "museum.spz"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return prepare(load(FILM), backend="animatic", store=Store(tmp_path_factory.mktemp("store")))


@pytest.fixture(scope="module")
def plan(made: Prepared) -> Plan:
    return made.plan


def outside(xz: np.ndarray, low: tuple[float, float], high: tuple[float, float]) -> float:
    """Distance of points from a rectangle."""
    away = np.maximum(np.maximum(np.array(low) - xz, xz - np.array(high)), 0)
    return float(np.hypot(*away.T).min())


def test_the_scene_is_small() -> None:
    assert KEPT.stat().st_size < 400_000
    assert sum(file.stat().st_size for file in KEPT.parent.iterdir()) < 1_500_000


@pytest.mark.parametrize(("x", "z"), [(-8.0, -5.5), (1.5, -1.5), (-6.0, 5.5), (8.0, -1.5), (8.0, 1.5)])
@pytest.mark.parametrize("turn_deg", [0, 120, 240])
def test_the_rooms_are_closed(x: float, z: float, turn_deg: int) -> None:
    size, turn = (208, 120), np.radians(turn_deg)
    scene, eye = _kept(), np.array((x, 1.6, z))
    pose = look_at(eye, eye + np.array((np.sin(turn), 0.1, np.cos(turn))))
    assert render(scene, pose, intrinsics_from_lens(20.0, size), size, near=0.05).alpha.min() > 0.9


def _kept() -> Gaussians:
    return read_splats(KEPT).gaussians


def test_the_film_plans_without_a_warning(plan: Plan) -> None:
    assert [note.code for note in plan.notes] == []


def test_she_goes_up_to_the_dinosaur_and_points_at_it(plan: Plan) -> None:
    enter = next(plan.shots())
    assert [(beat.action, beat.target) for beat in enter.beats] == [
        ("walk", "dinosaur"),
        ("point", "dinosaur"),
    ]
    mira = enter.subjects[0]
    xz = mira.root[:, [0, 2]]
    half = np.array(PLINTH_M[:2]) / 2
    gap = outside(xz[-1:], tuple(DINOSAUR_XZ - half), tuple(DINOSAUR_XZ + half))
    assert 0.1 < gap < 0.7
    to = math.atan2(DINOSAUR_XZ[0] - xz[-1, 0], DINOSAUR_XZ[1] - xz[-1, 1])
    assert math.cos(mira.yaw_rad[-1] - to) > math.cos(math.radians(5))
    assert [gesture.action for gesture in mira.gestures] == ["point"]


def test_she_goes_through_the_door_and_round_everything(plan: Plan) -> None:
    roots = np.concatenate([shot.subjects[0].root for shot in plan.shots()])[:, [0, 2]]
    half = np.array(PLINTH_M[:2]) / 2
    assert outside(roots, tuple(DINOSAUR_XZ - half), tuple(DINOSAUR_XZ + half)) > 0.1
    for x, z, _ in EXHIBITS:
        assert outside(roots, (x - 0.36, z - 0.36), (x + 0.36, z + 0.36)) > 0.1
    through = roots[np.argmin(np.abs(roots[:, 0] - PARTITION_M))]
    assert abs(through[1] - DOORS_M[0]) < DOOR_M / 2 - 0.15
    assert math.dist(roots[-1], (8.4, -3.4)) < 1.6


@pytest.mark.slow
def test_what_is_kept_is_what_the_code_makes(tmp_path: Path) -> None:
    (file,) = write_samples(tmp_path, ("museum.spz",))
    assert file.read_bytes() == KEPT.read_bytes()
    assert len(museum().means) == len(_kept().means)
