"""Legs that put feet where they are to stand: two-bone inverse kinematics, or what a rig allows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .dressed import Dressed
from .model import F64, Pose
from .moves import model_axes
from .pose import about, between, cross, matrices, quat_of, times, turned_bones, worlds
from .roles import SIDES
from .stride import SOLE_SHARE

_FEW, _FEWEST = 80, 4
_ROLLS = 0.002
"""Of the height: what is no higher than this above the lowest point of a sole bears a part of the weight."""
_REACH = 0.999
_SINKS = 0.5
"""Of the length of a leg, how far a body sinks at most for a foot that it could not reach else."""
_X, _Y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class Wanted:
    """Where a foot is to be, in the frame of the body: its root at 0, facing +Z.

    Attributes:
        at: (x, z) of the middle of the foot. twist: where it points, to the body's own left.
        rise: how far it is lifted, at least. planted: whether it stands.
        flat: 0 … 1, how far its sole lies as at rest, not as the pose has it.
        carries: 0 … 1, how far the body sinks for it where the leg is too short.
    """

    at: tuple[float, float]
    twist: float
    rise: float
    planted: bool
    flat: float = 0.0
    carries: float = 1.0


@dataclass(frozen=True)
class _Leg:
    """One leg.

    Attributes:
        end: node and point [3] of it that the leg brings to its place: the ankle.
        foot: the node that carries the sole, turned as ``rest`` on the stage when the body stands.
        nodes, shares: [n, 4] what moves points of the sole, and how far: toes bend, and boots join shins.
        sole: [n, 4, 3] the points in the frames of these nodes, times their shares. flat: [n, 2] (x, z) of
            them from the middle of the sole, as the body stands.
    """

    upper: int | None
    lower: int | None
    end: tuple[int, F64]
    foot: int
    rest: F64
    nodes: NDArray[np.intp]
    shares: F64
    sole: F64
    flat: F64


class Feet:
    """The feet of a figure, and the legs that carry them."""

    def __init__(self, dressed: Dressed, rows: tuple[NDArray[np.intp], NDArray[np.intp]]) -> None:
        self.figure = dressed.figure
        self.legs = [self._leg(dressed, side, each) for side, each in zip(SIDES, rows, strict=True)]

    def _leg(self, dressed: Dressed, side: str, rows: NDArray[np.intp]) -> _Leg:
        figure = self.figure
        nodes, roles = figure.model.nodes, figure.roles
        moving = figure.model.bones[dressed.skin.bones[rows, 0]]
        foot = int(np.bincount(moving).argmax())
        named = roles.get(f"{side}_foot")
        on_foot = np.isin(moving, [] if named is None else nodes.below(named))
        if named is not None and on_foot.sum() >= _FEWEST:
            foot, rows = named, rows[on_foot]
        upper, lower = roles.get(f"{side}_upper_leg"), roles.get(f"{side}_lower_leg")
        world = figure.stage_from_model @ worlds(nodes, figure.neutral)
        points = dressed.means(figure.neutral)[rows]
        end = (foot, np.zeros(3))
        if lower is not None and (foot == lower or foot not in nodes.below(lower)):
            ankle = world[foot][:3, 3] if foot != lower else points.mean(axis=0)
            back = np.linalg.inv(world[lower])
            end = (lower, back[:3, :3] @ ankle + back[:3, 3])
        low = np.flatnonzero(points[:, 1] <= points[:, 1].min() + SOLE_SHARE * figure.height_m)
        middle = points[low].mean(axis=0)[[0, 2]]
        few = np.arange(len(points))[:: max(1, len(points) // _FEW)]
        taken = np.unique(np.concatenate([few, low[:: max(1, len(low) // _FEW)]]))
        bones, shares = dressed.skin.bones[rows[taken]], dressed.skin.weights[rows[taken]].astype(np.float64)
        starts = figure.model.starts[bones]
        own = np.einsum("nkij,nj->nki", starts[..., :3, :3], dressed.skin.points[rows[taken]])
        return _Leg(
            upper, lower, end, foot, quat_of(world[foot][:3, :3]),
            nodes=figure.model.bones[bones].astype(np.intp), shares=shares,
            sole=shares[..., None] * (own + starts[..., :3, 3]), flat=points[taken][:, [0, 2]] - middle,
        )  # fmt: skip

    @property
    def nodes(self) -> list[int]:
        """All that belongs to both feet."""
        return [node for leg in self.legs for node in self.figure.model.nodes.below(leg.foot)]

    def placed(self, pose: Pose, wanted: Sequence[Wanted], firmness: float) -> Pose:
        """The pose with its feet where they are wanted, as far as its legs reach.

        Args:
            firmness: 0 … 1, how far of the way they are brought.
        """
        nodes, stage = self.figure.model.nodes, self.figure.stage_from_model
        world = stage @ worlds(nodes, pose)
        twists = [
            self._twist(leg, world, want, firmness) for leg, want in zip(self.legs, wanted, strict=True)
        ]
        soles = [self._sole(leg, world, twist) for leg, twist in zip(self.legs, twists, strict=True)]
        lows = [float(sole[:, 1].min()) for sole in soles]
        standing = [low for low, want in zip(lows, wanted, strict=True) if want.planted]
        ground = min(standing) if standing else min(lows)
        moves = []
        for leg, sole, low, want in zip(self.legs, soles, lows, wanted, strict=True):
            up = ground - low if want.planted else max(0.0, ground + want.rise - low)
            aside, ahead = self._away(leg, sole, want)
            moves.append(firmness * np.array([aside, up, ahead]))
        drop = max(
            want.carries * self._short(leg, world, move)
            for leg, move, want in zip(self.legs, moves, wanted, strict=True)
        )
        turns: dict[int, F64] = {}
        shift = pose.shift.copy()
        for leg, move, twist in zip(self.legs, moves, twists, strict=True):
            self._solve(leg, world, move + drop * _Y, twist, turns, shift)
        axes = model_axes(self.figure)
        told = {node: np.concatenate([quat[:1], axes @ quat[1:]]) for node, quat in turns.items()}
        return turned_bones(nodes, Pose(shift, pose.turn, pose.size, pose.weights), told)

    def _twist(self, leg: _Leg, world: F64, want: Wanted, firmness: float) -> F64:
        """The turn of a foot about its own head, away from the pose: flat, and pointing where it is to."""
        if leg.lower is not None and leg.foot == leg.lower:
            return about(_Y, 0.0)
        now = quat_of(world[leg.foot][:3, :3])
        rest = times(leg.rest, now * (1, -1, -1, -1))
        rest = rest if rest[0] >= 0 else -rest
        # A foot that stands points where it was set down, whatever the pose would have it do.
        level = about(_Y, 2 * math.atan2(float(rest[2]), float(rest[0])))
        if want.flat > 0 and leg.lower is not None:
            level = rest if level @ rest >= 0 else -rest
            straight = about(_Y, 2 * math.atan2(float(rest[2]), float(rest[0])))
            straight = straight if straight @ level >= 0 else -straight
            level = (1 - want.flat) * straight + want.flat * level
        whole = firmness * level + (1 - firmness) * about(_Y, 0.0) * math.copysign(1.0, level[0])
        return times(about(_Y, firmness * want.twist), whole / np.linalg.norm(whole))

    def _sole(self, leg: _Leg, world: F64, twist: F64) -> F64:
        """[n, 3] points of a sole, once the foot is twisted about its head."""
        moved = world[leg.nodes]
        points = np.einsum("nkij,nkj->ni", moved[..., :3, :3], leg.sole)
        points += np.einsum("nk,nki->ni", leg.shares, moved[..., :3, 3])
        head = world[leg.foot][:3, 3]
        return np.asarray((points - head) @ matrices(twist).T + head)

    def _away(self, leg: _Leg, sole: F64, want: Wanted) -> F64:
        """(x, z) from where the sole is to where it is wanted.

        A foot rolls from heel to toe: what touches the ground is what stays, where it lay with the sole flat.
        """
        weights = np.exp((sole[:, 1].min() - sole[:, 1]) / (_ROLLS * self.figure.height_m))
        weights /= weights.sum()
        c, s = math.cos(want.twist), math.sin(want.twist)
        x, z = weights @ leg.flat
        touching = weights @ sole[:, [0, 2]]
        lies = np.array([want.at[0] + c * x + s * z, want.at[1] + c * z - s * x])
        return np.asarray(lies - touching)

    def _joints(self, leg: _Leg, world: F64) -> tuple[F64, F64, F64]:
        hip, knee = world[leg.upper][:3, 3], world[leg.lower][:3, 3]
        node, point = leg.end
        return hip, knee, world[node][:3, :3] @ point + world[node][:3, 3]

    def _short(self, leg: _Leg, world: F64, move: F64) -> float:
        """How far the body must sink for a leg to reach."""
        if leg.upper is None or leg.lower is None:
            return 0.0
        hip, knee, ankle = self._joints(leg, world)
        longest = _REACH * float(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))
        to = ankle + move - hip
        beside = float(np.hypot(to[0], to[2]))
        if float(np.linalg.norm(to)) <= longest:
            return 0.0
        wanted = -float(to[1]) - math.sqrt(max(longest**2 - beside**2, 0.0))
        return min(max(0.0, wanted), _SINKS * longest)

    def _solve(self, leg: _Leg, world: F64, move: F64, twist: F64, turns: dict[int, F64], shift: F64) -> None:
        if leg.upper is None or leg.lower is None:  # a leg of one piece keeps its swing, and is carried along
            self._shift(leg.foot, world, move, shift)
            turns[leg.foot] = twist
            return
        hip, knee, ankle = self._joints(leg, world)
        bend, aim = two_bones(hip, knee, ankle, ankle + move)
        turns[leg.upper], turns[leg.lower] = aim, bend
        if leg.foot not in self.figure.model.nodes.below(leg.lower):  # beside the leg, moved by a target
            # A foot that is not tied to its leg stays with it even so.
            longest = _REACH * float(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))
            to = ankle + move - hip
            reached = hip + to * min(1.0, longest / max(float(np.linalg.norm(to)), 1e-9))
            self._shift(leg.foot, world, reached - ankle, shift)
            turns[leg.foot] = twist
        elif leg.foot != leg.lower:
            turns[leg.foot] = times(times(aim, bend) * (1, -1, -1, -1), twist)

    def _shift(self, node: int, world: F64, move: F64, shift: F64) -> None:
        """Moves a node on the stage by shifting it in its parent's frame."""
        parent = int(self.figure.model.nodes.parents[node])
        above = world[parent] if parent >= 0 else self.figure.stage_from_model
        shift[node] += np.linalg.solve(above[:3, :3], move)


def two_bones(hip: F64, knee: F64, ankle: F64, target: F64) -> tuple[F64, F64]:
    """(turn of the lower bone about the knee, turn of the upper bone about the hip) that bring an ankle to a
    target, or as near as they reach; the knee stays in its plane."""
    a, b = float(np.linalg.norm(knee - hip)), float(np.linalg.norm(ankle - knee))
    if min(a, b) < 1e-6:
        return about(_X, 0.0), between(ankle - hip, target - hip)
    far = min(max(float(np.linalg.norm(target - hip)), abs(a - b) + 1e-4 * a), _REACH * (a + b))
    axis = cross(hip - knee, ankle - knee)
    length = float(np.linalg.norm(axis))
    # A leg that is straight bends its knee forward: the shin goes back, about the body's left.
    axis = axis / length if length > 1e-4 * a * b else -_X
    now = math.acos(float(np.clip((hip - knee) @ (ankle - knee) / (a * b), -1, 1)))
    then = math.acos(float(np.clip((a * a + b * b - far * far) / (2 * a * b), -1, 1)))
    bend = about(axis, then - now)
    bent = knee + _turned(bend, ankle - knee)
    return bend, between(bent - hip, target - hip)


def _turned(quat: F64, vector: F64) -> F64:
    w, v = float(quat[0]), quat[1:]
    return np.asarray(vector + 2 * w * cross(v, vector) + 2 * cross(v, cross(v, vector)))
