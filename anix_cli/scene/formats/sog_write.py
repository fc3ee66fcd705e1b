"""Writes SOG version 2 in one archive; the layout is described in ``sog_structure``."""

from __future__ import annotations

import io
import json
import math
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from anix_cli import __version__
from anix_cli.core.errors import Diagnostic
from anix_cli.core.gaussians import Gaussians

from .codebook import line_codebook, row_palette
from .fit import check_finite, check_steps
from .sog_structure import PALETTE_ROW

U8 = NDArray[np.uint8]
F32 = NDArray[np.float32]

_LARGEST_PALETTE = 64
_FIRST_TAG = 252
_LEAST_WEIGHT = 0.02
_OTHERS = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])


def write_sog(
    target: Path | BinaryIO, gaussians: Gaussians, *, sh_degree: int | None = None, reorder: bool = True
) -> tuple[Diagnostic, ...]:
    """Writes Gaussians as a bundled SOG; the same Gaussians give the same bytes.

    Positions are rounded to 1/65,535 of the scene in ``sign(x)·ln(1 + |x|)``, opacities to 1/255, rotations
    to 8 bits a component; sizes, colours and coefficients of harmonics to the nearest of 256 numbers chosen
    for the scene, harmonics to the nearest of at most 65,536 sets.

    Args:
        gaussians: in the frame that the file is to have: −Y up, which readers take SOG to be.
        sh_degree: highest degree to keep, at most that of ``gaussians``, which is the default.
        reorder: neighbours in space follow each other, which makes the file smaller.

    Returns:
        W322, where positions are coarser than the Gaussians.

    Raises:
        AnixError: E314, where they are so coarse that nothing could be made out, or no reader could use them.
    """
    check_finite(gaussians)
    degree = gaussians.sh_degree if sh_degree is None else min(sh_degree, gaussians.sh_degree)
    low, high, step = _bounds(gaussians.means)
    # A step in ln(1 + |x|) is one of 1 + |x| times as much in x.
    notes = check_steps(gaussians, "SOG", ((1 + np.abs(gaussians.means)) * step).max(axis=1))
    places = np.floor((_logs(gaussians.means) - low) / step + 0.5).astype(np.uint16)
    if reorder:
        order = np.argsort(_morton(places), kind="stable")
        gaussians, places = gaussians.take(order), places[order]
    wide = np.maximum(gaussians.scales.astype(np.float64), 1e-30)
    sizes, size_of = line_codebook(np.log(wide), _weights(wide))
    # An error shows over as much of a picture as the Gaussian covers.
    cover = _weights(np.sqrt(wide.prod(axis=1) / wide.min(axis=1) * gaussians.opacities))
    shades, shade_of = line_codebook(gaussians.sh[:, 0], np.repeat(cover[:, None], 3, axis=1))
    alpha = np.floor(gaussians.opacities.astype(np.float64) * 255 + 0.5)
    files = {
        "means_l.webp": _picture((places & 255).astype(np.uint8)),
        "means_u.webp": _picture((places >> 8).astype(np.uint8)),
        "scales.webp": _picture(size_of.astype(np.uint8)),
        "quats.webp": _picture(_rotations(gaussians.quats)),
        "sh0.webp": _picture(
            np.concatenate([shade_of.astype(np.uint8), alpha.astype(np.uint8)[:, None]], axis=1)
        ),
    }
    meta: dict[str, Any] = {
        "version": 2,
        "asset": {"generator": f"anix {__version__}"},
        "count": len(gaussians),
        "antialias": gaussians.antialiased,
        "means": {
            "mins": _numbers(low), "maxs": _numbers(high), "files": ["means_l.webp", "means_u.webp"],
        },
        "scales": {"codebook": _numbers(sizes), "files": ["scales.webp"]},
        "quats": {"files": ["quats.webp"]},
        "sh0": {"codebook": _numbers(shades), "files": ["sh0.webp"]},
    }  # fmt: skip
    if degree:
        meta["shN"], more = _harmonics(gaussians.sh[:, 1 : (degree + 1) ** 2], degree)
        files.update(more)
    _bundle(target, meta, files)
    return notes


def _weights(importance: NDArray[np.floating]) -> NDArray[np.float64]:
    """Relative to the mean, and never nothing: what is small may be seen from near."""
    return np.asarray(importance / max(float(importance.mean()), 1e-30) + _LEAST_WEIGHT)


def _logs(means: F32) -> NDArray[np.float64]:
    wide = means.astype(np.float64)
    return np.asarray(np.sign(wide) * np.log1p(np.abs(wide)))


def _bounds(means: F32) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """(lower, upper corner, step), [3] each, of the logarithms."""
    logs = _logs(means)
    low, high = logs.min(axis=0), logs.max(axis=0)
    return low, high, np.where(high > low, high - low, 1.0) / 65535


def _morton(places: NDArray[np.uint16]) -> NDArray[np.uint64]:
    """Bits of x, y and z in turn (Morton 1966)."""
    code = np.zeros(len(places), np.uint64)
    for axis in range(3):
        bits = places[:, axis].astype(np.uint64)
        for shift, mask in ((32, 0x1F00000000FFFF), (16, 0x1F0000FF0000FF), (8, 0x100F00F00F00F00F),
                            (4, 0x10C30C30C30C30C3), (2, 0x1249249249249249)):  # fmt: skip
            bits = (bits | bits << np.uint64(shift)) & np.uint64(mask)
        code |= bits << np.uint64(axis)
    return code


def _rotations(quats: F32) -> U8:
    """RGB: the three smaller of wxyz with the largest positive, between ∓√½; alpha: which is the largest."""
    unit = quats.astype(np.float64)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    largest, rows = np.argmax(np.abs(unit), axis=1), np.arange(len(unit))
    unit = np.where(unit[rows, largest][:, None] < 0, -unit, unit)
    three = unit[rows[:, None], _OTHERS[largest]] * np.sqrt(2) * 127.5 + 127.5
    pixels = np.empty((len(unit), 4), np.uint8)
    pixels[:, :3] = np.clip(np.floor(three + 0.5), 0, 255)
    pixels[:, 3] = _FIRST_TAG + largest
    return pixels


def _harmonics(rest: F32, degree: int) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The section of meta.json, and its two pictures."""
    width = rest.shape[1]
    palette, labels = row_palette(np.ascontiguousarray(rest.reshape(len(rest), -1)), _palette_size(len(rest)))
    book, index = line_codebook(palette)
    lines = -(-len(palette) // PALETTE_ROW)
    centroids = np.zeros((lines * PALETTE_ROW, width, 3), np.uint8)
    centroids[: len(palette)] = index.reshape(len(palette), width, 3)
    named = np.stack([labels & 255, labels >> 8, np.zeros_like(labels)], axis=1).astype(np.uint8)
    section = {
        "count": len(palette), "bands": degree, "codebook": _numbers(book),
        "files": ["shN_centroids.webp", "shN_labels.webp"],
    }  # fmt: skip
    files = {
        "shN_centroids.webp": _webp(centroids.reshape(lines, PALETTE_ROW * width, 3)),
        "shN_labels.webp": _picture(named),
    }
    return section, files


def _palette_size(count: int) -> int:
    """A quarter of the Gaussians or more, as 2ᵏ·1024, up to 65,536; all of a small scene."""
    return 1024 * min(_LARGEST_PALETTE, 1 << max(0, math.ceil(math.log2(max(count, 1) / 1024))))


def _picture(rows: U8) -> bytes:
    """Rows [n, 3 or 4] as the pixels of a nearly square picture, in reading order; zeros fill it up."""
    width = 4 * int(np.ceil(np.sqrt(max(len(rows), 1)) / 4))
    height = -(-len(rows) // width)
    pixels = np.zeros((width * height, rows.shape[1]), np.uint8)
    pixels[: len(rows)] = rows
    return _webp(pixels.reshape(height, width, -1))


def _webp(pixels: U8) -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    # exact: colours of transparent pixels are data here.
    Image.fromarray(pixels).save(buffer, format="WEBP", lossless=True, exact=True, quality=60, method=4)
    return buffer.getvalue()


def _numbers(values: NDArray[np.floating]) -> list[float]:
    return [float(f"{value:.9g}") for value in values]


def _bundle(target: Path | BinaryIO, meta: dict[str, Any], files: dict[str, bytes]) -> None:
    """Stored, as the pictures are compressed, and without times, so that equal scenes are equal files."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as bundle:
        for name, data in {"meta.json": json.dumps(meta).encode(), **files}.items():
            bundle.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)
