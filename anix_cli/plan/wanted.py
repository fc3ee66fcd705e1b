"""Box anchors: where in the picture a body is to be as its shot begins.

A box counts by its foot line's middle and its height. What is compared with it is the box that the plan
computes for the body (:mod:`.boxes`). Either the camera is known, and the place of the character follows
(:func:`stand_in`); or the character's place is known, and the camera comes as near and turns so far past it
that the body is where it is wanted (:func:`compose_to`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..core.stage import HeightMap
from .boxes import Extent, project_boxes, room_of
from .framing import Composition
from .rigs import STEEPEST, poses_of, turned
from .trouble import Trouble

F64 = NDArray[np.float64]
Size = tuple[int, int]
Box = tuple[float, float, float, float]
"""x0 y0 x1 y1 as shares of the picture."""

_ROUNDS, _CLOSE = 60, 1e-7
_NEAREST_M, _FURTHEST_M = 0.2, 2000.0


@dataclass(frozen=True)
class Wanted:
    """A box in pixels: the middle of its foot line, [2], its height and half its width; and the room [2, 3]
    that its body takes at rest (:func:`.boxes.room_of`): an arm that is raised later makes no one taller."""

    foot_px: F64
    height_px: float
    half_px: float
    room: F64

    @staticmethod
    def of(box: Box, size_px: tuple[int, int], extent: Extent) -> Wanted:
        """From shares of the picture."""
        x0, y0, x1, y1 = box
        width, height = size_px
        room = room_of(extent, np.zeros(1), np.zeros(1))[0]
        foot = np.array([(x0 + x1) / 2 * width, y1 * height])
        return Wanted(foot, (y1 - y0) * height, (x1 - x0) / 2 * width, room)


def foot_and_height(box_px: F64) -> tuple[F64, float]:
    """Of a box [4]: the middle of its lower edge, [2], and its height, pixels."""
    return np.array([(box_px[0] + box_px[2]) / 2, box_px[3]]), float(box_px[3] - box_px[1])


HEIGHT_OFF, FOOT_OFF = 0.25, 0.05
"""What is told of: a height that differs by more than this share; a foot further off, in pictures."""


def misfit(anchor: str, name: str, wanted: Wanted, box_px: F64, size_px: Size) -> Trouble | None:
    """W212 where a body shows otherwise than its box says; ``box_px`` [4] is its own at rest, as planned."""
    foot, height = foot_and_height(box_px)
    off = np.abs(foot - wanted.foot_px) / size_px
    ratio = height / wanted.height_px
    if off.max() <= FOOT_OFF and abs(ratio - 1) <= HEIGHT_OFF:
        return None
    asked, share = wanted.height_px / size_px[1], height / size_px[1]
    text = f"The box “{anchor}” is {asked:.2f} of the picture high, but {name} is {share:.2f} high there."
    if off.max() > FOOT_OFF:
        text = f"The box “{anchor}” stands on no ground: where {name} is as tall as it, its feet are lower."
    half = wanted.half_px
    corners = (foot[0] - half, foot[1] - height, foot[0] + half, foot[1])
    fits = ", ".join(f"{value / size_px[at % 2]:.2f}" for at, value in enumerate(corners))
    return Trouble("W212", text, f"This would fit: box: [{fits}].")


@dataclass(frozen=True)
class Shown:
    """A camera as it is when a shot begins: world_from_camera [4, 4] and intrinsics [3, 3]."""

    pose: F64
    lens: F64
    size_px: tuple[int, int]

    def box(self, root: F64, yaw_rad: float, room: F64) -> F64:
        """The box [4] of a body at ``root`` [3] that takes ``room`` [2, 3]; zeros behind the camera."""
        box, _ = project_boxes(
            root[None], np.array([yaw_rad]), room[None], world_from_camera=self.pose[None],
            intrinsics=self.lens[None], size_px=self.size_px,
        )  # fmt: skip
        return np.asarray(box[0])

    def ray(self, pixel: F64) -> F64:
        """[3], of length 1, into the world."""
        x, y = (pixel - self.lens[:2, 2]) / self.lens[(0, 1), (0, 1)]
        away = self.pose[:3, :3] @ np.array([x, y, 1.0])
        return np.asarray(away / np.linalg.norm(away))

    @property
    def eye(self) -> F64:
        return self.pose[:3, 3]


def compose_to(
    wanted: Wanted, start: Composition, root: F64, yaw_rad: float, *, ground: HeightMap, size_px: Size
) -> tuple[Composition, tuple[float, float]]:
    """A composition with another distance, and the turn (azimuth, elevation) past the character, by which
    the body's box has the wanted foot and height. The character is at ``root`` [3].

    Each round corrects the distance by the ratio of heights and the turn by the angle between where the foot
    is and where it is to be; the two hardly touch one another, so that this converges in a few rounds.
    """
    turn = np.zeros(2)
    middle = np.array(size_px) / 2
    for _ in range(_ROUNDS):
        rig = turned(start.rig(root[[0, 2]], float(root[1]))[None], turn)
        poses, lenses = poses_of(rig, ground, size_px)
        foot, height = foot_and_height(Shown(poses[0], lenses[0], size_px).box(root, yaw_rad, wanted.room))
        if height <= 0:
            start = replace(start, distance_m=2 * start.distance_m)
            continue
        right, down = np.arctan((wanted.foot_px - middle) / start.focal_px) - np.arctan(
            (foot - middle) / start.focal_px
        )
        ratio = height / wanted.height_px
        if max(abs(right), abs(down), abs(ratio - 1)) < _CLOSE:
            break
        # Further right in the picture is looking further left, which is towards more azimuth.
        turn = turn + np.array([right, -down])
        turn[1] = np.clip(turn[1], -STEEPEST, STEEPEST)
        distance = start.distance_m * min(max(ratio, 0.5), 2.0)
        start = replace(start, distance_m=min(max(distance, _NEAREST_M), _FURTHEST_M))
    return start, (float(turn[0]), float(turn[1]))


def stand_in(
    wanted: Wanted,
    shown: Shown,
    yaw_at: Callable[[F64], float],
    *,
    ground: HeightMap,
    bounds_m: F64,
) -> F64 | None:
    """Where on the ground, [2], a body stands whose box has the wanted foot; where that shows no ground, so
    far away that it has the wanted height. None where that is no place in the scene.

    Args:
        yaw_at: how the body faces if it stands at [2].
    """

    def box_at(xz: F64) -> F64:
        root = np.array([xz[0], float(ground.at(xz)), xz[1]])
        return shown.box(root, yaw_at(xz), wanted.room)

    pixel, found = wanted.foot_px.copy(), None
    for _ in range(_ROUNDS):
        found = _cast(shown, pixel, ground, bounds_m)
        if found is None:
            break
        box = box_at(found)
        if not box.any():
            return None
        missing = wanted.foot_px - foot_and_height(box)[0]
        if np.abs(missing).max() < _CLOSE:
            break
        pixel = pixel + 0.8 * missing
    if found is None:
        found = _by_height(wanted, shown, box_at, bounds_m)
    return found


def _reach_m(shown: Shown, bounds_m: F64) -> float:
    corners = np.array([[x, z] for x in bounds_m[:, 0] for z in bounds_m[:, 2]])
    return float(np.linalg.norm(corners - shown.eye[[0, 2]], axis=1).max())


def _within(xz: F64, bounds_m: F64) -> bool:
    return bool((xz >= bounds_m[0, [0, 2]]).all() and (xz <= bounds_m[1, [0, 2]]).all())


def _cast(shown: Shown, pixel: F64, ground: HeightMap, bounds_m: F64) -> F64 | None:
    """Where the ray through a pixel meets the ground in the scene, [2]."""
    ray = shown.ray(pixel)
    flat = max(float(np.hypot(ray[0], ray[2])), 1e-9)
    furthest = min(_reach_m(shown, bounds_m) / flat, 4 * _FURTHEST_M)

    def above(along: F64) -> F64:
        points = shown.eye + np.multiply.outer(along, ray)
        return points[..., 1] - ground.at(points[..., [0, 2]])

    steps = np.concatenate([[0.0], np.geomspace(0.02, furthest, 800)])
    heights = above(steps)
    falls = np.flatnonzero((heights[:-1] > 0) & (heights[1:] <= 0))
    if not len(falls):
        return None
    low, high = steps[falls[0]], steps[falls[0] + 1]
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if float(above(np.array(middle))) > 0 else (low, middle)
    found = (shown.eye + high * ray)[[0, 2]]
    return np.asarray(found) if _within(found, bounds_m) else None


def _by_height(wanted: Wanted, shown: Shown, box_at: Callable[[F64], F64], bounds_m: F64) -> F64 | None:
    """The place in the direction of the box's foot at which the body's box has its height, [2]."""
    course = shown.ray(wanted.foot_px)[[0, 2]]
    if float(np.linalg.norm(course)) < 1e-6:
        return None
    course = course / np.linalg.norm(course)
    low, high = _NEAREST_M, _reach_m(shown, bounds_m)
    for _ in range(60):
        middle = math.sqrt(low * high)
        box = box_at(shown.eye[[0, 2]] + middle * course)
        near = not box.any() or foot_and_height(box)[1] > wanted.height_px
        low, high = (middle, high) if near else (low, middle)
    found = shown.eye[[0, 2]] + high * course
    box = box_at(found)
    fits = box.any() and 0.8 < foot_and_height(box)[1] / wanted.height_px < 1.25
    return np.asarray(found) if fits and _within(found, bounds_m) else None
