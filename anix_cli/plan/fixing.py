"""Boxes that stay where they are in the picture for a whole shot, as AniX has them (arXiv 2512.17796)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..core.plan import Subject
from .trouble import Trouble

LEAST = 0.5
"""A body of which less than this share of its box lies in the fixed one has left it."""


def fixed(subject: Subject) -> Subject:
    """The subject with the box of the first frame in which it is seen, in all frames."""
    if not subject.visible.any():
        return subject
    at = int(np.argmax(subject.visible))
    box = np.repeat(subject.box_px[at : at + 1], len(subject.box_px), axis=0)
    return replace(subject, box_px=box, visible=np.ones_like(subject.visible))


def leaves_box(subject: Subject) -> Trouble | None:
    """W227 where the planned body goes out of the box in which it is to stay."""
    if not subject.visible.any():
        return None
    box = fixed(subject).box_px
    low, high = np.maximum(box[:, :2], subject.box_px[:, :2]), np.minimum(box[:, 2:], subject.box_px[:, 2:])
    shared = np.maximum(high - low, 0.0).prod(axis=1)
    whole = np.maximum((subject.box_px[:, 2:] - subject.box_px[:, :2]).prod(axis=1), 1e-9)
    out = (shared / whole < LEAST) | ~subject.visible
    if not out.any():
        return None
    text = (
        f"The box of {subject.character} is fixed, but as planned {subject.character} is out of it in "
        f"{int(out.sum())} of {len(out)} frames."
    )
    return Trouble("W227", text, "Let the camera follow, or write anchor_box: projected.")
