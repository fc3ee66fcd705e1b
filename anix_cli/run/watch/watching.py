"""The loop: look, plan, draw the first new frame, make the film, look again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ... import generate
from ...core.clip import Backend
from ...core.errors import AnixError, Diagnostic
from ...core.events import Emit, Event, FilmFinished, Noted, StageStarted
from ...core.filmreport import Page
from ...core.keys import fingerprint
from ...core.screenplay import Screenplay
from ...media.stills import webp
from ...screenplay import load
from ...store.store import Store
from ..cast import read_cast
from ..filmreport import Asked
from ..layout import store_root
from ..prepare import Prepared, prepare
from ..render import ReportAsked, render_film
from ..scenes import SceneOnStage
from .board import Board
from .changes import Snapshot, files_of, look_at
from .firstframe import first_new_frame

BACKEND = "animatic"
DRAFT_PX = 416
POLL_S, SETTLED_S = 0.08, 0.04
"""How often files are looked at, and how long one must stay as it is: editors write in steps."""


class SupersededError(BaseException):
    """The screenplay was saved again: what is being made is of yesterday. Clips that are whole are kept."""


@dataclass
class Watcher:
    """One screenplay that is watched.

    Attributes:
        settings: values in place of the file's, as ``--set`` gives them; they win over the draft's.
        emit: what events are given to.
        page: what draws the report.
        words: a problem as it is told.
    """

    film: Path
    board: Board
    emit: Emit
    page: Page
    words: Callable[[Diagnostic], str]
    settings: Sequence[str] = ()
    stopped: threading.Event = field(default_factory=threading.Event)
    _files: frozenset[Path] = frozenset()
    _seen: Snapshot = field(default_factory=dict)
    _drawer: Backend | None = None

    def watch(self) -> None:
        """Until :attr:`stopped` is set, or a signal ends it."""
        self._files = frozenset({self.film.absolute()})
        try:
            while not self.stopped.is_set():
                self._seen = self._settled()
                try:
                    self._make()
                except SupersededError:
                    continue
                while not self.stopped.wait(POLL_S) and not self._changed():
                    pass
        finally:
            if self._drawer is not None:
                self._drawer.close()

    def _make(self) -> None:
        problems: list[str] = []
        self.board.tell(phase="planning", message="", problems=())
        try:
            screenplay, settings = self._load()
            self._files |= files_of(screenplay)
            self._seen = {**look_at(self._files), **self._seen}
            self.board.tell(title=screenplay.title)
            store = Store(store_root(screenplay.path))
            prepared = prepare(screenplay, backend=BACKEND, store=store)
            self._draw(prepared, store)
            self._render(screenplay, settings, store, problems)
        except AnixError as error:
            for problem in error.diagnostics:
                problems.append(self.words(problem))
                self.emit(Noted(problem))
            first = error.diagnostics[0].message
            self.board.tell(phase="stopped by an error", message=first, problems=tuple(problems))

    def _load(self) -> tuple[Screenplay, tuple[str, ...]]:
        """The screenplay in draft size, and the settings that made it so."""
        written = load(self.film, settings=self.settings)
        width, height = draft_size(written.film.size_px)
        codec = ("film.codec=h264", "film.quality=good", "film.also=[]")
        settings = (f"film.size={width}x{height}", *codec, *self.settings)
        return load(self.film, settings=settings), settings

    def _draw(self, prepared: Prepared, store: Store) -> None:
        plan = prepared.plan
        self.board.tell(phase="drawing")
        if self._drawer is None:
            self._drawer = generate.get(BACKEND)
        scene = SceneOnStage(plan.scene, prepared.gaussians, store=store)
        first = first_new_frame(plan, scene, dict(read_cast(plan)), self._drawer)
        self._check()
        if first is not None:
            address = self.board.put_bytes("frame", ".webp", "image/webp", webp(first.picture))
            self.board.tell(frame=address, shot=first.shot.id)

    def _render(
        self, screenplay: Screenplay, settings: tuple[str, ...], store: Store, problems: list[str]
    ) -> None:
        folder = store.root / "watch" / fingerprint(str(screenplay.path))[:16]
        film, report = folder / "film.mp4", folder / "film.html"
        self.board.tell(phase="making")

        def told(event: Event) -> None:
            self._check()
            self.emit(event)
            if isinstance(event, Noted):
                problems.append(self.words(event.diagnostic))
                self.board.tell(problems=tuple(problems))
            elif isinstance(event, StageStarted):
                self.board.tell(message=event.stage)
            elif isinstance(event, FilmFinished):
                self.board.tell(film=self.board.put_file("film", film, "video/mp4"))

        render_film(
            screenplay,
            film,
            backend=BACKEND,
            emit=told,
            overwrite=True,
            report=ReportAsked(report, self.page, Asked(settings)),
        )
        if report.is_file():
            self.board.tell(report=self.board.put_file("report", report, "text/html; charset=utf-8"))
        self.board.tell(phase="ready", message="")

    def _check(self) -> None:
        """Ends what is being made if the files are no more what it was made of."""
        if self.stopped.is_set() or self._changed():
            raise SupersededError

    def _changed(self) -> bool:
        return look_at(self._files) != self._seen

    def _settled(self) -> Snapshot:
        """The files as soon as they stay as they are."""
        before = look_at(self._files)
        while not self.stopped.is_set():
            time.sleep(SETTLED_S)
            now = look_at(self._files)
            if now == before and now.get(self.film.absolute()) is not None:
                return now
            if now == before and not self._seen:
                return now  # it was never there: loading says so
            before = now
        return before


def draft_size(size_px: tuple[int, int]) -> tuple[int, int]:
    """A picture size for drafts: ``DRAFT_PX`` long at most, of the same form, even, not below 64."""
    width, height = size_px
    scale = min(1.0, DRAFT_PX / width, DRAFT_PX / height)
    return _even(width * scale), _even(height * scale)


def _even(length: float) -> int:
    return max(64, 2 * round(length / 2))
