"""The draft: a person stands in the guide where the blocking says, hidden by what stands before."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from scenery import FRONT_CAMERA, SIZE_PX, K, figure, floor, request, subject

from anix_cli.character.pose import place
from anix_cli.core.camera import intrinsics_from_fov_y, look_at, project
from anix_cli.core.plan import Gesture
from anix_cli.generate import composite
from anix_cli.generate.animatic import AnimaticBackend
from anix_cli.generate.composite import Actor
from anix_cli.splat import render

HERE = np.zeros((1, 3))
WALL = (120, 60, 50)


@pytest.fixture(scope="module")
def backend():
    return AnimaticBackend()


def _draw(backend, asked):
    return backend.generate(asked, lambda done, total: None)


def _like(frame, colour, within=40):
    """Where a frame shows a colour of the figure, [H, W]."""
    return np.abs(frame.astype(int) - np.array(colour) * 255).max(axis=-1) < within


def _body(backend, asked):
    """Where the first frame differs clearly from its guide: the person, without her shadow."""
    frame = _draw(backend, asked)[0].astype(int)
    difference = frame - asked.guide[len(asked.tail)]
    shade = (
        (np.ptp(difference, axis=-1) < 14) & (difference.max(axis=-1) <= 1) & (difference.min(axis=-1) > -100)
    )
    return (np.abs(difference).max(axis=-1) > 6) & ~shade


def test_an_empty_stage_is_the_guide(backend):
    asked = request([], [FRONT_CAMERA] * 2)
    np.testing.assert_array_equal(_draw(backend, asked), asked.guide)


def test_she_stands_where_her_root_is(backend):
    asked = request([subject([[0.3, 0.0, 0.4]])], [FRONT_CAMERA])
    rows, columns = np.nonzero(_body(backend, asked))
    # The front of her shoes, 0.15 m before the root, is what meets the ground in the picture.
    (u, sole), _ = project([0.3, 0.0, 0.55], FRONT_CAMERA, K)
    (_, head), _ = project([0.3, figure.HEIGHT_M, 0.4], FRONT_CAMERA, K)
    assert rows.max() + 1 == pytest.approx(sole, abs=2)
    assert rows.min() == pytest.approx(head, abs=2)
    assert (columns.min() + columns.max() + 1) / 2 == pytest.approx(u, abs=2)


@pytest.mark.parametrize("eye", [(0, 0.3, 3.5), (0.5, 5.0, 2.5), (-3.0, 1.6, 0.2)])
@pytest.mark.parametrize("height", [-0.03, 0.0, 0.02])
def test_rough_ground_does_not_eat_her_feet(backend, eye, height):
    """Coarse thick splats that reach from before a foot to behind it, somewhat above or below its sole."""
    pose = look_at(eye, (0, 0.7, 0))
    rough = floor(cell_m=0.2, thick_m=0.015, height_m=height)
    below = floor(height_m=-2.0)
    truth = _body(backend, request([subject(HERE)], [pose], scene=below))
    seen = _body(backend, request([subject(HERE)], [pose], scene=rough))
    feet = truth.copy()
    feet[: int(project((0, 0.1, 0), pose, K)[0][1])] = False
    assert (truth & ~seen).sum() < 0.03 * truth.sum()
    assert (feet & ~seen).sum() < 0.45 * feet.sum()


def test_the_background_is_behind_her(backend):
    """Before a coloured sky: all that is not her is the guide, sky and all; she herself is the same."""
    sky = (135, 206, 235)
    black = request([subject(HERE)], [FRONT_CAMERA])
    picture = render(
        black.scene(), FRONT_CAMERA, K, SIZE_PX, near=black.near_m, background=tuple(v / 255 for v in sky)
    )
    guide = np.floor(picture.rgb * 255 + 0.5).astype(np.uint8)[None]
    before_sky = dataclasses.replace(black, guide=guide, background_rgb=sky)
    on_black, on_sky = _draw(backend, black)[0], _draw(backend, before_sky)[0]
    untouched = (on_black == black.guide[0]).all(axis=-1)
    beside = untouched & (picture.alpha == 0)
    assert beside.mean() > 0.1 and (on_sky[beside] == sky).all()
    assert np.abs(on_sky[untouched].astype(int) - guide[0][untouched]).max() <= 2  # her faintest edges
    inside = _like(on_black, figure.FRONT, within=20)
    assert inside.sum() > 200
    assert np.abs(on_sky[inside].astype(int) - on_black[inside]).max() <= 4


def test_a_wall_before_her_hides_her(backend):
    wall = ((-2, 0, 1.0), (2, 3.0, 1.2), WALL)
    asked = request([subject(HERE)], [FRONT_CAMERA], boxes=[wall])
    np.testing.assert_array_equal(_draw(backend, asked), asked.guide)


def test_a_wall_behind_her_does_not(backend):
    wall = ((-2, 0, -1.2), (2, 3.0, -1.0), WALL)
    asked, free = (request([subject(HERE)], [FRONT_CAMERA], boxes=boxes) for boxes in ([wall], []))
    with_wall, without = (_draw(backend, each)[0] for each in (asked, free))
    inside = _like(without, figure.FRONT)
    assert inside.sum() > 200
    # Her edges are translucent and show what is behind; nothing else of her changes.
    assert np.abs(with_wall[inside].astype(int) - without[inside]).max() <= 3


def test_a_low_wall_hides_her_legs_only(backend):
    wall = ((-2, 0, 0.8), (2, 0.8, 0.9), WALL)
    asked = request([subject(HERE)], [FRONT_CAMERA], boxes=[wall])
    before = np.all(asked.guide[0] == WALL, axis=-1)
    frame = _draw(backend, asked)[0]
    np.testing.assert_array_equal(frame[before], asked.guide[0][before])
    assert _like(frame, figure.FRONT).sum() > 150


def test_a_kerb_before_her_hides_her_shoes(backend):
    kerb = ((-2, 0, 0.5), (2, 0.16, 0.7), WALL)
    asked = request([subject(HERE)], [FRONT_CAMERA], boxes=[kerb])
    before = np.all(asked.guide[0] == WALL, axis=-1)
    np.testing.assert_array_equal(_draw(backend, asked)[0][before], asked.guide[0][before])


@pytest.mark.parametrize(
    ("yaw", "seen"),
    [(0.0, figure.FRONT), (math.pi, figure.BACK), (math.pi / 2, figure.RIGHT), (-math.pi / 2, figure.LEFT)],
)
def test_she_shows_the_side_that_she_turns_to_the_camera(backend, yaw, seen):
    """Walking to screen right (+X) she shows her right side, to screen left her left side."""
    frame = _draw(backend, request([subject(HERE, yaw)], [FRONT_CAMERA]))[0]
    counts = {c: int(_like(frame, c).sum()) for c in (figure.FRONT, figure.BACK, figure.LEFT, figure.RIGHT)}
    others = [count for colour, count in counts.items() if colour != seen]
    assert counts[seen] > 100
    if seen in (figure.FRONT, figure.BACK):
        assert counts[seen] > 5 * max(others)
    opposite = {figure.LEFT: figure.RIGHT, figure.RIGHT: figure.LEFT}.get(seen)
    assert opposite is None or counts[opposite] == 0


def test_at_rest_the_phase_does_not_matter(backend):
    asked = request([subject(np.zeros((4, 3)), phase=np.arange(4) * 0.3)], [FRONT_CAMERA] * 4)
    frames = _draw(backend, asked)
    for frame in frames[1:]:
        np.testing.assert_array_equal(frame, frames[0])


def _walk(count: int):
    steps = np.arange(count)
    root = np.stack([-0.5 + 0.0875 * steps, 0 * steps, 0.2 + 0 * steps], axis=1)
    who = subject(root, yaw=math.pi / 2, speed=1.4, phase=steps * 0.125)
    return who, [look_at((0.02 * n, 1.2, 4), (0, 0.8, 0)) for n in range(count)]


def test_a_chain_of_clips_is_one_long_clip(backend):
    who, poses = _walk(8)
    whole = _draw(backend, request([who], poses))
    first = _draw(AnimaticBackend(), request([who.frames(0, 4)], poses[:4]))
    asked = request([who.frames(2, 8)], poses[2:], tail=2)
    second = _draw(AnimaticBackend(), dataclasses.replace(asked, tail=first[-2:], seed=99))
    np.testing.assert_array_equal(np.concatenate([first, second]), whole)
    assert (np.abs(np.diff(whole.astype(int), axis=0)).max(axis=(1, 2, 3)) > 20).all()


def test_her_shadow_darkens_the_ground_at_her_feet_and_nothing_before_her(backend):
    box = ((0.3, 0.0, 0.3), (0.7, 0.5, 0.6), WALL)
    asked = request([subject(HERE)], [FRONT_CAMERA], boxes=[box])
    frame, scene = _draw(backend, asked)[0].astype(int), asked.guide[0].astype(int)
    boxed = np.all(asked.guide[0] == WALL, axis=-1)
    foot = np.abs(boxed & (asked.depth[0] < 3.9))
    upper = foot & (np.arange(SIZE_PX[1])[:, None] < np.nonzero(foot)[0].mean())
    np.testing.assert_array_equal(frame[upper], scene[upper])
    (u, v), _ = project([-0.12, 0.0, 0.22], FRONT_CAMERA, K)
    under = frame[int(v), int(u)] / scene[int(v), int(u)]
    assert (under < 0.95).all() and (under > 0.3).all()
    assert (frame[-3:] == scene[-3:]).all()
    assert np.ptp(under) < 0.02


def test_two_characters_hide_each_other(backend):
    near, far = subject([[0.0, 0.0, 0.8]], name="mira"), subject([[0.0, 0.0, -0.8]], yaw=math.pi, name="noor")
    both = _draw(backend, request([near, far], [FRONT_CAMERA]))[0]
    alone = _draw(backend, request([near], [FRONT_CAMERA]))[0]
    chest = _like(alone, figure.FRONT)
    assert chest.sum() > 200
    assert np.abs(both.astype(int) - alone)[chest].max() <= 4
    assert np.abs(both.astype(int) - alone).max() > 60


def test_out_of_the_picture_or_behind_the_camera_the_guide_stays(backend):
    for root in ([[30.0, 0, 0]], [[0, 0, 9.0]]):
        asked = request([subject(root)], [FRONT_CAMERA])
        np.testing.assert_array_equal(_draw(backend, asked), asked.guide)


def test_only_her_surroundings_change(backend):
    asked = request([subject(HERE)], [FRONT_CAMERA])
    changed = np.any(_draw(backend, asked)[0] != asked.guide[0], axis=-1)
    (low, _), _ = project([-1.3, 0, 0], FRONT_CAMERA, K)
    (high, _), _ = project([1.3, 0, 0], FRONT_CAMERA, K)
    columns = np.nonzero(changed)[1]
    assert low - 12 < columns.min() and columns.max() < high + 12


def test_bodies_are_made_once_and_forgotten_on_close(monkeypatch):
    from anix_cli import character

    made = []
    carve = character.hull
    monkeypatch.setattr(character, "hull", lambda *a, **k: made.append(1) or carve(*a, **k))
    own = AnimaticBackend()
    asked = request([subject(HERE)], [FRONT_CAMERA])
    _draw(own, asked)
    _draw(own, asked)
    assert len(made) == 1
    own.close()
    _draw(own, asked)
    assert len(made) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"frames": 0},
        {"frames": 2},
        {"depth": np.zeros((1, 4, 4), np.float32)},
        {"cast": {}},
        {"blocking": (subject(np.zeros((3, 3))),)},
    ],
)
def test_a_request_that_does_not_fit_is_refused(backend, change):
    with pytest.raises(ValueError):
        _draw(backend, dataclasses.replace(request([subject(HERE)], [FRONT_CAMERA]), **change))


def _waving(count: int, start: int, frames: int, *, action="wave", side=None):
    who = subject(np.zeros((count, 3)))
    return dataclasses.replace(who, gestures=(Gesture(action, start, frames, side),))


@pytest.mark.parametrize(("side", "screen"), [(None, -1), ("right", -1), ("left", 1)])
def test_a_wave_is_seen_on_the_side_of_her_arm(backend, side, screen):
    """She faces the camera: her right is on the left of the picture."""
    still, waving = (
        _draw(backend, request([who], [FRONT_CAMERA] * 24))[20]
        for who in (subject(np.zeros((24, 3))), _waving(24, 4, 32, side=side))
    )
    changed = np.abs(waving.astype(int) - still).max(axis=-1) > 30
    (_, shoulder), _ = project([0, 1.35, 0], FRONT_CAMERA, K)
    rows, columns = np.nonzero(changed)
    above = rows < shoulder
    assert above.sum() > 40
    assert (np.sign(columns[above] + 0.5 - SIZE_PX[0] / 2) == screen).all()


def test_before_and_after_a_gesture_and_where_none_is_to_be_seen_she_stands_still(backend):
    still = _draw(backend, request([subject(HERE)], [FRONT_CAMERA]))[0]
    frames = _draw(backend, request([_waving(12, 2, 8)], [FRONT_CAMERA] * 12))
    moved = [bool((frame != still).any()) for frame in frames]
    assert moved == [False] * 3 + [True] * 7 + [False] * 2
    (smiling,) = _draw(backend, request([_waving(1, -8, 16, action="smile")], [FRONT_CAMERA]))
    np.testing.assert_array_equal(smiling, still)
    (unknown,) = _draw(backend, request([_waving(1, -8, 16, action="juggle")], [FRONT_CAMERA]))
    assert (unknown != still).any()


def test_gestures_go_on_over_the_seam_of_two_clips(backend):
    who = _waving(8, -3, 16)
    poses = [FRONT_CAMERA] * 8
    whole = _draw(backend, request([who], poses))
    first = _draw(backend, request([who.frames(0, 4)], poses[:4]))
    asked = request([who.frames(2, 8)], poses[2:], tail=2)
    second = _draw(backend, dataclasses.replace(asked, tail=first[-2:]))
    np.testing.assert_array_equal(np.concatenate([first, second]), whole)
    assert (np.abs(np.diff(whole.astype(int), axis=0)).max(axis=(1, 2, 3)) > 10).all()


def test_a_gesture_keeps_its_pace_at_any_rate(backend):
    slow = request([_waving(5, 0, 16)], [FRONT_CAMERA] * 5)
    fast = dataclasses.replace(request([_waving(9, 0, 32)], [FRONT_CAMERA] * 9), fps=Fraction(32))
    np.testing.assert_array_equal(_draw(backend, fast)[8], _draw(backend, slow)[4])


def test_a_shadow_fades_and_softens_as_the_body_leaves_the_ground():
    asked = request([subject(HERE)], [FRONT_CAMERA])
    actor = AnimaticBackend()
    shades = []
    for lift in (0.0, 0.15, 0.5, 1.5):
        rig = actor._troupe.body(asked, "mira").rig
        posed = place(rig, (0, 0, 0), 0.0, speed_mps=0, gait_phase=0, lift_m=lift)
        shades.append(composite._shade_map(Actor(posed, np.zeros(3))))
    darkest = [dark.max() for dark in shades]
    assert darkest[0] > 1.5 * darkest[1] > 1.5 * darkest[2] > 3 * darkest[3] > 0
    softest = [(dark > 0.5 * dark.max()).sum() for dark in shades]
    assert softest[2] > softest[1] > softest[0]


def test_a_shadow_is_as_dark_as_its_map_says(backend):
    asked = request([subject(HERE)], [FRONT_CAMERA])
    posed = place(backend._troupe.body(asked, "mira").rig, (0, 0, 0), 0.0, speed_mps=0, gait_phase=0)
    wanted = composite._SHADE * composite._shade_map(Actor(posed, np.zeros(3)))
    above = look_at((0, 3.0, 0.001), (0, 0, 0))
    shadow = composite._shadow(Actor(posed, np.zeros(3)), above)
    seen = render([shadow], above, intrinsics_from_fov_y(50, (200, 200)), (200, 200), near=0.01).alpha
    assert seen.max() == pytest.approx(wanted.max(), rel=0.15)


def test_in_the_air_she_is_higher_in_the_picture_by_as_much(backend):
    above = dataclasses.replace(subject(HERE), lift_m=np.full(1, 0.5))
    rows = []
    for who in (subject(HERE), above):
        rows.append(
            np.nonzero(_like(_draw(backend, request([who], [FRONT_CAMERA]))[0], figure.FRONT))[0].mean()
        )
    (_, low), _ = project([0, 1.1, 0.1], FRONT_CAMERA, K)
    (_, high), _ = project([0, 1.6, 0.1], FRONT_CAMERA, K)
    assert rows[0] - rows[1] == pytest.approx(low - high, abs=2)


def test_the_picture_has_the_near_plane_of_its_guide(backend, monkeypatch):
    from anix_cli import splat

    asked = dataclasses.replace(request([subject(HERE)], [FRONT_CAMERA]), near_m=0.31)
    seen = []
    draw = splat.render
    monkeypatch.setattr(splat, "render", lambda *a, near, **k: seen.append(near) or draw(*a, near=near, **k))
    _draw(backend, asked)
    assert seen == [0.31]
