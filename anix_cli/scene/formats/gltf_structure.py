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
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote

from anix_cli.core.errors import AnixError, Diagnostic, fail

from ..info import MAX_GAUSSIANS, SplatInfo
from .archive import Folder
from .faults import check_count, cut_off, damaged, too_many, truncated, unsupported
from .gltf_nodes import Matrix, placed_meshes

EXTENSION = "KHR_gaussian_splatting"
_PREFIXES = (f"{EXTENSION}:", "_")
_JSON_LIMIT = 256 << 20
_JSON_CHUNK, _BINARY_CHUNK = 0x4E4F534A, 0x004E4942
_COMPONENTS = {5120: "i1", 5121: "u1", 5122: "i2", 5123: "u2", 5125: "u4", 5126: "f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


_CONTRADICTIONS = (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)


@dataclass(frozen=True)
class Slice:
    """Bytes of a file or, of an embedded buffer, of ``data``."""

    file: Path
    start: int
    size: int
    data: bytes | None = None

    def read(self) -> bytes:
        if self.data is not None:
            return self.data[self.start : self.start + self.size]
        with self.file.open("rb") as stream:
            stream.seek(self.start)
            return stream.read(self.size)


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
    """

    world: Matrix
    attributes: dict[str, Accessor]
    sh_degree: int
    spz: Slice | None


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
    except (
        KeyError,
        TypeError,
        ValueError,
        IndexError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise damaged(path, "its glTF description contradicts itself") from error
    if not parts:
        raise fail(
            "E304",
            f"{path.name} is a glTF model without Gaussian splats",
            file=path,
            hint="Models can be characters; a scene is a splat file.",
        )
    counts, degrees, antialiased = [], [], []
    blobs: dict[tuple[Path, int, int], SplatInfo] = {}  # nodes may share one
    for part in parts:
        if part.spz is None:
            counts.append(part.attributes["POSITION"].count)
            degrees.append(part.sh_degree)
        else:
            key = (part.spz.file, part.spz.start, part.spz.size)
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
    info = SplatInfo(
        path, name, sum(counts), max(degrees), any(antialiased), "+y", "glTF specification", (), notes
    )
    check_count(info)
    return Gltf(info, parts)


def _probe_spz(path: Path, blob: Slice) -> SplatInfo:
    import io

    from .spz_structure import probe_spz

    return probe_spz(io.BytesIO(blob.read()), path, blob.size)


def document(path: Path, size: int) -> tuple[dict[str, Any], Slice | None]:
    """The JSON and, of a GLB, its binary chunk."""
    binary = None
    with path.open("rb") as stream:
        start = stream.read(20)
        if start[:4] == b"glTF":
            text, binary = _glb(path, size, start, stream)
        else:
            if size > _JSON_LIMIT:
                raise damaged(path, f"its description has {size:,} bytes")
            text = start + stream.read()
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise damaged(path, "its description is no JSON") from error
    if not isinstance(tree, dict) or not isinstance(tree.get("asset"), dict):
        raise fail("E304", f"{path.name} is JSON, but neither a glTF nor a SOG scene", file=path)
    return tree, binary


def _glb(path: Path, size: int, start: bytes, stream: BinaryIO) -> tuple[bytes, Slice | None]:
    """(JSON, binary chunk) of a GLB whose first 20 bytes were read (glTF 2.0, 4.4)."""
    if len(start) < 20:
        raise cut_off(path, size)
    version, length, json_size, kind = struct.unpack_from("<IIII", start, 4)
    if version != 2 or kind != _JSON_CHUNK:
        raise unsupported(path, f"is glTF version {version}")
    _check_length(path, size, max(length, 20 + json_size))
    if json_size > _JSON_LIMIT:
        raise damaged(path, f"its description has {json_size:,} bytes")
    text, head = stream.read(json_size), stream.read(8)
    if len(head) < 8:
        return text, None
    chunk, kind = struct.unpack("<II", head)
    _check_length(path, size, 28 + json_size + chunk)
    return text, Slice(path, 28 + json_size, chunk) if kind == _BINARY_CHUNK else None


def _check_length(path: Path, size: int, needed: int) -> None:
    if size < needed:
        text = f"{path.name} is truncated: it promises {needed:,} bytes, the file has {size:,}"
        raise fail("E306", text, file=path, hint="Fetch or export the file again.")


class Reader:
    """Finds the Gaussians of a document and checks where their bytes lie."""

    def __init__(self, path: Path, tree: dict[str, Any], binary: Slice | None) -> None:
        self.path, self.tree, self.binary = path, tree, binary
        self._buffers: dict[int, Slice] = {}

    def parts(self) -> tuple[Part, ...]:
        found = []
        for world, mesh in placed_meshes(self.tree):
            for primitive in self.tree["meshes"][mesh]["primitives"]:
                part = self._part(world, primitive)
                if part is not None:
                    found.append(part)
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
        attributes = {"POSITION": self.accessor(named["POSITION"])}
        for name, index in named.items():
            for prefix in _PREFIXES:
                if name.startswith(prefix):
                    attributes[name.removeprefix(prefix)] = self.accessor(index)
        if "COLOR_0" in named:
            attributes["COLOR_0"] = self.accessor(named["COLOR_0"])
        return self._checked(world, attributes)

    def _checked(self, world: Matrix, attributes: dict[str, Accessor]) -> Part:
        """The part, if all attributes of a Gaussian are there and as long as each other."""
        colours = attributes.get("SH_DEGREE_0_COEF_0") or attributes.get("COLOR_0")
        opacity = attributes.get("OPACITY") or attributes.get("COLOR_0")
        lacking = [name for name in ("ROTATION", "SCALE") if name not in attributes]
        if (
            colours is None
            or opacity is None
            or (opacity is attributes.get("COLOR_0") and opacity.width != 4)
        ):
            lacking.append("OPACITY or colours")
        if lacking:
            raise damaged(self.path, f"its Gaussians lack {', '.join(lacking)}")
        degree = 0
        while degree < 3 and f"SH_DEGREE_{degree + 1}_COEF_0" in attributes:
            degree += 1
            names = [f"SH_DEGREE_{degree}_COEF_{n}" for n in range(2 * degree + 1)]
            if any(name not in attributes for name in names):
                text = f"{self.path.name} lacks some spherical harmonics of degree {degree}"
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
        return Part(world, attributes, degree, None)

    def accessor(self, index: int) -> Accessor:
        tree = self.tree["accessors"][_index(index)]
        if "sparse" in tree or "bufferView" not in tree:
            raise unsupported(self.path, "has sparse attributes")
        view = self.tree["bufferViews"][_index(tree["bufferView"])]
        whole = self._view(tree["bufferView"])
        code, width = _COMPONENTS[tree["componentType"]], _WIDTHS[tree["type"]]
        count, offset = _index(tree["count"]), _index(tree.get("byteOffset", 0))
        row = int(code[1]) * width
        stride = _index(view.get("byteStride", 0)) or row
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
        tree = self.tree["bufferViews"][_index(index)]
        packed = [name for name in tree.get("extensions", {}) if "meshopt" in name]
        if packed:
            raise unsupported(self.path, f"is compressed with {packed[0]}")
        buffer = self._buffer(_index(tree["buffer"]))
        start, size = _index(tree.get("byteOffset", 0)), _index(tree["byteLength"])
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
        length, uri = _index(tree["byteLength"]), tree.get("uri")
        if uri is None:
            if index or self.binary is None:
                raise damaged(self.path, "it names a buffer that it does not hold")
            found = self.binary
        elif uri.startswith("data:"):
            try:
                data = base64.b64decode(uri.partition(",")[2], validate=True)
            except binascii.Error as error:
                raise damaged(self.path, "an embedded buffer is no base64") from error
            found = Slice(self.path, 0, len(data), data)
        else:
            found = self._file(unquote(uri))
        if found.size < length:
            raise truncated(self.path, 0, length, found.size)
        return found

    def _file(self, name: str) -> Slice:
        file = Folder(self.path).file(name)
        if file is None:
            raise damaged(self.path, f"its buffer “{name[:80]}” lacks beside it")
        return Slice(file, 0, file.stat().st_size)


def _index(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError("no index")
    return value


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
    found = [
        folder.file(unquote(uri)) for uri in uris if isinstance(uri, str) and not uri.startswith("data:")
    ]
    return tuple(file for file in found if file is not None)
