"""Checksums of a guide's frames: its codec has none, and a damaged guide must not become a film."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FILE = "checks.npy"
COLUMNS = ("rgb", "depth", "mask")
Checks = NDArray[np.uint32]
"""[F, 3]: CRC-32 of each frame's raw bytes: RGB, little-endian depth levels, mask of 0 and 255."""


def check_of(frame: NDArray[Any]) -> int:
    """CRC-32 of a frame as its video gives it back."""
    return zlib.crc32(np.ascontiguousarray(frame).data)


def write_checks(folder: Path, checks: Checks) -> None:
    np.save(folder / FILE, np.asarray(checks, np.uint32).reshape(-1, len(COLUMNS)), allow_pickle=False)


def read_checks(folder: Path) -> Checks:
    """Raises OSError or ValueError where they are missing or damaged."""
    held = np.load(folder / FILE, allow_pickle=False)
    if held.dtype != np.uint32 or held.ndim != 2 or held.shape[1] != len(COLUMNS):
        raise ValueError("these are no checksums of a guide")
    return np.asarray(held)
