"""Reads SPZ versions 1 to 4: see :mod:`.spz_structure` for the layout."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import fail

from ..info import SplatFile, SplatInfo
from .clean import assemble, dropped_note
from .faults import corrupt
from .spz_structure import SH_WIDTH, SpzHeader, walk_spz, walk_spz4

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]

COLOUR_SCALE = 0.15
SQRT_HALF = float(np.sqrt(0.5))


def read_spz(path: Path) -> SplatFile:
    """Reads an SPZ file of version 1 to 4.

    Raises:
        AnixError: as ``probe_spz``; for version 4 also E311, and E316 where no Zstandard is installed.
    """
    with path.open("rb") as stream:
        return decode_spz(stream, path, path.stat().st_size)


def decode_spz(stream: BinaryIO, path: Path, size: int) -> SplatFile:
    """The same of a stream of ``size`` bytes that stands at its start."""
    start = stream.read(4)
    stream.seek(0)
    if start == b"NGSP":
        info, header, places = walk_spz4(stream, path, size)
        columns = _columns_4(stream, path, header, places)
    else:
        info, header, body = walk_spz(stream, path, size, keep=True)
        columns = _columns(body, header)
    return _decode(path, info, header, columns)


def _columns(body: bytearray, header: SpzHeader) -> list[U8]:
    columns, at = [], 0
    for size in header.row_sizes:
        flat = np.frombuffer(body, np.uint8, header.count * size, at)
        columns.append(flat.reshape(header.count, size))
        at += header.count * size
    return columns


def _columns_4(stream: BinaryIO, path: Path, header: SpzHeader, places: list[tuple[int, int]]) -> list[U8]:
    columns, left = [], list(places)
    for size in header.row_sizes:
        if size == 0:
            columns.append(np.empty((header.count, 0), np.uint8))
            continue
        at, packed = left.pop(0)
        stream.seek(at)
        data = _unzstd(stream.read(packed), header.count * size, path)
        columns.append(np.frombuffer(data, np.uint8).reshape(header.count, size))
    return columns


def _unzstd(data: bytes, size: int, path: Path) -> bytes:
    """Decompresses what has to become ``size`` bytes; memory is bounded by it, whatever the data say."""
    try:
        import zstandard
    except ImportError as error:
        raise fail(
            "E316",
            f"{path.name} is SPZ version 4, for which the Python package zstandard is missing",
            file=path,
            hint="Install it: pip install zstandard. Or export the scene as PLY.",
        ) from error
    try:
        unpack = zstandard.ZstdDecompressor(max_window_size=1 << 27)
        with unpack.stream_reader(data, read_across_frames=True) as reader:
            full = reader.read(size)
            more = reader.read(1)
    except (zstandard.ZstdError, MemoryError) as error:
        raise corrupt(path) from error
    if len(full) != size or more:
        raise corrupt(path, f"a column unpacks to {len(full):,} bytes or more where it takes {size:,}")
    return bytes(full)


def _decode(path: Path, info: SplatInfo, header: SpzHeader, columns: list[U8]) -> SplatFile:
    positions, alphas, colours, scales, rotations, rest = columns
    byte = np.arange(256, dtype=np.float64)
    width = SH_WIDTH[info.sh_degree]
    sh = np.empty((header.count, width, 3), np.float32)
    sh[:, 0] = _table((byte / 255 - 0.5) / COLOUR_SCALE)[colours]
    if width > 1:
        sh[:, 1:] = _table((byte - 128) / 128)[rest[:, : 3 * (width - 1)]].reshape(header.count, -1, 3)
    gaussians, dropped = assemble(
        path,
        means=_means(positions, header),
        quats=_largest_left_out(rotations) if header.version >= 3 else _w_left_out(rotations),
        scales=_table(np.exp(byte / 16 - 10))[scales],
        opacities=_table(byte / 255)[alphas[:, 0]],
        sh=sh,
        antialiased=info.antialiased,
    )
    return SplatFile(
        gaussians, info, dropped.total, notes=(*info.notes, *dropped_note(path, dropped, header.count))
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
