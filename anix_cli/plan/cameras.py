"""Camera moves: follow, stationary, orbit, crane; and named cameras, where they stand or begin.

Each move is a rule that says where the camera's rig (:mod:`.rigs`) should be, frame by frame. Joining is done
in one place (:mod:`.joining`), so that nothing jumps where the parts of a take meet. A camera at rest starts
the next part exactly where it stands.

With a named camera, the first part of a take begins exactly there. In the middle of a take the camera travels
there: for the whole part if it is to stand there, else for the first half of it, and moves on in the second.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..core.easing import smoothstep
from ..core.screenplay import CameraSpec
from ..core.stage import HeightMap
from .boxes import project_boxes
from .framing import MIDDLE, Composition, compose, composition_from, composition_of
from .joining import BLEND_S, CameraState, join
from .motion import damped, fade_out, steady
from .rigs import (
    AZIMUTH,
    CLEARANCE,
    ELEVATION,
    LEAST_CLEARANCE_M,
    LOG_DISTANCE,
    eyes_of,
    offset_of,
    poses_of,
    rigs_at,
    turned,
)
from .wanted import Wanted, compose_to

F64 = NDArray[np.float64]

YAW_LAG_S, YAW_RATE = 0.4, math.radians(80)
GROUND_LAG_S = 0.25
ORBIT_DEG, CRANE_UP_M = 90.0, 3.0
PAN_S, PAN_RATE = 0.15, math.radians(200)
"""A camera that turns with someone is smoothed so much, or more where it would turn faster."""
LOOK_RATE = math.radians(75)
THERE_M = 0.05
"""A camera that is so near to a named one is there."""
SHORTEST_S = 0.25


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

    def since(self, start: int, stop: int | None = None) -> Sight:
        """The same from a sample on."""
        cut = slice(start, stop)
        return replace(self, root=self.root[cut], yaw_rad=self.yaw_rad[cut], room=self.room[cut])


@dataclass(frozen=True)
class Placed:
    """A named camera as it stands in a shot.

    Attributes:
        eye: [3], metres.
        look: [F + 1, 3], what it looks at, frame by frame; None is the one who acts.
        focal_px: of the lens it is written with.
        above_m: how far above the ground it is.
    """

    eye: F64
    look: F64 | None
    focal_px: float
    above_m: float


@dataclass(frozen=True)
class Part:
    """One of the moves of a shot. ``spec.move`` is follow, stationary, orbit or crane."""

    spec: CameraSpec
    frames: int
    placed: Placed | None = None


@dataclass(frozen=True)
class _Setup:
    """A part with all that its rule looks at; ``sight`` and ``look`` are those of its own frames."""

    spec: CameraSpec
    sight: Sight
    size_px: tuple[int, int]
    fps: float
    before: CameraState | None
    placed: Placed | None
    wanted: Wanted | None

    @property
    def arrives(self) -> int:
        """The frame at which the camera is at the named one, and the move begins."""
        away = self.placed is not None and self.before is not None and not self.is_there
        return (len(self.sight.root) - 1) // 2 if away else 0

    @property
    def is_there(self) -> bool:
        """Whether the camera stands at the named one already."""
        if self.placed is None or self.before is None:
            return False
        return bool(np.linalg.norm(eyes_of(self.before.rig) - self.placed.eye) <= THERE_M)


@dataclass(frozen=True)
class _Start:
    """From where a move begins, and how far past the character it looks: [2], azimuth and elevation; for good
    (``keeps``, as a box asks for), or until the view has turned to the character."""

    composition: Composition
    turn: tuple[float, float] = (0.0, 0.0)
    keeps: bool = True


def film(
    parts: Sequence[Part],
    sight: Sight,
    size_px: tuple[int, int],
    fps: float,
    before: CameraState | None,
    wanted: Wanted | None = None,
) -> Filmed:
    """Films one shot.

    Args:
        parts: its moves in order; their frames add up to those of the shot.
        before: how the shot before in the take ended; None at the start of a take, where the camera begins
            exactly as composed.
        wanted: where the body is to be in the picture at the start of a take, unless a named camera says.
    """
    poses, lenses, start = list[F64](), list[F64](), 0
    state = before
    for part in parts:
        stop = start + part.frames
        placed = part.placed
        if placed is not None and placed.look is not None:
            placed = replace(placed, look=placed.look[start : stop + 1])
        asked = wanted if state is None and placed is None else None
        setup = _Setup(part.spec, sight.since(start, stop + 1), size_px, fps, state, placed, asked)
        rig, state = _film(setup)
        pose, lens = poses_of(rig[:-1], sight.ground, size_px)
        poses.append(pose)
        lenses.append(lens)
        start = stop
    if state is None:
        raise ValueError("a shot has at least one camera")
    return Filmed(np.concatenate(poses), np.concatenate(lenses), state)


def _film(setup: _Setup) -> tuple[F64, CameraState]:
    """The rig [F + 1, 8] of one part, and how it ends."""
    placed, before, move = setup.placed, setup.before, setup.spec.move
    stands = placed is not None and move == "stationary"
    turn = (0.0, 0.0)
    if stands:
        rule = _stand(setup)
    else:
        rule, start = _RULES[move](setup)
        rule = _look_past(rule, start, setup)
        turn = start.turn if start.keeps else turn
    elsewhere = stands and placed is not None and placed.look is not None
    if before is not None:
        stays = before.placed and placed is None and move == "stationary"
        by_eye = elsewhere or before.elsewhere or stays
        rule = join(rule, before, setup.fps, by_eye=by_eye, travel_s=_travel_s(setup, stands=stands))
    floor = float(setup.sight.root[-1, 1])
    return rule, CameraState(rule[-2:], floor, placed=stands, elsewhere=elsewhere, turn=turn)


def _travel_s(setup: _Setup, *, stands: bool) -> float | None:
    """How long the camera takes to get to a named one; None where it is there, or there is none."""
    if setup.placed is None or setup.is_there:
        return None
    frames = len(setup.sight.root) - 2 if stands else setup.arrives
    return max(frames / setup.fps, SHORTEST_S)


def _floor_under(sight: Sight, fps: float) -> F64:
    """What the character stands on: the ground, or where an exact anchor put it above that."""
    return damped(sight.root[:, 1], 1.0 / fps, GROUND_LAG_S)


def _middle_of(sight: Sight, fps: float) -> F64:
    """What a named camera looks at in the one who acts, [F, 3]."""
    return np.column_stack(
        [sight.root[:, 0], _floor_under(sight, fps) + MIDDLE * sight.height_m, sight.root[:, 2]]
    )


def _look_at(setup: _Setup, placed: Placed) -> F64:
    return _middle_of(setup.sight, setup.fps) if placed.look is None else placed.look


def _stand(setup: _Setup) -> F64:
    """Stands at a named camera, and turns with what it looks at; its place is exact."""
    placed = setup.placed
    if placed is None:
        raise ValueError("only a named camera is stood at")
    clearance = min(LEAST_CLEARANCE_M, placed.above_m - 2.0)
    look = _look_at(setup, placed)
    eye = np.repeat(placed.eye[None], len(look), axis=0)
    rig = rigs_at(eye, look, placed.focal_px, clearance)
    angles = rig[:, [AZIMUTH, ELEVATION]]
    return turned(rig, steady(angles, setup.fps, PAN_S, PAN_RATE) - angles)


def _start(setup: _Setup, yaw: float, xz: F64, floor_m: float) -> _Start:
    """Where a move starts: at a named camera, in the box that is asked for, where the camera is, or as its
    habit is. The character is at ``xz`` then."""
    sight, placed, before = setup.sight, setup.placed, setup.before
    if placed is not None:
        return _start_at(setup, placed, xz, floor_m)
    present = None if before is None else _present(before, sight, xz, floor_m)
    made = compose(
        setup.spec,
        yaw_rad=yaw,
        height_m=sight.height_m,
        lift_m=sight.lift_m,
        size_px=setup.size_px,
        present=present,
    )
    if setup.wanted is not None:
        made, turn = compose_to(
            setup.wanted, made, sight.root[0], yaw, sight.room[0], ground=sight.ground, size_px=setup.size_px
        )
        return _Start(made, turn)
    spec = setup.spec
    reframed = (spec.frame, spec.side, spec.distance_m) != (None, None, None) or spec.move == "follow"
    return _Start(made) if before is None or reframed else _Start(made, before.turn)


def _present(before: CameraState, sight: Sight, xz: F64, floor_m: float) -> Composition:
    """How the camera that is there looks at the character, or would if it turned to it."""
    rig = before.rig
    if before.placed:
        aim, focal = MIDDLE * sight.height_m, math.exp(rig[-2])
        return composition_from(eyes_of(rig), xz, floor_m, aim_m=aim, focal_px=focal)
    return composition_of(turned(rig, -np.array(before.turn)), before.floor_m)


def _start_at(setup: _Setup, placed: Placed, xz: F64, floor_m: float) -> _Start:
    """From a named camera, looking where it looks."""
    aim = MIDDLE * setup.sight.height_m
    made = composition_from(placed.eye, xz, floor_m, aim_m=aim, focal_px=placed.focal_px)
    look = _look_at(setup, placed)[setup.arrives]
    own = rigs_at(placed.eye[None], look[None], placed.focal_px, 0.0)[0]
    azimuth, elevation = offset_of(own, made.rig(xz, floor_m))[[AZIMUTH, ELEVATION]]
    return _Start(made, (float(azimuth), float(elevation)), keeps=False)


def _look_past(rule: F64, start: _Start, setup: _Setup) -> F64:
    """The rule with the view turned past the character; and with what a low named camera may do."""
    turn, placed, arrives = np.array(start.turn), setup.placed, setup.arrives
    since = np.maximum(np.arange(len(rule)) - arrives, 0) / setup.fps
    if placed is not None:
        least = min(LEAST_CLEARANCE_M, placed.above_m - 2.0), min(LEAST_CLEARANCE_M, placed.above_m / 2)
        rule[:, CLEARANCE] = least[0] + (least[1] - least[0]) * smoothstep(since / BLEND_S)
    if not turn.any():
        return rule
    if start.keeps:
        return turned(rule, turn)
    rest = max((len(rule) - 2 - arrives) / setup.fps, SHORTEST_S)
    length = min(max(BLEND_S, 1.875 * float(np.abs(turn).max()) / LOOK_RATE), rest)
    return turned(rule, fade_out(turn, 0.0 * turn, since, length))


def _along(start: Composition, sight: Sight, floor: F64) -> F64:
    """The composition carried along with the character, [F, 8].

    Its place is taken from the blocking as it is: that is eased already, and a lag would shift the framing.
    """
    rig = np.repeat(start.rig(sight.root[0, [0, 2]], float(floor[0]))[None], len(sight.root), axis=0)
    rig[:, 0], rig[:, 1], rig[:, 2] = sight.root[:, 0], floor + start.aim_m, sight.root[:, 2]
    return rig


def _begin(setup: _Setup) -> tuple[_Start, F64]:
    """How a move that goes with the character starts, and its rig if that were all."""
    sight, at = setup.sight, setup.arrives
    floor = _floor_under(sight, setup.fps)
    start = _start(setup, float(sight.yaw_rad[at]), sight.root[at, [0, 2]], float(floor[at]))
    return start, _along(start.composition, sight, floor)


def _follow(setup: _Setup) -> tuple[F64, _Start]:
    """Keeps its side of the character, and its framing, while the character goes and turns."""
    start, rig = _begin(setup)
    heading = damped(np.unwrap(setup.sight.yaw_rad), 1.0 / setup.fps, YAW_LAG_S, YAW_RATE)
    rig[:, AZIMUTH] = start.composition.azimuth_rad + heading - heading[setup.arrives]
    return rig, start


def _stationary(setup: _Setup) -> tuple[F64, _Start]:
    """Stands still, from where it holds all that the character does once the camera has come to rest; or just
    where it is, if that is a place of its own; or where a box asks for."""
    spec, before, sight = setup.spec, setup.before, setup.sight
    settle = min(round(BLEND_S * setup.fps), len(sight.root) - 2) if before else 0
    settled = sight.since(0, 1) if setup.wanted else sight.since(settle)
    root, yaw = settled.root, settled.yaw_rad
    facing = math.atan2(float(np.sin(yaw).mean()), float(np.cos(yaw).mean()))
    middle = 0.5 * (root.min(axis=0) + root.max(axis=0))[[0, 2]]
    above = root[0, 1] - sight.ground.at(root[0, [0, 2]])
    floor = float(sight.ground.at(middle) + above)
    start = _start(setup, facing, middle, floor)
    stays = setup.wanted is not None or (before is not None and before.placed)
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


def _orbit(setup: _Setup) -> tuple[F64, _Start]:
    """Circles the character from the present pose, eased, always the same distance from where it aims.

    ``direction`` is the camera's own: left is clockwise seen from above.
    """
    start, rig = _begin(setup)
    spec = setup.spec
    angle = math.radians(ORBIT_DEG if spec.degrees is None else spec.degrees)
    sign = 1.0 if spec.direction == "right" else -1.0
    rig[:, AZIMUTH] = start.composition.azimuth_rad + sign * angle * _progress(setup)
    return rig, start


def _crane(setup: _Setup) -> tuple[F64, _Start]:
    """Rises (or sinks) straight up, eased, and keeps looking at the character."""
    start, rig = _begin(setup)
    made = start.composition
    up = CRANE_UP_M if setup.spec.up_m is None else setup.spec.up_m
    rise = made.eye_m - made.aim_m + up * _progress(setup)
    rig[:, ELEVATION] = np.arctan2(rise, made.distance_m)
    rig[:, LOG_DISTANCE] = np.log(np.hypot(rise, made.distance_m))
    return rig, start


def _progress(setup: _Setup) -> F64:
    """0 until the move begins, 1 at the last frame of the part, eased; [F + 1], at rest at the end."""
    samples, at = len(setup.sight.root), setup.arrives
    return smoothstep((np.arange(samples) - at) / max(samples - 2 - at, 1))


_RULES = {"follow": _follow, "stationary": _stationary, "orbit": _orbit, "crane": _crane}
