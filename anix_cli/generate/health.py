"""Whether frames are a picture at all, judged against the guide that they were made from.

A diffusion model that overflows gives frames that look like a file and hold nothing: black, flat or frozen.
A screenplay may well be black or still, so that each judgement asks what the guide shows there.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.clip import ClipRequest, Frames

F64 = NDArray[np.float64]

_DARK, _LIT = 4.0, 16.0
"""Levels: a frame whose mean is below the first is black, a guide whose mean is above the second is not."""
_FLAT, _TEXTURED = 1.0, 6.0
"""Standard deviations in levels: of a frame without structure, and of a guide that has some."""
_STILL = 2
"""Levels by which no pixel of a frozen clip changes from frame to frame. Not a mean: a character far away
is few pixels."""
_MOVING = 0.5
"""Mean change from frame to frame in levels of a guide that moves."""
_STEP_PX = 1.0
"""A subject whose box goes so far in all, moves."""


def fault(frames: Frames, request: ClipRequest) -> str | None:
    """What is wrong with frames [F, H, W, 3] uint8, as a clause; None where nothing is.

    Number and size are taken as checked.
    """
    guide = request.guide[len(request.tail) :]
    made, given = _thinned(frames), _thinned(guide)
    for index, (frame, scene) in enumerate(zip(made, given, strict=True)):
        if frame.mean() < _DARK and scene.mean() > _LIT:
            return f"frame {index} is black, and the scene there is not"
        if frame.std() < _FLAT and scene.std() > _TEXTURED:
            return f"frame {index} is one flat colour, and the scene there is not"
    moves = _change(given) > _MOVING or _blocking_moves(request)
    if len(frames) > 1 and moves and _frozen(frames):
        return "nothing moves in it, though camera or character do"
    return None


def _thinned(frames: Frames) -> F64:
    """Every fourth pixel along both sides, as numbers."""
    return frames[:, ::4, ::4].astype(np.float64)


def _change(frames: F64) -> float:
    """Mean difference of frames that follow each other, in levels."""
    return float(np.abs(np.diff(frames, axis=0)).mean()) if len(frames) > 1 else 0.0


def _frozen(frames: Frames) -> bool:
    steps = (np.abs(after.astype(np.int16) - before) for before, after in pairwise(frames))
    return all(int(step.max()) <= _STILL for step in steps)


def _blocking_moves(request: ClipRequest) -> bool:
    """Whether a subject goes from place to place within the picture."""
    tail = len(request.tail)
    for subject in request.blocking:
        boxes = subject.box_px[tail:][subject.visible[tail:]]
        if len(boxes) > 1 and float(np.ptp(boxes, axis=0).max()) > _STEP_PX:
            return True
    return False
