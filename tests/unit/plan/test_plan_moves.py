"""The camera moves: each does to the picture what cinematographers call it, and nothing else."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_films import HEIGHT_M, eyes, plan, planned, screenplay, shot
from scipy.spatial.transform import Rotation

from anix_cli.core.camera import project
from anix_cli.core.plan import PlannedShot
from anix_cli.core.screenplay import CameraSpec, PlacementSpec, ShotSpec
from anix_cli.core.stage import HeightMap
from anix_cli.plan.handheld import HIGHEST_HZ, LOWEST_HZ, SWAY_DEG, SWAY_M, sway_of
from anix_cli.plan.progress import eased
from anix_cli.plan.rigs import poses_of, rigs_from_poses

F64 = np.ndarray[Any, np.dtype[np.float64]]


def filmed(camera: CameraSpec, command: str = "waves", seconds: float = 3) -> PlannedShot:
    return planned(shot("a", command, seconds, camera=camera))[0]


def eye(item: PlannedShot) -> F64:
    return item.world_from_camera[:, :3, 3]


def rotation(item: PlannedShot) -> F64:
    return item.world_from_camera[:, :3, :3]


def focal(item: PlannedShot) -> F64:
    return item.intrinsics[:, 0, 0]


def local(item: PlannedShot) -> F64:
    """The turn from the first frame, in the camera's own axes: rotation vectors [F, 3], degrees."""
    turn = rotation(item)[0].T @ rotation(item)
    return np.degrees(Rotation.from_matrix(turn).as_rotvec())


def still(values: F64, within: float = 1e-9) -> bool:
    return bool(np.ptp(values, axis=0).max() < within)


def level_yaw(item: PlannedShot) -> F64:
    """Degrees by which the view has turned to the left."""
    forward = rotation(item)[:, :, 2]
    yaw = np.degrees(np.unwrap(np.arctan2(forward[:, 0], forward[:, 2])))
    return yaw - yaw[0]


@pytest.mark.parametrize(("direction", "sign"), [("left", 1), ("right", -1), (None, 1)])
def test_a_pan_turns_level_and_stays_in_place(direction: str | None, sign: int) -> None:
    item = filmed(CameraSpec("pan", degrees=60, direction=direction))
    assert still(eye(item)) and still(focal(item))
    assert level_yaw(item)[-1] == pytest.approx(sign * 60)
    assert (np.diff(level_yaw(item)) * sign >= -1e-12).all()
    assert still(rotation(item)[:, 1, 2])  # as high as it looked
    assert np.abs(rotation(item)[:, 1, 0]).max() < 1e-12  # the horizon stays level


@pytest.mark.parametrize(("direction", "sign"), [("up", 1), ("down", -1), (None, 1)])
def test_a_tilt_turns_up_or_down_and_stays_in_place(direction: str | None, sign: int) -> None:
    item = filmed(CameraSpec("tilt", degrees=25, direction=direction))
    assert still(eye(item)) and still(focal(item))
    assert local(item)[-1] == pytest.approx([sign * 25, 0, 0], abs=1e-9)  # about the camera's own right
    assert np.sign(rotation(item)[-1, 1, 2] - rotation(item)[0, 1, 2]) == sign


def test_a_tilt_goes_on_beyond_straight_down_without_a_turn() -> None:
    item = filmed(CameraSpec("tilt", degrees=150, direction="down"), seconds=5)
    assert local(item)[:, 1:] == pytest.approx(0, abs=1e-6)
    turned = np.array([
        Rotation.from_matrix(a.T @ b).magnitude() for a, b in pairwise(rotation(item))
    ])  # fmt: skip
    assert np.degrees(turned.sum()) == pytest.approx(150) and np.degrees(turned.max()) * 80 < 150 * 1.6
    assert rotation(item)[-1, 1, 1] > 0  # on its head


@pytest.mark.parametrize(
    ("direction", "sign"), [("clockwise", 1), ("right", 1), (None, 1), ("left", -1), ("counterclockwise", -1)]
)
def test_a_roll_turns_about_where_it_looks(direction: str | None, sign: int) -> None:
    item = filmed(CameraSpec("roll", degrees=15, direction=direction))
    assert still(eye(item)) and still(rotation(item)[:, :, 2]) and still(focal(item))
    assert local(item)[-1] == pytest.approx([0, 0, sign * 15], abs=1e-9)
    # The camera turns clockwise, so that what was straight above the middle is left of it.
    above = eye(item)[0] + 5 * rotation(item)[0, :, 2] - rotation(item)[0, :, 1]
    pixel, _ = project(above, item.world_from_camera[-1], item.intrinsics[-1])
    assert np.sign(416 - pixel[0]) == sign


@pytest.mark.parametrize(("direction", "sign"), [("left", -1), ("right", 1)])
def test_a_truck_moves_to_its_own_side_and_does_not_turn(direction: str, sign: int) -> None:
    item = filmed(CameraSpec("truck", metres=1.5, direction=direction))
    assert still(rotation(item)) and still(focal(item))
    assert (eye(item)[-1] - eye(item)[0]) == pytest.approx(sign * 1.5 * rotation(item)[0, :, 0])
    assert still(eye(item)[:, 1])


def test_a_pedestal_rises_and_does_not_turn() -> None:
    item = filmed(CameraSpec("pedestal", up_m=1.2))
    assert still(rotation(item)) and (eye(item)[-1] - eye(item)[0]) == pytest.approx([0, 1.2, 0])
    down = filmed(CameraSpec("pedestal", up_m=5, direction="down"))
    assert still(rotation(down)) and 0.2 < eye(down)[-1, 1] < 0.4  # it stops above the ground
    assert eye(filmed(CameraSpec("crane", up_m=1, direction="down")))[-1, 1] < eye(item)[0, 1]


def test_a_zoom_changes_the_lens_alone() -> None:
    closer = filmed(CameraSpec("zoom", times=3, direction="in"))
    assert still(closer.world_from_camera) and focal(closer)[-1] / focal(closer)[0] == pytest.approx(3)
    away = filmed(CameraSpec("zoom", direction="out"))
    assert focal(away)[-1] / focal(away)[0] == pytest.approx(0.5)
    to = filmed(CameraSpec("zoom", lens_mm=35, to_lens_mm=85))
    assert focal(to) / 832 * 36 == pytest.approx(np.clip(focal(to) / 832 * 36, 35, 85))
    assert focal(to)[[0, -1]] / 832 * 36 == pytest.approx([35, 85])


@pytest.mark.parametrize(("direction", "sign"), [("in", -1), ("out", 1)])
@pytest.mark.parametrize("command", ["waves", "walks forward"])
def test_a_dolly_goes_on_the_line_to_the_character_and_keeps_its_lens(
    command: str, direction: str, sign: int
) -> None:
    item = filmed(CameraSpec("dolly", metres=1, direction=direction, frame="full"), command)
    away = eye(item) - item.subjects[0].root
    way = away[-1] - away[0]
    assert np.linalg.norm(way) == pytest.approx(1) and still(focal(item))
    assert way == pytest.approx(-sign * rotation(item)[0, :, 2])
    assert np.cross(away - away[0], way) == pytest.approx(0, abs=1e-9)
    heads = item.subjects[0].root + np.array([0, HEIGHT_M, 0])
    rows = [
        project(*point)[0][1] for point in zip(heads, item.world_from_camera, item.intrinsics, strict=True)
    ]
    assert rows == pytest.approx([rows[0]] * item.frames, abs=0.01)  # the headroom stays


def test_a_dolly_stops_before_the_character() -> None:
    item = filmed(CameraSpec("dolly", metres=50, direction="in"))
    middle = item.subjects[0].root[-1] + np.array([0, HEIGHT_M / 2, 0])
    assert np.linalg.norm(eye(item)[-1] - middle) == pytest.approx(0.5, abs=0.02)


def height_px(item: PlannedShot, frame: int) -> float:
    """Of the body's middle, which is where its size is kept."""
    rig_aim = item.subjects[0].root[frame] + np.array([0, 0.5 * HEIGHT_M, 0])
    ends = rig_aim + np.array([[0, -0.05, 0], [0, 0.05, 0]])
    pixels, _ = project(ends, item.world_from_camera[frame], item.intrinsics[frame])
    return float(pixels[0, 1] - pixels[1, 1])


@given(
    direction=st.sampled_from(["in", "out"]),
    times=st.floats(1.05, 2.5),
    command=st.sampled_from(["waves", "walks forward", "turns left and jogs"]),
    ease=st.sampled_from([None, "linear", "in", "out"]),
)
@settings(max_examples=15, deadline=None)
def test_a_dolly_zoom_keeps_the_characters_size(
    direction: str, times: float, command: str, ease: str | None
) -> None:
    camera = CameraSpec("dolly_zoom", times=times, direction=direction, frame="full", ease=ease)
    item = filmed(camera, command, 4)
    sizes = [height_px(item, frame) for frame in range(item.frames)]
    assert sizes == pytest.approx([sizes[0]] * item.frames, rel=2e-3)
    change = focal(item)[-1] / focal(item)[0]
    assert change == pytest.approx(1 / times if direction == "in" else times)
    background = item.world_from_camera[:, :3, 3] - item.subjects[0].root
    assert (np.linalg.norm(background[-1]) > np.linalg.norm(background[0])) == (direction == "out")


def test_a_dolly_zoom_goes_by_metres_or_to_a_lens() -> None:
    item = filmed(CameraSpec("dolly_zoom", metres=1, direction="out"))
    assert np.linalg.norm(eye(item)[-1] - eye(item)[0]) == pytest.approx(1)
    to = filmed(CameraSpec("dolly_zoom", lens_mm=50, to_lens_mm=25))
    assert focal(to)[-1] / focal(to)[0] == pytest.approx(0.5)


def test_a_whip_is_over_in_a_blink() -> None:
    item = filmed(CameraSpec("whip", direction="right"))
    yaw = level_yaw(item)
    assert yaw[-1] == pytest.approx(-90) and yaw[round(0.4 * 16)] == pytest.approx(-90)
    assert still(eye(item))


@pytest.mark.parametrize("move", ["pan", "tilt", "whip"])
def test_turns_end_at_what_they_are_to_look_at(move: str) -> None:
    item = filmed(CameraSpec(move, look_at="fountain"))
    middle = np.array([4.0, 0.55 * 1.7, 9.0])
    pixel, depth = project(middle, item.world_from_camera[-1], item.intrinsics[-1])
    assert pixel == pytest.approx((416, 240), abs=1e-6) and depth > 0
    assert still(eye(item))
    assert np.abs(local(item)).max() < 181  # the short way round


def test_a_camera_looks_at_an_anchor_all_along() -> None:
    middle = np.array([4.0, 0.55 * 1.7, 9.0])
    for move in ("follow", "orbit", "crane", "stationary", "dolly"):
        item = filmed(CameraSpec(move, look_at="fountain"), "walks forward")
        pixels = [
            project(middle, *both)[0] for both in zip(item.world_from_camera, item.intrinsics, strict=True)
        ]
        assert np.abs(np.array(pixels)[:, 0] - 416).max() < 1e-6, move
    orbit = filmed(CameraSpec("orbit", look_at="fountain", distance_m=4, degrees=180))
    radius = np.hypot(*(eye(orbit) - middle)[:, [0, 2]].T)
    assert radius == pytest.approx([4.0] * orbit.frames)


def test_a_still_camera_turns_to_what_it_is_told_and_stays_where_it_is() -> None:
    a, b = planned(
        shot("a", "waves"), shot("b", "nods", 6, camera=CameraSpec("stationary", look_at="fountain"))
    )
    assert eye(b)[-1] == pytest.approx(eye(a)[-1], abs=1e-6)
    pixel, _ = project(np.array([4.0, 0.55 * 1.7, 9.0]), b.world_from_camera[-1], b.intrinsics[-1])
    assert pixel == pytest.approx((416, 240), abs=1e-3)


def test_after_a_pan_a_camera_that_stands_still_holds_its_view_and_auto_turns_back() -> None:
    pan = CameraSpec("pan", degrees=70, direction="right")
    a, b = planned(shot("a", "waves", camera=pan), shot("b", "nods", camera=CameraSpec("stationary")))
    assert np.abs(b.world_from_camera - a.world_from_camera[-1]).max() < 1e-9
    _, c = planned(shot("a", "waves", camera=pan), shot("b", "nods", 4))
    pixel, _ = project(np.array([0, 0.55 * HEIGHT_M, 0]), c.world_from_camera[-1], c.intrinsics[-1])
    assert pixel == pytest.approx((416, 240), abs=1)
    assert eye(c)[-1] == pytest.approx(eye(a)[-1])


@pytest.mark.parametrize("ease", ["both", "in", "out", "linear"])
@pytest.mark.parametrize("move", ["pan", "truck", "orbit", "crane", "dolly", "zoom"])
def test_moves_are_no_faster_than_promised(move: str, ease: str) -> None:
    item = filmed(CameraSpec(move, ease=ease, frame="full"), seconds=4)
    if move == "zoom":
        done = np.log(focal(item))
    elif move == "pan":
        done = level_yaw(item)
    else:
        done = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(eye(item), axis=0), axis=1))])
    speed = np.abs(np.diff(done))
    assert speed.max() / speed.mean() <= (1.05 if ease == "linear" else 2.0)
    assert (speed[0] < 0.2 * speed.mean()) == (ease in {"both", "in"})
    assert (speed[-1] < 0.2 * speed.mean()) == (ease in {"both", "out"})


@pytest.mark.parametrize("ease", ["both", "in", "out", "linear"])
def test_easing_begins_at_nothing_and_ends_at_all(ease: str) -> None:
    u = np.linspace(0, 1, 101)
    assert eased(u, ease)[[0, -1]] == pytest.approx([0, 1]) and (np.diff(eased(u, ease)) >= 0).all()


def test_over_the_shoulder_sees_what_the_character_sees() -> None:
    item = filmed(CameraSpec("follow", side="over_the_shoulder"), "walks forward", 4)
    facing = np.array([0.0, 0.0, 1.0])
    assert (rotation(item)[:, :, 2] @ facing).min() > 0.98
    away = eye(item) - item.subjects[0].root
    assert (away[:, 2] < -0.8).all() and (away[:, 0] < -0.2).all()  # behind it, at its right
    head = item.subjects[0].root + np.array([0, 0.93 * HEIGHT_M, 0])
    pixels = np.array([
        project(point, pose, k)[0]
        for point, pose, k in zip(head, item.world_from_camera, item.intrinsics, strict=True)
    ])  # fmt: skip
    assert (pixels[:, 0] > 100).all() and (pixels[:, 0] < 320).all()


@given(
    st.floats(0.0, 0.4), st.sampled_from(["wide", "full", "medium", "close"]), st.sampled_from([24, 35, 85])
)
@settings(max_examples=25, deadline=None)
def test_headroom_is_what_is_free_above_the_head(headroom: float, frame: str, lens: float) -> None:
    item = filmed(CameraSpec("stationary", frame=frame, headroom=headroom, lens_mm=lens))
    pixel, _ = project(np.array([0, HEIGHT_M, 0]), item.world_from_camera[0], item.intrinsics[0])
    assert pixel[1] / 480 == pytest.approx(headroom, abs=1e-9)


@pytest.mark.parametrize(("side", "sign"), [("left", -1), ("right", 1)])
def test_lead_room_is_before_the_character(side: str, sign: int) -> None:
    item = filmed(CameraSpec("follow", side=side, lead_room=0.17), "walks forward", 4)
    middle = item.subjects[0].root + np.array([0, 0.5 * HEIGHT_M, 0])
    pixels = np.array([
        project(point, pose, k)[0]
        for point, pose, k in zip(middle, item.world_from_camera, item.intrinsics, strict=True)
    ])  # fmt: skip
    faces_right = side == "right"  # seen from its right side, a character looks to the right of the picture
    assert pixels[:, 0] / 832 - 0.5 == pytest.approx(
        [(-1 if faces_right else 1) * 0.17] * item.frames, abs=5e-3
    )
    behind = filmed(CameraSpec("follow", lead_room=0.17), "walks forward", 4)
    pixel, _ = project(
        behind.subjects[0].root[9] + np.array([0, 0.9, 0]), behind.world_from_camera[9], behind.intrinsics[9]
    )
    assert pixel[0] == pytest.approx(416)


def test_a_carried_camera_sways_within_its_band_and_alike_each_time() -> None:
    calm, carried, again = (filmed(CameraSpec("stationary", handheld=h), seconds=8) for h in (None, 1, 1))
    assert still(calm.world_from_camera) and not still(carried.world_from_camera)
    assert np.array_equal(carried.world_from_camera, again.world_from_camera)
    times = np.arange(64 * 16) / 16.0
    sway = sway_of("seed", times)
    power = np.abs(np.fft.rfft(sway * np.hanning(len(sway))[:, None], axis=0)) ** 2
    rates = np.fft.rfftfreq(len(sway), 1 / 16)
    inside = (rates > LOWEST_HZ - 0.1) & (rates < HIGHEST_HZ + 0.1)
    assert (power[inside].sum(axis=0) / power.sum(axis=0) > 0.999).all()
    assert sway.std(axis=0) == pytest.approx([*np.radians(SWAY_DEG), *SWAY_M], rel=0.1)
    assert not np.allclose(sway, sway_of("another", times))
    half = filmed(CameraSpec("stationary", handheld=0.5), seconds=8)
    assert eye(half) - eye(calm) == pytest.approx((eye(carried) - eye(calm)) / 2, abs=1e-9)


def test_a_camera_is_taken_into_the_hand_without_a_jump() -> None:
    shots = planned(
        shot("a", "waves", 2), shot("b", "nods", 3, camera=CameraSpec("stationary", handheld=1)),
        shot("c", "bows", 3),
    )  # fmt: skip
    steps = np.linalg.norm(np.diff(eyes(shots), axis=0), axis=1)
    assert steps.max() < 0.03 and steps[:31].max() == 0 and steps[-8:].max() < 1e-9 < steps[40]


def test_focus_is_racked_from_the_character_to_another_place() -> None:
    item = filmed(CameraSpec("rack_focus", focus="fountain", side="behind"))
    assert item.optics is not None and item.optics.f_stop == 2.0
    planes = np.array(item.optics.focus_m)
    depth = np.einsum("fi,fi->f", np.array([4, 0.935, 9]) - eye(item), rotation(item)[:, :, 2])
    eyes_of_her = item.subjects[0].root + np.array([0, 0.9 * HEIGHT_M, 0])
    hers = np.einsum("fi,fi->f", eyes_of_her - eye(item), rotation(item)[:, :, 2])
    assert planes[0] == pytest.approx(hers[0]) and planes[-1] == pytest.approx(depth[-1])
    assert (np.diff(planes) > 0).all() and still(item.world_from_camera)
    assert filmed(CameraSpec("stationary")).optics is None


def test_focus_stays_through_a_take_and_changes_softly() -> None:
    a, b, c = planned(
        shot("a", "waves", 2, camera=CameraSpec("stationary", focus=6.0, f_number=2.8)),
        shot("b", "nods", 2), shot("c", "bows", 3, camera=CameraSpec("stationary", focus="mira")),
    )  # fmt: skip
    planes = np.concatenate([item.optics.focus_m for item in (a, b, c)])
    assert [item.optics.f_stop for item in (a, b, c)] == [2.8] * 3
    assert planes[:64] == pytest.approx(6.0) and planes[-1] < 4
    assert np.abs(np.diff(np.log(planes))).max() < 0.12


@given(st.lists(st.floats(-3, 3), min_size=6, max_size=6))
@settings(max_examples=60, deadline=None)
def test_any_pose_is_a_rig(numbers: list[float]) -> None:
    poses = np.tile(np.eye(4), (9, 1, 1))
    start = Rotation.from_rotvec(numbers[:3])
    for frame in range(9):
        turn = Rotation.from_rotvec(np.array(numbers[3:]) * frame / 4)
        poses[frame, :3, :3] = (turn * start).as_matrix()
        poses[frame, :3, 3] = [frame, 40 + frame, numbers[0]]
    rig = rigs_from_poses(poses, np.full(9, 700.0), 0.0, math.log(3.0))
    back, lenses = poses_of(rig, HeightMap.level(0.0), (832, 480))
    assert back == pytest.approx(poses, abs=1e-9) and lenses[:, 0, 0] == pytest.approx(700)


def test_a_tilt_over_the_pole_keeps_its_azimuth_as_a_rig() -> None:
    tilt = np.radians(np.linspace(-170, 20, 39))
    poses = np.tile(np.eye(4), (39, 1, 1))
    poses[:, :3, :3] = Rotation.from_euler("x", tilt[:, None]).as_matrix() @ np.diag([1, -1, -1])
    poses[:, 1, 3] = 50
    rig = rigs_from_poses(poses, np.full(39, 700.0), 0.0, 0.0)
    assert np.ptp(rig[:, 3]) < 1e-9 and np.ptp(rig[:, 8]) < 1e-9
    assert np.abs(np.diff(rig[:, 4])).max() == pytest.approx(math.radians(5))


@pytest.mark.parametrize("move", ["pan", "tilt", "roll", "whip", "zoom"])
def test_turns_and_zooms_begin_at_a_named_camera_and_stay_there(move: str) -> None:
    named = {"gate": PlacementSpec((0.0, 1.6, -4.0), look_at="fountain")}
    moved, stands = (CameraSpec(name, placement="gate") for name in (move, "stationary"))

    def shown(*shots: ShotSpec) -> list[PlannedShot]:
        return list(plan(screenplay(*shots, cameras=named)).shots())

    (item,) = shown(shot("a", "", camera=moved))
    assert eye(item) == pytest.approx(np.tile([0, 1.6, -4], (item.frames, 1)))
    assert item.world_from_camera[0] == pytest.approx(
        shown(shot("a", "", camera=stands))[0].world_from_camera[0]
    )
    later = shown(shot("b", "waves"), shot("a", "", 4, camera=moved))[1]
    assert eye(later)[32:] == pytest.approx(np.tile([0, 1.6, -4], (32, 1)), abs=1e-6)


def test_a_camera_that_travels_between_named_ones_keeps_the_character_in_the_picture() -> None:
    named = {
        "gate": PlacementSpec((-1.0, 1.6, -9.0), look_at="fountain"),
        "balcony": PlacementSpec((7.0, 4.5, 2.0)),
    }
    cameras = [CameraSpec("stationary", placement=name) for name in named]
    first, travels = plan(
        screenplay(
            shot("a", "waves", 2, camera=cameras[0], anchor="door"), shot("b", "nods", 4, camera=cameras[1]),
            cameras=named,
        )
    ).shots()  # fmt: skip
    later = travels.subjects[0].box_px[24:]  # it has turned to her after 1.5 s, when it is half way there
    middle = 0.5 * (later[:, 0] + later[:, 2])
    assert np.abs(middle - 416).max() < 60 and travels.subjects[0].visible[24:].all()
    assert eye(travels)[-1] == pytest.approx([7, 4.5, 2], abs=0.05)
    both = np.concatenate([item.world_from_camera[:, :3, 2] for item in (first, travels)])
    turns = np.degrees(np.arccos(np.clip((both[1:] * both[:-1]).sum(axis=1), -1, 1)))
    assert turns.max() * 16 < 90  # degrees a second, and no jump where it sets out
    assert turns[30:34].max() < 1


@pytest.mark.parametrize("move", ["pan", "tilt", "roll", "truck", "pedestal", "zoom"])
def test_a_move_goes_on_from_a_view_of_something_else(move: str) -> None:
    looks, moves = planned(
        shot("a", "waves", camera=CameraSpec("stationary", look_at="fountain")),
        shot("b", "nods", camera=CameraSpec(move)),
    )
    before, after = looks.world_from_camera[-1], moves.world_from_camera[0]
    assert after[:3] == pytest.approx(before[:3], abs=2e-3)
    along = moves.world_from_camera
    if move == "pan":  # only the azimuth turns
        assert np.ptp(along[:, 1, 2]) < 1e-3 and np.ptp(along[:, :3, 3], axis=0).max() < 1e-3


@pytest.mark.parametrize(("distance_m", "free"), [(1.2, 0.08), (2.0, 0.08), (6.0, 0.3)])
def test_a_near_camera_keeps_the_head_and_lets_the_feet_go(distance_m: float, free: float) -> None:
    item = filmed(CameraSpec("stationary", side="front", distance_m=distance_m), "waves", 2)
    head = np.linalg.inv(item.world_from_camera[0]) @ [*(item.subjects[0].root[0] + [0, 1.72, 0]), 1]
    pixel = item.intrinsics[0] @ head[:3]
    share = pixel[1] / pixel[2] / 480
    assert share == pytest.approx(free, abs=0.005) if free < 0.1 else share > 0.2


def test_a_focus_behind_the_camera_is_told() -> None:
    made = plan(
        screenplay(shot("a", "waves", camera=CameraSpec("rack_focus", focus="fountain", side="front")))
    )
    assert [note.code for note in made.notes] == ["W229"] and "fountain" in made.notes[0].message
    item = next(made.shots())
    assert item.optics is not None
    away = np.linalg.norm(np.array([4.0, 1.0, 9.0]) - item.world_from_camera[-1, :3, 3])
    assert item.optics.focus_m[-1] == pytest.approx(away, rel=0.05)


@pytest.mark.parametrize("frames", [1, 2, 3])
@pytest.mark.parametrize("ease", ["both", "in", "out", "linear"])
def test_a_move_of_a_frame_or_two_is_whole(frames: int, ease: str) -> None:
    for move in ("pan", "whip", "dolly", "dolly_zoom", "orbit", "zoom", "truck", "crane", "rack_focus"):
        camera = CameraSpec(move, ease=ease, handheld=1.0, focus="door")
        item = filmed(camera, "walks forward", frames / 16)
        assert item.frames == frames and np.isfinite(item.world_from_camera).all()
        assert (focal(item) > 0).all() and np.isfinite(focal(item)).all()


def test_an_orbit_goes_on_where_a_dolly_ends() -> None:
    """P01: dolly in 2 m, orbit 90° to the left, orbit all round."""
    a, b, c = planned(
        shot("a", "waves", camera=CameraSpec("dolly", metres=2, frame="wide")),
        shot("b", "bows", camera=CameraSpec("orbit", degrees=90, direction="left")),
        shot("c", "nods", 4, camera=CameraSpec("orbit", degrees=360)),
    )
    for before, after in ((a, b), (b, c)):
        assert np.abs(after.world_from_camera[0] - before.world_from_camera[-1]).max() < 1e-4
    for item in (b, c):
        radius = np.hypot(*(eye(item) - item.subjects[0].root)[:, [0, 2]].T)
        assert np.ptp(radius) < 1e-6
    assert np.abs(c.world_from_camera[-1] - c.world_from_camera[0]).max() < 1e-6


MOVES = [
    CameraSpec("pan", degrees=50, direction="right"), CameraSpec("tilt"), CameraSpec("roll", degrees=20),
    CameraSpec("truck", direction="left"), CameraSpec("pedestal"), CameraSpec("zoom"),
    CameraSpec("dolly"), CameraSpec("dolly", direction="out"), CameraSpec("dolly_zoom", direction="out"),
    CameraSpec("orbit", degrees=60), CameraSpec("stationary"), CameraSpec(),
    CameraSpec("follow", side="left"),
    CameraSpec("follow", side="over_the_shoulder"), CameraSpec("stationary", look_at="fountain"),
    CameraSpec("pan", look_at="door"), CameraSpec("orbit", look_at="fountain", degrees=40),
    CameraSpec("crane", headroom=0.1), CameraSpec("truck", handheld=0.6), CameraSpec("pan", ease="linear"),
]  # fmt: skip


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["runs", "stops and waves", "turns around", "", "walks forward"]),
            st.sampled_from(MOVES),
            st.integers(2, 4),
        ),
        min_size=2,
        max_size=4,
    )
)
@settings(max_examples=60, deadline=None)
def test_no_two_moves_jump_where_they_meet(parts: list[tuple[str, CameraSpec, int]]) -> None:
    shots = planned(*(
        shot(str(index), command, seconds, camera=camera)
        for index, (command, camera, seconds) in enumerate(parts)
    ))  # fmt: skip
    poses = np.concatenate([item.world_from_camera for item in shots])
    lens = np.concatenate([item.intrinsics for item in shots])
    turn = poses[:, :3, :3]
    assert np.isfinite(poses).all() and (poses[:, 1, 3] > 0.2).all()
    assert turn @ turn.transpose(0, 2, 1) == pytest.approx(np.broadcast_to(np.eye(3), turn.shape))
    assert np.linalg.det(turn) == pytest.approx(1)
    moves = np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1)
    turns = np.array([Rotation.from_matrix(a.T @ b).magnitude() for a, b in pairwise(turn)])
    zooms = np.abs(np.diff(np.log(lens[:, 0, 0])))
    joins = np.cumsum([item.frames for item in shots])[:-1] - 1
    for change, slack in ((moves, 0.06), (turns, 0.03), (zooms, 0.02)):
        for join in joins:
            around = max(change[join - 1], change[join + 1])
            assert change[join] <= 1.25 * around + slack
    assert turns.max() * 16 < math.radians(400)
