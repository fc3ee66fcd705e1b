"""Composition: from where, how far and how high a camera looks at a character."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..core.camera import intrinsics_from_fov_y, intrinsics_from_lens
from ..core.screenplay import CameraSpec, KeySpec, PlacementSpec
from .rigs import AZIMUTH, ELEVATION, LEAST_CLEARANCE_M, LOG_DISTANCE, LOG_FOCAL

F64 = NDArray[np.float64]

FRAMES = {"wide": (0.35, 0.5), "full": (0.75, 0.5), "medium": (1.6, 0.72), "close": (3.0, 0.88)}
"""Frame → height of the whole body in picture heights, and the height aimed at in body heights."""
FOLLOW_FRAME = (0.55, 0.55)
SHOULDER_DEG = 14.0
"""A camera that looks over someone's shoulder stands so far to its right, and looks where it faces."""
SHOULDER = (0.62, 0.98, 0.9)
"""How far away, how high, and how high it aims, in body heights."""
HEADROOM = 0.08
"""A camera that is written so near that it cannot hold the whole body leaves so much of the picture free
above the head, and lets the feet go."""
SIDES_DEG = {
    "front": 0.0,
    "left": 90.0,
    "behind": 180.0,
    "right": -90.0,
    "over_the_shoulder": 180.0 + SHOULDER_DEG,
}
"""Where the camera stands, from the character's facing towards its own left."""
THREE_QUARTER_DEG = 30.0
LENS_MM = 35.0
MIDDLE = 0.55
"""Height at which a placed camera looks at a body, in body heights."""
EYE = 1.45 / 1.72
"""Height of a standing camera in body heights: about the chest and shoulders of the character."""
FOLLOW_EYE = 1.05


@dataclass(frozen=True)
class Composition:
    """A camera relative to a character: azimuth on the stage, metres along and above the ground, pixels."""

    azimuth_rad: float
    distance_m: float
    eye_m: float
    aim_m: float
    focal_px: float

    def rig(self, xz: F64, ground_m: float) -> F64:
        """The rig [9], with the character at ``xz`` on ground of that height."""
        rise = self.eye_m - self.aim_m
        return np.array([
            xz[0], ground_m + self.aim_m, xz[1], self.azimuth_rad, math.atan2(rise, self.distance_m),
            math.log(math.hypot(rise, self.distance_m)), math.log(self.focal_px), LEAST_CLEARANCE_M, 0.0,
        ])  # fmt: skip


def composition_of(rig: F64, ground_m: float) -> Composition:
    """The composition that a rig is, over ground of that height."""
    distance = math.exp(rig[LOG_DISTANCE])
    aim = float(rig[1]) - ground_m
    return Composition(
        float(rig[AZIMUTH]),
        max(distance * math.cos(rig[ELEVATION]), 1e-3),
        aim + distance * math.sin(rig[ELEVATION]),
        aim,
        math.exp(rig[LOG_FOCAL]),
    )


def composition_from(eye: F64, xz: F64, ground_m: float, *, aim_m: float, focal_px: float) -> Composition:
    """The composition of a camera at ``eye`` [3] that looks at a character at ``xz`` on that ground."""
    x, z = float(eye[0] - xz[0]), float(eye[2] - xz[1])
    return Composition(
        math.atan2(x, z), max(math.hypot(x, z), 1e-3), float(eye[1]) - ground_m, aim_m, focal_px
    )


def written_focal_px(spec: CameraSpec | PlacementSpec | KeySpec, size_px: tuple[int, int]) -> float | None:
    """The focal length that a camera is written with, or None."""
    if spec.lens_mm is not None:
        return float(intrinsics_from_lens(spec.lens_mm, size_px)[0, 0])
    if spec.fov_y_deg is not None:
        return float(intrinsics_from_fov_y(spec.fov_y_deg, size_px)[1, 1])
    return None


def compose(
    spec: CameraSpec,
    *,
    yaw_rad: float,
    height_m: float,
    lift_m: float,
    size_px: tuple[int, int],
    present: Composition | None,
) -> Composition:
    """The composition that a move (``spec.move``) starts from, or goes to.

    What is written holds. What is not comes from the present camera where the take has one (a follow, though,
    always has its own side and framing), else from the move's habit: a follow from behind, others three
    quarters from the front.

    Args:
        height_m, lift_m: of the character, and how high it jumps, for which there is room where the whole
            body is shown.
        present: the camera where the shot before in the take left it.
    """
    follow = spec.move == "follow"
    fresh = present is None or follow
    focal = written_focal_px(spec, size_px)
    if focal is None:
        focal = present.focal_px if present else float(intrinsics_from_lens(LENS_MM, size_px)[0, 0])
    fill, aim = FRAMES[spec.frame] if spec.frame else FOLLOW_FRAME if follow else FRAMES["full"]
    side = SIDES_DEG[spec.side] if spec.side else 180.0 if follow else THREE_QUARTER_DEG
    room = 0.0 if follow or spec.frame in {"medium", "close"} else lift_m
    made = Composition(
        yaw_rad + math.radians(side),
        max(focal * (height_m + room) / (fill * size_px[1]), 0.5),
        height_m * (FOLLOW_EYE if follow else max(EYE, aim)),
        height_m * aim + 0.5 * room,
        focal,
    )
    if spec.side == "over_the_shoulder" and spec.frame is None:
        away, eye, aim = (height_m * share for share in SHOULDER)
        made = replace(made, distance_m=away, eye_m=eye, aim_m=aim)
    elif present is not None and not fresh:
        if spec.frame is None:
            made = replace(made, distance_m=present.distance_m, eye_m=present.eye_m, aim_m=present.aim_m)
        if spec.side is None:
            made = replace(made, azimuth_rad=present.azimuth_rad)
    if spec.distance_m is not None:
        made = replace(made, distance_m=spec.distance_m)
    if spec.height_m is not None:
        made = replace(made, eye_m=spec.height_m)
    if spec.headroom is not None:
        return with_headroom(made, height_m + room, spec.headroom, size_px)
    if spec.distance_m is not None and spec.frame is None:
        heads = with_headroom(made, height_m + room, HEADROOM, size_px)
        made = max(made, heads, key=lambda one: one.aim_m)
    return made


def with_headroom(made: Composition, top_m: float, headroom: float, size_px: tuple[int, int]) -> Composition:
    """The same place, aimed so that a share of the picture is free above ``top_m``."""
    above = math.atan2(top_m - made.eye_m, made.distance_m)
    share = math.atan((0.5 - headroom) * size_px[1] / made.focal_px)
    steepest = math.radians(85)
    aim = min(max(above - share, -steepest), steepest)
    return replace(made, aim_m=made.eye_m + made.distance_m * math.tan(aim))
