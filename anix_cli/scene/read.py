"""Reads a splat file, whichever kind it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .info import SplatFile
from .ply import read_ply
from .spz import read_spz
from .structure import kind_of


def read_splats(path: Path) -> SplatFile:
    """Reads a splat file whole.

    Raises:
        AnixError: as ``probe``.
    """
    path = Path(path)
    readers: dict[str, Callable[[Path], SplatFile]] = {"ply": read_ply, "spz": read_spz}
    return readers[kind_of(path)[0]](path)
