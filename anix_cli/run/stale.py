"""What has to be made, and why: the plan against the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..core.plan import Plan, PlannedClip, PlannedShot, Take
from ..store.store import Store
from .layout import FIRST, find_clip, find_guide, tail_of
from .memory import recall


def annotate(plan: Plan, store: Store) -> Plan:
    """The same plan with ``stale_because`` filled in for every guide and clip, and the estimate counted."""
    made = recall(store, plan)
    takes = tuple(_annotate_take(take, store, made) for take in plan.takes)
    shots = [shot for take in takes for shot in take.shots]
    clips = [clip for shot in shots for clip in shot.clips]
    stale = [clip for clip in clips if clip.stale_because]
    estimate = replace(
        plan.estimate,
        stale_clips=len(stale),
        stale_guides=sum(shot.guide_stale_because is not None for shot in shots),
        generated_frames=sum(clip.generated for clip in stale),
    )
    return replace(plan, takes=takes, estimate=estimate)


def _annotate_take(take: Take, store: Store, made: Mapping[str, Any]) -> Take:
    tail: str | None = FIRST
    shots: list[PlannedShot] = []
    for shot in take.shots:
        clips: list[PlannedClip] = []
        for clip in shot.clips:
            entry = None
            if tail is not None:
                entry = find_clip(store, clip, tail if clip.tail else FIRST)
            clips.append(replace(clip, stale_because=None if entry else _reason(clip, made)))
            tail = tail_of(entry) if entry else None
        guide = None if find_guide(store, shot) else "not rendered yet"
        shots.append(replace(shot, clips=tuple(clips), guide_stale_because=guide))
    return Take(tuple(shots))


def _reason(clip: PlannedClip, made: Mapping[str, Any]) -> str:
    before = made.get(f"{clip.shot_id}/{clip.index}")
    if before is None:
        return "not made yet"
    changed = [name for name, digest in clip.parts.items() if before.get(name) != digest]
    if changed == ["before"]:
        return "continues a clip that changed"
    if changed:
        return "changed: " + ", ".join(name for name in changed if name != "before")
    return "continues a clip that is made again" if clip.tail else "no longer in the store"
