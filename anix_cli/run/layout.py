"""Where things lie in the store: one guide a shot, one entry a clip."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..core.keys import fingerprint
from ..core.plan import PlannedClip, PlannedShot, Take
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


@dataclass(frozen=True)
class Found:
    """A planned clip and its entry, None where it must be made.

    ``waits`` says that what it continues must be made first.
    """

    shot: PlannedShot
    clip: PlannedClip
    entry: Entry | None
    waits: bool


def look_up(take: Take, store: Store) -> Iterator[Found]:
    """What the store holds of a take, clip by clip."""
    before: Entry | None = None
    for shot in take.shots:
        for clip in shot.clips:
            tail_in = tail_before(clip, before)
            before = None if tail_in is None else find_clip(store, clip, tail_in)
            yield Found(shot, clip, before, waits=tail_in is None)


def tail_before(clip: PlannedClip, before: Entry | None) -> str | None:
    """Digest of the frames that a clip continues, given the clip before; None if they don't exist yet."""
    if clip.tail == 0:
        return FIRST
    return None if before is None else tail_of(before)


def find_guide(store: Store, shot: PlannedShot) -> Entry | None:
    return store.get("guides", shot.guide_key)


def find_clip(store: Store, clip: PlannedClip, tail_in: str) -> Entry | None:
    return store.get("clips", clip_key(clip, tail_in))


def tail_of(entry: Entry) -> str:
    """Digest of the frames that a clip hands on."""
    return str(entry.record["tail_out"])
