"""Loads a planned scene, and makes sure that it is the one that was planned."""

from __future__ import annotations

from ..core.errors import fail
from ..core.gaussians import Gaussians
from ..core.plan import ScenePlacement
from ..scene import cropped, place, read_splats, scene_digest


class SceneOnStage:
    """A planned scene, read from its file when first asked for, and once."""

    def __init__(self, placement: ScenePlacement, gaussians: Gaussians | None = None) -> None:
        self.placement = placement
        self._gaussians = gaussians

    def __call__(self) -> Gaussians:
        if self._gaussians is None:
            self._gaussians = load_scene(self.placement)
        return self._gaussians


def load_scene(placement: ScenePlacement) -> Gaussians:
    """The scene's Gaussians on the stage.

    Raises:
        AnixError: E451, the file is not the one that was planned; E3xx, it can't be read.
    """
    if scene_digest(placement.file) != placement.digest:
        raise fail(
            "E451",
            f"{placement.file.name} has changed since the plan was made",
            file=placement.file,
            hint="run `anix plan` again",
        )
    return cropped(place(read_splats(placement.file), placement.stage_from_file), placement.crop_m)
