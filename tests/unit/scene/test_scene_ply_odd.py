"""PLY files that are spelt in unusual ways, and lists of all lengths anywhere in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from splat_files import names, ply, rows

from anix_cli.core.errors import AnixError
from anix_cli.scene import SplatFile, read_splats
from anix_cli.scene.formats import ply_lists

ROW = b"0.1 0.2 0.3 0 0 0 1 -3 -3 -3 1 0 0 0"


def read(tmp_path: Path, data: bytes) -> SplatFile:
    path = tmp_path / "scene.ply"
    path.write_bytes(data)
    return read_splats(path)


def text(*lines: bytes, before: bytes = b"") -> bytes:
    """An ASCII file of one Gaussian a line."""
    head = ply(rows(0, 0), names(0), order="a", count=len(lines))
    head = head.replace(b"element vertex", before + b"element vertex", 1)
    return head + b"\n".join(lines) + b"\n"


@pytest.mark.parametrize(
    ("word", "value"),
    [("1e-3", 1e-3), ("+1", 1), (".5", 0.5), ("1.", 1), ("1d-3", 1e-3), ("1D+02", 100), ("-0", 0)],
)
def test_spellings_of_numbers(tmp_path: Path, word: str, value: float) -> None:
    got = read(tmp_path, text(ROW, ROW.replace(b"0.1", word.encode())))
    np.testing.assert_allclose(got.gaussians.means[:, 0], [0.1, value], rtol=1e-6)


@pytest.mark.parametrize(
    "word", ["nan", "-NaN", "nan(ind)", "-nan(snan)", "1.#QNAN", "-1.#IND", "1.#INF", "-inf"]
)
def test_spellings_of_what_is_no_number(tmp_path: Path, word: str) -> None:
    got = read(tmp_path, text(ROW, ROW.replace(b"0.1", word.encode()), ROW))
    assert (len(got.gaussians), got.dropped) == (2, 1)
    reason = "infinite or beyond" if "inf" in word.lower() else "not numbers"
    assert reason in got.notes[0].message


@pytest.mark.parametrize("word", ["0,5", "0x10", "1_000", "1.0f", "true", "1+2j", "\u0663", "e5", "comment"])
def test_words_that_are_no_numbers_are_named(tmp_path: Path, word: str) -> None:
    with pytest.raises(AnixError, match="row 2 of its “vertex” has “") as caught:
        read(tmp_path, text(ROW, ROW.replace(b"0.1", word.encode()), ROW))
    assert caught.value.diagnostics[0].code == "E307"


def test_rows_of_text_that_are_too_short_or_long_are_named(tmp_path: Path) -> None:
    for row in (ROW[:-2], ROW + b" 1"):
        with pytest.raises(AnixError, match=r"row 3 of its “vertex” has 1[35] numbers where 14 are named"):
            read(tmp_path, text(ROW, ROW, row, ROW))
    with pytest.raises(AnixError, match=r"E307.*more than 4,194,304 bytes"):
        read(tmp_path, text(ROW, b"1 " * 3_000_000))
    lists = text(ROW + b" 2 5", ROW + b" 0")
    lists = lists.replace(b"end_header", b"property list uchar int near\nend_header")
    with pytest.raises(AnixError, match="row 1 of its “vertex” has 16 words"):
        read(tmp_path, lists)
    with pytest.raises(AnixError, match="has a list of “-1” numbers"):
        read(tmp_path, lists.replace(b" 2 5", b" -1"))


def test_blank_lines_are_passed_over(tmp_path: Path) -> None:
    faces = b"element face 2\nproperty list uchar int v\n"
    got = read(
        tmp_path, text(b"3 0 1 2\n", b"3 0 1 2", before=faces).replace(b"vertex 2", b"vertex 1") + b"\n" + ROW
    )
    np.testing.assert_allclose(got.gaussians.means, [[0.1, 0.2, 0.3]], rtol=1e-6)


def test_lines_that_end_as_on_the_old_macintosh(tmp_path: Path) -> None:
    table = rows(4, 1)
    data = ply(table, names(1), newline="\r")
    np.testing.assert_array_equal(read(tmp_path, data).gaussians.means, table[:, :3])


def test_names_matter_only_where_they_are_used(tmp_path: Path) -> None:
    camera = ("element camera 1", ["property float f", "property float f"], bytes(8))
    assert len(read(tmp_path, ply(rows(4, 0), names(0), after=[camera])).gaussians) == 4


def listed(lengths: np.ndarray, length: str, item: str, order: str) -> bytes:
    """A list of zeros for each of the lengths."""
    size = np.dtype(item).itemsize
    return b"".join(
        int(n).to_bytes(np.dtype(length).itemsize, "little" if order == "<" else "big") + bytes(int(n) * size)
        for n in lengths
    )


PATTERNS = {
    "none": np.zeros(3000, int),
    "equal": np.full(3000, 3),
    "in turn": np.arange(3000) % 5,
    "rarely another": np.where(np.arange(3000) % 700 == 699, 4, 3),
    "any": np.random.default_rng(0).integers(0, 9, 3000),
    "only the last": np.where(np.arange(3000) == 2999, 200, 3),
}


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(("length", "item"), [("uchar", "int"), ("ushort", "uchar"), ("int", "double")])
def test_lists_before_the_gaussians(tmp_path: Path, pattern: str, order: str, length: str, item: str) -> None:
    codes = {"uchar": "u1", "ushort": "u2", "int": "i4", "double": "f8"}
    table = rows(5, 0)
    data = listed(PATTERNS[pattern], codes[length], codes[item], order)
    faces = ("element face 3000", [f"property list {length} {item} v"], data)
    got = read(tmp_path, ply(table, names(0), order=order, before=[faces]))
    np.testing.assert_array_equal(got.gaussians.means, table[:, :3])
    short = ("element face 3001", [f"property list {length} {item} v"], data)
    with pytest.raises(AnixError, match=r"E30[67]"):
        read(tmp_path, ply(rows(1, 0), names(0), order=order, before=[short])[: -14 * 4])


@pytest.mark.parametrize("seed", range(6))
def test_lists_between_the_columns_of_gaussians(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ply_lists, "_MOST", 16)  # so that few rows take many pieces
    random = np.random.default_rng(seed)
    count, columns = 400, names(0)
    table = rows(count, 0, seed)
    places = sorted(random.choice(15, 1 + seed % 3, replace=False))
    alike = random.integers(0, 4, (count, len(places))) * (random.random((count, 1)) < seed / 8)
    head = ply(table[:0], columns, count=count)
    body = b""
    for row, lengths in zip(table.astype("<f4"), alike, strict=True):
        at = 0
        for place, number in zip(places, lengths, strict=True):
            body += row[at:place].tobytes() + bytes([number]) + bytes(2 * int(number))
            at = place
        body += row[at:].tobytes()
    lines = head.split(b"\n")
    first = next(i for i, line in enumerate(lines) if line.startswith(b"property"))
    for n, place in enumerate(reversed(places)):
        lines.insert(first + int(place), b"property list uchar short near_%d" % n)
    got = read(tmp_path, b"\n".join(lines) + body).gaussians
    wanted = read(tmp_path, ply(table, columns)).gaussians
    for field in ("means", "quats", "scales", "opacities", "sh"):
        np.testing.assert_array_equal(getattr(got, field), getattr(wanted, field))


def test_millions_of_lists_are_no_rows_of_a_scene(tmp_path: Path) -> None:
    many = ("element face 20000001", ["property list uchar int v"], bytes(20_000_001))
    with pytest.raises(AnixError, match=r"E307.*20,000,001 rows of lists"):
        read(tmp_path, ply(rows(2, 0), names(0), before=[many]))


def test_why_rows_were_left_out_is_told(tmp_path: Path) -> None:
    table = rows(10, 1)
    table[0, 3] = np.nan
    table[1, 1] = np.inf
    table[2, 20] = 1e30  # a coefficient whose square float32 does not hold
    table[3, 10:14] = 0
    table[4, 7] = 90.0  # e⁹⁰
    got = read(tmp_path, ply(table, names(1)))
    assert (got.dropped, len(got.gaussians)) == (5, 5)
    (note,) = got.notes
    assert (
        "5 of 10 Gaussians were left out, 1 with values that are not numbers, 3 with values that"
        in note.message
    )
    assert note.message.endswith("1 without a rotation (a quaternion of length 0)")
    for column, value, says in (
        (0, 1e16, "none can be drawn: all with values that are infinite or beyond 1e+15"),
        (0, np.nan, "all with values that are not numbers"),
        (slice(10, 14), 0, "all without a rotation"),
    ):
        table = rows(10, 1)
        table[:, column] = value
        with pytest.raises(AnixError, match="E309") as caught:
            read(tmp_path, ply(table, names(1)))
        assert says in str(caught.value)


@pytest.mark.parametrize(
    ("sizes", "opacities", "says"),
    [
        (0.02, 0.5, "final sizes and opacities where PLY has logarithms and logits"),
        (None, 0.5, "final opacities where PLY has logits"),
        (0.4, None, "final sizes where PLY has logarithms"),
        (None, None, ""),
    ],
)
def test_which_values_look_final_is_told(
    tmp_path: Path, sizes: float | None, opacities: float | None, says: str
) -> None:
    table = rows(40, 0)
    if sizes is not None:
        table[:, 7:10] = sizes
    if opacities is not None:
        table[:, 6] = opacities
    found = read(tmp_path, ply(table, names(0))).notes
    assert [note.code for note in found] == (["W306"] if says else [])
    assert says in "".join(note.message for note in found)


def test_large_units_are_no_final_sizes(tmp_path: Path) -> None:
    table = rows(400, 0)
    table[:, :3] *= 1000
    table[:, 7:10] = np.abs(table[:, 7:10])  # millimetres: logarithms above 0
    assert read(tmp_path, ply(table, names(0))).notes == ()
