"""``anix scene``: what it tells, writes and draws, and how it ends where it can't."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anix_cli.core.camera import intrinsics_from_fov_y, look_at
from anix_cli.core.gaussians import Gaussians
from anix_cli.scene import read_splats, robust_bounds, similarity, transform, write_ply
from anix_cli.splat import render
from tests.conftest import yard

KEYS = {
    "format", "count", "sh_degree", "frame", "antialiased", "dropped", "bounds", "up", "ground", "warnings",
}  # fmt: skip


@pytest.fixture(scope="module")
def harmonic_yard() -> Gaussians:
    """The yard with colours that depend on the view, turned as PLY has it: -Y up."""
    scene = yard()
    rng = np.random.default_rng(5)
    rest = rng.normal(0, 0.05, (len(scene), 15, 3)).astype(np.float32)
    full = replace(scene, sh=np.concatenate([scene.sh, rest], axis=1))
    return transform(full, np.linalg.inv(similarity("-y", 1.0)))


@pytest.fixture
def ply(tmp_path, monkeypatch, harmonic_yard) -> Path:
    monkeypatch.chdir(tmp_path)
    write_ply(Path("yard.ply"), harmonic_yard, comments=("a yard",))
    return Path("yard.ply")


def psnr(one: Gaussians, other: Gaussians) -> float:
    """Of three views into the yard, in a frame with -Y up."""
    k = intrinsics_from_fov_y(60, (240, 160))
    errors = []
    for target in ((5, -1, 5), (-5, -0.5, 3), (0, -1, -6)):
        pose = look_at((0, -1.6, 0), target, up=(0, -1, 0))
        pictures = [
            render(each, pose, k, (240, 160), near=0.05).rgb.astype(np.float64) for each in (one, other)
        ]
        errors.append(np.square(pictures[0] - pictures[1]).mean())
    return float(-10 * np.log10(max(*errors, 1e-20)))


def test_info_tells_what_is_there(anix, ply):
    code, out, err = anix("scene", "info", "yard.ply", "--json")
    facts = json.loads(out)
    assert (code, err) == (0, "")
    assert facts.keys() >= KEYS
    assert (facts["format"], facts["count"], facts["sh_degree"]) == ("PLY", len(yard()), 3)
    assert (facts["frame"], facts["frame_source"], facts["up"]) == ("-y up", "PLY convention", "-y")
    assert (facts["antialiased"], facts["dropped"], facts["comments"]) == (False, 0, ["a yard"])
    assert facts["bytes"] == ply.stat().st_size
    np.testing.assert_allclose(facts["bounds"], [[-12, 0, -12], [12, 4, 12]], atol=0.5)
    assert abs(facts["ground"]["height"]) < 0.05
    assert facts["tilt_deg"] < 0.5
    assert facts["warnings"] == []
    assert facts["memory"]["decoded"] == len(yard()) * 4 * (11 + 48)


def test_info_as_a_table(anix, ply):
    code, out, err = anix("scene", "info", "yard.ply")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "yard.ply"
    named = dict(line.strip().split("  ", 1) for line in lines[1:])
    assert named["frame"].strip() == "-y up (PLY convention)"
    assert named["Gaussians"].strip() == f"{len(yard()):,}"
    assert named["comment"].strip() == "a yard"
    width = lines[1].index("PLY")
    assert all(line[width - 2 : width] == "  " and line[width] != " " for line in lines[1:])


def test_info_counts_in_metres_on_the_stage(anix, ply):
    facts = json.loads(anix("scene", "info", "yard.ply", "--scale", "2", "--origin", "0,-1,0", "--json")[1])
    np.testing.assert_allclose(facts["bounds"], [[-24, -2, -24], [24, 6, 24]], atol=1)
    assert abs(facts["ground"]["height"] + 2) < 0.1


def test_quick_info_decodes_nothing(anix, ply):
    facts = json.loads(anix("scene", "info", "yard.ply", "--quick", "--json")[1])
    assert (facts["count"], facts["sh_degree"], facts["frame"]) == (len(yard()), 3, "-y up")
    assert (facts["dropped"], facts["bounds"], facts["ground"]) == (None, None, None)
    code, out, _ = anix("scene", "info", "yard.ply", "--quick")
    assert code == 0
    assert "on the stage" not in out


def header(count: int) -> bytes:
    columns = {"f_dc_": 3, "scale_": 3, "rot_": 4}
    names = ["x", "y", "z", "opacity", *(f"{name}{i}" for name, most in columns.items() for i in range(most))]
    lines = ["ply", "format binary_little_endian 1.0", f"element vertex {count}"]
    return "\n".join([*lines, *(f"property float {name}" for name in names), "end_header", ""]).encode()


def test_no_gaussians_are_no_error_for_info(anix, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("none.ply").write_bytes(header(0))
    code, out, _ = anix("scene", "info", "none.ply", "--json")
    facts = json.loads(out)
    assert (code, facts["count"], facts["format"], facts["dropped"]) == (0, 0, "PLY", 0)
    assert anix("scene", "info", "none.ply")[0] == 0
    code, _, err = anix("scene", "convert", "none.ply", "b.ply")
    assert (code, "E309" in err, Path("b.ply").exists()) == (4, True, False)
    Path("nan.ply").write_bytes(header(3) + np.full((3, 14), np.nan, "<f4").tobytes())
    code, out, _ = anix("scene", "info", "nan.ply", "--json")
    facts = json.loads(out)
    assert (code, facts["count"], facts["dropped"], facts["bounds"]) == (0, 3, 3, None)
    assert [note["code"] for note in facts["warnings"]] == ["E309"]


@pytest.mark.parametrize(
    "command", [["info", "bad.ply"], ["convert", "bad.ply", "b.ply"], ["look", "bad.ply", "-o", "o"]]
)
def test_what_cannot_be_read_ends_with_4(anix, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    Path("bad.ply").write_bytes(header(9))
    code, out, err = anix("scene", *command, "--json")
    error = json.loads(out)["error"]
    assert (code, error["code"], error["file"]) == (4, "E306", "bad.ply")
    assert "9 Gaussians" in error["message"]
    code, out, err = anix("scene", *command)
    assert (code, out) == (4, "")
    assert "E306" in err
    assert not Path("b.ply").exists()


def test_dropped_rows_are_told(anix, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = np.random.default_rng(0).normal(size=(50, 14)).astype("<f4")
    rows[7, 2] = np.inf
    Path("a.ply").write_bytes(header(50) + rows.tobytes())
    facts = json.loads(anix("scene", "info", "a.ply", "--json")[1])
    assert (facts["count"], facts["dropped"]) == (50, 1)
    assert "W304" in [note["code"] for note in facts["warnings"]]
    assert facts["ground"] is None
    assert "1 of them left out" in anix("scene", "info", "a.ply")[1]


@pytest.mark.parametrize(
    ("name", "options", "least_db", "frame"),
    [
        ("b.ply", (), 100, "-y up"),
        ("b.sog", (), 40, "-y up"),
        ("b.spz", (), 34, "+y up"),
        ("b.spz", ("--spz-version", "4"), 34, "+y up"),
    ],
)
def test_conversion_there_and_back(anix, ply, harmonic_yard, name, options, least_db, frame):
    code, out, err = anix("scene", "convert", "yard.ply", name, *options, "--json")
    assert (code, err) == (0, "")
    made = json.loads(out)
    assert (made["count"], made["sh_degree"], made["frame"]) == (len(harmonic_yard), 3, frame)
    assert made["bytes"] == Path(name).stat().st_size
    assert anix("scene", "convert", name, "back.ply")[0] == 0
    back = read_splats(Path("back.ply"))
    assert (back.info.format, back.info.up, len(back.gaussians)) == ("PLY", "-y", len(harmonic_yard))
    assert psnr(harmonic_yard, back.gaussians) >= least_db


def test_a_copy_changes_no_number(anix, ply):
    assert anix("scene", "convert", "yard.ply", "b.ply")[0] == 0
    one, two = read_splats(Path("yard.ply")), read_splats(Path("b.ply"))
    np.testing.assert_array_equal(one.gaussians.means, two.gaussians.means)
    np.testing.assert_allclose(one.gaussians.sh, two.gaussians.sh, atol=0)
    assert two.info.comments == ("a yard",)


def test_conversion_with_a_placement(anix, ply):
    options = ("--up=-y", "--scale", "0.5", "--origin", "2,-1,0", "--crop", "x=-3,3", "--crop", "z=-2,9")
    code, out, _ = anix("scene", "convert", "yard.ply", "b.spz", *options, "--sh-degree", "1", "--json")
    made = json.loads(out)
    assert (code, made["sh_degree"]) == (0, 1)
    assert made["count"] + made["dropped"] == len(yard())
    got = read_splats(Path("b.spz"))
    assert got.info.up == "+y"
    low, high = got.gaussians.means.min(axis=0), got.gaussians.means.max(axis=0)
    step = 0.2 + 1e-3  # the yard's stones are 0.4 apart
    assert -3 - 1e-3 <= low[0] < -3 + step
    assert 3 - step < high[0] <= 3 + 1e-3
    assert low[2] >= -2 - 1e-3
    assert abs(low[1] + 0.5) < 0.01
    assert high[2] > 5.9
    again = json.loads(anix("scene", "info", "b.spz", "--json")[1])
    assert abs(again["ground"]["height"] + 0.5) < 0.02


def test_outputs_are_not_lost(anix, ply):
    Path("b.ply").write_text("mine")
    code, _, err = anix("scene", "convert", "yard.ply", "b.ply")
    assert (code, "E435" in err, Path("b.ply").read_text()) == (2, True, "mine")
    assert anix("scene", "convert", "yard.ply", "b.ply", "--overwrite")[0] == 0
    assert Path("b.ply").stat().st_size == ply.stat().st_size
    for name in ("b.glb", "b", "b.compressed.ply"):
        code, _, err = anix("scene", "convert", "yard.ply", name)
        assert (code, "E436" in err) == (2, True)
    code, _, err = anix("scene", "convert", "yard.ply", "c.spz", "--scale", "1e7")
    assert (code, "E314" in err, Path("c.spz").exists()) == (3, True, False)
    code, _, err = anix("scene", "convert", "yard.ply", "c.ply", "--crop", "x=100,200")
    assert (code, "E315" in err, Path("c.ply").exists()) == (3, True, False)
    assert sorted(path.name for path in Path().iterdir()) == ["b.ply", "yard.ply"]


@pytest.mark.parametrize(
    "options",
    [
        ["--crop", "w=1,2"], ["--crop", "x=2,1"], ["--crop", "x=1"], ["--crop", "x=a,b"], ["--scale", "0"],
        ["--scale", "nan"], ["--origin", "1,2"], ["--up", "north"], ["--sh-degree", "4"],
        ["--spz-version", "1"],
    ],
)  # fmt: skip
def test_options_that_mean_nothing(anix, ply, options):
    code, _, err = anix("scene", "convert", "yard.ply", "b.ply", *options)
    assert (code, options[0] in err, Path("b.ply").exists()) == (2, True, False)


def test_a_look(anix, ply):
    marks = ("--at", "gate=0,-4", "--at", "3,11.9", "--at", "90,0")
    code, out, err = anix("scene", "look", "yard.ply", "-o", "seen/yard", *marks, "--json")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    assert facts["inside"] is True
    assert abs(facts["views_from"][1] - 1.5) < 0.2
    assert [mark["label"] for mark in facts["marks"]] == ["gate", "3, 11.9", "90, 0"]
    assert [mark["free"] for mark in facts["marks"]] == [True, False, False]
    assert [mark["on_map"] for mark in facts["marks"]] == [True, True, False]
    for name in ("views.png", "map.png"):
        with Image.open(Path("seen/yard") / name) as picture:
            assert min(picture.size) > 600
    assert sorted(path.name for path in Path("seen/yard").iterdir()) == ["map.png", "views.png"]
    code, out, _ = anix("scene", "look", "yard.ply", "-o", "seen/yard", *marks)
    assert code == 0  # its own pictures are replaced
    assert out.splitlines()[2:] == [
        "  gate: x 0, z -4, ground at y = 0.01 m, free to stand on",
        "  3, 11.9: x 3, z 11.9, ground at y = 0.01 m, something is in the way",
        "  90, 0: outside the scene",
    ]
    Image.new("RGB", (8, 8)).save("seen/yard/map.png")
    before = Path("seen/yard/map.png").read_bytes()
    code, _, err = anix("scene", "look", "yard.ply", "-o", "seen/yard")
    assert (code, "E435" in err, Path("seen/yard/map.png").read_bytes() == before) == (2, True, True)
    assert anix("scene", "look", "yard.ply", "-o", "seen/yard", "--overwrite", "--at", "nowhere")[0] == 2


def test_robust_bounds_of_what_was_converted(anix, ply, harmonic_yard):
    anix("scene", "convert", "yard.ply", "b.sog")
    np.testing.assert_allclose(
        robust_bounds(read_splats(Path("b.sog")).gaussians), robust_bounds(harmonic_yard), atol=0.01
    )


def test_a_scene_far_from_its_origin_is_brought_near(anix, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    columns = np.concatenate(
        [rng.normal(0, 2, (400, 3)) + np.array([450_000, 84, 5.4e6]), rng.normal(size=(400, 11))], axis=1
    )
    Path("far.ply").write_bytes(header(400).replace(b"float", b"double") + columns.astype("<f8").tobytes())
    facts = json.loads(anix("scene", "info", "far.ply", "--json")[1])
    np.testing.assert_allclose(facts["offset"], (450_000, 84, 5.4e6), atol=2)
    assert "W307" in [note["code"] for note in facts["warnings"]]
    for options in ((), ("--scale", "1", "--up=-y")):
        code, _, err = anix("scene", "convert", "far.ply", "near.ply", "--overwrite", *options)
        assert (code, "W307" in err) == (0, True)
        means = read_splats(Path("near.ply")).gaussians.means
        expected = columns[:, :3] - facts["offset"]
        np.testing.assert_allclose(means, expected, atol=1e-4)


def test_one_gaussian_can_be_looked_at(anix, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("one.ply").write_bytes(header(1) + np.ones((1, 14), "<f4").tobytes())
    code, out, err = anix("scene", "look", "one.ply", "-o", "one", "--at", "1,-1")
    assert (code, "W303" in err) == (0, True)
    assert out.splitlines()[2:] == ["  1, -1: x 1, z -1"]


def test_a_look_that_fails_leaves_no_picture(anix, ply):
    Path("o").mkdir()
    Path("o/map.png").write_text("mine")
    assert anix("scene", "look", "yard.ply", "-o", "o")[0] == 2
    assert [path.name for path in Path("o").iterdir()] == ["map.png"]
    assert anix("scene", "look", "yard.ply", "-o", "yard.ply")[0] == 4  # a file is there
