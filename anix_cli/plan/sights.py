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
class Part:
    """One of the moves of a shot. ``spec.move`` is follow, stationary, orbit or crane."""

    spec: CameraSpec
    frames: int
    placed: Placed | None = None


@dataclass(frozen=True)
class Setup:
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
