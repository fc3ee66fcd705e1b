"""A character's identity → a body that can be drawn at any moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anix_cli.core.clip import Cast
from anix_cli.core.gaussians import Gaussians
from anix_cli.core.screenplay import MotionSpec

from .course import Course
from .families import AT_REST
from .gestures import ACTIONS, Act, posture
from .markers import Marked, marked
from .models.repertoire import motion_for
from .moment import Body, Moment
from .motions.kinds import kind_of_motion
from .pose import Rig, place, rig
from .skeleton import JOINTS, HeadBox, Skeleton
from .tread import treads

if TYPE_CHECKING:
    from .models.body import ModelBody

__all__ = ["Body", "CarvedBody", "Course", "Moment", "body_of"]


@dataclass(frozen=True)
class CarvedBody:
    """A body carved from four views, with joints found on it.

    Attributes:
        motions: from outside, which its bones show; all else it does as such bodies do.
    """

    rig: Rig
    motions: Mapping[str, MotionSpec] = field(default_factory=dict)

    def at(self, now: Moment) -> Gaussians:
        """Its Gaussians on the stage; a function of the moment alone."""
        return self._puppet.at(now) if self._moved(now) else self._placed(self.rig, now)

    def skeleton(self, now: Moment) -> Skeleton | None:
        """Its joints at the moment; None where too few were found on the body."""
        if self._moved(now):
            return self._puppet.skeleton(now)
        points = self._placed(self._marked.rig, now).means[-len(JOINTS) :].astype(np.float64)
        points[~self._marked.known] = np.nan
        found = Skeleton(points)
        return found if found.whole else None

    def shows(self, action: str) -> bool:
        """Whether a gesture can be seen on it; what is only in the face is, by a body that stands."""
        if action in AT_REST or self._known(action):
            return True
        return action in ACTIONS and (any(self.rig.arms) or _beside_arms(action))

    @property
    def head(self) -> HeadBox | None:
        """Where its head is at rest."""
        return self._marked.head

    @cached_property
    def _marked(self) -> Marked:
        return marked(self.rig)

    def _moved(self, now: Moment) -> bool:
        """Whether its bones show a motion from outside: a gesture, or how it walks and stands at any time."""
        return self._always or any(self._known(act.action) for act in now.acts)

    @cached_property
    def _always(self) -> bool:
        return any(kind_of_motion(name) for name in self.motions)

    def _known(self, action: str) -> bool:
        if action not in self._found:
            self._found[action] = motion_for(action, self.motions) is not None
        return self._found[action]

    @cached_property
    def _found(self) -> dict[str, bool]:
        return {}

    @cached_property
    def _puppet(self) -> ModelBody:
        from .models.body import ModelBody
        from .puppet import Puppet, actor_of

        actor, figure = actor_of(self.rig, self.motions)
        return ModelBody.of(actor, Puppet(self.rig, figure))

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


def _beside_arms(action: str) -> bool:
    """Whether a gesture moves more of a body than its arms."""
    seen = posture([Act(action, 1.0, 2.0)])
    return any(leg.hold for leg in seen.legs) or bool(seen.trunk or seen.nod or seen.shake)


def body_of(cast: Cast, height_px: int) -> Body:
    """The body of a member of the cast.

    Args:
        height_px: rows of the pictures that it is drawn into: a model gets as many Gaussians as show there.

    Raises:
        AnixError: E345, its views cannot be made into a body; E351 … E356, its model cannot be read;
            E361 … E366, one of its motions.
    """
    if cast.model is None:
        from anix_cli import character

        return CarvedBody(rig(character.hull(cast.views, cast.height_m)), cast.motions)
    from .models.body import ModelBody
    from .models.dressed import count_for
    from .models.figure import stand
    from .models.read import read_model
    from .motions.adopt import adopt

    figure = stand(read_model(cast.model), cast.height_m)
    clips, _ = adopt(figure, cast.motions)
    return ModelBody(figure, count_for(height_px), clips)
