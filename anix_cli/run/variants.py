"""What a report tells of the candidates of a film's shots."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..core.filmreport import ReportedCandidate, ReportedShot
from ..core.plan import Plan
from ..core.screenplay import Screenplay
from ..store.store import Entry, Store
from .candidates import Candidate, candidates_of, ranked, scores_of

MOST = 16
"""As many candidates as a shot can have."""
_SEARCHED = 100
"""Of films with more shots, only candidates that are asked for are looked for in the store."""


@dataclass(frozen=True)
class Variants:
    """Candidates by the id of their shot, and the clips of each, by shot's id, number and clip's index."""

    shots: Mapping[str, tuple[ReportedCandidate, ...]] = field(default_factory=dict)
    clips: Mapping[tuple[str, int, int], Entry] = field(default_factory=dict)

    def clips_of(self, shot: str, number: int) -> dict[tuple[str, int], Entry]:
        """The clips of one candidate, as those of a film are named."""
        return {
            (name, index): entry
            for (name, which, index), entry in self.clips.items()
            if (name, which) == (shot, number)
        }


def variants_of(
    screenplay: Screenplay, plan: Plan, store: Store, *, asked: int | None, named: str
) -> Variants:
    """All candidates that are asked for, and in films of some shots all others that the store holds.

    Args:
        named: the screenplay as a command names it, "" where there is no file.
    """
    wanted = {(one.shot.id, one.number) for one in candidates_of(plan, screenplay, asked)}
    search = MOST if len(screenplay.shots) <= _SEARCHED else asked
    shots: dict[str, list[tuple[Candidate, list[Entry | None]]]] = {}
    for one in candidates_of(plan, screenplay, search):
        entries = one.entries(store)
        if (one.shot.id, one.number) in wanted or all(entries):
            shots.setdefault(one.shot.id, []).append((one, entries))
    told = {name: _told(found, named) for name, found in shots.items() if len(found) > 1}
    clips = {
        (name, one.number, index): entry
        for name in told
        for one, entries in shots[name]
        for index, entry in enumerate(entries)
        if entry is not None
    }
    return Variants(told, clips)


def _told(found: Sequence[tuple[Candidate, list[Entry | None]]], named: str) -> tuple[ReportedCandidate, ...]:
    scores = {one.number: scores_of(entries) for one, entries in found}
    order = ranked(scores)
    told = []
    for one, _ in sorted(found, key=lambda each: order.index(each[0].number)):
        known = scores[one.number]
        choose = shlex.join(["anix", "pick", named, f"{one.shot.id}={one.number}"]) if named else ""
        told.append(
            ReportedCandidate(
                one.number,
                one.picked,
                made=known is not None,
                retries=known.retries if known else 0,
                seam=known.seam if known else None,
                drift=known.drift if known else None,
                choose="" if one.picked else choose,
            )
        )
    return tuple(told)


def with_candidates(shot: ReportedShot, variants: Variants) -> ReportedShot:
    """The shot with what is known of its candidates, the best first."""
    return replace(shot, candidates=variants.shots.get(shot.id, ()))
