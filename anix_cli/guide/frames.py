"""The frames of a guide, one after the other, made on all cores."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.colour import unit_rgb
from ..core.plan import PlannedShot, ScenePlacement
from ..splat.choose import Part, Rasteriser, Views
from ..splat.exposure import expose
from ..splat.render import Rendered
from . import depth as depth_codec
from .checks import check_of
from .mask import anchor_mask

SURFACE_ALPHA = 0.5
"""Below this the guide's depth says that there is no surface: scans carry faint haze before empty space."""


@dataclass(frozen=True)
class GuideFrame:
    """A frame as it is written.

    Attributes:
        rgb: [H, W, 3] uint8 sRGB.
        depth: [H, W] uint16 levels.
        mask: [H, W] uint8 of 0 and 255, where the subject may appear.
        checks: of the three, in that order.
        alpha: mean of the picture's.
    """

    rgb: NDArray[np.uint8]
    depth: NDArray[np.uint16]
    mask: NDArray[np.uint8]
    checks: tuple[int, int, int]
    alpha: float


def guide_frames(
    shot: PlannedShot,
    scene: Part,
    placement: ScenePlacement,
    frames: range,
    *,
    size_px: tuple[int, int],
    scale_m: float,
    rasteriser: Rasteriser,
) -> Generator[GuideFrame, None, None]:
    """Frames of a shot's guide, in order; a bounded number of them is under way.

    Args:
        scene: on the stage, as the rasteriser takes it.
        scale_m: metres per level of depth.
    """
    parts = [[scene]]

    def views(frame: int) -> Views:
        lens = expose(shot.world_from_camera, shot.intrinsics, frame, shot.optics, size_px)
        return Views(lens, parts)

    def finish(frame: int, picture: Rendered | None) -> GuideFrame:
        assert picture is not None  # noqa: S101  (there are views for every frame)
        boxes = [subject.box_px[frame] for subject in shot.subjects if subject.visible[frame]]
        return _finished(picture, anchor_mask(boxes, size_px), scale_m)

    return rasteriser.frames(
        frames, views, finish, size_px, near=placement.near_m, background=unit_rgb(placement.background_rgb)
    )


def _finished(picture: Rendered, mask: NDArray[np.bool_], scale_m: float) -> GuideFrame:
    rgb = (picture.rgb * np.float32(255) + np.float32(0.5)).astype(np.uint8)
    surface = np.where(picture.alpha >= SURFACE_ALPHA, picture.depth, np.float32(np.inf))
    levels = depth_codec.encode(surface, scale_m)
    shown = mask.astype(np.uint8) * np.uint8(255)
    checks = (check_of(rgb), check_of(levels), check_of(shown))
    return GuideFrame(rgb, levels, shown, checks, float(picture.alpha.mean()))
