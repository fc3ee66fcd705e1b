"""Where some of a scene's Gaussians are, whatever form the scene is in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.gaussians import Gaussians

MOST = 1 << 16


def sample_means(part: Any, most: int = MOST) -> NDArray[np.float32]:
    """[n, 3] evenly chosen means of a part that a rasteriser takes, n ≤ ``most`` or a little more."""
    if isinstance(part, Gaussians):
        return np.asarray(part.means[:: max(1, len(part) // most)], dtype=np.float32)
    if hasattr(part, "groups"):
        return _of_groups(part, most)
    return np.asarray(part.means[:: max(1, len(part) // most)].cpu().numpy(), dtype=np.float32)


def _of_groups(packed: Any, most: int) -> NDArray[np.float32]:
    from .layout import LANES, X, Z

    step = max(1, len(packed.groups) * LANES // most)
    lanes = packed.groups[::step, X : Z + 1].transpose(0, 2, 1).reshape(-1, 3)
    filled = packed.indices[::step].reshape(-1) >= 0
    return np.asarray(lanes[filled], dtype=np.float32)
