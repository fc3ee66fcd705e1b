"""Small files of every container, written from known Gaussians by the formats' descriptions.

Nothing here uses the package's readers or tables. Each function returns the bytes of a file; of a SOG scene
its files by name.
"""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from anix_cli.core.gaussians import Gaussians

C0 = 0.5 / np.sqrt(np.pi)
F64 = NDArray[np.float64]


def quantum(values: F64, low: Any, high: Any, top: int) -> NDArray[np.uint32]:
    """The nearest of 0…top between low and high."""
    span = np.where(np.asarray(high) > low, np.asarray(high) - low, 1.0)
    return np.clip(np.floor((values - low) / span * top + 0.5), 0, top).astype(np.uint32)


def three_smallest(quats: F64) -> tuple[NDArray[np.intp], F64]:
    """(index of the largest of wxyz, the others in order with the sign that makes the largest positive)."""
    largest = np.argmax(np.abs(quats), axis=1)
    signed = quats * np.sign(quats[np.arange(len(quats)), largest])[:, None]
    others = np.stack([np.delete(row, at) for row, at in zip(signed, largest, strict=True)])
    return largest, others


def channel_major(sh: F64) -> F64:
    """[N, 3·K] all of red, then green, then blue, without degree 0."""
    return sh[:, 1:].transpose(0, 2, 1).reshape(len(sh), -1)


# Compressed PLY


def compressed_ply(scene: Gaussians, *, columns: int = 18, comment: str = "") -> bytes:
    """SuperSplat's compressed PLY with 12 or 18 columns a chunk; harmonics within ±4."""
    means, logs = scene.means.astype(np.float64), np.log(scene.scales.astype(np.float64))
    colours = 0.5 + C0 * scene.sh[:, 0].astype(np.float64)
    count, packed, chunks = len(scene), [], []
    for start in range(0, count, 256):
        rows = slice(start, start + 256)
        bounds = []
        limits = []
        for values in (means[rows], logs[rows], colours[rows]):
            low, high = values.min(axis=0).astype("f4"), values.max(axis=0).astype("f4")
            limits.append((low.astype("f8"), high.astype("f8")))
            bounds += [low, high]
        chunks.append(np.concatenate(bounds[: columns // 3]))
        if columns == 12:
            limits[2] = (np.zeros(3), np.ones(3))
        words = []
        for values, (low, high) in zip((means[rows], logs[rows]), limits, strict=False):
            x, y, z = (
                quantum(values[:, i], low[i], high[i], top) for i, top in enumerate((2047, 1023, 2047))
            )
            words.append(x << 21 | y << 11 | z)
        largest, others = three_smallest(scene.quats[rows].astype(np.float64))
        a, b, c = (quantum(others[:, i] / np.sqrt(2) + 0.5, 0, 1, 1023) for i in range(3))
        rotation = largest.astype(np.uint32) << 30 | a << 20 | b << 10 | c
        r, g, b = (quantum(colours[rows][:, i], limits[2][0][i], limits[2][1][i], 255) for i in range(3))
        alpha = quantum(scene.opacities[rows].astype(np.float64), 0, 1, 255)
        packed.append(np.stack([words[0], rotation, words[1], r << 24 | g << 16 | b << 8 | alpha], axis=1))
    names = [f"{end}_{axis}" for axes in ("xyz",) for end in ("min", "max") for axis in axes]
    names += [f"{end}_scale_{axis}" for end in ("min", "max") for axis in "xyz"]
    names += [f"{end}_{axis}" for end in ("min", "max") for axis in "rgb"]
    lines = ["ply", "format binary_little_endian 1.0", f"comment {comment}", f"element chunk {len(chunks)}"]
    lines += [f"property float {name}" for name in names[:columns]]
    lines += [f"element vertex {count}"]
    lines += [f"property uint packed_{name}" for name in ("position", "rotation", "scale", "color")]
    rest = channel_major(scene.sh.astype(np.float64))
    if rest.shape[1]:
        lines += [f"element sh {count}", *(f"property uchar f_rest_{i}" for i in range(rest.shape[1]))]
    data = np.stack(chunks).astype("<f4").tobytes() + np.concatenate(packed).astype("<u4").tobytes()
    data += np.clip(np.trunc((rest / 8 + 0.5) * 256), 0, 255).astype(np.uint8).tobytes()
    return "\n".join([*lines, "end_header", ""]).encode() + data


# SOG


def webp(pixels: NDArray[np.uint8]) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "WEBP", lossless=True, exact=True, quality=0)
    return buffer.getvalue()


def _picture(values: NDArray[np.integer], width: int) -> bytes:
    """[N, channels] as RGBA rows of ``width`` pixels."""
    rows = -(-len(values) // width)
    pixels = np.zeros((rows * width, 4), np.uint8)
    pixels[:, 3] = 255
    pixels[: len(values), : values.shape[1]] = values
    return webp(pixels.reshape(rows, width, 4))


def _codes(values: F64) -> tuple[F64, NDArray[np.uint8]]:
    """(256 numbers evenly over the range, index of the nearest)."""
    low, high = float(values.min()), float(values.max())
    return np.linspace(low, high, 256), quantum(values, low, high, 255).astype(np.uint8)


def sog(scene: Gaussians, *, version: int = 2, width: int = 8, antialiased: bool = False) -> dict[str, bytes]:
    """A SOG scene of at most 64 Gaussians (each has its own harmonics): files by name."""
    logs = np.sign(scene.means) * np.log1p(np.abs(scene.means.astype(np.float64)))
    low, high = logs.min(axis=0), logs.max(axis=0)
    places = quantum(logs, low, high, 65535)
    largest, others = three_smallest(scene.quats.astype(np.float64))
    turned = quantum(others / np.sqrt(2) + 0.5, 0, 1, 255)
    scales, dc = np.log(scene.scales.astype(np.float64)), scene.sh[:, 0].astype(np.float64)
    files = {
        "means_l.webp": _picture(places & 255, width),
        "means_u.webp": _picture(places >> 8, width),
        "quats.webp": _picture(np.column_stack([turned, largest + 252]), width),
    }
    meta: dict[str, Any] = {
        "means": {"mins": low.tolist(), "maxs": high.tolist(), "files": ["means_l.webp", "means_u.webp"]},
        "quats": {"files": ["quats.webp"]},
    }
    if version == 2:
        meta |= {"version": 2, "count": len(scene), **({"antialias": True} if antialiased else {})}
        book, codes = _codes(scales)
        meta["scales"] = {"codebook": book.tolist(), "files": ["scales.webp"]}
        colours, rgb = _codes(dc)
        meta["sh0"] = {"codebook": colours.tolist(), "files": ["sh0.webp"]}
        alpha = quantum(scene.opacities.astype(np.float64), 0, 1, 255)
    else:
        meta["means"] |= {"shape": [len(scene), 3], "dtype": "float32"}
        codes = quantum(scales, scales.min(axis=0), scales.max(axis=0), 255).astype(np.uint8)
        meta["scales"] = {"mins": scales.min(axis=0).tolist(), "maxs": scales.max(axis=0).tolist(),
                          "files": ["scales.webp"]}  # fmt: skip
        chance = scene.opacities.astype(np.float64)
        four = np.column_stack([dc, np.log(chance / (1 - chance))])
        coded = quantum(four, four.min(axis=0), four.max(axis=0), 255)
        rgb, alpha = coded[:, :3].astype(np.uint8), coded[:, 3]
        meta["sh0"] = {"mins": four.min(axis=0).tolist(), "maxs": four.max(axis=0).tolist(),
                       "files": ["sh0.webp"]}  # fmt: skip
    files["scales.webp"] = _picture(codes, width)
    files["sh0.webp"] = _picture(np.column_stack([rgb, alpha]), width)
    if scene.sh.shape[1] > 1:
        _add_harmonics(scene, version, width, meta, files)
    files["meta.json"] = json.dumps(meta).encode()
    return files


def _add_harmonics(
    scene: Gaussians, version: int, width: int, meta: dict[str, Any], files: dict[str, bytes]
) -> None:
    rest = scene.sh[:, 1:].astype(np.float64)
    entries = np.zeros((64, rest.shape[1], 3), np.uint8)
    book, codes = _codes(rest)
    order = np.arange(len(scene))[::-1]  # labels that are not simply the row
    entries[order] = codes
    files["shN_centroids.webp"] = webp(entries.reshape(1, -1, 3))
    labels = np.column_stack([order & 255, order >> 8, np.zeros_like(order)])
    files["shN_labels.webp"] = _picture(labels, width)
    meta["shN"] = {"files": ["shN_centroids.webp", "shN_labels.webp"]}
    if version == 2:
        meta["shN"] |= {"count": len(scene), "bands": scene.sh_degree, "codebook": book.tolist()}
    else:
        meta["shN"] |= {"mins": float(rest.min()), "maxs": float(rest.max())}


def zipped(files: dict[str, bytes], *, packed: bool = False, prefix: str = "") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(prefix + name), data)
    return buffer.getvalue()


# .splat and .ksplat


def splat(scene: Gaussians) -> bytes:
    rows = np.empty(len(scene), [("p", "<f4", 3), ("s", "<f4", 3), ("c", "u1", 4), ("q", "u1", 4)])
    rows["p"], rows["s"] = scene.means, scene.scales
    rows["c"][:, :3] = quantum(0.5 + C0 * scene.sh[:, 0].astype(np.float64), 0, 1, 255)
    rows["c"][:, 3] = quantum(scene.opacities.astype(np.float64), 0, 1, 255)
    rows["q"] = np.clip(np.round(scene.quats * 128.0 + 128), 0, 255)
    return rows.tobytes()


def ksplat(
    sections: Sequence[Gaussians],
    *,
    level: int,
    sh_range: tuple[float, float] = (-1.0, 1.0),
    block: float = 5.0,
    size: int = 4,
    spare: int = 0,
    written: bool = True,
) -> bytes:
    """Sections whose rows lie in buckets of ``size``: whole ones first, then one that is partly filled.

    Args:
        spare: rows of room beyond those written.
        written: whether the counts of rows were filled in.
    """
    total = sum(len(section) for section in sections)
    head = bytearray(4096)
    count = len(sections) if written else 0
    struct.pack_into("<BBHIIII", head, 0, 0, 1, 0, len(sections), count, total, total if written else 0)
    struct.pack_into("<H2x3fff", head, 20, level, 0, 0, 0, *sh_range)
    headers, bodies = b"", b""
    for scene in sections:
        degree, rows, buckets, partial, full = scene.sh_degree, [], b"", b"", 0
        for start in range(0, len(scene), size):
            part = scene.take(np.arange(start, min(start + size, len(scene))))
            means = part.means.astype(np.float64)
            centre = ((means.min(axis=0) + means.max(axis=0)) / 2).astype("<f4")
            if len(part) == size:
                full += 1
            else:
                partial += struct.pack("<I", len(part))
            buckets += centre.tobytes()
            for i in range(len(part)):
                rows.append(_ksplat_row(part, i, level, sh_range, centre, block))
        head_of = bytearray(1024)
        room = len(scene) + spare
        bucket_count = -(-len(scene) // size)
        if level == 0:
            buckets = partial = b""
            struct.pack_into("<II", head_of, 0, len(scene) if written else 0, room)
        else:
            counts = (len(scene) if written else 0, room, size, bucket_count)
            struct.pack_into("<IIIIfH", head_of, 0, *counts, block, 12)
            struct.pack_into("<I", head_of, 24, 32767)
            struct.pack_into("<II", head_of, 32, full, len(partial) // 4)
        struct.pack_into("<H", head_of, 40, degree)
        headers += bytes(head_of)
        bodies += partial + buckets + b"".join(rows) + bytes(spare * len(rows[0]))
    return bytes(head) + headers + bodies


def _ksplat_row(
    part: Gaussians, i: int, level: int, sh_range: tuple[float, float], centre: Any, block: float
) -> bytes:
    number = "<f4" if level == 0 else "<f2"
    if level == 0:
        place = part.means[i].astype("<f4").tobytes()
    else:
        place = np.round((part.means[i] - centre) / (block / 2 / 32767) + 32767).astype("<u2").tobytes()
    rgba = np.append(
        quantum(0.5 + C0 * part.sh[i, 0].astype(np.float64), 0, 1, 255), round(float(part.opacities[i]) * 255)
    )
    bands = [part.sh[i, d * d : (d + 1) ** 2].T.ravel() for d in range(1, part.sh_degree + 1)]
    sh = np.concatenate(bands) if bands else np.empty(0)
    if level == 2:
        rest = quantum(sh.astype(np.float64), *sh_range, 255).astype(np.uint8).tobytes()
    else:
        rest = sh.astype(number).tobytes()
    numbers = part.scales[i].astype(number).tobytes() + part.quats[i].astype(number).tobytes()
    return place + numbers + rgba.astype(np.uint8).tobytes() + rest


# glTF


def gltf(
    parts: Sequence[tuple[dict[str, Any], dict[str, NDArray[Any]]]], *, extra: dict[str, Any] | None = None
) -> tuple[dict[str, Any], bytes]:
    """(JSON, buffer) of a document with one node and primitive a part: (node, attributes by full name)."""
    accessors, views, meshes, nodes, data = [], [], [], [], b""
    for node, attributes in parts:
        indices = {}
        for name, values in attributes.items():
            indices[name] = len(accessors)
            code = {"f4": 5126, "i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123}[values.dtype.str[1:]]
            kind = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}[values.shape[1]]
            # Rows are padded to multiples of four bytes, as glTF asks for.
            row = values.dtype.itemsize * values.shape[1]
            stride = -(-row // 4) * 4
            padded = np.zeros((len(values), stride), np.uint8)
            padded[:, :row] = np.ascontiguousarray(values).view(np.uint8).reshape(len(values), row)
            accessors.append({"bufferView": len(views), "componentType": code, "count": len(values),
                              "type": kind, "normalized": code != 5126})  # fmt: skip
            views.append(
                {"buffer": 0, "byteOffset": len(data), "byteLength": padded.size, "byteStride": stride}
            )
            data += padded.tobytes()
        nodes.append({"mesh": len(meshes), **node})
        meshes.append({"primitives": [{"mode": 0, "attributes": indices, "extensions":
                       {"KHR_gaussian_splatting": {"kernel": "ellipse", **(extra or {})}}}]})  # fmt: skip
    tree = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(range(len(nodes)))}],
        "nodes": nodes, "meshes": meshes, "accessors": accessors, "bufferViews": views,
        "buffers": [{"byteLength": len(data)}],
    }  # fmt: skip
    return tree, data


def splat_attributes(scene: Gaussians, *, log_scales: bool = False) -> dict[str, NDArray[Any]]:
    """The attributes of KHR_gaussian_splatting, all float32."""
    prefix = "KHR_gaussian_splatting:"
    scales = np.log(scene.scales) if log_scales else scene.scales
    found = {
        "POSITION": scene.means,
        f"{prefix}ROTATION": np.ascontiguousarray(scene.quats[:, [1, 2, 3, 0]]),
        f"{prefix}SCALE": scales,
        f"{prefix}OPACITY": scene.opacities[:, None],
    }
    for degree in range(scene.sh_degree + 1):
        for n in range(2 * degree + 1):
            found[f"{prefix}SH_DEGREE_{degree}_COEF_{n}"] = np.ascontiguousarray(scene.sh[:, degree**2 + n])
    return found


def glb(tree: dict[str, Any], data: bytes) -> bytes:
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    data += bytes(-len(data) % 4)
    length = 12 + 8 + len(text) + 8 + len(data)
    head = struct.pack("<4sIIII", b"glTF", 2, length, len(text), 0x4E4F534A)
    return head + text + struct.pack("<II", len(data), 0x004E4942) + data


def gltf_text(tree: dict[str, Any], data: bytes, uri: str | None = None) -> bytes:
    """A .gltf whose buffer is embedded, or lies beside it as ``uri``."""
    embedded = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    return json.dumps({**tree, "buffers": [{"byteLength": len(data), "uri": uri or embedded}]}).encode()


# SPZ version 4


def spz4(payload: bytes, sizes: Sequence[int], *, extensions: bytes = b"") -> bytes:
    """A version 3 payload (header of 16 bytes and columns of these sizes) as version 4."""
    import zstandard

    count, degree, bits, flags = struct.unpack_from("<IBBB", payload, 8)
    columns, at = [], 16
    for size in sizes:
        columns.append(payload[at : at + size])
        at += size
    packed = [zstandard.compress(column) for column in columns]
    flags |= 2 if extensions else 0
    head = struct.pack(
        "<4sIIBBBBI12x", b"NGSP", 4, count, degree, bits, flags, len(packed), 32 + len(extensions)
    )
    toc = b"".join(struct.pack("<QQ", len(p), len(c)) for p, c in zip(packed, columns, strict=True))
    return head + extensions + toc + b"".join(packed)


def npz(**arrays: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()
