"""The scene that was planned is the one that is drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from anix_cli.core.gaussians import Gaussians
from anix_cli.core.keys import file_digest
from anix_cli.core.plan import ScenePlacement
from anix_cli.core.screenplay import SceneSpec
from anix_cli.run.scenes import load_scene
from anix_cli.scene import open_scene, write_ply


def test_a_scene_is_drawn_as_it_was_planned_crop_and_all(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    file = tmp_path / "s.ply"
    write_ply(
        file,
        Gaussians(
            rng.uniform(-5, 5, (500, 3)).astype(np.float32),
            np.tile(np.float32([1, 0, 0, 0]), (500, 1)),
            np.full((500, 3), 0.1, np.float32),
            np.full(500, 0.9, np.float32),
            np.zeros((500, 1, 3), np.float32),
        ),
    )
    crop = ((-2.0, 2.0), None, (0.0, 9.0))
    planned = open_scene(SceneSpec(file, up="-y", scale=2.0, crop_m=crop))
    placement = ScenePlacement(
        file, planned.stage.key, file_digest(file), planned.stage.stage_from_file, 1.0, crop_m=crop
    )
    drawn = load_scene(placement)
    assert 0 < len(drawn) < 250
    np.testing.assert_array_equal(drawn.means, planned.gaussians.means)
