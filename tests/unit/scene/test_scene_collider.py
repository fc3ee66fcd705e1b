"""A mesh beside the splats tells ground and walls better than splats with holes do."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from places import FACADE, flat, surface

from anix_cli.core.errors import AnixError, Diagnostic
from anix_cli.core.gaussians import concatenate
from anix_cli.core.screenplay import SceneSpec
from anix_cli.scene import open_scene, similarity, transform, write_ply
from anix_cli.scene.collider import solid_of
from anix_cli.scene.formats.mesh import read_triangles
from anix_cli.scene.formats.mesh_structure import walk_mesh
from anix_cli.store.store import Store

F64 = NDArray[np.float64]


def glb(path: Path, parts: Sequence[dict[str, Any]], nodes: Sequence[dict[str, Any]] | None = None) -> Path:
    """A GLB of one mesh a part: ``points`` [n, 3], ``index`` or None, and more keys of the primitive."""
    blob, views, accessors, meshes = b"", [], [], []

    def accessor(array: NDArray[Any], kind: str, code: int) -> int:
        nonlocal blob
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": array.nbytes})
        blob += array.tobytes() + bytes(-array.nbytes % 4)
        accessors.append(
            {"bufferView": len(views) - 1, "componentType": code, "count": len(array), "type": kind}
        )
        return len(accessors) - 1

    for part in parts:
        points, index = np.asarray(part["points"], np.float32), part.get("index")
        more = {key: value for key, value in part.items() if key not in ("points", "index")}
        primitive = {"attributes": {"POSITION": accessor(points, "VEC3", 5126)}, **more}
        if index is not None:
            index = np.asarray(index)
            code = {"uint8": 5121, "uint16": 5123, "uint32": 5125, "float32": 5126}[index.dtype.name]
            primitive["indices"] = accessor(index, "SCALAR", code)
        meshes.append({"primitives": [primitive]})
    tree = {
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": len(blob)}],
        "bufferViews": views,
        "accessors": accessors,
        "meshes": meshes,
        "nodes": nodes or [{"mesh": index} for index in range(len(meshes))],
    }
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    whole = (
        struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(blob), 0x004E4942) + blob
    )
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(whole)) + whole)
    return path


def quad(a: Sequence[float], b: Sequence[float], c: Sequence[float], d: Sequence[float]) -> dict[str, Any]:
    return {"points": [a, b, c, d], "index": np.array([0, 1, 2, 0, 2, 3], np.uint16)}


def yard(height: float = 0.0) -> list[dict[str, Any]]:
    """Ground of 20 × 20 m and a wall across it at z = 8, +Y up."""
    low, high = (-10, height), (10, height)
    ground = quad((*low, -10), (*high, -10), (*high, 10), (*low, 10))
    wall = quad((-10, 0, 8), (10, 0, 8), (10, 6, 8), (-10, 6, 8))
    return [ground, wall]


def turned(parts: list[dict[str, Any]], matrix: F64) -> list[dict[str, Any]]:
    return [{**part, "points": np.asarray(part["points"]) @ matrix[:3, :3].T} for part in parts]


def corners(path: Path) -> F64:
    return read_triangles(path).reshape(-1, 9)


def test_triangles_strips_and_fans_are_the_same_square(tmp_path: Path) -> None:
    a, b, c, d = (0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)
    plain = glb(tmp_path / "a.glb", [{"points": [a, b, c, a, c, d]}])
    wanted = np.array([[a, b, c], [a, c, d]], float)
    np.testing.assert_array_equal(read_triangles(plain), wanted)
    for dtype in (np.uint8, np.uint16, np.uint32):
        index = np.array([0, 1, 2, 0, 2, 3, 1], dtype)  # the last one is over
        np.testing.assert_array_equal(
            read_triangles(glb(tmp_path / "b.glb", [{"points": [a, b, c, d], "index": index}])), wanted
        )
    fan = read_triangles(glb(tmp_path / "c.glb", [{"points": [a, b, c, d], "mode": 6}]))
    np.testing.assert_array_equal(fan, wanted)
    strip = read_triangles(glb(tmp_path / "d.glb", [{"points": [a, b, d, c], "mode": 5}]))
    np.testing.assert_array_equal(strip, [[a, b, d], [b, d, c]])


def test_nodes_place_meshes_and_other_primitives_are_passed_over(tmp_path: Path) -> None:
    nodes = [
        {"mesh": 0, "scale": [2, 2, 2], "children": [1]},
        {"mesh": 0, "translation": [0, 3, 0], "rotation": [0, 0.5**0.5, 0, 0.5**0.5]},
        {"mesh": 1},
    ]
    points = {"points": [(9, 9, 9)] * 4, "mode": 0}
    path = glb(tmp_path / "a.glb", [{"points": [(1, 0, 0), (0, 1, 0), (0, 0, 1)]}, points], nodes)
    first, second = read_triangles(path)
    np.testing.assert_allclose(first, [[2, 0, 0], [0, 2, 0], [0, 0, 2]])
    np.testing.assert_allclose(second, [[0, 6, -2], [0, 8, 0], [2, 6, 0]], atol=1e-6)
    broken = glb(
        tmp_path / "b.glb", [{"points": [(np.nan, 0, 0), *[(1, 2, 3)] * 2, (0, 0, 0), (1, 0, 0), (0, 1, 0)]}]
    )
    assert len(read_triangles(broken)) == 1


def test_what_is_no_surface(tmp_path: Path) -> None:
    square = [(0, 0, 0), (1, 0, 0), (1, 0, 1)]
    cases = {
        "E317": glb(tmp_path / "points.glb", [{"points": square, "mode": 0}]),
        "E305": glb(
            tmp_path / "draco.glb",
            [{"points": square, "extensions": {"KHR_draco_mesh_compression": {"bufferView": 0}}}],
        ),
        "E307": glb(tmp_path / "floats.glb", [{"points": square, "index": np.zeros(3, np.float32)}]),
        "E306": tmp_path / "cut.glb",
        "E304": tmp_path / "ply.glb",
        "E302": tmp_path,
    }
    whole = glb(tmp_path / "whole.glb", yard()).read_bytes()
    cases["E306"].write_bytes(whole[:-40])
    cases["E304"].write_bytes(b"ply\nformat ascii 1.0\n")
    for code, path in cases.items():
        with pytest.raises(AnixError, match=code):
            walk_mesh(path)
    with pytest.raises(AnixError, match="E307"):
        read_triangles(
            glb(tmp_path / "far.glb", [{"points": square, "index": np.array([0, 1, 9], np.uint8)}])
        )


def test_a_solid_lies_on_its_triangles_and_covers_them(tmp_path: Path) -> None:
    triangles = read_triangles(glb(tmp_path / "a.glb", yard()))
    solid = solid_of(triangles, 5_000)
    assert len(solid) == pytest.approx(5_000, rel=0.02)
    on_ground = np.abs(solid.means[:, 1]) < 1e-6
    on_wall = np.abs(solid.means[:, 2] - 8) < 1e-5
    assert (on_ground | on_wall).all()
    assert on_ground.mean() == pytest.approx(400 / 520, abs=0.01)
    area = 2 * np.pi * (solid.scales[:, 0] * solid.scales[:, 2]).sum()
    assert 1.5 < area / 520 < 3
    # Thin along the normal: +Y on the ground, ±Z on the wall.
    w, x, y, z = solid.quats.T
    thin = np.stack([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)], axis=1)
    np.testing.assert_allclose(np.abs(thin[on_ground]), [[0, 1, 0]] * on_ground.sum(), atol=1e-6)
    np.testing.assert_allclose(np.abs(thin[~on_ground]), [[0, 0, 1]] * (~on_ground).sum(), atol=1e-6)
    assert len(solid_of(np.zeros((2, 3, 3)))) == 0


@pytest.fixture
def hanging(tmp_path: Path) -> Path:
    """The yard's splats as PLY has them, head down, with a hole in the ground as large as a car."""
    ground = surface(flat)
    x, _, z = ground.means.T
    seen = ground.take(~((np.abs(x - 5) < 3) & (np.abs(z) < 3)))
    path = tmp_path / "yard.ply"
    write_ply(path, transform(concatenate([seen, FACADE]), similarity("-y", 1.0)))
    return path


@pytest.mark.parametrize("frame", ["file", "gltf"])
def test_ground_and_walls_come_from_the_collider(hanging: Path, tmp_path: Path, frame: str) -> None:
    raised = yard(0.1)  # a little above the splats, so that it can be told whose ground it is
    mesh = turned(raised, similarity("-y", 1.0)) if frame == "file" else raised
    collider = glb(tmp_path / "yard.glb", mesh)
    spec = SceneSpec(hanging, up="-y", scale=2.0, collider=collider)
    scene, plain = open_scene(spec), open_scene(replace(spec, collider=None))
    assert scene.stage.notes == ()
    np.testing.assert_allclose(scene.stage.ground.at([[0, 0], [10, 0], [-9, 9]]), 0.2, atol=0.04)
    np.testing.assert_allclose(plain.stage.ground.at([[0, 0], [10, 0]]), 0, atol=0.05)
    assert scene.stage.key != plain.stage.key
    np.testing.assert_array_equal(scene.gaussians.means, plain.gaussians.means)
    assert scene.free.standing.on_floor([10, 0]) and not plain.free.standing.on_floor([10, 0])
    assert not scene.free.standing.free([0, 16]) and scene.free.standing.free([0, 14])


def test_a_collider_is_kept_with_the_stage_and_counts_by_content(hanging: Path, tmp_path: Path) -> None:
    collider = glb(tmp_path / "yard.glb", yard(0.1))
    spec, store = SceneSpec(hanging, scale=1.0, collider=collider), Store(tmp_path / "store")
    first = open_scene(spec, store=store)
    again = open_scene(spec, store=store)
    assert again.loaded is None and again.stage.key == first.stage.key
    np.testing.assert_array_equal(again.free.taken, first.free.taken)
    glb(tmp_path / "yard.glb", yard(0.2))
    changed = open_scene(spec, store=store)
    assert changed.loaded is not None and changed.stage.key != first.stage.key


@pytest.mark.parametrize(
    "points",
    [
        [(1, 2, 3)] * 6,
        [(0, 0, 0), (1, 1, 1), (2, 2, 2)],
        [(np.nan, 0, 0), (1, 0, 0), (0, 0, 1)],
        [(1e30, 0, 0), (0, 0, 1e30), (0, 1e30, 0)],
        [(0, 0, 0), (np.inf, 0, 0), (0, 0, 1), (5, 5, 5), (5, 5, 5), (7, 7, 7)],
    ],
)
@pytest.mark.filterwarnings("error")
def test_triangles_without_an_area_are_no_surface(
    points: list[tuple[float, ...]], hanging: Path, tmp_path: Path
) -> None:
    asked: list[tuple[str, str]] = []

    def explain(key: str, code: str, message: str, **details: Any) -> Diagnostic:
        asked.append((key, code))
        return Diagnostic(code, message, **details)

    spec = SceneSpec(hanging, scale=1.0, collider=glb(tmp_path / "thin.glb", [{"points": points}]))
    with pytest.raises(AnixError, match=r"E317 thin\.glb holds no surface: not one of its triangles"):
        open_scene(spec, explain=explain)
    assert asked == [("collider", "E317")]


def test_a_collider_from_elsewhere_is_told_and_left_aside(hanging: Path, tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []

    def explain(key: str, code: str, message: str, **details: Any) -> Diagnostic:
        asked.append((key, code))
        return Diagnostic(code, message, **details)

    far = glb(tmp_path / "far.glb", turned(yard(-40), np.diag([50.0, 1, 50])))
    spec = SceneSpec(hanging, up="-y", scale=1.0, collider=far)
    stage = open_scene(spec, explain=explain).stage
    assert asked == [("collider", "W314")]
    assert "W314" in [told.code for told in open_scene(spec).stage.notes]
    np.testing.assert_allclose(stage.ground.at([0, 0]), 0, atol=0.05)
    far.write_bytes(b"no mesh at all")
    with pytest.raises(AnixError, match=r"E304 far\.glb is no glTF mesh"):
        open_scene(spec, explain=explain)
    assert asked[-1] == ("collider", "E304")
    far.unlink()
    with pytest.raises(AnixError, match="E302"):
        open_scene(spec, explain=explain)
    assert asked[-1] == ("collider", "E302")
