"""A performance carried over to a figure: as a clip of its own nodes, like those that its file could hold.

The figure is first brought into the performer's stance, by the shortest turn of each limb; from there its
bones turn on the stage exactly as the performer's do. So limbs point where the performer's point, whatever
either's rest pose and whichever way bones are rolled; and a rig's own motion comes back to it unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..models.figure import Figure
from ..models.model import F64, Channel, Clip, Nodes
from ..models.pose import between, matrices, quat_of, times, worlds
from ..models.roles import SIDES, Roles
from .contact import held_feet
from .performer import LIMBS, Performance, chest_found, poses_of, shares_along, trunk_chain

_INVERSE = np.array([1.0, -1.0, -1.0, -1.0])
_LEVEL = ("head", "left_foot", "right_foot")
"""Parts that are alike in all stances: a head looks ahead, feet lie flat."""


def retarget(figure: Figure, shown: Performance, name: str, *, firm: bool = False) -> Clip:
    """The clip of a performance, under a name.

    Args:
        firm: whether feet that stand in the performance are held on their places.
    """
    nodes = figure.model.nodes
    roles = chest_found(nodes, figure.roles)
    told = _turns(nodes, roles, figure, shown)
    turn = _local(figure, _stance(figure, roles, shown.reach), told, shown)
    shift = _hips(figure, roles, shown)
    if firm and shown.feet is not None:
        turn = held_feet(figure, shown, turn, shift)
    shift |= _loose_feet(nodes, roles, turn, shift)
    keys = shown.times_s
    moved = [node for node in range(len(nodes.names)) if np.ptp(turn[:, node], axis=0).max() > 1e-9
             or float(np.abs(turn[0, node] - nodes.rest.turn[node]).max()) > 1e-9]  # fmt: skip
    channels = [Channel(node, "rotation", keys, turn[:, node][:, [1, 2, 3, 0]], "LINEAR") for node in moved]
    channels += [Channel(node, "translation", keys, values, "LINEAR") for node, values in shift.items()]
    return Clip(name, 0.0, shown.duration_s, tuple(channels))


def _turns(nodes: Nodes, roles: Roles, figure: Figure, shown: Performance) -> dict[int, F64]:
    """[T, 4] by node, how it is turned away from the stance, on the stage."""
    found = {node: shown.turns[role] for role, node in roles.items() if role in shown.turns}
    carrier = _carrier(nodes, roles)
    if carrier is not None and "hips" in shown.turns:
        found.setdefault(carrier, shown.turns["hips"])
    chain = trunk_chain(nodes, roles)
    if chain and shown.trunk:
        at = worlds(nodes, nodes.rest)[:, :3, 3]
        shares = shares_along(at, roles["hips"], chain)
        for share, node in zip(shares, chain, strict=True):
            found[node] = _along(shown.trunk, share) if len(chain) > 1 else _mean(shown.trunk[1:])
    elif shown.trunk:
        for part in ("chest", "spine"):
            if part in roles:
                found[roles[part]] = _mean(shown.trunk[1:])
    return found


def _along(trunk: tuple[tuple[float, F64], ...], share: float) -> F64:
    """The turns so far up the trunk, between those of its joints."""
    above = next((index for index, (at, _) in enumerate(trunk) if at >= share - 1e-6), len(trunk) - 1)
    (low, first), (high, second) = trunk[max(above - 1, 0)], trunk[above]
    u = 1.0 if high - low < 1e-9 else min(max((share - low) / (high - low), 0.0), 1.0)
    return second if u > 1 - 1e-6 else _between(first, second, u)


def _between(a: F64, b: F64, u: float) -> F64:
    b = np.where((a * b).sum(axis=1, keepdims=True) < 0, -b, b)
    mixed = a + u * (b - a)
    return np.asarray(mixed / np.linalg.norm(mixed, axis=1, keepdims=True))


def _mean(trunk: tuple[tuple[float, F64], ...]) -> F64:
    """One bone for a whole trunk turns as its joints do on average."""
    total = trunk[0][1]
    for index, (_, turns) in enumerate(trunk[1:], start=2):
        total = _between(total, turns, 1 / index)
    return total


def _rests(figure: Figure) -> tuple[F64, F64]:
    """Of every node at rest: how it is turned on the stage [J, 4], and where it is there [J, 3]."""
    world = figure.stage_from_model @ worlds(figure.model.nodes, figure.model.nodes.rest)
    return np.stack([quat_of(each[:3, :3]) for each in world]), world[:, :3, 3]


def _stance(figure: Figure, roles: Roles, reach: Mapping[str, F64]) -> F64:
    """[J, 4] how every node is turned on the stage in the performer's stance."""
    nodes = figure.model.nodes
    turned, at = _rests(figure)
    swung = np.tile([1.0, 0.0, 0.0, 0.0], (len(turned), 1))
    of_node = {node: role for role, node in roles.items()}
    level = {roles[part] for part in _LEVEL if part in roles}
    ends = {f"{side}_{part}": f"{side}_{end}" for side in SIDES for part, end in LIMBS}
    for layer in nodes.layers:
        for node in map(int, layer):
            parent = int(nodes.parents[node])
            carried = swung[parent] if parent >= 0 and node not in level else swung[node]
            swung[node] = carried
            role = of_node.get(node, "")
            if role not in reach:
                continue
            end = roles.get(ends[role])
            own = None if end is None else at[end] - at[node]
            if own is None and role.endswith("upper_arm"):
                own = _far(figure, node)
            if own is not None and float(np.linalg.norm(own)) > 1e-9:
                now = matrices(carried) @ own
                swung[node] = times(between(now, reach[role]), carried)
    return times(swung, turned)


def _far(figure: Figure, node: int) -> F64 | None:
    """Where an arm of one piece points at rest, on the stage."""
    from ..models.figure import far_end

    away = far_end(figure.model, worlds(figure.model.nodes, figure.model.nodes.rest), node)
    away = figure.stage_from_model[:3, :3] @ away
    return np.asarray(away) if float(np.linalg.norm(away)) > 1e-9 else None


def _local(figure: Figure, stance: F64, told: Mapping[int, F64], shown: Performance) -> F64:
    """[T, J, 4] the turn of every node in its parent's frame."""
    nodes = figure.model.nodes
    count = len(shown.times_s)
    turn = np.tile(nodes.rest.turn, (count, 1, 1))
    whole = quat_of(figure.stage_from_model[:3, :3])
    world = np.empty_like(turn)
    for layer in nodes.layers:
        for node in map(int, layer):
            parent = int(nodes.parents[node])
            above = np.tile(whole, (count, 1)) if parent < 0 else world[:, parent]
            if node in nodes.fixed:
                world[:, node] = times(above, quat_of(nodes.fixed[node][:3, :3]))
                continue
            if node in told:
                world[:, node] = times(told[node], stance[node])
                turn[:, node] = times(above * _INVERSE, world[:, node])
                continue
            same = shown.same.get(nodes.names[node])
            if same is not None and abs(float(same[1] @ nodes.rest.turn[node])) > 0.999:
                turn[:, node] = times(nodes.rest.turn[node], same[0])
            world[:, node] = times(above, turn[:, node])
    return _even(turn)


def _even(turn: F64) -> F64:
    """Each turn with the sign that lies nearer to the one before, the first to no turn at all."""
    turn = turn * np.where(turn[:1, :, :1] < 0, -1.0, 1.0)
    flips = (turn[1:] * turn[:-1]).sum(axis=2) < 0
    signs = np.concatenate([np.ones((1, turn.shape[1])), np.where(np.cumsum(flips, axis=0) % 2, -1.0, 1.0)])
    return np.asarray(turn * signs[:, :, None])


def _loose_feet(nodes: Nodes, roles: Roles, turn: F64, shift: Mapping[int, F64]) -> dict[int, F64]:
    """Shifts of feet that do not hang on their legs, as those of rigs with targets: they go with them."""
    loose = [
        (roles[f"{side}_lower_leg"], roles[f"{side}_foot"])
        for side in SIDES
        if f"{side}_foot" in roles and f"{side}_lower_leg" in roles
        and roles[f"{side}_foot"] not in nodes.below(roles[f"{side}_lower_leg"])
    ]  # fmt: skip
    if not loose:
        return {}
    shifts = np.tile(nodes.rest.shift, (len(turn), 1, 1))
    for node, values in shift.items():
        shifts[:, node] = values
    sizes = np.tile(nodes.rest.size, (len(turn), 1, 1))
    rest = worlds(nodes, nodes.rest)
    at, turned = poses_of(nodes, shifts, turn, sizes)
    found = {}
    for leg, foot in loose:
        size = float(np.linalg.norm(rest[leg][:3, 0]))
        end = np.linalg.solve(rest[leg][:3, :3], rest[foot][:3, 3] - rest[leg][:3, 3])
        place = at[:, leg] + size * (matrices(turned[:, leg]) @ end)
        parent = int(nodes.parents[foot])
        if parent >= 0:
            size = float(np.linalg.norm(rest[parent][:3, 0]))
            away = (place - at[:, parent])[:, None, :] @ matrices(turned[:, parent])
            place = away[:, 0] / size
        found[foot] = place
    return found


def leg_length(figure: Figure, roles: Roles) -> float:
    """Of a figure, metres: as a performer's is measured; half of its height where it has no such joints."""
    _, at = _rests(figure)
    lengths = []
    for side in SIDES:
        known = [roles[f"{side}_{part}"] for part in ("upper_leg", "lower_leg", "foot")
                 if f"{side}_{part}" in roles]  # fmt: skip
        if len(known) > 1:
            lengths.append(float(np.linalg.norm(np.diff(at[known], axis=0), axis=1).sum()))
    return float(np.mean(lengths)) if lengths else 0.47 * figure.height_m


def _carrier(nodes: Nodes, roles: Roles) -> int | None:
    """The node that carries the whole body: the hips, or what trunk and legs hang on beside them."""
    hips = roles.get("hips")
    if hips is None:
        return None
    others = [roles.get(part) for part in ("chest", "spine", *(f"{side}_upper_leg" for side in SIDES))]
    node = hips
    while node >= 0 and not set(nodes.below(node)).issuperset(n for n in others if n is not None):
        node = int(nodes.parents[node])
    return node if node >= 0 else hips


def _hips(figure: Figure, roles: Roles, shown: Performance) -> dict[int, F64]:
    """Shifts [T, 3] of the node that carries the body, in its parent's frame."""
    nodes, node = figure.model.nodes, _carrier(figure.model.nodes, roles)
    if node is None or node in nodes.fixed:
        return {}
    moved = shown.hips * leg_length(figure, roles)
    _, at = _rests(figure)
    away = at[node] - at[roles["hips"]]
    moved = moved + matrices(shown.turns["hips"]) @ away - away
    parent = int(nodes.parents[node])
    above = figure.stage_from_model
    if parent >= 0:
        above = above @ worlds(nodes, nodes.rest)[parent]
    return {node: nodes.rest.shift[node] + np.linalg.solve(above[:3, :3], moved.T).T}
