"""3D models: stood up, covered with Gaussians, posed, and walking without a slip."""

from __future__ import annotations

import math

import glb
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from anix_cli.character import model as planned
from anix_cli.character.gestures import Act
from anix_cli.character.models.acting import Actor
from anix_cli.character.models.body import ModelBody
from anix_cli.character.models.clips import Track
from anix_cli.character.models.dressed import Dressed, count_for
from anix_cli.character.models.figure import skinned, stand
from anix_cli.character.models.pose import bone_matrices, worlds
from anix_cli.character.models.read import read_model
from anix_cli.character.models.repertoire import clip_for
from anix_cli.character.models.roles import roles_of
from anix_cli.character.models.stride import feet_rows, measure
from anix_cli.character.moment import Moment

HEIGHT_M = 1.8


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def walker(folder):
    return stand(read_model(glb.person(walk=True)[0].write(folder / "walker.glb")), HEIGHT_M)


def _figure(made, folder, height_m=HEIGHT_M, name="m.glb"):
    return stand(read_model(made.write(folder / name)), height_m)


def _colour(gaussians):
    return 0.5 + 0.28209479177387814 * gaussians.sh[:, 0]


@pytest.mark.parametrize("backwards", [False, True])
def test_it_stands_on_the_ground_as_tall_as_written_and_faces_plus_z(tmp_path, backwards):
    figure = _figure(glb.person(backwards=backwards)[0], tmp_path, 0.9)
    (piece,) = figure.pieces
    points = skinned(piece, figure.neutral_bones, figure.neutral)
    assert points[:, 1].min() == pytest.approx(0, abs=1e-6)
    assert points[:, 1].max() == pytest.approx(0.9, abs=1e-6)
    feet = points[points[:, 1] < 0.03]
    assert feet[:, 2].min() == pytest.approx(-feet[:, 2].max(), abs=1e-6)  # their middle is the root
    toes = points[8 * list(glb.BONES).index("LeftFoot") :][:8]
    assert toes[:, 2].max() > abs(toes[:, 2].min()) - 1e-6
    assert toes[:, 0].mean() > 0  # its own left is +X


def test_a_vrm_0_faces_the_other_way_and_says_what_its_bones_are(tmp_path):
    made, numbers = glb.person(prefix="x", backwards=True)
    for number in numbers.values():
        made.tree["nodes"][number]["name"] = f"bone {number}"
    human = {"hips": "Hips", "leftUpperLeg": "LeftUpLeg", "leftLowerArm": "LeftForeArm", "head": "Head"}
    made.tree["extensions"] = {
        "VRM": {"humanoid": {"humanBones": [{"bone": b, "node": numbers[n]} for b, n in human.items()]}}
    }
    figure = _figure(made, tmp_path)
    assert figure.roles["left_upper_leg"] == numbers["LeftUpLeg"]
    assert figure.roles["left_lower_arm"] == numbers["LeftForeArm"]
    assert figure.stage_from_model[2, 2] < 0 and figure.stage_from_model[0, 0] < 0


NAMES = {
    "mixamorig:LeftUpLeg": "left_upper_leg", "mixamorig:LeftLeg": "left_lower_leg",
    "LeftForeArm": "left_lower_arm",
    "upperarm.r": "right_upper_arm", "lowerleg.l": "left_lower_leg", "foot.l": "left_foot",
    "J_Bip_R_UpperArm": "right_upper_arm", "J_Bip_C_Hips": "hips", "Bip01 L Thigh": "left_upper_leg",
    "Bip01 R Calf": "right_lower_leg", "thigh_l": "left_upper_leg", "calf_r": "right_lower_leg",
    "clavicle_l": "left_shoulder", "DEF-shin.L": "left_lower_leg", "UpperLegL_55": "left_upper_leg",
    "arm-left": "left_upper_arm", "leg-right": "right_upper_leg", "mixamorig:Spine1": "spine",
    "Neck_11": "neck",
    "ball_r": "right_toes",
}  # fmt: skip


@pytest.mark.parametrize(("name", "role"), NAMES.items())
def test_bones_are_known_by_the_names_that_rigs_use(tmp_path, name, role):
    made = glb.Builder()
    other = {"left_lower_leg": "LeftThigh", "right_lower_leg": "RightThigh", "left_lower_arm": "LeftArm"}.get(
        role
    )
    parent = made.node(other) if other else None
    bone = made.node(name, parent)
    made.node("skin", bone, mesh=made.mesh(glb.CUBE, glb.CUBE_TRIANGLES))
    assert roles_of(read_model(made.write(tmp_path / "m.glb"))).get(role) == bone


@pytest.mark.parametrize(
    "name", ["kneeIK.l", "IK-foot.l", "PoleTargetL", "LeftHandThumb1", "handslot.r", "Object_72"]
)
def test_controls_and_fingers_are_no_bones_of_the_body(tmp_path, name):
    made = glb.Builder()
    made.node(name, mesh=made.mesh(glb.CUBE, glb.CUBE_TRIANGLES))
    assert roles_of(read_model(made.write(tmp_path / "m.glb"))) == {}


def test_arms_of_a_t_pose_are_lowered(walker):
    (piece,) = walker.pieces
    points = skinned(piece, walker.neutral_bones, walker.neutral)
    for side, sign in (("Left", 1), ("Right", -1)):
        hand = points[8 * list(glb.BONES).index(f"{side}ForeArm") :][:8]
        assert hand[:, 1].min() < 1.05
        assert 0.18 < (sign * hand[:, 0]).mean() < 0.5


def test_arms_that_reach_the_ground_are_no_feet(tmp_path):
    """A robot of rigid parts with arms down to the floor, one longer than the other."""
    made = glb.Builder()
    parts = {
        "torso": ((-0.3, 0.5, -0.2), (0.3, 1.5, 0.2)),
        "leg-left": ((0.1, 0, -0.1), (0.2, 0.5, 0.1)), "leg-right": ((-0.2, 0, -0.1), (-0.1, 0.5, 0.1)),
        "arm-left": ((0.4, 0.2, -0.1), (0.5, 1.4, 0.1)), "arm-right": ((-0.5, 0.01, -0.1), (-0.4, 1.4, 0.1)),
    }  # fmt: skip
    for name, (low, high) in parts.items():
        top = np.array([(low[0] + high[0]) / 2, high[1], 0.0])
        mesh = made.mesh(glb.box(low, high) - top, glb.CUBE_TRIANGLES)
        made.node(name, mesh=mesh, translation=top.tolist())
    figure = _figure(made, tmp_path, 1.5)
    np.testing.assert_allclose(figure.stage_from_model, np.eye(4), atol=1e-6)
    left, right = feet_rows(Dressed(figure, 3000, plain=True))
    means = Dressed(figure, 3000, plain=True).means(figure.neutral)
    assert means[left, 0].max() < 0.21 and means[right, 0].min() > -0.21


def test_posing_agrees_with_matrices_multiplied_by_hand(walker):
    """Linear-blend skinning and the node tree, against Rotation and 4 × 4 products in float64."""
    rng = np.random.default_rng(5)
    nodes, rest = walker.model.nodes, walker.model.nodes.rest
    quats = rng.normal(size=rest.turn.shape)
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    pose = type(rest)(rng.normal(size=rest.shift.shape), quats, rng.uniform(0.5, 2, rest.size.shape), {})

    def world(node):
        local = np.eye(4)
        local[:3, :3] = Rotation.from_quat(quats[node][[1, 2, 3, 0]]).as_matrix() @ np.diag(pose.size[node])
        local[:3, 3] = pose.shift[node]
        parent = nodes.parents[node]
        return local if parent < 0 else world(parent) @ local

    found = worlds(nodes, pose)
    for node in range(len(nodes.names)):
        np.testing.assert_allclose(found[node], world(node), atol=1e-9)
    dressed = Dressed(walker, 2000)
    posed = dressed.posed(pose)
    matrices = bone_matrices(walker.model, pose, walker.stage_from_model)
    skin = dressed.skin
    blend = np.einsum("nk,nkij->nij", skin.weights, matrices[skin.bones])
    means = np.einsum("nij,nj->ni", blend[:, :3, :3], skin.points) + blend[:, :3, 3]
    np.testing.assert_allclose(posed.means, means, atol=2e-5)
    np.testing.assert_allclose(dressed.means(pose), means, atol=2e-5)
    axes = Rotation.from_quat(posed.quats[:, [1, 2, 3, 0]]).as_matrix()
    along = np.einsum("nij,nj->ni", blend[:, :3, :3], skin.along)
    np.testing.assert_allclose(axes[:, :, 0] * posed.scales[:, :1], along, atol=2e-5)
    np.testing.assert_allclose(np.linalg.norm(posed.quats, axis=1), 1, atol=1e-5)
    across = np.einsum("nij,nj->ni", blend[:, :3, :3], skin.across)
    np.testing.assert_allclose((axes[:, :, 2] * across).sum(axis=1), 0, atol=3e-5)  # thin across the surface


def test_a_skinned_thing_bends_by_its_two_bones(tmp_path):
    made = glb.Builder()
    lower = made.node("lower")
    upper = made.node("upper", lower, translation=[0, 1, 0])
    points = np.concatenate([glb.box((-0.1, y, -0.1), (0.1, y + 1, 0.1)) for y in (0, 1)])
    joints = np.repeat([[0, 0, 0, 0], [1, 0, 0, 0]], 8, axis=0)
    weights = np.tile([1.0, 0, 0, 0], (16, 1))
    mesh = made.mesh(points, np.concatenate([glb.CUBE_TRIANGLES, glb.CUBE_TRIANGLES + 8]),
                     JOINTS_0=joints, WEIGHTS_0=weights)  # fmt: skip
    made.node("body", mesh=mesh, skin=made.skin([lower, upper], [[0, 0, 0], [0, 1, 0]]))
    made.clip("Bend", [0, 1], {(upper, "rotation"): [glb.turn("x", 0), glb.turn("x", 90)]})
    figure = _figure(made, tmp_path, 2.0)
    track = Track(figure.model.clips[0], figure.model.nodes.rest)
    (piece,) = figure.pieces
    knee = np.array([0.0, 1.0, 0.0])
    for share, degrees in ((0.0, 0), (0.5, 45), (1.0, 90), (7.0, 90)):
        pose = track.at(share)
        found = skinned(piece, bone_matrices(figure.model, pose, figure.stage_from_model), pose)
        turn = Rotation.from_euler("x", degrees, degrees=True)
        np.testing.assert_allclose(found[:8], points[:8], atol=1e-5)
        np.testing.assert_allclose(found[8:], turn.apply(points[8:] - knee) + knee, atol=2e-5)


@pytest.mark.parametrize("interpolation", ["LINEAR", "STEP", "CUBICSPLINE"])
def test_curves(tmp_path, interpolation):
    """glTF 2.0, appendix C: values between keys."""
    made = glb.Builder()
    node = made.node("n", mesh=made.mesh(glb.CUBE, glb.CUBE_TRIANGLES))
    keys, values = np.array([1.0, 2.0, 4.0]), np.array([[0, 0, 0], [1, 0, 0], [1, 4, 0.0]])
    output = values
    if interpolation == "CUBICSPLINE":
        output = np.stack([np.zeros((3, 3)), values, np.zeros((3, 3))], axis=1).reshape(-1, 3)
    made.clip("c", keys, {(node, "translation"): output}, interpolation=interpolation)
    model = read_model(made.write(tmp_path / "m.glb"))
    track = Track(model.clips[0], model.nodes.rest)
    u = 0.25
    eased = {"LINEAR": u, "STEP": 0.0, "CUBICSPLINE": 3 * u**2 - 2 * u**3}[interpolation]
    np.testing.assert_allclose(track.at(1.0 + 2 * u).shift[node], [1, 4 * eased, 0], atol=2e-3)
    np.testing.assert_allclose(track.at(-5).shift[node], values[0], atol=1e-9)
    np.testing.assert_allclose(track.at(99).shift[node], values[-1], atol=1e-9)


def test_gaussians_cover_the_surface_evenly_and_are_the_same_each_time(walker):
    first, second = Dressed(walker, 5000), Dressed(walker, 5000)
    assert 4000 < len(first) <= 5000
    assert first.skin.points.tobytes() == second.skin.points.tobytes()
    posed = first.posed(walker.neutral)
    # Each lies on a face of a box: in the frame of its bone, one coordinate is that of a side.
    lows, highs = (np.array([spec[2][end] for spec in glb.BONES.values()]) for end in (0, 1))
    rows = first.skin.bones[:, 0]
    away = np.minimum(np.abs(first.skin.points - lows[rows]), np.abs(first.skin.points - highs[rows]))
    assert away.min(axis=1).max() < 1e-6
    # So many on each part as it has surface.
    sides = np.abs(highs - lows)
    surface = 2 * (sides * np.roll(sides, 1, axis=1)).sum(axis=1)
    share = np.bincount(rows, minlength=len(lows)) / len(rows)
    np.testing.assert_allclose(share, surface / surface.sum(), rtol=0.4)
    # Areas of their ellipses add up to the surface, times the factor by which they overlap.
    ellipses = 2 * math.pi * (posed.scales[:, 0] * posed.scales[:, 1]).sum()
    assert 1.2 < ellipses / (surface.sum() * (HEIGHT_M / 1.8) ** 2) < 2.6
    assert (posed.opacities > 0.9).all()


@pytest.mark.parametrize("count", [50, 500])
def test_of_more_triangles_than_gaussians_a_fair_share_is_taken(tmp_path, count):
    made = glb.Builder()
    n = 60
    grid = np.stack(np.meshgrid(np.arange(n), np.arange(n), indexing="ij"), axis=-1).reshape(-1, 2)
    points = np.column_stack([grid[:, 0], grid[:, 1], np.zeros(len(grid))])
    corner = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    triangles = np.concatenate([np.stack([corner, corner + n, corner + 1], 1),
                                np.stack([corner + 1, corner + n, corner + n + 1], 1)])  # fmt: skip
    made.node("wall", mesh=made.mesh(points, triangles))
    dressed = Dressed(_figure(made, tmp_path), count)
    assert 0.8 * count <= len(dressed) <= count
    means = dressed.means(dressed.figure.neutral)
    assert abs(means[:, 0].mean()) < 0.1 and abs(means[:, 1].mean() - 0.9) < 0.1


def _textured(folder, *, uv=None, info=None, material=None, sampler=None, pixels=None):
    """A quad, two metres high, that wears a picture: left half red, right half green, top row blue."""
    made = glb.Builder()
    if pixels is None:
        pixels = np.zeros((8, 8, 4), np.uint8)
        pixels[..., 3] = 255
        pixels[:, :4, 0], pixels[:, 4:, 1], pixels[0] = 255, 255, (0, 0, 255, 255)
    image = made.part("", "images", {"bufferView": made.blob(glb.png(pixels)), "mimeType": "image/png"})
    tree = {"source": image}
    if sampler is not None:
        tree["sampler"] = made.part("", "samplers", sampler)
    texture = made.part("", "textures", tree)
    look = {
        "pbrMetallicRoughness": {"baseColorTexture": {"index": texture, **(info or {})}},
        **(material or {}),
    }
    look["extensions"] = {"KHR_materials_unlit": {}}
    number = made.part("", "materials", look)
    corners = np.array([[-1, 0, 0], [1, 0, 0], [1, 2, 0], [-1, 2, 0.0]])
    uv = np.array([[0, 1], [1, 1], [1, 0], [0, 0.0]]) if uv is None else uv
    quad = made.mesh(corners, [[0, 1, 2], [0, 2, 3]], TEXCOORD_0=np.asarray(uv, float), material=number)
    made.node("quad", mesh=quad)
    return _figure(made, folder, 2.0)


def _at(figure, x, y):
    dressed = Dressed(figure, 3000)
    means = dressed.means(figure.neutral)
    return dressed.skin.rgb[np.argmin(np.hypot(means[:, 0] - x, means[:, 1] - y))]


def test_textures_lie_where_their_coordinates_say(tmp_path):
    figure = _textured(tmp_path)
    np.testing.assert_allclose(_at(figure, -0.6, 1), [1, 0, 0], atol=0.02)
    np.testing.assert_allclose(_at(figure, 0.6, 1), [0, 1, 0], atol=0.02)
    np.testing.assert_allclose(_at(figure, 0.3, 1.87), [0, 0, 1], atol=0.2)


@pytest.mark.parametrize(
    ("transform", "red"),
    [
        ({"offset": [0.5, 0]}, (0.5, 1)),  # half a picture further: red is on the right
        ({"scale": [2, 1]}, (0.2, 1)),  # twice side by side
        (
            {"rotation": math.pi / 2},
            (0.0, 1.6),
        ),  # coordinates counter-clockwise, so that the left half comes to lie above
    ],
)
def test_texture_transforms(tmp_path, transform, red):
    figure = _textured(tmp_path, info={"extensions": {"KHR_texture_transform": transform}})
    assert _at(figure, *red)[0] > 0.9
    assert _at(figure, *red)[1] < 0.1


@pytest.mark.parametrize(("mode", "red_at"), [(33071, False), (33648, True), (10497, False)])
def test_wrapping(tmp_path, mode, red_at):
    """Beyond the right border: clamped stays green, mirrored comes back to red, repeated begins anew."""
    uv = np.array([[0, 1], [2, 1], [2, 0.0], [0, 0.0]])
    figure = _textured(tmp_path, uv=uv, sampler={"wrapS": mode})
    far = _at(figure, 0.9, 1)
    assert (far[0] > 0.9) == red_at
    near = _at(figure, 0.2, 1)
    assert (near[0] > 0.9) == (mode == 10497)


def test_masks_cut_and_blends_thin_out(tmp_path):
    pixels = np.full((8, 8, 4), 255, np.uint8)
    pixels[:, :4, 3] = 60
    clamped = {"wrapS": 33071}
    whole = Dressed(_textured(tmp_path, pixels=pixels), 2000)
    assert whole.skin.opacities.min() > 0.9
    cut = Dressed(_textured(tmp_path, pixels=pixels, sampler=clamped, material={"alphaMode": "MASK"}), 2000)
    assert len(cut) == pytest.approx(len(whole) / 2, rel=0.15)
    assert cut.skin.points[:, 0].min() > -0.1
    thin = Dressed(_textured(tmp_path, pixels=pixels, sampler=clamped, material={"alphaMode": "BLEND"}), 2000)
    left = thin.skin.points[:, 0] < -0.2
    np.testing.assert_allclose(thin.skin.opacities[left], 60 / 255, atol=0.02)


def test_a_texture_that_is_missing_is_told_and_the_rest_shown(tmp_path):
    made = glb.Builder()
    made.part("", "images", {"uri": "Textures/skin.png"})
    made.part("", "textures", {"source": 0})
    look = {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "baseColorFactor": [1, 0, 0, 1]}}
    made.part("", "materials", look)
    made.node("cube", mesh=made.mesh(glb.CUBE, glb.CUBE_TRIANGLES, material=0))
    figure = _figure(made, tmp_path)
    assert [note.code for note in figure.notes] == ["W351"]
    assert "skin.png" in figure.notes[0].message
    assert (Dressed(figure, 100).skin.rgb[:, 0] > 0.9).all()


def test_of_several_things_in_one_hand_the_first_is_shown(tmp_path):
    made, numbers = glb.person()
    hand = made.node("handslot.l", numbers["LeftForeArm"])
    for name in ("Sword", "Shield", "Staff"):
        made.node(name, hand, mesh=made.mesh(0.1 * glb.CUBE, glb.CUBE_TRIANGLES))
    figure = _figure(made, tmp_path)
    assert [figure.model.nodes.names[piece.node] for piece in figure.pieces] == ["Body", "Sword"]
    assert figure.held == (False, True)
    assert [note.code for note in figure.notes] == ["W352"] and "Shield, Staff" in figure.notes[0].message


def test_morph_targets_shift_points(tmp_path):
    made = glb.Builder()
    mesh = made.mesh(glb.CUBE, glb.CUBE_TRIANGLES)
    shift = np.zeros((8, 3))
    shift[glb.CUBE[:, 1] == 1] = [0.5, 0, 0]
    made.tree["meshes"][mesh]["primitives"][0]["targets"] = [{"POSITION": made.array(shift)}]
    node = made.node("face", mesh=mesh)
    made.clip("Talk", [0, 1], {(node, "weights"): [0.0, 1.0]})
    figure = _figure(made, tmp_path, 1.0)
    dressed = Dressed(figure, 500)
    track = Track(figure.model.clips[0], figure.model.nodes.rest)
    rest, moved = (dressed.posed(track.at(time)).means for time in (0.0, 1.0))
    high = dressed.skin.points[:, 1]
    np.testing.assert_allclose(moved[:, 0] - rest[:, 0], 0.5 * high, atol=1e-5)


CLIPS = {
    ("run", ("Walking_A", "Running_A", "Running_Strafe_Left")): "Running_A",
    ("walk", ("Walking_Backwards", "CharacterArmature|Walk", "Walk_Gun")): "CharacterArmature|Walk",
    ("idle", ("2H_Melee_Idle", "Idle", "Sit_Floor_Idle")): "Idle",
    ("jump", ("Jump_Idle", "Jump_Full_Short", "Jump_Land")): "Jump_Full_Short",
    ("sit", ("Sit_Chair_StandUp", "Sitting", "Standing")): "Sitting",
    ("nod", ("No", "Yes")): "Yes",
    ("pick_up", ("PickUp", "StandUp")): "PickUp",
    ("wave", ("Wave", "Walking")): "Wave",
    ("wave", ("Walking", "Running")): None,
    ("run", ("Death", "Dance")): None,
    ("bow", ("Bow_Shoot", "Idle")): None,
}


@pytest.mark.parametrize(("asked", "expected"), CLIPS.items())
def test_clips_are_found_by_their_names(tmp_path, asked, expected):
    action, names = asked
    made = glb.Builder()
    node = made.node("n", mesh=made.mesh(glb.CUBE, glb.CUBE_TRIANGLES))
    for name in names:
        made.clip(name, [0, 1], {(node, "translation"): [[0, 0, 0], [0, 0, 0.0]]})
    clip = clip_for(action, read_model(made.write(tmp_path / "m.glb")).clips)
    assert (clip and clip.name) == expected


def test_the_length_of_a_stride_is_measured_on_the_feet(walker):
    track = Track(walker.model.clips[0], walker.model.nodes.rest)
    stride = measure(Dressed(walker, 4000, plain=True), track)
    assert stride.length_m == pytest.approx(2 * glb.STEP_M, rel=0.05)
    # The left foot strikes as the round begins: it is as far ahead as it goes.
    assert stride.time_at(0.0) % glb.WALK_S == pytest.approx(0, abs=0.05)


def test_a_clip_that_carries_the_body_along_walks_on_the_spot(folder):
    made, numbers = glb.person()
    times, curves = glb.walking(numbers)
    away = np.zeros((len(times), 3))
    away[:, 1], away[:, 2] = 0.95, 2 * glb.STEP_M * times
    made.clip("Walk", times, {**curves, (numbers["Hips"], "translation"): away})
    figure = _figure(made, folder, name="carried.glb")
    stride = measure(Dressed(figure, 4000, plain=True), Track(figure.model.clips[0], figure.model.nodes.rest))
    assert stride.drift_mps[1] == pytest.approx(2 * glb.STEP_M, rel=0.05)
    assert stride.length_m == pytest.approx(2 * glb.STEP_M, rel=0.08)


def _soles(body, moment):
    """Lowest points of both feet [2, 3] at a moment."""
    posed = body.at(moment)
    names = [body.dressed.figure.model.nodes.names[bone] for bone in body.dressed.figure.model.bones]
    found = []
    for side in ("Left", "Right"):
        rows = np.flatnonzero(body.dressed.skin.bones[:, 0] == names.index(f"mixamorig:{side}Foot"))
        found.append(posed.means[rows].astype(np.float64))
    return found


@pytest.mark.parametrize("speed", [0.8, 1.4])
def test_a_standing_foot_neither_slides_nor_sinks(walker, speed):
    body = ModelBody(walker, 4000)
    step = float(body.actor.steps.at(speed))
    assert step == pytest.approx(glb.STEP_M, rel=0.05)
    phases = np.linspace(0.0, 1.0, 33)[3:-3]  # the left foot stands from 0 to 1
    places = []
    for phase in phases:
        left, right = _soles(body, Moment((0, 0, phase * step), 0.0, speed_mps=speed, gait_phase=phase))
        assert left[:, 1].min() > -0.02 and right[:, 1].min() > -0.02
        places.append(left.mean(axis=0))
    assert np.ptp(np.array(places)[:, 2]) < 0.02
    assert np.ptp(np.array(places)[:, 0]) < 0.02


@pytest.mark.parametrize("facing", [0.0, 1.1])
def test_walking_backwards_does_not_slide_either(walker, facing):
    body = ModelBody(walker, 4000)
    way = -np.array([math.sin(facing), 0, math.cos(facing)])
    places = []
    for phase in np.linspace(0.1, 0.9, 9):
        moment = Moment(way * phase * glb.STEP_M, facing, speed_mps=1.0, gait_phase=phase, ahead=False)
        places.append(_soles(body, moment)[1].mean(axis=0))
    assert np.ptp(np.array(places)[:, [0, 2]], axis=0).max() < 0.02


@pytest.fixture(scope="module")
def bare(folder):
    """A person without clips: it walks by its bones."""
    return stand(read_model(glb.person()[0].write(folder / "bare.glb")), HEIGHT_M)


def test_without_clips_a_person_walks_by_its_bones(bare):
    body = ModelBody(bare, 4000)
    assert body.actor.moves() == "bones"
    step = float(body.actor.steps.at(1.4))
    places = []
    for phase in np.linspace(0.05, 0.95, 19):
        moment = Moment((0, 0, phase * step), 0.0, speed_mps=1.4, gait_phase=phase)
        left, right = _soles(body, moment)
        assert min(left[:, 1].min(), right[:, 1].min()) == pytest.approx(0, abs=0.02)
        places.append(left.mean(axis=0)[2])
    assert np.ptp(places) < 0.1 * step


def test_at_rest_the_arms_hang_and_nothing_depends_on_the_phase(bare):
    body = ModelBody(bare, 3000)
    first, second = (body.at(Moment((1, 0.5, 2), 0.3, gait_phase=phase)).means for phase in (0.0, 5.3))
    np.testing.assert_array_equal(first, second)
    assert first[:, 1].min() == pytest.approx(0.5, abs=1e-4)


def test_a_wave_lifts_the_right_hand(bare):
    body = ModelBody(bare, 3000)
    names = [bare.model.nodes.names[bone] for bone in bare.model.bones]

    def hand(side, acts):
        rows = body.dressed.skin.bones[:, 0] == names.index(f"mixamorig:{side}ForeArm")
        return body.at(Moment((0, 0, 0), 0.0, acts=acts)).means[rows].mean(axis=0)

    act = (Act("wave", 1.0, 2.0, None),)
    assert hand("Right", act)[1] > 1.4 > hand("Right", ())[1] + 0.3
    np.testing.assert_allclose(hand("Left", act), hand("Left", ()), atol=1e-4)
    at_the_start = (Act("wave", 0.0, 2.0, None),)
    np.testing.assert_allclose(hand("Right", at_the_start), hand("Right", ()), atol=1e-4)


def test_a_clip_for_a_gesture_is_faded_in_and_out_and_goes_round(folder):
    made, numbers = glb.person()
    arm = numbers["RightArm"]
    lifted = [glb.turn("z", 0), glb.turn("z", -60), glb.turn("z", 0)]
    made.clip("Wave", [0, 0.5, 1.0], {(arm, "rotation"): lifted})
    figure = _figure(made, folder, name="waver.glb")
    actor = Actor(figure)

    def turned(elapsed):
        pose, _, _ = actor.pose(Moment((0, 0, 0), 0.0, acts=(Act("wave", elapsed, 4.0, None),)))
        still, _, _ = actor.pose(Moment((0, 0, 0), 0.0))
        return 2 * math.acos(min(1.0, abs(float(pose.turn[arm] @ still.turn[arm]))))

    assert turned(0.0) == pytest.approx(0, abs=1e-6) and turned(4.0) == pytest.approx(0, abs=1e-6)
    assert turned(1.5) > 1.0
    assert turned(1.25) == pytest.approx(turned(2.25), abs=1e-6)  # once round a second


def test_a_thing_without_bones_glides_and_bobs(tmp_path):
    path = glb.cube(tmp_path / "cube.glb")
    measured = planned.measure_model(path, 1.0)
    assert [note.code for note in measured.notes] == ["W353"]
    body = ModelBody(stand(read_model(path), 1.0), 500)
    low = [
        float(body.at(Moment((0, 0, 0), 0, speed_mps=1.4, gait_phase=p)).means[:, 1].min()) for p in (0, 0.5)
    ]
    assert low[0] == pytest.approx(0, abs=1e-4) and low[1] > 0.01


def test_a_lift_and_the_ground_are_kept_in_any_pose(walker):
    body = ModelBody(walker, 2000)
    posed = body.at(Moment((0, 0.4, 0), 0.0, lift_m=0.3))
    assert posed.means[:, 1].min() == pytest.approx(0.7, abs=1e-4)


def test_yaw_turns_to_its_own_left(walker):
    body = ModelBody(walker, 2000)
    posed = body.at(Moment((0, 0, 0), math.pi / 2))
    toes = posed.means[posed.means[:, 1] < 0.05]
    assert toes[:, 0].max() > 0.1 > -toes[:, 0].min() - 0.05


def test_count_by_the_size_of_the_picture():
    assert count_for(120) < count_for(480) < count_for(1080) <= 60_000
    assert 15_000 < count_for(480) < 30_000


def test_what_plans_know_of_a_model(tmp_path):
    path = glb.person(walk=True)[0].write(tmp_path / "p.glb")
    measured = planned.measure_model(path, HEIGHT_M)
    assert measured.extent.height_m == HEIGHT_M
    assert 0.5 < measured.extent.width_m < 1.2 and measured.extent.depth_m == pytest.approx(0.32, abs=0.01)
    assert measured.extent.steps.walk_m == pytest.approx(glb.STEP_M, rel=0.05)
    key = planned.model_key(path, HEIGHT_M)
    other = path.rename(tmp_path / "q.glb")
    assert planned.model_key(other, HEIGHT_M) == key  # by content, not by name
    assert planned.model_key(other, 1.7) != key
