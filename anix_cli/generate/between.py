"""Where a subject is between two frames of its blocking."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.plan import Subject

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class State:
    """A subject at one time: as its arrays say at a frame."""

    root: F64
    yaw_rad: float
    speed_mps: float
    gait_phase: float
    lift_m: float


def state_at(subject: Subject, time: float) -> State:
    """The state at ``time`` frames: the arrays' own on a frame, between two of them on the straight way.

    Before the first and after the last frame it goes on as in the nearest step.
    """
    last = len(subject.root) - 1
    start = min(max(math.floor(time), 0), max(last - 1, 0))
    share = time - start
    stop = min(start + 1, last)

    def mixed(values: F64) -> F64:
        return np.asarray(values[start] + share * (values[stop] - values[start]), dtype=np.float64)

    if share == 0:
        stop = start
    turn = math.remainder(float(subject.yaw_rad[stop] - subject.yaw_rad[start]), 2 * math.pi)
    return State(
        mixed(subject.root),
        float(subject.yaw_rad[start]) + share * turn,
        max(0.0, float(mixed(subject.speed_mps))),
        float(mixed(subject.gait_phase)),
        max(0.0, float(mixed(subject.lift_m))),
    )
