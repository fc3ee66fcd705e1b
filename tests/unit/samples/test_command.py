"""``python -m anix_cli.samples`` and the assets that are kept in the repository."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anix_cli import samples
from anix_cli.samples.__main__ import main

ASSETS = Path(__file__).parents[3] / "screenplays" / "courier"


def test_the_kept_assets_are_small_and_of_one_size() -> None:
    assert (ASSETS / samples.SCENE_FILE).stat().st_size < 4_000_000
    shapes = set()
    for name in samples.VIEW_FILES.values():
        with Image.open(ASSETS / name) as picture:
            assert picture.mode == "RGBA"
            shapes.add(picture.size)
    assert shapes == {(768, 1024)}


@pytest.mark.slow
def test_the_command_writes_what_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from anix_cli.scene import read_splats

    assert main([str(tmp_path / "made")]) == 0
    written = sorted(path.name for path in (tmp_path / "made").iterdir())
    assert written == sorted([samples.SCENE_FILE, *samples.VIEW_FILES.values()])
    assert len(capsys.readouterr().out.splitlines()) == 5
    for name in samples.VIEW_FILES.values():
        with Image.open(tmp_path / "made" / name) as made, Image.open(ASSETS / name) as kept:
            difference = np.abs(np.asarray(made, dtype=int) - np.asarray(kept, dtype=int))
        # Other versions of numpy may round the last bit differently.
        assert (difference > 2).mean() < 0.001
    made, kept = (read_splats(folder / samples.SCENE_FILE) for folder in (tmp_path / "made", ASSETS))
    assert len(made.gaussians) == len(kept.gaussians)
    np.testing.assert_allclose(made.gaussians.means, kept.gaussians.means, atol=0.01)
