"""The node tree and the skins of a document."""

from __future__ import annotations

from typing import Any

import numpy as np

from .faults import damaged
from .model import F64, Ints, Nodes, Pose
from .reader import ModelReader

_MOST = 20_000
_LARGEST = 1e9


def read_nodes(reader: ModelReader) -> Nodes:
    """The tree of the scene that the file shows.

    Raises:
        AnixError: E353, nodes form a ring, have two parents or numbers that are none.
    """
    trees = reader.tree.get("nodes", [])
    if not isinstance(trees, list) or len(trees) > _MOST:
        raise damaged(reader.path, f"it has more than {_MOST:,} nodes")
    count = len(trees)
    parents = np.full(count, -1, np.int32)
    for index, tree in enumerate(trees):
        for child in tree.get("children", []):
            if reader.whole(child) >= count:
                raise damaged(reader.path, f"node {index} names a child that is not there")
            if parents[child] >= 0:
                raise damaged(reader.path, f"node {child} hangs on two others")
            parents[child] = index
    layers = _layers(reader, trees, parents)
    rest, fixed = _rest(reader, trees)
    names = tuple(str(tree.get("name", f"node {index}"))[:120] for index, tree in enumerate(trees))
    return Nodes(names, parents, layers, rest, fixed)


def _layers(reader: ModelReader, trees: list[Any], parents: Ints) -> tuple[Ints, ...]:
    """The scene's nodes by depth. What no root reaches is a ring."""
    every = _depths([int(node) for node in np.flatnonzero(parents < 0)], trees)
    if sum(map(len, every)) < len(trees):
        raise damaged(reader.path, "its nodes form a ring")
    scenes = reader.tree.get("scenes")
    if not scenes:
        return every
    shown = scenes[reader.whole(reader.tree.get("scene", 0))]
    roots = [reader.whole(node) for node in shown.get("nodes", [])]
    layers = _depths(roots, trees)
    nodes = [int(node) for layer in layers for node in layer]
    if len(set(nodes)) < len(nodes):
        raise damaged(reader.path, "its scene shows a node twice")
    return layers


def _depths(now: list[int], trees: list[Any]) -> tuple[Ints, ...]:
    """Nodes by depth below some; each has one parent at most, so that this ends."""
    layers: list[Ints] = []
    while now:
        layers.append(np.array(now, np.int32))
        now = [child for node in now for child in trees[node].get("children", [])]
    return tuple(layers)


def _rest(reader: ModelReader, trees: list[Any]) -> tuple[Pose, dict[int, F64]]:
    shift = np.zeros((len(trees), 3))
    turn = np.tile([1.0, 0.0, 0.0, 0.0], (len(trees), 1))
    size = np.ones((len(trees), 3))
    fixed: dict[int, F64] = {}
    for index, tree in enumerate(trees):
        if "matrix" in tree:
            fixed[index] = _numbers(tree["matrix"], 16).reshape(4, 4).T
        if "translation" in tree:
            shift[index] = _numbers(tree["translation"], 3)
        if "rotation" in tree:
            turn[index] = _numbers(tree["rotation"], 4)[[3, 0, 1, 2]]
        if "scale" in tree:
            size[index] = _numbers(tree["scale"], 3)
    whole = [shift, turn, size, *fixed.values()]
    if not all(np.all(np.abs(values) < _LARGEST) for values in whole):  # NaN is not less either
        raise damaged(reader.path, "a node lies nowhere: its numbers are not finite")
    length = np.linalg.norm(turn, axis=1, keepdims=True)
    turn = np.where(length > 1e-6, turn / np.maximum(length, 1e-6), [1.0, 0.0, 0.0, 0.0])
    return Pose(shift, turn, size), fixed


def _numbers(values: Any, count: int) -> F64:
    array = np.array(values, dtype=np.float64)
    if array.shape != (count,):
        raise ValueError("another count of numbers")
    return array


class Bones:
    """Collects the bones of all pieces: joints of skins, and nodes that carry a rigid piece."""

    def __init__(self, reader: ModelReader, nodes: Nodes) -> None:
        self._reader, self._nodes = reader, nodes
        self._first: dict[tuple[str, int], int] = {}
        self._of: list[int] = []
        self._starts: list[F64] = []

    def of_node(self, node: int) -> int:
        """The row of a node that carries a rigid piece."""
        key = ("node", node)
        if key not in self._first:
            self._first[key] = len(self._of)
            self._of.append(node)
            self._starts.append(np.eye(4))
        return self._first[key]

    def of_skin(self, skin: int) -> tuple[int, int]:
        """(first row, count) of a skin's joints."""
        key = ("skin", skin)
        tree = self._reader.tree["skins"][self._reader.whole(skin)]
        joints = [self._reader.whole(joint) for joint in tree.get("joints", [])]
        path = self._reader.path
        if not joints:
            raise damaged(path, f"skin {skin} has no joints")
        if max(joints) >= len(self._nodes.names):
            raise damaged(path, f"skin {skin} names a joint that is no node")
        if key not in self._first:
            starts = np.tile(np.eye(4), (len(joints), 1, 1))
            if "inverseBindMatrices" in tree:
                rows = self._reader.array(tree["inverseBindMatrices"], "MAT4").astype(np.float64)
                if len(rows) < len(joints):
                    raise damaged(path, f"skin {skin} has {len(joints)} joints and {len(rows)} matrices")
                starts = rows[: len(joints)].reshape(-1, 4, 4).transpose(0, 2, 1)
                if not np.all(np.abs(starts) < _LARGEST):
                    raise damaged(path, f"skin {skin} has numbers that are not finite")
            self._first[key] = len(self._of)
            self._of += joints
            self._starts += list(starts)
        return self._first[key], len(joints)

    def arrays(self) -> tuple[Ints, F64]:
        starts = np.array(self._starts) if self._starts else np.zeros((0, 4, 4))
        return np.array(self._of, np.int32), starts
