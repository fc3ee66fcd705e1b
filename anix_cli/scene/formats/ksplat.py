"""Decodes .ksplat, levels 0 to 2: see :mod:`.ksplat_structure` for the layout."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..info import SplatFile
from .clean import assemble, dropped_note, precision_note
from .faults import damaged
from .ksplat_structure import SH_NUMBERS, Ksplat, Section, walk_ksplat
from .ply_compressed import SH_C0

F32 = NDArray[np.float32]

_PLACE = ("<f4", "<u2", "<u2")
_NUMBER = ("<f4", "<f2", "<f2")
_HARMONIC = ("<f4", "<f2", "u1")


def read_ksplat(path: Path) -> SplatFile:
    """Reads a .ksplat file.

    Raises:
        AnixError: as ``walk_ksplat``, and E307 where the buckets do not hold all rows.
    """
    with path.open("rb") as stream:
        file = walk_ksplat(stream, path, path.stat().st_size)
        count, width = file.info.count, (file.info.sh_degree + 1) ** 2
        means, scales, quats = (np.empty((count, columns), np.float32) for columns in (3, 3, 4))
        rgba = np.empty((count, 4), np.float32)
        sh = np.zeros((count, width, 3), np.float32)
        at = 0
        for section in file.sections:
            piece = slice(at, at + section.count)
            at += section.count
            if not section.count:
                continue
            rows = _rows(stream, file, section)
            means[piece] = _means(stream, path, file, section, rows)
            scales[piece], quats[piece] = rows["scales"], rows["quats"]
            rgba[piece] = rows["rgba"] / np.float32(255)
            if section.sh_degree:
                sh[piece, 1 : (section.sh_degree + 1) ** 2] = _harmonics(file, rows["sh"])
    sh[:, 0] = (rgba[:, :3] - 0.5) / SH_C0
    gaussians, dropped = assemble(
        path, means=means, quats=quats, scales=scales, opacities=rgba[:, 3], sh=sh, antialiased=False
    )
    notes = (*file.info.notes, *dropped_note(path, dropped, count), *precision_note(path, gaussians.means))
    return SplatFile(gaussians, file.info, dropped.total, notes=notes)


def _rows(stream: BinaryIO, file: Ksplat, section: Section) -> NDArray[Any]:
    level = file.level
    layout = np.dtype(
        [
            ("means", _PLACE[level], 3),
            ("scales", _NUMBER[level], 3),
            ("quats", _NUMBER[level], 4),
            ("rgba", "u1", 4),
            ("sh", _HARMONIC[level], SH_NUMBERS[section.sh_degree]),
        ]
    )
    stream.seek(section.rows)
    return np.frombuffer(stream.read(section.count * section.row_size), layout)


def _means(stream: BinaryIO, path: Path, file: Ksplat, section: Section, rows: NDArray[Any]) -> F32:
    if file.level == 0:
        return np.asarray(rows["means"], dtype=np.float32)
    stream.seek(section.buckets)
    lengths = np.full(section.full_buckets + section.partial_buckets, section.bucket_size, np.int64)
    lengths[section.full_buckets :] = np.frombuffer(stream.read(4 * section.partial_buckets), "<u4")
    ends = np.cumsum(lengths)
    if not len(ends) or ends[-1] < section.count:
        raise damaged(path, f"its buckets do not hold its {section.count:,} Gaussians")
    bucket = np.searchsorted(ends, np.arange(section.count), side="right")
    data = np.frombuffer(stream.read(section.bucket_bytes * section.bucket_count), np.uint8)
    centres = np.ascontiguousarray(data.reshape(section.bucket_count, section.bucket_bytes)[:, :12]).view(
        "<f4"
    )
    with np.errstate(all="ignore"):
        near = (rows["means"].astype(np.float64) - section.zero) * section.step
        return np.asarray(near + centres[bucket], dtype=np.float32)


def _harmonics(file: Ksplat, values: NDArray[Any]) -> F32:
    """[N, coefficients above 0, 3]; within each degree the file has all of red, then green, then blue."""
    numbers = values.astype(np.float32)
    if file.level == 2:
        low, high = file.sh_range
        numbers = np.float32(low) + numbers / np.float32(255) * np.float32(high - low)
    bands, at = [], 0
    for width in (3, 5, 7):
        if at == numbers.shape[1]:
            break
        band = numbers[:, at : at + 3 * width].reshape(-1, 3, width)
        bands.append(band.transpose(0, 2, 1))
        at += 3 * width
    return np.concatenate(bands, axis=1)
