"""Where things lie in the store: one guide a shot, one entry a clip."""

from __future__ import annotations

import os
from pathlib import Path

from ..core.keys import fingerprint
from ..core.plan import PlannedClip, PlannedShot
from ..store.store import Entry, Store

FIRST = ""
"""``tail_in`` of a clip that continues nothing."""


def store_root(screenplay: Path) -> Path:
    """``ANIX_CACHE_DIR``, else ``.anix`` beside the screenplay."""
    chosen = os.environ.get("ANIX_CACHE_DIR")
    return Path(chosen).expanduser().absolute() if chosen else screenplay.absolute().parent / ".anix"


def clip_key(clip: PlannedClip, tail_in: str) -> str:
    """The address of a clip: its recipe, and the very pixels that it continues.

    A predecessor that was made again on another GPU has the same recipe and other pixels: what
    continued the old ones no longer fits.
    """
    return fingerprint({"recipe": clip.recipe_key, "tail_in": tail_in})


def find_guide(store: Store, shot: PlannedShot) -> Entry | None:
    return store.get("guides", shot.guide_key)


def find_clip(store: Store, clip: PlannedClip, tail_in: str) -> Entry | None:
    return store.get("clips", clip_key(clip, tail_in))


def tail_of(entry: Entry) -> str:
    """Digest of the frames that a clip hands on."""
    return str(entry.record["tail_out"])
