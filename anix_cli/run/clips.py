"""Generates the clips that the store lacks: take by take, each clip continuing the one before."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..core.clip import Backend, Cast, ClipRequest, Frames, Progress
from ..core.errors import fail
from ..core.events import ClipFinished, Emit, FramesDone, Noted, StageFinished, StageStarted, TakeStarted
from ..core.keys import array_digest
from ..core.plan import Plan, PlannedClip, PlannedShot, Recalled, Take
from ..media.video import VideoWriter, read_frames
from ..plan.clips import backend_digest
from ..store.store import Entry, Store
from .attempts import attempt, forget_scratch, scratch_folder
from .cast import read_cast
from .layout import FIRST, Found, clip_key, find_clip, look_up, tail_before
from .memory import remember
from .rates import clip_work, learn
from .requests import clip_request
from .scenes import SceneOnStage

MASTER, DELIVERY = "frames.mkv", "delivery.mp4"


@dataclass(frozen=True)
class MadeClip:
    """A clip of the plan and its entry in the store."""

    shot: PlannedShot
    clip: PlannedClip
    entry: Entry


def make_clips(
    plan: Plan,
    store: Store,
    backend: Backend,
    *,
    guides: Mapping[str, Path],
    scene: SceneOnStage,
    emit: Emit,
    whole: Plan | None = None,
) -> list[MadeClip]:
    """All clips of the film, in order; those that the store holds are not made again.

    Raises:
        AnixError: E453, another backend than was planned for; E552, a shot has no guide; E553, E555, E556,
            the backend gave something else than was asked, failed, or gave no picture.
    """
    _check_backend(plan, backend)
    started = time.monotonic()
    stale = [clip for shot in plan.shots() for clip in shot.clips if clip.stale_because]
    emit(StageStarted("generate", sum(clip.frames for clip in stale)))
    made: list[MadeClip] = []
    workshop = Workshop(plan, store, backend, guides, scene, emit, whole=whole)
    for number, take in enumerate(plan.takes):
        if len(plan.takes) > 1:  # a worker of a batch is given a plan of one, and knows which it is
            emit(TakeStarted(number, len(plan.takes)))
        made.extend(workshop.make_take(take))
    if (trouble := store.trouble()) is not None:
        emit(Noted(trouble))
    emit(StageFinished("generate", time.monotonic() - started))
    return made


def _check_backend(plan: Plan, backend: Backend) -> None:
    """A plan's keys promise the pixels of the backend that it was made for."""
    now = backend_digest(plan.backend, backend.capabilities)
    if any(clip.parts.get("backend") != now for shot in plan.shots() for clip in shot.clips):
        raise fail(
            "E453",
            f"the backend {plan.backend} is not the one that the plan was made for",
            hint="run `anix plan` again",
        )


def find_clips(plan: Plan, store: Store) -> list[Found]:
    """Every clip of the film in order, with its entry where the store holds it."""
    return [found for take in plan.takes for found in look_up(take, store)]


@dataclass
class Workshop:
    """What the clips of one run share. The cast's pictures are read when the first clip needs them.

    Args:
        candidate: which variant of its last shot a take shows, where that is not the film's own.
        whole: the plan of the whole film, where ``plan`` is of a part of it.
    """

    plan: Plan
    store: Store
    backend: Backend
    guides: Mapping[str, Path]
    scene: SceneOnStage
    emit: Emit
    stage: str = "generate"
    candidate: int | None = None
    whole: Plan | None = None
    cast: Mapping[str, Cast] | None = None
    reported: dict[tuple[str, int], int] = field(default_factory=dict)

    def make_take(self, take: Take) -> list[MadeClip]:
        before: Entry | None = None
        made: list[MadeClip] = []
        try:
            for shot in take.shots:
                for clip in shot.clips:
                    tail_in = tail_before(clip, before) or FIRST
                    entry = find_clip(self.store, clip, tail_in)
                    before = entry or self._make(take, shot, clip, before, tail_in)
                    made.append(MadeClip(shot, clip, before))
        finally:
            if self.candidate is None:
                remember(self.store, self.plan, [one.clip for one in made])
        return made

    def _make(
        self, take: Take, shot: PlannedShot, clip: PlannedClip, before: Entry | None, tail_in: str
    ) -> Entry:
        started = time.monotonic()
        key = clip_key(clip, tail_in)
        request = replace(self._request(take, shot, clip, before), scratch=scratch_folder(self.store, key))
        made = attempt(
            self.backend,
            request,
            lambda: self._progress(shot, clip),
            name=self.plan.backend,
            clip=f"shot {clip.shot_id}, clip {clip.index}",
            emit=self.emit,
        )
        frames = made.frames[: clip.frames]
        record = self._record(clip, frames, tail_in, time.monotonic() - started)
        entry = self._keep(key, frames, {**record, "notes": made.notes} if made.notes else record)
        forget_scratch(self.store, key)
        seconds = time.monotonic() - started
        learn(self.store, clip_work(self.plan.backend), seconds, clip.frames, self.plan.size_px)
        self.emit(ClipFinished(shot.id, clip.index, key, clip.frames, seconds, self.candidate))
        return entry

    def _progress(self, shot: PlannedShot, clip: PlannedClip) -> Progress:
        """Tells of steps, and of frames as these are done; a second try counts only frames that the first did
        not reach."""

        def progress(done: int, total: int) -> None:
            now = min(clip.frames, round(clip.frames * done / max(total, 1)))
            told = self.reported.get((shot.id, clip.index), 0)
            self.reported[shot.id, clip.index] = max(now, told)
            self.emit(FramesDone(self.stage, shot.id, max(now - told, 0), clip.index, done, total))

        return progress

    def _request(self, take: Take, shot: PlannedShot, clip: PlannedClip, before: Entry | None) -> ClipRequest:
        missing = [s.id for s in take.shots if s.id not in self.guides]
        if missing:
            raise fail(
                "E552",
                f"shot {missing[0]} has no guide yet",
                hint="run `anix guide` on this plan first, or `anix render` for everything",
            )
        if self.cast is None:
            self.cast = read_cast(self.plan)
        width, height = self.plan.size_px
        tail: Frames = np.empty((0, height, width, 3), dtype=np.uint8)
        if before is not None and clip.tail:
            kept = int(before.record["frames"])
            tail = read_frames(before.file(MASTER), kept - clip.tail, clip.tail, kind="master")
        request = clip_request(
            self.plan, take, shot, clip, guides=self.guides, cast=self.cast, tail=tail, scene=self.scene
        )
        return replace(request, memory=tuple(self._recalled(part) for part in clip.memory))

    def _recalled(self, part: Recalled) -> Frames:
        """A part of an earlier clip, which may be of another take."""
        for take in (self.whole or self.plan).takes:
            if any(shot.id == part.shot_id for shot in take.shots):
                for found in look_up(take, self.store):
                    if (found.shot.id, found.clip.index) == (part.shot_id, part.index) and found.entry:
                        return read_frames(found.entry.file(MASTER), part.start, part.frames, kind="master")
        raise fail(
            "E554",
            f"shot {part.shot_id}, which a later one is to remember, is not made yet",
            hint="make the whole film, or set memory to 0",
        )

    def _record(self, clip: PlannedClip, frames: Frames, tail_in: str, seconds: float) -> dict[str, Any]:
        """What ``clip.json`` says (schema ``clip-v1``)."""
        plan = self.plan
        return {
            "clip": 1,
            "shot": clip.shot_id,
            "index": clip.index,
            "recipe_key": clip.recipe_key,
            "tail_in": tail_in,
            "tail_out": array_digest(frames[-max(1, self.backend.capabilities.tail) :]),
            "frames": clip.frames,
            "size": list(plan.size_px),
            "fps": f"{plan.fps.numerator}/{plan.fps.denominator}",
            "seed": clip.seed,
            "backend": plan.backend,
            "prompt": clip.prompt,
            "seconds": round(seconds, 3),
            "files": {"master": MASTER, "delivery": DELIVERY},
        }

    def _keep(self, key: str, frames: Frames, record: dict[str, Any]) -> Entry:
        plan = self.plan
        with self.store.writing("clips", key) as partial:
            with (
                VideoWriter(partial.path / MASTER, plan.size_px, plan.fps, "master") as master,
                VideoWriter(partial.path / DELIVERY, plan.size_px, plan.fps, "delivery") as delivery,
            ):
                master.write(frames)
                delivery.write(frames)
            text = json.dumps(record, indent=2, ensure_ascii=False) + "\n"
            (partial.path / "clip.json").write_text(text, encoding="utf-8")
            return partial.commit(record)
