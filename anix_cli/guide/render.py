"""Renders a shot's guide: splats along the camera, into lossless files.

A guide is a folder ``rgb.mkv, depth.mkv, mask.mkv, checks.npy, guide.json`` (schema ``guide-v1``). Frames are
streamed, so that memory does not grow with the length of a shot.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import fail
from ..core.plan import PlannedShot, ScenePlacement
from ..splat.choose import Part, Rasteriser
from ..splat.sample import sample_means
from . import checks
from . import depth as depth_codec
from .segment import FILES, Segment, write_segment

BLANK_ALPHA = 0.01
"""A guide whose mean alpha is below this shows nothing: found before any GPU hour is spent."""


def render_guide(
    shot: PlannedShot,
    scene: Part,
    placement: ScenePlacement,
    *,
    size_px: tuple[int, int],
    fps: Fraction,
    into: Path,
    advance: Callable[[int], None],
    rasteriser: Rasteriser | None = None,
) -> dict[str, Any]:
    """Writes the guide of one shot into an existing folder, in one piece.

    Args:
        scene: on the stage: Gaussians, or what the rasteriser made of them.
        advance: called with the number of frames done since the last call.
        rasteriser: None for the one that was chosen for this process.

    Returns:
        The content of ``guide.json``.

    Raises:
        AnixError: E551, the camera sees nothing; E4xx, the encoder or the disk failed.
    """
    from ..splat.choose import rasteriser as chosen

    scale_m = depth_scale(shot, scene)
    segment = write_segment(
        shot, scene, placement, range(shot.frames), size_px=size_px, fps=fps, scale_m=scale_m,
        rasteriser=rasteriser or chosen(), into=into, advance=advance,
    )  # fmt: skip
    return finish_guide(shot, segment, size_px=size_px, fps=fps, scale_m=scale_m)


def finish_guide(
    shot: PlannedShot, whole: Segment, *, size_px: tuple[int, int], fps: Fraction, scale_m: float
) -> dict[str, Any]:
    """Writes ``guide.json`` beside the videos of all frames of a shot, and returns its content.

    Raises:
        AnixError: E551, the camera sees nothing.
    """
    mean_alpha = whole.alpha_sum / shot.frames
    if mean_alpha < BLANK_ALPHA:
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
        "files": {**FILES, "checks": checks.FILE},
        "depth": {"scale_m": scale_m, "no_surface": 0},
        "mean_alpha": round(mean_alpha, 6),
    }
    (whole.folder / "segment.json").unlink(missing_ok=True)
    (whole.folder / "guide.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return record


def depth_scale(shot: PlannedShot, scene: Part) -> float:
    """Metres per level of depth: nearly all of the scene is within reach from any camera of the shot."""
    eyes = shot.world_from_camera[:, :3, 3]
    middle = eyes.mean(axis=0)
    reach = np.linalg.norm(eyes - middle, axis=1).max()
    distances = np.linalg.norm(sample_means(scene) - middle.astype(np.float32), axis=1)
    far_m = float(np.percentile(distances, 99.9) + reach) * 1.05 if len(distances) else float(reach) + 1
    return depth_codec.scale_for(far_m)
