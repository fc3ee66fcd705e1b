"""What reaches the model: control video and mask, frame by frame, exact in size and number.

Mask 255 is where the model draws: there the control video is grey, or shows the movement. Mask 0 keeps: the
scene around the character, and all of the frames that the clip goes on from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.clip import ClipRequest, Frames

from ..diffusion.regions import GREY, GRID, PATCH_PX, Bools, held_to_grid, whole_patches
from .motion import Control

LONG, SHORT = 9, 5
"""Frames that a clip goes on from. One alone is lost at 81 frames: masks are thinned in time."""


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


def conditions(
    request: ClipRequest, base: Frames, region: Bools, kept: int, control: Control | None = None
) -> Conditions:
    """The conditions of one call.

    Args:
        base: [T+F, H, W, 3], the guide, with what earlier passes drew.
        region: [T+F, H, W], where this call draws.
        kept: how many of the tail's last frames are handed in.
        control: what is shown where it draws, instead of grey.

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
    if control is not None:
        told = grown & control.told[skipped:, None, None]
        video[told] = control.frames[skipped:][told]
    mask = np.where(grown, np.uint8(255), np.uint8(0))
    if kept:
        video[:kept] = request.tail[-kept:]
        mask[:kept] = 0
    hold = held_to_grid(len(video))
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


def kept_frames(tail: int, context: str) -> int:
    """How many frames of a tail are handed in: 9 ("long") or 5, or what there is."""
    return min(tail, LONG if context == "long" else SHORT)
