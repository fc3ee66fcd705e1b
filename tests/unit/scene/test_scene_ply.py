"""PLY: every layout that exporters write gives the same Gaussians; what is broken is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from splat_files import names, ply, random_gaussians, rows

from anix_cli.core.errors import AnixError
from anix_cli.scene import SplatFile, probe, read_splats, write_ply


def read(tmp_path: Path, data: bytes) -> SplatFile:
    path = tmp_path / "scene.ply"
    path.write_bytes(data)
    return read_splats(path)


def error(tmp_path: Path, data: bytes) -> AnixError:
    path = tmp_path / "scene.ply"
    path.write_bytes(data)
    with pytest.raises(AnixError) as whole:
        read_splats(path)
    with pytest.raises(AnixError) as quick:
        probe(path)
    assert quick.value.diagnostics == whole.value.diagnostics
    return whole.value


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_values_are_activated_and_channel_major(tmp_path: Path, degree: int) -> None:
    table = rows(20, degree)
    scene = read(tmp_path, ply(table, names(degree))).gaussians
    column = {name: table[:, i] for i, name in enumerate(names(degree))}
    assert scene.sh_degree == degree
    np.testing.assert_array_equal(scene.means, table[:, :3])
    np.testing.assert_allclose(scene.opacities, 1 / (1 + np.exp(-column["opacity"])), rtol=1e-6)
    np.testing.assert_allclose(scene.scales, np.exp(table[:, 7:10]), rtol=1e-6)
    quats = table[:, 10:14] / np.linalg.norm(table[:, 10:14], axis=1, keepdims=True)
    np.testing.assert_allclose(scene.quats, quats, atol=1e-6)
    np.testing.assert_array_equal(scene.sh[:, 0], table[:, 3:6])
    width = (degree + 1) ** 2 - 1
    for channel in range(3):
        for k in range(width):
            np.testing.assert_array_equal(
                scene.sh[:, 1 + k, channel], column[f"f_rest_{channel * width + k}"]
            )


def test_every_layout_reads_the_same(tmp_path: Path) -> None:
    table, columns = rows(12, 1), names(1)
    wanted = read(tmp_path, ply(table, columns)).gaussians
    shuffle = np.random.default_rng(1).permutation(len(columns))
    extra = np.concatenate([table, np.full((12, 3), 7.0)], axis=1)
    extra_types = ["float"] * len(columns) + ["uchar", "int", "double"]
    camera = ("element camera 2", ["property float focal", "property uchar lens"], bytes(10))
    lists = ("element face 1", ["property list uchar int vertex_indices"], b"\x03" + bytes(12))
    variants = {
        "big-endian": ply(table, columns, order=">"),
        "double": ply(table, columns, types=["double"] * len(columns)),
        "ascii": ply(table, columns, order="a"),
        "ascii, CRLF": ply(table, columns, order="a", newline="\r\n"),
        "shuffled": ply(table[:, shuffle], [columns[i] for i in shuffle]),
        "extra columns": ply(extra, [*columns, "red", "id", "error"], types=extra_types),
        "CRLF": ply(table, columns, newline="\r\n"),
        "comments": ply(table, columns, comments=["comment end_header", "obj_info ünïcode", "comment"]),
        "element before": ply(table, columns, before=[camera]),
        "element after": ply(table, columns, after=[camera]),
        "lists after": ply(table, columns, after=[lists]),
    }
    for name, data in variants.items():
        scene = read(tmp_path, data)
        assert scene.notes == (), name
        for field in ("means", "quats", "scales", "opacities", "sh"):
            np.testing.assert_allclose(
                getattr(scene.gaussians, field), getattr(wanted, field), rtol=1e-6, atol=1e-7, err_msg=name
            )


def test_ascii_with_an_element_before(tmp_path: Path) -> None:
    table = rows(3, 0)
    data = ply(table, names(0), order="a", before=[("element camera 2", ["property float f"], b"1\n2\n")])
    np.testing.assert_allclose(read(tmp_path, data).gaussians.means, table[:, :3], rtol=1e-6)


@pytest.mark.parametrize(
    ("comment", "antialiased", "frame"),
    [
        ("comment SplatRenderMode: mip", True, "+Y down (PLY convention)"),
        ("comment antialiased 1", True, "+Y down (PLY convention)"),
        ("comment antialiased 0", False, "+Y down (PLY convention)"),
        ("comment Vertical Axis: z", False, "+Z up (its header says so)"),
    ],
)
def test_comments_that_matter(tmp_path: Path, comment: str, antialiased: bool, frame: str) -> None:
    scene = read(tmp_path, ply(rows(2, 0), names(0), comments=[comment]))
    assert scene.gaussians.antialiased is antialiased
    assert scene.info.antialiased is antialiased
    assert scene.info.frame == frame


def test_bad_rows_go_from_all_columns(tmp_path: Path) -> None:
    table = rows(10, 3)
    wanted = read(tmp_path, ply(table, names(3))).gaussians
    table[1, 0] = np.nan
    table[3, 7] = np.inf
    table[4, 10:14] = 0
    table[5, 20] = -np.inf
    table[6, 8] = 60.0  # e⁶⁰: its square is beyond float32
    table[7, 6], table[8, 6] = np.inf, -np.inf
    scene = read(tmp_path, ply(table, names(3)))
    kept = [0, 2, 7, 8, 9]
    assert scene.dropped == 5
    assert [note.code for note in scene.notes] == ["W304"]
    assert "5 of 10" in scene.notes[0].message
    np.testing.assert_array_equal(scene.gaussians.means, wanted.means[kept])
    np.testing.assert_array_equal(scene.gaussians.sh, wanted.sh[kept])
    np.testing.assert_array_equal(scene.gaussians.opacities[[2, 3]], [1, 0])


def test_no_usable_row(tmp_path: Path) -> None:
    path = tmp_path / "scene.ply"
    path.write_bytes(ply(np.full((3, 14), np.nan), names(0)))
    with pytest.raises(AnixError, match="E309"):
        read_splats(path)


def test_truncation_names_both_sizes(tmp_path: Path) -> None:
    data = ply(rows(1000, 0), names(0))
    message = str(error(tmp_path, data[:-100]))
    assert "E306" in message
    assert f"1,000 Gaussians = {len(data):,} bytes" in message
    assert f"{len(data) - 100:,}" in message
    # A count that no file could have is refused by the same comparison, before anything is allocated.
    assert "E306" in str(error(tmp_path, ply(rows(3, 0), names(0), count=19_999_999)))
    assert "E306" in str(error(tmp_path, ply(rows(3, 0), names(0), order="a", count=5_000_000)))
    assert "E306" in str(error(tmp_path, data[:200]))


def test_ascii_that_lacks_rows_or_numbers(tmp_path: Path) -> None:
    path = tmp_path / "scene.ply"
    whole = ply(rows(30, 0), names(0), order="a")
    for data, code in (
        (whole[: whole.rindex(b"\n", 0, -1) + 1], "E306"),
        (whole[:-20] + b" x\n", "E307"),
        (whole.replace(b"property float rot_3\n", b"property float rot_3\nproperty float w\n"), "E307"),
    ):
        path.write_bytes(data)
        with pytest.raises(AnixError, match=code):
            read_splats(path)


def test_bytes_after_the_end_are_a_warning(tmp_path: Path) -> None:
    scene = read(tmp_path, ply(rows(4, 0), names(0), tail=b"12345"))
    assert [note.code for note in scene.notes] == ["W305"]
    assert "5 bytes" in scene.notes[0].message
    short = ("element camera 9", ["property float f"], b"1234")
    assert [note.code for note in read(tmp_path, ply(rows(4, 0), names(0), after=[short])).notes] == ["W305"]


def test_final_values_are_a_warning(tmp_path: Path) -> None:
    table = rows(40, 0)
    table[:, 6] = 0.5
    table[:, 7:10] = 0.02
    assert [note.code for note in read(tmp_path, ply(table, names(0))).notes] == ["W306"]


def test_far_away_scenes(tmp_path: Path) -> None:
    table = rows(200, 0)
    far = table.copy()
    far[:, :3] += (450_000.0, 5_400_000.0, 80.0)
    scene = read(tmp_path, ply(far, names(0), types=["double"] * 14))
    restored = scene.gaussians.means.astype(np.float64) + scene.offset
    np.testing.assert_allclose(restored, far[:, :3], rtol=0, atol=1e-6)
    assert scene.notes == ()
    coarse = read(tmp_path, ply(far, names(0)))
    assert coarse.offset == (0.0, 0.0, 0.0)
    assert [note.code for note in coarse.notes] == ["W307"]


@pytest.mark.parametrize(
    ("columns", "code", "says"),
    [
        (("x", "y", "z", "red", "green"), "E308", "point cloud"),
        (tuple(n for n in names(0) if n != "opacity"), "E308", "missing opacity"),
        (tuple(n for n in names(0) if n != "scale_2"), "E305", "2DGS"),
        (("packed_position", "packed_rotation"), "E305", "compressed PLY"),
        ((*names(0), "f_rest_0", "f_rest_1"), "E310", "2 columns"),
        ((*names(0), *(f"f_rest_{i + 1}" for i in range(9))), "E310", "9 columns"),
        ((*names(0), "x"), "E307", "two properties"),
    ],
)
def test_columns_that_do_not_make_gaussians(
    tmp_path: Path, columns: tuple[str, ...], code: str, says: str
) -> None:
    message = str(error(tmp_path, ply(np.zeros((2, len(columns))), columns)))
    assert code in message
    assert says in message


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"ply\nformat ascii 1.0\nelement vertex 99999999999999999999999\nend_header\n", "E307"),
        (b"ply\nformat ascii 1.0\nelement vertex -4\nend_header\n", "E307"),
        (b"ply\nformat ascii 1.0\nproperty float x\nend_header\n", "E307"),
        (b"ply\nformat middle_endian 1.0\nend_header\n", "E307"),
        (b"ply\nelement vertex 3\nproperty quad x\nend_header\n", "E307"),
        (b"ply\nend_header\n", "E307"),
        (b"ply\nformat ascii 1.0\nend_header\n", "E308"),
        (b"ply\n" + b"comment very long\n" * 20_000 + b"end_header\n", "E307"),
        (b"ply\nformat ascii 1.0\ncomment cut", "E306"),
        (ply(np.zeros((0, 14)), names(0)), "E309"),
        (ply(np.zeros((0, 14)), names(0), count=20_000_001), "E312"),
    ],
)
def test_headers_that_are_refused(tmp_path: Path, data: bytes, code: str) -> None:
    assert code in str(error(tmp_path, data))


def test_lists_before_or_among_the_gaussians(tmp_path: Path) -> None:
    lists = ("element face 1", ["property list uchar int vertex_indices"], b"\x00")
    assert "E305" in str(error(tmp_path, ply(rows(2, 0), names(0), before=[lists])))
    among = ply(rows(2, 0), names(0)).replace(b"end_header", b"property list uchar int near\nend_header")
    assert "E305" in str(error(tmp_path, among))


@pytest.mark.parametrize("degree", [0, 3])
def test_written_files_read_back(tmp_path: Path, degree: int) -> None:
    scene = random_gaussians(50, degree)
    path = tmp_path / "out.ply"
    write_ply(path, scene)
    again = read_splats(path)
    assert again.notes == ()
    for field in ("means", "quats", "scales", "opacities", "sh"):
        np.testing.assert_allclose(
            getattr(again.gaussians, field), getattr(scene, field), rtol=2e-6, atol=2e-6
        )
