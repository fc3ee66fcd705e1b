"""Camera moves: follow, stationary, orbit, crane.

Each move is a rule that says where the camera's rig (:mod:`.framing`) should be, frame by frame. Joining is
done in one place: in a take, the rig's present offset from the new rule, with its rate of change, dies away
(:func:`.motion.fade_out`), so that neither place nor speed jumps where shots meet, whatever the two moves
are. A camera at rest starts the next shot exactly where it stands.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..core.easing import smoothstep
from ..core.screenplay import CameraSpec
from ..core.stage import HeightMap
from .boxes import project_boxes
from .framing import (
    AIM,
    AZIMUTH,
    ELEVATION,
    LOG_DISTANCE,
    LOG_FOCAL,
    Composition,
    compose,
    composition_of,
)
from .motion import damped, fade_out, wrap

F64 = NDArray[np.float64]

YAW_LAG_S, YAW_RATE = 0.4, math.radians(80)
GROUND_LAG_S = 0.25
BLEND_S = 1.0
LEAST_CLEARANCE_M = 0.3
ORBIT_DEG, CRANE_UP_M = 90.0, 3.0
_PARTS = (AIM, *(slice(part, part + 1) for part in (AZIMUTH, ELEVATION, LOG_DISTANCE, LOG_FOCAL)))
BLEND_RATES = (7.0, math.radians(75), math.radians(75), 0.8, 0.8)
"""How fast a blend may move each part of the rig: m/s, rad/s, rad/s, and e-folds a second."""


@dataclass(frozen=True)
class CameraState:
    """The rig [7] one frame after a shot, where the camera would go on, and its change a second; and the
    height of what the character that it filmed stands on."""

    rig: F64
    rate: F64
    floor_m: float


@dataclass(frozen=True)
class Filmed:
    """A shot's camera: world_from_camera [F, 4, 4], intrinsics [F, 3, 3], and the state in which it ends."""

    world_from_camera: F64
    intrinsics: F64
    end: CameraState


@dataclass(frozen=True)
class Sight:
    """What a camera films: the character's blocking, [F + 1, 3] and [F + 1], the room it takes [F + 1, 2, 3]
    (:func:`.boxes.room_of`) and its height.

    The last sample is that of the frame after the shot.
    """

    root: F64
    yaw_rad: F64
    room: F64
    height_m: float
    ground: HeightMap

    @property
    def lift_m(self) -> float:
        """How high it jumps."""
        return float(self.room[:, 0, 1].max())

    def since(self, frame: int) -> Sight:
        """The same from a frame on."""
        return replace(self, root=self.root[frame:], yaw_rad=self.yaw_rad[frame:], room=self.room[frame:])


def film(
    spec: CameraSpec, sight: Sight, size_px: tuple[int, int], fps: float, before: CameraState | None
) -> Filmed:
    """Films one shot.

    Args:
        spec: its ``move`` is follow, stationary, orbit or crane.
        before: how the shot before in the take ended; None at the start of a take, where the camera begins
            exactly as composed.
    """
    rule = _RULES[spec.move](spec, sight, size_px, fps, before)
    rig = rule if before is None else _join(rule, before, fps)
    poses, intrinsics = poses_of(rig[:-1], sight.ground, size_px)
    return Filmed(poses, intrinsics, CameraState(rig[-1], (rig[-1] - rig[-2]) * fps, sight.root[-1, 1]))


def poses_of(rig: F64, ground: HeightMap, size_px: tuple[int, int]) -> tuple[F64, F64]:
    """Rigs [F, 7] → world_from_camera [F, 4, 4] and intrinsics [F, 3, 3].

    The picture's right comes from the azimuth, not from a world up, so that a camera may look straight down.
    A camera that would come within 0.3 m of the ground, or below it, is lifted, softly.
    """
    aim, distance = rig[:, AIM], np.exp(rig[:, LOG_DISTANCE])
    flat = distance * np.cos(rig[:, ELEVATION])
    eye = aim + np.column_stack(
        [flat * np.sin(rig[:, AZIMUTH]), distance * np.sin(rig[:, ELEVATION]), flat * np.cos(rig[:, AZIMUTH])]
    )
    floor = ground.at(eye[:, [0, 2]]) + LEAST_CLEARANCE_M
    softness = 0.05
    eye[:, 1] = floor + softness * np.logaddexp(0.0, (eye[:, 1] - floor) / softness)
    forward = aim - eye
    forward /= np.linalg.norm(forward, axis=1, keepdims=True)
    right = np.column_stack([np.cos(rig[:, AZIMUTH]), 0 * flat, -np.sin(rig[:, AZIMUTH])])
    poses = np.zeros((len(rig), 4, 4))
    poses[:, :3, 0], poses[:, :3, 1], poses[:, :3, 2] = right, np.cross(forward, right), forward
    poses[:, :3, 3], poses[:, 3, 3] = eye, 1.0
    intrinsics = np.zeros((len(rig), 3, 3))
    focal = np.exp(rig[:, LOG_FOCAL])
    intrinsics[:, 0, 0], intrinsics[:, 1, 1], intrinsics[:, 2, 2] = focal, focal, 1.0
    intrinsics[:, 0, 2], intrinsics[:, 1, 2] = size_px[0] / 2, size_px[1] / 2
    return poses, intrinsics


def _join(rule: F64, before: CameraState, fps: float) -> F64:
    """The rule, begun from the camera's present state: each part of the rig on its own."""
    offset = before.rig - rule[0]
    offset[AZIMUTH] = wrap(offset[AZIMUTH])
    rate = before.rate - (rule[1] - rule[0]) * fps
    times = np.arange(len(rule)) / fps
    joined = rule.copy()
    for part, fastest in zip(_PARTS, BLEND_RATES, strict=True):
        length = _blend_s(offset[part], rate[part], fastest, brakes=part == AIM)
        joined[:, part] += fade_out(offset[part], rate[part], times, length)
    return joined


def _blend_s(offset: F64, rate: F64, fastest: float, *, brakes: bool) -> float:
    """How long an offset takes to die away.

    Where the camera's place (``brakes``) is closing in already, just so long that it goes on to do so evenly
    and does not pass where it stops: a quintic from offset −d at rate v is monotonic while v·T ≤ 2.5·d.
    """
    away = float(np.linalg.norm(offset))
    closing = -float(offset @ rate) / away if away > 1e-6 else 0.0
    if brakes and closing > 0.05:
        return min(max(2.4 * away / closing, 0.5), 3.0)
    return max(BLEND_S, 1.875 * away / fastest)


def _floor_under(sight: Sight, fps: float) -> F64:
    """What the character stands on: the ground, or where an exact anchor put it above that."""
    return damped(sight.root[:, 1], 1.0 / fps, GROUND_LAG_S)


def _start(
    spec: CameraSpec, sight: Sight, size_px: tuple[int, int], yaw: float, before: CameraState | None
) -> Composition:
    present = composition_of(before.rig, before.floor_m) if before else None
    return compose(
        spec, yaw_rad=yaw, height_m=sight.height_m, lift_m=sight.lift_m, size_px=size_px, present=present
    )


def _along(start: Composition, sight: Sight, fps: float) -> F64:
    """The composition carried along with the character, [F, 7].

    Its place is taken from the blocking as it is: that is eased already, and a lag would shift the framing.
    """
    floor = _floor_under(sight, fps)
    rig = np.repeat(start.rig(sight.root[0, [0, 2]], float(floor[0]))[None], len(sight.root), axis=0)
    rig[:, 0], rig[:, 1], rig[:, 2] = sight.root[:, 0], floor + start.aim_m, sight.root[:, 2]
    return rig


def _follow(
    spec: CameraSpec, sight: Sight, size_px: tuple[int, int], fps: float, before: CameraState | None
) -> F64:
    """Keeps its side of the character, and its framing, while the character goes and turns."""
    start = _start(spec, sight, size_px, float(sight.yaw_rad[0]), before)
    rig = _along(start, sight, fps)
    heading = damped(np.unwrap(sight.yaw_rad), 1.0 / fps, YAW_LAG_S, YAW_RATE)
    rig[:, AZIMUTH] = start.azimuth_rad + heading - heading[0]
    return rig


def _stationary(
    spec: CameraSpec, sight: Sight, size_px: tuple[int, int], fps: float, before: CameraState | None
) -> F64:
    """Stands still, from where it holds all that the character does once the camera has come to rest."""
    settle = min(round(BLEND_S * fps), len(sight.root) - 2) if before else 0
    settled = sight.since(settle)
    root, yaw = settled.root, settled.yaw_rad
    facing = math.atan2(float(np.sin(yaw).mean()), float(np.cos(yaw).mean()))
    start = _start(spec, sight, size_px, facing, before)
    middle = 0.5 * (root.min(axis=0) + root.max(axis=0))[[0, 2]]
    above = root[0, 1] - sight.ground.at(root[0, [0, 2]])
    floor = float(sight.ground.at(middle) + above)
    if spec.distance_m is None and spec.frame not in {"medium", "close"}:
        start = _fit(start, settled, middle, floor, size_px)
    return np.repeat(start.rig(middle, floor)[None], len(sight.root), axis=0)


def _fit(
    start: Composition, sight: Sight, middle: F64, floor: float, size_px: tuple[int, int]
) -> Composition:
    """The same composition from far enough away to hold the whole path, and jumps to their top."""
    if np.ptp(sight.root[:, [0, 2]], axis=0).max() < 0.5 and sight.lift_m < 0.05:
        return start
    top = sight.room[:, 0, 1].argmax()
    some = np.unique([*np.linspace(0, len(sight.root) - 1, 24).astype(int), top])
    root, yaw, room = sight.root[some], sight.yaw_rad[some], sight.room[some]
    margin = 0.04 * np.array(size_px)
    for _ in range(24):
        rig = np.repeat(start.rig(middle, floor)[None], len(some), axis=0)
        poses, intrinsics = poses_of(rig, sight.ground, size_px)
        box, visible = project_boxes(
            root, yaw, room, world_from_camera=poses, intrinsics=intrinsics, size_px=size_px
        )
        inside = (box[:, :2] >= margin).all() and (box[:, 2:] <= np.array(size_px) - margin).all()
        if inside and visible.all():
            break
        start = replace(start, distance_m=start.distance_m * 1.12)
    return start


def _orbit(
    spec: CameraSpec, sight: Sight, size_px: tuple[int, int], fps: float, before: CameraState | None
) -> F64:
    """Circles the character from the present pose, eased, always the same distance from where it aims.

    ``direction`` is the camera's own: left is clockwise seen from above.
    """
    start = _start(spec, sight, size_px, float(sight.yaw_rad[0]), before)
    rig = _along(start, sight, fps)
    angle = math.radians(ORBIT_DEG if spec.degrees is None else spec.degrees)
    sign = 1.0 if spec.direction == "right" else -1.0
    rig[:, AZIMUTH] = start.azimuth_rad + sign * angle * _progress(len(rig))
    return rig


def _crane(
    spec: CameraSpec, sight: Sight, size_px: tuple[int, int], fps: float, before: CameraState | None
) -> F64:
    """Rises (or sinks) straight up, eased, and keeps looking at the character."""
    start = _start(spec, sight, size_px, float(sight.yaw_rad[0]), before)
    rig = _along(start, sight, fps)
    up = CRANE_UP_M if spec.up_m is None else spec.up_m
    rise = start.eye_m - start.aim_m + up * _progress(len(rig))
    rig[:, ELEVATION] = np.arctan2(rise, start.distance_m)
    rig[:, LOG_DISTANCE] = np.log(np.hypot(rise, start.distance_m))
    return rig


def _progress(samples: int) -> F64:
    """0 at the first frame of the shot, 1 at its last, eased; [F + 1], at rest at the end."""
    return smoothstep(np.arange(samples) / max(samples - 2, 1))


_RULES = {"follow": _follow, "stationary": _stationary, "orbit": _orbit, "crane": _crane}
