"""Renders the guides that the store lacks."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from ..core.events import Emit, FramesDone, GuideFinished, StageFinished, StageStarted
from ..core.gaussians import Gaussians
from ..core.plan import Plan, PlannedShot
from ..guide.render import render_guide
from ..store.store import Store
from .layout import find_guide
from .scenes import SceneOnStage


def make_guides(plan: Plan, store: Store, *, scene: SceneOnStage, emit: Emit) -> Mapping[str, Path]:
    """Shot id → folder of its guide, in the order of the film."""
    wanting = [shot for shot in plan.shots() if find_guide(store, shot) is None]
    started = time.monotonic()
    emit(StageStarted("guide", sum(shot.frames for shot in wanting)))
    for shot in wanting:
        if find_guide(store, shot) is None:  # an equal shot, or another run, may have made it meanwhile
            _make_guide(plan, shot, scene(), store, emit)
        else:
            emit(FramesDone("guide", shot.id, shot.frames))
    emit(StageFinished("guide", time.monotonic() - started))
    return guide_folders(plan, store)


def guide_folders(plan: Plan, store: Store) -> dict[str, Path]:
    """Folders of the guides that the store holds, by shot id."""
    found = {shot.id: find_guide(store, shot) for shot in plan.shots()}
    return {shot_id: entry.path for shot_id, entry in found.items() if entry is not None}


def _make_guide(plan: Plan, shot: PlannedShot, scene: Gaussians, store: Store, emit: Emit) -> None:
    started = time.monotonic()
    with store.writing("guides", shot.guide_key) as partial:
        record = render_guide(
            shot,
            scene,
            plan.scene,
            size_px=plan.size_px,
            fps=plan.fps,
            into=partial.path,
            advance=lambda count: emit(FramesDone("guide", shot.id, count)),
        )
        partial.commit({"guide": record})
    emit(GuideFinished(shot.id, shot.guide_key, time.monotonic() - started))
