"""The rules of the moves that are about a character: follow, stationary, orbit, crane, dolly, dolly zoom; and
standing at a named camera. (:mod:`.free_moves` has those that are not.)

Each says where the camera's rig (:mod:`.rigs`) should be, frame by frame, and how far past the character the
view is turned (:class:`.sights.Start`).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .boxes import project_boxes
from .framing import Composition
from .free_moves import zoom_by
from .joining import BLEND_S
from .motion import as_one_goes, damped, steady, turn_to
from .progress import progress
from .rigs import (
    AIM,
    AZIMUTH,
    ELEVATION,
    LOG_DISTANCE,
    LOG_FOCAL,
    eyes_of,
    poses_of,
    rigs_at,
    slid,
    turned,
)
from .sights import Setup, Sight, Start, floor_under, looked_at
from .starts import azimuth_now, start_of

F64 = NDArray[np.float64]

YAW_LAG_S, YAW_RATE, SWING_MPS = 0.4, math.radians(80), 4.5
"""How a camera swings round whom it follows: its lag, and the fastest turn and speed."""
HEADING_M = 0.4
"""A camera that follows takes a new heading for one when the character has gone so far in it."""
ORBIT_DEG, CRANE_UP_M = 90.0, 3.0
NEAREST_M = 0.5
"""A dolly stops so far before what it goes to."""
PAN_S, PAN_RATE = 0.15, math.radians(200)
"""A camera that turns with someone is smoothed so much, or more where it would turn faster."""


def stand(setup: Setup) -> F64:
    """Stands at a named camera, and turns with what it looks at; its place is exact."""
    placed = setup.placed
    if placed is None:
        raise ValueError("only a named camera is stood at")
    look = looked_at(setup, placed)
    eye = np.repeat(placed.eye[None], len(look), axis=0)
    rig = rigs_at(eye, look, placed.focal_px, placed.clearance_m)
    angles = rig[:, [AZIMUTH, ELEVATION]]
    return turned(rig, steady(angles, setup.fps, PAN_S, PAN_RATE) - angles)


def _along(start: Composition, sight: Sight, floor: F64) -> F64:
    """The composition carried along with the character, [F, 9].

    Its place is taken from the blocking as it is: that is eased already, and a lag would shift the framing.
    """
    rig = np.repeat(start.rig(sight.root[0, [0, 2]], float(floor[0]))[None], len(sight.root), axis=0)
    rig[:, 0], rig[:, 1], rig[:, 2] = sight.root[:, 0], floor + start.aim_m, sight.root[:, 2]
    return rig


def _begin(setup: Setup) -> tuple[Start, F64]:
    """How a move that goes with the character starts, and its rig if that were all."""
    sight, at = setup.sight, setup.arrives
    floor = floor_under(sight, setup.fps)
    start = start_of(setup, float(sight.yaw_rad[at]), sight.root[at, [0, 2]], float(floor[at]))
    return start, _along(start.composition, sight, floor)


def _follow(setup: Setup) -> tuple[F64, Start]:
    """Keeps its side of the character, and its framing, while the character goes and turns.

    A camera whose side is not written does not go round with one who turns on the spot.
    """
    start, rig = _begin(setup)
    yaw, own = np.unwrap(setup.sight.yaw_rad), start.composition.azimuth_rad
    rate = min(YAW_RATE, SWING_MPS / start.composition.distance_m)
    if setup.spec.side is not None:
        heading = damped(yaw, 1.0 / setup.fps, YAW_LAG_S, rate)
        rig[:, AZIMUTH] = own + heading - heading[setup.arrives]
    else:
        side = _while_it_goes(own + yaw - yaw[setup.arrives], setup)
        rig[:, AZIMUTH] = damped(side, 1.0 / setup.fps, YAW_LAG_S, rate)
    if setup.target is not None:
        aside = rigs_at(eyes_of(rig), setup.target.points, 1.0, 0.0)
        for part in (AIM, AZIMUTH, ELEVATION, LOG_DISTANCE):
            rig[:, part] = aside[:, part]
    return rig, start


def _while_it_goes(side: F64, setup: Setup) -> F64:
    """A side [F + 1] that is gone to only as far as the character goes somewhere; until then the camera stays
    on the side on which it is."""
    sight, at = setup.sight, setup.arrives
    own = float(side[at])
    now = azimuth_now(setup, sight.root[0, [0, 2]], float(floor_under(sight, setup.fps)[0]))
    wanted = np.append(own if now is None else own + turn_to(own, now), side[1:])
    steps = np.linalg.norm(np.diff(sight.root[:, [0, 2]], axis=0), axis=1)
    steps[:at] = 0.0
    return as_one_goes(wanted, np.append(0.0, np.cumsum(steps)), HEADING_M)


def facing_of(yaw_rad: F64) -> float:
    """The way that somebody faces in the mean of some frames [F]."""
    return math.atan2(float(np.sin(yaw_rad).mean()), float(np.cos(yaw_rad).mean()))


def _stationary(setup: Setup) -> tuple[F64, Start]:
    """Stands still, from where it holds all that the character does once the camera has come to rest; or just
    where it is, if that is a place of its own; or where a box asks for."""
    spec, before, sight = setup.spec, setup.before, setup.sight
    settle = min(round(BLEND_S * setup.fps), len(sight.root) - 2) if before else 0
    settled = sight.since(0, 1) if setup.wanted else sight.since(settle)
    root, yaw = settled.root, settled.yaw_rad
    facing = facing_of(yaw)
    middle = 0.5 * (root.min(axis=0) + root.max(axis=0))[[0, 2]]
    above = root[0, 1] - sight.ground.at(root[0, [0, 2]])
    floor = float(sight.ground.at(middle) + above)
    start = start_of(setup, facing, middle, floor)
    own = before is not None and (before.placed or before.target != setup.about)
    stays = setup.wanted is not None or own
    if not stays and spec.distance_m is None and spec.frame not in {"medium", "close"}:
        start = replace(start, composition=_fit(start.composition, settled, middle, floor, setup.size_px))
    return np.repeat(start.composition.rig(middle, floor)[None], len(sight.root), axis=0), start


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


def _orbit(setup: Setup) -> tuple[F64, Start]:
    """Circles the character from the present pose, eased, always the same distance from where it aims.

    ``direction`` is the camera's own: left is clockwise seen from above.
    """
    start, rig = _begin(setup)
    spec = setup.spec
    angle = math.radians(ORBIT_DEG if spec.degrees is None else spec.degrees)
    sign = 1.0 if spec.direction in {"right", "counterclockwise"} else -1.0
    rig[:, AZIMUTH] = start.composition.azimuth_rad + sign * angle * _done(setup)
    return rig, start


def _crane(setup: Setup) -> tuple[F64, Start]:
    """Rises (or sinks) straight up, eased, and keeps looking at the character."""
    start, rig = _begin(setup)
    made = start.composition
    up = CRANE_UP_M if setup.spec.up_m is None else setup.spec.up_m
    up = -up if setup.spec.direction == "down" else up
    rise = made.eye_m - made.aim_m + up * _done(setup)
    rig[:, ELEVATION] = np.arctan2(rise, made.distance_m)
    rig[:, LOG_DISTANCE] = np.log(np.hypot(rise, made.distance_m))
    return rig, start


def _done(setup: Setup) -> F64:
    """0 until the move begins, 1 at the last frame of the part; [F + 1]."""
    return progress(len(setup.sight.root), setup.arrives, setup.spec.ease)


def _dolly(setup: Setup) -> tuple[F64, Start]:
    """Goes in to the character or out from it, on the line between them; the lens stays, and so does what is
    free above the head."""
    start, rig = _begin(setup)
    spec, near = setup.spec, math.exp(rig[0, LOG_DISTANCE])
    sign = 1.0 if spec.direction == "out" else -1.0
    habit = near / 2 if sign > 0 else near / 3
    far = near + sign * (habit if spec.metres is None else spec.metres)
    rig[:, LOG_DISTANCE] = np.log(_distances(near, far, _done(setup)))
    return (rig if setup.about else _with_headroom(rig, setup)), start


def _distances(near: float, far: float, done: F64) -> F64:
    """From one distance to another, never nearer than ``NEAREST_M`` (nor half of it in the frame after)."""
    least = min(NEAREST_M, near)
    return np.asarray(np.maximum(near + (max(far, least) - near) * done, least / 2))


def _with_headroom(rig: F64, setup: Setup) -> F64:
    """The view tilted so that the head stays as high in the picture as it is when the move begins."""
    sight, eye = setup.sight, eyes_of(rig)
    away = eye - np.column_stack([sight.root[:, 0], rig[:, 1], sight.root[:, 2]])
    flat = np.hypot(away[:, 0], away[:, 2])
    head = floor_under(sight, setup.fps) + sight.height_m
    above = np.arctan2(head - eye[:, 1], flat)
    turn = np.zeros((len(rig), 2))
    turn[:, 1] = (above + rig[:, ELEVATION])[setup.arrives] - (above + rig[:, ELEVATION])
    tilted = turned(rig, turn)
    return slid(tilted, np.log(flat / np.cos(tilted[:, ELEVATION])))  # the aim stays in the character


def _dolly_zoom(setup: Setup) -> tuple[F64, Start]:
    """A dolly whose lens changes so that the character keeps its size, while what is behind it grows or
    shrinks. The lens decides where one is written for its end, else the way."""
    start, rig = _begin(setup)
    spec, near = setup.spec, math.exp(rig[0, LOG_DISTANCE])
    if spec.metres is None:
        by = zoom_by(setup, float(rig[0, LOG_FOCAL]), grows=spec.direction == "out")
        far = near * math.exp(by)
    else:
        far = near + (spec.metres if spec.direction == "out" else -spec.metres)
    distance = _distances(near, far, _done(setup))
    rig[:, LOG_DISTANCE] = np.log(distance)
    rig[:, LOG_FOCAL] += np.log(distance / near)
    return rig, start


RULES = {
    "follow": _follow,
    "stationary": _stationary,
    "rack_focus": _stationary,
    "orbit": _orbit,
    "crane": _crane,
    "dolly": _dolly,
    "dolly_zoom": _dolly_zoom,
}
