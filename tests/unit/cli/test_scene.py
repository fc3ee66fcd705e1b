"""``anix scene``: what it tells, writes and draws, and how it ends where it can't."""

from __future__ import annotations

import base64
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
    assert facts["tilt_deg"] < 0.5 and facts["up_confirmed"] is True
    assert [note["code"] for note in facts["warnings"]] == ["W302"]  # -y up is what its ground confirms
    assert (facts["scale"], facts["scale_source"], facts["kept"]) == (1, "assumed", len(yard()))
    np.testing.assert_allclose(np.array(facts["stage_from_file"])[:3, :3], np.diag([1, -1, -1]), atol=1e-12)
    assert facts["memory"]["decoded"] == len(yard()) * 4 * (11 + 48)


def test_info_as_a_table(anix, ply):
    code, out, err = anix("scene", "info", "yard.ply", "--scale", "1")
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
    code, _, err = anix("scene", "convert", "yard.ply", "c.spz", "--scale", "1e4")
    assert (code, "E314" in err, Path("c.spz").exists()) == (3, True, False)
    code, _, err = anix("scene", "convert", "yard.ply", "c.ply", "--crop", "x=100,200")
    assert (code, "E315" in err, Path("c.ply").exists()) == (3, True, False)
    assert sorted(path.name for path in Path().iterdir()) == ["b.ply", "yard.ply"]


@pytest.mark.parametrize(
    "options",
    [
        ["--crop", "w=1,2"], ["--crop", "x=2,1"], ["--crop", "x=1"], ["--crop", "x=a,b"], ["--scale", "0"],
        ["--scale", "nan"], ["--scale", "1e300"], ["--scale", "1e-300"], ["--scale", "1_0"],
        ["--scale", "-1"],
        ["--scale", "9" * 400], ["--scale", ""], ["--scale", "1,2"], ["--origin", "1,2"],
        ["--origin", "1e300,0,0"], ["--origin", "1e9,0,0"], ["--origin", "inf,0,0"], ["--up", "north"],
        ["--sh-degree", "4"], ["--spz-version", "1"], ["--spz-version", "3"], ["--crop", "x=1,2,3"],
        ["--crop", "x=-1e300,1e300"], ["--crop", "x=0,1", "--crop", "x=0,2"], ["--metres", "2"],
        ["--reference", "0,0,0", "0,1,0"], ["--reference", "0,0,0", "0,0,0", "--metres", "2"],
        ["--reference", "0,0,0", "0,1e-6,0", "--metres", "2"],
        ["--reference", "0,0", "0,1,0", "--metres", "2"],
        ["--scale", "2", "--reference", "0,0,0", "0,1,0", "--metres", "2"],
    ],
)  # fmt: skip
def test_options_that_mean_nothing(anix, ply, options):
    code, _, err = anix("scene", "convert", "yard.ply", "b.ply", *options)
    named = options[0] in err or "--reference" in err  # --metres goes with it
    assert (code, named, Path("b.ply").exists()) == (2, True, False)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--reference", "0,0,1", "--metres", "2"], "found only 0,0,1"),
        (["--reference=0,0,1", "--metres=2"], "found only 0,0,1"),
        (["--metres", "2", "--reference", "0,0,1"], "found only 0,0,1"),
        (["--metres", "2", "--reference"], "found none"),
        (["--reference", "0", "1", "--metres", "2"], "found none"),
    ],
)
def test_a_reference_of_one_point(anix, ply, options, found):
    for command in (["info"], ["look", "-o", "seen"], ["convert"]):
        code, _, err = anix("scene", command[0], "yard.ply", *command[1:], *options)
        assert code == 2 and found in err and "expected two points of the file" in err
    code, out, _ = anix(
        "scene", "info", "yard.ply", "--reference=0,0,-1", "0,0,1", "--metres", "4", "--json", "--quick"
    )
    assert (code, json.loads(out)["scale_source"]) == (0, "given")


def test_a_look(anix, ply):
    marks = ("--at", "gate=0,-4", "--at", "3,11.9", "--at", "90,0")
    code, out, err = anix("scene", "look", "yard.ply", "-o", "seen/yard", *marks, "--json")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    assert [note["code"] for note in facts["warnings"]] == ["W302"]
    assert facts["inside"] is True
    assert abs(facts["views_from"][1] - 1.5) < 0.2
    assert [mark["label"] for mark in facts["marks"]] == ["gate", "3, 11.9", "90, 0"]
    assert [mark["free"] for mark in facts["marks"]] == [True, False, False]
    assert [mark["on_map"] for mark in facts["marks"]] == [True, True, False]
    assert [mark["ground"] is None for mark in facts["marks"]] == [False, False, True]
    np.testing.assert_allclose(facts["marks"][0]["file"], [0, -facts["marks"][0]["y"], 4], atol=1e-5)
    for name in ("views.png", "map.png"):
        with Image.open(Path("seen/yard") / name) as picture:
            assert min(picture.size) > 600
    assert sorted(path.name for path in Path("seen/yard").iterdir()) == ["map.png", "views.png"]
    code, out, _ = anix("scene", "look", "yard.ply", "-o", "seen/yard", *marks)
    assert code == 0  # its own pictures are replaced
    assert out.splitlines()[2:] == [
        "  gate: at [0, -4], ground at y = 0.01 m, free to stand on; in the file [0, -0.005, 4]",
        "  at [3, 11.9], ground at y = 0.01 m, something is in the way; in the file [3, -0.005, -11.9]",
        "  at [90, 0], outside the scene; in the file [90, -0.005, 0]",
        "  gate to 3, 11.9: 16.18 m",
        "  3, 11.9 to 90, 0: 87.81 m",
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
    assert out.splitlines()[2:] == [
        "  at [1, -1], no ground is known, the scene begins at y = -1.500 m; in the file [1, 1.5, 1]"
    ]


def test_the_views_stand_where_one_likes(anix, ply):
    facts = facts_of(anix, "look", "yard.ply", "-o", "o", "--from", "3,-5")
    x, y, z = facts["views_from"]
    assert (x, z, facts["inside"]) == (3, -5, True)
    assert 1 < y < 1.7
    facts = facts_of(anix, "look", "yard.ply", "-o", "o", "--from", "300,2,0")
    assert facts["views_from"] == [300, 2, 0]
    code, _, err = anix("scene", "look", "yard.ply", "-o", "map.png")
    assert (code, "--output" in err, Path("map.png").exists()) == (2, True, False)


def test_a_look_that_fails_leaves_no_picture(anix, ply):
    Path("o").mkdir()
    Path("o/map.png").write_text("mine")
    assert anix("scene", "look", "yard.ply", "-o", "o")[0] == 2
    assert [path.name for path in Path("o").iterdir()] == ["map.png"]
    assert anix("scene", "look", "yard.ply", "-o", "yard.ply")[0] == 4  # a file is there


def facts_of(anix, *arguments: str) -> dict:
    code, out, _ = anix("scene", *arguments, "--json")
    assert code == 0
    return json.loads(out)


def test_a_reference_says_the_scale(anix, ply):
    options = ("--reference", "0,0,0", "0,-0.8,0", "--metres", "2")
    facts = facts_of(anix, "info", "yard.ply", *options)
    assert (facts["scale"], facts["scale_source"], facts["warnings"]) == (2.5, "given", [])
    np.testing.assert_allclose(facts["bounds"], np.array([[-12, 0, -12], [12, 4, 12]]) * 2.5, atol=1.25)
    assert anix("scene", "convert", "yard.ply", "b.ply", *options)[0] == 0
    assert anix("scene", "convert", "yard.ply", "c.ply", "--scale", "2.5")[0] == 0
    assert Path("b.ply").read_bytes() == Path("c.ply").read_bytes()


def test_what_a_look_tells_can_be_a_reference(anix, ply):
    """Two marks on a turned, moved and shrunk stage: their places in the file are what a reference needs."""
    options = ("--up=-y", "--scale", "0.5", "--origin", "3,-1,2")
    marks = ("--at", "a=1,0.5,2", "--at", "b=1,1.5,2")
    facts = facts_of(anix, "look", "yard.ply", "-o", "o", *options, *marks)
    ends = [",".join(map(str, mark["file"])) for mark in facts["marks"]]
    np.testing.assert_allclose(facts["marks"][0]["file"], [5, -2, -2], atol=1e-6)
    again = facts_of(anix, "info", "yard.ply", "--up=-y", "--reference", *ends, "--metres", "1")
    assert again["scale"] == pytest.approx(0.5)
    lines = anix("scene", "look", "yard.ply", "-o", "o", *options, *marks)[1].splitlines()
    assert "a: at [1, 0.5, 2]" in lines[2]
    assert "m above the ground" in lines[2]
    assert lines[4:] == [
        "  a to b: 1.00 m",
        "  if that should be L metres:  scale: {reference: [[5, -2, -2], [5, -4, -2]], metres: L}",
    ]


def test_points_of_a_shrunk_capture_are_the_file_s_own(anix, ply):
    """nerfstudio had halved it: a unit of the file is two metres, and marks are told in units of the file."""
    Path("dataparser_transforms.json").write_text('{"transform": [], "scale": 0.5}')
    marks = ("--at", "a=2,0,4", "--at", "b=2,3,4")
    facts = facts_of(anix, "look", "yard.ply", "-o", "o", *marks)
    assert facts["scale"] == 2
    np.testing.assert_allclose(
        [mark["file"] for mark in facts["marks"]], [[1, 0, -2], [1, -1.5, -2]], atol=1e-6
    )
    again = facts_of(anix, "info", "yard.ply", "--reference", "1,0,-2", "1,-1.5,-2", "--metres", "6")
    assert again["scale"] == 4
    text = anix("scene", "info", "yard.ply")[1]
    assert "2 m (assumed), after undoing the shrinking before its training" in text


def test_an_up_that_is_auto_sets_level(anix, tmp_path, monkeypatch, harmonic_yard):
    monkeypatch.chdir(tmp_path)
    lean = np.eye(4)
    lean[:2, :2] = [[np.cos(0.2), -np.sin(0.2)], [np.sin(0.2), np.cos(0.2)]]
    write_ply(Path("leans.ply"), transform(harmonic_yard, lean))
    code, _, err = anix("scene", "convert", "leans.ply", "as_is.ply")
    assert (code, err) == (0, "")
    code, _, err = anix("scene", "convert", "leans.ply", "level.ply", "--up", "auto")
    assert (code, "W301" in err, "leant by 11.5" in err) == (0, True, True)
    for name, expected in (("as_is.ply", 11.46), ("level.ply", 0)):
        assert abs(facts_of(anix, "info", name)["tilt_deg"] - expected) < 0.3


def test_a_crop_is_not_what_was_dropped(anix, ply):
    facts = facts_of(anix, "info", "yard.ply", "--crop", "x=-3,3", "--crop", "y=-1,9")
    assert (facts["count"], facts["dropped"]) == (len(yard()), 0)
    assert 0 < facts["kept"] < len(yard()) / 2
    assert facts["bounds"][0][0] > -3.1
    out = anix("scene", "info", "yard.ply", "--crop", "x=-3,3", "--crop", "y=-1,9")[1]
    assert f"{len(yard()):,}, {facts['kept']:,} within the crop" in out


def test_a_given_ground(anix, ply):
    facts = facts_of(anix, "info", "yard.ply", "--ground", "1.25")
    assert facts["ground"] == {"height": 1.25, "low": 1.25, "high": 1.25}
    assert "level, at y = 1.25 m (given)" in anix("scene", "info", "yard.ply", "--ground", "1.25")[1]
    facts = facts_of(anix, "look", "yard.ply", "-o", "o", "--ground", "1.25", "--at", "0,0")
    assert facts["marks"][0]["ground"] == 1.25
    assert facts_of(anix, "info", "yard.ply", "--ground", "auto")["ground_source"] == "found"


def mesh(path: Path) -> Path:
    """glTF of the ground of the yard and a wall across it at z = 5."""
    corners = [(-12, 0, -12), (12, 0, -12), (12, 0, 12), (-12, 0, 12), (-12, 0, 5), (12, 0, 5), (12, 4, 5)]
    points = np.array([*corners, (-12, 4, 5)], "<f4")
    index = np.array([0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7], "<u2")
    data = points.tobytes() + index.tobytes()
    tree = {
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": len(data), "uri": f"data:;base64,{base64.b64encode(data).decode()}"}],
        "bufferViews": [
            {"buffer": 0, "byteLength": points.nbytes},
            {"buffer": 0, "byteOffset": points.nbytes, "byteLength": index.nbytes},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(points), "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": len(index), "type": "SCALAR"},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "nodes": [{"mesh": 0}],
    }
    path.write_text(json.dumps(tree))
    return path


def test_a_collider_says_what_is_in_the_way(anix, ply):
    mesh(Path("walls.gltf"))
    marks = ("--at", "0,5", "--at", "0,0")
    for options, free in (((), [True, True]), (("--collider", "walls.gltf"), [False, True])):
        facts = facts_of(anix, "look", "yard.ply", "-o", "o", *marks, *options)
        assert [mark["free"] for mark in facts["marks"]] == free
    code, out, _ = anix("scene", "info", "yard.ply", "--collider", "yard.ply", "--json")
    assert (code, json.loads(out)["error"]["code"]) == (4, "E304")


def test_digits_suit_the_size(anix, ply):
    """A thousandth of the scene is shown, whatever it is in metres."""
    for scale, expected in (
        ("1e-4", "-0.001200 to 0.001200 m (2.4 mm)"),
        ("0.1", "-1.200 to 1.200 m (2.4 m)"),
        ("300", "-3600 to 3600 m (7.2 km)"),
    ):
        assert expected in anix("scene", "info", "yard.ply", "--scale", scale)[1]
    assert "at y = -0.00" not in anix("scene", "info", "yard.ply", "--origin", "0,-0.0072,0")[1]


def test_the_scene_that_is_read_is_never_replaced(anix, ply):
    before = ply.read_bytes()
    Path("link.ply").symlink_to("yard.ply")
    Path("hard.ply").hardlink_to("yard.ply")
    for source, target in (("yard.ply", "yard.ply"), ("yard.ply", "link.ply"), ("link.ply", "hard.ply"),
                           ("yard.ply", "./yard.ply"), (".", "yard.ply")):  # fmt: skip
        if source == ".":
            Path("link.ply").unlink()
            Path("hard.ply").unlink()
        code, _, err = anix("scene", "convert", source, target, "--overwrite", "--scale", "2")
        assert (code, "E435" in err, "not written over" in err) == (2, True, True)
    assert ply.read_bytes() == before


@pytest.mark.parametrize("name", ["a" * 300 + ".ply", "yard.ply/b.ply", "b.ply/"])
def test_outputs_that_cannot_be(anix, ply, name):
    if name.endswith("/"):
        Path(name).mkdir()
    code, _, err = anix("scene", "convert", "yard.ply", name)
    assert (code, "E412" in err) == (4, True)
    assert anix("scene", "convert", "yard.ply", name, "--overwrite")[0] == 4


def test_names_are_told_on_one_line(anix, ply):
    code, out, _ = anix("scene", "convert", "yard.ply", "a\nb\x1b[31m.ply")
    assert (code, out.count("\n"), "a\\nb\\x1b[31m.ply" in out) == (0, 1, True)
    code, out, _ = anix("scene", "look", "yard.ply", "-o", "c\nd", "--at", "e\nf=0,0")
    assert (code, out.count("\n")) == (0, 3)
    assert facts_of(anix, "look", "yard.ply", "-o", "c\nd", "--at", "e\nf=0,0")["marks"][0]["label"] == "e\nf"


def test_the_scene_of_a_screenplay(anix, film):
    (film / "film.yaml").write_text(
        (film / "film.yaml").read_text().replace("scale: 1}", "scale: 2, crop: {x: [-20, 20]}}")
        .replace("well: {at: [0, 4]}", "well: {at: [0, 4]}\n  beside: {from: gate, left: 1, up: 0.5}")
    )  # fmt: skip
    facts = facts_of(anix, "info", "film.yaml")
    assert (facts["file"], facts["scale"], facts["up"]) == (str(film / "yard.ply"), 2, "+y")
    assert facts["warnings"] == []
    assert facts["kept"] < facts["count"]
    facts = facts_of(anix, "look", "film.yaml", "-o", "o", "--at", "here=1,1")
    found = {mark["label"]: (mark["x"], mark["z"], mark["face"]) for mark in facts["marks"]}
    assert found == {"gate": (0, -4, 0), "well": (0, 4, None), "beside": (1, -4, 0), "here": (1, 1, None)}
    assert [mark["exact"] for mark in facts["marks"]] == [False, False, True, False]
    np.testing.assert_allclose(facts["marks"][1]["file"], [0, facts["marks"][1]["y"] / 2, 2], atol=1e-5)
    assert anix("scene", "convert", "film.yaml", "b.ply")[0] == 0
    low, high = read_splats(Path("b.ply")).gaussians.means[:, 0].min(), facts["bounds"][1][0]
    assert -20.01 < low < -19
    assert 19 < high < 20.5


def test_options_win_over_the_screenplay(anix, film):
    facts = facts_of(anix, "info", "film.yaml", "--scale", "3", "--origin", "0,1,0")
    assert (facts["scale"], round(facts["ground"]["height"])) == (3, -3)
    facts = facts_of(anix, "info", "film.yaml", "--scale", "auto")
    assert (facts["scale"], [note["code"] for note in facts["warnings"]]) == (1, ["W302"])
    facts = facts_of(anix, "info", "film.yaml", "--up", "auto")  # -y: the yard hangs on its head
    assert (facts["up"], [note["code"] for note in facts["warnings"]]) == ("-y", ["W301", "W303"])


def test_an_unfinished_screenplay_has_a_scene(anix, film):
    Path("film.yaml").write_text(
        "anix: 1\nscene: {file: yard.ply, up: +y, scale: 1}\nanchors: {a: {at: [1, 2]}}\n"
    )
    code, out, err = anix("scene", "look", "film.yaml", "-o", "o")
    assert (code, "W103" in err) == (0, True)
    assert "a: at [1, 2]" in out
    text = b"anix: 1\nscene: {file: yard.ply, up: +y, scale: 4}\n"
    code, out, _ = anix("scene", "info", "-", "--json", stdin=text)
    assert (code, json.loads(out)["scale"]) == (0, 4)


def test_a_screenplay_whose_scene_is_wrong(anix, film):
    whole = Path("film.yaml").read_text()
    Path("film.yaml").write_text(whole.replace("up: +y", "up: y"))
    code, out, err = anix("scene", "info", "film.yaml")
    assert (code, out, "film.yaml:5:" in err, "E104" in err) == (3, "", True, True)
    code, out, err = anix("scene", "info", "film.yaml", "--json")
    error = json.loads(out)["error"]
    assert (code, error["code"], error["line"], Path(error["file"]).name) == (3, "E104", 5, "film.yaml")
    Path("film.yaml").write_text(whole)
    Path("yard.ply").write_bytes(header(9))
    for command in (
        ["info", "film.yaml"],
        ["convert", "film.yaml", "b.ply"],
        ["look", "film.yaml", "-o", "o"],
    ):
        code, out, err = anix("scene", *command)
        assert (code, out, "film.yaml:5:" in err, "E306" in err) == (4, "", True, True)
    assert anix("scene", "info", "none.yaml")[0] == 2


def test_assumptions_point_into_the_screenplay(anix, film):
    Path("film.yaml").write_text(Path("film.yaml").read_text().replace("scale: 1}", "scale: auto}"))
    _, _, err = anix("scene", "look", "film.yaml", "-o", "o")
    assert "film.yaml:5:" in err
    assert "W302" in err
