"""What was made last for each clip of a film, part by part: so that a plan can say *why* a clip is stale.

It explains and decides nothing: losing it costs no work.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..core.keys import fingerprint
from ..core.plan import Plan, PlannedClip
from ..store.store import Store


def _name(plan: Plan) -> str:
    film = str(plan.screenplay.absolute()) if plan.screenplay else plan.title
    return fingerprint({"film": film})[:32]


def recall(store: Store, plan: Plan) -> dict[str, Any]:
    """Digests by "shot/clip index" of what was made last."""
    return store.read_note(_name(plan))


def remember(store: Store, plan: Plan, clips: Iterable[PlannedClip]) -> None:
    """Records the parts of clips that the store holds now."""
    before = recall(store, plan)
    now = before | {f"{clip.shot_id}/{clip.index}": dict(clip.parts) for clip in clips}
    if now != before:
        store.write_note(_name(plan), now)
