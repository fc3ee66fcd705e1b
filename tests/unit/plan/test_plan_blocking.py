"""Blocking in closed form: distances, headings, places, continuity."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_films import ANCHORS, codes, eyes, only, plan, planned, screenplay, shot, stage

from anix_cli.core.camera import project
from anix_cli.core.errors import AnixError
from anix_cli.core.plan import Gesture, Plan
from anix_cli.core.screenplay import AnchorSpec, CameraSpec, CharacterSpec, ShotSpec
from anix_cli.core.stage import HeightMap, Stage

COMMANDS = [
    "runs forward", "walks forward slowly", "jogs to the left", "walks to the door", "turns around and runs",
    "stops and waves", "bows", "", "steps to the right", "backs away", "sprints", "turns left and nods",
    "jumps", "runs, jumps and lands in a crouch", "walks two metres, then looks around", "marches in place",
    "spins twice", "walks while waving", "picks up the lamp", "jogs to the fountain fast", "circles around",
]  # fmt: skip


@pytest.mark.parametrize(
    ("command", "metres"),
    [("runs forward", 16.0), ("walks", 5.6), ("jogs ahead", 10.0), ("sprints", 24.0), ("walks slowly", 3.92)],
)
def test_four_seconds_from_a_stand_average_the_pace(command: str, metres: float) -> None:
    root = only(command).root
    step = np.linalg.norm(root[-1] - root[-2])
    assert np.linalg.norm(root[-1] - root[0]) + step == pytest.approx(metres, rel=0.05)
    assert np.ptp(root[:, 0]) < 1e-9  # yaw 0 faces +Z


def test_the_second_shot_of_a_run_goes_on_at_pace() -> None:
    first, second = planned(shot("a", "runs", 4), shot("b", "runs on", 4))
    a, b = first.subjects[0], second.subjects[0]
    assert np.linalg.norm(b.root[-1] - b.root[0]) == pytest.approx(4 * 4 * 63 / 64, rel=0.05)
    assert abs(b.speed_mps[0] - a.speed_mps[-1]) < 0.1


@pytest.mark.parametrize(
    ("command", "degrees"),
    [
        ("turns left", 90), ("turns right", -90), ("turns around", 180),
        ("turns 45 degrees to the right", -45),
        ("runs left", 90), ("walks to the right", -90), ("spins twice", 720),
        ("backs away", 0), ("walks backward", 0),
        ("takes three steps to the left", 0), ("turns a half turn", 180),
    ],
)  # fmt: skip
def test_headings(command: str, degrees: float) -> None:
    assert math.degrees(only(command).yaw_rad[-1]) == pytest.approx(degrees, abs=2)


@pytest.mark.parametrize(
    ("command", "x", "z"),
    [
        ("walks two metres", 0, 2), ("backs away two metres", 0, -2),
        ("takes three steps to the left", 1.92, 0),
        ("takes three steps to the right", -1.92, 0), ("sidesteps one metre to the left", 1, 0),
        ("walks 6 feet", 0, 1.8288), ("takes two steps forward", 0, 1.28),
    ],
)  # fmt: skip
def test_written_distances_are_exact(command: str, x: float, z: float) -> None:
    root = only(command, 6).root[-1]
    assert (root[0], root[2]) == pytest.approx((x, z), abs=0.02)


@pytest.mark.parametrize("gait", ["walks", "jogs", "runs"])
def test_goes_to_a_place_and_stands_there(gait: str) -> None:
    subject = only(f"{gait} to the fountain", 8)
    assert subject.root[-1, [0, 2]] == pytest.approx(ANCHORS["fountain"].at, abs=1e-3)
    assert subject.speed_mps[-1] == pytest.approx(0, abs=1e-6)
    assert subject.yaw_rad[-1] == pytest.approx(math.atan2(4, 9), abs=0.02)


def test_turns_on_the_run_towards_a_place() -> None:
    _, there = planned(shot("a", "runs left", 2), shot("b", "runs to the fountain", 6))
    subject = there.subjects[0]
    assert subject.root[-1, [0, 2]] == pytest.approx((4, 9), abs=0.01)
    assert np.abs(np.diff(subject.yaw_rad)).max() * 16 < math.radians(200)


def test_starts_at_its_anchor_facing_where_it_says() -> None:
    door, step = planned(shot("a", "waves", anchor="door"), shot("b", "waves", cut=True, anchor="step"))
    assert door.subjects[0].root[0].tolist() == [0, 0, 3]
    assert door.subjects[0].yaw_rad[0] == pytest.approx(math.atan2(4, 6))
    assert step.subjects[0].root[0].tolist() == [1, 0.5, 2]
    assert step.subjects[0].yaw_rad[0] == pytest.approx(math.pi / 2)


def test_a_cut_leaves_the_character_where_it_was_and_at_rest() -> None:
    run, after = planned(shot("a", "runs", 3), shot("b", "", cut=True))
    a, b = run.subjects[0], after.subjects[0]
    assert np.linalg.norm(b.root[0] - a.root[-1]) < 0.3
    assert np.abs(b.root - b.root[0]).max() < 1e-12
    assert b.gait_phase[0] == 0


def test_stands_on_the_ground_that_it_walks_over() -> None:
    x = np.linspace(-20, 20, 81)
    hills = HeightMap((-20.0, -20.0), 0.5, 0.3 * np.sin(x)[:, None] + 0.1 * np.cos(x)[None, :])
    subject = planned(shot("a", "walks, turns left and walks", 6), on=stage(hills))[0].subjects[0]
    assert subject.root[:, 1] == pytest.approx(hills.at(subject.root[:, [0, 2]]), abs=1e-12)


def test_a_run_slows_down_into_the_next_shot() -> None:
    run, stop = planned(shot("a", "runs forward", 4), shot("b", "she stops and waves", 3))
    speed = stop.subjects[0].speed_mps
    assert speed[0] == pytest.approx(run.subjects[0].speed_mps[-1], abs=0.05)
    assert (np.diff(speed) < 1e-9).all() and speed[-1] == pytest.approx(0, abs=1e-6)
    assert 0.5 < np.linalg.norm(stop.subjects[0].root[-1] - stop.subjects[0].root[0]) < 2.5


def test_gait_phase_counts_steps() -> None:
    subject = only("walks", 6)
    metres, steps = np.linalg.norm(subject.root[-1] - subject.root[20]), np.ptp(subject.gait_phase[20:])
    assert metres / steps == pytest.approx(0.7, abs=0.03)
    marching = only("marches in place", 4)
    assert np.ptp(marching.root) == 0 and np.ptp(marching.gait_phase) > 5


def test_beats_share_the_shot_in_order() -> None:
    beats = planned(shot("a", "walks, turns around, then waves", 6))[0].beats
    assert [beat.action for beat in beats] == ["walk", "turn", "wave"]
    assert beats[0].start == 0 and sum(beat.frames for beat in beats) == 96
    assert all(a.start + a.frames == b.start for a, b in pairwise(beats))


def test_what_happens_at_the_same_time_shares_its_frames() -> None:
    walk, wave = planned(shot("a", "walks forward while waving", 4))[0].beats
    assert (walk.start, walk.frames) == (wave.start, wave.frames) == (0, 64)
    assert wave.sync == "with_previous"


@given(
    st.lists(st.tuples(st.sampled_from(COMMANDS), st.integers(1, 5)), min_size=1, max_size=4),
    st.sampled_from(["door", "step", None]),
)
@settings(max_examples=60, deadline=None)
def test_never_jumps_within_a_take(parts: list[tuple[str, int]], anchor: str | None) -> None:
    shots = [
        shot(str(index), command, seconds, anchor=anchor if index == 0 else None)
        for index, (command, seconds) in enumerate(parts)
    ]
    try:
        made = planned(*shots)
    except AnixError as error:
        assert {code for code in codes(error) if code.startswith("E")} == {"E212"}
        return
    root = np.concatenate([item.subjects[0].root for item in made])
    yaw = np.concatenate([item.subjects[0].yaw_rad for item in made])
    speed = np.concatenate([item.subjects[0].speed_mps for item in made])
    phase = np.concatenate([item.subjects[0].gait_phase for item in made])
    assert np.isfinite(root).all() and np.isfinite(yaw).all()
    assert len(root) == sum(seconds * 16 for _, seconds in parts)
    steps = np.linalg.norm(np.diff(root[:, [0, 2]], axis=0), axis=1) * 16
    assert steps.max(initial=0) < 11
    assert steps == pytest.approx(0.5 * (speed[1:] + speed[:-1]), abs=0.6)
    assert np.abs(np.diff(speed)).max(initial=0) * 16 < 20
    assert np.abs(np.diff(yaw)).max(initial=0) * 16 <= math.radians(560)
    assert (np.diff(phase) >= -1e-12).all()


@pytest.mark.parametrize(
    ("command", "seconds", "code", "words"),
    [
        ("walks 12 metres", 2, "E212", "12.0 m in 2.0 s"),
        ("spins 5 times", 1, "E212", "1800°"),
        ("walks to the tower", 3, "E205", "tower"),
    ],
)
def test_says_what_cannot_be_blocked(command: str, seconds: int, code: str, words: str) -> None:
    with pytest.raises(AnixError) as caught:
        only(command, seconds)
    found = next(item for item in caught.value.diagnostics if item.code == code)
    assert words in found.message and found.hint


def test_says_where_the_scene_ends() -> None:
    with pytest.raises(AnixError) as caught:
        planned(shot("a", "runs", 6), on=stage(reach_m=10))
    assert codes(caught.value) == ["E213"] and "z 10." in str(caught.value)
    with pytest.raises(AnixError) as caught:
        planned(shot("a", "waves", anchor="fountain"), on=stage(reach_m=5))
    assert codes(caught.value) == ["E214"]


def test_too_many_actions_and_too_few_frames() -> None:
    with pytest.raises(AnixError) as caught:
        only("bows, nods, waves, claps and salutes", 0.25)
    assert "E211" in codes(caught.value)
    with pytest.raises(AnixError) as caught:
        only("bows", 0.01)
    assert codes(caught.value) == ["E210"]


def test_remarks() -> None:
    notes = plan(screenplay(
        shot("a", "climbs the ladder", 5), shot("b", "walks past the gate", 5),
        shot("c", "bows, waves and claps", 2),
    )).notes  # fmt: skip
    assert [note.code for note in notes] == ["W202", "W204", "W203"]


def test_gestures_are_where_their_beats_are() -> None:
    subject = planned(shot("a", "stops, waves her left hand, picks up the lamp, waits and bows", 8))[0]
    beats = {beat.action: beat for beat in subject.beats}
    found = subject.subjects[0].gestures
    assert [(g.action, g.side) for g in found] == [("wave", "left"), ("pick_up", None), ("bow", None)]
    assert all((g.start, g.frames) == (beats[g.action].start, beats[g.action].frames) for g in found)


def test_gestures_go_along_with_walking_and_belong_to_who_acts() -> None:
    two = {"mira": CharacterSpec({}, 1.72), "tom": CharacterSpec({}, 1.8)}
    shots = (shot("a", "walks forward while waving", 4), shot("b", "nods", character="tom"),
             shot("c", "crouches, turns left and walks"))  # fmt: skip
    walk, nod, crouch = plan(replace(screenplay(*shots), characters=two)).shots()
    assert walk.subjects[0].gestures == (Gesture("wave", 0, 64),)
    assert [subject.gestures for subject in nod.subjects] == [(Gesture("nod", 0, 48),), ()]
    assert [gesture.action for gesture in crouch.subjects[0].gestures] == ["crouch"]


def test_a_jump_lifts_the_body_and_not_its_root() -> None:
    item = planned(shot("a", "jumps", 2, anchor="step"))[0]
    subject = item.subjects[0]
    assert np.ptp(subject.root[:, 1]) == 0 and subject.root[0, 1] == 0.5  # an exact anchor's own height
    assert subject.lift_m.max() == pytest.approx(0.45, abs=0.01) and subject.lift_m[[0, -1]].max() < 0.02
    top = int(subject.lift_m.argmax())
    sole = subject.root[top] + [0, subject.lift_m[top], 0]
    pixels, _ = project(sole, item.world_from_camera[top], item.intrinsics[top])
    assert subject.box_px[top, 3] == pytest.approx(pixels[1], abs=12)
    assert subject.box_px[0, 3] - subject.box_px[top, 3] > 50


def tom_and_mira(*shots: ShotSpec, reach_m: float = 500.0, **more: Any) -> Plan:
    two = {"mira": CharacterSpec({}, 1.72), "tom": CharacterSpec({}, 1.8)}
    return plan(replace(screenplay(*shots), characters=two, **more), on=stage(reach_m=reach_m))


def away(low: float, high: float) -> Stage:
    """A stage that does not hold its origin."""
    bounds = np.array([[low, -5.0, low], [high, 50.0, high]])
    return replace(stage(), bounds_m=bounds)


def test_who_starts_outside_the_scene_is_told_once_and_where() -> None:
    for shots in ([shot("a", "waves"), shot("b", "nods")], [shot("a", "walks", 4), shot("b", "", cut=True)]):
        with pytest.raises(AnixError) as caught:
            plan(screenplay(*shots, anchors={}), on=away(10, 30))
        (found,) = caught.value.diagnostics
        assert found.code == "E214" and "No anchor says where mira starts" in found.message
    with pytest.raises(AnixError) as caught:
        tom_and_mira(shot("a", "waves", anchor="fountain"), shot("b", "nods", character="tom"), reach_m=5)
    assert [found.code for found in caught.value.diagnostics] == ["E214"]
    with pytest.raises(AnixError) as caught:
        plan(
            replace(
                screenplay(shot("a", "waves", anchor="door"), shot("b", "nods", character="tom")),
                characters={"mira": CharacterSpec({}, 1.72), "tom": CharacterSpec({}, 1.8)},
                anchors={"door": AnchorSpec((12.0, 12.0))},
            ),
            on=away(10, 30),
        )
    assert "tom" in str(caught.value) and codes(caught.value) == ["E214"]


def test_who_leaves_the_scene_between_two_shots_or_while_waiting_is_told() -> None:
    run = only("runs", 3)
    edge = float(run.root[-1, 2]) - 0.02  # the last frame is just inside, the next shot's first is not
    with pytest.raises(AnixError) as caught:
        planned(shot("a", "runs", 3), shot("b", "runs", 1), on=stage(reach_m=edge))
    (found,) = caught.value.diagnostics
    assert found.code == "E213" and "as the shot begins" in found.message
    with pytest.raises(AnixError) as caught:
        tom_and_mira(
            shot("a", "runs", 3), shot("b", "nods", character="tom", anchor="door"), reach_m=edge + 0.3
        )
    (found,) = caught.value.diagnostics
    assert found.code == "E213" and found.message.startswith("mira leaves")


def test_a_first_appearance_within_a_take_may_have_an_anchor() -> None:
    made = tom_and_mira(
        shot("a", "walks", anchor="door"), shot("b", "waves", character="tom", anchor="fountain")
    )
    tom, mira = list(made.shots())[1].subjects
    assert (tom.character, tom.root[0].tolist()) == ("tom", [4, 0, 9]) and mira.root[0, 2] > 3
    assert not made.notes


def test_two_in_one_place_are_told() -> None:
    said = shot("a", "waves"), shot("b", "nods", character="tom"), shot("c", "bows", character="tom")
    (note,) = tom_and_mira(*said).notes
    assert note.code == "W206" and "tom appears where mira stands" in note.message and note.hint
    assert not tom_and_mira(shot("a", "walks"), said[1]).notes  # mira has left the origin
    assert not tom_and_mira(said[0], replace(said[1], cut=True)).notes  # never seen together


def test_a_racing_camera_is_told() -> None:
    far = CameraSpec("stationary", distance_m=40)
    orbit = CameraSpec("orbit", degrees=360)
    made = plan(screenplay(shot("a", "", camera=far), shot("b", "waves", 4, camera=orbit)))
    (note,) = made.notes
    assert note.code == "W207" and "m/s in shot b" in note.message
    fastest = np.linalg.norm(np.diff(eyes(list(made.shots())), axis=0), axis=1).max() * 16
    assert f" {fastest:.0f} m/s" in note.message and fastest > 40
    assert not plan(screenplay(shot("a", "sprints, turns around and sprints", 12))).notes


def at_height(y: float, *, command: str = "waves") -> Plan:
    high = {"perch": AnchorSpec((1.0, y, 2.0))}
    return plan(replace(screenplay(shot("a", command, anchor="perch")), anchors=high))


@pytest.mark.parametrize("y", [500.0, -30.0])
def test_an_exact_anchor_beyond_the_scene_is_refused(y: float) -> None:
    with pytest.raises(AnixError) as caught:
        at_height(y)
    (found,) = caught.value.diagnostics
    assert found.code == "E214" and f"y {y:.1f}" in found.message and found.hint


@pytest.mark.parametrize("y", [-4.0, 0.0, 3.0, 20.0])
def test_an_exact_anchor_far_from_the_ground_is_told_and_filmed(y: float) -> None:
    made = at_height(y)
    item = next(made.shots())
    assert "W209" in [note.code for note in made.notes] if y == 20 else not made.notes or y < 0
    assert item.subjects[0].root[0].tolist() == [1, y, 2]
    if y >= 0:
        ground = next(at_height(0.0).shots())
        assert item.subjects[0].box_px == pytest.approx(ground.subjects[0].box_px, abs=2)


def test_another_high_up_is_filmed_as_well() -> None:
    anchors = {"door": AnchorSpec((0.0, 3.0)), "perch": AnchorSpec((2.0, 6.0, 3.0))}
    made = tom_and_mira(
        shot("a", "waves", 3, anchor="door"), shot("b", "nods", 3, character="tom", anchor="perch"),
        anchors=anchors,
    )  # fmt: skip
    assert not made.notes
    tom = list(made.shots())[1].subjects[0]
    assert tom.box_px[-1, 1] > 0 and tom.box_px[-1, 3] < 480


@pytest.mark.parametrize(
    ("command", "seconds"),
    [
        ("walks 1.5 m", 1), ("walks 480 metres", 3), ("spins 5 times", 1), ("jumps 40 times", 3),
        ("walks to the fountain, turns around and runs 50 m", 2), ("turns left 5,000 degrees", 3),
        ("waves and walks 30 m", 3), ("sprints 100 m", 2), ("runs to the fountain", 0.5),
    ],
)  # fmt: skip
def test_the_duration_that_is_asked_for_is_enough_and_no_more(command: str, seconds: float) -> None:
    with pytest.raises(AnixError) as caught:
        only(command, seconds)
    troubles = [found for found in caught.value.diagnostics if found.code == "E212"]
    asked = {str(re.search(r"duration: ([0-9.]+)s", found.hint or "")[1]) for found in troubles}  # type: ignore[index]
    (enough,) = asked
    assert all(f"needs at least {enough} s" in found.message for found in troubles)
    assert only(command, Fraction(enough)).root.shape[0] > 16 * seconds
    with pytest.raises(AnixError, match="E212"):
        only(command, Fraction(enough) - Fraction(1, 8))


@pytest.mark.parametrize("command", ["walks 1,000,000 m", "jumps 1,000,000 times"])
def test_what_no_shot_is_long_enough_for(command: str) -> None:
    with pytest.raises(AnixError, match="no shot is long enough"):
        only(command, 3)


def test_one_who_is_there_already_is_told() -> None:
    (note,) = plan(screenplay(shot("a", "walks to the door", anchor="door"))).notes
    assert note.code == "W210" and "already at “door”" in note.message and note.hint
    assert not plan(screenplay(shot("a", "walks to the fountain", 9, anchor="door"))).notes
