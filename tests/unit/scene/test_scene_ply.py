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
        ("comment SplatRenderMode: mip", True, "-y up (PLY convention)"),
        ("comment antialiased 1", True, "-y up (PLY convention)"),
        ("comment antialiased 0", False, "-y up (PLY convention)"),
        ("comment Vertical Axis: z", False, "+z up (its header says so)"),
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
        (("x", "y"), "E308", "missing z"),
        (("x", "y", "z", "f_dc_0"), "E308", "missing f_dc_1"),
        (tuple(n for n in names(0) if n != "opacity"), "E308", "missing opacity"),
        (("packed_position", "packed_rotation"), "E307", "without packed_scale"),
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
        (b"ply\nformat ascii 1.0\nelement face 1\nproperty list float int x\nend_header\n", "E307"),
        (b"ply\nformat ascii 1.0\nend_header\n", "E308"),
        (b"ply\n" + b"comment very long\n" * 20_000 + b"end_header\n", "E307"),
        (b"ply\nformat ascii 1.0\ncomment cut", "E306"),
        (ply(np.zeros((0, 14)), names(0)), "E309"),
        (ply(np.zeros((0, 14)), names(0), count=20_000_001), "E312"),
    ],
)
def test_headers_that_are_refused(tmp_path: Path, data: bytes, code: str) -> None:
    assert code in str(error(tmp_path, data))


def with_lists(table: np.ndarray, order: str) -> bytes:
    """Rows of which one column more is a list of 0, 1, 2 … bytes, in the middle of the row."""
    columns = names(0)
    head = ply(table[:0], columns, order=order, count=len(table))
    head = head.replace(b"property float opacity", b"property list uchar short near\nproperty float opacity")
    for i, row in enumerate(table):
        if order == "a":
            near = " ".join(["7"] * (i % 4))
            head += f"{' '.join(map(repr, row[:6].tolist()))} {i % 4} {near} ".encode()
            head += " ".join(map(repr, row[6:].tolist())).encode() + b"\n"
        else:
            head += row[:6].astype(order + "f4").tobytes() + bytes([i % 4]) + bytes(2 * (i % 4))
            head += row[6:].astype(order + "f4").tobytes()
    return head


@pytest.mark.parametrize("order", ["<", ">", "a"])
def test_lists_among_the_gaussians_are_walked_over(tmp_path: Path, order: str) -> None:
    table = rows(9, 0)
    wanted = read(tmp_path, ply(table, names(0))).gaussians
    whole = with_lists(table, order)
    got = read(tmp_path, whole).gaussians
    for field in ("means", "quats", "scales", "opacities", "sh"):
        np.testing.assert_allclose(getattr(got, field), getattr(wanted, field), rtol=1e-6, atol=1e-7)
    path = tmp_path / "cut.ply"
    path.write_bytes(whole[:-30] if order == "a" else whole[:-1])
    with pytest.raises(AnixError, match=r"E306|E307"):
        read_splats(path)


@pytest.mark.parametrize("order", ["<", ">"])
def test_lists_before_the_gaussians_are_walked_over(tmp_path: Path, order: str) -> None:
    table = rows(5, 1)
    faces = b"".join(bytes([n]) + np.arange(n, dtype=order + "i4").tobytes() for n in (3, 0, 4))
    lists = ("element face 3", ["property list uchar int vertex_indices"], faces)
    scene = read(tmp_path, ply(table, names(1), order=order, before=[lists])).gaussians
    np.testing.assert_array_equal(scene.means, table[:, :3].astype(np.float32))
    negative = ("element face 1", ["property list char int vertex_indices"], b"\xff")
    path = tmp_path / "bad.ply"
    path.write_bytes(ply(table, names(1), order=order, before=[negative]))
    with pytest.raises(AnixError, match="E307"):
        read_splats(path)


def test_a_list_longer_than_the_file(tmp_path: Path) -> None:
    path = tmp_path / "scene.ply"
    lists = ("element face 1", ["property list uint double weights"], b"\xff\xff\xff\xff")
    path.write_bytes(ply(rows(3, 0), names(0), before=[lists]))
    with pytest.raises(AnixError, match=r"E306.*rows of “face”"):
        read_splats(path)


def test_flat_gaussians_get_almost_no_thickness(tmp_path: Path) -> None:
    table = rows(300, 1)
    columns = [name for name in names(1) if name != "scale_2"]
    scene = read(tmp_path, ply(np.delete(table, 9, axis=1), columns))
    assert (scene.info.format, [note.code for note in scene.notes]) == ("PLY (2DGS)", ["W309"])
    np.testing.assert_allclose(scene.gaussians.scales[:, :2], np.exp(table[:, 7:9]), rtol=1e-6)
    low, high = np.percentile(table[:, :3], (1, 99), axis=0)
    np.testing.assert_allclose(scene.gaussians.scales[:, 2], 1e-6 * np.linalg.norm(high - low), rtol=1e-5)


def test_degree_4_is_cut_to_3(tmp_path: Path) -> None:
    columns = (*names(0), *(f"f_rest_{i}" for i in range(72)))
    table = np.concatenate([rows(4, 0), np.tile(np.arange(72.0), (4, 1))], axis=1)
    scene = read(tmp_path, ply(table, columns))
    assert (scene.info.sh_degree, [note.code for note in scene.notes]) == (3, ["W311"])
    wanted = np.arange(72.0).reshape(3, 24)[:, :15].T
    np.testing.assert_array_equal(scene.gaussians.sh[2, 1:], wanted)


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
