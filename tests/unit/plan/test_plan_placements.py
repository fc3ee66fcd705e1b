"""Named cameras: exact where they begin, travelled to without jumps, and lists of moves."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_films import HEIGHT_M, codes, plan, planned, screenplay, shot, stage
from scipy.spatial.transform import Rotation

from anix_cli.core.camera import intrinsics_from_fov_y, intrinsics_from_lens, look_at, project
from anix_cli.core.errors import AnixError
from anix_cli.core.plan import Plan, PlannedShot, Transition
from anix_cli.core.screenplay import (
    AnchorSpec,
    CameraSpec,
    CharacterSpec,
    PlacementSpec,
    Screenplay,
    ShotSpec,
    TransitionSpec,
)
from anix_cli.core.stage import HeightMap, Stage
from anix_cli.core.time import Duration
from anix_cli.plan.motion import steady
from anix_cli.plan.parts import frames_of_parts

GATE = PlacementSpec((3.0, 2.0, 7.0), (0.0, 1.0, 0.0), lens_mm=50)
SIDE = PlacementSpec((-6.0, 1.0), None)
TOWER = PlacementSpec((1.0, 12.0, -9.0), "fountain", fov_y_deg=40)
CAMERAS = {"gate": GATE, "side": SIDE, "tower": TOWER}
STAND = {name: CameraSpec("stationary", name) for name in CAMERAS}


def film(*shots: ShotSpec, **more: Any) -> Screenplay:
    return screenplay(*shots, **{"cameras": CAMERAS, **more})


def of(*shots: ShotSpec, on: Stage | None = None, **more: Any) -> tuple[PlannedShot, ...]:
    return tuple(plan(film(*shots, **more), on=on).shots())


def middle(item: PlannedShot, frame: int) -> np.ndarray:
    """The picture point of the character's middle."""
    point = item.subjects[0].root[frame] + [0, 0.55 * HEIGHT_M, 0]
    pixel, depth = project(point, item.world_from_camera[frame], item.intrinsics[frame])
    assert depth > 0
    return pixel


def test_a_named_camera_is_exactly_as_written() -> None:
    (item,) = of(shot("a", "runs", camera=STAND["gate"]))
    assert item.camera == "stationary"
    for pose in item.world_from_camera:
        np.testing.assert_allclose(pose, look_at((3, 2, 7), (0, 1, 0)), atol=1e-9)
    np.testing.assert_allclose(item.intrinsics[0], intrinsics_from_lens(50, (832, 480)))


def test_lenses_of_the_shot_win_over_those_of_the_place() -> None:
    (item,) = of(shot("a", "", camera=replace(STAND["tower"], lens_mm=24)))
    np.testing.assert_allclose(item.intrinsics[0], intrinsics_from_lens(24, (832, 480)))
    (item,) = of(shot("a", "", camera=STAND["tower"]))
    np.testing.assert_allclose(item.intrinsics[0], intrinsics_from_fov_y(40, (832, 480)))
    (item,) = of(shot("a", "", camera=STAND["side"]))
    np.testing.assert_allclose(item.intrinsics[0], intrinsics_from_lens(35, (832, 480)))


def test_two_numbers_are_eye_height_above_the_ground() -> None:
    slope = HeightMap((-50.0, -50.0), 100.0, np.array([[-5.0, 5.0], [-5.0, 5.0]]))
    (item,) = of(shot("a", "", camera=STAND["side"]), on=stage(slope))
    np.testing.assert_allclose(item.world_from_camera[:, :3, 3], [[-6, -0.6 + 1.5, 1]] * 48, atol=1e-9)


@pytest.mark.parametrize("height", [0.06, 0.2, 0.31, 0.5, 1.0, 30.0])
def test_low_places_are_not_lifted(height: float) -> None:
    low = {"low": PlacementSpec((3.0, height, 5.0), (0.0, 1.0, 0.0))}
    for move in ("stationary", "orbit", "follow", "crane"):
        (item,) = of(shot("a", "", camera=CameraSpec(move, "low")), cameras=low)
        np.testing.assert_allclose(item.world_from_camera[0], look_at((3, height, 5), (0, 1, 0)), atol=1e-6)


def test_an_anchor_is_looked_at_in_a_bodys_middle() -> None:
    (item,) = of(shot("a", "", camera=STAND["tower"]))
    pixel, _ = project(np.array([4, 0.55 * 1.7, 9.0]), item.world_from_camera[-1], item.intrinsics[-1])
    assert pixel == pytest.approx((416, 240))
    high = {"clock": AnchorSpec((4.0, 6.0, 9.0))}
    placed = {"tower": replace(TOWER, look_at="clock")}
    (item,) = of(shot("a", "", camera=STAND["tower"]), anchors=high, cameras=placed)
    pixel, _ = project(np.array([4, 6 + 0.55 * 1.7, 9]), item.world_from_camera[0], item.intrinsics[0])
    assert pixel == pytest.approx((416, 240))


def test_a_place_without_look_at_turns_with_the_one_who_acts() -> None:
    (item,) = of(shot("a", "runs forward", 6, camera=STAND["side"]))
    np.testing.assert_allclose(item.world_from_camera[:, :3, 3], [[-6, 1.5, 1]] * 96, atol=1e-9)
    off = np.abs([middle(item, frame) - (416, 240) for frame in range(item.frames)])
    assert off.max() < 15 and item.subjects[0].visible.all()
    turns = [angle(a, b) for a, b in pairwise(item.world_from_camera)]
    assert max(turns) * 16 < math.radians(60)


def angle(a: np.ndarray, b: np.ndarray) -> float:
    return float(Rotation.from_matrix(a[:3, :3].T @ b[:3, :3]).magnitude())


def test_a_camera_turns_with_a_character_who_passes_beneath_it() -> None:
    over = {"over": PlacementSpec((0.0, 6.0, 6.0))}
    (item,) = of(
        shot("a", "walks forward 12 metres", 8, camera=CameraSpec("stationary", "over")), cameras=over
    )
    turns = [angle(a, b) for a, b in pairwise(item.world_from_camera)]
    assert max(turns) * 16 < math.radians(260)
    assert np.isfinite(item.world_from_camera).all()
    np.testing.assert_allclose(item.world_from_camera[:, :3, 3], [[0, 6, 6]] * item.frames, atol=1e-9)


def test_a_camera_turns_with_another_character() -> None:
    two = {"mira": CharacterSpec({}, HEIGHT_M), "tom": CharacterSpec({}, 1.8)}
    cameras = {"gate": replace(GATE, look_at="tom")}
    shots = (
        shot("a", "walks forward", 3, character="tom", anchor="door"),
        shot("b", "waves", 3, camera=STAND["gate"]),
    )
    made = plan(film(*shots, characters=two, cameras=cameras))
    last = list(made.shots())[1]
    tom = next(subject for subject in last.subjects if subject.character == "tom")
    point = tom.root[-1] + [0, 0.55 * HEIGHT_M, 0]
    pixel, _ = project(point, last.world_from_camera[-1], last.intrinsics[-1])
    assert pixel == pytest.approx((416, 240), abs=2) and "W215" not in [note.code for note in made.notes]
    alone = plan(film(shots[1], characters=two, cameras=cameras))
    assert [note.code for note in alone.notes] == ["W215"]
    assert middle(next(alone.shots()), 0) == pytest.approx((416, 240), abs=1e-6)


@pytest.mark.parametrize("name", CAMERAS)
@pytest.mark.parametrize("move", ["follow", "orbit", "crane"])
def test_a_move_begins_exactly_at_a_named_camera(name: str, move: str) -> None:
    for command in ("", "runs"):
        (still,) = of(shot("a", command, camera=STAND[name]))
        (item,) = of(shot("a", command, 4, camera=CameraSpec(move, name)))
        np.testing.assert_allclose(item.world_from_camera[0], still.world_from_camera[0], atol=1e-6)
        np.testing.assert_allclose(item.intrinsics, still.intrinsics[:1].repeat(64, axis=0))
        assert item.camera == move
        moved = np.linalg.norm(item.world_from_camera[-1, :3, 3] - item.world_from_camera[0, :3, 3])
        assert moved > 1 or (move == "follow" and not command)
        if not command:  # once on its way it looks at the character
            assert np.abs(middle(item, -1) - (416, 240)).max() < 3


def test_an_orbit_from_a_named_camera_keeps_its_distance() -> None:
    (item,) = of(shot("a", "", 5, camera=CameraSpec("orbit", "tower", degrees=120, direction="right")))
    eye = item.world_from_camera[:, :3, 3]
    np.testing.assert_allclose(np.hypot(eye[:, 0], eye[:, 2]), math.hypot(1, 9), atol=1e-6)
    turned = np.unwrap(np.arctan2(eye[:, 0], eye[:, 2]))
    assert math.degrees(turned[-1] - turned[0]) == pytest.approx(120)


@pytest.mark.parametrize("name", CAMERAS)
def test_in_a_take_the_camera_travels_for_the_whole_shot(name: str) -> None:
    run, item = of(shot("a", "runs"), shot("b", "stops and waves", 4, camera=STAND[name]))
    (there,) = of(shot("b", "", 4, camera=STAND[name], anchor=None))
    goal = there.world_from_camera[0, :3, 3]
    away = np.linalg.norm(item.world_from_camera[:, :3, 3] - goal, axis=1)
    np.testing.assert_allclose(item.world_from_camera[-1, :3, 3], goal, atol=1e-6)
    assert away[32] > 0.2 * away[0]  # half of the time is not the whole way
    assert_smooth((run, item))


@pytest.mark.parametrize("move", ["follow", "orbit", "crane"])
def test_in_a_take_a_move_is_at_its_named_camera_half_way(move: str) -> None:
    before, item = of(shot("a", "waves"), shot("b", "walks", 6, camera=CameraSpec(move, "gate")))
    np.testing.assert_allclose(item.world_from_camera[48], look_at((3, 2, 7), (0, 1, 0)), atol=1e-6)
    assert_smooth((before, item))


def test_a_camera_that_is_there_stays_there() -> None:
    shots = of(
        shot("a", "waves", camera=STAND["gate"]), shot("b", "nods", camera=STAND["gate"]), shot("c", "bows"),
    )  # fmt: skip
    poses = np.concatenate([item.world_from_camera for item in shots])
    np.testing.assert_allclose(poses[:96], np.repeat(poses[:1], 96, axis=0), atol=1e-9)
    # What comes next stands still where the camera is, and turns to the character.
    np.testing.assert_allclose(poses[96:, :3, 3], np.repeat(poses[:1, :3, 3], 48, axis=0), atol=1e-6)
    assert_smooth(shots)


def test_moves_go_on_from_a_named_camera() -> None:
    stands, orbit = of(
        shot("a", "", camera=STAND["tower"]), shot("b", "", 5, camera=CameraSpec("orbit", degrees=90))
    )
    eye = orbit.world_from_camera[:, :3, 3]
    np.testing.assert_allclose(eye[0], [1, 12, -9], atol=1e-6)
    np.testing.assert_allclose(np.hypot(eye[:, 0], eye[:, 2]), math.hypot(1, 9), atol=5e-3)
    assert_smooth((stands, orbit))


def test_a_long_way_in_a_short_time_is_told() -> None:
    far = {"far": PlacementSpec((0.0, 2.0, 60.0))}
    made = plan(
        film(shot("a", "waves"), shot("b", "nods", 2, camera=CameraSpec("stationary", "far")), cameras=far)
    )
    assert [note.code for note in made.notes] == ["W207"]


def assert_smooth(shots: tuple[PlannedShot, ...], slack: float = 0.06) -> None:
    """Neither place nor turn nor lens jumps in a take, in value or speed."""
    poses = np.concatenate([item.world_from_camera for item in shots])
    lenses = np.concatenate([item.intrinsics for item in shots])
    rotation = poses[:, :3, :3]
    np.testing.assert_allclose(
        rotation @ rotation.transpose(0, 2, 1), np.eye(3)[None].repeat(len(poses), 0), atol=1e-9
    )
    assert (rotation[:, 1, 1] < 0).all()
    moves = np.diff(poses[:, :3, 3], axis=0)
    turns = np.array([angle(a, b) for a, b in pairwise(poses)])
    zooms = np.diff(np.log(lenses[:, 0, 0]))
    assert (
        np.linalg.norm(np.diff(moves, axis=0), axis=1).max()
        < slack + 0.25 * np.linalg.norm(moves, axis=1).max()
    )
    for join in np.cumsum([item.frames for item in shots])[:-1]:
        for change, allowed in ((np.linalg.norm(moves, axis=1), slack), (turns, 0.02), (np.abs(zooms), 0.02)):
            assert change[join - 1] <= 1.3 * max(change[join - 2], change[join]) + allowed


MOVES = [
    CameraSpec("follow"), CameraSpec("orbit", degrees=70), CameraSpec("crane", up_m=2),
    CameraSpec("stationary"),
    *STAND.values(), CameraSpec("orbit", "gate"), CameraSpec("follow", "side"), CameraSpec("crane", "tower"),
]  # fmt: skip


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["runs", "stops and waves", "", "backs away", "turns left and jogs"]),
            st.lists(st.sampled_from(MOVES), min_size=1, max_size=3),
        ),
        min_size=2, max_size=3,
    )
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_nothing_jumps_whatever_follows(parts: list[tuple[str, list[CameraSpec]]]) -> None:
    shots = of(*(
        shot(str(index), command, 5 * len(cameras), cameras=tuple(cameras))
        for index, (command, cameras) in enumerate(parts)
    ))  # fmt: skip
    assert_smooth(shots, slack=0.12)


def test_a_list_shares_the_shot_out() -> None:
    moves = (CameraSpec("stationary"), CameraSpec("orbit", degrees=90), CameraSpec("crane", up_m=2))
    (item,) = of(shot("a", "waves", 6, cameras=moves))
    assert item.camera == "stationary, orbit, crane"
    eye = item.world_from_camera[:, :3, 3]
    assert np.abs(np.diff(eye[:32], axis=0)).max() < 1e-9
    turned = np.unwrap(np.arctan2(eye[:, 0], eye[:, 2]))
    assert math.degrees(turned[63] - turned[32]) == pytest.approx(-90) and np.ptp(turned[64:]) < 1e-4
    assert eye[95, 1] - eye[64, 1] == pytest.approx(2, abs=1e-4)


def seconds(value: float) -> CameraSpec:
    return CameraSpec("orbit", length=Duration(Fraction(value).limit_denominator(1000)))


@pytest.mark.parametrize(
    ("cameras", "frames"),
    [
        ([CameraSpec(), CameraSpec()], (24, 24)), ([CameraSpec()] * 5, (10, 9, 10, 9, 10)),
        ([seconds(1), CameraSpec()], (16, 32)), ([CameraSpec(), seconds(0.5), CameraSpec()], (20, 8, 20)),
        ([seconds(1), seconds(2)], (16, 32)), ([seconds(0.7), seconds(0.8), seconds(1.5)], (11, 13, 24)),
        ([CameraSpec(length=Duration(Fraction(10), "frames")), CameraSpec()], (10, 38)),
    ],
)  # fmt: skip
def test_lengths(cameras: list[CameraSpec], frames: tuple[int, ...]) -> None:
    assert frames_of_parts(cameras, 48, Fraction(16)) == (frames, None)


LENGTHS = st.one_of(st.none(), st.fractions(Fraction(1, 50), 3, max_denominator=50))


@given(
    st.lists(LENGTHS, min_size=1, max_size=6),
    st.integers(1, 100),
    st.sampled_from([Fraction(16), Fraction(24000, 1001)]),
)
def test_parts_always_fill_the_shot(lengths: list[Fraction | None], frames: int, fps: Fraction) -> None:
    cameras = [CameraSpec(length=None if length is None else Duration(length)) for length in lengths]
    shares, trouble = frames_of_parts(cameras, frames, fps)
    assert sum(shares) == frames and min(shares) > 0
    assert trouble is not None or len(shares) == len(cameras)


@pytest.mark.parametrize(
    ("cameras", "says"),
    [
        ((seconds(2), seconds(2)), "last 4 s, the shot 3 s"),
        ((seconds(1), seconds(1)), "last 2 s, the shot 3 s"),
        ((seconds(3), CameraSpec("orbit")), "last 3 s and more, the shot 3 s"),
        ((seconds(0.01), CameraSpec("orbit")), "48 frames, too few"),
    ],
)  # fmt: skip
def test_lengths_that_do_not_add_up(cameras: tuple[CameraSpec, ...], says: str) -> None:
    with pytest.raises(AnixError) as caught:
        planned(shot("a", "waves", 3, cameras=cameras))
    assert codes(caught.value) == ["E146"] and says in caught.value.diagnostics[0].message


def test_a_fade_is_checked_in_frames() -> None:
    fade = TransitionSpec("fade", Duration(Fraction(10), "frames"))
    fine = plan(
        screenplay(
            shot("a", "", 0.25),
            shot("b", "", cut=True, transition=TransitionSpec("fade", Duration(Fraction(8), "frames"))),
        )
    )
    assert [item.transition for item in fine.shots()] == [None, Transition("fade", 0.5)]
    for shots, which in (
        ([shot("a", "", 0.25), shot("b", "", 3, transition=fade)], "the shot before has 4"),
        ([shot("a", "", 3), shot("b", "", 0.25, transition=fade)], "this shot has 4"),
    ):
        with pytest.raises(AnixError) as caught:
            plan(screenplay(*shots))
        assert codes(caught.value) == ["E128"] and which in caught.value.diagnostics[0].message


def test_moving_a_named_camera_stales_what_uses_it_and_what_goes_on_from_there() -> None:
    shots = (
        shot("a", "runs"), shot("b", "waves", camera=STAND["gate"]), shot("c", "nods"),
        shot("d", "bows", cut=True), shot("e", "waves", cut=True, camera=STAND["side"]),
    )  # fmt: skip
    moved = {**CAMERAS, "gate": replace(GATE, at=(3.0, 2.0, 8.0))}

    def keys(made: Plan) -> dict[str, tuple[str, str]]:
        return {item.id: (item.guide_key, item.clips[-1].recipe_key) for item in made.shots()}

    before, after = keys(plan(film(*shots))), keys(plan(film(*shots, cameras=moved)))
    assert {name for name in before if before[name] != after[name]} == {"b", "c"}
    unused = {**CAMERAS, "spare": GATE}
    assert keys(plan(film(*shots, cameras=unused))) == before


def test_named_cameras_in_the_ground_or_far_away_are_told() -> None:
    cameras = {
        "cellar": PlacementSpec((0.0, -1.0, 3.0)), "grass": PlacementSpec((0.0, 0.02, 3.0)),
        "moon": PlacementSpec((0.0, 9000.0, 3.0)), "fine": PlacementSpec((600.0, 3.0)),
    }  # fmt: skip
    made = plan(film(shot("a", "waves"), cameras=cameras))
    assert [(note.code, note.message.split("“")[1].split("”")[0]) for note in made.notes] == [
        ("W211", "cellar"), ("W211", "grass"), ("W214", "moon"),
    ]  # fmt: skip
    (item,) = of(shot("a", "waves", camera=CameraSpec("stationary", "cellar")), cameras=cameras)
    np.testing.assert_allclose(item.world_from_camera[:, :3, 3], [[0, -1, 3]] * 48, atol=1e-9)


def test_a_camera_may_look_straight_down_but_not_at_itself() -> None:
    cameras = {"top": PlacementSpec((1.0, 9.0, 2.0), (1.0, 0.0, 2.0))}
    for move in ("stationary", "crane", "orbit"):
        (item,) = of(shot("a", "waves", camera=CameraSpec(move, "top")), cameras=cameras)
        np.testing.assert_allclose(item.world_from_camera[0], look_at((1, 9, 2), (1, 0, 2)), atol=1e-9)
    for where in ({"look_at": (1.0, 9.0, 2.0)}, {"at": (4.0, 0.55 * 1.7, 9.0), "look_at": "fountain"}):
        inward = {"top": replace(cameras["top"], **where)}  # type: ignore[arg-type]
        with pytest.raises(AnixError) as caught:
            of(shot("a", "waves", camera=CameraSpec("stationary", "top")), cameras=inward)
        assert "E129" in codes(caught.value)


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=40), st.sampled_from([8.0, 24.0]))
def test_steady_keeps_its_ends_and_its_limit(values: list[float], fps: float) -> None:
    angles = np.array(values)[:, None]
    smooth = steady(angles, fps, 0.15, 3.0)
    assert smooth[[0, -1]] == pytest.approx(angles[[0, -1]])
    ramp = np.linspace(0, 1, 30)[:, None]
    np.testing.assert_allclose(steady(ramp, 24.0, 0.15, 3.0), ramp, atol=1e-12)


ANYWHERE = {
    **CAMERAS, "top": PlacementSpec((0.0, 9.0, 0.0), (0.0, 0.0, 0.0)), "over": PlacementSpec((0.0, 5.0, 3.0)),
    "inside": PlacementSpec((0.0, 0.9, 0.0)),
}  # fmt: skip
ANY_PART = st.builds(
    CameraSpec,
    st.sampled_from(["stationary", "follow", "orbit", "crane"]),
    st.sampled_from([None, *ANYWHERE]),
)


@given(
    st.lists(
        st.tuples(st.lists(ANY_PART, min_size=1, max_size=5), st.sampled_from([5, 6, 20, 40])),
        min_size=1, max_size=3,
    )
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_every_pose_is_a_cameras_and_upright(shots: list[tuple[list[CameraSpec], int]]) -> None:
    made = of(*(
        shot(str(index), "walks forward" if frames > 9 else "", frames / 16, cameras=tuple(parts))
        for index, (parts, frames) in enumerate(shots)
    ), cameras=ANYWHERE)  # fmt: skip
    poses = np.concatenate([item.world_from_camera for item in made])
    rotation = poses[:, :3, :3]
    assert np.isfinite(poses).all() and np.abs(poses).max() < 200
    assert np.abs(rotation @ rotation.transpose(0, 2, 1) - np.eye(3)).max() < 1e-9
    assert (rotation[:, 1, 1] <= 1e-9).all() and np.linalg.det(rotation).min() > 0.999
