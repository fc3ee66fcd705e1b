"""Where the nodes of a glTF document put its meshes, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

Matrix = tuple[tuple[float, ...], ...]

_IDENTITY: Matrix = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
_PLACES = frozenset({"matrix", "rotation", "translation", "scale"})
_NODES_LIMIT = 100_000
_LARGEST = 1e15


def placed_meshes(tree: dict[str, Any]) -> Iterator[tuple[Matrix, int]]:
    """(world_from_mesh, index of the mesh) of every node of the scene that has a mesh.

    Raises:
        KeyError, TypeError, ValueError, IndexError: the document contradicts itself; a ring of nodes does.
    """
    nodes = tree.get("nodes", [])
    scenes = tree.get("scenes")
    if scenes:
        roots = list(scenes[whole_number(tree.get("scene", 0))].get("nodes", []))
    else:
        children = {child for node in nodes for child in node.get("children", [])}
        roots = [index for index in range(len(nodes)) if index not in children]
    waiting: list[tuple[int, Matrix]] = [(root, _IDENTITY) for root in reversed(roots)]
    seen: set[int] = set()
    while waiting:
        index, above = waiting.pop()
        if index in seen or len(seen) > _NODES_LIMIT or index < 0:
            raise ValueError("a node has two parents")
        seen.add(index)
        node = nodes[index]
        world = _product(above, _local(node)) if _PLACES & node.keys() else above
        if not all(abs(value) < _LARGEST for row in world for value in row):  # NaN is not less either
            raise ValueError("a node lies nowhere")
        if "mesh" in node:
            yield world, whole_number(node["mesh"])
        waiting += [(child, world) for child in reversed(node.get("children", []))]


def whole_number(value: Any) -> int:
    """A count or an index; ValueError for anything else."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{str(value)[:20]} stands where an index or a count is expected")
    return value


def _local(node: dict[str, Any]) -> Matrix:
    """parent_from_node, of its matrix (by columns) or of translation, rotation xyzw and scale."""
    if "matrix" in node:
        m = [float(value) for value in node["matrix"]]
        if m[3::4] != [0, 0, 0, 1]:
            raise ValueError("the matrix of a node is no transform")
        return tuple(tuple(m[column * 4 + row] for column in range(4)) for row in range(4))
    rotation = [float(value) for value in node.get("rotation", (0, 0, 0, 1))]
    length = math.hypot(*rotation)
    if not length > 0:
        raise ValueError("the rotation of a node is none")
    x, y, z, w = (value / length for value in rotation)
    shift = [float(value) for value in node.get("translation", (0, 0, 0))]
    scale = [float(value) for value in node.get("scale", (1, 1, 1))]
    turn = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    rows = [(*(turn[row][i] * scale[i] for i in range(3)), shift[row]) for row in range(3)]
    return (*rows, (0.0, 0.0, 0.0, 1.0))


def _product(a: Matrix, b: Matrix) -> Matrix:
    return tuple(
        tuple(sum(a[row][k] * b[k][column] for k in range(4)) for column in range(4)) for row in range(4)
    )
