"""Renders a shot's guide: splats along the camera, into lossless files.

A guide is a folder ``rgb.mkv, depth.mkv, mask.mkv, guide.json`` (schema ``guide-v1``). Frames are streamed,
so that memory does not grow with the length of a shot.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from ..core.colour import unit_rgb
from ..core.errors import fail
from ..core.gaussians import Gaussians
from ..core.plan import PlannedShot, ScenePlacement
from ..media.video import VideoWriter
from . import depth as depth_codec
from .mask import anchor_mask

SURFACE_ALPHA = 0.5
"""Below this the guide's depth says that there is no surface: scans carry faint haze before empty space."""

BLANK_ALPHA = 0.01
"""A guide whose mean alpha is below this shows nothing: found before any GPU hour is spent."""


def render_guide(
    shot: PlannedShot,
    gaussians: Gaussians,
    placement: ScenePlacement,
    *,
    size_px: tuple[int, int],
    fps: Fraction,
    into: Path,
    advance: Callable[[int], None],
) -> dict[str, Any]:
    """Writes the guide of one shot into an existing folder.

    Args:
        gaussians: the scene on the stage.
        advance: called with the number of frames done since the last call.

    Returns:
        The content of ``guide.json``.

    Raises:
        AnixError: E551, the camera sees nothing; E4xx, the encoder or the disk failed.
    """
    from ..splat import render

    scale_m = depth_codec.scale_for(_far_m(shot, gaussians))
    alpha_sum = 0.0
    background = unit_rgb(placement.background_rgb)
    with ExitStack() as files:
        rgb = files.enter_context(VideoWriter(into / "rgb.mkv", size_px, fps, "master"))
        depth = files.enter_context(VideoWriter(into / "depth.mkv", size_px, fps, "depth"))
        mask = files.enter_context(VideoWriter(into / "mask.mkv", size_px, fps, "mask"))
        for frame in range(shot.frames):
            picture = render(
                gaussians,
                shot.world_from_camera[frame],
                shot.intrinsics[frame],
                size_px,
                near=placement.near_m,
                background=background,
            )
            alpha_sum += float(picture.alpha.mean())
            boxes = [subject.box_px[frame] for subject in shot.subjects if subject.visible[frame]]
            rgb.write((np.clip(picture.rgb, 0, 1) * 255 + 0.5).astype(np.uint8)[None])
            surface = np.where(picture.alpha >= SURFACE_ALPHA, picture.depth, np.float32(np.inf))
            depth.write(depth_codec.encode(surface, scale_m)[None])
            mask.write(anchor_mask(boxes, size_px)[None])
            advance(1)
    if alpha_sum / shot.frames < BLANK_ALPHA:
        raise fail(
            "E551",
            f"shot {shot.id}: the camera sees nothing of the scene",
            hint="check scene.up, scene.scale and the shot's anchor: the camera stands outside the scene",
        )
    record = {
        "guide": 1,
        "key": shot.guide_key,
        "shot": shot.id,
        "size": list(size_px),
        "fps": f"{fps.numerator}/{fps.denominator}",
        "frames": shot.frames,
        "files": {"rgb": "rgb.mkv", "depth": "depth.mkv", "mask": "mask.mkv"},
        "depth": {"scale_m": scale_m, "no_surface": 0},
        "mean_alpha": round(alpha_sum / shot.frames, 6),
    }
    (into / "guide.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return record


def _far_m(shot: PlannedShot, gaussians: Gaussians) -> float:
    """A distance that nearly everything lies within, from any camera of the shot, metres."""
    eyes = shot.world_from_camera[:, :3, 3]
    middle = eyes.mean(axis=0)
    reach = np.linalg.norm(eyes - middle, axis=1).max()
    distances = np.linalg.norm(gaussians.means - middle.astype(np.float32), axis=1)
    return float(np.percentile(distances, 99.9) + reach) * 1.05
