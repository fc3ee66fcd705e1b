"""Writes SPZ version 2, 3 or 4; the layout is described in ``spz_structure``."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import Diagnostic, fail
from anix_cli.core.gaussians import Gaussians

from .fit import CLOSER, check_finite, check_steps, out_of_range
from .spz import COLOUR_SCALE, SQRT_HALF
from .spz_structure import FLAG_ANTIALIASED, HEADER, HEADER_4, MAGIC, TOC_ENTRY

U8 = NDArray[np.uint8]

_SMALLEST_SCALE, _LARGEST_SCALE = float(np.exp(-10)), float(np.exp(255 / 16 - 10))
_HALF_STEP = float(np.exp(1 / 32))
_MIDDLE = np.float32(0.5 / 128)
"""Bytes of harmonics reach from −1 to 1 − 1/128, and each half a step further."""
_FEW = 0.01
_POSITION_LIMIT = 2**23 - 1
_USUAL_BITS = 12
_STEPS_PER_EXTENT = 16
_ZSTD_LEVEL = 12


def write_spz(
    target: Path | BinaryIO,
    gaussians: Gaussians,
    *,
    antialiased: bool | None = None,
    sh_degree: int | None = None,
    version: int = 3,
    sh_bits: tuple[int, int] = (8, 8),
) -> tuple[Diagnostic, ...]:
    """Writes Gaussians as SPZ; the same Gaussians give the same bytes.

    Positions get 12 fractional bits (0.24 mm at one metre a unit) as in the reference writer, more where the
    scene is small, fewer where it is large.

    Returns:
        What SPZ could not hold: W321 sizes, colours and harmonics that were cut, W322 coarse positions.

    Args:
        gaussians: in the frame that the file is to have: +Y up, which readers take SPZ to be.
        antialiased: the file's flag; that of ``gaussians`` where None.
        sh_degree: highest degree to keep, at most that of ``gaussians``, which is the default.
        version: 2 (8-bit quaternions), 3 (10-bit, the largest left out), or 4 (as 3, with Zstandard).
        sh_bits: bits kept of each SH coefficient of degree 1, and of degrees above; fewer compress better.

    Raises:
        AnixError: E314, a position is out of the format's range, or more than a few sizes are, or positions
            would be too coarse to make anything out; E316, version 4 without the package zstandard.
    """
    if version not in {2, 3, 4}:
        raise ValueError(f"SPZ version {version}; written are 2, 3 and 4")
    degree = gaussians.sh_degree if sh_degree is None else min(sh_degree, gaussians.sh_degree)
    flag = gaussians.antialiased if antialiased is None else antialiased
    check_finite(gaussians)
    bits = _fractional_bits(gaussians)
    notes = (*_cut(gaussians, degree), *check_steps(gaussians, "SPZ", 2.0**-bits))
    flags = FLAG_ANTIALIASED if flag else 0
    numbers = (MAGIC, version, len(gaussians), degree, bits, flags)
    quats = gaussians.quats.astype(np.float64)
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    columns = [
        _fixed_point(gaussians.means, bits),
        _byte(gaussians.opacities * 255.0),
        _byte((gaussians.sh[:, 0].astype(np.float64) * COLOUR_SCALE + 0.5) * 255),
        _byte((np.log(np.maximum(gaussians.scales.astype(np.float64), 1e-30)) + 10) * 16),
        _first_three(quats) if version == 2 else _smallest_three(quats),
        *_rest(gaussians.sh, degree, sh_bits),
    ]
    data = _zstandard(numbers, columns) if version == 4 else _gzip(HEADER.pack(*numbers, 0), columns)
    if isinstance(target, Path):
        target.write_bytes(data)
    else:
        target.write(data)
    return notes


def _gzip(header: bytes, columns: list[U8]) -> bytes:
    # No name and no time in the gzip header, so that equal scenes are equal files.
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=0) as stream:
        stream.write(header + b"".join(column.tobytes() for column in columns))
    return buffer.getvalue()


def _zstandard(numbers: tuple[int, ...], columns: list[U8]) -> bytes:
    """Header, table of contents, and each column for itself (SPZ version 4)."""
    try:
        import zstandard
    except ImportError as error:
        raise fail(
            "E316",
            "SPZ version 4 is compressed by the Python package zstandard, which is missing",
            hint="Install it: pip install zstandard. Or write version 3.",
        ) from error
    compress = zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True).compress
    packed = [compress(column.tobytes()) for column in columns]
    toc = b"".join(
        TOC_ENTRY.pack(len(data), column.nbytes) for data, column in zip(packed, columns, strict=True)
    )
    return HEADER_4.pack(*numbers, len(columns), HEADER_4.size) + toc + b"".join(packed)


def _byte(values: NDArray[np.floating]) -> U8:
    """Nearest byte; halves go up, so that equal inputs never depend on their neighbours' parity."""
    return np.asarray(np.clip(np.floor(values + 0.5), 0, 255), dtype=np.uint8)


def _fractional_bits(gaussians: Gaussians) -> int:
    """Fractional bits that hold every position and give the scene at least 2¹⁶ steps.

    Raises:
        AnixError: E314.
    """
    reach = float(np.abs(gaussians.means).max()) if len(gaussians) else 1.0
    if reach > _POSITION_LIMIT:
        text = f"a Gaussian lies {reach:,.0f} units from the origin; SPZ reaches {_POSITION_LIMIT:,}"
        raise out_of_range(text, CLOSER)
    most = int(np.floor(np.log2(_POSITION_LIMIT / max(reach, 1e-30))))
    wanted = max(_USUAL_BITS, int(np.ceil(_STEPS_PER_EXTENT - np.log2(max(reach, 1e-30)))))
    return max(0, min(most, wanted, 24))


def _cut(gaussians: Gaussians, degree: int) -> tuple[Diagnostic, ...]:
    """W321 with how many Gaussians have something that SPZ cuts.

    Raises:
        AnixError: E314, many are larger than SPZ can say.
    """
    count = len(gaussians)
    large = int((gaussians.scales > _LARGEST_SCALE * _HALF_STEP).any(axis=1).sum())
    if large > _FEW * count:
        raise out_of_range(
            f"{large:,} of {count:,} Gaussians are too large for SPZ, which reaches {_LARGEST_SCALE:,.0f} "
            f"units; the largest is {float(gaussians.scales.max()):,.0f}",
            "Make the scene smaller (--scale), leave the large ones out (--crop), or write PLY.",
        )
    small = int((gaussians.scales < _SMALLEST_SCALE / _HALF_STEP).any(axis=1).sum())
    bright = int((np.abs(gaussians.sh[:, 0]) > (0.5 + 0.5 / 255) / COLOUR_SCALE).any(axis=1).sum())
    strong = int((np.abs(gaussians.sh[:, 1 : (degree + 1) ** 2] + _MIDDLE) > 1).any(axis=(1, 2)).sum())
    found = [
        f"{number:,} {what}"
        for number, what in (
            (small, f"with sizes below {_SMALLEST_SCALE:.2g} units"),
            (large, f"with sizes above {_LARGEST_SCALE:.0f} units"),
            (bright, f"with colours beyond ±{0.5 / COLOUR_SCALE:.2f} (f_dc)"),
            (strong, "with harmonics beyond ±1"),
        )
        if number
    ]
    if not found:
        return ()
    text = f"SPZ cuts values of some of the {count:,} Gaussians to what it can hold: {', '.join(found)}"
    return (Diagnostic("W321", text, hint="Write PLY or SOG to keep them."),)


def _fixed_point(means: NDArray[np.float32], bits: int) -> U8:
    fixed = np.floor(means.astype(np.float64) * 2.0**bits + 0.5).astype(np.int64)
    fixed = np.clip(fixed, -_POSITION_LIMIT - 1, _POSITION_LIMIT).astype("<i4")
    return np.ascontiguousarray(fixed.reshape(-1, 1).view(np.uint8).reshape(-1, 4)[:, :3])


def _first_three(quats: NDArray[np.float64]) -> U8:
    """xyz of wxyz in 8 bits each, with the sign chosen so that w ≥ 0."""
    signed = np.where(quats[:, :1] < 0, -quats, quats)
    return _byte(signed[:, 1:] * 127.5 + 127.5)


def _smallest_three(quats: NDArray[np.float64]) -> U8:
    """Index of the largest of xyzw, then the others in sign and 9 bits of their share of √½."""
    xyzw = quats[:, [1, 2, 3, 0]]
    largest = np.argmax(np.abs(xyzw), axis=1)
    rows = np.arange(len(xyzw))
    xyzw = np.where(xyzw[rows, largest][:, None] < 0, -xyzw, xyzw)
    packed = largest.astype(np.uint32)
    others = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])[largest]
    for i in range(3):
        value = xyzw[rows, others[:, i]]
        size = np.minimum(np.floor(511 * np.abs(value) / SQRT_HALF + 0.5), 511).astype(np.uint32)
        packed = packed << 10 | (value < 0).astype(np.uint32) << 9 | size
    return np.asarray(packed, dtype="<u4").view(np.uint8)


def _rest(sh: NDArray[np.float32], degree: int, sh_bits: tuple[int, int]) -> list[U8]:
    """Coefficients of degree 1 and above in 8 bits, rounded to multiples of 2^(8 − bits)."""
    if degree == 0:
        return []
    values = sh[:, 1 : (degree + 1) ** 2].astype(np.float64) * 128 + 128
    step = np.full((values.shape[1], 1), float(1 << (8 - sh_bits[1])))
    step[:3] = float(1 << (8 - sh_bits[0]))
    return [np.clip(np.floor((values + step / 2) / step) * step, 0, 255).astype(np.uint8)]
