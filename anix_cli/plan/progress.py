"""How far a camera move is, frame by frame: soft at both ends unless it is written otherwise.

The fastest is 1.5 times the mean where both ends are soft, twice the mean where one is, and the mean itself
where none is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.easing import smoothstep

F64 = NDArray[np.float64]

EASES = ("both", "in", "out", "linear")


def progress(samples: int, begins: int = 0, ease: str | None = None, ends: int | None = None) -> F64:
    """0 until the move begins, 1 at the last frame of the part; [samples].

    The last sample is the frame after the part: a move that does not stop softly is further there.

    Args:
        begins: the frame at which the move begins.
        ease: both, in, out or linear; None is both.
        ends: the frame at which it is done, if that is before the last one; it stops there.
    """
    last = samples - 2 if ends is None else min(ends, samples - 2)
    u = (np.arange(samples) - begins) / max(last - begins, 1)
    if ends is not None:
        u = np.minimum(u, 1.0)
    u = np.maximum(u, 0.0)
    return eased(u, ease)


def eased(u: F64, ease: str | None) -> F64:
    """The share of the way that is done after a share of the time."""
    if ease == "linear":
        return u
    if ease == "in":
        return np.where(u < 1, u * u, 2 * u - 1)
    if ease == "out":
        return np.asarray(1 - np.maximum(1 - u, 0.0) ** 2)
    return smoothstep(u)
