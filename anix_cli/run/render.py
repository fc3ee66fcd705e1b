"""The whole chain: Screenplay → Plan → Guide → Clip → Film."""

from __future__ import annotations

from pathlib import Path

from .. import generate
from ..core.errors import refuse_warnings
from ..core.events import Emit, Noted, RunStarted
from ..core.plan import Plan
from ..core.screenplay import Screenplay
from ..store.store import Store
from .clips import MadeClip, find_clips, make_clips
from .film import Film, check_output, join_film, made_clips
from .guides import make_guides
from .heal import healing
from .layout import store_root
from .preflight import make_ready, preflight
from .prepare import prepare
from .scenes import SceneOnStage
from .stale import annotate


def render_film(
    screenplay: Screenplay,
    output: Path,
    *,
    backend: str,
    emit: Emit,
    slate: bool = False,
    overwrite: bool = False,
    strict: bool = False,
    ffmpeg: Path | None = None,
) -> Film:
    """Makes a film, and of it only what the store does not hold.

    Raises:
        AnixError: whatever stops it; everything that was finished stays in the store.
    """
    store = Store(store_root(screenplay.path))
    prepared = prepare(screenplay, backend=backend, store=store)
    plan = prepared.plan
    if strict:
        refuse_warnings(plan.notes)
    check_output(plan, output, overwrite=overwrite)
    for note in plan.notes:
        emit(Noted(note))
    preflight(plan, ffmpeg=ffmpeg, output=output)
    emit(_opening(plan))
    scene = SceneOnStage(plan.scene, prepared.gaussians, store=store)

    def work() -> Film:
        return join_film(plan, _clips(plan, store, scene, emit), output, slate=slate, emit=emit)

    return healing(plan, store, emit, work)


def _clips(plan: Plan, store: Store, scene: SceneOnStage, emit: Emit) -> list[MadeClip]:
    """All clips of the film, made where the store lacks them."""
    if all(found.entry for found in find_clips(plan, store)):
        return made_clips(plan, store)
    plan = annotate(plan, store)
    maker = generate.get(plan.backend)
    try:
        make_ready(maker, plan)
        guides = make_guides(plan, store, scene=scene, emit=emit)
        return make_clips(plan, store, maker, guides=guides, scene=scene, emit=emit)
    finally:
        maker.close()


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
