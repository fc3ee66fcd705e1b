"""Cuts: an automatic camera stays on its side of the line of action, and changes its angle enough.

The line is that along which the character faces; a camera that crosses it turns left and right around in the
picture (the 180° rule). Two views of the same character from nearly the same angle look like a fault in the
film (the 30° rule).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.screenplay import CameraSpec
from .cameras import Filmed
from .framing import SIDES_DEG, THREE_QUARTER_DEG
from .motion import wrap
from .moves import facing_of
from .sights import Shift, Sight

F64 = NDArray[np.float64]

LEAST_DEG = 30.0
NEUTRAL_DEG = 12.0
"""A camera so near to the line is on neither side."""
_STEPS_DEG = (0, -30, 30, -45, 45, -60, 60, -75, 75, -90, 90, -110, 110, -130, 130, -150, 150, 180)


@dataclass(frozen=True)
class View:
    """From where a camera saw a character last: degrees from where it faces towards its own left."""

    name: str
    angle_deg: float

    @staticmethod
    def of(name: str, filmed: Filmed, sight: Sight) -> View:
        """At the end of a shot."""
        away = filmed.world_from_camera[-1, :3, 3] - sight.root[-2]
        angle = math.atan2(away[0], away[2]) - float(sight.yaw_rad[-2])
        return View(name, math.degrees(float(wrap(angle))))


def shift_at_cut(before: View | None, name: str, spec: CameraSpec, yaw_rad: F64 | None = None) -> Shift:
    """How far an automatic camera goes round the character so that a cut keeps both rules.

    Args:
        yaw_rad: [F] how the character faces in the shot. A camera that stands is composed for all of it
            (:func:`.moves.facing_of`), but what counts is how it is seen when the shot begins.
    """
    if before is None or before.name != name:
        return Shift()
    habit = SIDES_DEG["behind"] if spec.move == "follow" else THREE_QUARTER_DEG
    if yaw_rad is not None and spec.move != "follow":
        habit += math.degrees(facing_of(yaw_rad) - float(yaw_rad[0]))
    for step in _STEPS_DEG:
        angle = _wrapped(habit + step)
        changed = abs(_wrapped(angle - before.angle_deg)) >= LEAST_DEG - 1e-6
        if changed and _side(angle) * _side(before.angle_deg) >= 0:
            return Shift(math.radians(step))
    return Shift()


def _side(angle_deg: float) -> int:
    """1 at the character's left, -1 at its right, 0 before or behind it."""
    from_line = min(abs(angle_deg), 180 - abs(angle_deg))
    return 0 if from_line < NEUTRAL_DEG else int(np.sign(angle_deg))


def _wrapped(angle_deg: float) -> float:
    return math.degrees(float(wrap(math.radians(angle_deg))))
