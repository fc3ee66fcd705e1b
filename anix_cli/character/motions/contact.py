"""Feet that stand in a performance stand on the figure too: legs of other lengths would let them slide."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.easing import smoothstep

from ..models.figure import Figure
from ..models.legs import two_bones
from ..models.model import F64, Pose
from ..models.moves import model_axes
from ..models.pose import times, turned_bones, worlds
from ..models.roles import SIDES
from .performer import Performance

_SLOW = 0.25
"""Legs a second: slower than this, a foot stands."""
_LOW = 0.12
"""Legs above the lowest place of an ankle, up to which it may stand."""
_SOFT_S = 0.12
_SHORTEST_S = 0.1
_NOTHING = 1e-5


def standing(shown: Performance) -> NDArray[np.bool_]:
    """[T, 2] when each foot stands, as its speed and height tell."""
    if shown.feet is None or len(shown.times_s) < 3:
        return np.zeros((len(shown.times_s), 2), dtype=bool)
    step = float(shown.times_s[1] - shown.times_s[0])
    speed = np.linalg.norm(np.gradient(shown.feet, step, axis=0), axis=2)
    low = shown.feet[:, :, 1] < np.percentile(shown.feet[:, :, 1], 5) + _LOW
    found = (speed < _SLOW) & low
    for side in (0, 1):
        for first, last in runs(found[:, side]):
            if (last - first) * step < _SHORTEST_S:
                found[first:last, side] = False
    return np.asarray(found)


def runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """(first, behind the last) of each stretch of true flags."""
    edges = np.diff(np.concatenate([[0], flags.astype(np.int8), [0]]))
    return list(zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True))


def held_feet(figure: Figure, shown: Performance, turn: F64, shift: dict[int, F64]) -> F64:
    """The turns [T, J, 4] with legs that hold standing feet where they stand in the middle of that time."""
    nodes, roles = figure.model.nodes, figure.roles
    parts = [[roles.get(f"{side}_{part}") for part in ("upper_leg", "lower_leg", "foot")] for side in SIDES]
    legs = [(side, [int(node) for node in leg if node is not None]) for side, leg in enumerate(parts)]
    legs = [(side, leg) for side, leg in legs if len(leg) == 3 and leg[2] in nodes.below(leg[1])]
    stands = standing(shown)
    if not legs or not stands.any():
        return turn
    count = len(turn)
    poses = [
        Pose(_shifted(nodes.rest.shift, shift, frame), turn[frame], nodes.rest.size) for frame in range(count)
    ]
    axes = model_axes(figure)
    world = np.stack([(figure.stage_from_model @ worlds(nodes, pose))[:, :3, 3] for pose in poses])
    off = {leg[2]: _off(world[:, leg[2]], stands[:, side], shown) for side, leg in legs}
    result = turn.copy()
    for frame, pose in enumerate(poses):
        turns: dict[int, F64] = {}
        for _, (upper, lower, foot) in legs:
            move = off[foot][frame]
            if float(np.abs(move).max()) < _NOTHING * figure.height_m:
                continue
            hip, knee, ankle = (world[frame, node] for node in (upper, lower, foot))
            bend, aim = two_bones(hip, knee, ankle, ankle + move)
            back = times(aim, bend) * (1, -1, -1, -1)  # feet stay turned as they were
            for node, quat in ((upper, aim), (lower, bend), (foot, back)):
                turns[node] = np.concatenate([quat[:1], axes @ quat[1:]])
        if turns:
            result[frame] = turned_bones(nodes, pose, turns).turn
    return result


def _shifted(rest: F64, shift: dict[int, F64], frame: int) -> F64:
    found = rest.copy()
    for node, values in shift.items():
        found[node] = values[frame]
    return found


def _off(feet: F64, stands: NDArray[np.bool_], shown: Performance) -> F64:
    """[T, 3] how far a foot is from where it is to be, level; it fades in before it stands, and out after."""
    off = np.zeros_like(feet)
    step = float(shown.times_s[1] - shown.times_s[0])
    soft = max(1, round(_SOFT_S / step))
    total = np.zeros(len(feet))
    for first, last in runs(stands):
        place = np.median(feet[first:last], axis=0)
        low, high = max(first - soft, 0), min(last + soft, len(feet))
        away = np.maximum(first - np.arange(low, high), np.arange(low, high) - (last - 1))
        share = 1 - smoothstep(np.maximum(away, 0) / (soft + 1), 0.0, 1.0)
        held = place - feet[low:high]
        held[away > 0] = 0
        edge_first, edge_last = place - feet[first], place - feet[last - 1]
        held[: first - low] = edge_first
        held[last - low :] = edge_last
        off[low:high] += share[:, None] * held
        total[low:high] += share
    off /= np.maximum(total, 1.0)[:, None]
    off[:, 1] = 0
    return off
