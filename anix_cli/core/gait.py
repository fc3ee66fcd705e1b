"""How long a character's steps are: planning counts steps by it, and bodies walk in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .easing import smoothstep

F64 = NDArray[np.float64]


def running(speed_mps: ArrayLike) -> F64:
    """0 for a walk, 1 for a run, in between at a jog."""
    return np.asarray(smoothstep(np.asarray(speed_mps, dtype=np.float64), 1.9, 3.6))


@dataclass(frozen=True)
class Steps:
    """Lengths of one step, metres, walking and running."""

    walk_m: float
    run_m: float

    def at(self, speed_mps: ArrayLike) -> F64:
        """Length of a step [...] at speeds [...], metres a second along the ground."""
        return np.asarray(self.walk_m + running(speed_mps) * (self.run_m - self.walk_m))
