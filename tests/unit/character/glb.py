"""Small 3D models, written byte by byte: the tests' own glTF."""

from __future__ import annotations

import io
import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np

_CODES = {"f4": 5126, "u1": 5121, "u2": 5123, "u4": 5125, "i1": 5120, "i2": 5122}
_FORMS = {(): "SCALAR", (2,): "VEC2", (3,): "VEC3", (4,): "VEC4", (4, 4): "MAT4"}


class Builder:
    """A glTF document that grows; ``tree`` may be changed at will before it is written."""

    def __init__(self) -> None:
        self.data = b""
        self.tree: dict[str, Any] = {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": []}],
            "nodes": [],
            "meshes": [],
            "accessors": [],
            "bufferViews": [],
        }

    def blob(self, data: bytes) -> int:
        self.data += b"\0" * (-len(self.data) % 4)
        self.tree["bufferViews"].append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data)})
        self.data += data
        return len(self.tree["bufferViews"]) - 1

    def array(self, values: Any, dtype: str = "f4", **more: Any) -> int:
        array = np.asarray(values, dtype="<" + dtype)
        stored = array.transpose(0, 2, 1) if array.ndim == 3 else array  # matrices by columns
        self.tree["accessors"].append({
            "bufferView": self.blob(np.ascontiguousarray(stored).tobytes()),
            "componentType": _CODES[dtype],
            "count": len(array),
            "type": _FORMS[array.shape[1:]],
            **more,
        })  # fmt: skip
        return len(self.tree["accessors"]) - 1

    def node(self, name: str, parent: int | None = None, **more: Any) -> int:
        number = len(self.tree["nodes"])
        self.tree["nodes"].append({"name": name, **more})
        if parent is None:
            self.tree["scenes"][0]["nodes"].append(number)
        else:
            self.tree["nodes"][parent].setdefault("children", []).append(number)
        return number

    def mesh(self, points: Any, triangles: Any, **more: Any) -> int:
        """One primitive; arrays in ``more`` are attributes, the rest belongs to the primitive."""
        attributes = {"POSITION": self.array(points)}
        primitive: dict[str, Any] = {"indices": self.array(np.ravel(triangles), "u2")}
        for name, value in more.items():
            if isinstance(value, np.ndarray):
                kind = "u1" if name.startswith("JOINTS") else "f4"
                attributes[name] = self.array(value, kind)
            else:
                primitive[name] = value
        self.tree["meshes"].append({"primitives": [{"attributes": attributes, **primitive}]})
        return len(self.tree["meshes"]) - 1

    def part(self, name: str, key: str, value: Any) -> int:
        """Appends to a list of the document (``materials`` …)."""
        self.tree.setdefault(key, []).append(value)
        return len(self.tree[key]) - 1

    def skin(self, joints: list[int], heads: Any) -> int:
        """A skin whose joints stand unturned at ``heads`` [B, 3] when nothing is bent."""
        starts = np.tile(np.eye(4), (len(joints), 1, 1))
        starts[:, :3, 3] = -np.asarray(heads)
        return self.part("", "skins", {"joints": joints, "inverseBindMatrices": self.array(starts)})

    def clip(self, name: str, times_s: Any, curves: dict[tuple[int, str], Any], **more: Any) -> None:
        """Curves by (node, path); rotations xyzw."""
        at = self.array(times_s)
        samplers = [{"input": at, "output": self.array(values), **more} for values in curves.values()]
        channels = [
            {"sampler": number, "target": {"node": node, "path": path}}
            for number, (node, path) in enumerate(curves)
        ]
        self.part("", "animations", {"name": name, "samplers": samplers, "channels": channels})

    def glb(self) -> bytes:
        tree = {**self.tree, "buffers": [{"byteLength": len(self.data)}]} if self.data else self.tree
        text = json.dumps(tree).encode()
        text += b" " * (-len(text) % 4)
        data = self.data + b"\0" * (-len(self.data) % 4)
        body = struct.pack("<II", len(text), 0x4E4F534A) + text
        if data:
            body += struct.pack("<II", len(data), 0x004E4942) + data
        return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body

    def write(self, path: Path) -> Path:
        path.write_bytes(self.glb())
        return path


CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=np.float64)
CUBE_TRIANGLES = np.array([
    [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
    [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
])  # fmt: skip


def box(low: Any, high: Any) -> np.ndarray:
    """The eight corners of a box."""
    return np.asarray(low) + CUBE * (np.asarray(high) - np.asarray(low))


def turn(axis: str, degrees: float) -> list[float]:
    """A quaternion, xyzw."""
    half = math.radians(degrees) / 2
    return [*(math.sin(half) * (axis == name) for name in "xyz"), math.cos(half)]


def cube(path: Path, **more: Any) -> Path:
    """A unit cube on one node."""
    made = Builder()
    made.node("cube", mesh=made.mesh(box((-0.5, 0, -0.5), (0.5, 1, 0.5)), CUBE_TRIANGLES), **more)
    return made.write(path)


BONES = {
    # name: (parent, head, corners of the box that it moves)
    "Hips": (None, (0, 0.95, 0), ((-0.15, 0.9, -0.1), (0.15, 1.05, 0.1))),
    "Spine": ("Hips", (0, 1.05, 0), ((-0.16, 1.05, -0.1), (0.16, 1.5, 0.1))),
    "Head": ("Spine", (0, 1.52, 0), ((-0.1, 1.52, -0.1), (0.1, 1.8, 0.12))),
}  # fmt: skip
for _side, _sign in (("Left", 1), ("Right", -1)):
    for _name, _parent, _head, _box in (
        ("Arm", "Spine", (0.18, 1.45, 0), ((0.18, 1.4, -0.05), (0.46, 1.5, 0.05))),
        ("ForeArm", "Arm", (0.46, 1.45, 0), ((0.46, 1.41, -0.04), (0.75, 1.49, 0.04))),
        ("UpLeg", "Hips", (0.1, 0.92, 0), ((0.03, 0.5, -0.07), (0.17, 0.92, 0.07))),
        ("Leg", "UpLeg", (0.1, 0.5, 0), ((0.04, 0.08, -0.06), (0.16, 0.5, 0.06))),
        ("Foot", "Leg", (0.1, 0.08, 0), ((0.04, 0, -0.08), (0.16, 0.08, 0.2))),
    ):
        BONES[_side + _name] = (
            _parent if _parent in BONES else _side + _parent,
            tuple(np.array(_head) * (_sign, 1, 1)),
            tuple(tuple(np.array(corner) * (_sign, 1, 1)) for corner in _box),
        )
"""A person of boxes in a T-pose, 1.8 m high, facing +Z, by Mixamo's names."""
FACE, SPINE_COLOUR = (0.9, 0.6, 0.4, 1), (0.1, 0.2, 0.8, 1)


def person(
    *, walk: bool = False, prefix: str = "mixamorig:", backwards: bool = False
) -> tuple[Builder, dict[str, int]]:
    """The person with a skin; with ``walk``, a clip in which the feet go back under it evenly."""
    made = Builder()
    flip = np.array([-1, 1, -1]) if backwards else np.ones(3)
    root = made.node("Armature")
    numbers: dict[str, int] = {}
    for name, (parent, head, _) in BONES.items():
        above = np.zeros(3) if parent is None else np.array(BONES[parent][1])
        numbers[name] = made.node(
            prefix + name, root if parent is None else numbers[parent],
            translation=list(map(float, (np.array(head) - above) * flip)),
        )  # fmt: skip
    points, triangles, joints, colours = [], [], [], []
    for index, (name, (_, _, (low, high))) in enumerate(BONES.items()):
        triangles.append(CUBE_TRIANGLES + 8 * index)
        points.append(box(low, high) * flip)
        joints.append(np.tile([index, 0, 0, 0], (8, 1)))
        colour = {"Head": FACE, "Spine": SPINE_COLOUR}.get(name, (0.3, 0.3, 0.3, 1))
        colours.append(np.tile(colour, (8, 1)))
    weights = np.tile([1.0, 0, 0, 0], (8 * len(BONES), 1))
    mesh = made.mesh(
        np.concatenate(points), np.concatenate(triangles), COLOR_0=np.concatenate(colours),
        JOINTS_0=np.concatenate(joints), WEIGHTS_0=weights,
    )  # fmt: skip
    skin = made.skin(list(numbers.values()), [np.array(spec[1]) * flip for spec in BONES.values()])
    made.node("Body", root, mesh=mesh, skin=skin)
    if walk:
        made.clip("Armature|Walking_A", *walking(numbers))
    return made, numbers


STEP_M, WALK_S, LEG_M = 0.5, 1.0, 0.84


def walking(numbers: dict[str, int]) -> tuple[np.ndarray, dict[tuple[int, str], np.ndarray]]:
    """A walk of straight legs whose ankles go back evenly for half of the time, 2 × STEP_M in a round."""
    times = np.linspace(0, WALK_S, 121)
    curves = {}
    reach = 0.5 * STEP_M
    for side, start in (("Left", 0.0), ("Right", 0.5)):
        share = (times / WALK_S + start) % 1.0
        ahead = np.where(share < 0.5, reach - 4 * reach * share, -reach + 4 * reach * (share - 0.5))
        lifted = np.where(share < 0.5, 0.0, np.sin(np.pi * (share - 0.5) * 2))
        hip = np.degrees(np.arcsin(ahead / LEG_M))
        knee = 50 * lifted
        curves[numbers[f"{side}UpLeg"], "rotation"] = np.array(
            [turn("x", -(h + k / 2)) for h, k in zip(hip, knee, strict=True)]
        )
        curves[numbers[f"{side}Leg"], "rotation"] = np.array([turn("x", k) for k in knee])
        curves[numbers[f"{side}Foot"], "rotation"] = np.array(
            [turn("x", h - k / 2) for h, k in zip(hip, knee, strict=True)]
        )
    return times, curves


def png(pixels: np.ndarray) -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(np.asarray(pixels, np.uint8)).save(buffer, format="PNG")
    return buffer.getvalue()
