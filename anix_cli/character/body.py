"""A character's identity → a body that can be drawn at any moment."""

from __future__ import annotations

from dataclasses import dataclass

from anix_cli.core.clip import Cast
from anix_cli.core.gaussians import Gaussians

from .course import Course
from .moment import Body, Moment
from .pose import Rig, place, rig
from .tread import treads

__all__ = ["Body", "CarvedBody", "Course", "Moment", "body_of"]


@dataclass(frozen=True)
class CarvedBody:
    """A body carved from four views, with joints found on it."""

    rig: Rig

    def at(self, now: Moment) -> Gaussians:
        """Its Gaussians on the stage; a function of the moment alone."""
        return place(
            self.rig,
            now.root,
            now.yaw_rad,
            speed_mps=now.speed_mps,
            gait_phase=now.phase,
            lift_m=now.lift_m,
            gestures=now.acts,
            legs=treads(self.rig, now),
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
    from .models.acting import ModelBody
    from .models.dressed import count_for
    from .models.figure import stand
    from .models.read import read_model

    return ModelBody(stand(read_model(cast.model), cast.height_m), count_for(height_px))
