"""Reads a splat file, whichever kind it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import cast

from anix_cli.core.errors import fail

from .info import SplatFile
from .structure import kind_of, with_unit

_READERS = {
    "ply": ("ply", "read_ply"),
    "spz": ("spz", "read_spz"),
    "sog": ("sog", "read_sog"),
    "npz": ("npz", "read_npz"),
    "gltf": ("gltf", "read_gltf"),
    "ksplat": ("ksplat", "read_ksplat"),
    "usd": ("usd", "read_usd"),
    "splat": ("dot_splat", "read_splat"),
}


def read_splats(path: Path) -> SplatFile:
    """Reads a splat file whole, or the one that a folder stands for.

    Raises:
        AnixError: as ``probe``, and E316 where a package for its format is missing.
    """
    kind, file, _ = kind_of(Path(path))
    module, name = _READERS[kind]
    reader = cast(
        Callable[[Path], SplatFile], getattr(import_module(f".formats.{module}", __package__), name)
    )
    try:
        return _in_capture_unit(reader(file))
    except OSError as error:
        text = f"{file} cannot be read: {error.strerror or error}"
        raise fail("E302", text, file=file) from error


def _in_capture_unit(splats: SplatFile) -> SplatFile:
    """Enlarged by the unit that a file beside the scene tells."""
    info = with_unit(splats.info)
    if info is splats.info:
        return splats
    gaussians, notes, dropped = splats.gaussians, splats.notes, splats.dropped
    if info.unit != 1:
        import numpy as np

        from .formats.clean import dropped_note, without_giants

        unit = np.float32(info.unit)
        large = replace(gaussians, means=gaussians.means * unit, scales=gaussians.scales * unit)
        gaussians, beyond = without_giants(info.path, large)
        notes = (*notes, *dropped_note(info.path, beyond, info.count))
        dropped += beyond.total
    x, y, z = (value * info.unit for value in splats.offset)
    notes = (*notes, *info.notes[len(splats.info.notes) :])
    return SplatFile(gaussians, info, dropped, (x, y, z), notes)
