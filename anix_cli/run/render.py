"""The whole chain: Screenplay → Plan → Guide → Clip → Film."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .. import generate
from ..core.errors import AnixError, Diagnostic, refuse_warnings, together
from ..core.events import Emit, Noted, ReportFinished, RunStarted
from ..core.filmreport import Page
from ..core.plan import Plan
from ..core.screenplay import Screenplay
from ..store.store import Store
from .candidates import Candidate, candidates_of, make_candidates, to_make
from .clips import MadeClip, find_clips, make_clips
from .film import Film, check_output, join_film, made_clips
from .filmreport import PLAINLY, Asked
from .guides import make_guides
from .heal import healing
from .layout import store_root
from .memory import set_out
from .preflight import check_backend, make_ready, preflight
from .prepare import Prepared, prepare
from .rates import seconds_by_work
from .reportfile import Written, told_of, write_film_report
from .scenes import SceneOnStage
from .stale import annotate


@dataclass(frozen=True)
class ReportAsked:
    """The report that a render makes beside its film: where, how it is drawn, and what it repeats."""

    path: Path
    page: Page
    asked: Asked = PLAINLY


def render_film(
    screenplay: Screenplay,
    output: Path,
    *,
    backend: str,
    emit: Emit,
    slate: bool = False,
    anonymous: bool = False,
    overwrite: bool = False,
    strict: bool = False,
    ffmpeg: Path | None = None,
    report: ReportAsked | None = None,
    candidates: int | None = None,
) -> Film:
    """Makes a film, and of it only what the store does not hold; and its report, also of a run that failed.

    Args:
        candidates: make so many variants of every shot, instead of what the screenplay says.

    Raises:
        AnixError: whatever stops it; everything that was finished stays in the store. A report that cannot be
            made is a warning (W412).
    """
    store = Store(store_root(screenplay.path))
    prepared = prepare(screenplay, backend=backend, store=store, candidates=candidates)
    plan = prepared.plan
    if strict:
        refuse_warnings(plan.notes)
    for note in plan.notes:
        emit(Noted(note))
    _check_all(plan, output, overwrite=overwrite, ffmpeg=ffmpeg)
    emit(_opening(plan, store))
    scene = SceneOnStage(plan.scene, prepared.gaussians, store=store)

    variants = list(candidates_of(plan, screenplay, candidates))

    def work() -> Film:
        return join_film(
            plan,
            _clips(plan, store, scene, emit, variants),
            output,
            slate=slate,
            anonymous=anonymous,
            emit=emit,
        )

    reporting = _Reporting(screenplay, prepared, store, output, report)
    try:
        film = healing(plan, store, emit, work)
    except AnixError as error:
        with suppress(AnixError):
            reporting.write(error.diagnostics)
        raise
    reporting.tell(emit)
    return film


def _check_all(plan: Plan, output: Path, *, overwrite: bool, ffmpeg: Path | None) -> None:
    """Raises AnixError: all that would stop the run later."""
    problems = together(
        lambda: check_output(plan, output, overwrite=overwrite),
        lambda: preflight(plan, ffmpeg=ffmpeg, output=output),
        lambda: check_backend(plan),
    )
    if problems:
        raise AnixError(problems)


@dataclass(frozen=True)
class _Reporting:
    """Writes the report of a run, if one was asked for."""

    screenplay: Screenplay
    prepared: Prepared
    store: Store
    film: Path
    wanted: ReportAsked | None

    def tell(self, emit: Emit) -> None:
        """After a film: what goes wrong with its report is a warning."""
        started = time.monotonic()
        try:
            written = self.write()
        except AnixError as error:
            emit(Noted(told_of(error)))
            return
        if written is not None:
            seconds = time.monotonic() - started
            emit(ReportFinished(str(written.path), written.bytes, seconds, written.reused))

    def write(self, problems: Sequence[Diagnostic] = ()) -> Written | None:
        if self.wanted is None:
            return None
        return write_film_report(
            self.screenplay,
            self.prepared,
            self.store,
            report=self.wanted.path,
            film=self.film,
            page=self.wanted.page,
            asked=self.wanted.asked,
            problems=problems,
        )


def _clips(
    plan: Plan, store: Store, scene: SceneOnStage, emit: Emit, variants: Sequence[Candidate]
) -> list[MadeClip]:
    """All clips of the film, made where the store lacks them; and those of the variants."""
    if all(found.entry for found in find_clips(plan, store)) and not to_make(variants, store):
        return made_clips(plan, store)
    plan = annotate(plan, store)
    maker = generate.get(plan.backend)
    try:
        make_ready(maker, plan)
        set_out(store, plan)
        guides = make_guides(plan, store, scene=scene, emit=emit)
        made = make_clips(plan, store, maker, guides=guides, scene=scene, emit=emit)
        if left := to_make(variants, store):
            make_candidates(plan, left, store, maker, guides=guides, scene=scene, emit=emit)
        return made
    finally:
        maker.close()


def _opening(plan: Plan, store: Store) -> RunStarted:
    estimate = plan.estimate
    guide_seconds, clip_seconds = seconds_by_work(plan, store)
    return RunStarted(
        title=plan.title,
        shots=sum(1 for _ in plan.shots()),
        guide_frames=sum(shot.frames for shot in plan.shots() if shot.guide_stale_because),
        clip_frames=estimate.generated_frames,
        clips=estimate.clips,
        clips_cached=estimate.clips - estimate.stale_clips,
        takes=len(plan.takes),
        guide_seconds=guide_seconds,
        clip_seconds=clip_seconds,
    )
