"""The first look: what is not a scene is named for what it is, whatever its suffix."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from splat_files import gz, names, ply, rows, spz_payload

from anix_cli.core.errors import AnixError
from anix_cli.scene import probe, read_splats


@pytest.mark.parametrize(
    ("name", "data", "code", "says"),
    [
        ("a.ply", b"", "E303", "empty"),
        ("a.ply", b"<!DOCTYPE html><html><body>404</body></html>", "E304", "web page"),
        ("a.spz", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "E304", "Git LFS"),
        ("a.ply", b"\x00\x01\x02\x03" * 20, "E304", "SPZ"),
        ("a.splat", bytes(64), "E305", ".splat"),
        ("a.ksplat", bytes(64), "E305", ".ksplat"),
        ("a.sog", b"PK\x03\x04" + bytes(64), "E305", "SOG"),
        ("a.glb", b"glTF" + bytes(64), "E305", "glTF"),
        ("a.ply", b"PK\x03\x04" + bytes(64), "E305", "zip"),
    ],
)
def test_what_is_not_read(tmp_path: Path, name: str, data: bytes, code: str, says: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    for look in (probe, read_splats):
        with pytest.raises(AnixError) as caught:
            look(path)
        (problem,) = caught.value.diagnostics
        assert problem.code == code
        assert says in problem.message
        assert problem.file == path


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(AnixError, match=r"E301.*nowhere\.ply"):
        probe(tmp_path / "nowhere.ply")


def test_a_training_folder_points_to_its_file(tmp_path: Path) -> None:
    with pytest.raises(AnixError, match="E302"):
        probe(tmp_path)
    for step in (7000, 30000):
        (tmp_path / f"point_cloud/iteration_{step}").mkdir(parents=True)
        (tmp_path / f"point_cloud/iteration_{step}/point_cloud.ply").write_bytes(b"ply\n")
    with pytest.raises(AnixError) as caught:
        probe(tmp_path)
    assert "iteration_30000" in str(caught.value.diagnostics[0].hint)


def test_a_pipe_is_not_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "scene.ply")
    with pytest.raises(AnixError, match="E302"):
        probe(tmp_path / "scene.ply")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_no_right_to_read(tmp_path: Path) -> None:
    path = tmp_path / "scene.ply"
    path.write_bytes(b"ply\n")
    path.chmod(0)
    with pytest.raises(AnixError, match=r"E302.*cannot be read"):
        probe(path)


def test_content_decides(tmp_path: Path) -> None:
    (tmp_path / "a.spz").write_bytes(ply(rows(2, 1), names(1)))
    (tmp_path / "a.ply").write_bytes(gz(spz_payload(2, version=3, degree=2)))
    info = probe(tmp_path / "a.spz")
    assert (info.format, info.count, info.sh_degree) == ("PLY", 2, 1)
    info = probe(tmp_path / "a.ply")
    assert (info.format, info.count, info.sh_degree) == ("SPZ v3", 2, 2)
