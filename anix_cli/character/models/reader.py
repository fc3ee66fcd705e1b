"""The numbers of a glTF document (2.0, sections 3.6 and 4), bounds checked before anything is allocated."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import fail
from anix_cli.scene.formats.archive import Folder
from anix_cli.scene.formats.gltf_structure import Reader, Slice, document

from .faults import MAX_VERTICES, as_model, damaged, no_model, too_large, truncated, unsupported

MAX_BYTES = 1 << 30
_FORMS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_TYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_KINDS = {
    b"Kaydara FBX": "an FBX file",
    b"BLENDER": "a Blender file",
    b"PK\x03\x04": "an archive",
    b"ply": "a PLY file",
    b"\x89PNG": "a picture",
    b"version https://git-lfs": "a Git LFS pointer, not the file itself",
    b"<": "a web page or XML",
    b"solid": "an STL file",
}


def open_model(path: Path) -> ModelReader:
    """Reads the description and the bytes of a .glb, .gltf or .vrm.

    Raises:
        AnixError: E351 … E355, see :func:`anix_cli.character.models.read.read_model`.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            head = stream.read(32)
    except OSError as error:
        raise no_model(path, f"cannot be read: {error.strerror or error}") from error
    if size == 0:
        raise truncated(path, "it has 0 bytes")
    if size > MAX_BYTES:
        raise too_large(path, f"{size:,} bytes", f"{MAX_BYTES:,}")
    for start, kind in _KINDS.items():
        if head.lstrip().startswith(start):
            raise no_model(path, f"is {kind}, no glTF model")
    if not head.startswith(b"glTF") and not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        raise no_model(path, "is no glTF model: neither GLB nor JSON")
    with as_model(path):
        tree, binary = document(path, size)
    return ModelReader(path, tree, binary and Slice(path, 0, binary.size, binary.read()))


class ModelReader(Reader):
    """Accessors of a document as arrays."""

    def array(self, index: int, form: str, *, raw: bool = False) -> NDArray[Any]:
        """An accessor: [count, width], or [count] of scalars.

        Args:
            form: what it must be: "SCALAR", "VEC3", …; several are parted by "|".
            raw: integers as they are; else float32, normalised integers as glTF 2.0, 3.6.2.3 says.

        Raises:
            AnixError: E353, E355; LookupError, TypeError, ValueError where the document contradicts itself.
        """
        tree = self.tree["accessors"][self.whole(index)]
        if tree["type"] not in form.split("|"):
            raise damaged(self.path, f"numbers of the type {str(tree['type'])[:20]} stand where {form} must")
        count, width = self.whole(tree["count"]), _FORMS[tree["type"]]
        if count > MAX_VERTICES:
            raise too_large(self.path, f"{count:,} rows of numbers", f"{MAX_VERTICES:,}")
        dtype = np.dtype(_TYPES[tree["componentType"]])
        if "bufferView" in tree:
            offset = self.whole(tree.get("byteOffset", 0))
            values = self._rows(tree["bufferView"], offset, count=count, width=width, dtype=dtype)
        else:
            values = np.zeros((count, width), dtype)
        if "sparse" in tree:
            values = self._sparse(values, tree["sparse"], count)
        if not raw:
            whole = dtype.kind in "iu" and tree.get("normalized") is True
            values = values.astype(np.float32)
            if whole:
                values = np.maximum(values / np.float32(np.iinfo(dtype).max), np.float32(-1))
        return values[:, 0] if width == 1 else values

    def _sparse(self, values: NDArray[Any], tree: dict[str, Any], count: int) -> NDArray[Any]:
        few = self.whole(tree["count"])
        if few > count:
            raise damaged(self.path, "it replaces more numbers than there are")
        where, what = tree["indices"], tree["values"]
        dtype = np.dtype(_TYPES[where["componentType"]])
        at = self._rows(
            where["bufferView"], self.whole(where.get("byteOffset", 0)), count=few, width=1, dtype=dtype
        )
        new = self._rows(
            what["bufferView"],
            self.whole(what.get("byteOffset", 0)),
            count=few,
            width=values.shape[1],
            dtype=values.dtype,
        )
        if few and int(at.max()) >= count:
            raise damaged(self.path, "it replaces numbers that are not there")
        values = values.copy()
        values[at[:, 0].astype(np.int64)] = new
        return values

    def _rows(self, view: int, offset: int, *, count: int, width: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        whole = self._view(view)
        row = dtype.itemsize * width
        stride = self.whole(self.tree["bufferViews"][view].get("byteStride", 0)) or row
        needed = offset + (count - 1) * stride + row if count else 0
        if stride < row or needed > whole.size:
            raise damaged(self.path, f"{count:,} rows of numbers reach beyond their {whole.size:,} bytes")
        data = whole.read()
        return np.ndarray(
            (count, width), dtype, data, offset if count else 0, (stride, dtype.itemsize)
        ).copy()

    def blob(self, view: int) -> Slice:
        """The bytes of a buffer view."""
        return self._view(view)

    @staticmethod
    def whole(value: Any) -> int:
        """A count or an index; ValueError for anything else."""
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise ValueError("no index")
        return value

    def _find_buffer(self, index: int) -> Slice:
        tree = self.tree["buffers"][index]
        length, uri = self.whole(tree["byteLength"]), tree.get("uri")
        if uri is None:
            if index or self.binary is None:
                raise damaged(self.path, "it names a buffer that it does not hold")
            found = self.binary
        else:
            found = self.beside(uri, "buffer")
        if found.size < length:
            raise truncated(self.path, f"a buffer of {length:,} bytes has {found.size:,}")
        return found

    def beside(self, uri: Any, what: str) -> Slice:
        """The bytes that a URI stands for: embedded ones, or those of a file beside the model.

        Raises:
            AnixError: E353, no base64; E356, there is no such file; E355, it is too large.
        """
        if not isinstance(uri, str):
            raise ValueError("no URI")
        if uri.startswith("data:"):
            try:
                data = base64.b64decode(uri.partition(",")[2], validate=True)
            except (binascii.Error, ValueError) as error:
                raise damaged(self.path, f"an embedded {what} is no base64") from error
            return Slice(self.path, 0, len(data), data)
        name = unquote(uri)
        file = None if "://" in name else Folder(self.path).file(name)
        if file is None:
            text = f"{self.path.name} needs the {what} “{name[:80]}”, which is not beside it"
            hint = "Export the model as GLB, which holds all that belongs to it."
            raise fail("E356", text, file=self.path, hint=hint)
        size = file.stat().st_size
        if size > MAX_BYTES:
            raise too_large(self.path, f"a {what} of {size:,} bytes", f"{MAX_BYTES:,}")
        return Slice(file, 0, size, file.read_bytes())


def refuse_packed(path: Path, tree: dict[str, Any]) -> None:
    """E354 for what a reader without the extension cannot draw at all."""
    needed = tree.get("extensionsRequired") or []
    if not isinstance(needed, list):
        raise ValueError("no list of extensions")
    for name in needed:
        if "draco" in str(name) or "meshopt" in str(name):
            raise unsupported(path, f"is compressed with {str(name)[:60]}")
