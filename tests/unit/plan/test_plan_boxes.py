"""Anchor boxes against posed bodies: what walks, runs, waves and jumps stays inside."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from plan_films import HEIGHT_M, Size

from anix_cli.character import Extent, hull, measure, read_views
from anix_cli.character.pose import Rig, place, rig
from anix_cli.core.camera import intrinsics_from_lens, look_at, project
from anix_cli.core.plan import Gesture
from anix_cli.plan.boxes import project_boxes, room_of

COURIER = Path(__file__).parents[3] / "screenplays" / "courier"


@cache
def courier() -> tuple[Rig, Extent]:
    views = read_views({name: COURIER / f"mira_{name}.png" for name in ("front", "left", "right", "back")})
    return rig(hull(views, HEIGHT_M, cell_m=0.025)), measure(views, HEIGHT_M)


def held(speed_mps: float, azimuth_deg: float, room: np.ndarray, yaw: float = 0.7) -> float:
    """The smallest share of a posed body's points, over two steps, that one box holds."""
    body, _ = courier()
    k = intrinsics_from_lens(35, (832, 480))
    turn = math.radians(azimuth_deg)
    pose = look_at((4 * math.sin(turn), 1.4, 4 * math.cos(turn)), (0, 0.9, 0))
    box, _ = project_boxes(
        np.zeros((1, 3)), np.array([yaw]), room, world_from_camera=pose[None], intrinsics=k[None],
        size_px=(832, 480),
    )  # fmt: skip
    least = 1.0
    for phase in np.arange(0, 2, 0.125):
        means = place(body, (0, 0, 0), yaw, speed_mps=speed_mps, gait_phase=phase).means
        pixels, _ = project(means, pose, k)
        inside = (pixels >= box[0, :2]).all(axis=1) & (pixels <= box[0, 2:]).all(axis=1)
        least = min(least, float(inside.mean()))
    return least


@pytest.mark.parametrize("speed", [0.0, 0.3, 0.7, 1.4, 2.5, 4.0, 7.0])
@pytest.mark.parametrize("azimuth", [0, 40, 130])
def test_a_box_holds_the_gait(speed: float, azimuth: float) -> None:
    extent = courier()[1]
    assert held(speed, azimuth, room_of(extent, np.array([speed]), np.zeros(1))) > 0.995


def test_a_box_is_no_wider_at_rest_and_not_much_too_wide_on_the_run() -> None:
    (rest,) = room_of(Size(), np.zeros(1), np.zeros(1))
    assert rest.tolist() == [[-0.3, 0, -0.2], [0.3, HEIGHT_M, 0.2]]
    body, extent = courier()
    (low, high) = room_of(extent, np.array([4.0]), np.zeros(1))[0]
    means = np.concatenate([
        place(body, (0, 0, 0), 0.0, speed_mps=4.0, gait_phase=phase).means for phase in np.arange(0, 2, 0.1)
    ])  # fmt: skip
    assert means[:, 2].min() - low[2] < 0.2 and high[2] - means[:, 2].max() < 0.35


def test_gestures_reach_up_and_forward_while_they_last() -> None:
    w = 0.3 / HEIGHT_M
    room = room_of(Size(), np.zeros(6), np.zeros(6), (Gesture("wave", -1, 3), Gesture("point", 3, 2)))
    assert room[:, 1, 1] / HEIGHT_M == pytest.approx([1.15, 1.15, 1, 1, 1, 1])
    assert room[:, 1, 2] / HEIGHT_M == pytest.approx([0.46, 0.46, 0.2 / HEIGHT_M, 0.46, 0.46, 0.2 / HEIGHT_M])
    assert room[:, 1, 0] / HEIGHT_M == pytest.approx([0.43, 0.43, w, 0.43, 0.43, w])
    (small,) = room_of(Size(), np.zeros(1), np.zeros(1), (Gesture("nod", 0, 1),))
    assert small[1, 1] == HEIGHT_M and small[1, 2] < 0.15 * HEIGHT_M


def test_a_box_rises_with_a_jump() -> None:
    room = room_of(Size(), np.zeros(2), np.array([0.0, 0.4]))
    assert room[1] - room[0] == pytest.approx(np.array([[0, 0.4, 0], [0, 0.4, 0]]))


@pytest.mark.parametrize(
    "action",
    [
        "wave", "cheer", "raise", "stretch", "salute", "shrug", "curtsy", "point", "throw", "bow", "bend",
        "pick_up", "kick", "clap", "sit", "kneel", "crouch", "nod", "grab",
    ],
)  # fmt: skip
def test_a_box_holds_the_gesture(action: str) -> None:
    acts = pytest.importorskip("anix_cli.character.gestures")
    body, extent = courier()
    (low, high) = room_of(extent, np.zeros(1), np.zeros(1), (Gesture(action, 0, 1),))[0]
    for seconds in np.arange(0, 2, 0.2):
        act = acts.Act(action, seconds, 2.0)
        means = place(body, (0, 0, 0), 0.0, speed_mps=0, gait_phase=0, gestures=(act,)).means
        assert ((means >= low) & (means <= high)).all(axis=1).mean() > 0.995
