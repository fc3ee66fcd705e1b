"""Paths of cameras: by keys, and from files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_films import plan, planned, screenplay, shot, stage
from scipy.spatial.transform import Rotation

from anix_cli.core.camera import intrinsics_from_fov_y, look_at, project
from anix_cli.core.plan import PlannedShot
from anix_cli.core.screenplay import CameraSpec, KeySpec
from anix_cli.core.time import Duration
from anix_cli.media.camerapaths import CameraPath
from anix_cli.plan.splines import hermite, quats_of, turns_of

FILE = Path("/film/camera_path.json")


def keyed(*keys: KeySpec, seconds: float = 3, command: str = "waves", **more: Any) -> PlannedShot:
    return planned(shot("a", command, seconds, camera=CameraSpec("path", keys=keys, **more)))[0]


def key(x: float, z: float = -6.0, y: float = 1.5, time: float | None = None, **more: Any) -> KeySpec:
    return KeySpec((x, y, z), None if time is None else Duration(Fraction(time)), **more)


def eye(item: PlannedShot) -> np.ndarray[Any, Any]:
    return item.world_from_camera[:, :3, 3]


def speeds(item: PlannedShot) -> np.ndarray[Any, Any]:
    return np.linalg.norm(np.diff(eye(item), axis=0), axis=1)


@pytest.mark.parametrize(("ease", "most"), [("linear", 1.05), ("both", 2.0), ("in", 2.0), ("out", 2.0)])
def test_a_path_is_gone_at_an_even_speed_however_its_keys_lie(ease: str, most: float) -> None:
    item = keyed(key(0), key(1), key(10), key(11), ease=ease)
    assert speeds(item).max() / speeds(item).mean() <= most
    assert eye(item)[[0, -1], 0] == pytest.approx([0, 11], abs=1e-3)
    assert np.abs(eye(item)[:, 1:] - [1.5, -6]).max() < 1e-9 and (np.diff(eye(item)[:, 0]) >= 0).all()


def test_a_bent_path_has_an_even_speed_too() -> None:
    item = keyed(key(0, -6), key(0.5, -5), key(6, -4), key(6, 4), key(5.5, 4.5), ease="linear")
    assert speeds(item).max() / speeds(item).mean() <= 1.05
    for x, z in ((0.5, -5), (6, -4), (6, 4)):
        assert np.hypot(*(eye(item)[:, [0, 2]] - [x, z]).T).min() < 0.25


def test_times_say_when_the_camera_is_where() -> None:
    item = keyed(key(0, time=0), key(2, time=0.5), key(3, time=2), lens_mm=None)
    assert eye(item)[[0, 8, 32, 47], 0] == pytest.approx([0, 2, 3, 3])
    frames = keyed(
        KeySpec((0, 1.5, -6)), KeySpec((2, 1.5, -6), Duration(Fraction(10), "frames")), ease="linear"
    )
    assert eye(frames)[[5, 10, 20], 0] == pytest.approx([1, 2, 2])


def test_keys_look_where_they_say_and_turn_the_short_way() -> None:
    item = keyed(
        key(0, time=0, look_at=(-0.5, 1.5, -9.0)), key(0, time=2, look_at=(0.5, 1.5, -9.0)), seconds=2.5
    )
    forward = item.world_from_camera[:, :3, 2]
    yaw = np.degrees(np.unwrap(np.arctan2(forward[:, 0], forward[:, 2])))
    assert abs(yaw[-1] - yaw[0]) == pytest.approx(2 * math.degrees(math.atan(1 / 6)))
    assert forward[32] @ (np.array([0.5, 0, -3]) / math.hypot(0.5, 3)) == pytest.approx(1)


def test_a_key_without_look_at_follows_the_one_who_acts() -> None:
    item = keyed(key(0), key(4), command="walks forward")
    middle = item.subjects[0].root + np.array([0, 0.55 * 1.72, 0])
    pixels = [
        project(p, pose, k)[0]
        for p, pose, k in zip(middle, item.world_from_camera, item.intrinsics, strict=True)
    ]
    assert np.array(pixels) == pytest.approx(np.tile([416, 240], (item.frames, 1)), abs=1e-6)


def test_keys_change_the_lens_and_roll() -> None:
    item = keyed(key(0, lens_mm=24), key(2, lens_mm=48, roll_deg=20), ease="linear")
    focal = item.intrinsics[:, 0, 0] / 832 * 36
    assert focal[[0, -1]] == pytest.approx([24, 48]) and (np.diff(focal) >= 0).all()
    right = item.world_from_camera[-1, :3, 0]
    assert math.degrees(math.asin(-right[1])) == pytest.approx(20 * np.cos(0.0), abs=1.0)


def test_a_path_turns_smoothly_right_over_what_it_looks_at() -> None:
    item = keyed(
        key(0, -4, 5, look_at=(0.0, 0.0, 0.0)),
        key(0, 4, 5, look_at=(0.0, 0.0, 0.0)),
        seconds=4,
        ease="linear",
    )
    turn = item.world_from_camera[:, :3, :3]
    assert np.isfinite(turn).all()
    assert turn @ turn.transpose(0, 2, 1) == pytest.approx(np.broadcast_to(np.eye(3), turn.shape))
    rates = [Rotation.from_matrix(a.T @ b).magnitude() * 16 for a, b in pairwise(turn)]
    assert np.degrees(max(rates)) < 220


def test_a_camera_straight_above_looks_down() -> None:
    item = keyed(key(0, 0, 6, look_at=(0.0, 0.0, 0.0)), key(0, 0, 3, look_at=(0.0, 0.0, 0.0)))
    assert item.world_from_camera[:, :3, 2] == pytest.approx(np.tile([0, -1, 0], (48, 1)), abs=1e-9)
    assert np.ptp(item.world_from_camera[:, :3, :3], axis=0).max() < 1e-9


@given(st.lists(st.tuples(st.floats(-8, 8), st.floats(0.5, 6), st.floats(-8, 8)), min_size=2, max_size=6))
@settings(max_examples=40, deadline=None)
def test_any_keys_give_whole_poses(points: Sequence[tuple[float, float, float]]) -> None:
    item = keyed(*(KeySpec(point) for point in points), command="walks forward")
    turn = item.world_from_camera[:, :3, :3]
    assert np.isfinite(item.world_from_camera).all()
    assert turn @ turn.transpose(0, 2, 1) == pytest.approx(np.broadcast_to(np.eye(3), turn.shape), abs=1e-9)
    assert eye(item)[0] == pytest.approx(points[0], abs=1e-9)


def test_a_path_goes_on_from_the_shot_before_without_a_jump() -> None:
    path = CameraSpec("path", keys=(key(0, -8), key(4, -8)))
    a, b, c = planned(shot("a", "walks forward"), shot("b", "waves", 4, camera=path), shot("c", "nods"))
    poses = np.concatenate([item.world_from_camera for item in (a, b, c)])
    steps = np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1)
    turns = np.array([Rotation.from_matrix(p[:3, :3].T @ q[:3, :3]).magnitude() for p, q in pairwise(poses)])
    for join in (47, 111):
        for change, slack in ((steps, 0.06), (turns, 0.03)):
            assert change[join] <= 1.25 * max(change[join - 1], change[join + 1]) + slack
    assert eye(b)[-1] == pytest.approx([4, 1.5, -8], abs=1e-3)


def from_file(
    path: CameraPath, seconds: float = 3, on: Any = None, **more: Any
) -> tuple[PlannedShot, list[str]]:
    from plan_films import ANIMATIC, Size

    from anix_cli.core.plan import PlannedCharacter, ScenePlacement
    from anix_cli.plan.build import build

    play = screenplay(shot("a", "waves", seconds, camera=CameraSpec("path", path=FILE, **more)))
    made = build(
        play, on or stage(), capabilities=ANIMATIC, backend="animatic",
        cast=(PlannedCharacter("mira", {}, "c" * 64, 1.72, ""),), extents={"mira": Size()},
        scene=ScenePlacement(Path("/film/s.ply"), "5" * 64, "d" * 64, np.eye(4), 50.0),
        store=Path("/film/.anix"), paths={FILE: path},
    )  # fmt: skip
    return next(made.shots()), [note.code for note in made.notes]


def ring(count: int) -> np.ndarray[Any, Any]:
    angles = np.linspace(0, math.pi, count)
    return np.stack([look_at((5 * math.cos(a), 2, 5 * math.sin(a)), (0, 1, 0)) for a in angles])


def test_a_file_of_as_many_cameras_is_the_film() -> None:
    poses = ring(48)
    item, notes = from_file(CameraPath("x", poses, np.full(48, 40.0)))
    assert item.world_from_camera == pytest.approx(poses, abs=1e-9) and not notes
    assert item.intrinsics == pytest.approx(np.tile(intrinsics_from_fov_y(40, (832, 480)), (48, 1, 1)))
    assert item.camera == "path"


def test_a_file_of_few_cameras_is_gone_through_smoothly() -> None:
    item, _ = from_file(CameraPath("x", ring(7)))
    exact = ring(48)
    assert np.abs(eye(item) - exact[:, :3, 3]).max() < 0.05
    turns = [
        Rotation.from_matrix(a[:3, :3].T @ b[:3, :3]).magnitude()
        for a, b in zip(item.world_from_camera, exact, strict=True)
    ]
    assert np.degrees(max(turns)) < 1.5
    still, _ = from_file(CameraPath("x", ring(1)))
    assert np.ptp(still.world_from_camera, axis=0).max() < 1e-9


def test_photographs_are_gone_through_at_an_even_speed() -> None:
    poses = np.stack([look_at((x, 1, -5), (x, 1, 0)) for x in (0.0, 1.0, 10.0, 11.0)])
    item, _ = from_file(CameraPath("x", poses, timed=False), ease="linear")
    assert speeds(item).max() / speeds(item).mean() <= 1.05
    uneven, _ = from_file(CameraPath("x", poses))
    assert speeds(uneven).max() / speeds(uneven).mean() > 2


@pytest.mark.parametrize("size", [(832, 480), (480, 832), (512, 512)])
def test_the_axis_of_a_field_of_view_is_kept(size: tuple[int, int]) -> None:
    """A cube of a metre, two metres away, is as tall (or as wide) as the angle says."""
    from anix_cli.core.screenplay import FilmSpec

    poses = np.repeat(look_at((0, 0.5, -2.5), (0, 0.5, 0))[None], 3, axis=0)
    for across in (False, True):
        play = screenplay(shot("a", "", camera=CameraSpec("path", path=FILE)), film=FilmSpec(size_px=size))
        made = plan_with(play, CameraPath("x", poses, np.full(3, 50.0), across))
        ends = np.array([[-0.5, 0.5, -0.5], [0.5, 0.5, -0.5], [0, 0, -0.5], [0, 1, -0.5]])
        pixels, _ = project(ends, made.world_from_camera[0], made.intrinsics[0])
        wide, tall = abs(pixels[1, 0] - pixels[0, 0]), abs(pixels[3, 1] - pixels[2, 1])
        share = 0.5 / (2 * math.tan(math.radians(25)))
        assert (wide / size[0] if across else tall / size[1]) == pytest.approx(share)
        assert wide == pytest.approx(tall)


def plan_with(play: Any, path: CameraPath) -> PlannedShot:
    from plan_films import ANIMATIC, Size

    from anix_cli.core.plan import PlannedCharacter, ScenePlacement
    from anix_cli.plan.build import build

    made = build(
        play, stage(), capabilities=ANIMATIC, backend="animatic",
        cast=(PlannedCharacter("mira", {}, "c" * 64, 1.72, ""),), extents={"mira": Size()},
        scene=ScenePlacement(Path("/film/s.ply"), "5" * 64, "d" * 64, np.eye(4), 50.0),
        store=Path("/film/.anix"), paths={FILE: path},
    )  # fmt: skip
    return next(made.shots())


def test_a_file_counts_like_the_scene_or_like_the_stage() -> None:
    placed = np.eye(4)
    placed[:3, :3] = 2 * Rotation.from_euler("x", 180, degrees=True).as_matrix()
    placed[:3, 3] = [1, 4, 0]
    on = replace(stage(), stage_from_file=placed)
    poses = ring(48)
    item, _ = from_file(CameraPath("x", poses), on=on)
    assert eye(item) == pytest.approx(poses[:, :3, 3] @ placed[:3, :3].T + placed[:3, 3])
    assert item.world_from_camera[:, :3, :3] == pytest.approx(placed[:3, :3] / 2 @ poses[:, :3, :3])
    own, _ = from_file(CameraPath("x", poses), on=on, coordinates="stage")
    assert own.world_from_camera == pytest.approx(poses)


def test_a_path_that_sees_no_scene_is_told() -> None:
    near = replace(stage(), bounds_m=np.array([[-3.0, 0, -3], [3, 3, 3]]))
    _, notes = from_file(CameraPath("x", ring(48)), on=near)
    assert notes == []
    away = ring(48)
    away[:, :3, 3] *= 10
    away[:, :3, :3] = away[:, :3, :3] @ np.diag([1, -1, -1])
    play = screenplay(shot("a", "", camera=CameraSpec("path", path=FILE)))
    _, notes = from_file(CameraPath("x", away), on=near)
    assert notes[0] == "W222"
    from anix_cli.plan.ways import unseeing, way_of_file

    spec = play.shots[0].cameras[0]
    trouble = unseeing(
        "p.json", way_of_file(CameraPath("x", away), spec, 48, near, (832, 480)), spec, near, (832, 480)
    )
    assert trouble is not None and "0 of 48 frames" in trouble.message and "OpenGL" in str(trouble.hint)


def test_hermite_curves_go_through_their_points_without_a_jump_in_rate() -> None:
    knots, values = np.array([0.0, 1, 1.5, 4]), np.array([[0.0, 1], [2, 0], [3, 3], [-1, 2]])
    assert hermite(knots, values, knots) == pytest.approx(values)
    fine = np.linspace(0, 4, 4001)
    rates = np.diff(hermite(knots, values, fine), axis=0) / 0.001
    assert np.abs(np.diff(rates, axis=0)).max() < 0.05
    rest = np.diff(hermite(knots, values, fine, rests=(True, True)), axis=0) / 0.001
    assert np.abs(rest[[0, -1]]).max() < 0.02


@given(st.lists(st.tuples(*[st.floats(-3.1, 3.1)] * 3), min_size=2, max_size=8))
@settings(max_examples=60, deadline=None)
def test_quaternions_are_those_of_the_turns(vectors: list[tuple[float, float, float]]) -> None:
    turns = Rotation.from_rotvec(vectors).as_matrix()
    quats = quats_of(turns)
    assert turns_of(quats) == pytest.approx(turns, abs=1e-9)
    assert ((quats[1:] * quats[:-1]).sum(axis=1) >= -1e-12).all()


def test_a_plan_of_a_path_needs_no_file_to_be_read_again() -> None:
    assert plan(screenplay(shot("a", "waves", camera=CameraSpec("path", keys=(key(0), key(1)))))).takes
