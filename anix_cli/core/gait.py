"""How long a character's steps are: planning counts steps by it, and bodies walk in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .easing import smoothstep

F64 = NDArray[np.float64]

LEG_M = 0.9
"""Of a person, from hip to sole."""


@dataclass(frozen=True)
class Steps:
    """How a character steps.

    Attributes:
        walk_m, run_m: length of one step.
        leg_m: from hip to sole. Short legs break into a run earlier: at equal Froude numbers, v²/(g·leg),
            bodies of any size go alike (Alexander and Jayes 1983).
    """

    walk_m: float
    run_m: float
    leg_m: float = LEG_M

    def running(self, speed_mps: ArrayLike) -> F64:
        """0 for a walk, 1 for a run, in between at a jog."""
        speed = np.asarray(speed_mps, dtype=np.float64) * (LEG_M / self.leg_m) ** 0.5
        return np.asarray(smoothstep(speed, 1.9, 3.6))

    def at(self, speed_mps: ArrayLike) -> F64:
        """Length of a step [...] at speeds [...], metres a second along the ground."""
        return np.asarray(self.walk_m + self.running(speed_mps) * (self.run_m - self.walk_m))
