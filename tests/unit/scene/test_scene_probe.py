"""The first look: what is not a scene is named for what it is, whatever its suffix."""

from __future__ import annotations

import os
from pathlib import Path

import containers as make
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
        ("a.splat", bytes(64), "E304", "not a splat file"),
        ("a.ksplat", bytes(64), "E304", "not a splat file"),
        ("a.sog", b"PK\x03\x04" + bytes(64), "E306", "list of contents"),
        ("a.glb", b"glTF" + bytes(64), "E305", "glTF version 0"),
        ("a.json", b'{"camera": 1}', "E304", "neither a glTF nor a SOG"),
        ("a.json", b'{"camera": ', "E307", "begins like JSON"),
        ("a.splat", b"some notes about the scene, 64 letters long, and not a splat at all", "E304", "not a"),
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


@pytest.mark.parametrize(
    ("start", "says"),
    [
        (b"LASF", "a LAS point cloud"),
        (b"# .PCD v0.7", "a PCD"),
        (b"\x89PNG\r\n", "a picture"),
        (b"\x80\x04", "pickle"),
    ],
)
def test_what_a_file_is_instead(tmp_path: Path, start: bytes, says: str) -> None:
    path = tmp_path / "scene.ply"
    path.write_bytes(start + bytes(60))
    with pytest.raises(AnixError, match=f"E304.*{says}"):
        probe(path)


def test_archives_of_other_things(tmp_path: Path) -> None:
    path = tmp_path / "scene.zip"
    path.write_bytes(make.zipped({"readme.txt": b"", "scans/plaza.ply": b"ply"}))
    with pytest.raises(AnixError, match="E304") as caught:
        probe(path)
    assert caught.value.diagnostics[0].hint == "Unpack it and name the scene in it: scans/plaza.ply."
    path.write_bytes(make.zipped({"ckpt/data.pkl": b"", "ckpt/data/0": b""}))
    with pytest.raises(AnixError, match=r"E304.*checkpoint of PyTorch"):
        probe(path)


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(AnixError, match=r"E301.*nowhere\.ply"):
        probe(tmp_path / "nowhere.ply")


def test_folders_that_are_unclear(tmp_path: Path) -> None:
    with pytest.raises(AnixError, match=r"E302.*folder without a scene"):
        probe(tmp_path)
    for name in ("a.ply", "b.spz"):
        (tmp_path / name).write_bytes(ply(rows(2, 0), names(0)))
    with pytest.raises(AnixError, match=r"E302.*several scenes \(a\.ply, b\.spz\)") as caught:
        probe(tmp_path)
    assert "a.ply" in str(caught.value.diagnostics[0].hint)


@pytest.mark.parametrize("pattern", ["point_cloud/iteration_{}/point_cloud.ply", "ply/point_cloud_{}.ply"])
def test_of_a_training_the_newest_step_counts(tmp_path: Path, pattern: str) -> None:
    for count, step in enumerate((7000, 30000, 900), start=1):
        file = tmp_path / pattern.format(step)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(ply(rows(count, 0), names(0)))
    (tmp_path / "input.ply").write_bytes(b"ply\n")
    info = probe(tmp_path)
    assert (info.count, info.path) == (2, tmp_path / pattern.format(30000))
    assert len(read_splats(tmp_path).gaussians) == 2


def test_a_folder_with_one_file(tmp_path: Path) -> None:
    (tmp_path / "scan.spz").write_bytes(gz(spz_payload(3)))
    (tmp_path / "notes.txt").write_text("x")
    assert probe(tmp_path).format == "SPZ v2"


def test_beside_a_scene_a_model_is_its_collider(tmp_path: Path) -> None:
    (tmp_path / "scan.spz").write_bytes(gz(spz_payload(3)))
    (tmp_path / "collider.glb").write_bytes(b"glTF")
    (tmp_path / "._scan.spz").write_bytes(b"a shadow that macOS left")
    assert probe(tmp_path).path == tmp_path / "scan.spz"
    (tmp_path / "scan.spz").unlink()
    with pytest.raises(AnixError, match=r"E306 collider\.glb"):
        probe(tmp_path)


def test_a_step_without_its_file_does_not_count(tmp_path: Path) -> None:
    for step, file in ((7000, "point_cloud.ply"), (30000, "point_cloud.ply/part")):
        path = tmp_path / f"point_cloud/iteration_{step}" / file
        path.parent.mkdir(parents=True)
        path.write_bytes(ply(rows(2, 0), names(0)))
    assert probe(tmp_path).path.parent.name == "iteration_7000"


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


def test_links_that_lead_nowhere(tmp_path: Path) -> None:
    for name, target in (("gone.ply", "missing.ply"), ("ring.ply", "ring.ply")):
        (tmp_path / name).symlink_to(target)
        with pytest.raises(AnixError, match=rf"E301.*{name}: it is a link to {target}, which leads nowhere"):
            probe(tmp_path / name)
