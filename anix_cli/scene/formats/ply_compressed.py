"""SuperSplat's compressed PLY: 256 Gaussians a chunk, four 32-bit words a Gaussian.

Layout as PlayCanvas documents it (developer.playcanvas.com, "The Compressed PLY Format") and as its tools
write it. Element ``chunk``: bounds of positions, of log-scales and, in files of 18 columns, of colours; in
older files of 12 columns colours are plain bytes. Element ``vertex``: position and scale as 11, 10 and 11
bits between the bounds, high bits first; colour and opacity as four bytes, red highest; rotation as 2 bits
for the largest of wxyz and three times 10 bits of ±√½ for the others. Optional element ``sh``: f_rest as
bytes, channel-major, ``(byte + ½)/256`` (0 and 255: 0 and 1) of the range ±4.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..info import SplatFile
from .clean import assemble, dropped_note, precision_note
from .ply_rows import element_rows
from .ply_structure import CHUNK_BOUNDS, CHUNK_COLOURS, CHUNK_ROWS, CHUNK_SCALES, PACKED, PlyFile

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
U32 = NDArray[np.uint32]

SH_C0 = 0.28209479177387814
"""Y₀₀: what one unit of f_dc adds to a colour."""

_OTHERS = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])


def read_compressed(stream: BinaryIO, path: Path, file: PlyFile) -> SplatFile:
    """Decodes a compressed PLY whose structure was found sound."""
    header, info = file.header, file.info
    chunk_at, sh_at = header.find("chunk") or 0, header.find("sh")
    chunk = header.elements[chunk_at]
    bounds = list(element_rows(stream, header, chunk_at, path))
    coloured = set(CHUNK_COLOURS) <= set(chunk.names)

    def limits(names: tuple[str, ...]) -> F64:
        """[chunks, 2, 3] least and largest."""
        return np.concatenate([rows.pick(names, "f8") for rows in bounds]).reshape(-1, 2, 3)

    places, sizes = limits(CHUNK_BOUNDS), limits(CHUNK_SCALES)
    shades = limits(CHUNK_COLOURS) if coloured else None
    count = info.count
    means, scales, quats = (np.empty((count, width), np.float32) for width in (3, 3, 4))
    opacities = np.empty(count, np.float32)
    sh = np.zeros((count, (info.sh_degree + 1) ** 2, 3), np.float32)
    at = 0
    for rows in element_rows(stream, header, file.vertex, path):
        words = np.stack([rows.pick((name,), "u4")[:, 0] for name in PACKED])
        piece = slice(at, at + len(rows))
        of = np.arange(at, at + len(rows)) // CHUNK_ROWS
        with np.errstate(all="ignore"):
            means[piece] = _between(places[of], _unpack_11_10_11(words[0]))
            scales[piece] = np.exp(_between(sizes[of], _unpack_11_10_11(words[2])))
            quats[piece] = _unpack_rotation(words[1])
            rgba = (
                np.stack([words[3] >> np.uint32(24 - 8 * i) & np.uint32(255) for i in range(4)], axis=1) / 255
            )
            colours = rgba[:, :3] if shades is None else _between(shades[of], rgba[:, :3])
            sh[piece, 0] = (colours - 0.5) / SH_C0
            opacities[piece] = rgba[:, 3]
        at += len(rows)
    if sh_at is not None and sh.shape[1] > 1:
        _fill_rest(stream, path, file, sh_at, sh)
    gaussians, dropped = assemble(
        path,
        means=means,
        quats=quats,
        scales=scales,
        opacities=opacities,
        sh=sh,
        antialiased=info.antialiased,
    )
    notes = (*info.notes, *dropped_note(path, dropped, count), *precision_note(path, gaussians.means))
    return SplatFile(gaussians, info, dropped.total, notes=notes)


def _fill_rest(stream: BinaryIO, path: Path, file: PlyFile, sh_at: int, sh: F32) -> None:
    byte = np.arange(256)
    share = np.where(byte == 0, 0.0, np.where(byte == 255, 1.0, (byte + 0.5) / 256))
    table = ((share - 0.5) * 8).astype(np.float32)
    names = [f"f_rest_{i}" for i in range(file.rest)]
    at, width = 0, sh.shape[1] - 1
    for rows in element_rows(stream, file.header, sh_at, path):
        values = table[rows.pick(names, "u1")].reshape(len(rows), 3, file.rest // 3)
        sh[at : at + len(rows), 1:] = values[:, :, :width].transpose(0, 2, 1)
        at += len(rows)


def _between(limits: F64, share: F64) -> F64:
    return limits[:, 0] * (1 - share) + limits[:, 1] * share


def _unpack_11_10_11(words: U32) -> F64:
    high, middle, low = (
        words >> np.uint32(21),
        words >> np.uint32(11) & np.uint32(1023),
        words & np.uint32(2047),
    )
    return np.stack([high / 2047, middle / 1023, low / 2047], axis=1)


def _unpack_rotation(words: U32) -> F64:
    """Quaternions wxyz."""
    fields = np.stack([words >> np.uint32(shift) & np.uint32(1023) for shift in (20, 10, 0)], axis=1)
    three = (fields / 1023 - 0.5) * np.sqrt(2)
    largest = (words >> np.uint32(30)).astype(np.intp)
    quats = np.empty((len(words), 4))
    rows = np.arange(len(words))
    quats[rows, largest] = np.sqrt(np.maximum(0, 1 - np.einsum("ij,ij->i", three, three)))
    quats[rows[:, None], _OTHERS[largest]] = three
    return quats
