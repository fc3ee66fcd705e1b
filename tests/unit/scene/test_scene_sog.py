"""SOG, versions 1 and 2, bundled and not: its values within a step, its damage named."""

from __future__ import annotations

import io
import json
import struct
import tracemalloc
import zipfile
from pathlib import Path

import containers as make
import numpy as np
import pytest
from PIL import Image
from reading import error, near, read, same_turn, scan

from anix_cli.scene import (
    probe,
    read_splats,
    scene_files,
)


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
    assert got.info.frame == "-y up (PLY convention)"
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
        ({"version": "2"}, "E307", 'version” is "2"; expected the number 1 or 2'),
        ({"version": True}, "E307", "version” is true"),
        ({"count": "many"}, "E307", 'count” is "many"; expected a number of Gaussians'),
        ({"count": True}, "E307", "count” is true"),
        ({"antialias": "yes"}, "E307", 'antialias” is "yes"; expected true or false'),
        ({"means__mins": [0, 1]}, "E307", "means.mins” has 2 numbers, expected 3"),
        ({"means__mins": [0, 1, float("nan")]}, "E307", "means.mins” has NaN where a number"),
        ({"means__mins": [0, 1, 1e300]}, "E307", "means.mins” has 1e+300"),
        ({"means__mins": [0, 1, "2"]}, "E307", 'means.mins” has "2"'),
        ({"scales__codebook": [1.0] * 255}, "E307", "256"),
        ({"scales__codebook": [1.0] * 255 + [None]}, "E307", "scales.codebook” has null"),
        ({"scales": {"files": ["scales.webp"]}}, "E307", "scales.codebook” is missing"),
        ({"scales": 4}, "E307", "scales” is no section"),
        ({"means__files": "means_l.webp"}, "E307", "expected a list of the names of 2 pictures"),
        ({"quats__files": ["../quats.webp"]}, "E307", "is missing"),
        ({"quats__files": ["NUL.webp"]}, "E307", "is missing"),
        ({"quats__files": []}, "E307", "quats.files” is []; expected a list of the name of a picture"),
        ({"quats__files": [7]}, "E307", "quats.files” is [7]"),
        ({"shN__bands": 4}, "E310", "degree 4"),
        ({"shN__bands": 2}, "E307", "palette"),
        ({"shN__bands": "1"}, "E307", "expected 1, 2 or 3"),
        ({"shN__count": 1e300}, "E307", "expected a number of harmonics"),
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
    assert "is no JSON" in error(path, make.zipped({**files, "meta.json": b"{"}), "E307")
    deep = make.zipped({**files, "meta.json": b"[" * 100_000})
    assert "nested too deeply" in error(path, deep, "E307")
    many = make.zipped(
        {**files, "meta.json": files["meta.json"][:-1] + b',"x":[' + b"1," * 2_000_000 + b"1]}"}
    )
    assert "more than 2,000,000 entries" in error(path, many, "E307")
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
    black = make.webp(np.zeros((1000, 1000, 4), np.uint8))
    big = {name: black if name.endswith(".webp") else data for name, data in make.sog(scan(5, 0)).items()}
    assert "do not hold" in error(path, with_meta(big, count=1_000_000), "E307")
    assert "names harmonics 4 of a palette of 2" in error(
        path, with_meta(files, shN__count=2), "E307", deep=True
    )
    whole = make.zipped(files)
    error(path, whole[: len(whole) // 2], "E306")
    at = whole.index(files["quats.webp"]) + 30
    error(path, whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :], "E311", deep=True)


def test_sog_numbers_that_are_whole(tmp_path: Path) -> None:
    files = make.sog(scan(5, 1))
    data = with_meta(files, version=2.0, count=5.0, shN__bands=1.0, antialias=None)
    got = read(tmp_path / "a.sog", data)
    assert (got.info.format, got.info.count, got.info.sh_degree) == ("SOG v2", 5, 1)
    assert isinstance(got.info.sh_degree, int)
    assert not got.gaussians.antialiased


@pytest.mark.parametrize("mode", ["L", "P", "I;16"])
def test_sog_pictures_have_three_or_four_bytes_a_pixel(tmp_path: Path, mode: str) -> None:
    buffer = io.BytesIO()
    picture = Image.fromarray(np.zeros((1, 8), np.uint16 if mode == "I;16" else np.uint8))
    (picture if mode == "I;16" else picture.convert(mode)).save(buffer, "PNG")
    data = make.zipped({**make.sog(scan(5, 0)), "quats.webp": buffer.getvalue()})
    assert "three or four bytes" in error(tmp_path / "a.sog", data, "E307")


def packed(files: dict[str, bytes], method: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def test_what_is_packed_cannot_be_more_than_is_said(tmp_path: Path) -> None:
    files = make.sog(scan(5, 0))
    told = len(files["quats.webp"])
    bomb = packed({**files, "quats.webp": files["quats.webp"] + bytes(200 << 20)}, zipfile.ZIP_DEFLATED)
    lying = bomb.replace(struct.pack("<I", told + (200 << 20)), struct.pack("<I", told))
    # These methods are unpacked whole, however little is asked for.
    others = [packed(files, method) for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)]
    tracemalloc.start()
    error(tmp_path / "a.sog", lying, "E311")
    assert "for 8 pixels" in error(tmp_path / "a.sog", bomb, "E307")
    for data in others:
        assert "neither stored nor deflated" in error(tmp_path / "a.sog", data, "E307")
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()


@pytest.mark.parametrize("count", [10_001, 70_000])
def test_archives_of_very_many_files(tmp_path: Path, count: int) -> None:
    data = packed({f"{i}": b"" for i in range(count)}, zipfile.ZIP_STORED)
    assert f"{count:,} files" in error(tmp_path / "a.sog", data, "E307")


def test_sog_that_would_fill_the_memory(tmp_path: Path) -> None:
    """Positions with noise behind them pass for positions; the other pictures are one colour."""
    black = make.webp(np.zeros((2500, 2000, 4), np.uint8))
    files = {
        name: black + bytes(60_000) * name.startswith("means") if name.endswith(".webp") else data
        for name, data in make.sog(scan(5, 0)).items()
    }
    message = error(tmp_path / "a.sog", with_meta(files, count=5_000_000), "E307")
    assert "cannot hold 5,000,000 Gaussians" in message


def test_shadows_of_the_finder_are_passed_over(tmp_path: Path) -> None:
    files = {"__MACOSX/meta.json": b"shadow", **{f"a scene/{k}": v for k, v in make.sog(scan(5, 0)).items()}}
    assert len(read(tmp_path / "a.sog", make.zipped(files)).gaussians) == 5


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


def test_a_member_cannot_be_larger_than_its_archive(tmp_path: Path) -> None:
    whole = make.zipped(make.sog(scan(5, 1), version=1))
    at = whole.index(b"PK\x01\x02", whole.index(b"PK\x01\x02") + 4)
    error(tmp_path / "a.sog", whole[: at + 20] + b"\0\0\0\x40" + whole[at + 24 :], "E307|E306")
