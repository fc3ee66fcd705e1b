"""PLY of Gaussians with more, or other, columns than usual, whose meaning is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from splat_files import covariances, names, ply, rows

from anix_cli.core.errors import AnixError
from anix_cli.scene import SplatFile, probe, read_splats, write_ply


def read(tmp_path: Path, data: bytes) -> SplatFile:
    path = tmp_path / "scene.ply"
    path.write_bytes(data)
    return read_splats(path)


@pytest.mark.parametrize("prefix", ["scalar_", "scalar_scal_", "scal_"])
def test_cloudcompare_names(tmp_path: Path, prefix: str) -> None:
    table = rows(9, 1)
    plain = ("x", "y", "z")
    columns = [name if name in plain else prefix + name for name in names(1)]
    got = read(tmp_path, ply(table, columns, types=["double"] * 3 + ["float"] * (len(columns) - 3)))
    wanted = read(tmp_path, ply(table, names(1))).gaussians
    assert (got.info.format, got.info.sh_degree, got.notes) == ("PLY", 1, ())
    for field in ("means", "quats", "scales", "opacities", "sh"):
        np.testing.assert_array_equal(getattr(got.gaussians, field), getattr(wanted, field))


def test_the_filter_of_mip_splatting_is_applied(tmp_path: Path) -> None:
    """Each covariance gains f², and each opacity loses so much that the Gaussian's mass is kept."""
    table = rows(30, 0)
    filters = np.random.default_rng(0).uniform(0, 0.1, 30).astype(np.float32)
    got = read(tmp_path, ply(np.column_stack([table, filters]), [*names(0), "filter_3D"]))
    plain = read(tmp_path, ply(table, names(0))).gaussians
    assert (got.info.format, got.info.antialiased, got.gaussians.antialiased) == (
        "PLY (Mip-Splatting)",
        True,
        True,
    )
    before, after = covariances(plain), covariances(got.gaussians)
    np.testing.assert_allclose(
        after, before + np.square(filters)[:, None, None] * np.eye(3), rtol=1e-4, atol=1e-7
    )
    mass = [
        g.opacities * np.sqrt(np.linalg.det(covariance))
        for g, covariance in ((plain, before), (got.gaussians, after))
    ]
    np.testing.assert_allclose(mass[1], mass[0], rtol=1e-3)
    # What is written holds the filter in its sizes.
    write_ply(tmp_path / "again.ply", got.gaussians)
    again = read_splats(tmp_path / "again.ply")
    assert (again.info.format, again.info.antialiased) == ("PLY", True)
    np.testing.assert_allclose(again.gaussians.scales, got.gaussians.scales, rtol=1e-5)


@pytest.mark.parametrize("column", ["trbf_center", "motion_0", "omega_0"])
def test_gaussians_that_move_are_refused(tmp_path: Path, column: str) -> None:
    with pytest.raises(AnixError, match=f"E305.*move .{column}"):
        read(tmp_path, ply(rows(4, 0), [*names(0)[:13], column]))


@pytest.mark.parametrize(("space", "codes"), [(b"\0", []), (b"\1", ["W313"])])
def test_colours_in_linear_light_are_told(tmp_path: Path, space: bytes, codes: list[str]) -> None:
    before = ("element size 2", ["property uint size"], bytes(8))
    after = ("element color_space 1", ["property uchar color_space"], space)
    got = read(tmp_path, ply(rows(4, 0), names(0), before=[before], after=[after]))
    assert [note.code for note in got.notes] == codes


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", ["float", "double", "mixed"])
def test_rows_in_another_byte_order_than_the_header_says(tmp_path: Path, order: str, kind: str) -> None:
    types = {"float": ["float"] * 23, "double": ["double"] * 23, "mixed": ["double"] * 3 + ["float"] * 20}[
        kind
    ]
    data = ply(rows(50, 1), names(1), types=types, order=order)
    assert len(read(tmp_path, data).gaussians) == 50
    words = [b"little", b"big"]
    wrong = data.replace(*(words if order == "<" else words[::-1]), 1)
    told, other = ("big", "little") if order == "<" else ("little", "big")
    with pytest.raises(AnixError, match=f"E307.*says {told}-endian, but .* as {other}-endian only"):
        read(tmp_path, wrong)


def test_noise_is_of_no_byte_order(tmp_path: Path) -> None:
    head = ply(rows(0, 0), names(0), count=200)
    got = read(tmp_path, head + np.random.default_rng(0).bytes(200 * 14 * 4))
    assert [note.code for note in got.notes] == ["W304"]


@pytest.mark.parametrize("comment", ["mip=true", "mip = 1", "kernel_size=0.1"])
def test_comments_of_web_splats(tmp_path: Path, comment: str) -> None:
    path = tmp_path / "scene.ply"
    path.write_bytes(ply(rows(2, 0), names(0), comments=[f"comment {comment}"]))
    assert probe(path).antialiased == comment.startswith("mip")
