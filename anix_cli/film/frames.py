"""What the join passes on: pictures, and what is drawn on them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Frames = NDArray[np.uint8]
Overlay = Callable[[Frames, int], Frames]
"""Frames [n, H, W, 3] and the film frame that the first of them is → the frames with something drawn on."""
