"""Splat files made byte by byte, independently of the package's own writers, and Gaussians to fill them."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.gaussians import Gaussians

NAMES = ("x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1", "scale_2",
         "rot_0", "rot_1", "rot_2", "rot_3")  # fmt: skip
NUMPY = {"float": "f4", "double": "f8", "uchar": "u1", "int": "i4", "short": "i2"}


def names(degree: int) -> tuple[str, ...]:
    """The columns of an Inria-layout PLY without normals."""
    return (*NAMES, *(f"f_rest_{i}" for i in range(3 * ((degree + 1) ** 2 - 1))))


def rows(count: int, degree: int, seed: int = 0) -> NDArray[np.float64]:
    """[count, columns] raw values in the order of ``names``: logits, logarithms, quaternions not unit."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(count, len(names(degree))))
    table[:, 7:10] -= 3
    return table.astype(np.float32).astype(np.float64)


def ply(
    table: NDArray[np.float64],
    columns: Sequence[str],
    *,
    types: Sequence[str] | None = None,
    order: str = "<",
    comments: Sequence[str] = (),
    before: Sequence[tuple[str, Sequence[str], bytes]] = (),
    after: Sequence[tuple[str, Sequence[str], bytes]] = (),
    newline: str = "\n",
    tail: bytes = b"",
    count: int | None = None,
) -> bytes:
    """A PLY file. ``before`` and ``after`` are further elements: header line, property lines, bytes."""
    types = types or ["float"] * len(columns)
    encoding = {"<": "binary_little_endian", ">": "binary_big_endian", "a": "ascii"}[order]
    lines = ["ply", f"format {encoding} 1.0", *comments]
    for line, properties, _ in before:
        lines += [line, *properties]
    lines.append(f"element vertex {len(table) if count is None else count}")
    lines += [f"property {kind} {name}" for kind, name in zip(types, columns, strict=True)]
    for line, properties, _ in after:
        lines += [line, *properties]
    head = newline.join([*lines, "end_header", ""]).encode()
    if order == "a":
        body = "".join(" ".join(repr(float(v)) for v in row) + newline for row in table).encode()
    else:
        records = np.empty(len(table), [(f"c{i}", order + NUMPY[kind]) for i, kind in enumerate(types)])
        for i in range(len(columns)):
            records[f"c{i}"] = table[:, i]
        body = records.tobytes()
    return head + b"".join(b for *_, b in before) + body + b"".join(b for *_, b in after) + tail


def spz_payload(
    count: int,
    *,
    version: int = 2,
    degree: int = 0,
    bits: int = 12,
    flags: int = 0,
    columns: bytes | None = None,
    magic: bytes = b"NGSP",
) -> bytes:
    """Header and columns, not yet compressed; zeros where no columns are given."""
    width = {0: 0, 1: 9, 2: 24, 3: 45}.get(degree, 0)
    size = (6 if version == 1 else 9) + 1 + 3 + 3 + (4 if version == 3 else 3) + width
    head = magic + struct.pack("<IIBBBB", version, count, degree, bits, flags, 0)
    return head + (bytes(count * size) if columns is None else columns)


def gz(payload: bytes) -> bytes:
    return gzip.compress(payload, mtime=0)


def random_gaussians(count: int, degree: int, seed: int = 0, extent: float = 5.0) -> Gaussians:
    """Gaussians of every orientation, within what SPZ can hold."""
    rng = np.random.default_rng(seed)
    quats = rng.normal(size=(count, 4))
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    return Gaussians(
        rng.uniform(-extent, extent, (count, 3)).astype(np.float32),
        quats.astype(np.float32),
        np.exp(rng.uniform(-8, 1, (count, 3))).astype(np.float32),
        rng.uniform(0.01, 0.99, count).astype(np.float32),
        rng.uniform(-0.9, 0.9, (count, (degree + 1) ** 2, 3)).astype(np.float32),
    )


def rotation_matrices(quats: NDArray[np.floating]) -> NDArray[np.float64]:
    """[N, 3, 3] from unit quaternions wxyz: columns are the turned axes, by q·v·q*."""
    w, v = quats[:, 0].astype(np.float64), quats[:, 1:].astype(np.float64)
    axes = []
    for axis in np.eye(3):
        cross = np.cross(v, axis)
        axes.append(axis + 2 * (w[:, None] * cross + np.cross(v, cross)))
    return np.stack(axes, axis=2)


def covariances(gaussians: Gaussians) -> NDArray[np.float64]:
    """[N, 3, 3] R·diag(s²)·Rᵀ."""
    turned = rotation_matrices(gaussians.quats) * gaussians.scales.astype(np.float64)[:, None, :]
    return np.asarray(turned @ turned.transpose(0, 2, 1))
