"""Loads a planned scene, and makes sure that it is the one that was planned."""

from __future__ import annotations

from ..core.errors import fail
from ..core.gaussians import Gaussians
from ..core.keys import file_digest
from ..core.plan import ScenePlacement
from ..scene import place, read_splats


def load_scene(placement: ScenePlacement) -> Gaussians:
    """The scene's Gaussians on the stage.

    Raises:
        AnixError: E451, the file is not the one that was planned; E3xx, it can't be read.
    """
    if placement.file.is_file() and file_digest(placement.file) != placement.digest:
        raise fail(
            "E451",
            f"{placement.file.name} has changed since the plan was made",
            file=placement.file,
            hint="run `anix plan` again",
        )
    return place(read_splats(placement.file), placement.stage_from_file)
