"""A body's joints at a moment: what pose detectors find in a picture of it, here known exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

JOINTS = (
    "nose", "neck",
    "right_shoulder", "right_elbow", "right_wrist", "left_shoulder", "left_elbow", "left_wrist",
    "right_hip", "right_knee", "right_ankle", "left_hip", "left_knee", "left_ankle",
    "right_eye", "left_eye", "right_ear", "left_ear", "left_toe", "right_toe",
)  # fmt: skip
"""The 18 of OpenPose's COCO model in its order, and the toes that Wan-Animate adds. Own sides."""

FACE = ("nose", "right_eye", "left_eye", "right_ear", "left_ear")
_FEWEST = 12
_TRUNK = ("neck", "right_hip", "left_hip")
_LIMBS = (("shoulder", "elbow", "wrist"), ("hip", "knee", "ankle"))


@dataclass(frozen=True)
class Skeleton:
    """Joints by the order of ``JOINTS``: [20, 3] metres, stage frame, NaN where the rig has no such joint."""

    points: F64

    @property
    def whole(self) -> bool:
        """Whether it can stand for the body: trunk and at least one arm or leg."""
        there = np.asarray(np.isfinite(self.points).all(axis=1))
        known = {name: bool(there[index]) for index, name in enumerate(JOINTS)}
        complete = [
            all(known[f"{side}_{part}"] for part in limb) for limb in _LIMBS for side in ("left", "right")
        ]
        return all(known[name] for name in _TRUNK) and any(complete)


@dataclass(frozen=True)
class HeadBox:
    """Where a head is at rest: [3] low and high corners; the character's own frame, facing +Z, feet at 0."""

    low: F64
    high: F64

    def face(self, front: float) -> F64:
        """[5, 3] the points of ``FACE``; ``front``: z of the face.

        Eyes lie about half way up a head and ears at its sides (Drillis and Contini; Farkas 1994).
        """
        width, tall, _ = self.high - self.low
        x, _, z = (self.low + self.high) / 2
        y = float(self.low[1])
        back = front - 0.15 * (front - z)
        return np.array([
            [x, y + 0.38 * tall, front],
            [x - 0.19 * width, y + 0.51 * tall, back],
            [x + 0.19 * width, y + 0.51 * tall, back],
            [x - 0.47 * width, y + 0.46 * tall, z],
            [x + 0.47 * width, y + 0.46 * tall, z],
        ])  # fmt: skip


def head_box(points: F64) -> HeadBox | None:
    """The box of a head's surface [N, 3], without the few points furthest out; None of too few points."""
    if len(points) < _FEWEST:
        return None
    low, high = np.percentile(points, (2, 98), axis=0)
    return HeadBox(low, high) if bool((high - low > 1e-6).all()) else None


def face_points(points: F64) -> F64:
    """[5, 3] the points of ``FACE`` on a head's surface [N, 3] that faces +Z; NaN where there is no head."""
    box = head_box(points)
    if box is None:
        return np.full((len(FACE), 3), np.nan)
    width, tall, _ = box.high - box.low
    share = (points[:, 1] - box.low[1]) / tall
    aside = np.abs(points[:, 0] - (box.low[0] + box.high[0]) / 2)
    middle = (share > 0.2) & (share < 0.6) & (aside < 0.2 * width)
    front = float(np.percentile(points[middle, 2], 95)) if middle.sum() >= 3 else float(box.high[2])
    return box.face(front)
