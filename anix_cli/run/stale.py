"""What has to be made, and why: the plan against the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .. import generate
from ..core.errors import AnixError
from ..core.plan import Plan, PlannedClip, PlannedShot, Take
from ..store.store import Store
from .layout import Found, find_guide, look_up
from .memory import recall
from .rates import bytes_for, seconds_for


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
    return with_effort(replace(plan, takes=takes, estimate=estimate), store)


def with_effort(plan: Plan, store: Store) -> Plan:
    """The same plan, with how long what is to be made takes, and how much room, counted anew."""
    seconds = seconds_for(plan, store)
    seconds = None if seconds is None else round(seconds, 1)
    estimate = replace(plan.estimate, seconds=seconds, bytes=bytes_for(plan), vram_gib=_vram_gib(plan))
    return replace(plan, estimate=estimate)


def _vram_gib(plan: Plan) -> tuple[float, float] | None:
    wanted = [clip.options for shot in plan.shots() for clip in shot.clips if clip.stale_because]
    try:
        return generate.vram_gib(plan.backend, wanted)
    except AnixError:  # a plan can be looked at where its backend is not installed
        return None


def _annotate_take(take: Take, store: Store, made: Mapping[str, Any]) -> Take:
    clips: dict[str, list[PlannedClip]] = {shot.id: [] for shot in take.shots}
    for found in look_up(take, store):
        reason = None if found.entry else _reason(found, made)
        clips[found.shot.id].append(replace(found.clip, stale_because=reason))
    return Take(
        tuple(
            replace(
                shot,
                clips=tuple(clips[shot.id]),
                guide_stale_because=None if find_guide(store, shot) else _guide_reason(shot, made),
            )
            for shot in take.shots
        )
    )


_OF_GUIDES = ("background", "picture", "cameras", "blocking")
"""Parts of clips that a guide depends on as well. What else it depends on is the scene."""


def _guide_reason(shot: PlannedShot, made: Mapping[str, Any]) -> str:
    """Clips remember their guide's key, so that they tell whether there has been another one."""
    clips = [(clip.parts, made[name]) for clip in shot.clips if (name := f"{shot.id}/{clip.index}") in made]
    if not clips:
        return "not rendered yet"
    if all(before.get("guide") == shot.guide_key for _, before in clips):
        return "no longer in the store"
    changed = [
        name for name in _OF_GUIDES if any(before.get(name) != parts.get(name) for parts, before in clips)
    ]
    return "changed: " + ", ".join(changed or ["scene"])


def _reason(found: Found, made: Mapping[str, Any]) -> str:
    clip = found.clip
    before = made.get(f"{clip.shot_id}/{clip.index}")
    if before is None:
        return "not made yet"
    changed = [name for name, digest in clip.parts.items() if before.get(name) != digest]
    changed += [name for name in before if name not in clip.parts]
    if changed == ["before"]:
        return "continues a clip that changed"
    if changed:
        return "changed: " + ", ".join(name for name in changed if name != "before")
    return "continues a clip that is made again" if found.waits else "no longer in the store"
