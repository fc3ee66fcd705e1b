"""The depth of scene and subject together, as depth annotators show it: near is white.

VACE's (``vace/annotators/depth.py``, MiDaS) gives inverse depth, brought in each frame from its smallest to
its largest value to 0 … 255. Here it is known: the guide's depth, and the posed body's where that is nearer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.clip import ClipRequest, Frames
from anix_cli.core.plan import Subject

from ..performing import Troupe

F32 = NDArray[np.float32]

_SOLID = 0.5
"""Alpha from which a body counts as a surface."""
_NEAREST = 0.998
"""Share of a frame's pixels that are further than white: specks before the lens do not count."""


def depths(request: ClipRequest, subject: Subject, troupe: Troupe) -> Frames:
    """[N, H, W, 3] uint8, grey.

    Raises:
        AnixError: as :meth:`anix_cli.generate.performing.Troupe.body`.
    """
    body = troupe.body(request, subject.character)
    frames = np.empty((*request.depth.shape, 3), dtype=np.uint8)
    for at, scene in enumerate(request.depth):
        depth = scene
        if subject.visible[at]:
            now = troupe.moment(request, subject, at)
            depth = np.minimum(scene, _body_depth(body.at(now), request, at))
        frames[at] = as_picture(depth)[..., None]
    return frames


def _body_depth(body: object, request: ClipRequest, at: int) -> F32:
    """[H, W] metres, +inf where the body is not."""
    from anix_cli.splat import render

    drawn = render(
        body,  # type: ignore[arg-type]
        request.world_from_camera[at],
        request.intrinsics[at],
        request.size_px,
        near=request.near_m,
        background=(0.0, 0.0, 0.0),
    )
    return np.where(drawn.alpha >= _SOLID, drawn.depth, np.float32(np.inf))


def as_picture(depth: F32) -> NDArray[np.uint8]:
    """[H, W] uint8 of a depth in metres, +inf where there is nothing: 255 is nearest, 0 furthest."""
    inverse = 1.0 / np.maximum(depth.astype(np.float64), 1e-6)
    low, high = float(inverse.min()), float(np.quantile(inverse, _NEAREST))
    if high - low < 1e-9:
        return np.zeros(depth.shape, np.uint8)
    share = np.clip((inverse - low) / (high - low), 0, 1)
    return np.asarray((share * 255).astype(np.uint8))
