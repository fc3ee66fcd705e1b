"""A model stood on the stage: feet on the ground, facing +Z, as tall as the screenplay says."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anix_cli.core.errors import Diagnostic

from .faults import damaged
from .model import F32, F64, Model, Piece, Pose
from .pose import between, bone_matrices, turned_bones, worlds
from .roles import SIDES, Roles, roles_of, words

_APART_RAD = math.radians(24)
"""How far the arms of a neutral body are from hanging straight down."""
_LEVEL_RAD = math.radians(40)
"""Arms that are raised so far at rest are those of a T-pose."""
_FOOT_SHARE = 0.05
_SLOTS = frozenset({"slot", "handslot", "socket", "attach", "attachment", "weapon", "prop", "item", "holder"})


@dataclass(frozen=True)
class Figure:
    """A model and how it stands.

    Attributes:
        stage_from_model: [4, 4] similarity: metres, feet at 0, facing +Z.
        neutral: the pose of its pictures, arms a little apart from the body.
        pieces: those that show.
        held: of each piece, whether a hand holds it: it does not count as body.
    """

    model: Model
    roles: Roles
    stage_from_model: F64
    neutral: Pose
    pieces: tuple[Piece, ...]
    held: tuple[bool, ...]
    height_m: float
    notes: tuple[Diagnostic, ...]

    @cached_property
    def neutral_bones(self) -> F64:
        return bone_matrices(self.model, self.neutral, self.stage_from_model)

    def joint(self, role: str, pose: Pose | None = None) -> F64:
        """[3] where a bone begins, on the stage."""
        world = worlds(self.model.nodes, pose or self.neutral)[self.roles[role]]
        return np.asarray((self.stage_from_model @ world)[:3, 3])


def stand(model: Model, height_m: float) -> Figure:
    """Stands a model up.

    Raises:
        AnixError: E353, it has no height.
    """
    roles = roles_of(model)
    pieces, held, notes = _shown(model, roles)
    facing = _facing(model, roles)
    neutral = turned_bones(model.nodes, model.nodes.rest, _lowered(model, roles, facing, _APART_RAD))
    bones = bone_matrices(model, neutral, facing)
    body = [piece for piece, in_hand in zip(pieces, held, strict=True) if not in_hand]
    arms = arm_nodes(model, roles)
    parts, in_arms = [], []
    for piece in body:
        used = np.unique(piece.triangles)
        parts.append(skinned(piece, bones, neutral)[used])
        in_arms.append(np.isin(model.bones[piece.bones[used, 0]], arms))
    points, off_arms = np.concatenate(parts), ~np.concatenate(in_arms)
    low, high = points.min(axis=0), points.max(axis=0)
    tall = float(high[1] - low[1])
    if not np.isfinite(points).all() or tall <= 1e-9 or tall > 1e9:
        raise damaged(model.path, "it has no height: all of it lies in one plane")
    scale = height_m / tall
    near = points[:, 1] <= low[1] + _FOOT_SHARE * tall
    feet = points[near & off_arms] if (near & off_arms).any() else points[near]
    middle = (feet.min(axis=0) + feet.max(axis=0)) / 2
    placed = facing.copy()
    placed[:3] *= scale
    placed[:3, 3] += -scale * np.array([middle[0], low[1], middle[2]])
    return Figure(model, roles, placed, neutral, pieces, held, height_m, (*model.notes, *notes))


def arm_nodes(model: Model, roles: Roles) -> list[int]:
    """The bones of both arms: hands may hang as low as feet."""
    tops = [roles[f"{side}_upper_arm"] for side in SIDES if f"{side}_upper_arm" in roles]
    return [node for top in tops for node in model.nodes.below(top)]


def at_ease(figure: Figure, apart_rad: float) -> Pose:
    """The rest pose with the arms hanging so far from straight down."""
    facing = _facing(figure.model, figure.roles)
    turns = _lowered(figure.model, figure.roles, facing, apart_rad, always=True)
    return turned_bones(figure.model.nodes, figure.model.nodes.rest, turns)


def skinned(piece: Piece, bones: F64, pose: Pose) -> F32:
    """Points [V, 3] of a piece, moved by bones [B, 4, 4]: linear-blend skinning."""
    points = piece.points
    weights = pose.weights.get(piece.node)
    if weights is not None and len(piece.morphs) and weights.any():
        points = points + np.tensordot(weights[: len(piece.morphs)], piece.morphs, axes=1).astype(np.float32)
    if not piece.skinned:
        matrix = bones[piece.bones[0, 0]]
        return np.asarray(points @ matrix[:3, :3].T + matrix[:3, 3], dtype=np.float32)
    moved = np.zeros((len(points), 3))
    for column in range(4):
        share = piece.weights[:, column]
        rows = np.flatnonzero(share > 0)
        matrix = bones[piece.bones[rows, column]]
        part = np.einsum("nij,nj->ni", matrix[:, :3, :3], points[rows]) + matrix[:, :3, 3]
        moved[rows] += share[rows, None] * part
    return moved.astype(np.float32)


def _facing(model: Model, roles: Roles) -> F64:
    """A turn about +Y after which the model faces +Z: told by its left and right side, else by its format."""
    turn = np.eye(4)
    yaw = math.pi if model.backwards else 0.0
    world = worlds(model.nodes, model.nodes.rest)
    for limb in ("upper_leg", "upper_arm", "shoulder"):
        left, right = (roles.get(f"{side}_{limb}") for side in SIDES)
        if left is None or right is None:
            continue
        across = world[left][:3, 3] - world[right][:3, 3]
        if float(np.linalg.norm(across[[0, 2]])) > 1e-9 and abs(across[1]) < np.linalg.norm(across[[0, 2]]):
            told = math.atan2(across[2], across[0])  # left is +X of who faces +Z
            # Sides that are a little uneven are no turn.
            yaw = told if abs(math.remainder(told - yaw, 2 * math.pi)) > math.radians(20) else yaw
            break
    c, s = math.cos(yaw), math.sin(yaw)
    turn[0, 0], turn[0, 2], turn[2, 0], turn[2, 2] = c, s, -s, c
    return turn


def _lowered(
    model: Model, roles: Roles, facing: F64, apart_rad: float, *, always: bool = False
) -> dict[int, F64]:
    """Turns, in the model's frame, that lower the arms of a T-pose beside the body, both alike."""
    world = worlds(model.nodes, model.nodes.rest)
    mirror = np.array([-1.0, 1.0, 1.0])
    along: dict[str, F64] = {}
    for side in SIDES:
        upper = roles.get(f"{side}_upper_arm")
        if upper is not None:
            tip = roles.get(f"{side}_lower_arm", roles.get(f"{side}_hand"))
            reach = (
                world[tip][:3, 3] - world[upper][:3, 3] if tip is not None else far_end(model, world, upper)
            )
            reach = facing[:3, :3] @ reach
            if float(np.linalg.norm(reach)) > 1e-9:
                along[side] = reach / np.linalg.norm(reach)
    if len(along) == 2 and float(along["left"] @ (mirror * along["right"])) > 0.7:
        # The heads of two arms may lie unlike; the arms themselves hardly ever do.
        mean = along["left"] + mirror * along["right"]
        along = {"left": mean / np.linalg.norm(mean), "right": mirror * mean / np.linalg.norm(mean)}
    turns = {}
    for side, reach in along.items():
        if not always and math.acos(float(np.clip(-reach[1], -1, 1))) < _LEVEL_RAD:
            continue
        sign = 1.0 if side == "left" else -1.0
        target = np.array([sign * math.sin(apart_rad), -math.cos(apart_rad), 0.0])
        back = facing[:3, :3].T
        turns[roles[f"{side}_upper_arm"]] = between(back @ reach, back @ target)
    return turns


def far_end(model: Model, world: F64, node: int) -> F64:
    """From a bone to the far end of what it moves, where no bone marks it."""
    below = set(model.nodes.below(node))
    points = [
        piece.points @ world[piece.node][:3, :3].T + world[piece.node][:3, 3]
        for piece in model.pieces
        if piece.node in below
    ]
    if not points:
        return np.zeros(3)
    away = np.concatenate(points).astype(np.float64) - world[node][:3, 3]
    far = np.linalg.norm(away, axis=1)
    return np.asarray(away[far >= np.quantile(far, 0.75)].mean(axis=0))


def _shown(model: Model, roles: Roles) -> tuple[tuple[Piece, ...], tuple[bool, ...], list[Diagnostic]]:
    """Pieces that show, and which a hand holds. Of several things for one hand, only the first is shown."""
    nodes = model.nodes
    skinned_by = [np.unique(piece.bones) for piece in model.pieces if piece.skinned]
    joints = {int(bone) for rows in skinned_by for bone in model.bones[rows]}
    hands = [roles[f"{side}_hand"] for side in SIDES if f"{side}_hand" in roles]
    in_hand: set[int] = set()
    for hand in hands:
        if hand in joints:
            in_hand.update(nodes.below(hand))
    slots: dict[int, list[int]] = {}
    for node in dict.fromkeys(piece.node for piece in model.pieces if not piece.skinned):
        parent = int(nodes.parents[node])
        slotted = parent >= 0 and not _SLOTS.isdisjoint(words(nodes.names[parent]))
        if parent >= 0 and not nodes.children[node] and (node in in_hand or slotted):
            slots.setdefault(parent, []).append(node)
            in_hand.add(node)
    hidden = {node for several in slots.values() for node in several[1:]}
    notes = []
    if hidden:
        names = ", ".join(nodes.names[node] for node in sorted(hidden))
        text = f"{model.path.name} holds several things in one hand; these are left out: {names}"
        notes.append(Diagnostic("W352", text, file=model.path, hint="Export it with only what is to show."))
    pieces = tuple(piece for piece in model.pieces if piece.node not in hidden)
    held = tuple(piece.node in in_hand and not piece.skinned for piece in pieces)
    if all(held):
        held = (False,) * len(pieces)
    return pieces, held, notes


def reach_m(figure: Figure) -> tuple[float, float]:
    """Width and depth of the neutral body, of a box that stands evenly about its root, metres."""
    points = [
        skinned(piece, figure.neutral_bones, figure.neutral)
        for piece, held in zip(figure.pieces, figure.held, strict=True)
        if not held
    ]
    width, _, depth = (2 * float(np.abs(np.concatenate(points)[:, axis]).max()) for axis in range(3))
    return width, depth
