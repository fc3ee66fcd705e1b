"""What a body without a clip of its own does: gaits and gestures, as turns of a person's bones."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ..gestures import Posture
from ..pose import Gait
from .figure import Figure
from .model import F64, Pose
from .pose import about, times, turned_bones
from .roles import SIDES

_X, _Y, _Z = np.eye(3)
_NONE = np.array([1.0, 0.0, 0.0, 0.0])


def model_axes(figure: Figure) -> F64:
    """[3, 3] model_from_stage, turns alone: columns are the stage's axes."""
    turn = figure.stage_from_model[:3, :3]
    return np.asarray((turn / np.linalg.norm(turn, axis=0)).T)


def moved(figure: Figure, pose: Pose, turns: Mapping[str, F64]) -> Pose:
    """The pose with some parts of the body turned, as told on the stage; parts that are not there stay."""
    axes = model_axes(figure)
    by_node = {}
    for role, quat in turns.items():
        node = figure.roles.get(role)
        if node is not None and abs(quat[0]) < 1 - 1e-9:
            by_node[node] = np.concatenate([quat[:1], axes @ quat[1:]])
    return turned_bones(figure.model.nodes, pose, by_node)


def gait_turns(now: Gait) -> dict[str, F64]:
    """A moment of a gait, for a body with its arms hanging and its legs straight."""
    turns: dict[str, F64] = {}
    for index, side in enumerate(SIDES):
        turns[f"{side}_upper_leg"] = about(_X, -now.hips[index])
        turns[f"{side}_lower_leg"] = about(_X, now.knees[index])
        turns[f"{side}_foot"] = about(_X, now.ankles[index])
        turns[f"{side}_upper_arm"] = about(_X, -now.shoulders[index])
        turns[f"{side}_lower_arm"] = about(_X, -now.elbows[index])
    turns["spine"] = about(_X, now.lean)
    return turns


def gesture_turns(act: Posture) -> tuple[dict[str, F64], dict[str, float]]:
    """Turns of a gesture, away from hanging arms and straight legs; and how far each part is held by it."""
    turns: dict[str, F64] = {}
    hold: dict[str, float] = {}
    for index, (side, out) in enumerate(zip(SIDES, (1.0, -1.0), strict=True)):
        arm, leg = act.arms[index], act.legs[index]
        if arm.hold > 0:
            swing = times(about(_X, -arm.forward), about(_Z, out * arm.out))
            turns[f"{side}_upper_arm"] = times(about(_Y, -out * arm.across), swing)
            turns[f"{side}_lower_arm"] = times(about(_Z, out * arm.elbow_out), about(_X, -arm.elbow))
            hold |= dict.fromkeys((f"{side}_upper_arm", f"{side}_lower_arm", f"{side}_hand"), arm.hold)
        if leg.hold > 0:
            turns[f"{side}_upper_leg"] = about(_X, -leg.hip)
            turns[f"{side}_lower_leg"] = about(_X, leg.knee)
            turns[f"{side}_foot"] = about(_X, leg.hip - leg.knee)
            hold |= dict.fromkeys((f"{side}_upper_leg", f"{side}_lower_leg", f"{side}_foot"), leg.hold)
    if act.trunk:
        turns["spine"] = about(_X, act.trunk)
    if act.nod or act.shake:
        turns["head"] = times(about(_X, act.nod), about(_Y, act.shake))
    return turns, hold


def with_trunk(figure: Figure, turns: dict[str, F64]) -> dict[str, F64]:
    """The same where a body has no spine by that name: its chest bends, and its neck nods."""
    for wanted, other in (("spine", "chest"), ("head", "neck")):
        if wanted in turns and wanted not in figure.roles and other in figure.roles:
            turns[other] = turns.pop(wanted)
    return turns


def leg_m(figure: Figure, ease: Pose) -> float | None:
    """From hip to sole, metres; None where there are no legs."""
    hips = [
        figure.joint(f"{side}_upper_leg", ease)[1] for side in SIDES if f"{side}_upper_leg" in figure.roles
    ]
    return float(min(hips)) if hips and min(hips) > 0.02 * figure.height_m else None


def sway(now: Gait) -> tuple[float, float]:
    """(to its own left, up) what a gait does to a whole body, metres."""
    return now.sway_m, now.flight_m


def bob(speed_mps: float, gait_phase: float, height_m: float) -> tuple[float, float]:
    """(turn about z, rise) of a body without legs to move, as it hops along."""
    going = min(max(speed_mps, 0.0) / 0.8, 1.0)
    beat = math.sin(math.pi * gait_phase)
    return 0.04 * going * beat, 0.025 * height_m * going * abs(beat)
