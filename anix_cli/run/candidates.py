"""Variants of a shot to choose from: the same shot by other seeds, each continuing the same frames."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..core.clip import Backend
from ..core.events import Emit, StageFinished, StageStarted
from ..core.plan import Plan, PlannedShot, Take
from ..core.screenplay import Screenplay
from ..plan.clips import candidate_of
from ..store.store import Entry, Store
from .clips import Workshop
from .layout import look_up
from .scenes import SceneOnStage
from .stale import with_effort

STAGE = "candidates"


@dataclass(frozen=True)
class Candidate:
    """One variant of a shot.

    Attributes:
        shot: with the seeds and keys of this variant.
        picked: whether it is the one that is in the film.
        before: the shots of its take before it, as they are in the film.
    """

    number: int
    shot: PlannedShot
    picked: bool
    before: tuple[PlannedShot, ...]

    @property
    def take(self) -> Take:
        """The take up to this shot, with this variant of it."""
        return Take((*self.before, self.shot))

    def entries(self, store: Store) -> list[Entry | None]:
        """Its clips in the store, None where they are missing."""
        return [found.entry for found in look_up(self.take, store) if found.shot is self.shot]


def candidates_of(plan: Plan, screenplay: Screenplay, asked: int | None = None) -> Iterator[Candidate]:
    """All variants of all shots of which there are to be several, the picked ones among them.

    Args:
        asked: so many of every shot, instead of what the screenplay says.
    """
    specs = {spec.id: spec for spec in screenplay.shots}
    for take in plan.takes:
        for index, shot in enumerate(take.shots):
            spec = specs[shot.id]
            count = spec.candidates if asked is None else asked
            if count == 1:
                continue
            seed = screenplay.film.seed if spec.seed is None else spec.seed
            for number in sorted({*range(count), spec.pick}):
                picked = number == spec.pick
                variant = shot if picked else candidate_of(shot, seed, number)
                yield Candidate(number, variant, picked, take.shots[:index])


def to_make(candidates: Sequence[Candidate], store: Store) -> list[Candidate]:
    """Those of which some clip is missing, without those that are in the film."""
    return [one for one in candidates if not one.picked and not all(one.entries(store))]


def with_candidates_counted(
    plan: Plan, screenplay: Screenplay, store: Store, asked: int | None = None
) -> Plan:
    """The same plan; its estimate counts what candidates are still to be made.

    Args:
        asked: so many of every shot, instead of what the screenplay says.
    """
    left = to_make(list(candidates_of(plan, screenplay, asked)), store)
    frames = sum(
        clip.frames
        for one in left
        for clip, entry in zip(one.shot.clips, one.entries(store), strict=True)
        if entry is None
    )
    return with_effort(replace(plan, estimate=replace(plan.estimate, candidate_frames=frames)), store)


def make_candidates(
    plan: Plan,
    candidates: Sequence[Candidate],
    store: Store,
    backend: Backend,
    *,
    guides: Mapping[str, Path],
    scene: SceneOnStage,
    emit: Emit,
    whole: Plan | None = None,
) -> None:
    """Makes what is missing of these; the clips that they continue are in the store already.

    Raises:
        AnixError: as :func:`~anix_cli.run.clips.make_clips`.
    """
    started = time.monotonic()
    emit(StageStarted(STAGE, sum(one.shot.frames for one in candidates)))
    for one in candidates:
        workshop = Workshop(
            plan, store, backend, guides, scene, emit, stage=STAGE, candidate=one.number, whole=whole
        )
        workshop.make_take(one.take)
    emit(StageFinished(STAGE, time.monotonic() - started))


@dataclass(frozen=True)
class Scores:
    """What is known of how good a candidate is; lower is better, None where it was not measured.

    Attributes:
        retries: how many of its clips were no picture at first.
        seam: the worst jump at its clips' beginnings over what is usual in them, in levels.
        drift: how far its colours were from the guide's at the worst, in levels.
    """

    retries: int
    seam: float | None
    drift: float | None


def scores_of(entries: Sequence[Entry | None]) -> Scores | None:
    """The scores of a candidate from its clips' records; None while some are missing."""
    if not all(entries):
        return None
    notes = [entry.record.get("notes", {}) for entry in entries if entry is not None]
    seams = [float(n["seam"]["levels"]) - float(n["seam"]["usual"]) for n in notes if _has(n, "seam")]
    drifts = [float(n["drift"]["worst"]) for n in notes if _has(n, "drift")]
    return Scores(
        sum(bool(n.get("retried")) for n in notes),
        max(seams) if seams else None,
        max(drifts) if drifts else None,
    )


def _has(notes: Mapping[str, Any], name: str) -> bool:
    return isinstance(notes.get(name), Mapping)


def ranked(found: Mapping[int, Scores | None]) -> list[int]:
    """Candidates by their numbers, the best first; those that are not made, last."""

    def badness(number: int) -> tuple[bool, int, float, float, int]:
        scores = found[number]
        if scores is None:
            return True, 0, 0.0, 0.0, number
        return False, scores.retries, scores.seam or 0.0, scores.drift or 0.0, number

    return sorted(found, key=badness)
