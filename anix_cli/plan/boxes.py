"""Anchor boxes: the picture rectangle that a character's whole body takes, computed from its 3D extent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.easing import smoothstep
from ..core.gait import Steps
from ..core.plan import Gesture

F64 = NDArray[np.float64]
NEAR_M = 0.02

SWING = (0.03, 0.29, 0.20)
"""How far swinging limbs reach beyond a body at rest, in heights: to each side, back and forward. Measured on
posed bodies: back, a walk needs 0.26 and the folded leg of a run 0.28; forward, 0.18."""
FULL_SWING_MPS = 0.8

RAISED = frozenset({
    "beckon", "catch", "cheer", "dance", "pose", "raise", "raise_arms", "shake", "stretch", "throw", "wave",
})  # fmt: skip
"""Gestures that may lift a hand over the head…"""
WIDE = RAISED | {"curtsy", "point", "salute", "shrug"}
"""…or an elbow far to the side."""
SMALL = frozenset({
    "blink", "breathe", "cry", "frown", "laugh", "listen", "look", "nod", "shake_head", "shiver", "sigh",
    "sing", "smile", "talk", "think", "whisper", "whistle", "wink",
})  # fmt: skip
"""Gestures of face and head; what is not among them stretches an arm, or the whole trunk, forward."""
SEATED = frozenset({"kneel", "sit"})
UP, SIDE, FORWARD, SMALL_FORWARD, BACK, SEATED_BACK = 0.15, 0.43, 0.46, 0.12, 0.22, 0.34
"""In heights, measured on posed bodies: above the head; and from the root."""


class Extent(Protocol):
    """A character's size at rest, metres: across the shoulders, from front to back, from the soles up; and
    its steps, None for those of a person."""

    @property
    def width_m(self) -> float: ...
    @property
    def depth_m(self) -> float: ...
    @property
    def height_m(self) -> float: ...
    @property
    def steps(self) -> Steps | None: ...


def room_of(extent: Extent, speed_mps: F64, lift_m: F64, gestures: Sequence[Gesture] = ()) -> F64:
    """The room that a body needs in its own frame, frame by frame, with what swings and reaches.

    Args:
        speed_mps, lift_m: [F]; gestures count their frames from the first of these.

    Returns:
        [F, 2, 3] float64: lower and upper corner, metres from the root, +x the character's left, +z forward.
    """
    height = extent.height_m
    going = smoothstep(speed_mps, 0.0, FULL_SWING_MPS)
    side, back, front = (share * height * going for share in SWING)
    side = side + 0.5 * extent.width_m
    back, front = back + 0.5 * extent.depth_m, front + 0.5 * extent.depth_m
    top = np.full_like(lift_m, height)

    def at_least(reach: F64, share: float, shown: slice) -> None:
        reach[shown] = np.maximum(reach[shown], share * height)

    for gesture in gestures:
        shown = slice(max(gesture.start, 0), max(gesture.start + gesture.frames, 0))
        at_least(front, SMALL_FORWARD if gesture.action in SMALL else FORWARD, shown)
        at_least(top, 1 + UP if gesture.action in RAISED else 1, shown)
        at_least(side, SIDE if gesture.action in WIDE else 0, shown)
        at_least(back, SEATED_BACK if gesture.action in SEATED else BACK, shown)
    room = np.empty((len(lift_m), 2, 3))
    room[:, 0, 0], room[:, 0, 1], room[:, 0, 2] = -side, lift_m, -back
    room[:, 1, 0], room[:, 1, 1], room[:, 1, 2] = side, lift_m + top, front
    return room


_CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
_EDGES = np.array([(a, b) for a in range(8) for b in range(a + 1, 8)
                   if np.count_nonzero(_CORNERS[a] != _CORNERS[b]) == 1])  # fmt: skip


def project_boxes(
    root: F64,
    yaw_rad: F64,
    room: F64,
    *,
    world_from_camera: F64,
    intrinsics: F64,
    size_px: tuple[int, int],
) -> tuple[F64, NDArray[np.bool_]]:
    """Projects the upright box that encloses the character (:func:`room_of`), turned by its yaw.

    Edges that pass the camera plane are cut just before it, so that a body that is partly behind the camera
    still has a finite box.

    Args:
        root: [F, 3]; yaw_rad: [F]; room: [F, 2, 3]; world_from_camera: [F, 4, 4]; intrinsics: [F, 3, 3].

    Returns:
        box_px [F, 4] as x0 y0 x1 y1, not clipped to the picture, zeros where all lies behind the camera; and
        visible [F], whether any of it lies in the picture.
    """
    x, y, z = (room[:, _CORNERS[:, axis], axis] for axis in range(3))
    cos, sin = np.cos(yaw_rad)[:, None], np.sin(yaw_rad)[:, None]
    turned = (cos * x + sin * z, y, cos * z - sin * x)
    offset = (root - world_from_camera[:, :3, 3])[..., None]
    away = [along + offset[:, axis] for axis, along in enumerate(turned)]
    axes = world_from_camera[:, :3, :3, None]
    points = np.empty((3, *x.shape))
    for axis in range(3):
        points[axis] = away[0] * axes[:, 0, axis] + away[1] * axes[:, 1, axis] + away[2] * axes[:, 2, axis]
    counts = points[2] >= NEAR_M
    whole = counts.all()
    if not whole:
        points, counts = _cut_off(points, counts)
    focal, centre = intrinsics[:, (0, 1), (0, 1)].T[..., None], intrinsics[:, :2, 2].T[..., None]
    pixels = points[:2] / np.maximum(points[2], NEAR_M) * focal + centre
    box = np.empty((len(root), 4))
    box[:, :2] = (pixels if whole else np.where(counts, pixels, np.inf)).min(axis=-1).T
    box[:, 2:] = (pixels if whole else np.where(counts, pixels, -np.inf)).max(axis=-1).T
    before = counts.any(axis=-1)
    box[~before] = 0.0
    inside = (box[:, 0] < size_px[0]) & (box[:, 1] < size_px[1]) & (box[:, 2] > 0) & (box[:, 3] > 0)
    return box, before & inside


def _cut_off(corners: F64, before: NDArray[np.bool_]) -> tuple[F64, NDArray[np.bool_]]:
    """Corners [3, F, 8] in the camera's frame and where edges pass into view, [3, F, 20]; and which of these
    there are, [F, 20]. ``before`` [F, 8]: which corners the camera has before it."""
    start, stop = corners[..., _EDGES[:, 0]], corners[..., _EDGES[:, 1]]
    span = stop[2] - start[2]
    share = (NEAR_M - start[2]) / np.where(np.abs(span) < 1e-12, 1e-12, span)
    cut = start + np.clip(share, 0, 1) * (stop - start)
    crosses = before[:, _EDGES[:, 0]] != before[:, _EDGES[:, 1]]
    return np.concatenate([corners, cut], axis=-1), np.concatenate([before, crosses], axis=-1)
