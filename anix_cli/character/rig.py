"""Joints of a standing body, found from its surface alone: hips, knees, shoulders, elbows.

Proportions are those of a standing person (Drillis and Contini 1966, as shares of the height); where arms
part from the torso and legs from each other is looked up on the body itself. What cannot be found does not
move: a robe swings little, arms pressed to the body stay there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.easing import smoothstep
from anix_cli.core.gaussians import Gaussians

from .turn import turned, turned_quats

F64 = NDArray[np.float64]

_ROW = 0.0125
_KNEE, _ANKLE = 0.275, 0.045
_BALL, _HEEL = 0.72, 0.12
"""Where a foot bends, and where it comes down, of its length from the back."""
_HIP = (0.47, 0.53)
_PARTING = 0.34
"""Legs that part lower than this are short, or under a coat: they swing as a robe does."""
_CLOTH = 0.12
"""How far to both sides of the middle a robe is drawn by both legs."""
_SHOULDER = (0.74, 0.83)
_ARMPIT = 0.60
"""Arms that part from the body lower than this are no person's, whose joints are known; they do not move."""
_NECK = (0.76, 0.90)
_HANG_RAD = math.radians(7)
"""Arms at ease hang this far from the vertical, or as far as hips and bags make them."""


@dataclass(frozen=True)
class Limb:
    """An arm or a leg, at ease. Weights [N] say how far a Gaussian follows each of its joints.

    Attributes:
        root, bend, tip: [3] the joints: shoulder, elbow and wrist, or hip, knee and ankle.
        whole, lower, end: [N] weights, in that order.
        toes: [N] of a leg, how far a Gaussian stays on the ground as the heel comes off it.
        ball, heel: [3] of a leg, on the ground: where a foot rolls.
    """

    root: F64
    bend: F64
    tip: F64
    whole: F64
    lower: F64
    end: F64
    toes: F64
    ball: F64
    heel: F64

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Which Gaussians follow it at all."""
        return np.flatnonzero(self.whole > 0)

    @cached_property
    def rolls(self) -> F64:
        """[N] how far a Gaussian rises with the heel."""
        return np.asarray(self.end * (1 - self.toes))


@dataclass(frozen=True)
class Rig:
    """A body that stands at ease with its arms down, and how it bends.

    Attributes:
        body: at ease, in the character's frame.
        height_m: of the highest Gaussian.
        sole_m: height of the lowest one.
        stride: how far the legs can part, 1 for free legs, less in a robe.
        legs, arms: left (+x) and right; None where there is no such arm.
        upper: [N] weight with which a Gaussian follows the trunk.
        girdles: [N] of each side, how far a Gaussian rises with its shoulder; the arm as a whole.
        neck: [3] where the head turns; ``head`` [N] how far a Gaussian follows it, 0 where there is no neck.
    """

    body: Gaussians
    height_m: float
    sole_m: float
    stride: float
    legs: tuple[Limb, Limb]
    arms: tuple[Limb | None, Limb | None]
    upper: F64
    girdles: tuple[F64, F64]
    neck: F64
    head: F64


def rig(body: Gaussians) -> Rig:
    """Finds the joints of a body that stands in its own frame (see :func:`anix_cli.character.hull`)."""
    points = body.means.astype(np.float64)
    height = float(points[:, 1].max())
    quats = body.quats.astype(np.float64)
    found = [_arm(points, height, side) for side in (1.0, -1.0)]
    arms: list[Limb | None] = []
    for side, arm in zip((1.0, -1.0), found, strict=True):
        if arm is None:
            arms.append(None)
            continue
        drop = -side * _drop_rad(points, height, side, arm)
        points = turned(points, "z", drop * arm.whole, arm.root)
        quats = turned_quats(quats, "z", drop * arm.whole)
        bend, tip = turned(np.stack([arm.bend, arm.tip]), "z", drop, arm.root)
        arms.append(replace(arm, bend=bend, tip=tip))
    eased = Gaussians(
        points.astype(np.float32),
        quats.astype(np.float32),
        body.scales,
        body.opacities,
        body.sh,
        body.antialiased,
    )
    in_arms = np.clip(sum((arm.whole for arm in arms if arm), np.zeros(len(points))), 0, 1)
    crotch, stride = _crotch(points, height)
    hip = float(np.clip(crotch + 0.04 * height, _HIP[0] * height, _HIP[1] * height))
    y = points[:, 1] / height
    trunk = smoothstep(y, hip / height - 0.10, hip / height + 0.03)
    below = (1 - trunk) * (1 - in_arms)
    legs = tuple(_leg(points, height, side, hip, below, stride) for side in (1.0, -1.0))
    upper = np.maximum(trunk, in_arms)
    sole = float(points[:, 1].min())
    neck, head = _head(points, height, in_arms)
    left, right = (
        _girdle(points, height, side, arm) * (1 - head) for side, arm in zip((1.0, -1.0), arms, strict=True)
    )
    return Rig(
        eased, height, sole, stride, (legs[0], legs[1]), (arms[0], arms[1]), upper, (left, right), neck, head
    )


def _crotch(points: F64, height: float) -> tuple[float, float]:
    """Where the legs part, and how free they are: 1, or less where a robe joins them all the way down."""
    middle = np.abs(points[:, 0]) < 0.008 * height
    rows = np.arange(0.10, 0.56, _ROW)
    joined = [
        bool((middle & (np.abs(points[:, 1] - row * height) < _ROW * height / 2)).any()) for row in rows
    ]
    gaps = [row for row, closed in zip(rows, joined, strict=True) if not closed]
    if len(gaps) < 4 or gaps[-1] < _PARTING:
        return 0.47 * height, 0.35
    return float(gaps[-1]) * height, 1.0


def _leg(points: F64, height: float, side: float, hip: float, below: F64, stride: float) -> Limb:
    seam = 0.012 if stride == 1 else _CLOTH
    own = smoothstep(side * points[:, 0] / height, -seam, seam) * below
    knee = _KNEE * height
    y = points[:, 1] / height
    lower = own * (1 - smoothstep(y, _KNEE - 0.04, _KNEE + 0.04))
    end = own * (1 - smoothstep(y, _ANKLE - 0.01, _ANKLE + 0.02))
    near = (own > 0.5) & (np.abs(points[:, 1] - knee) < 0.02 * height)
    depth = _middle(points[near, 2])
    across = _middle(points[near, 0])
    shin = (own > 0.5) & (np.abs(y - 0.09) < 0.02)
    ankle = np.array([_middle(points[shin, 0]), _ANKLE * height, _middle(points[shin, 2])])
    toes, ball, heel = _sole(points, height, own, ankle)
    hip_joint, knee_joint = np.array([across, hip, depth]), np.array([across, knee, depth])
    return Limb(hip_joint, knee_joint, ankle, own, lower, end, toes, ball, heel)


def _sole(points: F64, height: float, own: F64, ankle: F64) -> tuple[F64, F64, F64]:
    """(weights [N] of the toes, ball, heel) of a foot."""
    foot = (own > 0.5) & (points[:, 1] < _ANKLE * height)
    if not foot.any():
        return np.zeros(len(points)), ankle, ankle
    back, front = np.percentile(points[foot, 2], [1, 99])
    ball = back + _BALL * (front - back)
    toes = smoothstep(points[:, 2], ball - 0.008 * height, ball + 0.008 * height)
    low = float(points[foot, 1].min())
    heel = back + _HEEL * (front - back)
    return toes, np.array([ankle[0], low, ball]), np.array([ankle[0], low, heel])


def _arm(points: F64, height: float, side: float) -> Limb | None:
    """The arm beyond the gap that parts it from the torso; None where there is no gap."""
    across = side * points[:, 0] / height
    y = points[:, 1] / height
    rows, gaps = [], []
    for row in np.arange(0.78, 0.42, -_ROW):
        line = np.sort(across[(np.abs(y - row) < _ROW / 2) & (across > 0.03)])
        if len(line) < 2:
            continue
        steps = np.diff(line)
        widest = int(steps.argmax())
        if steps[widest] > 0.016:
            rows.append(row)
            gaps.append((line[widest] + line[widest + 1]) / 2)
    if len(rows) < 5 or rows[0] < _ARMPIT:
        return None
    slope, start = np.polyfit(rows, gaps, 1)
    armpit = rows[0]
    border = start + slope * np.minimum(y, armpit)
    # Soft at the shoulder only: lower down, what the arm touches (a bag, a hip) would be drawn out with it.
    soft = 0.0002 + 0.008 * smoothstep(y, armpit - 0.06, armpit - 0.02)
    whole = smoothstep(across - border, -soft, soft + 0.05 * smoothstep(y, armpit - 0.02, armpit + 0.04))
    whole = whole * (y > 0.3)
    shoulder = float(np.clip(armpit + 0.07, *_SHOULDER))
    whole = whole * (1 - smoothstep(y, shoulder + 0.05, shoulder + 0.08))  # not the brim of a hat
    arm = whole > 0.5
    hand = arm & (y < np.percentile(y[arm], 12))
    top = arm & (y > armpit - 0.08)
    root = np.array([
        side * (start + slope * armpit + 0.012) * height, shoulder * height, _middle(points[top, 2])
    ])  # fmt: skip
    tip = np.array([points[hand, 0].mean(), points[hand, 1].mean(), root[2]])
    length = float(np.linalg.norm(tip - root))
    along = (points - root) @ (tip - root) / length**2
    whole = whole * _of_one_piece(points - root - along[:, None] * (tip - root), along, whole)
    lower = whole * smoothstep(along, 0.42, 0.56)
    none = np.zeros_like(whole)
    return Limb(root, root + 0.49 * (tip - root), tip, whole, lower, none, none, tip, tip)


def _of_one_piece(away: F64, along: F64, whole: F64) -> F64:
    """[N] 0 for what is much further from the arm's axis than its slice of the arm: chips of a bag, a hip."""
    distance = np.linalg.norm(away, axis=1)
    result = np.ones(len(distance))
    for low in np.arange(0.25, 0.95, 0.1):
        rows = np.flatnonzero((along >= low) & (along < low + 0.1) & (whole > 0))
        if len(rows):
            result[rows] = distance[rows] < 1.5 * np.median(distance[rows])
    return result


def _drop_rad(points: F64, height: float, side: float, arm: Limb) -> float:
    """How far an arm can be lowered towards the body before its hand meets what is there."""
    reach = arm.tip - arm.root
    length = float(np.linalg.norm(reach))
    now = math.atan2(side * reach[0], -reach[1])
    beside = (arm.whole < 0.5) & (np.abs(points[:, 1] - (arm.root[1] - 0.9 * length)) < 0.10 * height)
    hips = float((side * points[beside, 0]).max(initial=0.0))
    clear = (hips + 0.03 * height - side * arm.root[0]) / length
    target = max(_HANG_RAD, math.asin(min(max(clear, 0.0), 1.0)))
    return max(0.0, now - target)


def _girdle(points: F64, height: float, side: float, arm: Limb | None) -> F64:
    """The shoulder from the neck to the arm, and the arm."""
    if arm is None:
        return np.zeros(len(points))
    reach = abs(float(arm.root[0]))
    across = smoothstep(side * points[:, 0], 0.25 * reach, 1.05 * reach)
    top = smoothstep(points[:, 1], arm.root[1] - 0.09 * height, arm.root[1] + 0.02 * height)
    return np.asarray(np.maximum(across * top, arm.whole))


def _head(points: F64, height: float, in_arms: F64) -> tuple[F64, F64]:
    """Where the head turns, at the narrowest place between shoulders and head, and what turns with it."""
    rows = np.arange(_NECK[0], _NECK[1], _ROW / 2)
    y = points[:, 1] / height
    free = in_arms < 0.5
    widths = np.array([_width(points[free & (np.abs(y - row) < _ROW / 2), 0]) for row in rows])
    at = int(widths.argmin())
    neck = float(rows[at])
    above = float(widths[at:].max())
    inside = free & (np.abs(y - neck) < _ROW)
    # Necks are round; what hangs behind one (hair, a hood) is not part of it.
    middle_z = float(points[inside, 2].max()) - widths[at] / 2 if inside.any() else 0.0
    joint = np.array([_middle(points[inside, 0]), neck * height, middle_z])
    if above < 1.2 * widths[at]:
        return joint, np.zeros(len(points))
    return joint, smoothstep(y, neck - 0.012, neck + 0.022) * (1 - in_arms)


def _width(values: F64) -> float:
    return float(values.max() - values.min()) if len(values) else math.inf


def _middle(values: F64) -> float:
    return float((values.min() + values.max()) / 2) if len(values) else 0.0
