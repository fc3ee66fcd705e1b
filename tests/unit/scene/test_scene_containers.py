"""The same Gaussians through every container come back within its quantisation step."""

from __future__ import annotations

import json
import struct
import sys
from dataclasses import replace
from pathlib import Path

import containers as make
import numpy as np
import pytest
from splat_files import covariances, names, ply, random_gaussians, rows

from anix_cli.core.errors import AnixError
from anix_cli.core.gaussians import Gaussians
from anix_cli.scene import SplatFile, probe, read_splats, scene_digest, scene_files, similarity, transform

HALF = 0.502
"""Half a step and what float32 adds."""


def scan(count: int, degree: int, seed: int = 0) -> Gaussians:
    """Gaussians with colours that bytes can hold."""
    scene = random_gaussians(count, degree, seed)
    return replace(scene, sh=scene.sh * np.float32(0.9))


def read(path: Path, data: bytes) -> SplatFile:
    path.write_bytes(data)
    scene = read_splats(path)
    info = probe(path)
    assert (info.format, info.count, info.sh_degree) == (
        scene.info.format,
        scene.info.count,
        scene.info.sh_degree,
    )
    return scene


def error(path: Path, data: bytes, code: str, *, deep: bool = False) -> str:
    """The message of reading; of probing as well, unless only decoding can find it."""
    path.write_bytes(data)
    with pytest.raises(AnixError, match=code) as caught:
        read_splats(path)
    if not deep:
        with pytest.raises(AnixError) as quick:
            probe(path)
        assert quick.value.diagnostics == caught.value.diagnostics
    return str(caught.value)


def near(got: np.ndarray, wanted: np.ndarray, step: float | np.ndarray) -> None:
    assert got.shape == wanted.shape
    excess = np.abs(got.astype(np.float64) - wanted.astype(np.float64)) / np.asarray(step)
    assert excess.max(initial=0) <= HALF


def same_turn(got: Gaussians, wanted: Gaussians, degrees: float) -> None:
    same = np.abs(np.einsum("ij,ij->i", got.quats.astype(np.float64), wanted.quats))
    assert np.degrees(2 * np.arccos(np.minimum(same, 1))).max() < degrees
    np.testing.assert_allclose(np.linalg.norm(got.quats, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("columns", [12, 18])
@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_compressed_ply(tmp_path: Path, columns: int, degree: int) -> None:
    scene = scan(300, degree)
    got = read(tmp_path / "a.ply", make.compressed_ply(scene, columns=columns))
    assert (got.info.format, got.info.frame, got.dropped) == (
        "compressed PLY",
        "+Y down (PLY convention)",
        0,
    )
    for start in (0, 256):
        part = slice(start, start + 256)
        for field in ("means", "scales"):
            a, b = getattr(got.gaussians, field)[part], getattr(scene, field)[part]
            if field == "scales":
                a, b = np.log(a), np.log(b)
            near(a, b, np.ptp(b, axis=0) / (2047, 1023, 2047) + 1e-6)
        span = np.ptp(scene.sh[part, 0], axis=0) if columns == 18 else 1 / make.C0
        near(got.gaussians.sh[part, 0], scene.sh[part, 0], span / 255)
    near(got.gaussians.opacities, scene.opacities, 1 / 255)
    same_turn(got.gaussians, scene, 0.3)
    near(got.gaussians.sh[:, 1:], scene.sh[:, 1:], 8 / 256)


def test_compressed_ply_keeps_its_mode_and_frame(tmp_path: Path) -> None:
    data = make.compressed_ply(scan(3, 0), comment="SplatRenderMode: mip")
    assert read(tmp_path / "a.ply", data).gaussians.antialiased
    assert (
        read(tmp_path / "b.ply", make.compressed_ply(scan(3, 0), comment="Vertical Axis: z")).info.up == "+z"
    )


def test_broken_compressed_ply(tmp_path: Path) -> None:
    path, data = tmp_path / "a.ply", make.compressed_ply(scan(300, 1))
    message = error(path, data[:-1], "E306")
    assert f"{len(data):,} bytes" in message
    assert f"{len(data) - 1:,}" in message
    error(path, data.replace(b"element chunk 2", b"element chunk 1"), "E307")
    error(path, data.replace(b"element sh 300", b"element sh 299"), "E307")
    error(path, data.replace(b"property uint packed_scale", b"property uchar packed_scale"), "E307")
    error(path, data.replace(b"binary_little_endian", b"ascii"), "E305")
    error(path, data.replace(b"uchar f_rest_8", b"uchar f_rest_9"), "E310")


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("degree", [0, 1, 2, 3])
@pytest.mark.parametrize("bundled", [True, False])
def test_sog(tmp_path: Path, version: int, degree: int, bundled: bool) -> None:
    scene = scan(61, degree, seed=degree)
    files = make.sog(scene, version=version)
    if bundled:
        got = read(tmp_path / "a.sog", make.zipped(files, packed=degree == 1, prefix="x/" if degree else ""))
        assert scene_files(tmp_path / "a.sog") == (tmp_path / "a.sog",)
    else:
        for name, data in files.items():
            (tmp_path / name).write_bytes(data)
        got = read_splats(tmp_path)
        assert probe(tmp_path / "meta.json") == got.info
        assert {file.name for file in scene_files(tmp_path)} == set(files)
    assert (got.info.format, got.info.sh_degree) == (f"SOG v{version}", degree)
    assert got.info.frame == "+Y down (PLY convention)"
    span = np.ptp(np.sign(scene.means) * np.log1p(np.abs(scene.means)), axis=0)
    near(got.gaussians.means, scene.means, (1 + np.abs(scene.means)) * span / 65535 * 1.01)
    logs = np.log(scene.scales)
    near(np.log(got.gaussians.scales), logs, np.ptp(logs, axis=None if version == 2 else 0) / 255)
    near(
        got.gaussians.sh[:, 0], scene.sh[:, 0], np.ptp(scene.sh[:, 0], axis=None if version == 2 else 0) / 255
    )
    if degree:
        near(got.gaussians.sh[:, 1:], scene.sh[:, 1:], np.ptp(scene.sh[:, 1:]) / 255)
    if version == 2:
        near(got.gaussians.opacities, scene.opacities, 1 / 255)
    else:
        logits = [np.log(g.opacities / (1 - g.opacities)) for g in (got.gaussians, scene)]
        near(logits[0], logits[1], np.ptp(logits[1]) / 255 * 1.01)
    same_turn(got.gaussians, scene, 1.2)


@pytest.mark.parametrize("mode", [{"antialias": True}, {"model": "antialiased"}])
def test_sog_may_be_antialiased(tmp_path: Path, mode: dict[str, object]) -> None:
    files = make.sog(scan(5, 0))
    assert not read(tmp_path / "a.sog", make.zipped(files)).gaussians.antialiased
    files["meta.json"] = json.dumps({**json.loads(files["meta.json"]), **mode}).encode()
    assert read(tmp_path / "b.sog", make.zipped(files)).gaussians.antialiased


def with_meta(files: dict[str, bytes], **changes: object) -> bytes:
    """A bundle whose meta.json has other entries; a name with two underscores goes one level down."""
    meta = json.loads(files["meta.json"])
    for name, value in changes.items():
        section, _, key = name.partition("__")
        if key:
            meta[section][key] = value
        else:
            meta[section] = value
    return make.zipped({**files, "meta.json": json.dumps(meta).encode()})


@pytest.mark.parametrize(
    ("changes", "code", "says"),
    [
        ({"version": 3}, "E305", "SOG version 3"),
        ({"count": 0}, "E309", "no Gaussians"),
        ({"count": 10**9}, "E312", "1,000,000,000"),
        ({"count": 700_000}, "E307", "8 × 1 pixels is too small"),
        ({"count": "many"}, "E307", "no count"),
        ({"count": True}, "E307", "no count"),
        ({"means__mins": [0, 1]}, "E307", "expected 3 numbers, found 2"),
        ({"means__mins": [0, 1, float("nan")]}, "E307", "expected 3 numbers"),
        ({"scales__codebook": [1.0] * 255}, "E307", "256"),
        ({"quats__files": ["../quats.webp"]}, "E307", "lacks"),
        ({"quats__files": ["NUL.webp"]}, "E307", "lacks"),
        ({"quats__files": []}, "E307", "lacks entries"),
        ({"quats__files": [7]}, "E307", "no text"),
        ({"shN__bands": 4}, "E310", "degree 4"),
        ({"shN__bands": 2}, "E307", "palette"),
        ({"shN__count": 1e300}, "E307", "no count of harmonics"),
        ({"shN__count": 65_537}, "E307", "65,536"),
        ({"shN__count": 500}, "E307", "palette"),
        ({"means": 3}, "E304", "names no Gaussians"),
    ],
)
def test_sog_whose_meta_is_wrong(tmp_path: Path, changes: dict[str, object], code: str, says: str) -> None:
    files = make.sog(scan(5, 1))
    assert says in error(tmp_path / "a.sog", with_meta(files, **changes), code)


def test_sog_whose_pictures_are_wrong(tmp_path: Path) -> None:
    files, path = make.sog(scan(5, 1)), tmp_path / "a.sog"
    error(path, make.zipped({k: v for k, v in files.items() if k != "sh0.webp"}), "E307")
    error(path, make.zipped({**files, "meta.json": b"{"}), "E307")
    error(path, make.zipped({**files, "meta.json": b"[" * 100_000}), "E307")
    error(path, make.zipped({**files, "sh0.webp": b"GIF89a" + bytes(100)}), "E307")
    error(path, make.zipped({**files, "sh0.webp": files["sh0.webp"][:-4]}), "E306")
    error(path, make.zipped({"readme.txt": b"x"}), "E304")
    huge = make.webp(np.zeros((2000, 2000, 4), np.uint8))
    error(path, make.zipped({**files, "sh0.webp": huge}), "E307")
    lossy = b"RIFF\x40\0\0\0WEBPVP8 \x34\0\0\0\0\0\0\x9d\x01\x2a\x08\0\x01\0" + bytes(42)
    assert "with loss" in error(path, make.zipped({**files, "sh0.webp": lossy}), "E307")
    spoilt = bytearray(files["sh0.webp"])
    spoilt[22:] = b"\xff" * (len(spoilt) - 22)
    spoilt[21:25] = files["sh0.webp"][21:25]
    error(path, make.zipped({**files, "sh0.webp": bytes(spoilt)}), "E311", deep=True)
    assert "names harmonics 4 of a palette of 2" in error(
        path, with_meta(files, shN__count=2), "E307", deep=True
    )
    whole = make.zipped(files)
    error(path, whole[: len(whole) // 2], "E306")
    at = whole.index(files["quats.webp"]) + 30
    error(path, whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :], "E311", deep=True)


def test_sog_first_entry_left_out(tmp_path: Path) -> None:
    files = make.sog(scan(5, 0))
    book = json.loads(files["meta.json"])["scales"]["codebook"]
    wanted = read(tmp_path / "a.sog", make.zipped(files)).gaussians.scales
    got = read(tmp_path / "b.sog", with_meta(files, scales__codebook=[None, *book[1:]])).gaussians.scales
    np.testing.assert_allclose(got, wanted, rtol=1e-3)


def test_sog_marks_of_rotations_that_are_none(tmp_path: Path) -> None:
    scene = scan(6, 0)
    files = make.sog(scene)
    pixels = np.full((1, 8, 4), 128, np.uint8)
    pixels[0, :, 3] = (252, 255, 7, 253, 254, 252, 0, 0)
    got = read(tmp_path / "a.sog", make.zipped({**files, "quats.webp": make.webp(pixels)}))
    assert (got.dropped, [note.code for note in got.notes]) == (1, ["W304"])
    assert len(got.gaussians.sh) == len(got.gaussians.means) == 5


def test_splat(tmp_path: Path) -> None:
    scene = scan(70, 0)
    got = read(tmp_path / "a.splat", make.splat(scene))
    assert (got.info.format, got.info.up) == (".splat", "-y")
    np.testing.assert_array_equal(got.gaussians.means, scene.means)
    np.testing.assert_array_equal(got.gaussians.scales, scene.scales)
    near(got.gaussians.opacities, scene.opacities, 1 / 255)
    near(got.gaussians.sh[:, 0], scene.sh[:, 0], 1 / 255 / make.C0)
    same_turn(got.gaussians, scene, 1.2)
    # Nothing marks the format: rows that can be Gaussians do, under whatever name.
    assert read(tmp_path / "b.bin", make.splat(scene)).info.format == ".splat"


def test_broken_splat(tmp_path: Path) -> None:
    data = make.splat(scan(70, 0))
    message = error(tmp_path / "a.splat", data[:-19], "E306")
    assert "2,221 bytes are 69 Gaussians of 32 bytes and 13 bytes" in message
    assert "2,240 were expected" in message
    error(tmp_path / "a.splat", b"", "E303")
    error(tmp_path / "a.splat", np.random.default_rng(0).bytes(3200), "E304")
    error(tmp_path / "a.bin", data[:-19], "E304")


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("spare", [0, 3])
def test_ksplat(tmp_path: Path, level: int, degree: int, spare: int) -> None:
    first, second = scan(11, degree, seed=1), scan(6, min(degree, 1), seed=2)
    data = make.ksplat([first, second], level=level, block=20.0, spare=spare)
    got = read(tmp_path / "a.ksplat", data)
    assert (got.info.format, got.info.sh_degree, got.info.up) == (f".ksplat level {level}", degree, "-y")
    at = 0
    for scene in (first, second):
        part = got.gaussians.take(np.arange(at, at + len(scene)))
        at += len(scene)
        if level == 0:
            np.testing.assert_array_equal(part.means, scene.means)
        else:
            near(part.means, scene.means, 10 / 32767 + 1e-6)
        np.testing.assert_allclose(part.scales, scene.scales, rtol=1e-3)
        near(part.opacities, scene.opacities, 1 / 255)
        near(part.sh[:, 0], scene.sh[:, 0], 1 / 255 / make.C0)
        same_turn(part, scene, 0.15)
        width = scene.sh.shape[1]
        near(part.sh[:, 1:width], scene.sh[:, 1:], (1e-9, 2e-3, 2 / 255)[level])
        assert not part.sh[:, width:].any()


def test_ksplat_harmonics_have_a_range(tmp_path: Path) -> None:
    scene = scan(9, 2)
    for given, meant in (((-2.0, 2.0), (-2.0, 2.0)), ((0.0, 0.0), (-1.5, 1.5))):
        data = bytearray(make.ksplat([scene], level=2, sh_range=meant))
        struct.pack_into("<ff", data, 36, *given)
        got = read(tmp_path / "a.ksplat", bytes(data)).gaussians
        near(got.sh[:, 1:], scene.sh[:, 1:], (meant[1] - meant[0]) / 255)


def test_ksplat_whose_counts_were_not_filled_in(tmp_path: Path) -> None:
    data = make.ksplat([scan(9, 1), scan(3, 0)], level=1, block=20.0, written=False)
    assert len(read(tmp_path / "a.ksplat", data).gaussians) == 12


def test_broken_ksplat(tmp_path: Path) -> None:
    path, data = tmp_path / "a.ksplat", make.ksplat([scan(9, 1)], level=1, block=20.0)
    message = error(path, data[:-1], "E306")
    assert f"9 Gaussians = {len(data):,} bytes" in message
    error(path, data[:4500], "E306")
    assert [note.code for note in read(path, data + b"123").notes] == ["W305"]

    def changed(at: int, pattern: str, *values: float) -> bytes:
        new = bytearray(data)
        struct.pack_into(pattern, new, at, *values)
        return bytes(new)

    error(path, changed(4096 + 40, "<H", 3), "E310")
    error(path, changed(4096, "<I", 10), "E307")
    error(path, changed(4096 + 32, "<I", 1), "E307", deep=True)
    error(path, changed(4096 + 36, "<I", 9), "E307")
    error(path, changed(4096 + 16, "<f", np.nan), "E307")
    error(path, changed(36, "<f", np.inf), "E307")
    error(path, changed(4096, "<II", 0, 0), "E309")
    error(path, changed(4096, "<II", 1 << 30, 1 << 30), "E312|E307")


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_glb(tmp_path: Path, degree: int) -> None:
    scene = scan(17, degree)
    got = read(tmp_path / "a.glb", make.glb(*make.gltf([({}, make.splat_attributes(scene))])))
    assert (got.info.format, got.info.frame) == ("glTF", "+Y up (glTF specification)")
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


@pytest.mark.parametrize("place", ["inside", "beside"])
def test_spz_inside_gltf(tmp_path: Path, place: str) -> None:
    from anix_cli.scene import write_spz

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


SIZES = {0: (9, 1, 3, 3, 4), 1: (9, 1, 3, 3, 4, 9), 3: (9, 1, 3, 3, 4, 45)}


@pytest.mark.parametrize("degree", [0, 1, 3])
def test_spz_4_holds_what_version_3_holds(tmp_path: Path, degree: int) -> None:
    import gzip

    from anix_cli.scene import write_spz

    write_spz(tmp_path / "a.spz", scan(40, degree), version=3, antialiased=True)
    payload = gzip.decompress((tmp_path / "a.spz").read_bytes())
    data = make.spz4(payload, [40 * size for size in SIZES[degree]])
    three, four = read_splats(tmp_path / "a.spz"), read(tmp_path / "b.spz", data)
    assert (four.info.format, four.info.frame) == ("SPZ v4", "+Y up (SPZ specification)")
    assert four.gaussians.antialiased
    for field in ("means", "quats", "scales", "opacities", "sh"):
        np.testing.assert_array_equal(getattr(three.gaussians, field), getattr(four.gaussians, field))
    down = struct.pack("<III", 0xADBE0003, 4, 6)
    assert (
        read(tmp_path / "c.spz", make.spz4(payload, [40 * s for s in SIZES[degree]], extensions=down)).info.up
        == "-y"
    )


def test_broken_spz_4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, path = np.random.default_rng(0), tmp_path / "a.spz"
    payload = struct.pack("<4sIIBBBB", b"NGSP", 3, 40, 0, 12, 0, 0) + rng.bytes(40 * 20)
    sizes = [40 * size for size in SIZES[0]]
    data = make.spz4(payload, sizes)
    message = error(path, data[:-1], "E306")
    assert f"40 Gaussians = {len(data):,} bytes" in message
    error(path, data[:20], "E306")
    error(path, data[:100], "E306")
    assert [note.code for note in read(path, data + b"12").notes] == ["W305"]

    def changed(at: int, pattern: str, *values: int) -> bytes:
        new = bytearray(data)
        struct.pack_into(pattern, new, at, *values)
        return bytes(new)

    error(path, changed(4, "<I", 5), "E305")
    error(path, changed(4, "<I", 3), "E307")
    error(path, changed(8, "<I", 0), "E309")
    error(path, changed(8, "<I", 41), "E307")
    error(path, changed(8, "<I", 2**31), "E312")
    error(path, changed(12, "<B", 5), "E310")
    error(path, changed(12, "<B", 1), "E307")
    error(path, changed(13, "<B", 99), "E307")
    error(path, changed(16, "<I", 8), "E307")
    error(path, changed(16, "<I", 2**32 - 1), "E306")
    error(path, changed(32, "<Q", 2**63), "E306")
    error(path, changed(40, "<Q", 2**63), "E307")
    error(path, changed(32 + 5 * 16, "<Q", 2**63), "E311", deep=True)
    # A column that unpacks to more, or to less, than its Gaussians take.
    for size in (200, 10_000_000):
        longer = make.spz4(payload[:16] + bytes(360) + bytes(size) + payload[416:], [360, size, *sizes[2:]])
        fixed = bytearray(longer)
        struct.pack_into("<Q", fixed, 32 + 16 + 8, 40)
        error(path, bytes(fixed), "E311", deep=True)
    path.write_bytes(data)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(AnixError, match=r"E316.*zstandard"):
        read_splats(path)
    assert probe(path).count == 40


def grid(side: int = 12) -> np.ndarray:
    x, z = np.meshgrid(np.arange(side), np.arange(side))
    return np.stack([x.ravel(), np.zeros(side * side), z.ravel()], axis=1).astype(np.float32)


@pytest.mark.parametrize("kind", ["uchar", "ushort", "float", "none"])
def test_point_clouds_in_ply(tmp_path: Path, kind: str) -> None:
    points, colours = grid(), np.random.default_rng(0).uniform(0, 1, (144, 3))
    top = {"uchar": 255, "ushort": 65535, "float": 1}.get(kind, 1)
    table = np.concatenate([points, np.round(colours * top) if top > 1 else colours], axis=1)
    columns, types = ["x", "y", "z", "red", "green", "blue"], ["float"] * 3 + [kind] * 3
    if kind == "none":
        table, columns, types = table[:, :3], columns[:3], types[:3]
    if kind == "ushort":
        types = ["float"] * 6
        table[:, 3:] = np.round(colours * 255)
    got = read(tmp_path / "a.ply", ply(table, columns, types=types))
    assert (got.info.format, got.info.points, got.info.sh_degree) == ("PLY points", True, 0)
    assert [note.code for note in got.notes] == ["W310"]
    np.testing.assert_array_equal(got.gaussians.means, points)
    np.testing.assert_array_equal(got.gaussians.opacities, 1)
    # The three nearest on a grid are at 1, but for the corners: 1, 1 and √2.
    inner = (np.abs(points[:, [0, 2]] - 5.5) < 5).all(axis=1)
    np.testing.assert_allclose(got.gaussians.scales[inner], 0.5)
    assert np.ptp(got.gaussians.scales) < 0.1
    shown = 0.5 + make.C0 * got.gaussians.sh[:, 0]
    np.testing.assert_allclose(shown, 0.5 if kind == "none" else colours, atol=0.5 / 255 + 1e-6)


def test_points_that_are_double_or_no_numbers(tmp_path: Path) -> None:
    points = np.concatenate([grid(), grid()[:5], np.array([[np.nan, 0, 0], [1e6, 1e6, 1e6]])])
    got = read(tmp_path / "a.ply", ply(points, ["x", "y", "z"]))
    assert (got.dropped, len(got.gaussians)) == (1, 150)
    assert [note.code for note in got.notes] == ["W310", "W304"]
    assert got.gaussians.scales.max() == pytest.approx(4, rel=0.01)
    assert got.gaussians.scales.min() >= 0.05 - 1e-6
    assert len(read(tmp_path / "b.ply", ply(grid()[:1], ["x", "y", "z"])).gaussians) == 1
    far = grid() + np.array([450_000.25, 5_400_000.5, 0])
    got = read(tmp_path / "c.ply", ply(far, ["x", "y", "z"], types=["double"] * 3))
    np.testing.assert_allclose(got.gaussians.means + np.array(got.offset), far, atol=1e-6)


def test_meshes(tmp_path: Path) -> None:
    faces = ("element face 1", ["property list uchar int vertex_indices"], b"\x03" + bytes(12))
    assert "mesh" in error(tmp_path / "a.ply", ply(grid(), ["x", "y", "z"], after=[faces]), "E308")
    table = np.concatenate([grid(), np.full((144, 3), 7)], axis=1)
    columns = ["x", "y", "z", "red", "green", "blue"]
    assert read(tmp_path / "b.ply", ply(table, columns, after=[faces])).info.points


def test_a_point_cloud_beside_a_training_names_its_result(tmp_path: Path) -> None:
    result = tmp_path / "point_cloud/iteration_7000/point_cloud.ply"
    result.parent.mkdir(parents=True)
    result.write_bytes(ply(rows(2, 0), names(0)))
    (note,) = read(tmp_path / "input.ply", ply(grid(), ["x", "y", "z"])).notes
    assert "point_cloud/iteration_7000/point_cloud.ply" in str(note.hint)


@pytest.mark.parametrize("key", ["points", "means3d", "xyz"])
def test_npz(tmp_path: Path, key: str) -> None:
    colours = np.random.default_rng(0).integers(0, 256, (144, 3), np.uint8)
    data = make.npz(
        **{key: grid().astype(">f8"), "colors": colours, "names": np.array(["a"]), "K": np.eye(3)}
    )
    got = read(tmp_path / "a.npz", data)
    assert (got.info.format, got.info.up, got.info.count) == ("npz points", "+z", 144)
    np.testing.assert_array_equal(got.gaussians.means, grid())
    near(0.5 + make.C0 * got.gaussians.sh[:, 0], colours / 255, 1e-4)
    assert [note.code for note in got.notes] == ["W310"]


def test_broken_npz(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    error(path, make.npz(weights=np.eye(4)), "E304")
    error(path, make.npz(points=np.zeros((0, 3))), "E309")
    error(path, make.npz(points=np.zeros((4, 2))), "E304")
    error(path, make.npz(points=np.array([[None] * 3])), "E304")
    head = b"\x93NUMPY\x01\x00\x76\x00" + b"{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 3)}"
    for count, code in ((10**12, "E307"), (7, "E307")):
        text = (head % count).ljust(127) + b"\n"
        error(path, make.zipped({"points.npy": text + bytes(120)}), code)
    error(path, make.zipped({"points.npy": b"\x93NUMPY\x01\x00\x76\x00" + b"(" * 118}), "E307")
    error(path, make.zipped({"points.npy": b"no array"}), "E307")


def test_nerfstudio_shrinks_and_anix_takes_it_back(tmp_path: Path) -> None:
    table = rows(20, 1)
    data = ply(table, names(1), comments=["comment Vertical Axis: z"])
    plain = read(tmp_path / "splat.ply", data).gaussians
    (tmp_path / "splat.ply").unlink()
    export = tmp_path / "export"
    export.mkdir()
    (export / "splat.ply").write_bytes(data)
    before = scene_digest(export)
    note = {"transform": [[1, 0, 0, 3], [0, 1, 0, 4], [0, 0, 1, 5]], "scale": 0.25}
    (export / "dataparser_transforms.json").write_text(json.dumps(note))
    got = read_splats(export)
    assert (got.info.unit, got.info.up, [note.code for note in got.notes]) == (4.0, "+z", ["W312"])
    assert probe(export) == got.info
    assert "enlarged by 4" in got.notes[0].message
    np.testing.assert_allclose(got.gaussians.means, plain.means * 4, rtol=1e-6)
    np.testing.assert_allclose(got.gaussians.scales, plain.scales * 4, rtol=1e-6)
    np.testing.assert_array_equal(got.gaussians.sh, plain.sh)
    assert scene_digest(export) != before
    for text in ("{", '{"scale": 0}', "[]", '{"scale": "x"}', '{"scale": NaN}'):
        (export / "dataparser_transforms.json").write_text(text)
        got = read_splats(export)
        assert (got.info.unit, [note.code for note in got.notes]) == (1.0, ["W312"])
        assert "no usable scale" in got.notes[0].message


def test_one_gaussian_turns_alike_in_all_containers(tmp_path: Path) -> None:
    """A needle along x, turned by 90° about z, points along y, whatever the order of its quaternion."""
    half = np.float32(np.sqrt(0.5))
    scene = Gaussians(
        np.float32([[1, 2, 3]]),
        np.float32([[half, 0, 0, half]]),
        np.float32([[1, 0.1, 0.01]]),
        np.float32([0.5]),
        np.zeros((1, 4, 3), np.float32),
    )
    from anix_cli.scene import write_ply, write_spz

    write_ply(tmp_path / "a.ply", scene)
    write_spz(tmp_path / "a.spz", scene)
    flat = replace(scene, sh=scene.sh[:, :1])
    (tmp_path / "b.ply").write_bytes(make.compressed_ply(scene))
    (tmp_path / "a.sog").write_bytes(make.zipped(make.sog(scene)))
    (tmp_path / "a.splat").write_bytes(make.splat(flat))
    (tmp_path / "a.ksplat").write_bytes(make.ksplat([scene], level=1))
    (tmp_path / "a.glb").write_bytes(make.glb(*make.gltf([({}, make.splat_attributes(scene))])))
    for path in sorted(tmp_path.iterdir()):
        (got,) = covariances(read_splats(path).gaussians)
        np.testing.assert_allclose(got, np.diag([0.01, 1, 1e-4]), atol=0.07, err_msg=path.name)
        np.testing.assert_allclose(read_splats(path).gaussians.means, [[1, 2, 3]], atol=1e-3)


def test_containers_of_one_scene_agree_on_the_stage(tmp_path: Path) -> None:
    """PLY family as it is, SPZ and glTF with +Y up: brought to the stage they are the same scene."""
    from anix_cli.scene import write_ply, write_spz

    scene = scan(30, 2)
    stage = transform(scene, similarity("-y", 1.0))
    write_ply(tmp_path / "a.ply", scene)
    (tmp_path / "a.sog").write_bytes(make.zipped(make.sog(scene)))
    write_spz(tmp_path / "a.spz", stage)
    (tmp_path / "a.glb").write_bytes(make.glb(*make.gltf([({}, make.splat_attributes(stage))])))
    for path in sorted(tmp_path.iterdir()):
        got = read_splats(path)
        placed = transform(got.gaussians, similarity(got.info.up, 1.0))
        np.testing.assert_allclose(placed.means, stage.means, atol=2e-3, err_msg=path.name)
        np.testing.assert_allclose(placed.sh, stage.sh, atol=0.05, err_msg=path.name)
