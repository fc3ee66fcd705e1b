"""Drafts through a lens and a shutter, from packed scenes, and between frames."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scenery import FRONT_CAMERA, NEAR_M, SIZE_PX, K, floor, request, subject

from anix_cli.core.optics import Optics
from anix_cli.generate.animatic import AnimaticBackend
from anix_cli.generate.between import state_at
from anix_cli.splat import pack
from anix_cli.splat.choose import Cpu, Views
from anix_cli.splat.exposure import expose


def draw(asked):
    return AnimaticBackend().generate(asked, lambda done, total: None)


def guide_of(part, exposures):
    frames = Cpu().frames(
        range(len(exposures)),
        lambda at: Views(exposures[at], [[part]]),
        lambda at, picture: np.floor(picture.rgb * 255 + 0.5).astype(np.uint8),
        SIZE_PX,
        near=NEAR_M,
    )
    return np.stack(list(frames))


def exposed(asked, optics, part):
    """The request as it would be of a shot with optics."""
    poses, lenses = asked.world_from_camera, asked.intrinsics
    exposures = tuple(expose(poses, lenses, at, optics, SIZE_PX) for at in range(len(poses)))
    return dataclasses.replace(
        asked, guide=guide_of(part, exposures), exposures=exposures, drawn_scene=lambda: part
    )


def runner(speed_m: float):
    """Three frames of one who crosses the picture by so many metres a frame."""
    return subject(np.array([[speed_m * n, 0.0, 0.0] for n in (-1, 0, 1)]), yaw=math.pi / 2, speed=0.0)


@pytest.mark.parametrize("optics", [None, Optics(f_stop=0.5, focus_m=(4.0,), samples=6)])
def test_from_a_packed_scene_what_she_does_not_touch_is_the_guide(optics):
    part = pack(floor())
    asked = exposed(request([runner(0.3)], [FRONT_CAMERA] * 3), optics, part)
    changed = (draw(asked) != asked.guide).any(axis=-1)
    assert changed.any(axis=(1, 2)).all()
    assert changed.mean() < 0.15
    assert not changed[:, :20].any() and not changed[:, -10:].any()


def test_an_open_shutter_smears_her_by_the_way_that_she_goes():
    part = pack(floor())
    plain = request([runner(0.4)], [FRONT_CAMERA] * 3)
    sharp = draw(exposed(plain, None, part))
    smeared = draw(exposed(plain, Optics(shutter_deg=180, samples=8), part))
    still = exposed(plain, None, part).guide

    def wide(frames):
        columns = np.nonzero((np.abs(frames[1].astype(int) - still[1]).max(axis=-1) > 4)[:110].any(axis=0))[0]
        return np.ptp(columns) + 1

    way_px = 0.2 * K[0, 0] / 4.0
    assert wide(smeared) - wide(sharp) == pytest.approx(way_px, abs=3)
    assert way_px > 8


def test_a_lens_focused_on_her_keeps_her_and_blurs_the_floor_behind():
    part = pack(floor())
    asked = request([subject(np.zeros((1, 3)))], [FRONT_CAMERA])
    sharp, blurred = (
        draw(exposed(asked, optics, part))[0].astype(float)
        for optics in (None, Optics(f_stop=0.2, focus_m=(4.0,), samples=24))
    )
    body = np.abs(sharp - exposed(asked, None, part).guide[0]).max(axis=-1) > 60
    core = body & np.roll(body, 3, 0) & np.roll(body, -3, 0) & np.roll(body, 3, 1) & np.roll(body, -3, 1)
    assert core.sum() > 200
    assert np.abs(sharp - blurred)[core].mean() < 4
    # The far checks of the floor, seen beside her, melt into each other.
    lit = np.nonzero(sharp[:, :40].mean(axis=(1, 2)) > 100)[0]
    far = slice(lit[0] + 2, lit[0] + 14)
    steps = [np.abs(np.diff(frame[far, :40], axis=1)).max(axis=1).mean() for frame in (sharp, blurred)]
    assert steps[0] > 8
    assert steps[1] < 0.6 * steps[0]


def test_the_same_frames_on_any_number_of_cores(monkeypatch):
    from anix_cli.splat import stream

    part = pack(floor())
    asked = exposed(request([runner(0.3)], [FRONT_CAMERA] * 3), Optics(shutter_deg=90, samples=3), part)
    drawn = []
    for cores in (1, 2, 5):
        monkeypatch.setattr(stream, "cores", lambda cores=cores: cores)
        drawn.append(draw(asked))
    assert np.array_equal(drawn[0], drawn[1]) and np.array_equal(drawn[0], drawn[2])


def test_states_between_frames():
    who = dataclasses.replace(
        subject(np.array([[0.0, 0, 0], [1.0, 0, 0], [1.0, 0, 2.0]])),
        yaw_rad=np.array([3.0, -3.0, -2.0]),
        gait_phase=np.array([0.0, 0.5, 0.5]),
    )
    assert np.array_equal(state_at(who, 1).root, who.root[1])
    assert state_at(who, 1).yaw_rad == -3.0
    assert np.allclose(state_at(who, 0.5).root, [0.5, 0, 0])
    assert state_at(who, 0.5).gait_phase == 0.25
    # The short way over the half turn: 3 → −3 is 0.28 rad.
    assert math.cos(state_at(who, 0.5).yaw_rad) == pytest.approx(-1.0)
    assert np.allclose(state_at(who, 2.25).root, [1, 0, 2.5])
    assert np.allclose(state_at(who, -0.25).root, [-0.25, 0, 0])
    alone = who.frames(0, 1)
    assert np.array_equal(state_at(alone, 0.4).root, alone.root[0])
