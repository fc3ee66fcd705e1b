"""SPZ: the published layout byte by byte, round trips within a quantisation step, hostile files."""

from __future__ import annotations

import gzip
import io
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from splat_files import covariances, gz, random_gaussians, spz_payload

from anix_cli.core.errors import AnixError
from anix_cli.scene import probe, read_splats, write_spz


def put(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "scene.spz"
    path.write_bytes(data)
    return path


def one(version: int, rotation: bytes, *, flags: int = 0, degree: int = 0, sh: bytes = b"") -> bytes:
    """One Gaussian with positions 1, −2, 3 (12 fractional bits) and telling bytes elsewhere."""
    if version == 1:
        position = np.array([1, -2, 3], "<f2").tobytes()
    else:
        position = b"".join(struct.pack("<i", v << 12)[:3] for v in (1, -2, 3))
    columns = position + bytes([51]) + bytes([255, 0, 127]) + bytes([160, 144, 96]) + rotation + sh
    return gz(spz_payload(1, version=version, degree=degree, flags=flags, columns=columns))


@pytest.mark.parametrize(
    ("version", "rotation"),
    [
        (1, bytes([255, 128, 128])),
        (2, bytes([255, 128, 128])),
        # Largest: x (index 0 of xyzw); y, z, w are 0.
        (3, struct.pack("<I", 0)),
    ],
)
def test_one_gaussian_of_each_version(tmp_path: Path, version: int, rotation: bytes) -> None:
    scene = read_splats(put(tmp_path, one(version, rotation, flags=1)))
    assert scene.info.format == f"SPZ v{version}"
    assert scene.info.frame == "+y up (SPZ specification)"
    assert scene.gaussians.antialiased
    np.testing.assert_array_equal(scene.gaussians.means, [[1, -2, 3]])
    np.testing.assert_allclose(scene.gaussians.opacities, [0.2], rtol=1e-6)
    np.testing.assert_allclose(scene.gaussians.scales, [np.exp([0.0, -1.0, -4.0])], rtol=1e-6)
    dc = (np.array([1.0, 0.0, 127 / 255]) - 0.5) / 0.15
    np.testing.assert_allclose(scene.gaussians.sh[0, 0], dc, atol=1e-6)
    np.testing.assert_allclose(np.abs(scene.gaussians.quats), [[0, 1, 0, 0]], atol=0.006)


def test_smallest_three_puts_each_number_in_its_place(tmp_path: Path) -> None:
    # The largest is z (index 2 of xyzw). Then, from high bits to low: x = −¼·√½, y = 0, w = ½·√½.
    word = 2 << 30 | (512 | 128) << 20 | 0 << 10 | 256
    quat = read_splats(put(tmp_path, one(3, struct.pack("<I", word)))).gaussians.quats[0]
    x, w = -128 / 511 * np.sqrt(0.5), 256 / 511 * np.sqrt(0.5)
    np.testing.assert_allclose(quat, [w, x, 0, np.sqrt(1 - x * x - w * w)], atol=1e-6)


def test_coefficients_are_interleaved(tmp_path: Path) -> None:
    sh = bytes(range(128, 137))
    scene = read_splats(put(tmp_path, one(2, bytes(3), degree=1, sh=sh))).gaussians
    np.testing.assert_array_equal(scene.sh[0, 1:], (np.arange(9) / 128).reshape(3, 3))


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_round_trip_within_a_step(tmp_path: Path, version: int, degree: int) -> None:
    scene = random_gaussians(300, degree, seed=degree)
    path = tmp_path / "out.spz"
    write_spz(path, scene, version=version)
    again = read_splats(path)
    assert (again.info.format, again.info.sh_degree, again.dropped) == (f"SPZ v{version}", degree, 0)
    got = again.gaussians
    half = 0.5001
    np.testing.assert_allclose(got.means, scene.means, rtol=0, atol=half / 4096)
    np.testing.assert_allclose(got.opacities, scene.opacities, rtol=0, atol=half / 255)
    np.testing.assert_allclose(np.log(got.scales), np.log(scene.scales), rtol=0, atol=half / 16)
    np.testing.assert_allclose(got.sh[:, 0], scene.sh[:, 0], rtol=0, atol=half / 255 / 0.15)
    np.testing.assert_allclose(got.sh[:, 1:], scene.sh[:, 1:], rtol=0, atol=half / 128)
    same = np.abs(np.einsum("ij,ij->i", got.quats.astype(np.float64), scene.quats))
    angle = np.degrees(2 * np.arccos(np.minimum(same, 1)))
    # Version 3: half a step of √½ / 511 on three components, at most doubled by the derived one.
    # Version 2: w = √(1 − …) is worst where it is near 0.
    assert angle.max() < (0.28 if version == 3 else 16)
    assert np.median(angle) < (0.12 if version == 3 else 0.9)


def test_round_trip_keeps_the_shape_of_each_gaussian(tmp_path: Path) -> None:
    scene = random_gaussians(200, 0)
    path = tmp_path / "out.spz"
    write_spz(path, scene)
    before, after = covariances(scene), covariances(read_splats(path).gaussians)
    size = np.trace(before, axis1=1, axis2=2)[:, None, None]
    # e^(1/16) − 1: twice half a step of log-scale, with what the angles add.
    assert np.abs((after - before) / size).max() < 0.07


def test_the_same_scene_gives_the_same_bytes() -> None:
    first, second = io.BytesIO(), io.BytesIO()
    scene = random_gaussians(100, 1)
    write_spz(first, scene)
    write_spz(second, scene)
    assert first.getvalue() == second.getvalue()
    assert first.getvalue()[4:8] == bytes(4)  # gzip's time stamp


def test_writer_options(tmp_path: Path) -> None:
    scene = random_gaussians(60, 3)
    path = tmp_path / "out.spz"
    write_spz(path, scene, antialiased=True, sh_degree=1, sh_bits=(4, 4))
    info, again = probe(path), read_splats(path).gaussians
    assert (info.sh_degree, info.antialiased, info.count) == (1, True, 60)
    np.testing.assert_array_equal(np.round(again.sh[:, 1:] * 8), again.sh[:, 1:] * 8)
    assert np.abs(again.sh[:, 1:] - scene.sh[:, 1:4]).max() <= 1 / 16 + 1 / 256


@pytest.mark.parametrize(("extent", "step"), [(0.01, 2**-23), (5.0, 1 / 4096), (10_000.0, 1 / 512)])
def test_fractional_bits_follow_the_extent(tmp_path: Path, extent: float, step: float) -> None:
    scene = random_gaussians(100, 0, extent=extent)
    path = tmp_path / "out.spz"
    write_spz(path, scene)
    assert np.abs(read_splats(path).gaussians.means - scene.means).max() <= 0.51 * step + extent * 6e-8


def test_out_of_range_is_refused(tmp_path: Path) -> None:
    scene = random_gaussians(10, 0)
    with pytest.raises(AnixError, match="9,000,000") as error:
        write_spz(tmp_path / "a.spz", replace(scene, means=scene.means * 0 + np.float32(9e6)))
    assert error.value.diagnostics[0].code == "E314"
    with pytest.raises(AnixError, match="500"):
        write_spz(tmp_path / "a.spz", replace(scene, scales=scene.scales * 0 + np.float32(500)))
    assert not (tmp_path / "a.spz").exists()


WHOLE = gz(spz_payload(5, version=2))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (WHOLE[:4], "E306"),
        (WHOLE[:-1], "E306"),
        (WHOLE[: len(WHOLE) // 2], "E306"),
        (WHOLE[:-8] + bytes([WHOLE[-8] ^ 1]) + WHOLE[-7:], "E311"),
        (WHOLE[:-1] + bytes([WHOLE[-1] ^ 1]), "E311"),
        (WHOLE[:10] + b"\xff" * 30, "E311"),
        (gz(spz_payload(5)[:-1]), "E306"),
        (gz(spz_payload(5) + b"x"), "E307"),
        (gz(spz_payload(5) + bytes(50_000_000)), "E307"),
        (gz(spz_payload(0)), "E309"),
        (gz(spz_payload(2**31, columns=b"")), "E312"),
        (gz(spz_payload(19_000_000, columns=b"")), "E306"),
        (gz(spz_payload(1, degree=5)), "E310"),
        (gz(spz_payload(1, version=0)), "E307"),
        (gz(spz_payload(1, version=9)), "E307"),
        (gz(spz_payload(1, bits=60)), "E307"),
        (gz(spz_payload(1, magic=b"TXT ")), "E304"),
        (spz_payload(1), "E307"),
        (spz_payload(1, version=4), "E307"),
    ],
)
def test_hostile_files(tmp_path: Path, data: bytes, code: str) -> None:
    path = put(tmp_path, data)
    for look in (probe, read_splats):
        with pytest.raises(AnixError, match=code):
            look(path)


def test_truncation_names_both_sizes(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    payload = spz_payload(1000, columns=rng.bytes(19_000))
    with pytest.raises(AnixError, match=r"1,000 Gaussians = 19,016 bytes"):
        probe(put(tmp_path, gz(payload)[:9_000]))


def test_bytes_after_the_member_are_a_warning(tmp_path: Path) -> None:
    scene = read_splats(put(tmp_path, WHOLE + b"12345678"))
    assert [note.code for note in scene.notes] == ["W305"]
    assert "8 bytes" in scene.notes[0].message


def test_gzip_header_fields_are_skipped(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with gzip.GzipFile("a name.spz", "wb", fileobj=buffer) as stream:
        stream.write(spz_payload(3))
    assert probe(put(tmp_path, buffer.getvalue())).count == 3


def record(kind: int, payload: bytes) -> bytes:
    return struct.pack("<II", kind, len(payload)) + payload


@pytest.mark.parametrize(
    ("extensions", "up", "codes"),
    [
        (record(0xADBE0003, struct.pack("<I", 6)), "-y", []),
        (record(0xADBE0003, struct.pack("<I", 12)), "+z", []),
        (record(0xADBE0002, bytes(12)), "+y", ["W308"]),
        (record(0xADBE0002, bytes(12)) + record(0xADBE0003, struct.pack("<I", 4)), "+y", ["W308"]),
        (b"odd", "+y", ["W308"]),
        (record(0xADBE0003, struct.pack("<I", 6)) + record(0xADBE0003, struct.pack("<I", 4)), "-y", []),
        # A record that claims to be longer than what is there says nothing.
        (struct.pack("<II", 0xADBE0003, 1 << 31) + struct.pack("<I", 6), "+y", ["W308"]),
        (record(0xADBE0003, b"\6"), "+y", ["W308"]),
    ],
)
def test_extensions(tmp_path: Path, extensions: bytes, up: str, codes: list[str]) -> None:
    info = probe(put(tmp_path, gz(spz_payload(2, flags=2) + extensions)))
    assert info.up == up
    assert [note.code for note in info.notes] == codes


def test_left_handed_axes_are_refused(tmp_path: Path) -> None:
    data = gz(spz_payload(2, flags=2) + record(0xADBE0003, struct.pack("<I", 8)))
    with pytest.raises(AnixError, match="E305"):
        probe(put(tmp_path, data))


def test_levels_of_detail_are_refused(tmp_path: Path) -> None:
    for extra in (b"", bytes(2 * 6)):
        with pytest.raises(AnixError, match=r"E305.*levels of detail"):
            probe(put(tmp_path, gz(spz_payload(2, flags=0x80) + extra)))


def test_a_packed_ply_is_told(tmp_path: Path) -> None:
    with pytest.raises(AnixError, match="E304") as caught:
        probe(put(tmp_path, gz(b"ply\nformat ascii 1.0\n")))
    assert "Unpack" in str(caught.value.diagnostics[0].hint)


def test_what_no_scene_packs_is_not_unpacked(tmp_path: Path) -> None:
    columns = bytes(1_100_000 * 64)
    data = gz(spz_payload(1_100_000, version=2, degree=3, columns=columns))
    with pytest.raises(AnixError, match=r"E307.*cannot hold 1,100,000 Gaussians"):
        probe(put(tmp_path, data))
