"""Decodes the triangles of glTF and GLB: see :mod:`.mesh_structure`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import fail

from .faults import damaged
from .gltf import values
from .gltf_structure import Accessor
from .mesh_structure import MAX_TRIANGLES, STRIP, TRIANGLES, Primitive, walk_mesh

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]


def read_triangles(path: Path) -> F64:
    """Corners [t, 3, 3] float64 of all triangles of a .glb or .gltf, placed as its nodes say.

    What is not finite is left out.

    Raises:
        AnixError: as ``walk_mesh``.
    """
    try:
        found = [_placed(path, part) for part in walk_mesh(path)]
    except OSError as error:
        raise fail("E302", f"{path} cannot be read: {error.strerror or error}", file=path) from error
    whole = np.concatenate(found)
    return np.asarray(whole[np.isfinite(whole).all(axis=(1, 2))])


def _placed(path: Path, part: Primitive) -> F64:
    points = values(part.corners).astype(np.float64)
    index = np.arange(len(points)) if part.indices is None else _integers(part.indices)
    if len(index) and index.max() >= len(points):
        raise damaged(path, "a triangle names a corner that is not there")
    corners = _corners(index, part.mode)
    if len(corners) > MAX_TRIANGLES:
        raise fail("E312", f"{path.name} has more than {MAX_TRIANGLES:,} triangles", file=path)
    world = np.array(part.world, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is left out
        return np.asarray((points @ world[:3, :3].T + world[:3, 3])[corners])


def _integers(accessor: Accessor) -> I64:
    """The numbers of the corners; as unsigned ones, which is all that glTF allows."""
    dtype = np.dtype("<u" + accessor.type[1])
    rows = np.ndarray((accessor.count,), dtype, accessor.bytes.read(), 0, (accessor.stride,))
    return rows.astype(np.int64)


def _corners(index: I64, mode: int) -> I64:
    """[t, 3] numbers of each triangle's corners."""
    if mode == TRIANGLES:
        return np.asarray(index[: len(index) // 3 * 3].reshape(-1, 3))
    first = index[:-2] if mode == STRIP else np.full(len(index) - 2, index[0])
    return np.stack([first, index[1:-1], index[2:]], axis=1)
