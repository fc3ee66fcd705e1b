"""Renders the guides that the store lacks; a long shot's in segments, each kept when it is done."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core.events import Emit, FramesDone, GuideFinished, StageFinished, StageStarted
from ..core.keys import fingerprint
from ..core.plan import Plan, PlannedShot
from ..guide.render import depth_scale, finish_guide
from ..guide.segment import join_segments, read_segment, spans_of, write_segment
from ..splat.choose import Part, Rasteriser, rasteriser
from ..store.store import Entry, Store, verify
from .layout import find_guide
from .rates import GUIDE, learn
from .scenes import SceneOnStage

PARTS = "guide-parts"
"""Kind of the store's entries that hold segments of guides which are not whole yet."""


def make_guides(plan: Plan, store: Store, *, scene: SceneOnStage, emit: Emit) -> Mapping[str, Path]:
    """Shot id → folder of its guide, in the order of the film.

    Raises:
        AnixError: E551, a shot sees nothing; E404, the device cannot be used; E4xx, encoder, disk or store.
    """
    wanting = [shot for shot in plan.shots() if find_guide(store, shot) is None]
    started = time.monotonic()
    emit(StageStarted("guide", sum(shot.frames for shot in wanting)))
    for shot in wanting:
        if find_guide(store, shot) is None:  # an equal shot, or another run, may have made it meanwhile
            _Guide(plan, shot, scene.drawn(), store, rasteriser(), emit).make()
        else:
            emit(FramesDone("guide", shot.id, shot.frames))
    emit(StageFinished("guide", time.monotonic() - started))
    return guide_folders(plan, store)


def guide_folders(plan: Plan, store: Store) -> dict[str, Path]:
    """Folders of the guides that the store holds, by shot id."""
    found = {shot.id: find_guide(store, shot) for shot in plan.shots()}
    return {shot_id: entry.path for shot_id, entry in found.items() if entry is not None}


class _Guide:
    """One shot's guide in the making."""

    def __init__(
        self, plan: Plan, shot: PlannedShot, scene: Part, store: Store, drawer: Rasteriser, emit: Emit
    ) -> None:
        self._plan, self._shot, self._store, self._emit = plan, shot, store, emit
        self._scale_m = depth_scale(shot, scene)
        self._scene, self._drawer = scene, drawer

    def make(self) -> None:
        started = time.monotonic()
        shot, plan = self._shot, self._plan
        spans = spans_of(shot.frames)
        parts = [self._part(span) for span in spans] if len(spans) > 1 else []
        with self._store.writing("guides", shot.guide_key) as partial:
            if parts:
                segments = [read_segment(part.path) for part in parts]
                whole = join_segments(segments, plan.fps, partial.path)
            else:
                whole = write_segment(**self._asked(spans[0], partial.path))
            partial.commit({
                "guide": finish_guide(
                    shot, whole, size_px=plan.size_px, fps=plan.fps, scale_m=self._scale_m
                )
            })  # fmt: skip
        for part in parts:
            self._store.discard(part)
        seconds = time.monotonic() - started
        learn(self._store, GUIDE, seconds, shot.frames, plan.size_px)
        self._emit(GuideFinished(shot.id, shot.guide_key, seconds))

    def _part(self, span: range) -> Entry:
        """A segment from the store, made first if need be."""
        key = fingerprint([self._shot.guide_key, span.start, span.stop, self._scale_m])
        held = self._store.get(PARTS, key)
        if held is not None and not verify(held, deep=True):
            self._emit(FramesDone("guide", self._shot.id, len(span)))
            return held
        if held is not None:
            self._store.discard(held)
        with self._store.writing(PARTS, key) as partial:
            write_segment(**self._asked(span, partial.path))
            return partial.commit({"shot": self._shot.id, "start": span.start, "frames": len(span)})

    def _asked(self, span: range, into: Path) -> dict[str, Any]:
        plan, shot = self._plan, self._shot
        return {
            "shot": shot,
            "scene": self._scene,
            "placement": plan.scene,
            "frames": span,
            "size_px": plan.size_px,
            "fps": plan.fps,
            "scale_m": self._scale_m,
            "rasteriser": self._drawer,
            "into": into,
            "advance": lambda count: self._emit(FramesDone("guide", shot.id, count)),
        }
