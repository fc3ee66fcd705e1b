"""Rendered guides are what the rasteriser draws, and a blank one is an error."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from anix_cli.core.camera import intrinsics_from_lens, look_at
from anix_cli.core.errors import AnixError
from anix_cli.core.plan import PlannedShot, ScenePlacement, Subject
from anix_cli.core.schemas import schema
from anix_cli.guide.read import read_guide
from anix_cli.guide.render import render_guide
from anix_cli.splat import render
from tests.conftest import yard

SIZE = (64, 48)
PLACEMENT = ScenePlacement(Path("yard.ply"), "0" * 64, "0" * 64, np.eye(4), 30.0)


def shot(target: tuple[float, float, float]) -> PlannedShot:
    """Three frames of a camera at the middle of the yard that rises while it looks at a point."""
    poses = np.stack([look_at((0.0, 1.5 + 0.2 * f, 0.0), target) for f in range(3)])
    box = np.array([[20.0, 10, 30, 40]] * 3)
    subject = Subject(
        "mo",
        np.zeros((3, 3)),
        np.zeros(3),
        np.zeros(3),
        np.zeros(3),
        box,
        np.array([True, True, False]),
        np.zeros(3),
    )
    lens = np.repeat(intrinsics_from_lens(35, SIZE)[None], 3, axis=0)
    return PlannedShot("a", "", "crane", 0, 3, (), (), poses, lens, (subject,), "a" * 64)


def test_guide_holds_picture_depth_and_mask_of_every_frame(tmp_path):
    done = []
    planned = shot((5.0, 0.5, 9.0))
    record = render_guide(
        planned, yard(), PLACEMENT, size_px=SIZE, fps=Fraction(8), into=tmp_path, advance=done.append
    )
    jsonschema.validate(record, schema("guide-v1"))
    assert json.loads((tmp_path / "guide.json").read_text()) == record
    assert sum(done) == 3
    guide = read_guide(tmp_path, 1, 3)
    picture = render(yard(), planned.world_from_camera[2], planned.intrinsics[2], SIZE, near=PLACEMENT.near_m)
    assert np.array_equal(guide.rgb[1], np.floor(np.clip(picture.rgb, 0, 1) * 255 + 0.5).astype(np.uint8))
    solid = picture.alpha >= 0.5
    assert 0.5 < solid.mean() < 1
    assert np.array_equal(np.isfinite(guide.depth[1]), solid)
    assert np.abs(guide.depth[1][solid] - picture.depth[solid]).max() <= record["depth"]["scale_m"]
    assert guide.anchor[0, 30, 25] and not guide.anchor[0, 30, 50]
    assert not guide.anchor[1].any()


def test_the_background_shows_where_the_scene_does_not(tmp_path):
    """out = rgb + (1 − α)·background in sRGB, to half a level; depth and mask stay as they are."""
    planned = shot((5.0, 3.0, 9.0))
    guides = {}
    for name, rgb in {"black": (0, 0, 0), "sky": (135, 206, 235)}.items():
        (tmp_path / name).mkdir()
        placement = replace(PLACEMENT, background_rgb=rgb)
        render_guide(
            planned, yard(), placement, size_px=SIZE, fps=Fraction(8), into=tmp_path / name, advance=print
        )
        guides[name] = read_guide(tmp_path / name, 0, 3)
    for frame in range(3):
        pose, lens = planned.world_from_camera[frame], planned.intrinsics[frame]
        picture = render(yard(), pose, lens, SIZE, near=PLACEMENT.near_m)
        behind = (1 - picture.alpha[..., None]) * np.array([135, 206, 235])
        expected = np.clip(picture.rgb * 255 + behind, 0, 255)
        assert np.abs(guides["sky"].rgb[frame] - expected).max() <= 0.51
        nothing = picture.alpha == 0
        assert nothing.mean() > 0.1
        assert (guides["sky"].rgb[frame][nothing] == [135, 206, 235]).all()
        assert (guides["black"].rgb[frame][nothing] == 0).all()
    assert np.array_equal(guides["sky"].depth, guides["black"].depth)
    assert np.array_equal(guides["sky"].anchor, guides["black"].anchor)


def test_a_blank_guide_is_an_error_whatever_the_background(tmp_path):
    with pytest.raises(AnixError) as error:
        render_guide(
            shot((0.0, 90.0, 0.1)),
            yard(),
            replace(PLACEMENT, background_rgb=(255, 255, 255)),
            size_px=SIZE,
            fps=Fraction(8),
            into=tmp_path,
            advance=lambda count: None,
        )
    assert error.value.diagnostics[0].code == "E551"


def test_a_blank_guide_is_an_error(tmp_path):
    with pytest.raises(AnixError) as error:
        render_guide(
            shot((0.0, 90.0, 0.1)),
            yard(),
            PLACEMENT,
            size_px=SIZE,
            fps=Fraction(8),
            into=tmp_path,
            advance=lambda count: None,
        )
    assert error.value.diagnostics[0].code == "E551"
