"""The templates of `anix init`: right by all checks, and shot as they promise."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from anix_cli.core.plan import Plan, PlannedShot, Subject
from anix_cli.core.schemas import schema_text
from anix_cli.run.begin import begin
from anix_cli.run.check import check
from anix_cli.run.prepare import prepare
from anix_cli.samples import ASSETS
from anix_cli.samples.template import SCHEMA_FILE, SCREENPLAY_FILE, TEMPLATES
from anix_cli.screenplay import load
from anix_cli.screenplay.fmt import formatted
from anix_cli.store.store import Store

NAMES = sorted(TEMPLATES)
MOST_BYTES = 3_000_000


@pytest.fixture(scope="module")
def plans(tmp_path_factory) -> dict[str, Plan]:
    """Each template begun and planned."""
    made = {}
    for name in NAMES:
        film = begin(TEMPLATES[name], tmp_path_factory.mktemp(name) / "film")
        screenplay = load(film.screenplay)
        made[name] = prepare(screenplay, backend="animatic", store=Store(film.folder / ".anix")).plan
    return made


def shots(plan: Plan) -> dict[str, PlannedShot]:
    return {shot.id: shot for shot in plan.shots()}


def who(shot: PlannedShot, name: str) -> Subject:
    return next(subject for subject in shot.subjects if subject.character == name)


def inside(subject: Subject, plan: Plan, frames: slice = slice(None)) -> bool:
    """Whether the whole body is in the picture."""
    box, (width, height) = subject.box_px[frames], plan.size_px
    return bool(((box[:, :2] >= 0).all(1) & (box[:, 2] <= width) & (box[:, 3] <= height)).all())


def on_picture(shot: PlannedShot, points: np.ndarray) -> np.ndarray:
    """Pixels [F, 2] of stage points [F, 3], one a frame."""
    camera_from_world = np.linalg.inv(shot.world_from_camera)
    seen = np.einsum("fij,fj->fi", camera_from_world, np.c_[points, np.ones(len(points))])[:, :3]
    pixels = np.einsum("fij,fj->fi", shot.intrinsics, seen)
    assert (pixels[:, 2] > 0).all()
    return pixels[:, :2] / pixels[:, 2:]


def crown(shot: PlannedShot, subject: Subject) -> np.ndarray:
    """Where the top of a head is in the picture, [F, 2]."""
    height_m = {"mira": 1.72, "teo": 1.8}[subject.character]
    return on_picture(shot, subject.root + np.array([0.0, height_m, 0.0]))


@pytest.mark.parametrize("name", NAMES)
def test_a_template_is_valid_without_a_warning(name, tmp_path):
    screenplay = load(begin(TEMPLATES[name], tmp_path).screenplay)
    assert (*screenplay.notes, *check(screenplay, backend="animatic")) == ()


@pytest.mark.parametrize("name", NAMES)
def test_a_template_is_planned_without_a_warning(name, plans):
    assert plans[name].notes == ()


@pytest.mark.parametrize("name", NAMES)
def test_a_template_is_in_canonical_order_and_layout(name):
    text = TEMPLATES[name].screenplay().encode()
    assert formatted(Path(SCREENPLAY_FILE), text) == text


@pytest.mark.parametrize("name", NAMES)
def test_an_editor_finds_the_schema(name, tmp_path):
    from jsonschema import Draft7Validator
    from ruamel.yaml import YAML

    film = begin(TEMPLATES[name], tmp_path).screenplay
    first = film.read_text(encoding="utf-8").split("\n")[0]
    assert first == f"# yaml-language-server: $schema={SCHEMA_FILE}"
    beside = (tmp_path / SCHEMA_FILE).read_text(encoding="utf-8")
    assert beside == schema_text("screenplay-v1")
    Draft7Validator(json.loads(beside)).validate(YAML(typ="safe").load(film))


@pytest.mark.parametrize("name", NAMES)
def test_a_template_brings_what_it_names_and_no_more(name):
    template = TEMPLATES[name]
    files = dict(template.files())
    text = template.screenplay()
    for file in files:
        if file.startswith("assets/"):
            assert file in text
    assert set(template.assets) <= set(ASSETS)
    assert sum(map(len, files.values())) < MOST_BYTES
    assert "\r" not in text and text.isprintable() is False and max(map(len, text.split("\n"))) <= 120


@pytest.mark.parametrize("name", NAMES)
def test_all_stand_on_the_ground(name, plans):
    for shot in plans[name].shots():
        for subject in shot.subjects:
            assert np.abs(subject.root[:, 1]).max() < 0.03


def test_minimal_shows_her_from_head_to_foot(plans):
    plan = plans["minimal"]
    width, height = plan.size_px
    for shot in plan.shots():
        top, feet = crown(shot, shot.subjects[0]), on_picture(shot, shot.subjects[0].root)
        # Some of a body's height stays free above her for the hand that waves.
        assert (top[:, 1] - 0.15 * (feet[:, 1] - top[:, 1]) > 0).all()
        assert (feet[:, 1] < 0.97 * height).all()
        assert (np.abs(top[:, 0] - width / 2) < 0.1 * width).all()
    last = shots(plan)["greet"]
    facing = last.world_from_camera[-1, [0, 2], 3] - last.subjects[0].root[-1, [0, 2]]
    assert off(last.subjects[0].yaw_rad[-1], facing) < 10


def off(yaw_rad: float, to_xz: np.ndarray) -> float:
    """Degrees between a facing and a direction on the ground."""
    bearing = math.atan2(to_xz[0], to_xz[1])
    return abs(math.degrees(math.remainder(yaw_rad - bearing, 2 * math.pi)))


def test_the_turntable_goes_once_round_and_closes(plans):
    plan = plans["turntable"]
    (shot,) = plan.shots()
    poses = shot.world_from_camera
    np.testing.assert_allclose(poses[-1], poses[0], atol=1e-9)
    eye = poses[:, [0, 2], 3]
    turned = np.unwrap(np.arctan2(eye[:, 0], eye[:, 1]))
    assert abs(math.degrees(turned[-1] - turned[0])) == pytest.approx(360, abs=1e-6)
    radius = np.hypot(eye[:, 0], eye[:, 1])
    assert radius.max() - radius.min() < 1e-9
    assert inside(shot.subjects[0], plan)
    # At rest where it closes: no jump in speed from the last frame to the first.
    assert np.linalg.norm(poses[1, :3, 3] - poses[0, :3, 3]) < 0.02


def test_the_two_who_talk_see_each_other(plans):
    by_id = shots(plans["talk"])
    for name in ("comes", "farewell"):
        mira, teo = who(by_id[name], "mira"), who(by_id[name], "teo")
        apart = teo.root[-1, [0, 2]] - mira.root[-1, [0, 2]]
        assert 1.0 < np.hypot(*apart) < 2.0
        assert off(mira.yaw_rad[-1], apart) < 5
        assert off(teo.yaw_rad[-1], -apart) < 5


def test_the_two_shots_hold_both(plans):
    plan = plans["talk"]
    for name in ("comes", "farewell"):
        shot = shots(plan)[name]
        end = slice(-8, None)
        assert all(inside(subject, plan, end) for subject in shot.subjects)
        assert len(shot.subjects) == 2
        assert who(shot, "mira").box_px[-1, 2] < who(shot, "teo").box_px[-1, 0]


def test_the_camera_stays_on_one_side_of_the_line(plans):
    for shot in plans["talk"].shots():
        assert (shot.world_from_camera[:, 2, 3] < 0.6 - 0.5).all()


def test_a_single_has_headroom_and_room_to_look_into(plans):
    plan = plans["talk"]
    width, height = plan.size_px
    singles = [shot for shot in plan.shots() if len(shot.subjects) == 1 and shot.id != "waits"]
    assert len(singles) == 6
    for shot in singles:
        top = crown(shot, shot.subjects[0])
        assert ((top[:, 1] > 0.05 * height) & (top[:, 1] < 0.2 * height)).all()
        side = 1 if shot.subjects[0].character == "teo" else -1
        assert 0.05 < side * (top[0, 0] / width - 0.5) < 0.25


def test_the_chase_runs_one_way_and_ends_with_both(plans):
    plan = plans["chase"]
    by_id = shots(plan)
    assert len(plan.takes) == 5
    assert inside(by_id["bolts"].subjects[0], plan)
    for name in ("across", "gains", "stops", "caught"):
        subject = by_id[name].subjects[0]
        seen = subject.box_px[subject.visible]
        assert seen[0, 0] > seen[-1, 0]  # from right to left
    last = by_id["swap"]
    assert {subject.character for subject in last.subjects} == {"mira", "teo"}
    assert all(inside(subject, plan) for subject in last.subjects)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_template_renders_as_it_is(name, tmp_path):
    from anix_cli.cli.main import run

    film = begin(TEMPLATES[name], tmp_path).screenplay
    small = ["--set", "film.size=96x64", "--set", "film.fps=4", "--quiet"]
    assert run(["render", str(film), "-o", str(tmp_path / "film.mp4"), *small]) == 0
    assert (tmp_path / "film.mp4").stat().st_size > 1000
