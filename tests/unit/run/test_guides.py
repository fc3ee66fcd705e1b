"""Guides: what is finished stays, what is packed is packed once, and memory does not grow with length."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from guide_plans import FPS, orbit_plan

from anix_cli.core.errors import AnixError
from anix_cli.core.events import FramesDone
from anix_cli.guide.read import read_guide
from anix_cli.guide.render import render_guide
from anix_cli.guide.segment import spans_of
from anix_cli.run import guides
from anix_cli.run.guides import make_guides
from anix_cli.run.scenes import SceneOnStage
from anix_cli.store.store import Store

FRAMES, LENGTH = 10, 4


class Stopped(BaseException):
    """As a signal would, in the middle of a frame."""


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.setattr(guides, "spans_of", lambda frames: spans_of(frames, LENGTH))
    return orbit_plan(tmp_path, FRAMES)


def run(plan, stop_at=None):
    """Makes the guide; gives the frames that each report of progress told."""
    store = Store(plan.store)
    done = []

    def emit(event):
        if isinstance(event, FramesDone):
            done.append(event.frames)
            if stop_at is not None and sum(done) >= stop_at:
                raise Stopped

    folders = make_guides(plan, store, scene=SceneOnStage(plan.scene, store=store), emit=emit)
    return folders, done


def parts(plan):
    return list((plan.store / "v1" / "guide-parts").glob("*/*"))


def test_a_stopped_guide_goes_on_from_its_last_finished_segment(plan, tmp_path):
    with pytest.raises(Stopped):
        run(plan, stop_at=6)
    assert len(parts(plan)) == 1
    stamp = parts(plan)[0].stat().st_mtime_ns
    with pytest.raises(Stopped):
        run(plan, stop_at=9)  # the first segment in one step, then frame by frame
    assert len(parts(plan)) == 2
    assert stamp in [path.stat().st_mtime_ns for path in parts(plan)]
    folders, done = run(plan)
    assert done == [4, 4, 1, 1]
    assert parts(plan) == []
    (tmp_path / "whole").mkdir()
    shot = next(plan.shots())
    scene = SceneOnStage(plan.scene, store=Store(plan.store)).drawn()
    render_guide(
        shot,
        scene,
        plan.scene,
        size_px=plan.size_px,
        fps=FPS,
        into=tmp_path / "whole",
        advance=lambda n: None,
    )
    for name in ("guide.json", "checks.npy"):
        assert (folders["long"] / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert np.array_equal(
        read_guide(folders["long"], 0, FRAMES).rgb, read_guide(tmp_path / "whole", 0, FRAMES).rgb
    )
    assert run(plan)[1] == []


def test_a_damaged_segment_is_made_again(plan):
    with pytest.raises(Stopped):
        run(plan, stop_at=6)
    (part,) = parts(plan)
    video = part / "rgb.mkv"
    held = bytearray(video.read_bytes())
    held[-1] ^= 255
    video.write_bytes(bytes(held))
    folders, done = run(plan)
    assert done == [1] * FRAMES
    read_guide(folders["long"], 0, FRAMES)


def test_the_scene_is_packed_once_and_kept_by_content(plan, monkeypatch):
    from anix_cli.run import scenes

    run(plan)
    packed = list((plan.store / "v1" / "scenes").glob("*/*"))
    assert len(packed) == 1
    monkeypatch.setattr(scenes, "read_splats", lambda *a, **k: pytest.fail("the scene is read again"))
    kept = SceneOnStage(plan.scene, store=Store(plan.store)).drawn()
    monkeypatch.undo()
    plain = SceneOnStage(plan.scene).drawn()
    assert np.array_equal(kept.groups, plain.groups) and len(kept) == len(plain)
    array = next(packed[0].glob("groups.npy"))
    held = bytearray(array.read_bytes())
    held[-5] ^= 64
    array.write_bytes(bytes(held))
    again = SceneOnStage(plan.scene, store=Store(plan.store)).drawn()
    assert np.array_equal(again.groups, plain.groups)


def test_a_scene_that_changed_is_refused_though_it_is_kept_packed(plan):
    run(plan)
    plan.scene.file.write_bytes(plan.scene.file.read_bytes()[:-4] + b"\0\0\0\x3e")
    with pytest.raises(AnixError) as error:
        SceneOnStage(plan.scene, store=Store(plan.store)).drawn()
    assert error.value.diagnostics[0].code == "E451"


MEASURE = """
import json, resource, sys
from pathlib import Path
from guide_plans import orbit_plan
from anix_cli.run.guides import make_guides
from anix_cli.run.scenes import SceneOnStage
from anix_cli.store.store import Store
folder, frames = Path(sys.argv[1]), int(sys.argv[2])
plan = orbit_plan(folder, frames, (128, 96))
store = Store(plan.store)
make_guides(plan, store, scene=SceneOnStage(plan.scene, store=store), emit=lambda event: None)
own, others = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps([own / 1024, others / 1024]))
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_length_of_a_guide(tmp_path):
    peaks = []
    for frames in (100, 1000):
        folder = tmp_path / str(frames)
        folder.mkdir()
        done = subprocess.run(
            [sys.executable, "-c", MEASURE, str(folder), str(frames)],
            cwd=Path(__file__).parent, env=_environment(), capture_output=True, text=True, check=True,
        )  # fmt: skip
        peaks.append(json.loads(done.stdout))
    frames_mb = 900 * 128 * 96 * 5 / 2**20
    assert peaks[1][0] - peaks[0][0] < 0.2 * frames_mb, peaks
    assert peaks[1][1] - peaks[0][1] < 0.2 * frames_mb, peaks


def _environment():
    import os

    root = Path(__file__).parents[3]
    return {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{Path(__file__).parent}"}
