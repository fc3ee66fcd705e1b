"""What a body is asked for: one moment of the blocking, and what gives Gaussians for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from numpy.typing import ArrayLike

from anix_cli.core.gaussians import Gaussians

from .course import Course
from .gestures import Act
from .skeleton import HeadBox, Skeleton


@dataclass(frozen=True)
class Moment:
    """Where a character is and what it does at a frame.

    Attributes:
        root: [3] metres, stage frame: the point on the ground between the feet.
        yaw_rad: 0 faces +Z, positive turns to the character's own left.
        speed_mps: along the ground. gait_phase: steps counted along the way; bodies walk by ``phase``.
        lift_m: how far a jump has taken the feet off the ground.
        acts: what else it does, in the order they begin; where two want one limb, the last has it.
        time_s: since the take began: what moves at rest goes by it.
        course: the way that it has come, through this moment at least; feet that stand are held by it.
        ahead: whether it goes the way that it faces, not backwards.
    """

    root: ArrayLike
    yaw_rad: float
    speed_mps: float = 0.0
    gait_phase: float = 0.0
    lift_m: float = 0.0
    acts: tuple[Act, ...] = ()
    time_s: float = 0.0
    ahead: bool = True
    course: Course | None = None

    @property
    def phase(self) -> float:
        """Steps taken as a body takes them, a round of them gone through the other way backwards."""
        taken = self.gait_phase
        if self.course is not None:
            taken = self.course.phase(taken, self.time_s * self.course.fps)
        return taken if self.ahead else -taken


class Body(Protocol):
    """A character that can be drawn at any moment: carved from four views, or a 3D model."""

    def at(self, now: Moment) -> Gaussians:
        """Its Gaussians on the stage; a function of the moment alone."""
        ...

    def skeleton(self, now: Moment) -> Skeleton | None:
        """Its joints on the stage at the same moment; None for a body that is not known to have any."""
        ...

    def shows(self, action: str) -> bool:
        """Whether a gesture (a canonical verb) can be seen on it."""
        ...

    @property
    def head(self) -> HeadBox | None:
        """Where its head is at rest; None where it is not known."""
        ...
