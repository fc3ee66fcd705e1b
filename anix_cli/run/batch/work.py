"""What a worker does: makes takes and joins films, keeping what it has loaded for the next task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ... import generate
from ...core.clip import Backend
from ...core.events import Emit
from ...core.filmreport import Page
from ...core.plan import Plan
from ...core.screenplay import Screenplay
from ...store.store import Store
from ..candidates import candidates_of, make_candidates, to_make, with_candidates_counted
from ..clips import make_clips
from ..filmreport import Asked, report_path
from ..guides import make_guides
from ..heal import healing
from ..layout import store_root
from ..preflight import make_ready, preflight
from ..prepare import Prepared, prepare
from ..render import ReportAsked, render_film
from ..scenes import SceneOnStage
from ..stale import annotate
from .orders import Order

Pages = Callable[[], Page]
"""What draws a film's report."""


class Worker:
    """Does orders one after the other. The last film's plan and scene and the backend stay loaded.

    Args:
        pages: makes what draws a film's report; None for films without.
    """

    def __init__(self, pages: Pages | None = None) -> None:
        self._pages = pages
        self._known: tuple[tuple[object, ...], Screenplay, Prepared, SceneOnStage] | None = None
        self._backend: tuple[str, Backend] | None = None

    def do(self, order: Order, emit: Emit) -> None:
        """Makes a take or joins a film.

        Raises:
            AnixError: whatever stops it; what was finished stays in the store.
        """
        screenplay, prepared, scene = self._film(order)
        if order.take is None:
            self._join(order, screenplay, emit)
        else:
            self._make(order, screenplay, prepared.plan, scene, emit)

    def close(self) -> None:
        """Lets go of the backend."""
        if self._backend is not None:
            self._backend[1].close()
            self._backend = None

    def _make(
        self, order: Order, screenplay: Screenplay, plan: Plan, scene: SceneOnStage, emit: Emit
    ) -> None:
        store = Store(plan.store)
        part = annotate(replace(plan, takes=(plan.takes[order.take or 0],)), store)
        part = with_candidates_counted(part, screenplay, store, order.candidates)
        preflight(part, ffmpeg=order.ffmpeg)
        backend = self._loaded(order.backend)
        make_ready(backend, part)

        def work() -> None:
            guides = make_guides(part, store, scene=scene, emit=emit)
            make_clips(part, store, backend, guides=guides, scene=scene, emit=emit, whole=plan)
            variants = list(candidates_of(part, screenplay, order.candidates))
            if left := to_make(variants, store):
                make_candidates(part, left, store, backend, guides=guides, scene=scene, emit=emit, whole=plan)

        healing(part, store, emit, work)

    def _join(self, order: Order, screenplay: Screenplay, emit: Emit) -> None:
        order.output.parent.mkdir(parents=True, exist_ok=True)
        report = None
        if order.report and self._pages is not None:
            asked = Asked(order.settings, order.slate, order.anonymous, order.candidates)
            report = ReportAsked(report_path(order.output), self._pages(), asked)
        render_film(
            screenplay,
            order.output,
            backend=order.backend,
            emit=emit,
            slate=order.slate,
            anonymous=order.anonymous,
            candidates=order.candidates,
            overwrite=order.overwrite,
            ffmpeg=order.ffmpeg,
            report=report,
        )

    def _film(self, order: Order) -> tuple[Screenplay, Prepared, SceneOnStage]:
        """Planned once for all its tasks."""
        about = (order.screenplay, order.settings, order.backend)
        if self._known is None or self._known[0] != about:
            from ...screenplay import load

            screenplay = load(order.screenplay, settings=order.settings)
            store = Store(store_root(screenplay.path))
            prepared = prepare(screenplay, backend=order.backend, store=store)
            scene = SceneOnStage(prepared.plan.scene, prepared.gaussians, store=store)
            self._known = (about, screenplay, prepared, scene)
        return self._known[1:]

    def _loaded(self, name: str) -> Backend:
        if self._backend is None or self._backend[0] != name:
            self.close()
            self._backend = (name, generate.get(name))
        return self._backend[1]
