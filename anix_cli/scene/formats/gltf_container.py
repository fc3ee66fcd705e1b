"""The files that hold a glTF 2.0 document: .gltf, GLB, and buffers in or beside them."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from anix_cli.core.errors import Diagnostic, fail

from .faults import cut_off, damaged, left_over, parse_json, unsupported

_JSON_LIMIT = 256 << 20
_VERSION = 2
_JSON_CHUNK, _BINARY_CHUNK = 0x4E4F534A, 0x004E4942


@dataclass(frozen=True)
class Slice:
    """Bytes of a file or, of an embedded buffer, of ``data``."""

    file: Path
    start: int
    size: int
    data: bytes | None = None

    @property
    def key(self) -> tuple[Path, int, int, int]:
        """The same for the same bytes."""
        return self.file, self.start, self.size, id(self.data)

    def read(self) -> bytes:
        if self.data is not None:
            return self.data[self.start : self.start + self.size]
        with self.file.open("rb") as stream:
            stream.seek(self.start)
            return stream.read(self.size)


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
    tree = parse_json(path, text)
    if not isinstance(tree, dict) or not isinstance(tree.get("asset"), dict):
        raise fail("E304", f"{path.name} is JSON, but neither a glTF nor a SOG scene", file=path)
    return tree, binary


def _glb(path: Path, size: int, start: bytes, stream: BinaryIO) -> tuple[bytes, Slice | None]:
    """(JSON, binary chunk) of a GLB whose first 20 bytes were read (glTF 2.0, 4.4)."""
    if len(start) < 20:
        raise cut_off(path, size)
    version, length, json_size, kind = struct.unpack_from("<IIII", start, 4)
    if version != _VERSION:
        raise unsupported(path, f"is glTF version {version}")
    if kind != _JSON_CHUNK:
        raise damaged(path, "its first part is no description")
    _check_length(path, size, max(length, 20 + json_size))
    if json_size > _JSON_LIMIT:
        raise damaged(path, f"its description has {json_size:,} bytes")
    text, head = stream.read(json_size), stream.read(8)
    if len(head) < 8:
        return text, None
    chunk, kind = struct.unpack("<II", head)
    _check_length(path, size, 28 + json_size + chunk)
    return text, Slice(path, 28 + json_size, chunk) if kind == _BINARY_CHUNK else None


def trailing(path: Path, size: int) -> tuple[Diagnostic, ...]:
    """W305 where a GLB is longer than it says."""
    with path.open("rb") as stream:
        start = stream.read(12)
    return left_over(path, size - int.from_bytes(start[8:12], "little")) if start[:4] == b"glTF" else ()


def _check_length(path: Path, size: int, needed: int) -> None:
    if size < needed:
        text = f"{path.name} is truncated: it promises {needed:,} bytes, the file has {size:,}"
        raise fail("E306", text, file=path, hint="Fetch or export the file again.")
