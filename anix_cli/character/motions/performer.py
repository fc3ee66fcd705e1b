"""What a person does in a motion, free of the file's axes, unit and bones: turns away from standing.

Everything is told against a stance: the file's rest pose where that stands upright, as most do; else, as in
LAFAN1, whose joints at rest lie along one axis, the moment of the clip that is most like standing. From the
stance follow which way is up, which way the body faces (its left and right tell), and how large it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from anix_cli.core.errors import fail

from ..models.clips import Track
from ..models.model import F64, Nodes
from ..models.pose import matrices, quat_of, times
from ..models.roles import SIDES, Roles
from .read import Motion

LIMBS = (("upper_arm", "lower_arm"), ("lower_arm", "hand"), ("upper_leg", "lower_leg"), ("lower_leg", "foot"))
"""Parts that have a direction, each with the part at whose joint it ends."""
_OPPOSITE = -0.7
_BENT = 0.5
_FLAT = 0.4
"""Who looks up or down so far that less of the view is level lies, and heads nowhere."""
_AWAY = 4.0
_SNAP_RAD = math.radians(20)
_ASIDE_RAD = math.radians(45)
_TWIST_RAD = math.radians(10)
"""A game's clip that begins turned by less than the first is meant so, as is any that is turned by less than
the second; else one of a studio faces anywhere."""
_INVERSE = np.array([1.0, -1.0, -1.0, -1.0])
_UNITS = (
    (1.2, 2.3, 1.0, "metres"), (120, 230, 0.01, "centimetres"), (47, 91, 0.0254, "inches"),
    (1200, 2300, 0.001, "millimetres"), (3.9, 7.5, 0.3048, "feet"),
)  # fmt: skip
"""(least, most, metres, name) of what a standing person measures in it."""
_TOP = 1.07
"""A person's height, of the height of the joint that turns the head (Drillis and Contini 1966: 0.93)."""


@dataclass(frozen=True)
class Performance:
    """A motion on a stage of its own: +Y up, facing +Z as it begins; lengths in lengths of its leg.

    Attributes:
        times_s: [T], even. turns: by part, [T, 4] wxyz, how it is turned away from the stance.
        reach: by limb, [3] unit, where it points in the stance.
        trunk: from the hips up to the chest, the part of the whole at which each joint lies, 0 … 1, with its
            turns as in ``turns``.
        hips: [T, 3] how far the hips are from where they are in the stance; the way that was gone is in it.
        feet: [T, 2, 3] where the ankles are, above the ground that feet stand on; None without feet.
        same: by name of a node that is no known part, its turns [T, 4] in its parent's frame, away from
            rest, and the rest turn itself.
        by_rest: whether the stance is the file's rest pose.
        unit: what its lengths were taken for, in words; ``leg_m`` by that.
    """

    times_s: F64
    turns: Mapping[str, F64]
    reach: Mapping[str, F64]
    trunk: tuple[tuple[float, F64], ...]
    hips: F64
    feet: F64 | None
    same: Mapping[str, tuple[F64, F64]]
    by_rest: bool
    unit: str
    leg_m: float

    @property
    def duration_s(self) -> float:
        return float(self.times_s[-1])


def perform(motion: Motion) -> Performance:
    """Understands a motion.

    Raises:
        AnixError: E363, its joints are nowhere apart; E366, no moment of it tells up from down.
    """
    nodes, roles = motion.nodes, chest_found(motion.nodes, motion.roles)
    track = Track(motion.clip, nodes.rest)
    times_s, shift, turn, size = track.keys()
    places, turned = poses_of(nodes, shift, turn, size)
    rest = nodes.rest
    rest_at, rest_turn = poses_of(nodes, rest.shift[None], rest.turn[None], rest.size[None])
    by_rest = _stands(rest_at[0], roles)
    if by_rest:
        at, stance = rest_at[0], rest_turn[0]
    else:
        frame = _most_standing(places, roles)
        if frame is None:
            raise _not_upright(motion)
        at, stance = places[frame], turned[frame]
    axes = _stage_axes(motion, at, places, roles, by_rest=by_rest)
    whole = quat_of(axes)
    leg = _leg(at, roles)
    if not leg > 1e-9:
        raise fail("E363", f"{motion.path.name} is damaged: its legs have no length", file=motion.path)
    # A turn away from the stance, told on the stage: S·q·s⁻¹·S⁻¹.
    away = times(times(whole, times(turned, stance * _INVERSE)), whole * _INVERSE)
    places, at = places @ axes.T / leg, at @ axes.T / leg
    heading = _heading(away, roles, studio=not (motion.metric and by_rest))
    back = _about_y(-heading)
    away = times(back, away)
    turns = {role: away[:, node] for role, node in roles.items()}
    hips = places[:, roles["hips"]]
    feet = _feet(places, roles)
    base = at[roles["hips"]]
    ground = 0.0
    if feet is not None:
        own = np.stack([at[roles[f"{side}_foot"]] for side in SIDES])
        ground = float(np.percentile(feet[:, :, 1].min(axis=1), 5)) - float(own[:, 1].min())
    if by_rest and motion.metric and float(np.linalg.norm((hips - base)[0])) < _AWAY:
        start, ground = base, 0.0
    else:
        start = np.array([hips[0, 0], base[1], hips[0, 2]])
    level = np.array([start[0], ground + start[1], start[2]])
    turn_back = matrices(back)
    moved = (hips - level) @ turn_back.T
    if feet is not None:
        feet = (feet - np.array([start[0], ground, start[2]])) @ turn_back.T
    reach = _reach(at, roles)
    unit, unit_m = _unit_of(at, roles, leg)
    return Performance(
        times_s, turns, reach, _trunk(nodes, roles, at, away), moved, feet,
        _same(nodes, roles, turn, nodes.rest.turn), by_rest, unit, leg * unit_m,
    )  # fmt: skip


def chest_found(nodes: Nodes, roles: Roles) -> Roles:
    """The parts, with as chest what both arms hang on, where the trunk has joints by other names alone."""
    arms = [roles.get(f"{side}_upper_arm") for side in SIDES]
    hips = roles.get("hips")
    if hips is None or None in arms:
        return roles
    chains = [_up(nodes, int(arm)) for arm in arms if arm is not None]
    shared = next((node for node in chains[0] if node in chains[1]), None)
    if shared is None or shared == hips or hips not in _up(nodes, shared):
        return roles
    others = {role: node for role, node in roles.items() if role not in ("chest", "spine")}
    if shared in others.values():
        return roles
    found = {**others, "chest": shared}
    spine = roles.get("spine")
    if spine is not None and spine != shared and spine in _up(nodes, shared):
        found["spine"] = spine
    return found


def _up(nodes: Nodes, node: int) -> list[int]:
    found = []
    while node >= 0:
        found.append(node)
        node = int(nodes.parents[node])
    return found


def trunk_chain(nodes: Nodes, roles: Roles) -> list[int]:
    """Nodes from above the hips up to the chest; empty where one of these is not known."""
    hips, chest = roles.get("hips"), roles.get("chest", roles.get("spine"))
    if hips is None or chest is None or hips not in _up(nodes, chest):
        return []
    chain = _up(nodes, chest)
    return chain[: chain.index(hips)][::-1]


def shares_along(at: F64, hips: int, chain: list[int]) -> list[float]:
    """Of each joint of a trunk, how far up it is, 0 … 1: what it turns, counted by lengths of bones."""
    places = at[[hips, *chain]]
    lengths = np.cumsum(np.maximum(np.linalg.norm(np.diff(places, axis=0), axis=1), 1e-6))
    return [float(length / lengths[-1]) for length in lengths]


def _trunk(nodes: Nodes, roles: Roles, at: F64, away: F64) -> tuple[tuple[float, F64], ...]:
    chain = trunk_chain(nodes, roles)
    if not chain:
        return ()
    hips = roles["hips"]
    joints = zip(shares_along(at, hips, chain), chain, strict=True)
    return ((0.0, away[:, hips]), *((share, away[:, node]) for share, node in joints))


def poses_of(nodes: Nodes, shift: F64, turn: F64, size: F64) -> tuple[F64, F64]:
    """Of T poses: where every node is, [T, J, 3], and how it is turned, [T, J, 4]."""
    count = len(shift)
    linear = matrices(turn) * size[:, :, None, :]
    place, turned = shift.copy(), turn.copy()
    for node, matrix in nodes.fixed.items():
        linear[:, node], place[:, node] = matrix[:3, :3], matrix[:3, 3]
        turned[:, node] = quat_of(matrix[:3, :3])
    for layer in nodes.layers[1:]:
        above = nodes.parents[layer]
        place[:, layer] = np.einsum("tjab,tjb->tja", linear[:, above], place[:, layer]) + place[:, above]
        linear[:, layer] = linear[:, above] @ linear[:, layer]
        turned[:, layer] = times(turned[:, above], turned[:, layer])
    return place.reshape(count, -1, 3), turned


def _middle(at: F64, roles: Roles, *parts: str) -> F64 | None:
    """[..., 3] the middle of the first parts that are known, of both sides where there are two."""
    for part in parts:
        known = [roles[name] for name in (part, *(f"{side}_{part}" for side in SIDES)) if name in roles]
        if known:
            return np.asarray(at[..., known, :].mean(axis=-2))
    return None


def _upright(at: F64, roles: Roles) -> tuple[F64, F64] | None:
    """[..., 3] (where the trunk points, where the legs do) from the hips, unit."""
    top = _middle(at, roles, "head", "neck", "chest", "spine", "upper_arm")
    low = _middle(at, roles, "foot", "lower_leg")
    hips = at[..., roles["hips"], :]
    if top is None:
        return None
    trunk = _unit(top - hips)
    return trunk, (-trunk if low is None else _unit(low - hips))


def _unit(vectors: F64) -> F64:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12))


def _stands(at: F64, roles: Roles) -> bool:
    """Whether a pose stands upright: legs point away from the trunk, straight, and lie beside each other."""
    told = _upright(at, roles)
    if told is None or float(told[0] @ told[1]) > _OPPOSITE:
        return False
    across = _across(at, roles)
    return across is not None and abs(float(across @ told[0])) < 0.5 and _straight(at, roles) > _BENT


def _straight(at: F64, roles: Roles) -> float:
    """1 for straight legs that hang side by side, less for any other."""
    least = 1.0
    for side in SIDES:
        joints = [roles.get(f"{side}_{part}") for part in ("upper_leg", "lower_leg", "foot")]
        if None in joints:
            continue
        hip, knee, ankle = (at[int(joint or 0)] for joint in joints)
        least = min(least, float(_unit(knee - hip) @ _unit(ankle - knee)))
    return least


def _across(at: F64, roles: Roles) -> F64 | None:
    """From right to left, unit."""
    for part in ("upper_leg", "upper_arm", "shoulder"):
        left, right = (roles.get(f"{side}_{part}") for side in SIDES)
        if left is not None and right is not None:
            away = at[left] - at[right]
            if float(np.linalg.norm(away)) > 1e-9:
                return _unit(away)
    return None


def _most_standing(places: F64, roles: Roles) -> int | None:
    """The frame in which the body stands straightest."""
    told = _upright(places, roles)
    if told is None:
        return None
    score = -(told[0] * told[1]).sum(axis=1)
    few = np.argsort(-score)[: max(1, len(score) // 20)]
    best = max(few, key=lambda frame: float(score[frame]) + _straight(places[frame], roles))
    return int(best) if score[best] > -_OPPOSITE and _across(places[best], roles) is not None else None


def _stage_axes(motion: Motion, at: F64, places: F64, roles: Roles, *, by_rest: bool) -> F64:
    """[3, 3] stage_from_file, a turn: rows are the body's left, up and ahead in the file's axes."""
    told, across = _upright(at, roles), _across(at, roles)
    if told is None or across is None:
        raise _not_upright(motion)
    rough = _unit(told[0] - told[1])
    if not by_rest:  # of one moment; what is up is up all the time
        all_told = _upright(places, roles)
        rough = (
            rough if all_told is None else _unit(np.median(all_told[0] - all_told[1], axis=0) + 0.2 * rough)
        )
    axis = int(np.abs(rough).argmax())
    up = np.eye(3)[axis] * math.copysign(1.0, float(rough[axis]))
    left = _unit(across - float(across @ up) * up)
    if by_rest:  # sides that are a little uneven are no turn
        nearest = int(np.abs(left).argmax())
        straight = np.eye(3)[nearest] * math.copysign(1.0, float(left[nearest]))
        if math.acos(min(float(left @ straight), 1.0)) < _SNAP_RAD:
            left = straight
    return np.stack([left, up, np.cross(left, up)])


def _leg(at: F64, roles: Roles) -> float:
    """The length of a leg, or what comes near it."""
    lengths = []
    for side in SIDES:
        joints = [roles.get(f"{side}_{part}") for part in ("upper_leg", "lower_leg", "foot")]
        known = [at[joint] for joint in joints if joint is not None]
        if len(known) > 1:
            lengths.append(float(np.linalg.norm(np.diff(known, axis=0), axis=1).sum()))
    if lengths:
        return float(np.mean(lengths))
    top = _middle(at, roles, "head", "neck", "chest", "spine", "upper_arm")
    return 0.0 if top is None else 1.1 * float(np.linalg.norm(top - at[roles["hips"]]))


def _feet(places: F64, roles: Roles) -> F64 | None:
    named = [roles.get(f"{side}_foot") for side in SIDES]
    return None if None in named else np.asarray(places[:, [int(node or 0) for node in named]])


def _heading(away: F64, roles: Roles, *, studio: bool) -> float:
    """Which way the body faces as the clip begins, as an angle about +Y."""
    few = max(1, min(12, len(away)))
    parts = [roles[part] for part in ("hips", "chest", "head") if part in roles]
    ahead = np.zeros(3)
    for part in parts:
        ahead += matrices(away[:few, part])[:, :, 2].mean(axis=0)
    if float(np.hypot(ahead[0], ahead[2])) < _FLAT * len(parts):
        return 0.0
    angle = math.atan2(float(ahead[0]), float(ahead[2]))
    return angle if abs(angle) > (_TWIST_RAD if studio else _ASIDE_RAD) else 0.0


def _about_y(angle: float) -> F64:
    return np.array([math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0])


def _reach(at: F64, roles: Roles) -> dict[str, F64]:
    found = {}
    for side in SIDES:
        for part, end in LIMBS:
            begins, ends = roles.get(f"{side}_{part}"), roles.get(f"{side}_{end}")
            if begins is not None and ends is not None:
                away = at[ends] - at[begins]
                if float(np.linalg.norm(away)) > 1e-9:
                    found[f"{side}_{part}"] = _unit(away)
    return found


def _same(nodes: Nodes, roles: Roles, turn: F64, rest: F64) -> dict[str, tuple[F64, F64]]:
    known = set(roles.values())
    found = {}
    for node, name in enumerate(nodes.names):
        if node in known:
            continue
        own = times(rest[node] * _INVERSE, turn[:, node])
        if float(np.abs(own[:, 1:]).max()) > 1e-6:
            found[name] = (own, rest[node])
    return found


def _unit_of(at: F64, roles: Roles, leg: float) -> tuple[str, float]:
    """(what the file's unit was taken for, metres in it), by how tall the body is."""
    top = _middle(at, roles, "head", "neck", "upper_arm")
    low = _middle(at, roles, "foot", "lower_leg")
    height = 1.9 if top is None or low is None else _TOP * float(top[1] - low[1]) + 0.05
    height *= leg
    for least, most, metres, name in _UNITS:
        if least <= height <= most:
            return name, metres
    return f"units of {1.7 / height:.3g} m, as of a person of 1.7 m", 1.7 / height


def _not_upright(motion: Motion) -> Exception:
    text = f"{motion.path.name} never stands upright, so that it can't be told which way is up"
    hint = "Let its rest pose, or a moment of it, stand."
    return fail("E366", text, file=motion.path, hint=hint)
