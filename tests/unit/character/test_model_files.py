"""Model files: what is read, and how broken ones are refused within limits."""

from __future__ import annotations

import json
import struct
import tracemalloc

import glb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anix_cli.character.models.figure import stand
from anix_cli.character.models.read import model_digest, read_model
from anix_cli.core.errors import AnixError


def _codes(path):
    with pytest.raises(AnixError) as caught:
        stand(read_model(path), 1.7)
    return [found.code for found in caught.value.diagnostics], str(caught.value)


def _broken(tmp_path, change):
    """A person with a walk, spoilt by a function of its tree."""
    made, numbers = glb.person(walk=True)
    change(made.tree, numbers)
    return made.write(tmp_path / "broken.glb")


def test_a_person_is_read_whole(tmp_path):
    made, numbers = glb.person(walk=True)
    model = read_model(made.write(tmp_path / "p.glb"))
    assert [model.nodes.names[bone] for bone in model.bones] == [f"mixamorig:{name}" for name in glb.BONES]
    assert len(model.pieces) == 1 and model.pieces[0].skinned
    assert model.pieces[0].triangles.shape == (12 * len(glb.BONES), 3)
    np.testing.assert_array_equal(model.pieces[0].weights[:, 0], 1)
    (clip,) = model.clips
    assert clip.name == "Armature|Walking_A" and clip.duration_s == pytest.approx(glb.WALK_S)
    assert model.nodes.parents[numbers["LeftFoot"]] == numbers["LeftLeg"]


def _node_ring(tree, numbers):
    tree["nodes"][numbers["LeftFoot"]]["children"] = [numbers["Hips"]]


def _own_child(tree, numbers):
    tree["nodes"].append({"children": [len(tree["nodes"])]})


def _no_such_child(tree, numbers):
    tree["nodes"][0]["children"].append(4711)


def _skin_without_joints(tree, numbers):
    tree["skins"][0]["joints"] = []


def _few_matrices(tree, numbers):
    tree["accessors"][tree["skins"][0]["inverseBindMatrices"]]["count"] = 3


def _joint_that_is_no_node(tree, numbers):
    tree["skins"][0]["joints"][2] = 999


def _joints_beyond_the_skin(tree, numbers):
    tree["skins"][0]["joints"] = tree["skins"][0]["joints"][:4]


def _nan_node(tree, numbers):
    tree["nodes"][numbers["Head"]]["translation"] = [0.0, float("nan"), 0.0]


def _text_for_a_number(tree, numbers):
    tree["nodes"][numbers["Head"]]["translation"] = ["up", 0, 0]


def _negative_index(tree, numbers):
    tree["meshes"][0]["primitives"][0]["indices"] = -1


def _mesh_that_is_not_there(tree, numbers):
    tree["nodes"][-1]["mesh"] = 7


def _another_type(tree, numbers):
    tree["accessors"][tree["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]["type"] = "VEC2"


def _clip_of_no_node(tree, numbers):
    tree["animations"][0]["channels"][0]["target"]["node"] = 400


def _few_values(tree, numbers):
    tree["accessors"][tree["animations"][0]["samplers"][0]["output"]]["count"] = 5


def _accessor_beyond_its_view(tree, numbers):
    tree["accessors"][tree["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]["count"] = 30_000


def _view_beyond_its_buffer(tree, numbers):
    tree["bufferViews"][0]["byteLength"] = 1 << 30


DAMAGED = [
    _node_ring, _own_child, _no_such_child, _skin_without_joints, _few_matrices, _joint_that_is_no_node,
    _joints_beyond_the_skin, _nan_node, _text_for_a_number, _negative_index, _mesh_that_is_not_there,
    _another_type, _clip_of_no_node, _few_values, _accessor_beyond_its_view, _view_beyond_its_buffer,
]  # fmt: skip


@pytest.mark.parametrize("change", DAMAGED, ids=lambda change: change.__name__.strip("_"))
def test_contradictions_are_told(tmp_path, change):
    codes, text = _codes(_broken(tmp_path, change))
    assert codes == ["E353"] and "broken.glb is damaged" in text


def test_triangles_of_vertices_that_are_not_there(tmp_path):
    made = glb.Builder()
    made.node("n", mesh=made.mesh(glb.CUBE, [[0, 1, 8]]))
    codes, text = _codes(made.write(tmp_path / "m.glb"))
    assert codes == ["E353"] and "vertex 8, and there are 8" in text


def test_a_hundred_million_vertices_are_refused_before_they_are_made(tmp_path):
    made = glb.Builder()
    made.node("n", mesh=made.mesh(glb.CUBE, glb.CUBE_TRIANGLES))
    position = made.tree["accessors"][0]
    del position["bufferView"]
    position["count"] = 100_000_000
    path = made.write(tmp_path / "m.glb")
    tracemalloc.start()
    codes, text = _codes(path)
    assert tracemalloc.get_traced_memory()[1] < 5e6
    tracemalloc.stop()
    assert codes == ["E355"] and "100,000,000" in text


def test_many_instances_of_one_mesh_are_counted_each(tmp_path):
    made = glb.Builder()
    grid = np.zeros((60_000, 3))
    mesh = made.mesh(grid, np.arange(60_000).reshape(-1, 3))
    for number in range(200):
        made.node(f"copy {number}", mesh=mesh)
    codes, _ = _codes(made.write(tmp_path / "m.glb"))
    assert codes == ["E355"]


@pytest.mark.parametrize("share", [0.0, 0.001, 0.02, 0.4, 0.97])
def test_a_file_that_is_cut_off(tmp_path, share):
    data = glb.person(walk=True)[0].glb()
    path = tmp_path / "cut.glb"
    path.write_bytes(data[: int(len(data) * share)])
    codes, text = _codes(path)
    assert codes == ["E352"] or (share == 0.001 and codes == ["E351"])
    assert "cut.glb" in text


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"Kaydara FBX Binary  \0", "an FBX file"),
        (b"<!DOCTYPE html><html>", "a web page"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"o Cube\nv 1 1 1\n", "neither GLB nor JSON"),
        (b'{"hello": 1}', "no 3D model"),
        (b'{"asset": {"version": "2.0"}}', "no surface"),
    ],
)
def test_files_of_other_kinds_are_named(tmp_path, content, said):
    path = tmp_path / "thing.glb"
    path.write_bytes(content)
    codes, text = _codes(path)
    assert codes == ["E351"] and said in text


def test_packed_models_and_old_ones_are_not_supported(tmp_path):
    def draco(tree, numbers):
        tree["extensionsRequired"] = ["KHR_draco_mesh_compression"]

    codes, text = _codes(_broken(tmp_path, draco))
    assert codes == ["E354"] and "draco" in text
    old = tmp_path / "old.glb"
    old.write_bytes(struct.pack("<4sIIII", b"glTF", 1, 24, 4, 0) + b"{}  ")
    codes, text = _codes(old)
    assert codes == ["E354"] and "PLY" not in text


def test_a_buffer_that_is_not_beside_the_model(tmp_path):
    made, _ = glb.person()
    path = tmp_path / "m.gltf"
    buffer = {"byteLength": len(made.data), "uri": "m.bin"}
    path.write_text(json.dumps({**made.tree, "buffers": [buffer]}))
    codes, text = _codes(path)
    assert codes == ["E356"] and "m.bin" in text
    (tmp_path / "m.bin").write_bytes(made.data[:-40])
    assert _codes(path)[0] == ["E352"]
    (tmp_path / "m.bin").write_bytes(made.data)
    before = model_digest(path)
    assert len(read_model(path).pieces) == 1
    (tmp_path / "m.bin").write_bytes(made.data[:-1] + b"\7")
    assert model_digest(path) != before  # what is beside the file is part of the character


def test_files_outside_the_folder_are_not_read(tmp_path):
    made, _ = glb.person()
    (tmp_path / "secret.bin").write_bytes(made.data)
    folder = tmp_path / "inner"
    folder.mkdir()
    path = folder / "m.gltf"
    for uri in ("../secret.bin", str(tmp_path / "secret.bin"), "file:///etc/passwd", "https://x.org/a.bin"):
        path.write_text(json.dumps({**made.tree, "buffers": [{"byteLength": 8, "uri": uri}]}))
        assert _codes(path)[0] == ["E356"]


def test_few_bad_corners_are_left_out_and_many_refused(tmp_path):
    made = glb.Builder()
    points = np.concatenate([np.tile(glb.CUBE, (60, 1)), [[np.nan, 0, 0]]])
    triangles = np.concatenate([glb.CUBE_TRIANGLES + 8 * copy for copy in range(60)] + [[[0, 1, 480]]])
    made.node("n", mesh=made.mesh(points, triangles))
    model = read_model(made.write(tmp_path / "m.glb"))
    assert [note.code for note in model.notes] == ["W354"]
    assert len(model.pieces[0].triangles) == 720
    made = glb.Builder()
    made.node("n", mesh=made.mesh(np.full((8, 3), np.inf), glb.CUBE_TRIANGLES))
    assert _codes(made.write(tmp_path / "m.glb"))[0] == ["E353"]


def test_points_and_lines_are_left_out(tmp_path):
    made, _ = glb.person()
    made.node("cloud", mesh=made.mesh(glb.CUBE, [0, 1, 2], mode=0))
    model = read_model(made.write(tmp_path / "m.glb"))
    assert len(model.pieces) == 1 and [note.code for note in model.notes] == ["W354"]


def test_a_flat_thing_has_no_height(tmp_path):
    made = glb.Builder()
    made.node("floor", mesh=made.mesh([[0, 0, 0], [1, 0, 0], [0, 0, 1]], [[0, 1, 2]]))
    assert _codes(made.write(tmp_path / "m.glb"))[0] == ["E353"]


def test_strips_fans_and_no_indices(tmp_path):
    made = glb.Builder()
    square = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    made.node("strip", mesh=made.mesh(square, [0, 1, 2, 3], mode=5))
    fan = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    made.node("fan", mesh=made.mesh(fan, [0, 1, 2, 3], mode=6))
    made.node("plain", mesh=made.mesh(square, [0, 1, 2]))
    del made.tree["meshes"][2]["primitives"][0]["indices"]
    pieces = read_model(made.write(tmp_path / "m.glb")).pieces
    for piece in pieces:
        a, b, c = (piece.points[piece.triangles[:, corner]] for corner in range(3))
        assert (np.cross(b - a, c - a)[:, 2] > 0).all()  # all wound alike
    assert [len(piece.triangles) for piece in pieces] == [2, 2, 1]


def test_numbers_of_all_kinds(tmp_path):
    """Quantised positions, normalised integers and sparse ones (glTF 2.0, 3.6.2)."""
    made = glb.Builder()
    points = np.array([[0, 0, 0], [127, 0, 0], [0, 127, 0]])
    mesh = made.mesh(np.zeros((3, 3)), [[0, 1, 2]])
    whole = made.array(points, "i1", normalized=True)
    made.tree["meshes"][mesh]["primitives"][0]["attributes"]["POSITION"] = whole
    made.node("n", mesh=mesh)
    model = read_model(made.write(tmp_path / "m.glb"))
    np.testing.assert_allclose(model.pieces[0].points, [[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    at, new = made.blob(np.array([2], "<u2").tobytes()), made.blob(np.array([[0, 5, 0]], "<f4").tobytes())
    made.tree["accessors"].append({
        "componentType": 5126, "count": 3, "type": "VEC3",
        "sparse": {
            "count": 1, "indices": {"bufferView": at, "componentType": 5123}, "values": {"bufferView": new},
        },
    })  # fmt: skip
    made.tree["meshes"][mesh]["primitives"][0]["attributes"]["POSITION"] = len(made.tree["accessors"]) - 1
    model = read_model(made.write(tmp_path / "m.glb"))
    np.testing.assert_allclose(model.pieces[0].points, [[0, 0, 0], [0, 0, 0], [0, 5, 0]])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_damage_is_an_error_or_a_model(tmp_path, data):
    """Bytes and values at random: a diagnostic or a model, never another exception."""
    content = bytearray(glb.person(walk=True)[0].glb())
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, min(len(content) - 1, 14_000)))] = data.draw(st.integers(0, 255))
    path = tmp_path / "fuzzed.glb"
    path.write_bytes(bytes(content))
    try:
        stand(read_model(path), 1.7)
    except AnixError as error:
        assert all(found.code in {f"E35{n}" for n in range(1, 7)} for found in error.diagnostics)


_VALUES = st.one_of(st.none(), st.booleans(), st.integers(-3, 10**12), st.floats(), st.text(max_size=3),
                    st.just([]), st.just({}))  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_value_anywhere_is_an_error_or_a_model(tmp_path, data):
    made, _ = glb.person(walk=True)
    node = made.tree
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        inner = node[key]
        if not isinstance(inner, (dict, list)) or data.draw(st.integers(0, 3)) == 0:
            node[key] = data.draw(_VALUES)
            break
        node = inner
    path = made.write(tmp_path / "fuzzed.glb")
    try:
        stand(read_model(path), 1.7)
    except AnixError as error:
        assert all(found.code in {f"E35{n}" for n in range(1, 7)} for found in error.diagnostics)
