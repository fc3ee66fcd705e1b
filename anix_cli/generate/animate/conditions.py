"""What reaches the model: five pictures or videos, exact in size and number.

As upstream prepares them (``wan/modules/animate/preprocess``, replacement): the background is black where the
character will be, the mask white there, the skeleton alone on black, the reference as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.clip import ClipRequest, Frames

from ..diffusion.regions import GRID, PATCH_PX, Bools, held_to_grid, whole_patches
from ..motion.poses import Posed
from ..motion.stickman import WAN_ANIMATE, draw

LONG, SHORT = 5, 1
"""Frames that a clip goes on from: what upstream was trained to take."""
_FEWEST = 5
"""Of a call: with fewer, diffusers cuts it into segments of none."""


@dataclass(frozen=True)
class Conditions:
    """Videos [N, H, W, 3] uint8 and mask [N, H, W] uint8 of 0 and 255.

    Attributes:
        kept: frames at the start that the clip goes on from, mask 0.
        new: frames after them that are wanted; the rest at the end fills the model's grid.
    """

    background: Frames
    mask: NDArray[np.uint8]
    pose: Frames
    kept: int
    new: int


def conditions(
    request: ClipRequest, base: Frames, region: Bools, kept: int, posed: Posed | None
) -> Conditions:
    """The conditions of one call.

    Args:
        base: [T+F, H, W, 3], the guide, with what earlier passes drew.
        region: [T+F, H, W], where this call draws.
        kept: how many of the tail's last frames are handed in.
        posed: the subject over T+F frames; None for nobody.

    Raises:
        ValueError: sizes that the model can't take.
    """
    width, height = request.size_px
    if width % PATCH_PX or height % PATCH_PX:
        raise ValueError(f"{width}x{height} is not in multiples of {PATCH_PX}")
    skipped = len(request.tail) - kept
    background = base[skipped:].copy()
    grown = whole_patches(region[skipped:])
    background[grown] = 0
    mask = np.where(grown, np.uint8(255), np.uint8(0))
    if kept:
        background[:kept] = request.tail[-kept:]
        mask[:kept] = 0
    seen = (
        [] if posed is None else [draw([joints], request.size_px, WAN_ANIMATE) for joints in posed.joints_px]
    )
    pose = np.stack(seen)[skipped:] if seen else np.zeros_like(background)
    hold = held_to_grid(len(background), least=_FEWEST)
    made = Conditions(background[hold], mask[hold], pose[hold], kept, request.frames)
    check(made, request.size_px)
    return made


def check(made: Conditions, size_px: tuple[int, int]) -> None:
    """Holds conditions against what is asked: diffusers resizes and pads in silence, or with a warning.

    Raises:
        ValueError: something does not fit; a fault of the program.
    """
    width, height = size_px
    count = len(made.background)
    for name, video in (("background", made.background), ("pose", made.pose)):
        if video.shape != (count, height, width, 3) or video.dtype != np.uint8:
            raise ValueError(f"{name} is {video.dtype} {video.shape}, expected {count} of {width}x{height}")
    if made.mask.shape != (count, height, width) or not np.isin(made.mask, (0, 255)).all():
        raise ValueError("masks are 0 and 255, as many and as large as frames")
    if count % GRID != 1 or count < max(_FEWEST, made.kept + made.new):
        raise ValueError(f"{count} frames for {made.kept} kept and {made.new} new ones")
    if made.mask[: made.kept].any():
        raise ValueError("frames that are gone on from are kept")


def kept_frames(tail: int, context: str) -> int:
    """How many frames of a tail are handed in: 5 ("long") or 1, or what there is."""
    return min(tail, LONG if context == "long" else SHORT)
