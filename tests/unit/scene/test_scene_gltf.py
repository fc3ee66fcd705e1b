"""Gaussians in glTF: as attributes and as SPZ, placed by nodes; damage is named."""

from __future__ import annotations

import base64
import gzip
import json
import struct
from pathlib import Path
from urllib.parse import quote

import containers as make
import numpy as np
import pytest
from reading import error, read, same_turn, scan
from splat_files import covariances, rotation_matrices

from anix_cli.scene import (
    read_splats,
    scene_digest,
    scene_files,
    transform,
    write_spz,
)


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_glb(tmp_path: Path, degree: int) -> None:
    scene = scan(17, degree)
    got = read(tmp_path / "a.glb", make.glb(*make.gltf([({}, make.splat_attributes(scene))])))
    assert (got.info.format, got.info.frame) == ("glTF", "+y up (glTF specification)")
    for field in ("means", "quats", "scales", "opacities", "sh"):
        np.testing.assert_allclose(getattr(got.gaussians, field), getattr(scene, field), rtol=1e-6, atol=1e-6)


def test_gltf_beside_its_buffer_or_with_it(tmp_path: Path) -> None:
    scene = scan(4, 1)
    tree, data = make.gltf([({}, make.splat_attributes(scene))])
    inside = read(tmp_path / "a.gltf", make.gltf_text(tree, data)).gaussians
    (tmp_path / "my data.bin").write_bytes(data)
    beside = read(tmp_path / "b.gltf", make.gltf_text(tree, data, "my%20data.bin")).gaussians
    np.testing.assert_array_equal(inside.means, beside.means)
    np.testing.assert_array_equal(inside.sh, scene.sh)
    assert scene_files(tmp_path / "b.gltf") == (tmp_path / "b.gltf", tmp_path / "my data.bin")
    before = scene_digest(tmp_path / "b.gltf")
    (tmp_path / "my data.bin").write_bytes(bytes(len(data)))
    assert scene_digest(tmp_path / "b.gltf") != before
    for uri in ("../secret.bin", "/etc/passwd", "missing.bin", "data:;base64,***"):
        error(tmp_path / "c.gltf", make.gltf_text(tree, data, uri), "E307")


def test_gltf_drafts_and_small_numbers(tmp_path: Path) -> None:
    scene = scan(8, 0)
    wanted = read(tmp_path / "a.glb", make.glb(*make.gltf([({}, make.splat_attributes(scene))]))).gaussians
    logs = make.splat_attributes(scene, log_scales=True)
    got = read(tmp_path / "b.glb", make.glb(*make.gltf([({}, logs)]))).gaussians
    np.testing.assert_allclose(got.scales, wanted.scales, rtol=1e-5)
    turned = np.round(scene.quats[:, [1, 2, 3, 0]] * 32767).astype("<i2")
    small = {
        "POSITION": scene.means,
        "_ROTATION": turned,
        "_SCALE": scene.scales,
        "COLOR_0": np.column_stack([0.5 + make.C0 * scene.sh[:, 0], scene.opacities]).astype("<f4"),
    }
    got = read(tmp_path / "c.glb", make.glb(*make.gltf([({}, small)]))).gaussians
    same_turn(got, wanted, 0.1)
    np.testing.assert_allclose(got.opacities, wanted.opacities, rtol=1e-6)
    np.testing.assert_allclose(got.sh, wanted.sh, atol=1e-5)
    linear = make.gltf([({}, make.splat_attributes(scene))], extra={"colorSpace": "lin_rec709_display"})
    assert [note.code for note in read(tmp_path / "d.glb", make.glb(*linear)).notes] == ["W313"]


def test_gltf_nodes_place_their_gaussians(tmp_path: Path) -> None:
    scene = scan(9, 2)
    half = float(np.sqrt(0.5))
    placed = {"translation": [1, 2, 3], "rotation": [half, 0, 0, half], "scale": [2, 2, 2]}
    columns = [0, 0, -2, 0, 0, 2, 0, 0, 2, 0, 0, 0, 5, 6, 7, 1]
    parts = [(placed, make.splat_attributes(scene)), ({"matrix": columns}, make.splat_attributes(scan(3, 1)))]
    got = read(tmp_path / "a.glb", make.glb(*make.gltf(parts)))
    assert (got.info.count, got.info.sh_degree) == (12, 2)
    move = np.array([[2, 0, 0, 1], [0, 0, -2, 2], [0, 2, 0, 3], [0, 0, 0, 1]], float)
    wanted = transform(scene, move)
    first = got.gaussians.take(np.arange(9))
    np.testing.assert_allclose(first.means, wanted.means, atol=1e-5)
    np.testing.assert_allclose(first.sh, wanted.sh, atol=1e-5)
    np.testing.assert_allclose(covariances(first), covariances(wanted), rtol=1e-4, atol=1e-6)
    second = np.array(columns, float).reshape(4, 4).T
    np.testing.assert_allclose(
        got.gaussians.means[9:], scan(3, 1).means @ second[:3, :3].T + second[:3, 3], atol=1e-5
    )
    shear = [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    for node in ({"scale": [1, 1, -1]}, {"matrix": shear}, {"scale": [0, 0, 0]}):
        data = make.glb(*make.gltf([(node, make.splat_attributes(scene))]))
        error(tmp_path / "b.glb", data, "E305", deep=True)
    for shift in (float("nan"), 1e300):
        data = make.glb(*make.gltf([({"translation": [0, shift, 0]}, make.splat_attributes(scene))]))
        error(tmp_path / "b.glb", data, "E307")
    data = make.glb(*make.gltf([({"scale": [9e14] * 3}, make.splat_attributes(scene))]))
    error(tmp_path / "b.glb", data, "E309", deep=True)


def turned(degrees: float) -> list[float]:
    """A rotation xyzw about an axis that is none of the main ones."""
    half = np.radians(degrees) / 2
    axis = np.array([1.0, 2.0, -1.0]) / np.sqrt(6)
    return [*(float(value) for value in axis * np.sin(half)), float(np.cos(half))]


def test_nodes_may_stretch(tmp_path: Path) -> None:
    scene = scan(40, 2)
    node = {"translation": [1, 2, 3], "rotation": turned(50), "scale": [2, 0.5, 3]}
    got = read(tmp_path / "a.glb", make.glb(*make.gltf([(node, make.splat_attributes(scene))]))).gaussians
    x, y, z, w = turned(50)
    turn = rotation_matrices(np.array([[w, x, y, z]]))[0]
    linear = turn @ np.diag([2, 0.5, 3])
    np.testing.assert_allclose(got.means, scene.means @ linear.T + [1, 2, 3], atol=1e-5)
    wanted = linear @ covariances(scene) @ linear.T
    size = np.trace(wanted, axis1=1, axis2=2)[:, None, None]
    assert (np.abs(covariances(got) - wanted) / size).max() < 1e-5
    np.testing.assert_allclose(np.linalg.norm(got.quats, axis=1), 1, atol=1e-6)
    rigid = np.eye(4)
    rigid[:3, :3] = turn
    np.testing.assert_allclose(got.sh, transform(scene, rigid).sh, atol=1e-5)
    # Under a turned parent it still stretches; under a stretched parent, a turned node skews.
    nodes = [{"rotation": turned(70), "children": [1]}, {"mesh": 0, "scale": [1, 2, 1]}]
    tree, data = make.gltf([({}, make.splat_attributes(scene))])
    tree |= {"nodes": nodes, "scenes": [{"nodes": [0]}]}
    assert len(read(tmp_path / "b.glb", make.glb(tree, data)).gaussians) == 40
    nodes[0], nodes[1] = {"scale": [1, 2, 1], "children": [1]}, {"mesh": 0, "rotation": turned(70)}
    error(tmp_path / "b.glb", make.glb(tree, data), "E305", deep=True)


def test_rotations_of_nodes_need_not_be_unit(tmp_path: Path) -> None:
    scene = scan(5, 0)
    parts = [({"rotation": [5 * value for value in turned(50)]}, make.splat_attributes(scene))]
    got = read(tmp_path / "a.glb", make.glb(*make.gltf(parts))).gaussians
    parts = [({"rotation": turned(50)}, make.splat_attributes(scene))]
    np.testing.assert_allclose(
        got.means, read(tmp_path / "b.glb", make.glb(*make.gltf(parts))).gaussians.means, atol=1e-5
    )
    for node in ({"rotation": [0, 0, 0, 0]}, {"matrix": [1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}):
        data = make.glb(*make.gltf([(node, make.splat_attributes(scene))]))
        error(tmp_path / "c.glb", data, "E307")


def test_one_mesh_in_many_places(tmp_path: Path) -> None:
    scene = scan(3, 1)
    tree, data = make.gltf([({}, make.splat_attributes(scene))])

    def placed(count: int) -> bytes:
        nodes = [{"mesh": 0, "translation": [i, 0, 0]} for i in range(count)]
        return make.glb({**tree, "nodes": nodes, "scenes": [{"nodes": list(range(count))}]}, data)

    got = read(tmp_path / "a.glb", placed(300)).gaussians
    wanted = scene.means + np.arange(300)[:, None, None] * np.array([1, 0, 0])
    np.testing.assert_allclose(got.means, wanted.reshape(-1, 3), atol=1e-4)
    assert "more than 10,000 places" in error(tmp_path / "b.glb", placed(10_001), "E312")


def test_opacities_that_are_something_else(tmp_path: Path) -> None:
    scene, path = scan(40, 0), tmp_path / "a.glb"
    attributes = make.splat_attributes(scene)
    name = "KHR_gaussian_splatting:OPACITY"
    for values in (np.log(scene.opacities / (1 - scene.opacities)), scene.opacities * 255):
        data = make.glb(*make.gltf([({}, {**attributes, name: values[:, None].astype("<f4")})]))
        assert "where 0 to 1 is all there is" in error(path, data, "E307", deep=True)
    over = np.minimum(scene.opacities + np.float32(0.005), 1.005)
    got = read(path, make.glb(*make.gltf([({}, {**attributes, name: over[:, None]})]))).gaussians
    np.testing.assert_array_equal(got.opacities, np.minimum(over, 1))


def test_one_negative_size_does_not_make_logarithms_of_all(tmp_path: Path) -> None:
    scene = scan(100, 0)
    attributes = make.splat_attributes(scene)
    sizes = attributes["KHR_gaussian_splatting:SCALE"].copy()
    sizes[7, 1] *= -1
    data = make.glb(*make.gltf([({}, {**attributes, "KHR_gaussian_splatting:SCALE": sizes})]))
    np.testing.assert_array_equal(read(tmp_path / "a.glb", data).gaussians.scales, scene.scales)


def test_harmonics_above_degree_3_and_bytes_after_the_end_are_told(tmp_path: Path) -> None:
    scene = scan(4, 3)
    attributes = make.splat_attributes(scene)
    attributes |= {f"KHR_gaussian_splatting:SH_DEGREE_4_COEF_{n}": scene.means for n in range(9)}
    got = read(tmp_path / "a.glb", make.glb(*make.gltf([({}, attributes)])) + b"123")
    assert [note.code for note in got.notes] == ["W311", "W305"]
    np.testing.assert_array_equal(got.gaussians.sh, scene.sh)


@pytest.mark.parametrize("kind", ["upper case", "spaces", "percent", "plain percent", "no base64"])
def test_embedded_buffers(tmp_path: Path, kind: str) -> None:
    scene = scan(4, 1)
    tree, data = make.gltf([({}, make.splat_attributes(scene))])
    text = base64.b64encode(data).decode()
    uri = {
        "upper case": f"DATA:application/gltf-buffer;BASE64,{text}",
        "spaces": f"data:;base64,{text[:60]}\n {text[60:]}",
        "percent": f"data:;base64,{quote(text, safe='')}",
        "plain percent": "data:application/octet-stream," + "".join(f"%{byte:02x}" for byte in data),
        "no base64": "data:application/octet-stream;base64,***",
    }[kind]
    if kind == "no base64":
        error(tmp_path / "a.gltf", make.gltf_text(tree, data, uri), "E307")
        return
    got = read(tmp_path / "a.gltf", make.gltf_text(tree, data, uri)).gaussians
    np.testing.assert_array_equal(got.sh, scene.sh)


def test_the_frame_that_an_spz_inside_tells(tmp_path: Path) -> None:
    """Coordinates that its extension says to be RDF become glTF's +Y up."""
    write_spz(tmp_path / "a.spz", scan(6, 1))
    payload = bytearray(gzip.decompress((tmp_path / "a.spz").read_bytes()))
    payload[14] |= 2
    blobs = [gzip.compress(bytes(payload) + struct.pack("<III", 0xADBE0003, 4, system)) for system in (4, 6)]
    clouds = []
    for blob in blobs:
        body = {"KHR_gaussian_splatting_compression_spz_2": {"bufferView": 0}}
        tree = {
            "asset": {"version": "2.0"}, "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {}, "extensions": {"KHR_gaussian_splatting":
                        {"extensions": body}}}]}],
            "bufferViews": [{"buffer": 0, "byteLength": len(blob)}], "buffers": [{"byteLength": len(blob)}],
        }  # fmt: skip
        clouds.append(read(tmp_path / "a.glb", make.glb(tree, blob)).gaussians)
    np.testing.assert_array_equal(clouds[1].means, clouds[0].means * np.float32([1, -1, -1]))


@pytest.mark.parametrize("place", ["inside", "beside"])
def test_spz_inside_gltf(tmp_path: Path, place: str) -> None:

    scene = scan(20, 1)
    write_spz(tmp_path / "a.spz", scene)
    blob = (tmp_path / "a.spz").read_bytes()
    body = {"bufferView": 0}
    if place == "inside":
        nested = {"KHR_gaussian_splatting_compression_spz_2": body}
        extensions = {"KHR_gaussian_splatting": {"extensions": nested}}
    else:
        extensions = {"KHR_spz_gaussian_splats_compression": body}
    tree = {
        "asset": {"version": "2.0"}, "nodes": [{"children": [1]}, {"mesh": 0, "translation": [0, 5, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "extensions": extensions}]}],
        "bufferViews": [{"buffer": 0, "byteLength": len(blob)}], "buffers": [{"byteLength": len(blob)}],
    }  # fmt: skip
    got = read(tmp_path / "a.glb", make.glb(tree, blob))
    assert (got.info.format, got.info.sh_degree) == ("glTF (SPZ)", 1)
    wanted = read_splats(tmp_path / "a.spz").gaussians
    np.testing.assert_allclose(got.gaussians.means, wanted.means + np.float32([0, 5, 0]), atol=1e-6)
    error(tmp_path / "b.glb", make.glb(tree, blob[:-9] + bytes(9)), "E311|E306")


def test_broken_gltf(tmp_path: Path) -> None:
    scene, path = scan(5, 1), tmp_path / "a.glb"
    tree, data = make.gltf([({}, make.splat_attributes(scene))])
    whole = make.glb(tree, data)
    assert f"{len(whole):,} bytes, the file has {len(whole) - 5:,}" in error(path, whole[:-5], "E306")
    error(path, whole[:14], "E306")

    def changed(**places: object) -> bytes:
        new = json.loads(json.dumps(tree))
        for place, value in places.items():
            *keys, last = place.split("__")
            target = new
            for key in keys:
                target = target[int(key) if key.isdigit() else key]
            target[int(last) if last.isdigit() else last] = value
        return make.glb(new, data)

    attributes = "meshes__0__primitives__0__attributes"
    error(path, changed(accessors__0__count=6), "E307")
    error(path, changed(accessors__0__count=10**12), "E307")
    error(path, changed(accessors__0__count=-1), "E307")
    error(path, changed(accessors__0__bufferView=99), "E307")
    error(path, changed(accessors__0__sparse={}), "E305")
    error(path, changed(accessors__0__type="VEC4"), "E307")
    error(path, changed(bufferViews__0__byteLength=10**9), "E307")
    error(path, changed(bufferViews__0__extensions={"EXT_meshopt_compression": {}}), "E305")
    error(path, changed(**{attributes: {"POSITION": 0}}), "E307")
    lacking = dict(tree["meshes"][0]["primitives"][0]["attributes"])
    first = lacking.pop("KHR_gaussian_splatting:SH_DEGREE_1_COEF_0")
    assert "SH_DEGREE_1_COEF_0" in error(path, changed(**{attributes: lacking}), "E310")
    lacking["KHR_gaussian_splatting:SH_DEGREE_1_COEF_0"] = first
    del lacking["KHR_gaussian_splatting:SH_DEGREE_1_COEF_2"]
    error(path, changed(**{attributes: lacking}), "E310")
    packed = {"KHR_gaussian_splatting": {"extensions": {"EXT_splat_compression_x": {}}}}
    inner = changed(**{attributes: {"POSITION": 0}, "meshes__0__primitives__0__extensions": packed})
    assert "compressed with EXT_splat_compression_x" in error(path, inner, "E305")
    for place in ("nodes__0__mesh", "scene"):
        assert "-1 stands where an index" in error(path, changed(**{place: -1}), "E307")
    assert "“5124” is missing or unknown" in error(path, changed(accessors__0__componentType=5124), "E307")
    assert "first part is no description" in error(path, whole[:16] + b"BIN\0" + whole[20:], "E307")
    error(path, changed(nodes=[{"children": [0], "mesh": 0}]), "E307")
    error(path, changed(buffers=[]), "E307")
    error(path, changed(buffers__0__byteLength=10**9), "E306")
    error(path, changed(meshes__0__primitives__0__extensions={}), "E304")
    error(path, make.glb({"scenes": []}, b""), "E304")


def test_a_tile_on_the_globe_keeps_its_precision(tmp_path: Path) -> None:
    scene = scan(12, 0)
    place = np.array([4_210_520.25, 1_020_300.5, 4_660_120.75])
    got = read(
        tmp_path / "a.glb",
        make.glb(*make.gltf([({"translation": place.tolist()}, make.splat_attributes(scene))])),
    )
    np.testing.assert_allclose(got.gaussians.means + np.array(got.offset), scene.means + place, atol=1e-5)
    assert got.notes == ()
