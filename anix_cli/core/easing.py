"""The one curve that everything soft is made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def smoothstep(
    x: ArrayLike, low: float | NDArray[Any] = 0.0, high: float | NDArray[Any] = 1.0
) -> NDArray[Any]:
    """0 up to ``low``, 1 from ``high`` on, between them 3t² − 2t³ with rest at both ends.

    Its steepest is 1.5 times its mean.

    Args:
        x: [...] of any shape, with which ``low`` and ``high`` broadcast.

    Returns:
        [...] in the floating type of ``x`` (float32 stays float32 with plain borders), else float64.
    """
    t = np.minimum(np.maximum((np.asarray(x) - low) / (high - low), 0.0), 1.0)
    return np.asarray(t * t * (3.0 - 2.0 * t))
