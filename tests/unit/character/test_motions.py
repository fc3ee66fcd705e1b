"""Motion from outside, against closed forms, scipy's rotations, and a rig's own clips."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import bvh
import figure
import glb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from anix_cli.character import hull
from anix_cli.character.body import CarvedBody
from anix_cli.character.gestures import Act
from anix_cli.character.models.acting import Actor
from anix_cli.character.models.body import ModelBody
from anix_cli.character.models.clips import Track
from anix_cli.character.models.figure import stand
from anix_cli.character.models.pose import worlds
from anix_cli.character.models.read import read_model
from anix_cli.character.models.repertoire import kind_of, motion_for
from anix_cli.character.moment import Moment
from anix_cli.character.motions.adopt import adopt, understand
from anix_cli.character.motions.bvh import read_bvh
from anix_cli.character.motions.contact import standing
from anix_cli.character.motions.kinds import kind_of_motion
from anix_cli.character.motions.performer import perform, poses_of
from anix_cli.character.motions.read import motion_digest, read_motion
from anix_cli.character.motions.retarget import retarget
from anix_cli.character.pose import rig
from anix_cli.character.puppet import figure_of
from anix_cli.core.errors import AnixError
from anix_cli.core.screenplay import MotionSpec
from benchmarks.characters import contact, course_of, courses, moment_of

HEIGHT_M = 1.7
SHORT = (("upper_arm", "lower_arm"), ("lower_arm", "hand"), ("upper_leg", "lower_leg"), ("lower_leg", "foot"))
JOINTS = {"upper_arm": "Arm", "lower_arm": "ForeArm", "hand": "Hand",
          "upper_leg": "UpLeg", "lower_leg": "Leg", "foot": "Foot"}  # fmt: skip


def codes(spec: MotionSpec) -> list[str]:
    with pytest.raises(AnixError) as caught:
        understand({"wave": spec})
    return [each.code for each in caught.value.diagnostics]


@pytest.fixture(scope="module")
def carved():
    return rig(hull(figure.views(), HEIGHT_M, cell_m=0.03))


@pytest.fixture
def person(tmp_path):
    return stand(read_model(glb.person()[0].write(tmp_path / "p.glb")), HEIGHT_M)


def directions(shown, clip, time_s: float) -> dict[str, np.ndarray]:
    """Where the limbs of a figure point in a clip, on the stage."""
    nodes, roles = shown.model.nodes, shown.roles
    at = (shown.stage_from_model @ worlds(nodes, Track(clip, nodes.rest).at(time_s)))[:, :3, 3]
    found = {}
    for side in ("left", "right"):
        for part, end in SHORT:
            if f"{side}_{end}" in roles and f"{side}_{part}" in roles:
                away = at[roles[f"{side}_{end}"]] - at[roles[f"{side}_{part}"]]
                found[f"{side}_{part}"] = away / np.linalg.norm(away)
    return found


def performed(who: bvh.Performer, frame: int) -> dict[str, np.ndarray]:
    at = {name: places[frame] for name, places in who.places().items()}
    found = {}
    for side in ("left", "right"):
        for part, end in SHORT:
            own = side.capitalize()
            away = at[own + JOINTS[end]] - at[own + JOINTS[part]]
            found[f"{side}_{part}"] = away / np.linalg.norm(away)
    return found


def apart_deg(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> float:
    assert a.keys() & b.keys()
    return max(math.degrees(math.acos(min(1.0, float(a[key] @ b[key])))) for key in a.keys() & b.keys())


# Reading


@pytest.mark.parametrize("order", ["ZYX", "XYZ", "YXZ", "ZXY"])
def test_joints_of_a_bvh_are_where_scipy_has_them(tmp_path, order):
    who = bvh.walk(40, turning=60)
    nodes, clip = read_bvh(who.write(tmp_path / "w.bvh", order=order))
    _, shift, turn, size = Track(clip, nodes.rest).keys()
    frames = np.round(np.linspace(0, 1, len(shift)) * (who.frames - 1), 6)
    places, _ = poses_of(nodes, shift, turn, size)
    whole = np.flatnonzero(np.abs(frames - np.round(frames)) < 1e-6)
    assert len(whole) > 10
    for name, expected in who.places().items():
        found = places[whole, nodes.names.index(name)]
        np.testing.assert_allclose(found, expected[np.round(frames[whole]).astype(int)], atol=1e-3)


def test_a_bvh_may_be_written_with_other_spaces_cases_and_line_ends(tmp_path):
    plain = bvh.wave(5).write(tmp_path / "a.bvh")
    text = plain.read_text().replace("\n", "\r\n").replace("OFFSET ", "offset\t").replace("{", " {  ")
    other = tmp_path / "b.bvh"
    other.write_bytes(b"\xef\xbb\xbf" + text.replace("Frames: ", "Frames:\t").encode())
    a, b = read_bvh(plain), read_bvh(other)
    assert a[0].names == b[0].names
    for one, two in zip(a[1].channels, b[1].channels, strict=True):
        np.testing.assert_array_equal(one.values, two.values)


@given(st.floats(0, 0.999))
@settings(max_examples=40, deadline=None)
def test_a_truncated_bvh_is_told_as_such(tmp_path_factory, share):
    path = tmp_path_factory.mktemp("cut") / "w.bvh"
    bvh.wave(6).write(path)
    text = path.read_text()
    path.write_text(text[: int(share * (len(text) - 12))])
    assert codes(MotionSpec(path))[0] in ("E362", "E363", "E361")
    if share > 0.02 and text[int(share * (len(text) - 12)) - 1] == "\n":
        assert codes(MotionSpec(path)) == ["E362"]


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("HIERARCHY", "HIERACHY", "E361"),
        ("JOINT Spine\n", "JOINT Spine\n}\n", "E363"),
        ("CHANNELS 3 Zrotation", "CHANNELS 3 Zrotatoin", "E363"),
        ("CHANNELS 3 Zrotation Yrotation", "CHANNELS 3 Zrotation Zrotation", "E363"),
        ("OFFSET 0.000000 10.000000", "OFFSET nan 10.000000", "E363"),
        ("Frames: 6", "Frames: many", "E363"),
        ("Frames: 6", "Frames: 7", "E362"),
        ("Frames: 6", "Frames: 900000000", "E364"),
        ("Frame Time: 0.033", "Frame Time: -0.033", "E363"),
        ("Frame Time: 0.03333333\n", "Frame Time: 0.03333333\nnot a number ", "E363"),
        ("Frame Time: 0.03333333\n", "Frame Time: 0.03333333\ninf ", "E363"),
    ],
)
def test_what_is_wrong_with_a_bvh_has_its_code(tmp_path, old, new, code):
    path = bvh.wave(6).write(tmp_path / "w.bvh")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    assert codes(MotionSpec(path)) == [code]


def test_a_tower_of_joints_is_refused_quickly(tmp_path):
    path = tmp_path / "deep.bvh"
    path.write_text("HIERARCHY\nROOT a\n{\n" + "JOINT a\n{\n" * 100_000)
    assert codes(MotionSpec(path)) == ["E364"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"Kaydara FBX Binary  \x00", "FBX"),
        (b"; FBX 7.4.0 project file", "FBX"),
        (b":ASF-version 1.10", "ASF"),
        (b"hello", "HIERARCHY"),
        (b"<html>", "web page"),
    ],
)
def test_what_is_no_motion_is_named(tmp_path, data, said):
    path = tmp_path / "x.bvh"
    path.write_bytes(data)
    with pytest.raises(AnixError, match=said) as caught:
        read_motion(MotionSpec(path))
    assert [each.code for each in caught.value.diagnostics] == ["E361"]


def test_a_gltf_with_bones_and_no_surface_is_a_motion_and_one_without_clips_is_none(tmp_path):
    made, _ = glb.person(walk=True)
    for node in made.tree["nodes"]:
        node.pop("mesh", None)
    path = made.write(tmp_path / "mocap.glb")
    assert read_motion(MotionSpec(path)).clips == ("Armature|Walking_A",)
    assert codes(MotionSpec(glb.person()[0].write(tmp_path / "still.glb"))) == ["E361"]
    cut = tmp_path / "cut.glb"
    cut.write_bytes(path.read_bytes()[:-200])
    assert codes(MotionSpec(cut)) == ["E362"]


def test_a_clip_that_is_not_there_is_told_with_the_nearest(tmp_path):
    path = glb.person(walk=True)[0].write(tmp_path / "p.glb")
    assert read_motion(MotionSpec(path, "walking_a")).clip.name == "Armature|Walking_A"
    with pytest.raises(AnixError) as caught:
        read_motion(MotionSpec(path, "Armature|Walkin_A"))
    (told,) = caught.value.diagnostics
    assert (told.code, told.nearest) == ("E365", "Armature|Walking_A")
    late = MotionSpec(bvh.wave(30).write(tmp_path / "w.bvh"), start_s=2.0)
    assert codes(late) == ["E365"]


def test_a_part_of_a_clip(tmp_path):
    path = bvh.wave(60).write(tmp_path / "w.bvh")
    part = read_motion(MotionSpec(path, start_s=0.5, end_s=1.5)).clip
    assert (part.start_s, part.duration_s) == (0.5, 1.0)


def test_joints_that_are_no_persons_are_listed(tmp_path):
    tree = {"Root": (None, (0, 1, 0)), "A": ("Root", (0, 1, 0)), "B": ("A", (0, 1, 0))}
    path = bvh.Performer(4, tree).write(tmp_path / "w.bvh")
    with pytest.raises(AnixError, match="of the joints Root, A, B") as caught:
        read_motion(MotionSpec(path))
    assert caught.value.diagnostics[0].code == "E366"


def test_a_body_without_limbs_shows_no_motion(tmp_path):
    cube = stand(read_model(glb.cube(tmp_path / "c.glb")), 1.0)
    with pytest.raises(AnixError) as caught:
        adopt(cube, {"wave": MotionSpec(bvh.wave(6).write(tmp_path / "w.bvh"))})
    assert [each.code for each in caught.value.diagnostics] == ["E366"]


POSER = {"LeftShoulder": "LeftCollar", "LeftArm": "LeftShoulder", "LeftForeArm": "LeftElbow",
         "LeftHand": "LeftWrist", "LeftUpLeg": "LeftHip", "LeftLeg": "LeftKnee",
         "LeftFoot": "LeftAnkle"}  # fmt: skip
SMPL = {"Hips": "Pelvis", "LeftShoulder": "L_Collar", "LeftArm": "L_Shoulder", "LeftForeArm": "L_Elbow",
        "LeftHand": "L_Wrist", "LeftUpLeg": "L_Hip", "LeftLeg": "L_Knee", "LeftFoot": "L_Ankle",
        "LeftToe": "L_Foot"}  # fmt: skip
ASF = {"Hips": "root", "LeftShoulder": "lclavicle", "LeftArm": "lhumerus", "LeftForeArm": "lradius",
       "LeftHand": "lwrist", "LeftUpLeg": "lfemur", "LeftLeg": "ltibia", "LeftFoot": "lfoot",
       "LeftToe": "ltoes", "Spine": "lowerback", "Spine1": "upperback", "Spine2": "thorax",
       "Neck": "lowerneck", "Head": "head"}  # fmt: skip
BIPED = {"Hips": "Bip01 Pelvis", "Spine": "Bip01 Spine", "LeftShoulder": "Bip01 L Clavicle",
         "LeftArm": "Bip01 L UpperArm", "LeftForeArm": "Bip01 L Forearm", "LeftHand": "Bip01 L Hand",
         "LeftUpLeg": "Bip01 L Thigh", "LeftLeg": "Bip01 L Calf", "LeftFoot": "Bip01 L Foot"}  # fmt: skip
NUMBERED = {name: f"Joint{index}" for index, name in enumerate(bvh.TREE)}


def both(names: dict[str, str]) -> dict[str, str]:
    """The same for the right side."""
    right = {
        key.replace("Left", "Right"): (
            value.replace("Left", "Right").replace("L_", "R_").replace(" L ", " R ")
            if value[0] != "l" or value.startswith("lower")
            else "r" + value[1:]
        )
        for key, value in names.items()
        if key.startswith("Left")
    }
    return names | right


@pytest.mark.parametrize(
    "names",
    [{}, both(POSER), both(SMPL), both(ASF), both(BIPED), NUMBERED],
    ids=["mixamo", "poser", "smpl", "asf", "biped", "numbered"],
)
def test_whatever_the_joints_are_called_the_parts_are_found(tmp_path, names):
    who = bvh.wave(6)
    motion = read_motion(MotionSpec(who.write(tmp_path / "w.bvh", names=names)))
    called = {role: motion.nodes.names[node] for role, node in motion.roles.items()}
    for side in ("left", "right"):
        for part, joint in JOINTS.items():
            name = side.capitalize() + joint
            assert called[f"{side}_{part}"] == names.get(name, name), (part, called)


# Carrying over


def test_a_rigs_own_clip_comes_back_to_it_unchanged(tmp_path):
    made, numbers = glb.person()
    times = np.linspace(0, 1, 13)
    rng = np.random.default_rng(3)
    curves = {}
    for node in numbers.values():
        bent = Rotation.from_rotvec(0.5 * rng.normal(size=3) * np.sin(np.pi * times)[:, None])
        curves[node, "rotation"] = bent.as_quat()
    height = np.array([0, 0.95, 0]) + np.stack([0.1 * times, -0.2 * np.sin(np.pi * times), 0.05 * times], 1)
    curves[numbers["Hips"], "translation"] = height
    made.clip("Wobble", times, curves)
    path = made.write(tmp_path / "p.glb")
    shown = stand(read_model(path), HEIGHT_M)
    own = Track(shown.model.clips[0], shown.model.nodes.rest)
    spec = MotionSpec(path, "Wobble")
    clips = {"taken": adopt(shown, {"wobble": spec})[0]["wobble"]}
    clips["carried over"] = retarget(shown, perform(read_motion(spec)), "wobble")
    for how, clip in clips.items():
        back = Track(clip, shown.model.nodes.rest)
        for time_s in (0.0, 0.31, 0.5, 0.93):
            a, b = (worlds(shown.model.nodes, track.at(time_s)) for track in (own, back))
            np.testing.assert_allclose(b, a, atol=2e-4, err_msg=how)


def test_a_raised_arm_puts_the_hand_of_a_carved_body_where_it_must_be(tmp_path, carved):
    """The right arm 50° above level, sideways: by the shoulder, and the lengths of both bones."""
    who = bvh.Performer(30)
    who.turn("LeftArm", "z", -80)
    who.turn("RightArm", "z", -50)
    shown = figure_of(carved)
    clips, _ = adopt(shown, {"raise": MotionSpec(who.write(tmp_path / "r.bvh"))})
    pose = Track(clips["raise"], shown.model.nodes.rest).at(0.5)
    limb = carved.arms[1]
    length = np.linalg.norm(limb.bend - limb.root) + np.linalg.norm(limb.tip - limb.bend)
    angle = math.radians(50)
    hand = limb.root + length * np.array([-math.cos(angle), math.sin(angle), 0])
    np.testing.assert_allclose(shown.joint("right_hand", pose), hand, atol=1e-6)
    body = CarvedBody(carved, {"raise": MotionSpec(tmp_path / "r.bvh")})
    now = Moment((2, 0, 3), math.pi / 2, acts=(Act("raise", 1.0, 2.0),), time_s=1.0)
    wrist = body.skeleton(now).points[4]
    # Her right is −x of her own frame; facing +x on the stage, that is +z.
    np.testing.assert_allclose(wrist, (2 + hand[2], hand[1], 3 - hand[0]), atol=0.02)
    assert not body.shows("moonwalk") and body.shows("raise")


A_POSE = {f"{side}{joint}": Rotation.from_euler("z", -45 * sign, degrees=True)
          for side, sign in (("Left", 1), ("Right", -1)) for joint in ("Arm", "ForeArm", "Hand")}  # fmt: skip
ROLLED = {name: Rotation.from_rotvec([0.9 * index, 1.1, -0.4 * index]) for index, name in enumerate(bvh.TREE)}


def a_posed(who: bvh.Performer) -> bvh.Performer:
    """The same motion of a rig that rests with its arms lowered."""
    found = bvh.Performer(who.frames, who.tree)
    found.way = who.way.copy()
    for name, (parent, offset) in who.tree.items():
        above, own = A_POSE.get(parent, bvh.NONE), A_POSE.get(name, bvh.NONE)
        found.tree[name] = (parent, above.apply(offset))
        found.turns[name] = above * who.turns[name] * own.inv()
    return found


@pytest.mark.parametrize(
    "change",
    [
        lambda who: who,
        a_posed,
        lambda who: who.moved(Rotation.from_euler("x", 90, degrees=True)),
        lambda who: who.moved(Rotation.from_euler("x", -90, degrees=True)),
        lambda who: who.moved(Rotation.from_euler("y", 180, degrees=True)),
        lambda who: who.moved(Rotation.from_euler("y", 90, degrees=True)),
        lambda who: who.based(bvh.along_x()),
        lambda who: who.based(ROLLED),
    ],
    ids=["t-pose", "a-pose", "z-up", "z-down", "facing -z", "facing x", "no rest pose", "rolled"],
)
@pytest.mark.parametrize("body", ["model", "carved"])
def test_limbs_point_where_the_performers_do(tmp_path, person, carved, change, body):
    who = bvh.wave(60)
    shown = person if body == "model" else figure_of(carved)
    path = change(who).write(tmp_path / "w.bvh")
    clip = retarget(shown, perform(read_motion(MotionSpec(path))), "wave")
    for frame in (0, 20, 45):
        found, expected = directions(shown, clip, frame / bvh.FPS), performed(who, frame)
        assert apart_deg(found, expected) < 0.05


@pytest.mark.parametrize(
    ("scale", "prefix", "unit"),
    [(1.0, "", "centimetres"), (0.01, "mixamorig:", "metres"), (1 / 2.54, "Bip01_", "inches"),
     (10.0, "a|", "millimetres"), (0.177, "CMU_", "units of")],
)  # fmt: skip
def test_units_are_told_by_the_size_of_the_skeleton_and_change_nothing(tmp_path, person, scale, prefix, unit):
    plain, _ = adopt(person, {"wave": MotionSpec(bvh.wave(20).write(tmp_path / "a.bvh"))})
    other = MotionSpec(bvh.wave(20).write(tmp_path / "b.bvh", scale=scale, prefix=prefix))
    clips, (known,) = adopt(person, {"wave": other})
    assert known.facts["unit"].startswith(unit)
    assert known.facts["leg_m"] == pytest.approx(0.84, abs=0.05)
    a, b = (Track(each["wave"], person.model.nodes.rest).at(0.4) for each in (plain, clips))
    np.testing.assert_allclose(a.turn, b.turn, atol=1e-4)
    np.testing.assert_allclose(a.shift, b.shift, atol=1e-4)


def test_left_is_left(tmp_path, person):
    who = bvh.Performer(10)
    who.turn("LeftArm", "z", 60)
    who.turn("RightArm", "z", 80)
    clips, _ = adopt(person, {"raise": MotionSpec(who.write(tmp_path / "w.bvh"))})
    pose = Track(clips["raise"], person.model.nodes.rest).at(0.1)
    left, right = (person.joint(f"{side}_lower_arm", pose) for side in ("left", "right"))
    assert left[0] > 0 > right[0] and left[1] > right[1] + 0.3


def test_hips_sink_by_the_length_of_the_legs(tmp_path, person):
    who = bvh.Performer(30)
    who.way[:, 1] -= 42 * np.sin(np.pi * np.arange(30) / 29)  # half of a leg
    clip = retarget(person, perform(read_motion(MotionSpec(who.write(tmp_path / "w.bvh")))), "squat")
    track = Track(clip, person.model.nodes.rest)
    fall = person.joint("hips", track.at(0.0)) - person.joint("hips", track.at(14.5 / bvh.FPS))
    legs = person.joint("left_upper_leg")[1] - person.joint("left_foot")[1]
    np.testing.assert_allclose(fall, (0, 0.5 * legs, 0), atol=0.01)


def test_standing_feet_stand_on_legs_of_other_lengths(tmp_path, carved):
    """A performer who leans over planted feet; on the body they would slide, were they not held."""
    who = bvh.Performer(60)
    lean = 12 * np.sin(np.pi * np.arange(60) / 59)
    who.way[:, 0] += 83 * np.sin(np.radians(lean))
    for side in ("Left", "Right"):
        who.turn(f"{side}UpLeg", "z", -lean)
        who.turn(f"{side}Foot", "z", lean)
    who.way[:, 1] -= 84 * (1 - np.cos(np.radians(lean)))
    motion = read_motion(MotionSpec(who.write(tmp_path / "w.bvh")))
    shown = perform(motion)
    assert standing(shown).mean() > 0.8
    body = figure_of(carved)
    clip = retarget(body, shown, "lean", firm=True)
    track = Track(clip, body.model.nodes.rest)
    for side in ("left", "right"):
        feet = np.stack([body.joint(f"{side}_foot", track.at(at)) for at in np.linspace(0.1, 1.8, 30)])
        assert float(np.ptp(feet[:, [0, 2]], axis=0).max()) < 0.005
    hips = np.stack([body.joint("hips", track.at(at)) for at in (0.0, 1.0)])
    assert float(np.abs(hips[1] - hips[0])[0]) > 0.1


# Going


@pytest.mark.parametrize("turning", [0.0, 25.0])
def test_a_round_of_a_walk_is_found_in_a_long_clip(tmp_path, turning):
    path = bvh.walk(turning=turning).write(tmp_path / "w.bvh")
    (known,) = understand({"walk": MotionSpec(path)})
    assert known.kind == "walk" and not known.notes
    assert known.shown.duration_s == pytest.approx(1.1, abs=0.04)
    assert known.rhythm.way == pytest.approx(130 * 1.1 / 84, rel=0.05)
    strikes = known.rhythm.strikes_s
    assert (strikes[1] - strikes[0]) % 1.1 == pytest.approx(0.55, abs=0.06)
    for turns in known.shown.turns.values():
        assert abs(float(turns[0] @ turns[-1])) == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(known.shown.hips[0], known.shown.hips[-1], atol=1e-6)
    ahead = Rotation.from_quat(known.shown.turns["hips"][:, [1, 2, 3, 0]]).apply([0, 0, 1]).mean(axis=0)
    assert math.degrees(math.atan2(ahead[0], ahead[2])) == pytest.approx(0, abs=2)


def test_what_has_no_round_is_told(tmp_path):
    who = bvh.wave(40)
    who.turn("LeftUpLeg", "x", np.linspace(0, -70, 40))
    assert [
        note.code for note in understand({"run": MotionSpec(who.write(tmp_path / "w.bvh"))})[0].notes
    ] == ["W361"]


def test_a_gesture_that_goes_away_is_kept_in_its_place_and_told(tmp_path):
    (known,) = understand({"dance": MotionSpec(bvh.walk().write(tmp_path / "w.bvh"))})
    assert [note.code for note in known.notes] == ["W362"]
    assert float(np.linalg.norm(known.shown.hips[:, [0, 2]], axis=1).max()) < 0.3


@pytest.mark.parametrize("body", ["model", "carved"])
def test_feet_of_a_walk_from_outside_stay_where_they_are_set_down(tmp_path, person, carved, body):
    motions = {"walk": MotionSpec(bvh.walk().write(tmp_path / "w.bvh"))}
    if body == "model":
        shown = moving = ModelBody(person, 3000, adopt(person, motions)[0])
    else:
        shown = CarvedBody(carved, motions)
        moving = shown._puppet
    actor = moving.actor
    assert actor.steps.walk_m == pytest.approx(actor._leg_m * 130 * 1.1 / 84 / 2, rel=0.05)
    bones = actor.figure.model.bones[moving.dressed.skin.bones[:, 0]]
    soles = [
        np.flatnonzero(np.isin(bones, actor.figure.model.nodes.below(leg.foot))) for leg in actor._feet.legs
    ]
    course = dict(courses(actor.steps))["walk"]
    found = contact(shown, course, (soles[0], soles[1]), np.flatnonzero(moving.dressed.skin.body))
    assert found.slide_m < 0.02 and found.sunk_m < 0.02, found
    still, going = (shown.at(moment_of(course, frame)) for frame in (0, 30))
    assert float(np.abs(going.means - still.means).max()) > 0.3


def test_another_way_of_going_shows_while_it_goes_and_feet_stay(tmp_path, person):
    """A sneak with raised arms: its arms and its trunk show, its feet stand as those of a walk do."""
    who = bvh.walk(speed=60)
    who.turn("Spine", "x", 50)
    motions = {"sneak": MotionSpec(who.write(tmp_path / "s.bvh"))}
    (known,) = understand(motions)
    assert (known.kind, kind_of_motion("wave"), kind_of_motion("walk")) == ("gait", "", "walk")
    body = ModelBody(person, 2000, adopt(person, motions)[0])
    actor = body.actor
    course = course_of(actor.steps, np.full(48, 0.8), np.zeros(48))
    acts = [Act("sneak", frame / course.fps, 48 / course.fps) for frame in range(48)]
    moments = [replace(moment_of(course, frame), acts=(act,)) for frame, act in enumerate(acts)]
    plain, sneaks = actor.pose(moment_of(course, 24))[0], actor.pose(moments[24])[0]
    heads = [person.joint("head", pose) for pose in (plain, sneaks)]
    assert heads[1][2] > heads[0][2] + 0.15
    means = np.stack([body.at(now).means for now in moments])
    bones = person.model.bones[body.dressed.skin.bones[:, 0]]
    for side, leg in enumerate(actor._feet.legs):
        own = np.flatnonzero(np.isin(bones, person.model.nodes.below(leg.foot)))
        planted = course.known[id(actor)].planted[:, side] > 0
        moved = np.diff(means[:, own][:, :, [0, 2]].mean(axis=1), axis=0)
        still = planted[1:] & planted[:-1]
        assert still.sum() > 8 and float(np.hypot(*moved[still].T).max()) < 0.03


def test_a_leap_leaves_the_ground(tmp_path, person):
    who = bvh.Performer(60)
    up = np.clip(np.sin(2 * np.pi * np.arange(60) / 59), 0, None)
    who.way[:, 1] += 40 * up
    who.turn("LeftUpLeg", "x", -8 * up)
    clips, _ = adopt(person, {"star jump": MotionSpec(who.write(tmp_path / "w.bvh"))})
    body = ModelBody(person, 2000, clips)
    high = [
        float(body.at(Moment((0, 0, 0), 0, acts=(Act("star_jump", t, 1.97),), time_s=t)).means[:, 1].min())
        for t in (0.5, 1.5)
    ]
    assert high[0] == pytest.approx(0.4 * 0.9, abs=0.1) and high[1] == pytest.approx(0, abs=0.02)


def test_a_motion_comes_before_the_models_own_clip(tmp_path):
    path = glb.person(walk=True)[0].write(tmp_path / "p.glb")
    shown = stand(read_model(path), HEIGHT_M)
    clips, _ = adopt(shown, {"walk": MotionSpec(bvh.walk().write(tmp_path / "w.bvh"))})
    assert Actor(shown).steps.walk_m != pytest.approx(Actor(shown, clips).steps.walk_m, rel=0.05)


@pytest.mark.parametrize(
    ("action", "names", "found"),
    [
        ("wave", ["dance", "wave"], "wave"),
        ("wave", ["Waving_01"], "Waving_01"),
        ("perform the moonwalk", ["walk", "moonwalk"], "moonwalk"),
        ("perform_the_moonwalk", ["moon walk", "moonwalk"], "moonwalk"),
        ("pick_up", ["pick up"], "pick up"),
        ("juggle", ["walk", "run"], None),
        ("", ["walk"], None),
    ],
)
def test_which_motion_shows_an_action(action, names, found):
    assert motion_for(action, names) == found


def test_kinds():
    assert [kind_of(name) for name in ("walk", "Jogging", "idle", "wave", "moonwalk")] == [
        "walk", "run", "idle", "", "",
    ]  # fmt: skip


def test_a_digest_is_of_the_content(tmp_path):
    a, b = bvh.wave(6).write(tmp_path / "a.bvh"), bvh.wave(6).write(tmp_path / "b.bvh")
    assert motion_digest(MotionSpec(a)) == motion_digest(MotionSpec(b))
    b.write_text(b.read_text() + " ")
    assert motion_digest(MotionSpec(a)) != motion_digest(MotionSpec(b))
    with pytest.raises(AnixError, match="cannot be read"):
        motion_digest(MotionSpec(Path(tmp_path / "none.bvh")))
