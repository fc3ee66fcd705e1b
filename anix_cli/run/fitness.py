"""Is the scene fit for what is planned: a blurry, sparse scene is a smudged lens.

A few frames of each shot are looked at through tiny pictures; each warning is about the worst of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..core.errors import Diagnostic
from ..core.plan import PlannedShot
from ..core.screenplay import Screenplay
from ..scene.view import View, see
from .prepare import Prepared

MIN_COVERED, MAX_COARSENESS, MAX_BEFORE_LENS = 0.5, 0.02, 0.08
"""Share of the picture; of its width; share of the picture. Beyond these a shot is warned about."""
_LENS_M = 0.5
_MANY_SHOTS = 40


def view_remarks(screenplay: Screenplay, made: Prepared) -> Iterator[Diagnostic]:
    """W219, W220 and W221 about shots whose camera sees too little, too coarsely, or past floaters."""
    index = {shot.id: at for at, shot in enumerate(screenplay.shots)}
    shots = list(made.plan.shots())
    for shot in shots:
        views = _views(shot, made, 3 if len(shots) <= _MANY_SHOTS else 1)
        for code, text, hint in _faults(shot.id, views, made.plan.size_px[0]):
            yield screenplay.diagnostic(("shots", index[shot.id], "camera"), code, text, hint=hint)


def _views(shot: PlannedShot, made: Prepared, count: int) -> list[View]:
    """What its first, middle and last frame would show, or only the middle one."""
    scene = made.plan.scene
    frames = {shot.frames // 2} if count == 1 else {0, shot.frames // 2, shot.frames - 1}
    return [
        see(
            made.scene.gaussians,
            shot.world_from_camera[frame],
            shot.intrinsics[frame],
            made.plan.size_px,
            near_m=scene.near_m,
            lens_m=max(_LENS_M, 2 * scene.near_m),
            far_m=scene.extent_m,
        )
        for frame in sorted(frames)
    ]


def _faults(shot: str, views: list[View], width_px: int) -> Iterator[tuple[str, str, str]]:
    covered = min(view.covered for view in views)
    coarseness = max((view.coarseness for view in views if np.isfinite(view.coarseness)), default=0.0)
    before = max(view.before_lens for view in views)
    if covered < MIN_COVERED:
        text = f"The camera of shot “{shot}” sees nothing in {1 - covered:.0%} of its picture"
        hint = "Nobody filmed that part of the scene. Turn the camera to what was captured, or come nearer."
        yield "W219", f"{text}.", hint
    if coarseness > MAX_COARSENESS:
        blob = 4 * coarseness * width_px
        text = f"Shot “{shot}” looks blurred: what it shows is made of blobs about {blob:.0f} pixels wide."
        yield "W220", text, "Keep the camera further away, or use a finer scene."
    if before > MAX_BEFORE_LENS:
        text = f"In shot “{shot}” something right before the lens hides {before:.0%} of the picture."
        yield "W221", text, "Move the camera, or cut off what floats there with scene.crop."
