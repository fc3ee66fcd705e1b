"""The way that a character has come since its take began: where its feet stand now follows from that."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

_ASIDE = 0.3
"""Whoever goes aside and no more than this share of the way back still steps as one who goes ahead."""


def goes_ahead(moved: F64, yaw_rad: float) -> bool:
    """Whether a body that moved so far, (x, z) on the stage, went the way that it faces; so does one who
    stands, and one who steps aside."""
    along = float(moved[0]) * math.sin(yaw_rad) + float(moved[1]) * math.cos(yaw_rad)
    return along >= -_ASIDE * math.hypot(float(moved[0]), float(moved[1]))


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

    @cached_property
    def begun(self) -> F64:
        """[F] what is added to ``gait_phase`` so that whoever sets off from standing is half through a step:
        one foot under the body, the other on its way. The first step over the ground is half of a full one,
        and no foot stays a whole step behind."""
        going = np.diff(self.gait_phase, prepend=self.gait_phase[:1]) > 1e-9
        added, result = 0.0, np.zeros(len(going))
        for frame, goes in enumerate(going):
            if frame <= 1 or (goes and not going[frame - 1]):
                added = 0.5 - float(self.gait_phase[max(frame - 1, 0)]) % 1.0
            result[frame] = added
        return result

    def phase(self, gait_phase: float, frame: float) -> float:
        """Steps taken as a body takes them, of those counted at a time in frames."""
        return gait_phase + float(self.begun[min(max(math.ceil(frame - 1e-6), 0), len(self.begun) - 1)])
