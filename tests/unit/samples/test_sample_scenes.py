"""The garden and the studio: ground, free space, no holes, budget, the same every time."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from anix_cli.core.camera import intrinsics_from_lens, look_at
from anix_cli.core.gaussians import Gaussians
from anix_cli.samples import write_samples
from anix_cli.samples.garden import COURT_M, garden
from anix_cli.samples.studio import TABLE_M, studio
from anix_cli.scene import write_spz
from anix_cli.splat import render

KEPT = Path(__file__).parents[3] / "anix_cli" / "samples" / "assets"
MADE = {"garden": (garden, 600_000), "studio": (studio, 100_000)}


@pytest.fixture(scope="module")
def scenes() -> dict[str, Gaussians]:
    return {name: make() for name, (make, _) in MADE.items()}


def spz(scene: Gaussians) -> bytes:
    stream = io.BytesIO()
    write_spz(stream, scene, version=3, sh_bits=(5, 4))
    return stream.getvalue()


@pytest.mark.parametrize("name", MADE)
def test_a_scene_is_small(name, scenes):
    assert len(spz(scenes[name])) < MADE[name][1]


def test_the_same_bytes_every_time(scenes):
    assert spz(studio()) == spz(scenes["studio"])


@pytest.mark.parametrize("name", MADE)
def test_the_middle_is_level_and_free(name, scenes):
    means = scenes[name].means
    near = np.hypot(means[:, 0], means[:, 2]) < 2.5
    above = near & (means[:, 1] > 0.02) & (means[:, 1] < 2.5)
    assert not above.any()
    walked = near & (np.abs(means[:, 1]) <= 0.02)
    assert walked.sum() > 200


def test_the_court_is_free_up_to_its_rim(scenes):
    means = scenes["garden"].means
    radius = np.hypot(means[:, 0], means[:, 2])
    tall = (means[:, 1] > 0.05) & (means[:, 1] < 2.2) & (radius < 0.7 * COURT_M)
    assert not tall.any()


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("turn_deg", [0, 72, 144, 216, 288])
def test_there_are_no_holes(name, turn_deg, scenes):
    size = (208, 120)
    turn = np.radians(turn_deg)
    pose = look_at((4 * np.sin(turn), 1.5, 4 * np.cos(turn)), (0.0, 0.9, 0.0))
    picture = render(scenes[name], pose, intrinsics_from_lens(28.0, size), size, near=0.05)
    assert picture.alpha.min() > 0.9


def test_the_studios_circle_is_where_it_is_said(scenes):
    scene = scenes["studio"]
    dark = scene.sh[:, 0].mean(axis=1) < -0.5
    marks = scene.means[dark & (scene.means[:, 1] > 0.001) & (scene.means[:, 1] < 0.02)]
    radius = np.hypot(marks[:, 0], marks[:, 2])
    assert np.median(radius) == pytest.approx(TABLE_M, abs=0.01)


@pytest.mark.slow
def test_what_is_kept_is_what_the_code_makes(tmp_path):
    from PIL import Image

    from anix_cli.scene import read_splats

    names = tuple(sorted(path.name for path in KEPT.iterdir()))
    for made in write_samples(tmp_path, names):
        kept = KEPT / made.name
        if made.suffix == ".png":
            with Image.open(made) as one, Image.open(kept) as other:
                difference = np.abs(np.asarray(one, dtype=int) - np.asarray(other, dtype=int))
            # Other versions of numpy may round the last bit differently.
            assert (difference > 2).mean() < 0.001
        else:
            one, other = read_splats(made).gaussians, read_splats(kept).gaussians
            assert len(one) == len(other)
            np.testing.assert_allclose(one.means, other.means, atol=0.01)
