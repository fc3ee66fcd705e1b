"""The animatic itself as a motion reference, for models that read movement off a video."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anix_cli.core.clip import ClipRequest, Frames


def animatic(request: ClipRequest, kept: int) -> Frames:
    """[kept + F, H, W, 3] uint8 sRGB: the draft of the tail's last frames and of the new ones.

    Raises:
        AnixError: as the backend ``animatic``, about characters that can't be drawn.
    """
    from ..animatic import AnimaticBackend

    drawing = AnimaticBackend()
    try:
        return np.asarray(drawing.generate(_whole(request, kept), lambda done, total: None))
    finally:
        drawing.close()


def _whole(request: ClipRequest, kept: int) -> ClipRequest:
    """A request for those frames as new ones."""
    skipped = len(request.tail) - kept
    return replace(
        request,
        frames=kept + request.frames,
        tail=request.tail[:0],
        guide=request.guide[skipped:],
        depth=request.depth[skipped:],
        anchor=request.anchor[skipped:],
        blocking=tuple(one.frames(skipped, len(one.root)) for one in request.blocking),
        world_from_camera=request.world_from_camera[skipped:],
        intrinsics=request.intrinsics[skipped:],
        exposures=None if request.exposures is None else request.exposures[skipped:],
        start=request.start + skipped,
        options={},
    )
