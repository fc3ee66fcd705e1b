"""Reads SPZ versions 1 to 3: see :mod:`.spz_structure` for the layout."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .clean import assemble, dropped_note
from .info import SplatFile
from .spz_structure import SH_WIDTH, SpzHeader, walk_spz

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]

COLOUR_SCALE = 0.15
SQRT_HALF = float(np.sqrt(0.5))


def read_spz(path: Path) -> SplatFile:
    """Reads an SPZ file of version 1, 2 or 3.

    Raises:
        AnixError: as ``probe_spz``.
    """
    with path.open("rb") as stream:
        info, header, body = walk_spz(stream, path, path.stat().st_size, keep=True)
    columns, at = [], 0
    for size in header.row_sizes:
        flat = np.frombuffer(body, np.uint8, header.count * size, at)
        columns.append(flat.reshape(header.count, size))
        at += header.count * size
    positions, alphas, colours, scales, rotations, rest = columns
    byte = np.arange(256, dtype=np.float64)
    sh = np.empty((header.count, SH_WIDTH[header.sh_degree], 3), np.float32)
    sh[:, 0] = _table((byte / 255 - 0.5) / COLOUR_SCALE)[colours]
    if rest.shape[1]:
        sh[:, 1:] = _table((byte - 128) / 128)[rest].reshape(header.count, -1, 3)
    gaussians, dropped = assemble(
        path,
        means=_means(positions, header),
        quats=_largest_left_out(rotations) if header.version == 3 else _w_left_out(rotations),
        scales=_table(np.exp(byte / 16 - 10))[scales],
        opacities=_table(byte / 255)[alphas[:, 0]],
        sh=sh,
        antialiased=info.antialiased,
    )
    return SplatFile(
        gaussians, info, dropped, notes=(*info.notes, *dropped_note(path, dropped, header.count))
    )


def _table(values: NDArray[np.float64]) -> F32:
    return values.astype(np.float32)


def _means(positions: U8, header: SpzHeader) -> F32:
    if header.version == 1:
        return np.ascontiguousarray(positions).view("<f2").astype(np.float32)
    low, middle, high = (positions[:, i::3].astype(np.uint32) for i in range(3))
    # Shifted to the top of 32 bits and back, so that the sign of the 24-bit number is kept.
    fixed = ((low << 8 | middle << 16 | high << 24).view(np.int32)) >> 8
    return fixed.astype(np.float32) * np.float32(2.0**-header.fractional_bits)


def _w_left_out(rotations: U8) -> F32:
    """Quaternions wxyz of versions 1 and 2: xyz in 8 bits each, w ≥ 0 derived."""
    xyz = _table(np.arange(256) / 127.5 - 1)[rotations]
    w = np.sqrt(np.maximum(0, 1 - np.einsum("ij,ij->i", xyz, xyz)))
    return np.concatenate([w[:, None], xyz], axis=1)


def _largest_left_out(rotations: U8) -> F32:
    """Quaternions wxyz of version 3: the three smaller of xyzw in sign and 9 bits, the largest derived."""
    packed = np.ascontiguousarray(rotations).view("<u4")[:, 0]
    largest = (packed >> 30).astype(np.intp)
    values = np.empty((len(packed), 3), np.float32)
    for i, shift in enumerate((20, 10, 0)):
        field = packed >> np.uint32(shift)
        size = (field & 511).astype(np.float32) * np.float32(SQRT_HALF / 511)
        values[:, i] = np.where(field & 512, -size, size)
    derived = np.sqrt(np.maximum(0, 1 - np.einsum("ij,ij->i", values, values)))
    xyzw = np.empty((len(packed), 4), np.float32)
    others = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])[largest]
    rows = np.arange(len(packed))
    xyzw[rows, largest] = derived
    xyzw[rows[:, None], others] = values
    return xyzw[:, [3, 0, 1, 2]]
