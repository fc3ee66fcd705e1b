"""A character's motions in a film: told where they are written, known by their content, shown where named."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from anix_cli.cli.main import run
from anix_cli.core.errors import AnixError
from anix_cli.plan.planfile import read_plan, write_plan
from anix_cli.run.cast import read_cast
from anix_cli.run.identity import identity_of
from anix_cli.run.prepare import prepare
from anix_cli.screenplay import load
from anix_cli.store.store import Store

sys.path.insert(0, str(Path(__file__).parents[1] / "character"))
import bvh
import glb


@pytest.fixture
def film(project):
    """A film whose character has a walk and a dance."""
    bvh.walk(90).write(project / "walk.bvh")
    made, numbers = glb.person()
    swing = [glb.turn("z", degrees) for degrees in (0, 40, 0)]
    made.clip("Rig|Dance01", [0, 0.5, 1.0], {(numbers["LeftArm"], "rotation"): swing})
    made.clip("Rig|Bow", [0, 1.0], {(numbers["Spine"], "rotation"): swing[:2]})
    made.write(project / "mocap.glb")
    text = (project / "film.yaml").read_text("utf-8")
    head, mark, rest = text.partition("    height: ")
    assert mark
    motions = "    motions:\n      walk: walk.bvh\n      dance: {file: mocap.glb, clip: Dance01}\n"
    (project / "film.yaml").write_text(head + motions + mark + rest, "utf-8")
    return project / "film.yaml"


def changed(film: Path, old: str, new: str) -> Path:
    text = film.read_text("utf-8")
    assert old in text
    film.write_text(text.replace(old, new), "utf-8")
    return film


def problems(film: Path):
    with pytest.raises(AnixError) as caught:
        load(film)
    return caught.value.diagnostics


def planned(film: Path):
    return prepare(load(film), backend="animatic", store=Store(film.parent / ".anix")).plan


@pytest.mark.parametrize(
    ("old", "new", "code", "at", "nearest"),
    [
        ("walk: walk.bvh", "walk: wakl.bvh", "E131", "wakl.bvh", "walk.bvh"),
        ("clip: Dance01", "clip: Dance1", "E365", "Dance1", "Rig|Dance01"),
        ("clip: Dance01", "clip: Dance01, start: 7", "E365", "mocap.glb", None),
        ("walk: walk.bvh", "walk: yard.ply", "E361", "yard.ply", None),
    ],
)
def test_what_is_wrong_is_told_where_it_is_written(film, old, new, code, at, nearest):
    (problem,) = problems(changed(film, old, new))
    assert (problem.code, problem.nearest) == (code, nearest)
    span = problem.span
    assert problem.source[span.column - 1 : span.column - 1 + span.length] == at


def test_a_truncated_motion_is_told_without_opening_the_scene(film):
    path = film.parent / "walk.bvh"
    path.write_text(path.read_text()[:-400])
    (problem,) = problems(film)
    assert problem.code == "E362" and "90 frames" in problem.message


def test_keys_go_by_what_motions_hold(film):
    first = planned(film)
    again = planned(film)
    assert again.cast[0].key == first.cast[0].key
    moved = film.parent / "moved.bvh"
    (film.parent / "walk.bvh").rename(moved)
    changed(film, "walk: walk.bvh", "walk: moved.bvh")
    assert planned(film).cast[0].key == first.cast[0].key
    moved.write_text(moved.read_text().replace("Frame Time: 0.0333", "Frame Time: 0.0334"))
    other = planned(film)
    assert other.cast[0].key != first.cast[0].key
    keys = [{clip.recipe_key for shot in plan.shots() for clip in shot.clips} for plan in (first, other)]
    assert keys[0].isdisjoint(keys[1])
    changed(film, "clip: Dance01", "clip: Bow")
    assert planned(film).cast[0].key != other.cast[0].key


def test_a_plan_file_carries_motions_and_a_changed_one_is_refused(film):
    plan = planned(film)
    write_plan(plan, film.parent / "plan.json")
    read = read_plan(film.parent / "plan.json")
    assert {name: (spec.file.resolve(), spec.clip) for name, spec in read.cast[0].motions.items()} == {
        "walk": ((film.parent / "walk.bvh").resolve(), None),
        "dance": ((film.parent / "mocap.glb").resolve(), "Dance01"),
    }
    (cast,) = read_cast(read).values()
    assert set(cast.motions) == {"walk", "dance"}
    (film.parent / "walk.bvh").write_text((film.parent / "walk.bvh").read_text() + "\n")
    with pytest.raises(AnixError, match="or a motion") as caught:
        read_cast(read)
    assert caught.value.diagnostics[0].code == "E452"


def test_steps_are_as_long_as_the_motions_and_stay_so_when_known(film):
    spec = next(iter(load(film).characters.values()))
    store = Store(film.parent / ".anix")
    first = identity_of(spec, store)
    assert first.extent.steps.walk_m == pytest.approx(first.extent.steps.leg_m * 130 * 1.1 / 84 / 2, rel=0.06)
    assert identity_of(spec, store) == first


def test_a_dance_with_a_motion_is_shown_and_without_is_not(film):
    changed(film, "he stops and waves", "he dances")
    shown = [{g.action for s in shot.subjects for g in s.gestures} for shot in planned(film).shots()]
    assert any("dance" in actions for actions in shown)
    changed(film, "      dance: {file: mocap.glb, clip: Dance01}\n", "")
    shown = [{g.action for s in shot.subjects for g in s.gestures} for shot in planned(film).shots()]
    assert not any("dance" in actions for actions in shown)


def test_check_tells_what_was_read(film, capsys):
    assert run(["character", "check", str(film), "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["characters"]
    walk, dance = told["motions"]["walk"], told["motions"]["dance"]
    assert (walk["kind"], walk["unit"], walk["seconds"]) == (
        "walk",
        "centimetres",
        pytest.approx(1.1, abs=0.05),
    )
    assert (dance["kind"], dance["clip"]) == ("gesture", "Rig|Dance01")
    assert {"hips", "left_hand", "right_foot"} <= set(walk["matched"])


def test_what_is_odd_of_a_motion_is_a_remark_at_its_place(film):
    changed(film, "dance: {file: mocap.glb, clip: Dance01}", "dance: walk.bvh")
    notes = [note for note in planned(film).notes if note.code == "W362"]
    assert len(notes) == 1 and "walk.bvh" in notes[0].source


def test_a_turntable_shows_a_motion(film, capsys):
    model = glb.person()[0].write(film.parent / "p.glb")
    told = [
        "character",
        "look",
        str(model),
        "-o",
        str(film.parent / "t.mp4"),
        "--size",
        "64",
        "--seconds",
        "0.5",
    ]
    told += ["--action", "dance", "--motion", str(film.parent / "mocap.glb"), "--overwrite"]
    assert run([*told, "--clip", "Dance01"]) == 0
    assert run([*told, "--clip", "Dance2"]) == 3 and "E365" in capsys.readouterr().err


@pytest.mark.slow
def test_a_film_shows_the_motion(film):
    """The same film with and without the dance: the character's pixels differ, the rest does not."""
    from anix_cli.media.video import read_frames

    changed(film, "he stops and waves", "he dances")
    pictures = []
    for name in ("with", "without"):
        assert run(["render", str(film), "-o", str(film.parent / f"{name}.mp4"), "--quiet"]) == 0
        pictures.append(np.asarray(list(read_frames(film.parent / f"{name}.mp4")), dtype=np.int16))
        if name == "with":
            changed(film, "clip: Dance01", "clip: Bow")
    away = np.abs(pictures[0] - pictures[1]).max(axis=(0, -1))
    assert away.max() > 60 and (away > 30).mean() < 0.3
