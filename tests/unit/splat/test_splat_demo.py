"""The sample scene, along the sample film's cameras, at reduced size, against the float64 reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import reference

from anix_cli.core.camera import intrinsics_from_lens, look_at
from anix_cli.core.screenplay import SceneSpec
from anix_cli.scene import open_scene
from anix_cli.splat import render

PLAZA = Path(__file__).parents[3] / "screenplays" / "courier" / "plaza.spz"
SIZE = (48, 28)
NEAR_M = 0.1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("eye", "target"),
    [
        ((-0.6, 2.0, -13.0), (-0.6, 1.1, -8.5)),  # behind the run
        ((-9.0, 3.6, -4.0), (2.0, 0.5, 6.0)),  # from above
    ],
)
def test_demo_at_reduced_size(eye: tuple[float, ...], target: tuple[float, ...]) -> None:
    scene = open_scene(SceneSpec(PLAZA, up="+y", scale=1.0)).gaussians
    pose, k = look_at(eye, target), intrinsics_from_lens(35, SIZE)
    actual = render(scene, pose, k, SIZE, near=NEAR_M)
    expected = reference.render([scene], pose, k, SIZE, near=NEAR_M)
    assert reference.psnr_db(actual.rgb, expected.rgb) > 80
    assert reference.psnr_db(actual.alpha, expected.alpha) > 80
    seen = expected.alpha > 0.01
    assert seen.mean() > 0.98
    error = np.abs(actual.depth - expected.depth)[seen] / expected.depth[seen]
    assert np.median(error) < 1e-6
    assert np.percentile(error, 99.9) < 1e-3
