"""Gaussians in glTF 2.0 and GLB: Khronos' KHR_gaussian_splatting and its SPZ compressions.

A point primitive with the extension has POSITION, and with the extension's prefix ROTATION (xyzw), SCALE,
OPACITY (final) and SH_DEGREE_ℓ_COEF_n (RGB). Scales are standard deviations in the ratified text and were
logarithms in its drafts. Older drafts have _ROTATION, _SCALE, _OPACITY and COLOR_0. The SPZ extensions name a
``bufferView`` that holds an SPZ file. Nodes place the primitives.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

from anix_cli.core.errors import AnixError, Diagnostic, fail

from ..info import MAX_GAUSSIANS, SplatInfo
from .archive import Folder
from .faults import (
    check_count,
    damaged,
    degree_cut,
    too_many,
    unsupported,
)
from .gltf_container import Slice, document, trailing
from .gltf_nodes import Matrix, placed_meshes, whole_number

__all__ = ["CONTRADICTIONS", "Accessor", "Gltf", "Part", "Reader", "Slice", "buffer_files", "contradiction",
           "document", "probe_gltf", "walk_gltf"]  # fmt: skip

EXTENSION = "KHR_gaussian_splatting"
_PREFIXES = (f"{EXTENSION}:", "_")
_PARTS_LIMIT = 10_000
"""Primitives of Gaussians: each takes its time, however few it holds."""
_COMPONENTS = {5120: "i1", 5121: "u1", 5122: "i2", 5123: "u2", 5125: "u4", 5126: "f4"}
_HARMONIC = re.compile(r"SH_DEGREE_([0-9]{1,2})_COEF_")
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


CONTRADICTIONS = (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)


@dataclass(frozen=True)
class Accessor:
    """Where an attribute lies; ``type`` is numpy's without byte order, ``stride`` the bytes of a row."""

    bytes: Slice
    count: int
    width: int
    type: str
    stride: int
    normalized: bool


@dataclass(frozen=True)
class Part:
    """One primitive of Gaussians.

    Attributes:
        world: 4 × 4, rows of world_from_primitive.
        attributes: by "POSITION", "ROTATION", "SCALE", "OPACITY", "COLOR_0", "SH_DEGREE_0_COEF_0" …; empty
            where ``spz`` holds them.
        told_degree: of the harmonics in the file, of which those up to ``sh_degree`` are used.
    """

    world: Matrix
    attributes: dict[str, Accessor]
    sh_degree: int
    spz: Slice | None
    told_degree: int = 0


@dataclass(frozen=True)
class Gltf:
    """A file, looked through."""

    info: SplatInfo
    parts: tuple[Part, ...]


def walk_gltf(path: Path, size: int) -> Gltf:
    """Reads the JSON of a .glb or .gltf and finds its Gaussians; no buffer is decoded, but SPZ is checked.

    Raises:
        AnixError: E304–E307, E309–E312: see ``probe``.
    """
    tree, binary = document(path, size)
    try:
        parts = Reader(path, tree, binary).parts()
        linear = "lin_rec709" in json.dumps([mesh.get("primitives") for mesh in tree.get("meshes", [])])
    except CONTRADICTIONS as error:
        raise contradiction(path, error) from error
    if not parts:
        raise fail(
            "E304",
            f"{path.name} is a glTF model without Gaussian splats",
            file=path,
            hint="Models can be characters; a scene is a splat file.",
        )
    counts, degrees, antialiased = [], [], []
    blobs: dict[tuple[Path, int, int, int], SplatInfo] = {}  # nodes may share one
    for part in parts:
        if part.spz is None:
            counts.append(part.attributes["POSITION"].count)
            degrees.append(part.sh_degree)
        else:
            key = part.spz.key
            if key not in blobs:
                blobs[key] = _probe_spz(path, part.spz)
            inner = blobs[key]
            counts.append(inner.count)
            degrees.append(inner.sh_degree)
            antialiased.append(inner.antialiased)
    notes: tuple[Diagnostic, ...] = ()
    if linear:
        text = f"{path.name} says that its colours are linear light; they are drawn as they are, so too dark"
        notes = (Diagnostic("W313", text, file=path),)
    name = "glTF (SPZ)" if all(part.spz for part in parts) else "glTF"
    notes = (*notes, *degree_cut(path, max(part.told_degree for part in parts)), *trailing(path, size))
    info = SplatInfo(
        path,
        name,
        sum(counts),
        max(degrees),
        any(antialiased),
        "+y",
        "glTF specification",
        (),
        notes,
    )
    check_count(info)
    return Gltf(info, parts)


def contradiction(path: Path, error: Exception) -> AnixError:
    """E307, of what a look into the description of a glTF file raised."""
    what = ""
    if isinstance(error, KeyError):
        what = f": “{str(error.args[0])[:40]}” is missing or unknown"
    elif type(error) is ValueError:
        what = f": {error}"
    return damaged(path, f"its glTF description contradicts itself{what}")


def _probe_spz(path: Path, blob: Slice) -> SplatInfo:
    import io

    from .spz_structure import probe_spz

    return probe_spz(io.BytesIO(blob.read()), path, blob.size)


class Reader:
    """Finds the Gaussians of a document and checks where their bytes lie."""

    def __init__(self, path: Path, tree: dict[str, Any], binary: Slice | None) -> None:
        self.path, self.tree, self.binary = path, tree, binary
        self._buffers: dict[int, Slice] = {}

    def parts(self) -> tuple[Part, ...]:
        found: list[Part] = []
        known: dict[tuple[int, int], Part | None] = {}  # a mesh may stand in many places
        for world, mesh in placed_meshes(self.tree):
            for i, primitive in enumerate(self.tree["meshes"][mesh]["primitives"]):
                if (mesh, i) not in known:
                    known[mesh, i] = self._part(world, primitive)
                part = known[mesh, i]
                if part is not None:
                    found.append(replace(part, world=world))
                if len(found) > _PARTS_LIMIT:
                    text = f"{self.path.name} puts Gaussians in more than {_PARTS_LIMIT:,} places"
                    raise fail("E312", text, file=self.path, hint="Join them before exporting the scene.")
        return tuple(found)

    def _part(self, world: Matrix, primitive: dict[str, Any]) -> Part | None:
        extensions = primitive.get("extensions", {})
        splats = extensions.get(EXTENSION)
        inner = {**extensions, **(splats or {}).get("extensions", {})}
        for name, body in inner.items():
            if "spz" in name.lower() and isinstance(body, dict) and "bufferView" in body:
                return Part(world, {}, 0, self._view(body["bufferView"]))
        if splats is None:
            return None
        named = primitive["attributes"]
        attributes = {"POSITION": self.accessor(named["POSITION"])} if "POSITION" in named else {}
        for name, index in named.items():
            for prefix in _PREFIXES:
                if name.startswith(prefix):
                    attributes[name.removeprefix(prefix)] = self.accessor(index)
        if "COLOR_0" in named:
            attributes["COLOR_0"] = self.accessor(named["COLOR_0"])
        self._check_all_there(attributes, [name for name in inner if name != EXTENSION])
        return self._checked(world, attributes)

    def _check_all_there(self, attributes: dict[str, Accessor], extensions: list[str]) -> None:
        """Raises E307 where an attribute of Gaussians is missing, E305 where an extension may hold it."""
        colours = attributes.get("COLOR_0")
        lacking = [name for name in ("POSITION", "ROTATION", "SCALE") if name not in attributes]
        if "OPACITY" not in attributes and (colours is None or colours.width != 4):
            lacking.append("OPACITY")
        if "SH_DEGREE_0_COEF_0" not in attributes and colours is None:
            lacking.append("colours (SH_DEGREE_0_COEF_0)")
        if not lacking:
            return
        packed = [name for name in extensions if "compress" in name.lower()]
        if packed:
            raise unsupported(self.path, f"is compressed with {packed[0][:60]}")
        raise damaged(self.path, f"its Gaussians lack {', '.join(lacking)}")

    def _checked(self, world: Matrix, attributes: dict[str, Accessor]) -> Part:
        """The part, if all its attributes have as many rows as each other and the right width."""
        told = [int(found[1]) for found in map(_HARMONIC.match, attributes) if found]
        degree = min(max(told, default=0), 3)
        needed = [f"SH_DEGREE_{d}_COEF_{n}" for d in range(1, degree + 1) for n in range(2 * d + 1)]
        missing = [name for name in needed if name not in attributes]
        if missing:
            text = f"{self.path.name} lacks some spherical harmonics, such as {missing[0]}"
            raise fail("E310", text, file=self.path)
        widths = {"POSITION": 3, "ROTATION": 4, "SCALE": 3, "OPACITY": 1}
        count = attributes["POSITION"].count
        if count > MAX_GAUSSIANS:
            raise too_many(self.path, count)
        for name, accessor in attributes.items():
            width = 3 if name.startswith("SH_") else widths.get(name, accessor.width)
            if accessor.count != count or accessor.width != width:
                text = f"its attribute {name[:60]} is no {count:,} × {width} numbers"
                raise damaged(self.path, text)
        return Part(world, attributes, degree, None, max(told, default=0))

    def accessor(self, index: int) -> Accessor:
        tree = self.tree["accessors"][whole_number(index)]
        if "sparse" in tree:
            raise unsupported(self.path, "has sparse attributes")
        if "bufferView" not in tree:
            raise unsupported(self.path, "has attributes that an extension holds, or nothing")
        view = self.tree["bufferViews"][whole_number(tree["bufferView"])]
        whole = self._view(tree["bufferView"])
        code, width = _COMPONENTS[tree["componentType"]], _WIDTHS[tree["type"]]
        count, offset = whole_number(tree["count"]), whole_number(tree.get("byteOffset", 0))
        row = int(code[1]) * width
        stride = whole_number(view.get("byteStride", 0)) or row
        if stride < row:
            raise damaged(self.path, "its rows of numbers overlap")
        needed = offset + (count - 1) * stride + row if count else 0
        if needed > whole.size:
            raise damaged(
                self.path, f"an attribute of {count:,} rows reaches beyond its {whole.size:,} bytes"
            )
        part = Slice(whole.file, whole.start + offset, needed - offset if count else 0, whole.data)
        return Accessor(part, count, width, code, stride, tree.get("normalized") is True)

    def _view(self, index: int) -> Slice:
        tree = self.tree["bufferViews"][whole_number(index)]
        packed = [name for name in tree.get("extensions", {}) if "meshopt" in name]
        if packed:
            raise unsupported(self.path, f"is compressed with {packed[0]}")
        buffer = self._buffer(whole_number(tree["buffer"]))
        start, size = whole_number(tree.get("byteOffset", 0)), whole_number(tree["byteLength"])
        if start + size > buffer.size:
            count = f"{start + size:,}"
            raise damaged(self.path, f"it names bytes up to {count} of a buffer of {buffer.size:,}")
        return Slice(buffer.file, buffer.start + start, size, buffer.data)

    def _buffer(self, index: int) -> Slice:
        if index not in self._buffers:
            self._buffers[index] = self._find_buffer(index)
        return self._buffers[index]

    def _find_buffer(self, index: int) -> Slice:
        tree = self.tree["buffers"][index]
        length, uri = whole_number(tree["byteLength"]), tree.get("uri")
        if uri is None:
            if index or self.binary is None:
                raise damaged(self.path, "it names a buffer that it does not hold")
            found = self.binary
        elif uri[:5].lower() == "data:":
            data = self._embedded(uri)
            found = Slice(self.path, 0, len(data), data)
        else:
            found = self._file(unquote(uri))
        if found.size < length:
            text = f"{self.path.name} is truncated: a buffer of {length:,} bytes has {found.size:,}"
            raise fail("E306", text, file=self.path, hint="Fetch or export the file again.")
        return found

    def _embedded(self, uri: str) -> bytes:
        """The bytes of a data URI (RFC 2397)."""
        head, _, body = uri.partition(",")
        if not head.lower().endswith(";base64"):
            return unquote_to_bytes(body)
        if "%" in body:
            body = unquote(body)
        try:
            return base64.b64decode("".join(body.split()), validate=True)
        except (binascii.Error, ValueError) as error:
            raise damaged(self.path, "an embedded buffer is no base64") from error

    def _file(self, name: str) -> Slice:
        file = Folder(self.path).file(name)
        if file is None:
            raise damaged(self.path, f"its buffer “{name[:80]}” is missing beside it")
        return Slice(file, 0, file.stat().st_size)


def probe_gltf(path: Path, size: int) -> SplatInfo:
    """The structure of a .glb or .gltf.

    Raises:
        AnixError: as ``walk_gltf``.
    """
    return walk_gltf(path, size).info


def buffer_files(path: Path) -> tuple[Path, ...]:
    """The files beside a .gltf that hold its numbers; () where they cannot be told."""
    try:
        tree, _ = document(path, path.stat().st_size)
        folder = Folder(path)
        uris = [buffer.get("uri") for buffer in tree.get("buffers", [])]
    except (AnixError, OSError, AttributeError, TypeError):
        return ()
    found = [folder.file(unquote(uri)) for uri in uris if isinstance(uri, str) and uri[:5].lower() != "data:"]
    return tuple(file for file in found if file is not None)
