""".splat and .ksplat: their values within a step, their damage named."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import containers as make
import numpy as np
import pytest
from reading import error, near, read, same_turn, scan


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
    assert "13 bytes of another" in error(tmp_path / "a.splat", data[:13], "E306")
    error(tmp_path / "a.splat", np.random.default_rng(0).bytes(3200), "E304")
    error(tmp_path / "a.bin", data[:-19], "E304")


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("degree", [0, 1, 2, 3])
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
    # Room beyond what the buckets hold is empty.
    for level in (1, 2):
        data = make.ksplat([scan(9, 1)], level=level, block=20.0, written=False, spare=4)
        got = read(tmp_path / "a.ksplat", data)
        assert (len(got.gaussians), got.notes) == (9, ())


@pytest.mark.parametrize("level", [0, 1, 2])
def test_sizes_count_without_their_sign(tmp_path: Path, level: int) -> None:
    scene = scan(9, 0)
    negative = replace(scene, scales=-scene.scales)
    got = read(tmp_path / "a.ksplat", make.ksplat([negative], level=level, block=20.0)).gaussians
    np.testing.assert_allclose(got.scales, scene.scales, rtol=1e-3)


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

    error(path, changed(4096 + 40, "<H", 4), "E310")
    error(path, changed(4096, "<I", 10), "E307")
    error(path, changed(4096 + 32, "<I", 1), "E307", deep=True)
    error(path, changed(4096 + 36, "<I", 9), "E307")
    error(path, changed(4096 + 16, "<f", np.nan), "E307")
    error(path, changed(36, "<f", np.inf), "E307")
    error(path, changed(4096, "<II", 0, 0), "E309")
    error(path, changed(4096, "<II", 1 << 30, 1 << 30), "E312|E307")
