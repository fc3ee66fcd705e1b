"""What is written: SOG and SPZ version 4 within a step of what they hold, PLY with its comments."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from reading import near, same_turn, scan

from anix_cli.core.errors import AnixError
from anix_cli.core.gaussians import Gaussians
from anix_cli.scene import probe, read_splats, write_ply, write_sog, write_spz
from anix_cli.scene.formats.codebook import line_codebook, row_palette


def written(path: Path, scene: Gaussians, **options: object) -> Gaussians:
    write_sog(path, scene, **options)  # type: ignore[arg-type]
    assert probe(path) == read_splats(path).info
    return read_splats(path).gaussians


def meta_of(path: Path) -> dict[str, dict[str, list[float]]]:
    with zipfile.ZipFile(path) as bundle:
        return json.loads(bundle.read("meta.json"))


def nearest(book: list[float], values: np.ndarray) -> np.ndarray:
    entries = np.array(book)
    return entries[np.abs(values[..., None] - entries).argmin(axis=-1)]


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_sog_is_within_its_steps(tmp_path: Path, degree: int) -> None:
    scene = scan(700, degree, seed=degree)
    got = written(tmp_path / "a.sog", scene, reorder=False)
    meta = meta_of(tmp_path / "a.sog")
    logs = np.sign(scene.means) * np.log1p(np.abs(scene.means.astype(np.float64)))
    near(got.means, scene.means, (1 + np.abs(scene.means)) * np.ptp(logs, axis=0) / 65535 * 1.01)
    near(got.opacities, scene.opacities, 1 / 255)
    same_turn(got, scene, 1.2)
    sizes = np.log(scene.scales.astype(np.float64))
    np.testing.assert_allclose(np.log(got.scales), nearest(meta["scales"]["codebook"], sizes), atol=1e-5)
    np.testing.assert_allclose(
        got.sh[:, 0], nearest(meta["sh0"]["codebook"], scene.sh[:, 0].astype(np.float64)), atol=1e-5
    )
    assert got.sh_degree == degree
    if degree:
        book = meta["shN"]["codebook"]
        np.testing.assert_allclose(
            got.sh[:, 1:], nearest(book, scene.sh[:, 1:].astype(np.float64)), atol=1e-5
        )
        assert np.abs(got.sh[:, 1:] - scene.sh[:, 1:]).max() < np.ptp(scene.sh[:, 1:]) / 40


def test_sog_reorders_and_cuts(tmp_path: Path) -> None:
    scene = replace(scan(300, 3), antialiased=True)
    kept = written(tmp_path / "a.sog", scene, reorder=False)
    moved = written(tmp_path / "b.sog", scene)
    order = np.lexsort(kept.means.T), np.lexsort(moved.means.T)
    for field in ("means", "quats", "scales", "opacities", "sh"):
        np.testing.assert_array_equal(getattr(kept, field)[order[0]], getattr(moved, field)[order[1]])
    steps = [np.linalg.norm(np.diff(one.means, axis=0), axis=1).mean() for one in (kept, moved)]
    assert steps[1] < 0.6 * steps[0]
    assert kept.antialiased
    assert not written(tmp_path / "c.sog", scan(5, 0)).antialiased
    assert written(tmp_path / "d.sog", scene, sh_degree=1).sh_degree == 1
    write_sog(tmp_path / "e.sog", scene)
    assert (tmp_path / "b.sog").read_bytes() == (tmp_path / "e.sog").read_bytes()


def test_sog_keeps_the_colours_of_what_is_transparent(tmp_path: Path) -> None:
    scene = scan(64, 0)
    clear = replace(scene, opacities=np.zeros(64, np.float32))
    solid = written(tmp_path / "a.sog", replace(scene, opacities=np.ones(64, np.float32)), reorder=False)
    got = written(tmp_path / "b.sog", clear, reorder=False)
    assert np.all(got.opacities == 0)
    assert np.abs(got.sh - solid.sh).max() < 0.1
    with zipfile.ZipFile(tmp_path / "b.sog") as bundle:
        picture = Image.open(io.BytesIO(bundle.read("sh0.webp")))
        assert (picture.format, picture.mode) == ("WEBP", "RGBA")


def test_a_single_gaussian(tmp_path: Path) -> None:
    one = scan(1, 2)
    got = written(tmp_path / "a.sog", one)
    np.testing.assert_allclose(got.means, one.means, atol=1e-5)
    np.testing.assert_allclose(got.sh, one.sh, atol=1e-5)
    np.testing.assert_allclose(got.scales, one.scales, rtol=1e-5)


def test_a_line_codebook_beats_even_steps() -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(0, 0.1, 20_000), rng.uniform(-5, 5, 200)])
    book, index = line_codebook(values)
    assert (np.diff(book) >= 0).all()
    np.testing.assert_allclose(book[index], nearest(list(book), values), atol=1e-6)
    even = np.round((values + 5) / 10 * 255) / 255 * 10 - 5
    assert np.square(book[index] - values).mean() < 0.3 * np.square(even - values).mean()
    few = rng.choice([0.25, -3.0, 7.5], (50, 3))
    book, index = line_codebook(few)
    np.testing.assert_array_equal(book[index], few.astype(np.float32))
    weights = np.where(np.abs(values) > 1, 1000.0, 1.0)
    heavy, at = line_codebook(values, weights)
    rare = np.abs(values) > 1
    assert np.abs(heavy[at] - values)[rare].mean() < 0.5 * np.abs(book_error(values))[rare].mean()


def book_error(values: np.ndarray) -> np.ndarray:
    book, index = line_codebook(values)
    return book[index] - values


def test_a_palette_finds_what_is_there() -> None:
    rng = np.random.default_rng(1)
    kinds = rng.normal(size=(50, 24)).astype(np.float32)
    rows = kinds[rng.integers(0, 50, 4000)]
    palette, label = row_palette(rows, 64)
    assert len(palette) <= 50
    np.testing.assert_array_equal(palette[label], rows)
    rows = (rows + rng.normal(0, 0.01, rows.shape)).astype(np.float32)
    errors = []
    for size in (16, 256, 2048):
        palette, label = row_palette(rows, size)
        assert len(palette) <= size
        assert (label.min(), label.max()) >= (0, 0)
        assert label.max() < len(palette)
        errors.append(float(np.square(palette[label] - rows).mean()))
    assert errors[0] > 10 * errors[1] > 10 * errors[2]
    again, same = row_palette(rows, 2048)
    np.testing.assert_array_equal(again[same], palette[label])


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_spz_4_holds_what_3_does(tmp_path: Path, degree: int) -> None:
    scene = replace(scan(60, degree), antialiased=degree == 2)
    for version in (3, 4):
        write_spz(tmp_path / f"{version}.spz", scene, version=version)
    three, four = (read_splats(tmp_path / f"{version}.spz") for version in (3, 4))
    assert (four.info.format, four.info.sh_degree, four.notes) == ("SPZ v4", degree, ())
    assert four.gaussians.antialiased == (degree == 2)
    for field in ("means", "quats", "scales", "opacities", "sh"):
        np.testing.assert_array_equal(getattr(three.gaussians, field), getattr(four.gaussians, field))


def test_spz_4_needs_zstandard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(AnixError, match="E316"):
        write_spz(tmp_path / "a.spz", scan(3, 0), version=4)
    assert not (tmp_path / "a.spz").exists()


def test_a_ply_keeps_comments_that_still_hold(tmp_path: Path) -> None:
    comments = ("made by hand", "Vertical Axis: z", "SplatRenderMode: mip", "two\nlines", "größe")
    write_ply(tmp_path / "a.ply", scan(3, 1), comments=comments)
    info = probe(tmp_path / "a.ply")
    assert info.comments == ("made by hand",)
    assert (info.up, info.antialiased, info.count) == ("-y", False, 3)


@pytest.mark.skipif(
    shutil.which("splat-transform") is None, reason="PlayCanvas' splat-transform is not there"
)
def test_another_program_reads_the_same(tmp_path: Path) -> None:
    scene = scan(500, 3)
    got = written(tmp_path / "a.sog", scene)
    subprocess.run(["splat-transform", "a.sog", "b.ply"], cwd=tmp_path, check=True, capture_output=True)
    theirs = read_splats(tmp_path / "b.ply").gaussians
    order = np.lexsort(got.means.T), np.lexsort(theirs.means.T)
    for field in ("means", "scales", "opacities", "sh"):
        ours = getattr(got, field)[order[0]]
        np.testing.assert_allclose(getattr(theirs, field)[order[1]], ours, atol=1e-3, rtol=1e-3)
