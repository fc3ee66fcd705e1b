"""The way that a character has come since its take began: where its feet stand now follows from that."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Course:
    """Frame by frame since the take began.

    Attributes:
        root: [F, 3] metres; yaw_rad, speed_mps, gait_phase, lift_m: [F], as of a subject.
        fps: frames a second.
        known: what bodies have worked out for it, by body.
    """

    root: F64
    yaw_rad: F64
    speed_mps: F64
    gait_phase: F64
    lift_m: F64
    fps: float
    known: dict[int, Any] = field(default_factory=dict)
