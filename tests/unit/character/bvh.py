"""BVH files written after the public descriptions of the format: the tests' own performers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

FPS = 30.0
NONE = Rotation.identity()

TREE: dict[str, tuple[str | None, tuple[float, float, float]]] = {
    "Hips": (None, (0, 95, 0)),
    "Spine": ("Hips", (0, 10, 0)),
    "Spine1": ("Spine", (0, 12, 0)),
    "Spine2": ("Spine1", (0, 12, 0)),
    "Neck": ("Spine2", (0, 18, 0)),
    "Head": ("Neck", (0, 9, 2)),
}
for _side, _x in (("Left", 1), ("Right", -1)):
    TREE |= {
        f"{_side}Shoulder": ("Spine2", (3 * _x, 12, 0)),
        f"{_side}Arm": (f"{_side}Shoulder", (14 * _x, 0, 0)),
        f"{_side}ForeArm": (f"{_side}Arm", (28 * _x, 0, 0)),
        f"{_side}Hand": (f"{_side}ForeArm", (25 * _x, 0, 0)),
        f"{_side}UpLeg": ("Hips", (9 * _x, -3, 0)),
        f"{_side}Leg": (f"{_side}UpLeg", (0, -42, 0)),
        f"{_side}Foot": (f"{_side}Leg", (0, -42, 0)),
        f"{_side}Toe": (f"{_side}Foot", (0, -8, 13)),
    }
"""A person in a T-pose, centimetres, +Y up, facing +Z, by the names of LAFAN1."""


class Performer:
    """Turns of joints in their parents' frames, and the way of the hips, over ``frames``."""

    def __init__(self, frames: int, tree: Mapping[str, Any] = TREE) -> None:
        self.tree = {name: (parent, np.array(offset, dtype=float)) for name, (parent, offset) in tree.items()}
        self.turns = {name: Rotation.concatenate([NONE] * frames) for name in tree}
        root = next(iter(tree))
        self.way = np.tile(self.tree[root][1], (frames, 1))
        self.frames = frames

    def turn(self, joint: str, axis: str, degrees: Any) -> None:
        angles = np.broadcast_to(np.asarray(degrees, float), (self.frames,))
        self.turns[joint] = self.turns[joint] * Rotation.from_euler(axis, angles[:, None], degrees=True)

    def based(self, base: Mapping[str, Rotation]) -> Performer:
        """The same motion of joints that are turned in themselves by ``base`` at rest: other bone rolls, or
        another rest pose."""
        found = Performer(self.frames, self.tree)
        for name, (parent, offset) in self.tree.items():
            above = base.get(parent, NONE) if parent else NONE
            found.tree[name] = (parent, above.inv().apply(offset) if parent else offset)
            found.turns[name] = above.inv() * self.turns[name] * base.get(name, NONE)
        found.way = self.way.copy()
        return found

    def moved(self, whole: Rotation) -> Performer:
        """All of it turned on the stage: another axis up, or another facing; in the rest pose too."""
        found = Performer(self.frames, self.tree)
        for name, (parent, offset) in self.tree.items():
            found.tree[name] = (parent, whole.apply(offset))
            found.turns[name] = whole * self.turns[name] * whole.inv()
        found.way = whole.apply(self.way)
        return found

    def places(self) -> dict[str, np.ndarray]:
        """[F, 3] where every joint is, file's unit."""
        world: dict[str, Rotation] = {}
        at: dict[str, np.ndarray] = {}
        for name, (parent, offset) in self.tree.items():
            if parent is None:
                world[name], at[name] = self.turns[name], self.way
            else:
                world[name] = world[parent] * self.turns[name]
                at[name] = at[parent] + world[parent].apply(offset)
        return at

    def write(
        self, path: Path, *, order: str = "ZYX", prefix: str = "", scale: float = 1.0, names: Any = None
    ) -> Path:
        """``order``: of the rotation channels. ``names``: other names of joints."""
        lines, joints = ["HIERARCHY"], list[str]()

        def joint(name: str, depth: int) -> None:
            parent, offset = self.tree[name]
            tab = "\t" * depth
            called = prefix + (names or {}).get(name, name)
            kids = [other for other, (above, _) in self.tree.items() if above == name]
            joints.append(name)
            lines.extend([f"{tab}{'JOINT' if parent else 'ROOT'} {called}", f"{tab}{{"])
            shown = offset * scale if parent else np.zeros(3)
            lines.append(f"{tab}\tOFFSET {' '.join(f'{value:.6f}' for value in shown)}")
            places = "" if parent else "Xposition Yposition Zposition "
            count = 3 if parent else 6
            lines.append(f"{tab}\tCHANNELS {count} {places}{' '.join(f'{axis}rotation' for axis in order)}")
            for kid in kids:
                joint(kid, depth + 1)
            if not kids:
                lines.extend([f"{tab}\tEnd Site", f"{tab}\t{{", f"{tab}\t\tOFFSET 0 {scale} 0", f"{tab}\t}}"])
            lines.append(f"{tab}}}")

        joint(next(iter(self.tree)), 0)
        lines += ["MOTION", f"Frames: {self.frames}", f"Frame Time: {1 / FPS:.8f}"]
        angles = {name: self.turns[name].as_euler(order, degrees=True) for name in joints}
        for frame in range(self.frames):
            values = [*(self.way[frame] * scale), *(v for name in joints for v in angles[name][frame])]
            lines.append(" ".join(f"{value:.6f}" for value in values))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path


def wave(frames: int = 60) -> Performer:
    """The right arm goes up, the left one hangs."""
    made = Performer(frames)
    up = np.clip(np.arange(frames) / 15, 0, 1)
    made.turn("LeftArm", "z", -80)
    made.turn("RightArm", "z", 80 - 130 * up)
    made.turn("RightForeArm", "z", -40 * up)
    made.turn("Spine1", "y", 12 * np.sin(np.arange(frames) / 9))
    made.turn("RightUpLeg", "x", -10 * up)
    return made


def walk(frames: int = 240, *, speed: float = 130.0, turning: float = 0.0) -> Performer:
    """Walks about: two steps in 1.1 s at ``speed`` centimetres a second, turning so many degrees a second."""
    made = Performer(frames)
    time = np.arange(frames) / FPS
    round_ = 2 * np.pi * time / 1.1
    made.turn("Hips", "y", turning * time + 5 * np.sin(round_))
    made.turn("Spine", "y", -8 * np.sin(round_))
    for side, sign, late in (("Left", 1, 0.0), ("Right", -1, np.pi)):
        now = round_ + late
        hip = 28 * np.sin(now)
        knee = 5 + 55 * np.exp(-((np.angle(np.exp(1j * (now + 0.6))) / 0.7) ** 2))
        made.turn(f"{side}UpLeg", "x", -hip)
        made.turn(f"{side}Leg", "x", knee)
        made.turn(f"{side}Foot", "x", hip - 0.8 * knee)
        made.turn(f"{side}Arm", "z", -78 * sign)
        made.turn(f"{side}Shoulder", "x", 20 * sign * np.sin(round_))
    ahead = np.radians(turning * time)
    step = np.stack([np.sin(ahead), 0 * time, np.cos(ahead)], axis=1) * speed / FPS
    made.way = np.cumsum(step, axis=0) + np.array([0, 93, 0])
    made.way[:, 1] += 2 * np.cos(2 * round_)
    return made


def along_x(tree: Mapping[str, Any] = TREE) -> dict[str, Rotation]:
    """Turns after which each bone lies along its own +X at rest, as in LAFAN1: no rest pose to stand in."""
    base = {}
    for name in tree:
        kids = [np.array(offset, float) for parent, offset in tree.values() if parent == name]
        if kids:
            base[name] = Rotation.align_vectors([kids[0] / np.linalg.norm(kids[0])], [[1.0, 0, 0]])[0]
    return base
