"""The surfaces of a document: triangles with what they wear and what moves them."""

from __future__ import annotations

from typing import Any

import numpy as np

from anix_cli.core.errors import Diagnostic

from .faults import MAX_VERTICES, damaged, too_large, unsupported
from .materials import Materials
from .model import F32, Ints, Nodes, Piece
from .nodes import Bones
from .reader import ModelReader

_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_MOST_MORPHS = 512
_FARTHEST = 1e9


class Surfaces:
    """Reads primitives; what several nodes share is decoded once."""

    def __init__(self, reader: ModelReader, nodes: Nodes, bones: Bones, materials: Materials) -> None:
        self._reader, self._nodes, self._bones, self._materials = reader, nodes, bones, materials
        self.notes: list[Diagnostic] = []
        self._known: dict[tuple[int, int], dict[str, Any] | None] = {}
        self._total = 0

    def pieces(self) -> tuple[Piece, ...]:
        """All pieces of the scene, in the order of its nodes.

        Raises:
            AnixError: E353, E354, E355; LookupError and the like where the document contradicts itself.
        """
        found = []
        trees = self._reader.tree.get("nodes", [])
        for node in sorted(int(at) for layer in self._nodes.layers for at in layer):
            tree = trees[node]
            if "mesh" not in tree:
                continue
            mesh = self._reader.whole(tree["mesh"])
            for number, primitive in enumerate(self._reader.tree["meshes"][mesh]["primitives"]):
                piece = self._piece(node, tree.get("skin"), (mesh, number), primitive)
                if piece is not None:
                    found.append(piece)
        return tuple(found)

    def _piece(
        self, node: int, skin: int | None, key: tuple[int, int], primitive: dict[str, Any]
    ) -> Piece | None:
        if key not in self._known:
            self._known[key] = self._decoded(primitive)
        body = self._known[key]
        if body is None:
            return None
        count = len(body["points"])
        self._total += count + len(body["triangles"])
        if self._total > 2 * MAX_VERTICES:
            raise too_large(self._reader.path, f"more than {MAX_VERTICES:,} vertices", f"{MAX_VERTICES:,}")
        skinned = skin is not None and body["joints"] is not None
        if skinned:
            bones, weights = self._skinned(skin, body["joints"], body["weights"], node)
        else:
            bones = np.full((count, 4), self._bones.of_node(node), np.int32)
            weights = np.tile(np.array([1, 0, 0, 0], np.float32), (count, 1))
        return Piece(
            node,
            body["points"],
            body["normals"],
            body["uv"],
            body["colours"],
            body["triangles"],
            bones,
            weights,
            body["morphs"],
            body["material"],
            skinned,
        )

    def _skinned(self, skin: Any, joints: Ints, weights: F32, node: int) -> tuple[Ints, F32]:
        first, count = self._bones.of_skin(self._reader.whole(skin))
        if joints.size and int(joints[weights > 0].max(initial=0)) >= count:
            raise damaged(self._reader.path, f"vertices follow joints that skin {skin} does not have")
        best = np.argsort(-weights, axis=1, kind="stable")[:, :4]
        joints = np.take_along_axis(joints, best, axis=1)
        weights = np.take_along_axis(weights, best, axis=1)
        total = weights.sum(axis=1, keepdims=True)
        lost = total[:, 0] < 1e-6
        bones = np.where(weights > 0, joints, 0).astype(np.int32) + np.int32(first)
        if lost.any():  # what no joint moves stays with its node
            bones[lost] = self._bones.of_node(node)
            weights = np.where(lost[:, None], np.array([1, 0, 0, 0], np.float32), weights)
            total = np.where(lost[:, None], np.float32(1), total)
        return bones, (weights / total).astype(np.float32)

    def _decoded(self, tree: dict[str, Any]) -> dict[str, Any] | None:
        reader, path = self._reader, self._reader.path
        for name in tree.get("extensions", {}):
            if "draco" in name:
                raise unsupported(path, f"is compressed with {name[:60]}")
        mode = tree.get("mode", _TRIANGLES)
        if mode not in (_TRIANGLES, _STRIP, _FAN):
            text = f"{path.name} holds points or lines, which are left out"
            self._note(Diagnostic("W354", text, file=path))
            return None
        named = tree["attributes"]
        points = reader.array(named["POSITION"], "VEC3")
        triangles = self._triangles(tree, mode, len(points))
        material, look = self._materials.number(tree.get("material"))
        normals, uv, colours = None, None, None
        if "NORMAL" in named:
            normals = self._as_long(reader.array(named["NORMAL"], "VEC3"), points)
        if look.picture is not None and f"TEXCOORD_{look.uv_set}" in named:
            uv = self._as_long(reader.array(named[f"TEXCOORD_{look.uv_set}"], "VEC2"), points)
            uv = np.nan_to_num(uv, posinf=0, neginf=0)
        if "COLOR_0" in named:
            colours = self._as_long(reader.array(named["COLOR_0"], "VEC3|VEC4"), points)
            colours = np.nan_to_num(np.clip(colours, 0, 1))
            if colours.shape[1] == 3:
                colours = np.hstack([colours, np.ones((len(colours), 1), np.float32)])
        joints, weights = self._bound(named, points)
        return {
            "points": points,
            "triangles": self._sound(points, triangles),
            "normals": None if normals is None else np.nan_to_num(normals),
            "uv": uv,
            "colours": colours,
            "joints": joints,
            "weights": weights,
            "morphs": self._morphs(tree.get("targets", []), points),
            "material": material,
        }

    def _triangles(self, tree: dict[str, Any], mode: int, count: int) -> Ints:
        if "indices" in tree:
            order = self._reader.array(tree["indices"], "SCALAR", raw=True)
            if order.dtype.kind not in "iu":
                raise damaged(self._reader.path, "its triangles are told by numbers that are not whole")
            order = order.astype(np.int64)
        else:
            order = np.arange(count)
        if len(order) and not 0 <= int(order.min()) <= int(order.max()) < count:
            raise damaged(
                self._reader.path,
                f"a triangle names vertex {int(order.max()):,}, and there are {count:,}",
            )
        if mode == _TRIANGLES:
            order = order[: len(order) // 3 * 3]
            return order.reshape(-1, 3).astype(np.int32)
        if len(order) < 3:
            return np.zeros((0, 3), np.int32)
        if mode == _FAN:
            first = np.full(len(order) - 2, order[0])
            return np.stack([first, order[1:-1], order[2:]], axis=1).astype(np.int32)
        strip = np.stack([order[:-2], order[1:-1], order[2:]], axis=1)
        strip[1::2] = strip[1::2][:, [1, 0, 2]]
        return strip.astype(np.int32)

    def _sound(self, points: F32, triangles: Ints) -> Ints:
        """The triangles whose points are somewhere; few others are left out, many mean a damaged file."""
        sound = np.all(np.abs(points) < _FARTHEST, axis=1)
        good = np.asarray(np.all(sound[triangles], axis=1))
        lost = int(len(good) - good.sum())
        if lost == 0:
            return triangles
        path = self._reader.path
        if lost > 0.01 * len(good):
            raise damaged(path, f"{lost:,} of {len(good):,} triangles have corners that are not finite")
        text = f"{path.name}: {lost:,} triangles with corners that are not finite are left out"
        self._note(Diagnostic("W354", text, file=path))
        return np.asarray(triangles[good])

    def _bound(self, named: dict[str, Any], points: F32) -> tuple[Ints | None, F32 | None]:
        joints, weights = [], []
        for number in range(4):
            if f"JOINTS_{number}" not in named or f"WEIGHTS_{number}" not in named:
                break
            rows = self._reader.array(named[f"JOINTS_{number}"], "VEC4", raw=True)
            joints.append(self._as_long(rows, points).astype(np.int64))
            shares = self._as_long(self._reader.array(named[f"WEIGHTS_{number}"], "VEC4"), points)
            weights.append(np.clip(np.nan_to_num(shares, posinf=0, neginf=0), 0, None))
        if not joints:
            return None, None
        if any(int(each.min(initial=0)) < 0 for each in joints):
            raise damaged(self._reader.path, "vertices follow joints below 0")
        return np.concatenate(joints, axis=1), np.concatenate(weights, axis=1)

    def _morphs(self, targets: list[Any], points: F32) -> F32:
        if len(targets) > _MOST_MORPHS:
            raise too_large(self._reader.path, f"{len(targets):,} morph targets", str(_MOST_MORPHS))
        if len(targets) * len(points) > 4 * MAX_VERTICES:
            raise too_large(self._reader.path, "morph targets of more vertices", f"{4 * MAX_VERTICES:,}")
        shifts = np.zeros((len(targets), *points.shape), np.float32)
        for index, target in enumerate(targets):
            if "POSITION" in target:
                rows = self._as_long(self._reader.array(target["POSITION"], "VEC3"), points)
                shifts[index] = np.nan_to_num(rows, posinf=0, neginf=0)
        return shifts

    def _as_long(self, rows: Any, points: F32) -> Any:
        if len(rows) != len(points):
            raise damaged(
                self._reader.path, f"{len(points):,} vertices have {len(rows):,} rows of what they wear"
            )
        return rows

    def _note(self, note: Diagnostic) -> None:
        if note not in self.notes:
            self.notes.append(note)
