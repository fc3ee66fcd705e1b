"""A character's identity → a body that can be drawn at any moment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anix_cli.core.clip import Cast
from anix_cli.core.gaussians import Gaussians

from .course import Course
from .gestures import ACTIONS
from .markers import Marked, marked
from .moment import Body, Moment
from .pose import Rig, place, rig
from .skeleton import JOINTS, HeadBox, Skeleton
from .tread import treads

__all__ = ["Body", "CarvedBody", "Course", "Moment", "body_of"]


@dataclass(frozen=True)
class CarvedBody:
    """A body carved from four views, with joints found on it."""

    rig: Rig

    def at(self, now: Moment) -> Gaussians:
        """Its Gaussians on the stage; a function of the moment alone."""
        return self._placed(self.rig, now)

    def skeleton(self, now: Moment) -> Skeleton | None:
        """Its joints at the moment; None where too few were found on the body."""
        points = self._placed(self._marked.rig, now).means[-len(JOINTS) :].astype(np.float64)
        points[~self._marked.known] = np.nan
        found = Skeleton(points)
        return found if found.whole else None

    def shows(self, action: str) -> bool:
        """Whether a gesture can be seen on it."""
        return action in ACTIONS

    @property
    def head(self) -> HeadBox | None:
        """Where its head is at rest."""
        return self._marked.head

    @cached_property
    def _marked(self) -> Marked:
        return marked(self.rig)

    def _placed(self, bones: Rig, now: Moment) -> Gaussians:
        return place(
            bones,
            now.root,
            now.yaw_rad,
            speed_mps=now.speed_mps,
            gait_phase=now.phase,
            lift_m=now.lift_m,
            gestures=now.acts,
            legs=treads(self.rig, now) if self.rig.stride == 1 else None,
        )


def body_of(cast: Cast, height_px: int) -> Body:
    """The body of a member of the cast.

    Args:
        height_px: rows of the pictures that it is drawn into: a model gets as many Gaussians as show there.

    Raises:
        AnixError: E345, its views cannot be made into a body; E351 … E356, its model cannot be read.
    """
    if cast.model is None:
        from anix_cli import character

        return CarvedBody(rig(character.hull(cast.views, cast.height_m)))
    from .models.body import ModelBody
    from .models.dressed import count_for
    from .models.figure import stand
    from .models.read import read_model

    return ModelBody(stand(read_model(cast.model), cast.height_m), count_for(height_px))
