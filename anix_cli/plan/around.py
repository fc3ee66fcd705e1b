"""What is around a character while it is blocked: places, people, and the ground between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from .routes import Routes
from .standing import Places

F64 = NDArray[np.float64]

POLITE_M = 1.2
"""So far before another one stops who goes to them."""


@dataclass(frozen=True)
class Around:
    """Where a character is blocked.

    Attributes:
        places: on the xz plane, by name.
        routes: where one can go on foot; None: anywhere.
        people: where the others of the shot are, [F, 2] by name, at its frames.
    """

    places: Places
    routes: Routes | None = None
    people: Mapping[str, F64] = field(default_factory=lambda: MappingProxyType({}))

    def until(self, frame: int) -> Around:
        """With the people as places: where they are at a frame."""
        if not self.people:
            return self
        now = {name: _at(way, frame) for name, way in self.people.items() if name not in self.places}
        return replace(self, places={**self.places, **now})


def _at(way: F64, frame: int) -> tuple[float, float]:
    x, z = way[min(frame, len(way) - 1)]
    return float(x), float(z)
