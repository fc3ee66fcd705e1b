"""The whole chain: Screenplay → Plan → Guide → Clip → Film."""

from __future__ import annotations

from pathlib import Path

from .. import generate
from ..core.events import Emit, Noted, RunStarted
from ..core.plan import Plan
from ..core.screenplay import Screenplay
from ..store.store import Store
from .clips import MadeClip, find_clips, make_clips
from .film import Film, check_output, join_film
from .guides import make_guides
from .layout import store_root
from .preflight import preflight
from .prepare import prepare
from .scenes import SceneOnStage


def render_film(
    screenplay: Screenplay,
    output: Path,
    *,
    backend: str,
    emit: Emit,
    slate: bool = False,
    overwrite: bool = False,
    ffmpeg: Path | None = None,
) -> Film:
    """Makes a film, and of it only what the store does not hold.

    Raises:
        AnixError: whatever stops it; everything that was finished stays in the store.
    """
    store = Store(store_root(screenplay.path))
    prepared = prepare(screenplay, backend=backend, store=store)
    plan = prepared.plan
    check_output(plan, output, overwrite=overwrite)
    for note in plan.notes:
        emit(Noted(note))
    preflight(plan, ffmpeg=ffmpeg)
    emit(_opening(plan))
    clips = _clips(plan, store)
    if clips is None:
        scene = SceneOnStage(plan.scene, prepared.gaussians)
        guides = make_guides(plan, store, scene=scene, emit=emit)
        maker = generate.get(backend)
        try:
            clips = make_clips(plan, store, maker, guides=guides, scene=scene, emit=emit)
        finally:
            maker.close()
    return join_film(plan, clips, output, slate=slate, emit=emit)


def _clips(plan: Plan, store: Store) -> list[MadeClip] | None:
    """All clips from the store, or None if one is missing."""
    found = list(find_clips(plan, store))
    if any(entry is None for _, _, entry in found):
        return None
    return [MadeClip(shot, clip, entry) for shot, clip, entry in found if entry is not None]


def _opening(plan: Plan) -> RunStarted:
    estimate = plan.estimate
    return RunStarted(
        title=plan.title,
        shots=sum(1 for _ in plan.shots()),
        guide_frames=sum(shot.frames for shot in plan.shots() if shot.guide_stale_because),
        clip_frames=estimate.generated_frames,
        clips=estimate.clips,
        clips_cached=estimate.clips - estimate.stale_clips,
    )
