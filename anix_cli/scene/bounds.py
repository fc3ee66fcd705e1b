"""How far a scene reaches, whatever floats around it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.gaussians import Gaussians

F64 = NDArray[np.float64]


def robust_bounds(gaussians: Gaussians) -> F64:
    """[2, 3] float64: the 1st and 99th percentile of the means on each axis, weighted by opacity over size.

    Size is the largest standard deviation, at least that of the finest tenth. Splats are about as large as
    their distance from the cameras that saw them, so what was filmed counts and a sky of huge far Gaussians
    does not.
    """
    sizes = np.maximum.reduce(gaussians.scales.T)
    finest = float(np.percentile(sizes, 10))
    weights = gaussians.opacities.astype(np.float64) / np.maximum(sizes, max(finest, 1e-12))
    if not weights.sum() > 0:
        weights = np.ones(len(gaussians))
    corners = np.empty((2, 3))
    for axis in range(3):
        values = gaussians.means[:, axis]
        order = np.argsort(values, kind="stable")
        total = np.cumsum(weights[order])
        at = np.searchsorted(total, total[-1] * np.array([0.01, 0.99]))
        corners[:, axis] = values[order][np.minimum(at, len(values) - 1)]
    return corners
