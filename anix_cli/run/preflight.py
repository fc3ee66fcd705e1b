"""What must hold before the first frame is rendered: a night must not end at its last step."""

from __future__ import annotations

import shutil
from pathlib import Path

from ..core.errors import fail
from ..core.plan import Plan
from ..media.ffmpeg import use_ffmpeg
from ..store.store import Store

BYTES_PER_PIXEL = 4.5
"""Of a guide frame plus a clip frame, all files together; FFV1 needed 2.5 to 4 on the sample film."""


def preflight(plan: Plan, *, ffmpeg: Path | None = None) -> None:
    """Checks ffmpeg (``ffmpeg``, or the one that is found), the store, and the disk space for what is stale.

    Raises:
        AnixError: E401, ffmpeg; E411, E413, the store; E461, too little disk.
    """
    use_ffmpeg(ffmpeg)
    if plan.estimate.stale_clips or plan.estimate.stale_guides:
        Store(plan.store).check_writable()
    width, height = plan.size_px
    stale_guides = sum(shot.frames for shot in plan.shots() if shot.guide_stale_because)
    frames = (stale_guides + plan.estimate.generated_frames) / 2
    needed = int(frames * width * height * BYTES_PER_PIXEL)
    free = shutil.disk_usage(_existing(plan.store)).free
    if needed > free:
        raise fail(
            "E461",
            f"this film needs about {_gb(needed)} in {plan.store}, and {_gb(free)} are free",
            hint="free some space, or set ANIX_CACHE_DIR to a larger disk",
        )


def _existing(path: Path) -> Path:
    while not path.exists():
        path = path.parent
    return path


def _gb(count: int) -> str:
    return f"{count / 1e9:.1f} GB"
