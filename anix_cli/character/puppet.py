"""A body made from four pictures as a figure with bones, so that motions from outside can move it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import numpy as np

from anix_cli.core.gaussians import Gaussians
from anix_cli.core.screenplay import MotionSpec

from .models.acting import Actor
from .models.dressed import Dressed
from .models.figure import Figure
from .models.model import F64, Model, Nodes, Pose
from .models.pose import blended, matrices
from .models.sample import Skin
from .motions.adopt import adopt
from .rig import Limb, Rig

_SIDES = ("left", "right")
_FEW = 8000
"""Gaussians by which feet and leaps are measured."""


def figure_of(rig: Rig) -> Figure:
    """The figure: hips, spine, head, arms and legs as far as the body has them; unturned as it stands."""
    middle = (rig.legs[0].root + rig.legs[1].root) / 2
    joints: dict[str, tuple[str | None, F64]] = {"hips": (None, middle), "spine": ("hips", middle)}
    if (rig.head > 0).any():
        joints["head"] = ("spine", rig.neck)
    for side, arm, leg in zip(_SIDES, rig.arms, rig.legs, strict=True):
        if arm is not None:
            joints |= _limb(f"{side}_upper_arm", f"{side}_lower_arm", f"{side}_hand", "spine", arm)
        joints |= _limb(f"{side}_upper_leg", f"{side}_lower_leg", f"{side}_foot", "hips", leg)
    names = list(joints)
    parents = np.array([-1 if up is None else names.index(up) for up, _ in joints.values()], np.int32)
    at = np.stack([place for _, place in joints.values()])
    shift = at - np.where(parents[:, None] < 0, 0, at[np.maximum(parents, 0)])
    count = len(names)
    rest = Pose(shift, np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), np.ones((count, 3)))
    nodes = Nodes(tuple(names), parents, _layers(parents), rest, {})
    starts = np.tile(np.eye(4), (count, 1, 1))
    starts[:, :3, 3] = -at
    model = Model(
        Path(), nodes, (), np.arange(count, dtype=np.int32), starts, (), (), (), {}, False, ()
    )  # fmt: skip
    roles = {name: index for index, name in enumerate(names)}
    return Figure(model, roles, np.eye(4), rest, (), (), rig.height_m, ())


def _limb(upper: str, lower: str, end: str, on: str, limb: Limb) -> dict[str, tuple[str | None, F64]]:
    return {upper: (on, limb.root), lower: (upper, limb.bend), end: (lower, limb.tip)}


def _layers(parents: np.ndarray) -> tuple[np.ndarray, ...]:
    depth = np.zeros(len(parents), np.int32)
    for index, parent in enumerate(parents):
        depth[index] = 0 if parent < 0 else depth[parent] + 1
    return tuple(np.flatnonzero(depth == level).astype(np.int32) for level in range(int(depth.max()) + 1))


def _weights(rig: Rig, roles: Mapping[str, int]) -> F64:
    """[N, J] how far each Gaussian follows each joint, adding up to 1."""
    found = np.zeros((len(rig.upper), len(roles)))
    left = np.ones(len(rig.upper))
    for side, arm, leg in zip(_SIDES, rig.arms, rig.legs, strict=True):
        for limb, names in (
            (arm, ("upper_arm", "lower_arm", "hand")),
            (leg, ("upper_leg", "lower_leg", "foot")),
        ):
            if limb is None:
                continue
            whole = np.minimum(np.clip(limb.whole, 0, 1), left)
            lower = np.minimum(np.clip(limb.lower, 0, 1), whole)
            end = np.minimum(np.clip(limb.end, 0, 1), lower)
            parts = zip(names, (whole - lower, lower - end, end), strict=True)
            for name, share in parts:
                found[:, roles[f"{side}_{name}"]] = share
            left = left - whole
    if "head" in roles:
        found[:, roles["head"]] = np.minimum(np.clip(rig.head, 0, 1), left)
        left = left - found[:, roles["head"]]
    found[:, roles["spine"]] = left * np.clip(rig.upper, 0, 1)
    found[:, roles["hips"]] = left - found[:, roles["spine"]]
    return found


class Puppet(Dressed):
    """The body's own Gaussians, bound to the bones of its figure."""

    def __init__(self, rig: Rig, figure: Figure, every: int = 1) -> None:
        self.figure = figure
        body = rig.body
        self._rows = np.arange(0, len(body.means), every)
        weights = _weights(rig, figure.roles)[self._rows]
        bones = np.argsort(-weights, axis=1, kind="stable")[:, :4].astype(np.int32)
        shares = np.take_along_axis(weights, bones, axis=1)
        axes = matrices(body.quats[self._rows].astype(np.float64))
        scales = body.scales[self._rows].astype(np.float64)
        self._stride = rig.stride
        self._legs = [node for role, node in figure.roles.items() if role.endswith(("_leg", "_foot"))]
        self._body, self._thin = body, body.scales[self._rows, 2]
        self.skin = Skin(
            points=body.means[self._rows],
            along=(axes[:, :, 0] * scales[:, :1]).astype(np.float32),
            across=(axes[:, :, 1] * scales[:, 1:2]).astype(np.float32),
            normals=axes[:, :, 2].astype(np.float32),
            bones=bones,
            weights=(shares / shares.sum(axis=1, keepdims=True)).astype(np.float32),
            rgb=np.zeros((len(self._rows), 3), np.float32),
            opacities=body.opacities[self._rows],
            body=np.ones(len(self._rows), dtype=bool),
            morphs=(),
        )

    def _robed(self, pose: Pose) -> Pose:
        """The pose with legs that part no further than a robe lets them."""
        if self._stride == 1:
            return pose
        share = np.ones(len(pose.turn))
        share[self._legs] = self._stride
        return blended(self.figure.model.nodes.rest, pose, share)

    @classmethod
    def coarse(cls, rig: Rig, figure: Figure) -> Puppet:
        """Few of them, to measure by."""
        return cls(rig, figure, max(1, len(rig.upper) // _FEW))

    @cached_property
    def _colours(self) -> np.ndarray:
        return self._body.sh[self._rows]

    def means(self, pose: Pose) -> F64:
        """[N, 3] where the Gaussians are."""
        return super().means(self._robed(pose))

    def posed(self, pose: Pose, stage_from_stage: F64 | None = None) -> Gaussians:
        """The Gaussians on the stage, in their own colours."""
        moved = super().posed(self._robed(pose), stage_from_stage)
        moved.scales[:, 2] = self._thin
        return Gaussians(
            moved.means, moved.quats, moved.scales, moved.opacities, self._colours, self._body.antialiased
        )


def actor_of(rig: Rig, motions: Mapping[str, MotionSpec]) -> tuple[Actor, Figure]:
    """Who acts with the body's bones, and shows the motions.

    Raises:
        AnixError: E361 … E366, a motion that cannot be used.
    """
    figure = figure_of(rig)
    clips, _ = adopt(figure, motions)
    return Actor(figure, clips, coarse=Puppet.coarse(rig, figure), ease=figure.neutral), figure
