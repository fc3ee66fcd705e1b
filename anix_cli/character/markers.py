"""Joints of a carved body as points that move with it: whatever poses the body, poses them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.gaussians import Gaussians, concatenate

from .rig import Limb, Rig
from .skeleton import F64, FACE, JOINTS, HeadBox, face_points, head_box

_SIDES = ("left", "right")
_TOE = 0.085
"""How far before the ankle a foot ends, of the height."""


@dataclass(frozen=True)
class Marked:
    """A rig with 20 more points, last and in the order of ``JOINTS``; [20] which of them are known.

    Attributes:
        head: where the head is at ease.
    """

    rig: Rig
    known: NDArray[np.bool_]
    head: HeadBox | None


@dataclass
class _Mark:
    """A point, and how far it follows each part."""

    at: F64
    upper: float = 1.0
    head: float = 0.0
    arm: tuple[int, float, float] | None = None
    leg: tuple[int, float, float, float] | None = None
    girdle: int | None = None


def marked(rig: Rig) -> Marked:
    """Adds the joints to a rig."""
    found = _marks(rig)
    points = rig.body.means.astype(np.float64)
    surface = points[rig.head > 0.5] if (rig.head > 0.5).any() else points[points[:, 1] > rig.neck[1]]
    turns = float((rig.head > 0.5).any())
    for name, point in zip(FACE, face_points(surface), strict=True):
        if np.isfinite(point).all():
            found[name] = _Mark(point, head=turns)
    marks = [found.get(name) for name in JOINTS]
    known = np.array([mark is not None for mark in marks])
    return Marked(_joined(rig, [mark or _Mark(rig.neck) for mark in marks]), known, head_box(surface))


def _marks(rig: Rig) -> dict[str, _Mark]:
    found: dict[str, _Mark] = {}
    for index, side in enumerate(_SIDES):
        arm, leg = rig.arms[index], rig.legs[index]
        if arm is not None:
            found[f"{side}_shoulder"] = _Mark(arm.root, girdle=index)
            found[f"{side}_elbow"] = _Mark(arm.bend, arm=(index, 1, 0), girdle=index)
            found[f"{side}_wrist"] = _Mark(arm.tip, arm=(index, 1, 1), girdle=index)
        found[f"{side}_hip"] = _Mark(leg.root)
        found[f"{side}_knee"] = _Mark(leg.bend, upper=0, leg=(index, 1, 0, 0))
        found[f"{side}_ankle"] = _Mark(leg.tip, upper=0, leg=(index, 1, 1, 0))
        toe = leg.tip + np.array([0, 0.25 * (rig.sole_m - leg.tip[1]), _TOE * rig.height_m])
        found[f"{side}_toe"] = _Mark(toe, upper=0, leg=(index, 1, 1, 1))
    arms = [arm for arm in rig.arms if arm is not None]
    middle = (arms[0].root + arms[1].root) / 2 if len(arms) == 2 else rig.neck
    found["neck"] = _Mark(middle)
    return found


def _joined(rig: Rig, marks: list[_Mark]) -> Rig:
    """The rig with the marks as rows after its own."""
    count = len(marks)
    rows = Gaussians(
        np.stack([mark.at for mark in marks]).astype(np.float32),
        np.tile(np.array([1, 0, 0, 0], np.float32), (count, 1)),
        np.full((count, 3), 1e-4, np.float32),
        np.zeros(count, np.float32),
        np.zeros((count, 1, 3), np.float32),
    )

    def after(weights: F64, own: list[float]) -> F64:
        return np.concatenate([weights, own])

    def leg(index: int, limb: Limb) -> Limb:
        own = [mark.leg[1:] if mark.leg and mark.leg[0] == index else (0.0, 0.0, 0.0) for mark in marks]
        whole, lower, end = ([each[part] for each in own] for part in range(3))
        toes = [float(part > 0) for part in end]
        return replace(
            limb, whole=after(limb.whole, whole), lower=after(limb.lower, lower),
            end=after(limb.end, end), toes=after(limb.toes, toes),
        )  # fmt: skip

    def arm(index: int, limb: Limb | None) -> Limb | None:
        if limb is None:
            return None
        own = [mark.arm[1:] if mark.arm and mark.arm[0] == index else (0.0, 0.0) for mark in marks]
        whole, lower = ([each[part] for each in own] for part in range(2))
        none = [0.0] * count
        return replace(
            limb, whole=after(limb.whole, whole), lower=after(limb.lower, lower),
            end=after(limb.end, none), toes=after(limb.toes, none),
        )  # fmt: skip

    left, right = (
        after(rig.girdles[index], [float(mark.girdle == index) for mark in marks]) for index in (0, 1)
    )
    return replace(
        rig,
        body=concatenate([rig.body, rows]),
        legs=(leg(0, rig.legs[0]), leg(1, rig.legs[1])),
        arms=(arm(0, rig.arms[0]), arm(1, rig.arms[1])),
        upper=after(rig.upper, [mark.upper for mark in marks]),
        girdles=(left, right),
        head=after(rig.head, [mark.head for mark in marks]),
    )
