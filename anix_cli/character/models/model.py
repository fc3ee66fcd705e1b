"""A 3D model as read: nodes, surfaces, materials, clips. Frames and units are the file's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import Diagnostic
from anix_cli.scene.formats.gltf_structure import Slice

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Pose:
    """Where every node is, in its parent's frame.

    Attributes:
        shift: [J, 3]; turn: [J, 4] unit quaternions, wxyz; size: [J, 3].
        weights: morph weights of each node that has some, by its number.
    """

    shift: F64
    turn: F64
    size: F64
    weights: Mapping[int, F64] = field(default_factory=dict)


@dataclass(frozen=True)
class Nodes:
    """The node tree, reached from the scene's roots.

    Attributes:
        names: [J].
        parents: [J], −1 for a root.
        layers: numbers of the nodes by depth, roots first; nodes that the scene does not hold are in none.
        rest: as the file says.
        fixed: matrices that stand for shift, turn and size, by node.
    """

    names: tuple[str, ...]
    parents: Ints
    layers: tuple[Ints, ...]
    rest: Pose
    fixed: Mapping[int, F64]

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        found: list[list[int]] = [[] for _ in self.names]
        for child, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(child)
        return tuple(tuple(each) for each in found)

    def below(self, node: int) -> list[int]:
        """A node and all that hangs on it."""
        found, waiting = [], [node]
        while waiting:
            at = waiting.pop()
            found.append(at)
            waiting += self.children[at]
        return found


@dataclass(frozen=True)
class Material:
    """What a surface looks like.

    Attributes:
        rgba: base colour, linear, straight alpha.
        picture: number of the image of the base colour, None for none.
        uv_set: which texture coordinates; ``uv_from_uv`` [2, 3] what KHR_texture_transform does to them.
        wrap: "repeat", "clamp" or "mirror", along u and v.
        alpha: "OPAQUE", "MASK" or "BLEND"; ``cutoff`` of a mask.
        metallic: 0 … 1. ``unlit``: its colours are final. ``glow``: emitted, linear.
    """

    rgba: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    picture: int | None = None
    uv_set: int = 0
    uv_from_uv: F64 = field(default_factory=lambda: np.eye(2, 3))
    wrap: tuple[str, str] = ("repeat", "repeat")
    alpha: str = "OPAQUE"
    cutoff: float = 0.5
    metallic: float = 0.0
    unlit: bool = False
    glow: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Piece:
    """One primitive, placed by a node or moved by a skin.

    Attributes:
        node: that has it.
        points: [V, 3] in the frame that its bones start from.
        normals: [V, 3] or None.
        uv: [V, 2] of the material's set, or None. ``colours``: [V, 4] linear, or None.
        triangles: [T, 3].
        bones: [V, 4] rows of ``Model.bones``; ``weights``: [V, 4], adding up to 1.
        morphs: [M, V, 3] shifts of the points, M may be 0.
        material: row of ``Model.materials``.
        skinned: whether a skin moves it.
    """

    node: int
    points: F32
    normals: F32 | None
    uv: F32 | None
    colours: F32 | None
    triangles: Ints
    bones: Ints
    weights: F32
    morphs: F32
    material: int
    skinned: bool


@dataclass(frozen=True)
class Channel:
    """What a clip does to one node: ``path`` is translation, rotation (xyzw), scale or weights.

    Attributes:
        times_s: [K], rising; values: [K, n], of "CUBICSPLINE" [K, 3, n] with both tangents.
    """

    node: int
    path: str
    times_s: F64
    values: F64
    interpolation: str


@dataclass(frozen=True)
class Rhythm:
    """One round of a gait, two steps, as the one who performed it went.

    Attributes:
        way: over the ground, in legs.
        strikes_s, stands_s: of the left and the right foot: when it strikes, and how long it stands.
    """

    way: float
    strikes_s: tuple[float, float]
    stands_s: tuple[float, float]


@dataclass(frozen=True)
class Clip:
    """An animation: of the file, or brought to its nodes from outside, then with ``rhythm`` if it goes."""

    name: str
    start_s: float
    duration_s: float
    channels: tuple[Channel, ...]
    rhythm: Rhythm | None = None


@dataclass(frozen=True)
class Model:
    """A whole file.

    Attributes:
        bones: node of each bone; ``starts``: [B, 4, 4] bone_from_piece at rest (inverse bind matrices).
        pictures: the images' bytes, None for one that is not there.
        humanoid: bones of a VRM by the specification's names, else empty.
        backwards: a VRM 0.x, which faces −Z.
        notes: what was left out.
    """

    path: Path
    nodes: Nodes
    pieces: tuple[Piece, ...]
    bones: Ints
    starts: F64
    materials: tuple[Material, ...]
    pictures: tuple[Slice | None, ...]
    clips: tuple[Clip, ...]
    humanoid: Mapping[str, int]
    backwards: bool
    notes: tuple[Diagnostic, ...]
