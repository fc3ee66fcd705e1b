"""How fast this machine has been, so that a plan can say how long a film will take.

Kept in the store as a remark a machine and kind of work; nothing depends on it.
"""

from __future__ import annotations

import hashlib
import platform
from contextlib import suppress

from ..core.errors import AnixError
from ..core.plan import Plan
from ..store.store import Store
from .preflight import rooms

_NEW = 0.3
"""How much the newest time counts beside those before: a machine gets busy, and a scene is not another."""


def learn(store: Store, work: str, seconds: float, frames: int, size_px: tuple[int, int]) -> None:
    """Remembers how long so many frames of a kind of work took, a pixel and frame."""
    if frames < 1:
        return
    found = _known(store)
    rate = seconds / (frames * size_px[0] * size_px[1])
    before = found.get(work)
    found[work] = rate if before is None else (1 - _NEW) * before + _NEW * rate
    with suppress(AnixError):
        store.write_note(_note(), found)


GUIDE = "guide"


def clip_work(backend: str) -> str:
    return f"clip {backend}"


def seconds_for(plan: Plan, store: Store) -> float | None:
    """How long what is to be made would take, one after the other; None where nothing like it was made."""
    guides, clips = seconds_by_work(plan, store)
    return None if guides is None or clips is None else guides + clips


def seconds_by_work(plan: Plan, store: Store) -> tuple[float | None, float | None]:
    """How long the guides would take, and the clips with the candidates; None where that is not known."""
    known, pixels = _known(store), plan.size_px[0] * plan.size_px[1]

    def needed(work: str, frames: int) -> float | None:
        if not frames:
            return 0.0
        return frames * pixels * known[work] if work in known else None

    guides = sum(shot.frames for shot in plan.shots() if shot.guide_stale_because)
    clips = sum(clip.frames for shot in plan.shots() for clip in shot.clips if clip.stale_because)
    return needed(GUIDE, guides), needed(clip_work(plan.backend), clips + plan.estimate.candidate_frames)


def bytes_for(plan: Plan) -> int:
    """How much what is stale will take in the store, on the high side."""
    return round(sum(room.bytes for room in rooms(plan)))


def _known(store: Store) -> dict[str, float]:
    found = store.read_note(_note())
    return {
        str(work): float(rate)
        for work, rate in found.items()
        if isinstance(rate, int | float) and 0 <= rate < 1e6
    }


def _note() -> str:
    return f"rates-{hashlib.sha256(platform.node().encode()).hexdigest()[:12]}"
