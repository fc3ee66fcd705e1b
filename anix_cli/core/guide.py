"""The guide: the scene alone along a plan's camera, with depth and the anchor mask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

GUIDE_VERSION = 4
"""Part of every guide's key: raised when the guide's pixels change for the same plan."""


@dataclass(frozen=True)
class Guide:
    """Frames of a guide, in memory.

    Attributes:
        rgb: [F, H, W, 3] uint8 sRGB.
        depth: [F, H, W] float32 metres along the camera's z, +inf where there is no surface.
        anchor: [F, H, W] bool, where the subject may appear.
    """

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]
    anchor: NDArray[np.bool_]


def concatenate_guides(parts: Sequence[Guide]) -> Guide:
    """Guides one after the other in time."""
    return Guide(
        np.concatenate([part.rgb for part in parts]),
        np.concatenate([part.depth for part in parts]),
        np.concatenate([part.anchor for part in parts]),
    )
