"""The movement of a pass, as a control signal where the model draws.

VACE joins signals by masks (``vace/annotators/composition.py``: repaint and control): outside of the mask the
video is kept, inside of it stands the signal, its own background and all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.clip import ClipRequest, Frames
from anix_cli.core.plan import Subject

from ..performing import Troupe


@dataclass(frozen=True)
class Control:
    """Signal frames [N, H, W, 3] uint8, and [N] where they hold; elsewhere it is grey, and words tell."""

    frames: Frames
    told: NDArray[np.bool_]


def control(
    motion: str, request: ClipRequest, subject: Subject | None, troupe: Troupe
) -> tuple[Control | None, dict[str, Any]]:
    """The signal for a subject, None where words tell all; and what is noted about it.

    Raises:
        AnixError: as :meth:`anix_cli.generate.performing.Troupe.body`.
    """
    if motion == "text" or subject is None:
        return None, {"motion": "text"}
    from ..motion.poses import pose

    posed = pose(request, subject, troupe)
    start = len(request.tail)
    told = int(posed.told[start:].sum())
    notes: dict[str, Any] = {"motion": motion if told else "text", "motion_frames": told}
    if posed.why:
        notes["motion_left_to_words"] = posed.why
    if not told:
        return None, notes
    if motion == "depth":
        from ..motion.depths import depths

        return Control(depths(request, subject, troupe), posed.told), notes
    from ..motion.stickman import VACE, draw

    frames = np.stack([draw([joints], request.size_px, VACE) for joints in posed.joints_px])
    return Control(frames, posed.told), notes
