"""What must hold before the first frame is rendered: a night must not end at its last step."""

from __future__ import annotations

import shutil
from pathlib import Path

from ..core.clip import Backend
from ..core.errors import fail
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
    use_ffmpeg(ffmpeg)
    if plan.estimate.stale_clips or plan.estimate.stale_guides:
        Store(plan.store).check_writable()
    pixels = plan.size_px[0] * plan.size_px[1]
    guide_frames = sum(shot.frames for shot in plan.shots() if shot.guide_stale_because)
    clip_frames = sum(clip.frames for shot in plan.shots() for clip in shot.clips if clip.stale_because)
    _check_space(
        plan.store, pixels * (guide_frames * GUIDE_BYTES + clip_frames * CLIP_BYTES), "ANIX_CACHE_DIR"
    )
    if output is not None:
        check_means(plan, output)
        _check_space(output.absolute().parent, room_needed(plan), "-o")


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


def _check_space(folder: Path, needed: float, where: str) -> None:
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise fail(
            "E461",
            f"this film needs about {needed / 1e9:.2f} GB in {folder}, and {free / 1e9:.2f} GB are free",
            hint=f"free some space, or choose a larger disk with {where}",
        )
