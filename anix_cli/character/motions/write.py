"""Joints in space → a BVH file: what a motion model makes, in the form that all programs for motion read."""

from __future__ import annotations

import math

import numpy as np

from ..models.model import F64
from ..models.pose import between, cross, matrices, quat_of, times

# name, parent, direction at rest: a T-pose, facing +Z
_TREE: tuple[tuple[str, str, tuple[float, float, float]], ...] = (
    ("left_hip", "pelvis", (0.75, -1, 0)), ("right_hip", "pelvis", (-0.75, -1, 0)),
    ("spine1", "pelvis", (0, 1, 0)), ("left_knee", "left_hip", (0, -1, 0)),
    ("right_knee", "right_hip", (0, -1, 0)), ("spine2", "spine1", (0, 1, 0)),
    ("left_ankle", "left_knee", (0, -1, 0)), ("right_ankle", "right_knee", (0, -1, 0)),
    ("spine3", "spine2", (0, 1, 0)), ("left_foot", "left_ankle", (0, -0.45, 1)),
    ("right_foot", "right_ankle", (0, -0.45, 1)), ("neck", "spine3", (0, 1, 0)),
    ("left_collar", "spine3", (0.7, 1, 0)), ("right_collar", "spine3", (-0.7, 1, 0)),
    ("head", "neck", (0, 1, 0.2)), ("left_shoulder", "left_collar", (1, 0, 0)),
    ("right_shoulder", "right_collar", (-1, 0, 0)), ("left_elbow", "left_shoulder", (1, 0, 0)),
    ("right_elbow", "right_shoulder", (-1, 0, 0)), ("left_wrist", "left_elbow", (1, 0, 0)),
    ("right_wrist", "right_elbow", (-1, 0, 0)),
)  # fmt: skip
_NAMES = {
    "pelvis": "Hips", "spine1": "Spine", "spine2": "Spine1", "spine3": "Spine2", "neck": "Neck",
    "head": "Head", "hip": "UpLeg", "knee": "Leg", "ankle": "Foot", "foot": "ToeBase", "collar": "Shoulder",
    "shoulder": "Arm", "elbow": "ForeArm", "wrist": "Hand",
}  # fmt: skip
_BROAD = {"pelvis": ("left_hip", "right_hip", "spine1"), "spine3": ("left_collar", "right_collar", "neck")}
"""Joints whose turn two directions tell: to the left, and up."""


def bvh_of(names: tuple[str, ...], joints: F64, fps: float) -> str:
    """A BVH of joints [F, J, 3], metres, +Y up, by SMPL's names; in centimetres.

    Bones are as long as they are on average. How a bone is rolled about its own axis is not in joints; it
    turns by the shortest way.
    """
    at = {name: 100 * joints[:, index] for index, name in enumerate(names)}
    offsets = {
        name: np.array(way)
        / np.linalg.norm(way)
        * float(np.linalg.norm(at[name] - at[parent], axis=1).mean())
        for name, parent, way in _TREE
    }
    parents = {name: parent for name, parent, _ in _TREE}
    order = _order("pelvis", parents)
    turns = _turns(at, offsets, parents, order)
    lines = ["HIERARCHY", *_hierarchy("pelvis", offsets, parents, 0)]
    lines += ["MOTION", f"Frames: {len(joints)}", f"Frame Time: {1 / fps:.8f}"]
    angles = {name: _euler(turns[name]) for name in order}
    for frame in range(len(joints)):
        values = [*at["pelvis"][frame], *(angle for name in order for angle in angles[name][frame])]
        lines.append(" ".join(f"{value:.5f}" for value in values))
    return "\n".join(lines) + "\n"


def _called(name: str) -> str:
    side, _, part = name.rpartition("_")
    return side.capitalize() + _NAMES[part] if side else _NAMES[name]


def _kids(name: str, parents: dict[str, str]) -> list[str]:
    return [kid for kid, parent in parents.items() if parent == name]


def _order(name: str, parents: dict[str, str]) -> list[str]:
    """Joints as a BVH lists them: each before its own, branch by branch."""
    return [name, *(each for kid in _kids(name, parents) for each in _order(kid, parents))]


def _hierarchy(name: str, offsets: dict[str, F64], parents: dict[str, str], depth: int) -> list[str]:
    tab, kids = "\t" * depth, _kids(name, parents)
    place = " ".join(f"{value:.5f}" for value in offsets.get(name, np.zeros(3)))
    places = "" if depth else "Xposition Yposition Zposition "
    lines = [f"{tab}{'JOINT' if depth else 'ROOT'} {_called(name)}", f"{tab}{{", f"{tab}\tOFFSET {place}"]
    lines.append(f"{tab}\tCHANNELS {3 if depth else 6} {places}Zrotation Yrotation Xrotation")
    for kid in kids:
        lines += _hierarchy(kid, offsets, parents, depth + 1)
    if not kids:
        lines += [f"{tab}\tEnd Site", f"{tab}\t{{", f"{tab}\t\tOFFSET 0 0 5", f"{tab}\t}}"]
    return [*lines, f"{tab}}}"]


def _turns(
    at: dict[str, F64], offsets: dict[str, F64], parents: dict[str, str], order: list[str]
) -> dict[str, F64]:
    """[F, 4] by joint, how it is turned in its parent's frame."""
    count = len(at["pelvis"])
    world = {name: np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)) for name in order}
    local = {name: each.copy() for name, each in world.items()}
    for name in order:
        kids = _kids(name, parents)
        for frame in range(count):
            above = world[parents[name]][frame] if name in parents else np.array([1.0, 0.0, 0.0, 0.0])
            turned = above
            if name in _BROAD:
                left, right, up = (at[each][frame] for each in _BROAD[name])
                turned = _frame(left - right, up - at[name][frame])
            elif len(kids) == 1:
                now = matrices(above) @ offsets[kids[0]]
                turned = times(between(now, at[kids[0]][frame] - at[name][frame]), above)
            world[name][frame] = turned
            local[name][frame] = times(above * np.array([1.0, -1.0, -1.0, -1.0]), turned)
    return local


def _frame(left: F64, up: F64) -> F64:
    """The turn that takes +X towards ``left`` and +Y to ``up``."""
    y = up / max(float(np.linalg.norm(up)), 1e-12)
    z = cross(left, y)
    if float(np.linalg.norm(z)) < 1e-9:
        return between(np.array([0.0, 1.0, 0.0]), y)
    z = z / np.linalg.norm(z)
    return quat_of(np.stack([cross(y, z), y, z], axis=1))


def _euler(quats: F64) -> F64:
    """[F, 3] degrees about Z, Y and X, in the order in which they multiply."""
    m = matrices(quats)
    y = np.arcsin(np.clip(-m[:, 2, 0], -1, 1))
    z, x = np.arctan2(m[:, 1, 0], m[:, 0, 0]), np.arctan2(m[:, 2, 1], m[:, 2, 2])
    locked = np.abs(m[:, 2, 0]) > 1 - 1e-9
    z[locked], x[locked] = np.arctan2(-m[locked, 0, 1], m[locked, 1, 1]), 0.0
    return np.asarray(np.stack([z, y, x], axis=1) * (180 / math.pi))
