"""Materials, textures and pictures of a document."""

from __future__ import annotations

import io
import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import AnixError, Diagnostic
from anix_cli.core.limits import MAX_PICTURE_PX
from anix_cli.scene.formats.gltf_structure import Slice

from .model import F32, Material
from .reader import ModelReader

MAX_SIDE_PX = 2048
"""Longer side of the largest texture that is kept."""

_FORMATS = ("PNG", "JPEG", "WEBP")
_WRAPS = {33071: "clamp", 33648: "mirror", 10497: "repeat"}
_MOST = 4096


class Materials:
    """Reads materials as they are asked for."""

    def __init__(self, reader: ModelReader) -> None:
        self._reader = reader
        self._rows: dict[int, int] = {}
        self.found: list[Material] = []
        self.pictures: list[Slice | None] = []
        self._images: dict[int, int] = {}
        self.notes: list[Diagnostic] = []

    def number(self, index: Any) -> tuple[int, Material]:
        """The row of a material of the file, of the plain one for None."""
        at = -1 if index is None else self._reader.whole(index)
        if at not in self._rows:
            tree = {} if index is None else self._reader.tree["materials"][at]
            self._rows[at] = len(self.found)
            self.found.append(self._read(tree))
        return self._rows[at], self.found[self._rows[at]]

    def _read(self, tree: dict[str, Any]) -> Material:
        extensions = tree.get("extensions", {})
        metal = tree.get("pbrMetallicRoughness", {})
        old = extensions.get("KHR_materials_pbrSpecularGlossiness")
        if old is not None and not metal:
            rgba, texture, metallic = old.get("diffuseFactor"), old.get("diffuseTexture"), 0.0
        else:
            rgba, texture = metal.get("baseColorFactor"), metal.get("baseColorTexture")
            metallic = float(metal.get("metallicFactor", 1.0 if metal else 0.0))
            if "metallicRoughnessTexture" in metal:  # mostly not metal, whatever the factor says
                metallic = min(metallic, 0.2)
        toon = any(name in extensions for name in ("KHR_materials_unlit", "VRMC_materials_mtoon"))
        alpha = tree.get("alphaMode", "OPAQUE")
        parts: dict[str, Any] = {}
        if texture is not None:
            parts = self._texture(texture)
        glow = () if tree.get("emissiveTexture") else tree.get("emissiveFactor", ())
        return Material(
            rgba=_numbers(rgba, (1.0, 1.0, 1.0, 1.0)),
            alpha=alpha if alpha in ("MASK", "BLEND") else "OPAQUE",
            cutoff=float(tree.get("alphaCutoff", 0.5)),
            metallic=min(max(metallic, 0.0), 1.0),
            unlit=toon,
            glow=_numbers(glow or None, (0.0, 0.0, 0.0)),
            **parts,
        )

    def _texture(self, info: dict[str, Any]) -> dict[str, Any]:
        whole = self._reader.whole
        tree = self._reader.tree["textures"][whole(info["index"])]
        moved = info.get("extensions", {}).get("KHR_texture_transform", {})
        sampler = self._reader.tree["samplers"][whole(tree["sampler"])] if "sampler" in tree else {}
        source = tree.get("source")
        for name, body in tree.get("extensions", {}).items():
            if name == "EXT_texture_webp" and isinstance(body, dict):
                source = body.get("source", source)
        return {
            "picture": None if source is None else self._picture(whole(source)),
            "uv_set": whole(moved.get("texCoord", info.get("texCoord", 0))),
            "uv_from_uv": _transform(moved),
            "wrap": (
                _WRAPS.get(sampler.get("wrapS", 0), "repeat"),
                _WRAPS.get(sampler.get("wrapT", 0), "repeat"),
            ),
        }

    def _picture(self, index: int) -> int | None:
        """The number of a picture; None where it is not there, which is told."""
        if index in self._images:
            return self._images[index]
        tree = self._reader.tree["images"][index]
        name = str(tree.get("name") or tree.get("uri") or f"number {index}")
        name = f"number {index}" if name.startswith("data:") else name[:60]
        blob: Slice | None = None
        try:
            blob = (
                self._reader.blob(tree["bufferView"])
                if "bufferView" in tree
                else self._reader.beside(tree["uri"], "texture")
            )
            _size(blob)
        except AnixError as error:
            self._lacks(name, _why(error))
            return None
        except (OSError, ValueError, SyntaxError, KeyError, EOFError) as error:
            why = str(error) if isinstance(error, _PictureError) else "it is no PNG, JPEG or WebP picture"
            self._lacks(name, why)
            return None
        self._images[index] = len(self.pictures)
        self.pictures.append(blob)
        return self._images[index]

    def _lacks(self, name: str, why: str) -> None:
        path = self._reader.path
        text = f"the texture “{name}” of {path.name} is left out: {why}"
        note = Diagnostic("W351", text, file=path, hint="Export the model as GLB with its textures in it.")
        if note not in self.notes:
            self.notes.append(note)


def _why(error: AnixError) -> str:
    missing = error.diagnostics[0].code == "E356"
    return "the file that holds it is not beside the model" if missing else "its bytes are damaged"


class _PictureError(ValueError):
    pass


def _open(blob: Slice) -> Any:
    from PIL import Image

    return Image.open(io.BytesIO(blob.read()), formats=_FORMATS)


def _size(blob: Slice) -> None:
    """Refuses from the header what is no picture or too large a one."""
    from PIL import Image

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with _open(blob) as picture:
                width, height = picture.size
        except Image.DecompressionBombError as error:
            raise _PictureError("it has too many pixels") from error
    if width * height > MAX_PICTURE_PX:
        raise _PictureError(
            f"it has {width} × {height} pixels, at most {MAX_PICTURE_PX // 10**6} million are read"
        )


def picture(blob: Slice) -> NDArray[np.uint8]:
    """[h, w, 4] uint8 sRGB; a damaged picture is grey."""
    from PIL import Image

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with _open(blob) as found:
                rgba = found.convert("RGBA")
        except (OSError, ValueError, SyntaxError, EOFError, MemoryError, Image.DecompressionBombError):
            return np.full((1, 1, 4), 128, np.uint8) | np.array([0, 0, 0, 255], np.uint8)
    if max(rgba.size) > MAX_SIDE_PX:
        rgba.thumbnail((MAX_SIDE_PX, MAX_SIDE_PX), Image.Resampling.BOX)
    return np.asarray(rgba, dtype=np.uint8)


def _numbers(values: Any, default: tuple[float, ...]) -> Any:
    if values is None:
        return default
    found = tuple(float(value) for value in values)
    if len(found) != len(default) or not all(math.isfinite(value) for value in found):
        raise ValueError("another count of numbers")
    return tuple(min(max(value, 0.0), 1e3) for value in found)


def _transform(tree: dict[str, Any]) -> NDArray[np.float64]:
    """KHR_texture_transform: scale, then rotation (counter-clockwise in UV), then offset."""
    offset = [float(value) for value in tree.get("offset", (0, 0))]
    scale = [float(value) for value in tree.get("scale", (1, 1))]
    angle = float(tree.get("rotation", 0))
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c * scale[0], s * scale[1], offset[0]], [-s * scale[0], c * scale[1], offset[1]]])


def linear(srgb: F32) -> F32:
    """sRGB in [0, 1] as linear light (IEC 61966-2-1)."""
    low = srgb <= 0.04045
    return np.where(low, srgb / 12.92, ((np.maximum(srgb, 0) + 0.055) / 1.055) ** 2.4).astype(np.float32)


def srgb(light: F32) -> F32:
    """Linear light as sRGB in [0, 1]."""
    light = np.clip(light, 0, 1)
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055).astype(np.float32)
