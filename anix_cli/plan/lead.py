"""Lead room: a character that faces to one side of the picture stands nearer to the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .motion import damped
from .rigs import AZIMUTH, LOG_FOCAL, turned
from .sights import Setup

F64 = NDArray[np.float64]

BESIDE = 0.08
"""A camera that goes beside someone leaves so much more room before it, if nothing is written."""
LAG_S, RATE = 0.4, 2.0


def lead_of(rule: F64, setup: Setup) -> tuple[F64, F64]:
    """The rule with the view turned ahead of the character; and how far it is turned in the end, [2].

    As far as the character faces across the picture it is moved from the middle by ``lead_room`` of the
    width; one that faces the camera, or away from it, stays there.
    """
    spec = setup.spec
    share = spec.lead_room
    if share is None:
        beside = spec.move == "follow" and spec.side in {"left", "right"}
        share = BESIDE if beside and setup.target is None and setup.wanted is None else 0.0
    if not share:
        return rule, np.zeros(2)
    heading = damped(np.unwrap(setup.sight.yaw_rad), 1.0 / setup.fps, LAG_S, RATE)
    across = np.sin(heading - rule[:, AZIMUTH])
    away = share * setup.size_px[0] * across
    turn = np.zeros((len(rule), 2))
    turn[:, 0] = -np.arctan(away / np.exp(rule[:, LOG_FOCAL]))
    return turned(rule, turn), turn[-1]
