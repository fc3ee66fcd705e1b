"""SuperSplat's compressed PLY: its values within a step, its damage named."""

from __future__ import annotations

from pathlib import Path

import containers as make
import numpy as np
import pytest
from reading import error, near, read, same_turn, scan


@pytest.mark.parametrize("columns", [12, 18])
@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_compressed_ply(tmp_path: Path, columns: int, degree: int) -> None:
    scene = scan(300, degree)
    got = read(tmp_path / "a.ply", make.compressed_ply(scene, columns=columns))
    assert (got.info.format, got.info.frame, got.dropped) == (
        "compressed PLY",
        "-y up (PLY convention)",
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
