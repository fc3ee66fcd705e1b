"""What was made last for each clip of a film, part by part: so that a plan can say *why* a clip is stale.

It explains and decides nothing: losing it costs no work.
"""

from __future__ import annotations

from typing import Any

from ..core.keys import fingerprint
from ..core.plan import Plan, PlannedClip
from ..store.store import Store


def _name(plan: Plan) -> str:
    return fingerprint({"film": plan.screenplay.name if plan.screenplay else plan.title})[:32]


def recall(store: Store, plan: Plan) -> dict[str, Any]:
    """Digests by "shot/clip index" of what was made last."""
    return store.read_note(_name(plan))


def remember(store: Store, plan: Plan, clip: PlannedClip) -> None:
    """Records the parts of a clip that has just been made or found."""
    made = recall(store, plan)
    entry = dict(clip.parts)
    if made.get(f"{clip.shot_id}/{clip.index}") != entry:
        made[f"{clip.shot_id}/{clip.index}"] = entry
        store.write_note(_name(plan), made)
