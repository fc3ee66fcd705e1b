"""The first frame that an edit changes, drawn by itself, long before its clip is whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.clip import Backend, Cast, Frames
from ...core.guide import Guide
from ...core.plan import Plan, PlannedShot, Take
from ...guide.depth import decode
from ...guide.frames import guide_frames
from ...guide.render import depth_scale
from ...splat.choose import rasteriser
from ..requests import frame_request
from ..scenes import SceneOnStage


@dataclass(frozen=True)
class FirstFrame:
    """Where it lies, counted in its shot, and the picture [H, W, 3]."""

    shot: PlannedShot
    frame: int
    picture: Frames


def first_new_frame(
    plan: Plan, scene: SceneOnStage, cast: dict[str, Cast], backend: Backend
) -> FirstFrame | None:
    """The first frame of the first clip that has to be made; None where all is there.

    Args:
        plan: annotated.
        backend: one whose frames depend on their own cameras and bodies alone, as the animatic's do.
    """
    for take in plan.takes:
        for shot in take.shots:
            for clip in shot.clips:
                if clip.stale_because:
                    picture = draw_frame(plan, take, shot, clip.start, scene, cast, backend)
                    return FirstFrame(shot, clip.start, picture)
    return None


def draw_frame(
    plan: Plan,
    take: Take,
    shot: PlannedShot,
    frame: int,
    scene: SceneOnStage,
    cast: dict[str, Cast],
    backend: Backend,
) -> Frames:
    """A frame of a shot as the backend draws it: [H, W, 3] uint8 sRGB."""
    drawn = scene.drawn()
    scale_m = depth_scale(shot, drawn)
    made = guide_frames(
        shot, drawn, plan.scene, range(frame, frame + 1),
        size_px=plan.size_px, scale_m=scale_m, rasteriser=rasteriser(),
    )  # fmt: skip
    (found,) = made
    guide = Guide(found.rgb[None], decode(found.depth[None], scale_m), found.mask[None] > 127)
    request = frame_request(plan, take, shot, frame, guide=guide, cast=cast, scene=scene)
    frames: Frames = backend.generate(request, lambda done, total: None)
    return np.asarray(frames[0], dtype=np.uint8)
