"""Point clouds become round Gaussians."""

from __future__ import annotations

from pathlib import Path

import containers as make
import numpy as np
import pytest
from reading import error, near, read
from splat_files import names, ply, rows

from anix_cli.core.errors import AnixError
from anix_cli.scene import read_splats


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


@pytest.mark.parametrize(
    ("colours", "wanted"),
    [
        (np.array([0.5, 1.001, 0.25], np.float32), (0.5, 1, 0.25)),
        (np.array([128, 255, 64], np.float32), (128 / 255, 1, 64 / 255)),
        (np.array([128, 255, 64], np.uint16), (128 / 255, 1, 64 / 255)),
        (np.array([32768, 65535, 0], np.uint16), (32768 / 65535, 1, 0)),
        (np.array([np.nan, 0.5, 1], np.float64), (0.5, 0.5, 1)),
        (np.array([0, 0, 0], np.float64), (0, 0, 0)),
    ],
)
def test_what_colours_are_shares_of(tmp_path: Path, colours: np.ndarray, wanted: tuple[float, ...]) -> None:
    data = make.npz(points=grid(), colors=np.tile(colours, (144, 1)))
    got = read(tmp_path / "a.npz", data).gaussians
    np.testing.assert_allclose(0.5 + make.C0 * got.sh[0, 0], wanted, atol=1e-6)


def test_points_in_one_place(tmp_path: Path) -> None:
    """Depth maps put what they could not measure at the origin: many points, one place."""
    points = np.concatenate([grid(), np.zeros((60_000, 3), np.float32)])
    got = read(tmp_path / "a.npz", make.npz(points=points)).gaussians
    wanted = read(tmp_path / "b.npz", make.npz(points=grid())).gaussians
    np.testing.assert_array_equal(got.scales[:144], wanted.scales)
    np.testing.assert_array_equal(got.scales[144:], np.broadcast_to(wanted.scales[0], (60_000, 3)))
    assert (read(tmp_path / "c.npz", make.npz(points=grid() * 0)).gaussians.scales == 1).all()


@pytest.mark.parametrize("kind", ["i2", "u1", ">i4", "i8"])
def test_whole_numbers_as_points(tmp_path: Path, kind: str) -> None:
    np.testing.assert_array_equal(
        read(tmp_path / "a.npz", make.npz(xyz=grid().astype(kind))).gaussians.means, grid()
    )


def test_an_npz_of_gaussians_is_no_point_cloud(tmp_path: Path) -> None:
    data = make.npz(means=grid(), scales=grid(), quats=np.ones((144, 4)), opacities=np.ones(144))
    assert "holds Gaussians as arrays" in error(tmp_path / "a.npz", data, "E305")


def test_what_an_npz_holds_instead_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(make.npz(depth=np.zeros((4, 6)), K=np.eye(3), count=np.float32(1)))
    with pytest.raises(AnixError, match="E304") as caught:
        read_splats(path)
    assert caught.value.diagnostics[0].hint == "It holds depth (4 × 6), K (3 × 3), count (one number)."


def test_an_npz_that_would_fill_the_memory(tmp_path: Path) -> None:
    data = make.npz(points=np.zeros((6_000_000, 3), np.float32))
    assert "cannot hold 6,000,000" in error(tmp_path / "a.npz", data, "E307")


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
    true = (head % 1).replace(b"(1, 3)", b"(True, 3)").ljust(127) + b"\n" + bytes(12)
    error(path, make.zipped({"points.npy": true}), "E304")
