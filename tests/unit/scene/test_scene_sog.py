"""SOG, versions 1 and 2, bundled and not: its values within a step, its damage named."""

from __future__ import annotations

import json
from pathlib import Path

import containers as make
import numpy as np
import pytest
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
        ({"count": "many"}, "E307", "no count"),
        ({"count": True}, "E307", "no count"),
        ({"means__mins": [0, 1]}, "E307", "expected 3 numbers, found 2"),
        ({"means__mins": [0, 1, float("nan")]}, "E307", "none below"),
        ({"means__mins": [0, 1, 1e300]}, "E307", "none below"),
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
