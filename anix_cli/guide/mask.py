"""The anchor mask: where a generator may draw, from the boxes of all subjects."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

MARGIN = 0.06
"""The box grows by this share of its height on every side, to hold swinging limbs and hair…"""

FOOT_MARGIN = 0.10
"""…and by this share below, to hold feet and shadow."""


def anchor_mask(boxes_px: Iterable[NDArray[np.float64]], size_px: tuple[int, int]) -> NDArray[np.bool_]:
    """The union of dilated boxes.

    Args:
        boxes_px: each [4], x0 y0 x1 y1 in pixels, may lie partly outside the picture.

    Returns:
        [H, W] bool.
    """
    width, height = size_px
    mask = np.zeros((height, width), dtype=bool)
    for x0, y0, x1, y1 in boxes_px:
        margin = MARGIN * (y1 - y0)
        left, right = max(0, math.floor(x0 - margin)), min(width, math.ceil(x1 + margin))
        top, bottom = max(0, math.floor(y0 - margin)), min(height, math.ceil(y1 + FOOT_MARGIN * (y1 - y0)))
        if left < right and top < bottom:
            mask[top:bottom, left:right] = True
    return mask
