"""Cameras stand free of walls and see whom they film; cuts keep the line and change the angle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from plan_films import ANIMATIC, Size, screenplay, shot, stage

from anix_cli.core.errors import AnixError
from anix_cli.core.plan import Plan, PlannedCharacter, PlannedShot, ScenePlacement
from anix_cli.core.screenplay import CameraSpec, PlacementSpec, ShotSpec
from anix_cli.plan.build import build
from anix_cli.plan.cutting import View, shift_at_cut

F64 = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Boxes:
    """A space of boxes [2, 3] that are solid, in a room outside of which nobody filmed."""

    solid: tuple[F64, ...]
    room: F64

    def occupied(self, points: Any) -> Any:
        at = np.asarray(points)
        return np.any([((at >= low) & (at <= high)).all(axis=-1) for low, high in self.solid], axis=0)

    def between(self, starts: Any, ends: Any) -> Any:
        start, end = np.broadcast_arrays(np.asarray(starts, dtype=float), np.asarray(ends, dtype=float))
        shares = np.linspace(0, 1, 600)[:, None]
        return np.any(self.occupied(start[..., None, :] + shares * (end - start)[..., None, :]), axis=-1)

    def observed(self, points: Any) -> Any:
        at = np.asarray(points)
        return ((at >= self.room[0]) & (at <= self.room[1])).all(axis=-1).astype(float)


def box(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]) -> F64:
    return np.array([x, y, z]).T


ROOM = box((-2, 2), (0, 3), (-2, 2))
WALLS = (
    box((-2.3, -2), (0, 3), (-2.3, 2.3)), box((2, 2.3), (0, 3), (-2.3, 2.3)),
    box((-2.3, 2.3), (0, 3), (-2.3, -2)), box((-2.3, 2.3), (0, 3), (2, 2.3)),
    box((-2.3, 2.3), (3, 3.3), (-2.3, 2.3)),
)  # fmt: skip
CLOSED = Boxes(WALLS, ROOM)
OPEN = box((-50, 50), (0, 20), (-50, 50))


def made(space: Any, *shots: ShotSpec, **more: Any) -> Plan:
    return build(
        screenplay(*shots, **more), stage(), capabilities=ANIMATIC, backend="animatic",
        cast=(PlannedCharacter("mira", {}, "c" * 64, 1.72, ""),), extents={"mira": Size()},
        scene=ScenePlacement(Path("/film/s.ply"), "5" * 64, "d" * 64, np.eye(4), 50.0),
        store=Path("/film/.anix"), space=space,
    )  # fmt: skip


def eyes_of(plan: Plan) -> F64:
    return np.concatenate([item.world_from_camera[:, :3, 3] for item in plan.shots()])


def codes(plan: Plan) -> list[str]:
    return [note.code for note in plan.notes]


def test_a_free_camera_stays_as_composed() -> None:
    free = made(Boxes((box((20, 21), (0, 3), (0, 1)),), OPEN), shot("a", "waves"))
    assert not free.notes
    assert np.array_equal(eyes_of(free), eyes_of(made(None, shot("a", "waves"))))


def test_an_orbit_that_would_leave_its_room_comes_nearer() -> None:
    plan = made(CLOSED, shot("a", "waves", 4, camera=CameraSpec("orbit", degrees=360)))
    assert codes(plan) == ["W223"] and "where nobody filmed" in plan.notes[0].message
    assert "times as far away" in plan.notes[0].message
    assert (np.abs(eyes_of(plan)[:, [0, 2]]) < 2 - 0.14).all()
    radius = np.hypot(*eyes_of(plan)[:, [0, 2]].T)
    assert np.ptp(radius) < 1e-6  # it is still an orbit


def test_a_written_distance_is_not_shrunk_but_told() -> None:
    camera = CameraSpec("orbit", degrees=360, distance_m=3)
    plan = made(CLOSED, shot("a", "waves", 4, camera=camera))
    assert codes(plan) == ["W224"]
    assert np.hypot(*eyes_of(plan)[:, [0, 2]].T) == pytest.approx(3)
    with pytest.raises(AnixError):
        from anix_cli.core.errors import refuse_warnings

        refuse_warnings(plan.notes)


def hidden(plan: Plan, space: Boxes) -> float:
    """Share of frames in which the chest is not seen."""
    item = next(plan.shots())
    eye, chest = item.world_from_camera[:, :3, 3], item.subjects[0].root + np.array([0, 1.2, 0])
    way = chest - eye
    beside = 0.35 / np.linalg.norm(way, axis=1, keepdims=True)
    return float(space.between(eye, chest - beside * way).mean())


def test_a_camera_behind_a_wall_goes_round_it() -> None:
    wall = Boxes((box((-0.3, 1.8), (0, 3), (1.2, 1.4)),), OPEN)
    camera = CameraSpec("stationary", side="front", frame="full")
    blind = made(None, shot("a", "waves", camera=replace(camera, side=None)))
    assert hidden(blind, wall) == 1
    plan = made(wall, shot("a", "waves", camera=replace(camera, side=None)))
    assert codes(plan) == ["W223"] and hidden(plan, wall) <= 1 / 3
    assert "mira is hidden" in plan.notes[0].message and "further" in plan.notes[0].message
    far = np.hypot(*(eyes_of(plan)[0] - [0, eyes_of(plan)[0, 1], 0])[[0, 2]])
    assert far == pytest.approx(np.hypot(*eyes_of(blind)[0, [0, 2]]))  # the frame that is written holds


def test_a_pillar_that_is_passed_does_not_matter() -> None:
    pillar = Boxes((box((-3.1, -2.9), (0, 4), (2, 2.2)),), OPEN)
    camera = CameraSpec("follow", side="left", distance_m=5)
    plan = made(pillar, shot("a", "walks forward", 5, camera=camera))
    assert not plan.notes


def test_a_named_camera_is_not_moved() -> None:
    named = {"gate": PlacementSpec((0.0, 1.5, 2.1))}
    camera = CameraSpec("stationary", placement="gate")
    plan = made(CLOSED, shot("a", "waves", camera=camera), cameras=named)
    assert codes(plan) == ["W224"] and eyes_of(plan)[0] == pytest.approx([0, 1.5, 2.1])


def test_a_camera_nowhere_is_told() -> None:
    plan = made(
        Boxes((box((20, 21), (0, 1), (0, 1)),), ROOM),
        shot("a", "", camera=CameraSpec("stationary", distance_m=4)),
    )
    assert codes(plan) == ["W224"] and "where nobody filmed" in plan.notes[0].message


def test_a_moved_camera_joins_what_was_before() -> None:
    wall = Boxes((box((-1.0, 1.0), (0, 3), (-4.4, -4.2)),), OPEN)
    plan = made(wall, shot("a", "waves", 2), shot("b", "walks forward", 4), shot("c", "waves", 3))
    steps = np.linalg.norm(np.diff(eyes_of(plan), axis=0), axis=1)
    for join in (31, 95):
        assert steps[join] <= 1.25 * max(steps[join - 1], steps[join + 1]) + 0.06


def angle(item: PlannedShot, frame: int) -> float:
    away = item.world_from_camera[frame, :3, 3] - item.subjects[0].root[frame]
    rel = math.atan2(away[0], away[2]) - item.subjects[0].yaw_rad[frame]
    return (math.degrees(rel) + 180) % 360 - 180


FILMS: dict[str, Sequence[tuple[str, CameraSpec]]] = {
    "gestures": [("waves", CameraSpec()), ("bows", CameraSpec()), ("nods", CameraSpec())],
    "walks": [("walks forward", CameraSpec()), ("walks forward", CameraSpec()), ("runs", CameraSpec())],
    "from the right": [("waves", CameraSpec("stationary", side="right")), ("bows", CameraSpec())],
    "after an orbit": [("waves", CameraSpec("orbit", degrees=70, direction="left")), ("bows", CameraSpec())],
    "turns": [("turns left", CameraSpec()), ("waves", CameraSpec()), ("turns right", CameraSpec())],
}


@pytest.mark.parametrize("name", FILMS)
def test_cuts_keep_the_line_and_change_the_angle(name: str) -> None:
    shots = [
        shot(str(at), command, cut=at > 0, camera=camera) for at, (command, camera) in enumerate(FILMS[name])
    ]
    films = list(made(None, *shots).shots())
    for before, after in pairwise(films):
        old, new = angle(before, -1), angle(after, 0)
        assert abs((new - old + 180) % 360 - 180) >= 29.9
        on_line = min(abs(old) % 180, 180 - abs(old) % 180) < 12 or min(abs(new), 180 - abs(new)) < 12
        assert on_line or np.sign(old) == np.sign(new)


def test_a_written_side_is_kept_at_a_cut_and_another_character_is_another_matter() -> None:
    view = View("mira", 30.0)
    assert shift_at_cut(view, "teo", CameraSpec("stationary")) == shift_at_cut(
        None, "mira", CameraSpec("follow")
    )
    written = CameraSpec(side="left")
    films = list(
        made(None, shot("a", "waves", camera=written), shot("b", "bows", cut=True, camera=written)).shots()
    )
    assert angle(films[1], 0) == pytest.approx(90)
