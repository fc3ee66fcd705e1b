"""``anix bench``: a table and JSON of what drawing a scene takes here, and how exact it is."""

from __future__ import annotations

import json

import numpy as np
import pytest

from anix_cli.cli.main import run
from anix_cli.report.bench import as_table
from anix_cli.run import bench
from anix_cli.run.bench import Row, measure, our_engines, sample_subject
from tests.conftest import yard

KEYS = {"scene", "gaussians", "sh", "size", "engine", "ms_per_frame", "psnr_db"}


@pytest.fixture
def here(project, monkeypatch):
    monkeypatch.chdir(project)
    monkeypatch.setenv("ANIX_DEVICE", "cpu")
    return project


def test_a_scene_is_measured_with_all_that_draws_here(here, capsys):
    assert run(["bench", "yard.ply", "--quick", "--size", "64x48", "--json"]) == 0
    out, err = capsys.readouterr()
    rows = json.loads(out)
    engines = [row["engine"] for row in rows]
    assert engines[0] == "anix, 1 core" and len(set(engines)) == len(engines)
    for row in rows:
        assert set(row) == KEYS
        assert (row["scene"], row["gaussians"], row["sh"], row["size"]) == (
            "yard.ply",
            len(yard()),
            0,
            "64x48",
        )
        assert row["ms_per_frame"] > 0
        assert row["psnr_db"] > 70
    assert "the exact picture at 64x48" in err


def test_a_screenplay_stands_for_its_scene_and_the_table_is_for_people(here, capsys):
    assert run(["bench", "film.yaml", "--quick", "--size", "48x32", "-q"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert "core" in lines[0]
    assert lines[1].split()[:3] == ["size", "drawn", "by"]
    assert lines[2].startswith(f"yard.ply: {len(yard()):,} Gaussians")
    assert lines[3].split()[0] == "48x32"
    assert err == ""


@pytest.mark.parametrize("size", ["64", "0x48", "64x", "99999x4", "64x48x3", "-1x5"])
def test_a_size_that_is_none(here, size, capsys):
    assert run(["bench", "yard.ply", "--size", size]) == 2
    assert "such as 1280x720" in capsys.readouterr().err


def test_a_device_that_is_none_or_not_there(here, capsys, monkeypatch):
    from importlib import util

    assert run(["bench", "yard.ply", "--device", "tpu"]) == 2
    assert "auto, cpu, cuda" in capsys.readouterr().err
    monkeypatch.setattr(util, "find_spec", lambda name, *rest: None)
    try:
        for command in (["bench", "yard.ply"], ["render", "film.yaml"], ["guide", "plan.json"]):
            assert run([*command, "--device", "cuda"]) == 4
            err = capsys.readouterr().err
            assert "E404" in err and "anix[gpu]" in err
    finally:
        from anix_cli.splat.choose import use_device

        use_device(None)


def test_without_a_scene_the_sample_is_measured():
    subject = sample_subject(3)
    assert len(subject.gaussians) > 100_000
    assert subject.walk.shape == (3, 4, 4)


def test_the_walk_sees_the_scene(here):
    from anix_cli.run.scenesource import Placement, scene_source
    from anix_cli.splat import render

    subject = bench.subject_of(scene_source(here / "yard.ply", Placement()), 5)
    lens = np.array([[40.0, 0, 32], [0, 40, 24], [0, 0, 1]])
    for pose in subject.walk:
        assert render(subject.gaussians, pose, lens, (64, 48), near=subject.near).alpha.mean() > 0.1


def test_an_engine_that_draws_something_else_is_seen_in_its_row():
    class Grey:
        name = "grey"

        def frames(self, poses, lens, size_px):
            width, height = size_px
            return (np.full((height, width, 3), 0.5, np.float32) for _ in poses)

    subject = bench.Subject("yard", yard(), sample_subject(2).walk, 0.05)
    done = []
    rows = list(measure(subject, [*our_engines(subject), Grey()], [(40, 30)], rounds=2, advance=done.append))
    assert rows[-1].psnr_db < 20
    assert rows[0].psnr_db > 70
    assert len(done) == len(rows) + 1


def test_the_table_holds_every_row():
    rows = [
        Row("a", 10, 3, (8, 8), "x", 2.0, 3.5, 90.04),
        Row("b", 2000, 0, (16, 9), "y", 40.0, 80.0, np.inf),
    ]
    text = as_table(rows, "2 cores of Z", encoding="ascii")
    assert text.splitlines()[0] == "2 cores of Z"
    assert "b: 2,000 Gaussians" in text
    assert text.splitlines()[3].split() == ["8x8", "x", "2.0", "500.0", "3.5", "90.0"]
