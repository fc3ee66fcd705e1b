"""What reaches the model: control video and mask, frame by frame, exact in size and number.

Mask 255 is where the model draws: there the control video is grey. Mask 0 keeps: the scene around the
character, and all of the frames that the clip goes on from.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.clip import ClipRequest, Frames
from anix_cli.core.plan import Subject

Bools = NDArray[np.bool_]

GREY = 128
PATCH_PX = 16
"""Side of the model's tokens: VAE 8, patches 2. Masks grow to whole ones."""
GRID = 4
"""A call's frame count is 4n + 1."""
LONG, SHORT = 9, 5
"""Frames that a clip goes on from. One alone is lost at 81 frames: masks are thinned in time."""
_MARGIN, _FOOT_MARGIN = 0.06, 0.10
"""As of the guide's masks: shares of a box's height around it, and below for feet and shadow."""


@dataclass(frozen=True)
class Conditions:
    """Control video [N, H, W, 3] uint8 and mask [N, H, W] uint8 of 0 and 255.

    Attributes:
        kept: frames at the start that the clip goes on from, mask 0.
        new: frames after them that are wanted; N − kept − new at the end fill the model's grid.
    """

    video: Frames
    mask: NDArray[np.uint8]
    kept: int
    new: int


def conditions(request: ClipRequest, base: Frames, region: Bools, kept: int) -> Conditions:
    """The conditions of one call.

    Args:
        base: [T+F, H, W, 3], the guide, with what earlier passes drew.
        region: [T+F, H, W], where this call draws.
        kept: how many of the tail's last frames are handed in.

    Raises:
        ValueError: sizes that the model can't take, or that do not fit together.
    """
    width, height = request.size_px
    if width % PATCH_PX or height % PATCH_PX:
        raise ValueError(f"{width}x{height} is not in multiples of {PATCH_PX}")
    skipped = len(request.tail) - kept
    video = base[skipped:].copy()
    grown = whole_patches(region[skipped:])
    video[grown] = GREY
    mask = np.where(grown, np.uint8(255), np.uint8(0))
    if kept:
        video[:kept] = request.tail[-kept:]
        mask[:kept] = 0
    count = len(video)
    hold = np.minimum(np.arange(-(-(count - 1) // GRID) * GRID + 1), count - 1)
    made = Conditions(video[hold], mask[hold], kept, request.frames)
    check(made, request.size_px)
    return made


def check(made: Conditions, size_px: tuple[int, int]) -> None:
    """Holds conditions against what is asked: diffusers itself resizes, rounds and shortens in silence.

    Raises:
        ValueError: something does not fit; a fault of the program.
    """
    width, height = size_px
    count = len(made.video)
    if made.video.shape != (count, height, width, 3) or made.mask.shape != (count, height, width):
        raise ValueError(f"video {made.video.shape} and mask {made.mask.shape}, expected {width}x{height}")
    if count % GRID != 1 or count < made.kept + made.new:
        raise ValueError(f"{count} frames for {made.kept} kept and {made.new} new ones")
    if made.video.dtype != np.uint8 or not np.isin(made.mask, (0, 255)).all():
        raise ValueError("video is uint8, and masks are 0 and 255")
    if made.mask[: made.kept].any():
        raise ValueError("frames that are gone on from are kept")


def whole_patches(region: Bools) -> Bools:
    """[N, H, W]: every patch of the model that the region touches."""
    count, height, width = region.shape
    cells = region.reshape(count, height // PATCH_PX, PATCH_PX, width // PATCH_PX, PATCH_PX)
    touched = cells.any(axis=(2, 4))
    return np.asarray(touched.repeat(PATCH_PX, axis=1).repeat(PATCH_PX, axis=2))


def kept_frames(tail: int, context: str) -> int:
    """How many frames of a tail are handed in: 9 ("long") or 5, or what there is."""
    return min(tail, LONG if context == "long" else SHORT)


def passes(request: ClipRequest) -> list[tuple[Subject | None, Bools]]:
    """Who is drawn in which region, one call after the other: those far from the camera first.

    One call takes three reference pictures, so that each of several characters gets a call of its own.
    """
    start = len(request.tail)
    shown = [subject for subject in request.blocking if subject.visible[start:].any()]
    if len(shown) <= 1:
        return [(shown[0] if shown else None, request.anchor)]
    far_first = sorted(shown, key=lambda subject: -_distance(request, subject))
    return [(subject, request.anchor & box_region(subject, request.anchor.shape)) for subject in far_first]


def box_region(subject: Subject, shape: Sequence[int]) -> Bools:
    """[N, H, W]: a subject's boxes with room around them."""
    count, height, width = shape
    region = np.zeros((count, height, width), dtype=bool)
    for frame in np.flatnonzero(subject.visible):
        x0, y0, x1, y1 = subject.box_px[frame]
        margin, below = _MARGIN * (y1 - y0), _FOOT_MARGIN * (y1 - y0)
        left, right = max(0, math.floor(x0 - margin)), min(width, math.ceil(x1 + margin))
        top, bottom = max(0, math.floor(y0 - margin)), min(height, math.ceil(y1 + below))
        region[frame, top : max(bottom, top), left : max(right, left)] = True
    return region


def _distance(request: ClipRequest, subject: Subject) -> float:
    start = len(request.tail)
    away = subject.root[start:] - request.world_from_camera[start:, :3, 3]
    return float(np.linalg.norm(away, axis=1).mean())
