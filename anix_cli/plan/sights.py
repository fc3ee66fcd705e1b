"""What a camera is told of a shot: whom it films, where it stands if it has a place, and what was before."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..core.screenplay import CameraSpec
from ..core.stage import HeightMap
from .framing import MIDDLE, Composition
from .joining import CameraState
from .motion import damped
from .rigs import FREE_M, LEAST_CLEARANCE_M, eyes_of
from .wanted import Wanted

F64 = NDArray[np.float64]

GROUND_LAG_S = 0.25
THERE_M = 0.05
"""A camera that is so near to a named one is there."""


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

    @property
    def clearance_m(self) -> float:
        """How near to the ground it may come so that it is not lifted at all where it stands."""
        return min(LEAST_CLEARANCE_M, self.above_m - 1.1 * FREE_M)


@dataclass(frozen=True)
class Target:
    """What a camera is to look at, or to be focused on, instead of the one who acts.

    Attributes:
        name: an anchor, a character, or a point in words; what tells targets apart.
        points: [F + 1, 3], metres.
        sight: it as a camera sees a character: an anchor like a body that stands there.
    """

    name: str
    points: F64
    sight: Sight

    def since(self, start: int, stop: int) -> Target:
        return replace(self, points=self.points[start:stop], sight=self.sight.since(start, stop))


@dataclass(frozen=True)
class Way:
    """A path that a camera goes, resolved to the frames of its part.

    Attributes:
        poses: [F + 1, 4, 4].
        focal_px: [F + 1].
    """

    poses: F64
    focal_px: F64


@dataclass(frozen=True)
class Part:
    """One of the moves of a shot.

    Attributes:
        auto: nobody asked for this move: the camera is to show the one who acts.
        target: of ``look_at``.
        focus: what the lens is focused on; metres, or None as before.
        way: of a path.
    """

    spec: CameraSpec
    frames: int
    placed: Placed | None = None
    auto: bool = False
    target: Target | None = None
    focus: Target | float | None = None
    way: Way | None = None


@dataclass(frozen=True)
class Shift:
    """By how much a camera stands otherwise than it was composed, so that nothing is in its way."""

    azimuth_rad: float = 0.0
    nearer: float = 1.0
    up_m: float = 0.0

    def __bool__(self) -> bool:
        return self != Shift()

    def of(self, made: Composition) -> Composition:
        rise = self.up_m
        return replace(
            made,
            azimuth_rad=made.azimuth_rad + self.azimuth_rad,
            distance_m=made.distance_m * self.nearer,
            eye_m=made.eye_m + rise,
        )


@dataclass(frozen=True)
class Setup:
    """A part with all that its rule looks at; ``sight``, ``look`` and ``target`` are those of its own frames.

    Attributes:
        sight: whom the move is about: the one who acts, or the target.
        about: the target's name, "" for the one who acts.
    """

    spec: CameraSpec
    sight: Sight
    size_px: tuple[int, int]
    fps: float
    before: CameraState | None
    placed: Placed | None
    wanted: Wanted | None
    auto: bool = False
    about: str = ""
    target: Target | None = None
    way: Way | None = None
    shift: Shift = Shift()

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
class Start:
    """From where a move begins, and how far past the character it looks: [2], azimuth and elevation; for good
    (``keeps``, as a box asks for), or until the view has turned to the character."""

    composition: Composition
    turn: tuple[float, float] = (0.0, 0.0)
    keeps: bool = True


def floor_under(sight: Sight, fps: float) -> F64:
    """What the character stands on: the ground, or where an exact anchor put it above that."""
    return damped(sight.root[:, 1], 1.0 / fps, GROUND_LAG_S)


def looked_at(setup: Setup, placed: Placed) -> F64:
    """What a named camera looks at, frame by frame, [F + 1, 3]: its own look, or the one who acts."""
    if placed.look is not None:
        return placed.look
    sight = setup.sight
    height = floor_under(sight, setup.fps) + MIDDLE * sight.height_m
    return np.column_stack([sight.root[:, 0], height, sight.root[:, 2]])
