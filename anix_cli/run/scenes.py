"""Loads a planned scene, and makes sure that it is the one that was planned."""

from __future__ import annotations

from typing import Any

from ..core.errors import fail
from ..core.gaussians import Gaussians
from ..core.keys import fingerprint
from ..core.plan import ScenePlacement
from ..scene import cropped, place, read_splats, scene_digest
from ..store.store import Store, verify

PACKED = "scenes"
"""Kind of the store's entries that hold packed scenes."""


class SceneOnStage:
    """A planned scene: as Gaussians, and as the rasteriser draws it fastest; each made when first asked for.

    Args:
        gaussians: of the scene, if they have been read already.
        store: where the scene is kept packed for the next time, if anywhere.
    """

    def __init__(
        self, placement: ScenePlacement, gaussians: Gaussians | None = None, *, store: Store | None = None
    ) -> None:
        self.placement = placement
        self._gaussians = gaussians
        self._store = store
        self._drawn: Any = None

    def __call__(self) -> Gaussians:
        if self._gaussians is None:
            self._gaussians = load_scene(self.placement)
        return self._gaussians

    def drawn(self) -> Any:
        """The scene in the form that this process's rasteriser takes (``splat.choose``)."""
        if self._drawn is None:
            from ..splat.choose import rasteriser

            drawer = rasteriser()
            if drawer.name == "cpu" and self._store is not None:
                self._drawn = self._packed(self._store)
            else:
                self._drawn = drawer.keep(self())
        return self._drawn

    def _packed(self, store: Store) -> Any:
        """From the store, mapped into memory; packed and kept there first if need be."""
        from ..splat import pack
        from ..splat.pack import PACK_VERSION, PackedScene

        check_unchanged(self.placement)
        place = self.placement
        key = fingerprint([PACK_VERSION, place.key, place.stage_from_file, place.crop_m])
        entry = store.get(PACKED, key)
        if entry is not None:
            try:
                if not verify(entry, deep=True):
                    return PackedScene.read(entry.path)
            except (OSError, ValueError):
                pass
            store.discard(entry)
        made = pack(self())
        with store.writing(PACKED, key) as partial:
            made.write(partial.path)
            entry = partial.commit({"gaussians": len(made)})
        self._gaussians = None  # a large scene need not be in memory twice
        return PackedScene.read(entry.path)


def load_scene(placement: ScenePlacement) -> Gaussians:
    """The scene's Gaussians on the stage.

    Raises:
        AnixError: E451, the file is not the one that was planned; E3xx, it can't be read.
    """
    check_unchanged(placement)
    return cropped(place(read_splats(placement.file), placement.stage_from_file), placement.crop_m)


def check_unchanged(placement: ScenePlacement) -> None:
    """Raises AnixError: E451, the file is not the one that was planned."""
    if scene_digest(placement.file) != placement.digest:
        raise fail(
            "E451",
            f"{placement.file.name} has changed since the plan was made",
            file=placement.file,
            hint="run `anix plan` again",
        )
