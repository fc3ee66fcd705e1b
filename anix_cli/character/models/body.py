"""A model as a body: its Gaussians and joints at a moment of the stage."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.gaussians import Gaussians

from ..moment import Moment
from ..skeleton import HeadBox, Skeleton
from .acting import Actor
from .dressed import Dressed
from .figure import Figure
from .joints import Joints
from .model import F64, Clip, Pose
from .moves import model_axes
from .pose import about, turned_bones, worlds
from .roles import SIDES
from .sample import Skin

_SINKS_M = 0.015
"""How far anything but the feet may sink into the ground."""


def _arms(figure: Figure, skin: Skin) -> list[tuple[int, NDArray[np.intp]]]:
    """(bone, rows of what it carries) of each upper arm."""
    bones = figure.model.bones[skin.bones[:, 0]]
    tops = [figure.roles[f"{side}_upper_arm"] for side in SIDES if f"{side}_upper_arm" in figure.roles]
    carried = [np.flatnonzero(np.isin(bones, figure.model.nodes.below(top)) & skin.body) for top in tops]
    return [(top, rows) for top, rows in zip(tops, carried, strict=True) if len(rows)]


class ModelBody:
    """A model's Gaussians at a moment of the stage."""

    def __init__(self, figure: Figure, count: int, motions: Mapping[str, Clip] | None = None) -> None:
        self._take(Actor(figure, motions), Dressed(figure, count))

    @classmethod
    def of(cls, actor: Actor, dressed: Dressed) -> ModelBody:
        """A body whose Gaussians are at hand."""
        found = cls.__new__(cls)
        found._take(actor, dressed)
        return found

    def _take(self, actor: Actor, dressed: Dressed) -> None:
        self.actor, self.dressed = actor, dressed
        figure = actor.figure
        self._body = np.flatnonzero(self.dressed.skin.body)
        soles = np.flatnonzero(self.actor.soles(self.dressed.skin))
        self._soles = soles if len(soles) else self._body
        self._arms = _arms(figure, self.dressed.skin)

    @cached_property
    def _joints(self) -> Joints:
        return Joints(self.dressed)

    def _hands_up(self, pose: Pose, means: NDArray[np.float32], placed: F64) -> Pose:
        """The pose with arms that would reach into the ground raised out of it, about the shoulder."""
        figure = self.actor.figure
        ground = float(means[self._soles, 1].min()) - _SINKS_M
        turns = {}
        for node, rows in self._arms:
            lowest = means[rows[int(means[rows, 1].argmin())]].astype(np.float64)
            depth = ground - float(lowest[1])
            if depth <= 0:
                continue
            shoulder = (placed @ figure.stage_from_model @ worlds(figure.model.nodes, pose)[node])[:3, 3]
            arm = lowest - shoulder
            beside = np.array([-arm[2], 0.0, arm[0]])  # about which an arm that hangs goes up
            far, reach = float(np.hypot(arm[0], arm[2])), float(np.linalg.norm(arm))
            if min(far, reach) < 1e-6 or -arm[1] - depth < -reach:
                continue
            angle = math.asin(min(-arm[1] / reach, 1.0)) - math.asin((-arm[1] - depth) / reach)
            axis = placed[:3, :3].T @ (beside / far)
            turn = about(axis, angle)
            turns[node] = np.concatenate([turn[:1], model_axes(figure) @ turn[1:]])
        return turned_bones(figure.model.nodes, pose, turns) if turns else pose

    def at(self, now: Moment) -> Gaussians:
        """The Gaussians on the stage. The lowest point of the body is ``lift_m`` above the root, more in
        the flight of a run."""
        posed, _, _, rise = self._stood(now)
        posed.means[:, 1] += np.float32(rise)
        return posed

    def skeleton(self, now: Moment) -> Skeleton | None:
        """Its joints at the moment; None for a body without limbs that are known."""
        if self.actor.moves() == "rigid":
            return None
        _, pose, placed, rise = self._stood(now)
        placed = placed.copy()
        placed[1, 3] += rise
        found = self._joints.at(pose, placed)
        return found if found.whole else None

    def shows(self, action: str) -> bool:
        """Whether a gesture can be seen on it."""
        return self.actor.shows(action)

    @property
    def head(self) -> HeadBox | None:
        """Where its head is at rest."""
        return self._joints.head

    def _stood(self, now: Moment) -> tuple[Gaussians, Pose, F64, float]:
        """(the Gaussians, the pose, what moves the figure [4, 4], how far all of it is still to rise)."""
        pose, shift, air = self.actor.pose(now)
        c, s = math.cos(now.yaw_rad), math.sin(now.yaw_rad)
        placed = np.array([[c, 0, s, 0], [0, 1, 0, 0], [-s, 0, c, 0], [0, 0, 0, 1]]) @ shift
        root = np.asarray(now.root, dtype=np.float64)
        placed[:3, 3] += root
        posed = self.dressed.posed(pose, placed)
        if self.actor.on_its_feet(now):
            lifted = self._hands_up(pose, posed.means, placed)
            if lifted is not pose:
                pose, posed = lifted, self.dressed.posed(lifted, placed)
        low = float(posed.means[self._body, 1].min())
        if self.actor.on_its_feet(now):  # a hem may touch the ground, but feet are what stands on it
            low = min(low + _SINKS_M, float(posed.means[self._soles, 1].min()))
        return posed, pose, placed, float(root[1] + now.lift_m + air - low)
