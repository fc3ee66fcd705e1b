"""Where the joints of a model are in a pose."""

from __future__ import annotations

import numpy as np

from ..skeleton import FACE, JOINTS, HeadBox, Skeleton, face_points, head_box
from .dressed import Dressed
from .figure import Figure
from .model import F64, Pose
from .pose import worlds
from .roles import SIDES

_LIMBS = (
    (("shoulder", "upper_arm"), ("elbow", "lower_arm"), ("wrist", "hand")),
    (("hip", "upper_leg"), ("knee", "lower_leg"), ("ankle", "foot")),
)
"""The joints of a limb, and at which bone's beginning each is."""
_FEWEST = 8
_FAR = 0.85
"""Share of the way to the furthest point beyond which a limb's surface is its end."""

_Place = tuple[int, F64]
"""A node, and a point [3] in its frame."""


class Joints:
    """The joints of a figure. Its face, and hands and feet without a bone, are measured on its surface."""

    def __init__(self, dressed: Dressed) -> None:
        self.figure = dressed.figure
        self.head: HeadBox | None = None
        self._dressed = dressed
        self._carriers = self.figure.model.bones[dressed.skin.bones[:, 0]]
        self._surface = dressed.means(self.figure.neutral)
        self._world = _worlds(self.figure, self.figure.neutral)
        self._places: dict[str, _Place] = {}
        self._find()

    def at(self, pose: Pose, stage_from_stage: F64) -> Skeleton:
        """The joints on the stage; ``stage_from_stage`` [4, 4] moves the figure from where it stands."""
        world = stage_from_stage @ _worlds(self.figure, pose)
        points = {
            name: world[node][:3, :3] @ point + world[node][:3, 3]
            for name, (node, point) in self._places.items()
        }
        shoulders = [points[f"{side}_shoulder"] for side in SIDES if f"{side}_shoulder" in points]
        if len(shoulders) == 2:
            points["neck"] = (shoulders[0] + shoulders[1]) / 2
        unknown = np.full(3, np.nan)
        return Skeleton(np.stack([points.get(name, unknown) for name in JOINTS]))

    def _find(self) -> None:
        roles = self.figure.roles
        for side in SIDES:
            for limb in _LIMBS:
                self._limb(side, limb)
            if f"{side}_toes" in roles:
                self._places[f"{side}_toe"] = (roles[f"{side}_toes"], np.zeros(3))
        if "neck" in roles:
            self._places["neck"] = (roles["neck"], np.zeros(3))
        if "head" in roles:
            node = roles["head"]
            surface = self._carried(node)
            self.head = head_box(surface)
            for name, point in zip(FACE, face_points(surface), strict=True):
                if np.isfinite(point).all():
                    self._places[name] = (node, self._local(node, point))

    def _limb(self, side: str, limb: tuple[tuple[str, str], ...]) -> None:
        """A limb that ends without a bone of its own ends where its surface does; one of two bones or none
        below the first bends, as far as is known, half way."""
        roles = self.figure.roles
        (top, first), (middle, second), (tip, third) = limb
        if f"{side}_{first}" not in roles:
            return
        upper = roles[f"{side}_{first}"]
        lower = roles.get(f"{side}_{second}")
        last = roles.get(f"{side}_{third}")
        start = self._world[upper][:3, 3]
        self._places[f"{side}_{top}"] = (upper, np.zeros(3))
        if lower is not None:
            self._places[f"{side}_{middle}"] = (lower, np.zeros(3))
        holder = lower if lower is not None else upper
        if last is not None:
            end = self._world[last][:3, 3]
            self._places[f"{side}_{tip}"] = (last, np.zeros(3))
        else:
            found = self._end(holder)
            if found is None:
                return
            end = found
            self._places[f"{side}_{tip}"] = (holder, self._local(holder, end))
        if lower is None:
            self._places[f"{side}_{middle}"] = (upper, self._local(upper, (start + end) / 2))

    def _end(self, node: int) -> F64 | None:
        """[3] the far end of what a bone carries, at rest on the stage."""
        surface = self._carried(node)
        if len(surface) < _FEWEST:
            return None
        away = np.linalg.norm(surface - self._world[node][:3, 3], axis=1)
        return np.asarray(surface[away >= _FAR * away.max()].mean(axis=0))

    def _carried(self, node: int) -> F64:
        """[N, 3] the surface that hangs on a bone, without what is held in a hand."""
        below = np.isin(self._carriers, self.figure.model.nodes.below(node))
        return self._surface[below & self._dressed.skin.body]

    def _local(self, node: int, point: F64) -> F64:
        return np.asarray((np.linalg.pinv(self._world[node]) @ np.append(point, 1.0))[:3])


def _worlds(figure: Figure, pose: Pose) -> F64:
    return np.asarray(figure.stage_from_model @ worlds(figure.model.nodes, pose))
