"""Reads a .glb, .gltf or .vrm: untrusted, so every count and index is checked before it is used."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from anix_cli.core.keys import file_digest, fingerprint
from anix_cli.scene.formats.archive import Folder

from .clips import read_clips
from .faults import as_model, no_model
from .materials import Materials
from .model import Model, Pose
from .nodes import Bones, read_nodes
from .reader import ModelReader, open_model, refuse_packed
from .surfaces import Surfaces


def read_model(path: Path) -> Model:
    """A whole model, without its pictures' pixels.

    Raises:
        AnixError: E351, no glTF model or nothing in it to see; E352, truncated; E353, it contradicts itself
            (wrong indices, nodes in a ring, a skin without joints, numbers that are not finite); E354,
            compressed, or of another version; E355, larger than any character; E356, a file that belongs to
            it is not beside it.
    """
    reader = open_model(path)
    with as_model(path):
        refuse_packed(path, reader.tree)
        nodes = read_nodes(reader)
        bones, materials = Bones(reader, nodes), Materials(reader)
        surfaces = Surfaces(reader, nodes, bones, materials)
        pieces = surfaces.pieces()
        if not any(len(piece.triangles) for piece in pieces):
            raise no_model(path, "has no surface to see: it holds no triangles in its scene")
        clips = read_clips(reader, nodes)
        of, starts = bones.arrays()
        humanoid, backwards = read_humanoid(reader, len(nodes.names))
        rest = Pose(nodes.rest.shift, nodes.rest.turn, nodes.rest.size, _weights(reader, pieces))
        nodes = type(nodes)(nodes.names, nodes.parents, nodes.layers, rest, nodes.fixed)
    notes = (*dict.fromkeys([*materials.notes, *surfaces.notes]),)
    return Model(
        path,
        nodes,
        tuple(piece for piece in pieces if len(piece.triangles)),
        of,
        starts,
        tuple(materials.found),
        tuple(materials.pictures),
        clips,
        humanoid,
        backwards,
        notes,
    )


def model_digest(path: Path) -> str:
    """SHA-256 of a model's content: its file, and the files beside it that it names."""
    files = {"": file_digest(path)}
    for name, file in _named_files(path).items():
        files[name] = file_digest(file)
    return fingerprint(files)


def _named_files(path: Path) -> dict[str, Path]:
    """Files that a document names by URI, as far as they are there; embedded ones are none."""
    reader = open_model(path)
    folder = Folder(path)
    found = {}
    for kind in ("buffers", "images"):
        trees = reader.tree.get(kind)
        for tree in trees if isinstance(trees, list) else ():
            uri = tree.get("uri") if isinstance(tree, dict) else None
            if isinstance(uri, str) and not uri.startswith("data:"):
                file = folder.file(unquote(uri))
                if file is not None:
                    found[unquote(uri)] = file
    return found


def _weights(reader: ModelReader, pieces: tuple[Any, ...]) -> dict[int, np.ndarray]:
    """Morph weights at rest, of the nodes that have some."""
    found = {}
    for piece in pieces:
        count = len(piece.morphs)
        if count and piece.node not in found:
            tree = reader.tree["nodes"][piece.node]
            given = tree.get("weights") or reader.tree["meshes"][tree["mesh"]].get("weights") or []
            values = np.zeros(count)
            start = np.array([float(value) for value in given[:count]])
            values[: len(start)] = np.nan_to_num(start)
            found[piece.node] = values
    return found


def read_humanoid(reader: ModelReader, count: int) -> tuple[dict[str, int], bool]:
    """A VRM's bones by name, and whether it is a VRM 0.x, which faces −Z."""
    extensions = reader.tree.get("extensions") or {}
    pairs: list[tuple[Any, Any]] = []
    if "VRMC_vrm" in extensions:
        bones = extensions["VRMC_vrm"].get("humanoid", {}).get("humanBones", {})
        pairs = [(name, body.get("node")) for name, body in bones.items()]
    elif "VRM" in extensions:
        bones = extensions["VRM"].get("humanoid", {}).get("humanBones", [])
        pairs = [(body.get("bone"), body.get("node")) for body in bones]
    found = {str(name): node for name, node in pairs if isinstance(node, int) and 0 <= node < count}
    return found, "VRM" in extensions and "VRMC_vrm" not in extensions
