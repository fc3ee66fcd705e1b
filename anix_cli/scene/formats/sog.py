"""Decodes SOG, versions 1 and 2: see :mod:`.sog_structure` for the layout."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..info import SplatFile
from .archive import Archive, Bundle
from .clean import assemble, dropped_note, precision_note, sigmoid
from .faults import corrupt, damaged
from .sog_structure import PALETTE_ROW, SH_COEFFICIENTS, Coding, SogMeta, open_sog, walk_sog

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]

_OTHERS = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])
_FIRST_TAG = 252


def read_sog(path: Path) -> SplatFile:
    """Reads a SOG scene.

    Args:
        path: a zip archive or a meta.json with its pictures beside it.

    Raises:
        AnixError: as ``probe_sog``, and E307 or E311 where a picture cannot be unpacked.
    """
    archive = open_sog(path)
    try:
        info, meta = walk_sog(path, archive)
        pixels = {role: _pixels(path, archive, file) for role, file in meta.files.items()}
    finally:
        if isinstance(archive, Bundle):
            archive.close()
    count = meta.count
    colours, scales = pixels["sh0"][:count], pixels["scales"][:count]
    sh = np.empty((count, 1 + SH_COEFFICIENTS[meta.sh_degree], 3), np.float32)
    sh[:, 0] = _decode(meta.sh0, colours[:, :3])
    if meta.rest is not None:
        sh[:, 1:] = _harmonics(path, meta, pixels)
    if meta.version == 1:
        opacities = sigmoid(_decode(Coding(None, meta.sh0.mins[3:], meta.sh0.maxs[3:]), colours[:, 3:])[:, 0])
    else:
        opacities = _decode(Coding(None, (0.0,), (1.0,)), colours[:, 3:])[:, 0]
    with np.errstate(over="ignore"):
        gaussians, dropped = assemble(
            path,
            means=_means(meta, pixels["means_l"][:count], pixels["means_u"][:count]),
            quats=_quats(pixels["quats"][:count]),
            scales=np.exp(_decode(meta.scales, scales[:, :3])),
            opacities=opacities,
            sh=sh,
            antialiased=meta.antialiased,
        )
    notes = (*info.notes, *dropped_note(path, dropped, count), *precision_note(path, gaussians.means))
    return SplatFile(gaussians, info, dropped.total, notes=notes)


def _pixels(path: Path, archive: Archive, file: str) -> U8:
    """[pixels, 4] RGBA in reading order."""
    from PIL import Image

    data = archive.read(file)
    try:
        with Image.open(io.BytesIO(data), formats=("WEBP", "PNG")) as image:
            image.load()
            return np.asarray(image.convert("RGBA")).reshape(-1, 4)
    except Image.DecompressionBombError as error:
        raise damaged(path, f"“{file[:80]}” is a picture too large to unpack") from error
    except (OSError, ValueError, SyntaxError, EOFError, MemoryError) as error:
        raise corrupt(path, f"its picture “{file[:80]}” cannot be unpacked") from error


def _decode(coding: Coding, bytes_: U8) -> F32:
    """[N, channels] float32."""
    if coding.codebook is not None:
        return np.asarray(np.array(coding.codebook, np.float32)[bytes_])
    low, high = np.array(coding.mins), np.array(coding.maxs)
    channels = bytes_.shape[1]
    low, high = np.broadcast_to(low[:channels], channels), np.broadcast_to(high[:channels], channels)
    return np.asarray(low + (high - low) * (bytes_ / 255), dtype=np.float32)


def _means(meta: SogMeta, low: U8, high: U8) -> F32:
    means = np.empty((meta.count, 3), np.float32)
    share = np.arange(65536) / 65535
    for axis in range(3):
        first, last = meta.means.mins[axis], meta.means.maxs[axis]
        logs = first + (last - first) * share
        with np.errstate(over="ignore"):
            places = (np.sign(logs) * np.expm1(np.abs(logs))).astype(np.float32)
        means[:, axis] = places[low[:, axis].astype(np.uint16) | high[:, axis].astype(np.uint16) << 8]
    return means


def _quats(pixels: U8) -> F32:
    """Quaternions wxyz; zeros where the mark of the largest component is none."""
    three = ((pixels[:, :3] / np.float32(255) * 2 - 1) / np.sqrt(np.float32(2))).astype(np.float32)
    largest = np.maximum(pixels[:, 3].astype(np.intp) - _FIRST_TAG, 0)
    quats = np.empty((len(pixels), 4), np.float32)
    rows = np.arange(len(pixels))
    quats[rows, largest] = np.sqrt(np.maximum(0, 1 - np.einsum("ij,ij->i", three, three)))
    quats[rows[:, None], _OTHERS[largest]] = three
    quats[pixels[:, 3] < _FIRST_TAG] = 0
    return quats


def _harmonics(path: Path, meta: SogMeta, pixels: dict[str, U8]) -> F32:
    """[N, coefficients, 3]."""
    width = SH_COEFFICIENTS[meta.sh_degree]
    labels = pixels["labels"][: meta.count]
    index = labels[:, 0].astype(np.intp) | labels[:, 1].astype(np.intp) << 8
    if len(index) and int(index.max()) >= meta.palette:
        raise damaged(path, f"it names harmonics {int(index.max()):,} of a palette of {meta.palette:,}")
    entries = pixels["centroids"][:, :3].reshape(-1, PALETTE_ROW, width, 3).reshape(-1, width * 3)
    rest = meta.rest or Coding((0.0,) * 256)
    return np.asarray(_decode(rest, entries)[index].reshape(meta.count, width, 3))
