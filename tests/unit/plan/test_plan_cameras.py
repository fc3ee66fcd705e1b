"""Cameras: composition, closed forms of the moves, and joins without jumps."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_films import HEIGHT_M, Size, codes, eyes, plan, planned, screenplay, shot, stage
from scipy.spatial.transform import Rotation

from anix_cli.core.camera import intrinsics_from_lens, look_at, project
from anix_cli.core.errors import AnixError
from anix_cli.core.plan import PlannedShot
from anix_cli.core.screenplay import AnchorSpec, CameraSpec, ShotSpec
from anix_cli.core.stage import HeightMap
from anix_cli.plan.boxes import project_boxes, room_of

ORBIT = CameraSpec("orbit", degrees=90, direction="left")
MOVES = [
    CameraSpec(), ORBIT, CameraSpec("orbit", degrees=200, direction="right"), CameraSpec("crane", up_m=2.5),
    CameraSpec("follow", side="left"), CameraSpec("follow", lens_mm=50),
    CameraSpec("stationary", frame="medium"),
    CameraSpec("stationary"), CameraSpec("follow", side="front", frame="full"), CameraSpec("crane", up_m=-1),
]  # fmt: skip
COMMANDS = [
    "runs",
    "walks to the door",
    "stops and waves",
    "turns around",
    "",
    "backs away",
    "turns left and jogs",
]


def azimuth(item: PlannedShot, frame: int) -> float:
    """Degrees, of the camera about the character, seen from above."""
    away = item.world_from_camera[frame, :3, 3] - item.subjects[0].root[frame]
    return math.degrees(math.atan2(away[0], away[2]))


def filled(item: PlannedShot, frame: int) -> float:
    """Height of the body in picture heights."""
    sole = item.subjects[0].root[frame]
    ends = sole + np.array([[0, 0, 0], [0, HEIGHT_M, 0]])
    pixels, _ = project(ends, item.world_from_camera[frame], item.intrinsics[frame])
    return float(pixels[0, 1] - pixels[1, 1]) / 480


def one_box(yaw: float, pose: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The box of a character at the origin."""
    room = room_of(Size(), np.zeros(1), np.zeros(1))
    return project_boxes(
        np.zeros((1, 3)), np.array([yaw]), room, world_from_camera=pose[None], intrinsics=k[None],
        size_px=(832, 480),
    )  # fmt: skip


def planned_with(anchors: dict[str, AnchorSpec], *shots: ShotSpec) -> tuple[PlannedShot, ...]:
    return tuple(plan(screenplay(*shots, anchors=anchors)).shots())


def angle_between(a: np.ndarray, b: np.ndarray) -> float:
    return float(Rotation.from_matrix(a[:3, :3].T @ b[:3, :3]).magnitude())


@pytest.mark.parametrize(
    ("camera", "degrees"),
    [
        (CameraSpec("follow"), 180), (CameraSpec("follow", side="front"), 0), (CameraSpec("stationary"), 30),
        (CameraSpec("stationary", side="left"), 90), (CameraSpec("orbit", side="right"), -90),
    ],
)  # fmt: skip
def test_a_take_starts_as_composed(camera: CameraSpec, degrees: float) -> None:
    first = planned(shot("a", "", camera=camera))[0]
    assert (azimuth(first, 0) - degrees + 180) % 360 - 180 == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(("frame", "fill"), [("wide", 0.35), ("full", 0.75), ("medium", 1.6), ("close", 3.0)])
@pytest.mark.parametrize("lens", [24, 35, 85])
def test_frames_are_fractions_of_the_picture(frame: str, fill: float, lens: float) -> None:
    camera = CameraSpec("stationary", frame=frame, lens_mm=lens)
    item = planned(shot("a", "", camera=camera))[0]
    sole, top = np.array([0, 0, 0.0]), np.array([0, HEIGHT_M, 0.0])
    pixels, _ = project(np.stack([sole, top]), item.world_from_camera[0], item.intrinsics[0])
    assert (pixels[0, 1] - pixels[1, 1]) / 480 == pytest.approx(fill, rel=0.25)
    assert item.intrinsics[0] == pytest.approx(intrinsics_from_lens(lens, (832, 480)))


def test_written_distance_height_and_view_hold() -> None:
    camera = CameraSpec("stationary", side="front", distance_m=5, height_m=2, fov_y_deg=40)
    item = planned(shot("a", "", camera=camera))[0]
    assert item.world_from_camera[0, :3, 3] == pytest.approx([0, 2, 5])
    assert 2 * math.degrees(math.atan(240 / item.intrinsics[0, 1, 1])) == pytest.approx(40)


def test_the_papers_rule() -> None:
    commands = ["runs", "waves", "picks up the lamp", "waves while the camera orbits left 90 degrees", ""]
    shots = planned(*(shot(str(index), command) for index, command in enumerate(commands)))
    assert [item.camera for item in shots] == ["follow", "stationary", "stationary", "orbit", "stationary"]


@pytest.mark.parametrize(("direction", "sign"), [("left", -1), ("right", 1)])
@pytest.mark.parametrize("degrees", [30, 90, 360])
def test_an_orbit_keeps_its_radius_and_ends_exactly(direction: str, sign: int, degrees: float) -> None:
    camera = CameraSpec("orbit", degrees=degrees, direction=direction)
    item = planned(shot("a", "waves", camera=camera))[0]
    eye = item.world_from_camera[:, :3, 3]
    radius = np.hypot(eye[:, 0], eye[:, 2])
    assert np.ptp(radius) < 1e-6 and np.ptp(eye[:, 1]) < 1e-6
    turned = np.unwrap(np.arctan2(eye[:, 0], eye[:, 2]))
    assert math.degrees(turned[-1] - turned[0]) == pytest.approx(sign * degrees, abs=1e-6)
    speed = np.abs(np.diff(turned))
    assert speed.max() / speed.mean() < 1.6
    own_left = -item.world_from_camera[:-1, :3, 0]
    goes = np.einsum("fi,fi->f", np.diff(eye, axis=0), own_left)
    assert (goes * -sign > 0).all()


def test_orbits_chain_from_where_the_camera_stands() -> None:
    full = CameraSpec("orbit", degrees=360, direction="left")
    a, b, c = planned(shot("a", "waves", camera=ORBIT), shot("b", "bows", camera=full), shot("c", "nods"))
    for before, after in ((a, b), (b, c)):
        assert np.abs(after.world_from_camera[0] - before.world_from_camera[-1]).max() < 1e-4
        assert after.intrinsics[0] == pytest.approx(before.intrinsics[-1])
    assert np.abs(b.world_from_camera[-1] - b.world_from_camera[0]).max() < 1e-6
    assert np.abs(c.world_from_camera - c.world_from_camera[0]).max() < 1e-6


def test_a_crane_rises_by_what_is_written_and_looks_at_the_character() -> None:
    item = planned(shot("a", "", camera=CameraSpec("crane", up_m=3)))[0]
    eye = item.world_from_camera[:, :3, 3]
    assert eye[-1, 1] - eye[0, 1] == pytest.approx(3, abs=1e-6)
    assert np.ptp(eye[:, [0, 2]], axis=0).max() < 1e-9 and (np.diff(eye[:, 1]) >= 0).all()
    middle, _ = project(np.array([0, HEIGHT_M / 2, 0]), item.world_from_camera[-1], item.intrinsics[-1])
    assert middle == pytest.approx((416, 240), abs=2)


def test_a_follow_stays_behind_with_constant_framing() -> None:
    item = planned(shot("a", "runs forward", 5))[0]
    away = item.world_from_camera[:, :3, 3] - item.subjects[0].root
    assert np.abs(away - away[0]).max() < 1e-9
    assert filled(item, 0) == pytest.approx(0.55, abs=0.06)


def test_a_follow_swings_behind_a_turn_without_overshoot() -> None:
    item = planned(shot("a", "walks to the left", 7))[0]
    behind = np.unwrap([math.radians(azimuth(item, frame)) for frame in range(item.frames)])
    assert (np.diff(behind) >= -1e-9).all()
    assert math.degrees(behind[-1] - behind[0]) == pytest.approx(90, abs=0.5)
    assert np.abs(np.diff(behind, 2)).max() * 16 * 16 < 6


def around(*items: PlannedShot) -> np.ndarray:
    """Degrees, of the camera about the character, through shots of a take."""
    return np.degrees(
        np.unwrap([math.radians(azimuth(item, f)) for item in items for f in range(item.frames)])
    )


FOLLOW = CameraSpec("follow")


@pytest.mark.parametrize("facing", [0.0, 77.0, -160.0])
def test_a_follow_does_not_go_round_with_one_who_turns_on_the_spot(facing: float) -> None:
    anchors = {"start": AnchorSpec((2.0, -3.0), face=facing), "well": AnchorSpec((-4.0, 6.0))}
    item = planned_with(
        anchors, shot("a", "walks to the well, turns around and waves", 13, anchor="start", camera=FOLLOW)
    )[0]
    there = next(beat for beat in item.beats if beat.action == "turn").start
    seen, yaw = around(item), np.degrees(np.unwrap(item.subjects[0].yaw_rad))
    assert abs(yaw[-1] - yaw[there]) == pytest.approx(180, abs=1)
    assert np.abs(seen[there:] - seen[there]).max() < 3
    course = math.degrees(math.atan2(-6.0, 9.0))
    assert (seen[-1] - course) % 360 == pytest.approx(180, abs=3)


def test_a_follow_whose_side_is_written_goes_round_with_one_who_turns() -> None:
    item = planned(shot("a", "turns around and waves", 8, camera=CameraSpec("follow", side="left")))[0]
    assert abs(around(item)[-1] - around(item)[0]) == pytest.approx(180, abs=1)
    assert (azimuth(item, -1) - math.degrees(item.subjects[0].yaw_rad[-1])) % 360 == pytest.approx(90, abs=1)


@pytest.mark.parametrize(
    "camera", [FOLLOW, CameraSpec("follow", lens_mm=85), CameraSpec("follow", lens_mm=18)]
)
def test_a_follow_swings_gently_once_somebody_goes_again(camera: CameraSpec) -> None:
    items = planned(
        shot("a", "walks forward", 3, camera=camera),
        shot("b", "turns right 120 degrees and bows", 4, camera=camera),
        shot("c", "runs forward", 14, camera=camera),
    )
    seen = around(*items)
    begin, end = items[0].frames, items[0].frames + items[1].frames
    assert np.abs(seen[begin:end] - seen[begin]).max() < 12  # she still walks as she begins to turn
    assert (np.diff(seen[begin:]) <= 1e-9).all()
    assert seen[-1] - seen[0] == pytest.approx(-120, abs=1)
    rates = np.radians(np.diff(seen)) * 16
    eye, root = eyes(items), np.concatenate([item.subjects[0].root for item in items])
    away = np.linalg.norm((eye - root)[:, [0, 2]], axis=1)
    assert np.abs(rates * away[1:]).max() < 4.6
    assert np.abs(np.diff(rates)).max() * 16 < 6
    assert all(
        np.linalg.norm(one.world_from_camera[-1, :3, 3] - two.world_from_camera[0, :3, 3]) < 0.3
        for one, two in pairwise(items)
    )


def test_a_follow_after_another_view_stays_there_until_somebody_goes() -> None:
    items = planned(shot("a", "waves"), shot("b", "bows", 2, camera=FOLLOW), shot("c", "walks forward", 8))
    seen = around(*items)
    before = items[0].frames + items[1].frames
    assert np.abs(seen[:before] - 30).max() < 1e-6
    assert seen[-1] == pytest.approx(180, abs=1) and (np.diff(seen) >= -1e-9).all()


def test_follow_to_stationary_comes_to_rest_without_passing() -> None:
    run, wave = planned(shot("a", "runs forward", 4), shot("b", "she stops and waves", 4))
    path = eyes((run, wave))[:, 2]
    assert (np.diff(path) > -1e-9).all() and abs(path[-1] - path[-2]) < 1e-6
    assert np.abs(np.diff(path, 2)).max() < 0.08
    assert wave.subjects[0].visible.all()
    assert filled(wave, -1) == pytest.approx(filled(run, -1), rel=0.1)


def test_a_lens_change_inside_a_take_is_eased() -> None:
    a, b = planned(shot("a", "waves"), shot("b", "bows", camera=CameraSpec("stationary", lens_mm=70)))
    focal = np.concatenate([a.intrinsics[:, 0, 0], b.intrinsics[:, 0, 0]])
    assert focal[-1] == pytest.approx(2 * focal[0]) and (np.diff(focal) >= -1e-9).all()
    assert np.diff(np.log(focal)).max() < 0.12


def test_a_still_camera_holds_the_whole_walk() -> None:
    item = planned(shot("a", "walks forward", 6, camera=CameraSpec("stationary", side="left")))[0]
    box = item.subjects[0].box_px
    assert np.ptp(item.world_from_camera, axis=0).max() == 0
    assert box[:, 0].min() > 0 and box[:, 2].max() < 832 and np.ptp(item.subjects[0].root[:, 2]) > 7


def test_the_camera_stays_above_the_ground() -> None:
    x = np.linspace(-40, 40, 81)
    hill = HeightMap((-40.0, -40.0), 1.0, 6 * np.exp(-((x[:, None] + 8) ** 2 + x[None] ** 2) / 20))
    item = planned(shot("a", "walks", 5), on=stage(hill))[0]
    eye = item.world_from_camera[:, :3, 3]
    assert (eye[:, 1] - hill.at(eye[:, [0, 2]])).min() > 0.3 - 1e-9


@given(
    st.lists(
        st.tuples(st.sampled_from(COMMANDS), st.sampled_from(MOVES), st.integers(2, 5)),
        min_size=2,
        max_size=4,
    )
)
@settings(max_examples=40, deadline=None)
def test_never_jumps_within_a_take(parts: list[tuple[str, CameraSpec, int]]) -> None:
    try:
        shots = planned(*(
            shot(str(index), command, seconds + 6 * ("door" in command), camera=camera)
            for index, (command, camera, seconds) in enumerate(parts)
        ))  # fmt: skip
    except AnixError as error:
        assert {code for code in codes(error) if code.startswith("E")} == {
            "E212"
        }  # the door is too far behind
        return
    poses = np.concatenate([item.world_from_camera for item in shots])
    intrinsics = np.concatenate([item.intrinsics for item in shots])
    rotation = poses[:, :3, :3]
    assert np.isfinite(poses).all()
    assert rotation @ rotation.transpose(0, 2, 1) == pytest.approx(np.broadcast_to(np.eye(3), rotation.shape))
    assert np.linalg.det(rotation) == pytest.approx(1)
    assert (rotation[:, 1, 1] < 0).all()  # the picture's down is never the world's up
    moves = np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1)
    turns = np.array([angle_between(a, b) for a, b in pairwise(poses)])
    zooms = np.abs(np.diff(np.log(intrinsics[:, 0, 0])))
    joins = np.cumsum([item.frames for item in shots])[:-1] - 1
    for change, slack in ((moves, 0.06), (turns, 0.02), (zooms, 0.02)):
        for join in joins:
            around = max(change[join - 1], change[join + 1])
            assert change[join] <= 1.25 * around + slack
    assert turns.max() * 16 < math.radians(400)


@given(st.floats(-8, 8), st.floats(-8, 8), st.floats(0.2, 6), st.floats(-3, 3), st.floats(-3, 3))
@settings(max_examples=100, deadline=None)
def test_boxes_hold_every_point_of_the_body(x: float, z: float, y: float, yaw: float, tilt: float) -> None:
    pose = (
        look_at((x, y, z), (0.3, tilt, 0.2))
        if math.hypot(x - 0.3, z - 0.2) > 1e-3
        else look_at((x, y, 5), (0, 0, 0))
    )
    k = intrinsics_from_lens(35, (832, 480))
    box, visible = one_box(yaw, pose, k)
    rng = np.random.default_rng(1)
    local = (rng.random((400, 3)) - [0.5, 0, 0.5]) * [0.6, HEIGHT_M, 0.4]
    turn = Rotation.from_euler("y", yaw).as_matrix()
    pixels, depth = project(local @ turn.T, pose, k)
    seen = depth > 0.02
    assert np.isfinite(box).all()
    if not seen.any():
        return
    assert (pixels[seen] >= box[0, :2] - 1e-6).all() and (pixels[seen] <= box[0, 2:] + 1e-6).all()
    in_picture = seen & (pixels > 0).all(1) & (pixels < [832, 480]).all(1)
    assert visible[0] or not in_picture.any()


def test_a_box_behind_the_camera_is_empty() -> None:
    pose, k = look_at((0, 1, 5), (0, 1, 10)), intrinsics_from_lens(35, (832, 480))
    box, visible = one_box(0.0, pose, k)
    assert not visible[0] and not box.any()


@pytest.mark.parametrize("camera", [CameraSpec("stationary"), CameraSpec("crane"), CameraSpec("orbit")])
def test_a_jump_stays_in_the_picture(camera: CameraSpec) -> None:
    alone = planned(shot("a", "jumps", 2, camera=camera))[0].subjects[0].box_px
    assert alone[:, 1].min() > 0 and alone[:, 3].max() < 480
    if camera.move == "stationary":
        later = planned(shot("a", "waves", 2), shot("b", "jumps", 3, camera=camera))[1].subjects[0].box_px
        assert later[16:, 1].min() > 0 and later[16:, 3].max() < 480


def test_one_who_is_not_in_the_picture_is_told() -> None:
    close = CameraSpec("stationary", distance_m=1, height_m=1, lens_mm=200)
    assert not plan(screenplay(shot("a", "waves", camera=close))).notes  # a part of the body is in it
    near = CameraSpec("stationary", side="left", frame="close")
    play = screenplay(shot("a", "sprints to the north", 6, camera=near))
    made = plan(replace(play, anchors={"north": AnchorSpec((0.0, 24.0))}))
    (note,) = made.notes
    gone = int((~next(made.shots()).subjects[0].visible).sum())
    assert note.code == "W208" and gone > 32 and note.hint
    assert f"mira is not in the picture for {gone / 16:.1f} s of shot a, but " in note.message
