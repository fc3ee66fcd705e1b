"""Triangles in glTF 2.0 and GLB, looked through: what world generators put beside their splats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anix_cli.core.errors import AnixError, fail

from .faults import damaged, unsupported
from .gltf_container import document
from .gltf_nodes import Matrix, placed_meshes
from .gltf_structure import CONTRADICTIONS, Accessor, Reader, contradiction

MAX_TRIANGLES = 20_000_000
TRIANGLES, STRIP, FAN = 4, 5, 6
"""glTF's numbers for how corners make triangles."""


@dataclass(frozen=True)
class Primitive:
    """A part of a mesh that is made of triangles.

    Attributes:
        world: 4 × 4, rows of world_from_primitive.
        mode: ``TRIANGLES``, ``STRIP`` or ``FAN``.
        indices: which of the corners; None takes them in order.
    """

    world: Matrix
    mode: int
    corners: Accessor
    indices: Accessor | None


def walk_mesh(path: Path) -> tuple[Primitive, ...]:
    """The parts of a .glb or .gltf that are surfaces; points and lines are passed over. Nothing is decoded.

    Raises:
        AnixError: E302 unreadable; E304 for a file that is no glTF; E305 compressed or sparse; E306 cut off;
            E307 damaged; E312 too many; E317 without a triangle.
    """
    try:
        with path.open("rb") as stream:
            if stream.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"g", b"{"):
                raise _no_gltf(path)
        tree, binary = document(path, path.stat().st_size)
        found = tuple(_primitives(Reader(path, tree, binary), tree))
    except OSError as error:
        text = f"{path} cannot be read: {error.strerror or error}"
        raise fail("E302", text, file=path) from error
    except CONTRADICTIONS as error:
        raise contradiction(path, error) from error
    if not found:
        hint = "Name the mesh that came with the scene, or leave collider out."
        raise fail("E317", f"{path.name} holds no surface: not a single triangle", file=path, hint=hint)
    if sum((part.indices or part.corners).count for part in found) > 3 * MAX_TRIANGLES:
        raise _too_many(path)
    return found


def _primitives(reader: Reader, tree: dict[str, Any]) -> Iterator[Primitive]:
    for world, mesh in placed_meshes(tree):
        for primitive in tree["meshes"][mesh]["primitives"]:
            mode = primitive.get("mode", TRIANGLES)
            if mode not in (TRIANGLES, STRIP, FAN):
                continue
            if packed := [name for name in primitive.get("extensions", {}) if "draco" in name]:
                raise unsupported(reader.path, f"is compressed with {packed[0]}")
            corners = reader.accessor(primitive["attributes"]["POSITION"])
            indices = reader.accessor(primitive["indices"]) if "indices" in primitive else None
            if corners.width != 3 or (indices is not None and (indices.width != 1 or indices.type == "f4")):
                raise damaged(reader.path, "its triangles are no triangles")
            if corners.count > 3 * MAX_TRIANGLES:
                raise _too_many(reader.path)
            if (indices or corners).count >= 3:
                yield Primitive(world, mode, corners, indices)


def _no_gltf(path: Path) -> AnixError:
    hint = "A collider is a .glb or .gltf mesh; export it as one."
    return fail("E304", f"{path.name} is no glTF mesh", file=path, hint=hint)


def _too_many(path: Path) -> AnixError:
    return fail("E312", f"{path.name} has more than {MAX_TRIANGLES:,} triangles", file=path)
