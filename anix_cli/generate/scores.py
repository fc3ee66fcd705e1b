"""How well a clip continues the one before, and how far its colours wander: numbers for its ``clip.json``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.clip import ClipRequest, Frames

F64 = NDArray[np.float64]

CURVE = 16

_SAME = 0.5
"""Mean difference in levels below which two frames are one."""


def seam(frames: Frames, request: ClipRequest) -> dict[str, float | bool] | None:
    """How the first new frame joins the tail; None at the start of a take.

    ``levels`` is the mean jump over the seam of what the scene does not explain, over pixels that both
    frames keep; ``usual`` the same between the first frames of the clip itself. ``repeats`` says that the
    clip begins with the frame that it was to continue, though the scene moves on.
    """
    tail = len(request.tail)
    if tail == 0:
        return None
    around = np.concatenate([request.tail[-1:], frames[:4]])
    first = tail - 1
    guide = request.guide[first : first + len(around)]
    anchor = request.anchor[first : first + len(around)]
    jumps = [_jump(around[i : i + 2], guide[i : i + 2], anchor[i : i + 2]) for i in range(len(around) - 1)]
    repeats = _apart(around[0], around[1]) < _SAME <= _apart(guide[0], guide[1])
    return {
        "levels": round(jumps[0], 3),
        "usual": round(float(np.median(jumps[1:])) if len(jumps) > 1 else 0.0, 3),
        "repeats": bool(repeats),
    }


def drift(frames: Frames, request: ClipRequest) -> dict[str, float | list[float]]:
    """How far mean colours are from the guide's over kept pixels, in levels.

    First and last frames, the worst, and over the clip in ``CURVE`` parts of equal length.
    """
    guide = request.guide[len(request.tail) :]
    anchor = request.anchor[len(request.tail) :]
    off = [_off(*each) for each in zip(frames, guide, anchor, strict=True)]
    few = max(1, min(4, len(off)))
    return {
        "first": round(float(np.mean(off[:few])), 3),
        "last": round(float(np.mean(off[-few:])), 3),
        "worst": round(float(max(off)), 3),
        "curve": [round(float(part.mean()), 2) for part in np.array_split(off, min(CURVE, len(off)))],
    }


def _off(frame: Frames, guide: Frames, anchor: NDArray[np.bool_]) -> float:
    kept = ~anchor[::2, ::2]
    if not kept.any():
        return 0.0
    difference = frame[::2, ::2][kept].astype(np.float64) - guide[::2, ::2][kept]
    return float(np.abs(difference.mean(axis=0)).max())


def _jump(frames: Frames, guide: Frames, anchor: NDArray[np.bool_]) -> float:
    kept = ~(anchor[0] | anchor[1])[::2, ::2]
    if not kept.any():
        return _apart(frames[0], frames[1])
    left = frames[:, ::2, ::2].astype(np.float64) - guide[:, ::2, ::2]
    return float(np.abs(left[1] - left[0])[kept].mean())


def _apart(a: Frames, b: Frames) -> float:
    return float(np.abs(a[::2, ::2].astype(np.float64) - b[::2, ::2]).mean())
