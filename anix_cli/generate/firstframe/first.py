"""The picture that a clip begins with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anix_cli.core.clip import ClipRequest, Frames


def first_frame(request: ClipRequest) -> Frames:
    """[H, W, 3] uint8 sRGB: the last frame of the clip before; at a take's start the animatic's first.

    Raises:
        AnixError: as the animatic, about characters that can't be drawn.
    """
    if len(request.tail):
        return np.asarray(request.tail[-1])
    from ..animatic import AnimaticBackend

    drawing = AnimaticBackend()
    try:
        return np.asarray(drawing.generate(_opening(request), lambda done, total: None)[0])
    finally:
        drawing.close()


def _opening(request: ClipRequest) -> ClipRequest:
    """A request for the first frame, with one more after it: who moves, and which way, shows in two."""
    count = min(2, request.frames)
    return replace(
        request,
        frames=count,
        guide=request.guide[:count],
        depth=request.depth[:count],
        anchor=request.anchor[:count],
        blocking=tuple(subject.frames(0, count) for subject in request.blocking),
        world_from_camera=request.world_from_camera[:count],
        intrinsics=request.intrinsics[:count],
        exposures=None if request.exposures is None else request.exposures[:count],
        options={},
    )
