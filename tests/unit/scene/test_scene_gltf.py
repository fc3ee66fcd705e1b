"""Gaussians in glTF: as attributes and as SPZ, placed by nodes; damage is named."""

from __future__ import annotations

import json
from pathlib import Path

import containers as make
import numpy as np
import pytest
from reading import error, read, same_turn, scan
from splat_files import covariances

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
    for node in ({"scale": [1, 1, -1]}, {"scale": [1, 2, 1]}, {"scale": [0, 0, 0]}):
        data = make.glb(*make.gltf([(node, make.splat_attributes(scene))]))
        error(tmp_path / "b.glb", data, "E305", deep=True)
    for shift in (float("nan"), 1e300):
        data = make.glb(*make.gltf([({"translation": [0, shift, 0]}, make.splat_attributes(scene))]))
        error(tmp_path / "b.glb", data, "E307")
    data = make.glb(*make.gltf([({"scale": [9e14] * 3}, make.splat_attributes(scene))]))
    error(tmp_path / "b.glb", data, "E309", deep=True)


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
    del lacking["KHR_gaussian_splatting:SH_DEGREE_1_COEF_2"]
    error(path, changed(**{attributes: lacking}), "E310")
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
