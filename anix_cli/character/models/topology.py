"""Which bone is which part of a body, told by how the bones hang together and where they are.

For rigs whose names say nothing. A person: two chains go down from the hips to what is lowest, one goes up to
the head, and two like chains leave that one, furthest to both sides.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from .model import F64, Model, Nodes, Piece
from .pose import worlds

_LOW, _FOOT = 0.15, 0.13
"""Of the height: where legs end; up to where a bone on the way down is the foot."""
_FINGERS = 3
_MOST = 500
"""Bones: what has more is no person, and could hang together as deep as that."""
_COLLAR = 0.6
"""A collar bone is shorter than so much of the upper arm."""


def roles_by_topology(model: Model) -> dict[str, int]:
    """Parts of the body by node; empty where the bones are not those of a person who stands upright."""
    skins, parts = (_moving([p for p in model.pieces if p.skinned]), _moving(model.pieces))
    return _of(model, skins) or _of(model, parts)


def _of(model: Model, rows: set[int]) -> dict[str, int]:
    """The same, by some of the bones."""
    at = worlds(model.nodes, model.nodes.rest)[:, :3, 3]
    if model.backwards:
        at = at * np.array([-1.0, 1.0, -1.0])
    return roles_by_place(model.nodes, sorted({int(model.bones[row]) for row in rows}), at)


def roles_by_place(nodes: Nodes, joints: list[int], at: F64) -> dict[str, int]:
    """Parts of the body by node, of one who stands upright and faces +Z; empty for anything else.

    Args:
        joints: the bones, rising. at: [J, 3] where every node is.
    """
    if not 8 <= len(joints) <= _MOST:
        return {}
    low, tall = float(at[joints, 1].min()), float(np.ptp(at[joints, 1]))
    above = {node: _parent(nodes, node, joints) for node in joints}
    kids = {node: [other for other in joints if above[other] == node] for node in joints}
    ends = [node for node in joints if not kids[node]]
    legs = _pair(at, tall, (node for node in ends if at[node, 1] < low + _LOW * tall))
    if tall <= 0 or legs is None:
        return {}
    left, right = ([*_up(above, end)][::-1] for end in legs)
    shared = [a for a, b in zip(left, right, strict=False) if a == b]
    if not shared:
        return {}
    hips = shared[-1]
    found = {"hips": hips}
    for side, chain in (("left", left), ("right", right)):
        found |= _leg(side, chain[len(shared) :], at, low, tall)
    trunk = _trunk(hips, kids, at, {left[len(shared)], right[len(shared)]})
    arms, chest = _arms(trunk, kids, at, tall)
    return found | _upper(trunk, chest) | arms if arms else {}


def _moving(pieces: Iterable[Piece]) -> set[int]:
    """The rows of bones that move some of these pieces."""
    return {int(row) for piece in pieces for row in np.unique(piece.bones[piece.weights > 0])}


def _parent(nodes: Nodes, node: int, joints: list[int]) -> int:
    """The nearest bone above a bone, −1 for none."""
    up = int(nodes.parents[node])
    while up >= 0 and up not in joints:
        up = int(nodes.parents[up])
    return up


def _up(above: dict[int, int], node: int) -> Iterable[int]:
    while node >= 0:
        yield node
        node = above[node]


def _pair(at: F64, tall: float, ends: Iterable[int]) -> tuple[int, int] | None:
    """The lowest two of some ends, (left, right), that are each other's mirror image; left is +X."""
    several = sorted(ends, key=lambda node: (round(float(at[node, 1]) / tall, 2), -abs(float(at[node, 2]))))
    for a in several:
        for b in several:
            if at[a, 0] - at[b, 0] > 0.03 * tall and np.abs(at[a, 1:] - at[b, 1:]).max() < 0.03 * tall:
                return a, b
    return None


def _leg(side: str, chain: list[int], at: F64, low: float, tall: float) -> dict[str, int]:
    foot = next((i for i, node in enumerate(chain) if at[node, 1] < low + _FOOT * tall), len(chain) - 1)
    found = {f"{side}_upper_leg": chain[0]}
    if foot > 0:
        found[f"{side}_foot"] = chain[foot]
        middle = (at[chain[0], 1] + at[chain[foot], 1]) / 2
        between = chain[1:foot]
        if between:
            found[f"{side}_lower_leg"] = min(between, key=lambda node: abs(float(at[node, 1] - middle)))
    if foot + 1 < len(chain):
        found[f"{side}_toes"] = chain[foot + 1]
    return found


def _trunk(hips: int, kids: dict[int, list[int]], at: F64, legs: set[int]) -> list[int]:
    """From the hips up to the highest bone near the middle."""
    chain = [hips]
    while True:
        free = [node for node in kids[chain[-1]] if node not in legs]
        if not free:
            return chain
        reach = {node: _highest(node, kids, at, float(at[hips, 0])) for node in free}
        best = max(free, key=lambda node: reach[node])
        if reach[best] < at[chain[-1], 1]:
            return chain
        chain.append(best)


def _highest(node: int, kids: dict[int, list[int]], at: F64, middle: float) -> float:
    """How high a branch reaches; what is far from the middle counts for less."""
    own = float(at[node, 1]) - abs(float(at[node, 0]) - middle)
    return max([own, *(_highest(kid, kids, at, middle) for kid in kids[node])])


def _arms(trunk: list[int], kids: dict[int, list[int]], at: F64, tall: float) -> tuple[dict[str, int], int]:
    """Parts of both arms, and the bone of the trunk that they hang on; ({}, −1) where there are none."""
    best: tuple[float, int, list[int], list[int]] | None = None
    for bone in trunk[1:]:
        sides = [kid for kid in kids[bone] if kid not in trunk]
        for a in sides:
            for b in sides:
                if at[a, 0] - at[b, 0] < 0.02 * tall or abs(at[a, 1] - at[b, 1]) > 0.03 * tall:
                    continue
                left, right = _along(a, kids), _along(b, kids)
                reach = sum(float(np.linalg.norm(at[c[-1]] - at[c[0]])) for c in (left, right))
                if len(left) >= 2 and len(left) == len(right) and (best is None or reach > best[0]):
                    best = (reach, bone, left, right)
    if best is None:
        return {}, -1
    found: dict[str, int] = {}
    for side, chain in (("left", best[2]), ("right", best[3])):
        names = ["upper_arm", "lower_arm", "hand"]
        lengths = [float(np.linalg.norm(at[b] - at[a])) for a, b in pairwise(chain)]
        if len(lengths) > 1 and lengths[0] < _COLLAR * lengths[1]:
            names.insert(0, "shoulder")
        elif len(chain) > 3:
            names.insert(2, "")  # a wrist between arm and hand
        found |= {f"{side}_{name}": node for name, node in zip(names, chain, strict=False) if name}
    return found, best[1]


def _along(node: int, kids: dict[int, list[int]]) -> list[int]:
    """An arm from its first bone to the hand: where fingers part, or where it ends."""
    chain = [node]
    while kids[chain[-1]] and len(kids[chain[-1]]) < _FINGERS and len(chain) < 4:
        chain.append(max(kids[chain[-1]], key=lambda kid: _depth(kid, kids)))
    return chain


def _depth(node: int, kids: dict[int, list[int]]) -> int:
    return 1 + max((_depth(kid, kids) for kid in kids[node]), default=0)


def _upper(trunk: list[int], chest: int) -> dict[str, int]:
    """Spine, chest, neck and head on the way up."""
    place = trunk.index(chest)
    found = {"chest": chest}
    if place > 1:
        found["spine"] = trunk[1]
    higher = trunk[place + 1 :]
    if len(higher) >= 2:
        found |= {"neck": higher[0], "head": higher[1]}
    elif higher:
        found["head"] = higher[0]
    return found
