"""One real scan in several containers, if a folder of them is named by ANIX_TEST_DATA; skipped otherwise."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from splat_files import covariances

from anix_cli.core.screenplay import SceneSpec
from anix_cli.scene import open_scene, read_splats, similarity, transform

DATA = Path(os.environ.get("ANIX_TEST_DATA", ""))
pytestmark = pytest.mark.skipif(
    not (DATA / "scenes/leica_sh3.ply").is_file(), reason="ANIX_TEST_DATA names no folder of scans"
)


def test_spz_agrees_with_the_ply_it_was_made_from() -> None:
    ply = transform(read_splats(DATA / "scenes/leica_sh3.ply").gaussians, similarity("-y", 1.0))
    spz = read_splats(DATA / "scenes/leica_sh3_v3.spz").gaussians
    assert np.abs(ply.means - spz.means).max() < 0.51 / 4096
    assert np.abs(ply.opacities - spz.opacities).max() < 0.51 / 255
    size = np.trace(covariances(spz), axis1=1, axis2=2)[:, None, None]
    assert np.percentile(np.abs(covariances(ply) - covariances(spz)) / size, 99) < 0.07
    # The reference writer keeps 5 bits of degree 1 and 4 of the rest, and rounds to 8 bits before that.
    assert np.percentile(np.abs(ply.sh[:, 1:4] - spz.sh[:, 1:4]), 99) < 4.51 / 128
    assert np.percentile(np.abs(ply.sh[:, 4:] - spz.sh[:, 4:]), 99) < 8.51 / 128


def test_awkward_files_hold_the_same_scan() -> None:
    scan = read_splats(DATA / "scenes/leica_sh3.ply").gaussians
    row = {tuple(mean): i for i, mean in enumerate(scan.means)}
    for path in sorted((DATA / "odd").glob("leica_*_sh[03].ply")):
        if "truncated" in path.name or "utm" in path.name:
            continue
        got = read_splats(path).gaussians
        at = [row[tuple(mean)] for mean in got.means]
        np.testing.assert_allclose(got.quats, scan.quats[at], atol=1e-5, err_msg=path.name)
        np.testing.assert_array_equal(got.sh, scan.sh[at][:, : got.sh.shape[1]], err_msg=path.name)


def test_ground_of_a_real_patch() -> None:
    scene = open_scene(SceneSpec(DATA / "scenes/playbot_lod4_inria_sh1.ply"))
    ground = scene.stage.ground.heights_m
    assert "W303" not in [note.code for note in scene.stage.notes]
    # The patch lies level at about 0.02 units under a robot that hovers up to 1.05.
    assert abs(np.median(ground) - 0.02) < 0.015
    assert np.ptp(ground) < 0.06
