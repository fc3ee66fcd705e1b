"""What must hold before the first frame is rendered: a night must not end at its last step."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from .. import generate
from ..core.clip import Backend
from ..core.errors import AnixError, Diagnostic, together
from ..core.plan import Plan
from ..film.publish import check_means, room_needed
from ..media.ffmpeg import use_ffmpeg
from ..store.store import Store

GUIDE_BYTES, CLIP_BYTES = 3.0, 1.5
"""Bytes a pixel and frame to have free for guide and clip. The sample scene took 2.0 and 0.74; noisy
scans take more."""


def preflight(plan: Plan, *, ffmpeg: Path | None = None, output: Path | None = None) -> None:
    """Checks ffmpeg (``ffmpeg``, or the one that is found), the store, and the disk space for what is stale;
    and, where there is an ``output``, that the film can be encoded and has its sounds.

    Raises:
        AnixError: E401, E403, ffmpeg; E381, E382, E454, a sound; E411, E413, the store; E461, too little
            disk.
    """
    problems = together(lambda: check_tools(plan, ffmpeg=ffmpeg, output=output))
    for room in rooms(plan, output):
        problems += _lacking(room, "this film needs")
    if problems:
        raise AnixError(problems)


def check_tools(plan: Plan, *, ffmpeg: Path | None = None, output: Path | None = None) -> None:
    """All of :func:`preflight` but the disk space. Raises as it does, all that it finds at once."""
    checks: list[Callable[[], object]] = [lambda: use_ffmpeg(ffmpeg)]
    if plan.estimate.stale_clips or plan.estimate.stale_guides:
        checks.append(Store(plan.store).check_writable)
    if output is not None:
        checks.append(lambda: check_means(plan, output))
    problems = together(*checks)
    if problems:
        raise AnixError(problems)


@dataclass(frozen=True)
class Room:
    """Bytes that a film needs in a folder, which may be still to be made, and what chooses another one."""

    folder: Path
    bytes: float
    chosen_by: str


def rooms(plan: Plan, output: Path | None = None) -> list[Room]:
    """What a film needs on disk: for guides, clips and candidates that are to be made, and for its file at
    ``output``."""
    pixels = plan.size_px[0] * plan.size_px[1]
    guide_frames = sum(shot.frames for shot in plan.shots() if shot.guide_stale_because)
    clip_frames = sum(clip.frames for shot in plan.shots() for clip in shot.clips if clip.stale_because)
    clip_frames += plan.estimate.candidate_frames
    stale = pixels * (guide_frames * GUIDE_BYTES + clip_frames * CLIP_BYTES)
    needed = [Room(plan.store, stale, "ANIX_CACHE_DIR")]
    if output is not None:
        needed.append(Room(output.absolute().parent, room_needed(plan), "-o"))
    return needed


def make_ready(backend: Backend, plan: Plan) -> None:
    """Lets a backend that has a method ``prepare`` look for what it needs (GPU, weights), before the first
    guide is rendered. It is given the options of each clip that is to be made.

    Raises:
        AnixError: as the backend says.
    """
    prepare = getattr(backend, "prepare", None)
    wanted = [clip.options for shot in plan.shots() for clip in shot.clips if clip.stale_because]
    if prepare is not None and wanted:
        prepare(wanted)


def check_backend(plan: Plan) -> None:
    """Whether the backend can make what is to be made: :func:`make_ready` on one that is let go again.

    Raises:
        AnixError: E501, E502; as the backend says.
    """
    if not plan.estimate.stale_clips:
        return
    backend = generate.get(plan.backend)
    try:
        make_ready(backend, plan)
    finally:
        backend.close()


def check_spaces(needed: Iterable[Room]) -> list[Diagnostic]:
    """E461 for each disk that has too little room for all that several films need there together."""
    disks: dict[int, list[Room]] = {}
    for room in needed:
        disks.setdefault(existing(room.folder).stat().st_dev, []).append(room)
    found = []
    for rooms_there in disks.values():
        most = max(rooms_there, key=lambda room: room.bytes)
        found += _lacking(replace(most, bytes=sum(room.bytes for room in rooms_there)), "these films need")
    return found


def existing(folder: Path) -> Path:
    """The folder, or the nearest above it that there is."""
    while not folder.exists():
        folder = folder.parent
    return folder


def _lacking(room: Room, needs: str) -> list[Diagnostic]:
    folder = existing(room.folder)
    free = shutil.disk_usage(folder).free
    if room.bytes <= free:
        return []
    message = f"{needs} about {_size(room.bytes)} in {folder}, and {_size(free)} are free"
    hint = f"free some space, or choose a larger disk with {room.chosen_by}"
    return [Diagnostic("E461", message, hint=hint)]


def _size(count: float) -> str:
    """Bytes for people."""
    unit, name = next(((u, n) for u, n in ((1e9, "GB"), (1e6, "MB")) if count >= u), (1e3, "kB"))
    return f"{count / unit:.1f} {name}"
