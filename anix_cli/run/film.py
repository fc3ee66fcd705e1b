"""Joins a plan's clips to its film."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import fail
from ..core.events import Emit, FilmFinished, FramesDone, StageFinished, StageStarted
from ..core.plan import Plan
from ..film import manifest
from ..film.join import Segment
from ..film.manifest import ClipFact
from ..film.publish import publish
from ..store.store import Store
from .clips import DELIVERY, MASTER, MadeClip, find_clips


@dataclass(frozen=True)
class Film:
    """A joined film and its manifest; ``reused`` if it was there already, made of just these clips."""

    path: Path
    manifest: Mapping[str, Any]
    reused: bool


def check_output(plan: Plan, output: Path, *, overwrite: bool) -> None:
    """Refuses, before long work, an output that can't be written or that this screenplay did not make.

    Raises:
        AnixError: E431, the file is somebody else's; E432, not a film's name; E434, not one of its
            codec; E412, it can't be written.
    """
    manifest.check_output(
        output,
        screenplay=plan.screenplay,
        title=plan.title,
        codec=plan.output.codec,
        overwrite=overwrite,
    )


def made_clips(plan: Plan, store: Store) -> list[MadeClip]:
    """All clips of a plan from the store.

    Raises:
        AnixError: E554, some are still to be made.
    """
    found = find_clips(plan, store)
    missing = [f"{one.shot.id} clip {one.clip.index}" for one in found if one.entry is None]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise fail(
            "E554",
            f"{missing[0]}{more} must be made before the film can be joined",
            hint="run `anix generate` on this plan first, or `anix render` for everything",
        )
    return [MadeClip(one.shot, one.clip, one.entry) for one in found if one.entry is not None]


def join_film(plan: Plan, clips: Sequence[MadeClip], output: Path, *, slate: bool, emit: Emit) -> Film:
    """Writes the film and its manifest; leaves them alone if they are up to date."""
    started = time.monotonic()
    emit(StageStarted("join", plan.frames))
    written, reused = publish(
        plan,
        [_segment(made) for made in clips],
        [_fact(made) for made in clips],
        output,
        slated=slate,
        advance=lambda count: emit(FramesDone("join", "", count)),
    )
    seconds = time.monotonic() - started
    emit(StageFinished("join", seconds))
    emit(FilmFinished(str(output), plan.frames, written["output"]["bytes"], seconds, reused))
    return Film(output, written, reused)


def _segment(made: MadeClip) -> Segment:
    name = f"shot {made.shot.id}, clip {made.clip.index}"
    return Segment(made.entry.file(MASTER), made.entry.file(DELIVERY), made.clip.frames, name)


def _fact(made: MadeClip) -> ClipFact:
    record = made.entry.record
    return ClipFact(
        shot_id=made.shot.id,
        index=made.clip.index,
        key=made.entry.key,
        tail_in=str(record["tail_in"]),
        tail_out=str(record["tail_out"]),
        files={name: stored.sha256 for name, stored in made.entry.files.items()},
        seconds=float(record["seconds"]),
    )
