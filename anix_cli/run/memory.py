"""What was made last for each clip of a film, part by part: so that a plan can say *why* a clip is stale.

It explains and decides nothing: losing it costs no work.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..core.keys import fingerprint
from ..core.plan import Plan, PlannedClip
from ..store.store import Store


def _name(store: Store, plan: Plan) -> str:
    """Of a film's notes: by where the screenplay lies seen from the store, so that a project can be moved."""
    film = plan.title
    if plan.screenplay:
        there, here = plan.screenplay.absolute(), store.root.absolute()
        try:
            film = Path(os.path.relpath(there, here)).as_posix()
        except ValueError:  # another drive
            film = there.as_posix()
    return fingerprint({"film": film})[:32]


def recall(store: Store, plan: Plan) -> dict[str, Any]:
    """Digests by "shot/clip index" of what was made last."""
    return store.read_note(_name(store, plan))


def remember(store: Store, plan: Plan, clips: Iterable[PlannedClip]) -> None:
    """Records the parts of clips that the store holds now."""
    before = recall(store, plan)
    now = before | {f"{clip.shot_id}/{clip.index}": dict(clip.parts) for clip in clips}
    if now != before:
        store.write_note(_name(store, plan), now)


def set_out(store: Store, plan: Plan) -> None:
    """Records what a run is about to make and why, so that a report can tell it afterwards.

    What runs before it set out to make stays known as long as the plan still asks for it.
    """
    wanted: dict[str, tuple[str, str | None]] = {}
    for shot in plan.shots():
        wanted[shot.id] = (shot.guide_key, shot.guide_stale_because)
        for clip in shot.clips:
            wanted[f"{shot.id}/{clip.index}"] = (clip.recipe_key, clip.stale_because)
    if not any(because for _, because in wanted.values()):
        return
    before = store.read_note(f"{_name(store, plan)}-work")
    made = before.get("made")
    old = made if isinstance(made, dict) else {}
    run = int(before.get("runs", 0)) + 1
    now = {
        name: {"key": key, "because": because, "run": run} if because else old[name]
        for name, (key, because) in wanted.items()
        if because or old.get(name, {}).get("key") == key
    }
    store.write_note(f"{_name(store, plan)}-work", {"runs": run, "made": now})


def made_because(store: Store, plan: Plan) -> dict[tuple[str, str], tuple[bool, str]]:
    """Why guides and clips were made: by "shot" or "shot/clip index" and recipe, whether by the last run
    that made anything, and the reason."""
    note = store.read_note(f"{_name(store, plan)}-work")
    try:
        return {
            (name, str(one["key"])): (one["run"] == note["runs"], str(one["because"]))
            for name, one in note["made"].items()
        }
    except (KeyError, TypeError, AttributeError):
        return {}
