"""Packed scenes: Gaussians sorted by place and laid out for the rasteriser, once for many pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.gaussians import Gaussians
from .layout import ALPHA_CUT, BLOCK, BOUNDS, GROUPS, LANES
from .scratch import Scratch
from .threads import in_threads

F32 = NDArray[np.float32]

PACK_VERSION = 1
"""Raised when the same Gaussians are packed otherwise: part of the key of what is stored."""

# Gaussians above so many times the median size lie in blocks of their own: one giant would make the bounds of
# its whole block useless.
_LARGE = 6.0
_JOB_BLOCKS = 64
_META = "packed.json"


@dataclass(frozen=True)
class PackedScene:
    """Gaussians in blocks of 256, in groups of 16 (``layout``). Made by :func:`pack`; not to be changed.

    Attributes:
        groups: [G, 16, 16] float32, G a multiple of 16: mean, axes, ln opacity, lowest harmonic; by lanes.
        sh: [G, 3·(K − 1), 16] int16: the higher harmonics, in ``sh_steps``.
        sh_steps: [G] float32.
        indices: [G, 16] int32, the place of each in what was packed, −1 for an empty lane.
        bounds: [G / 16, 9] float32, lowest and highest mean of a block and how far its Gaussians reach.
        count: how many Gaussians were packed (those that can't be seen are not kept).
        antialiased: as in ``Gaussians``.
    """

    groups: F32
    sh: NDArray[np.int16]
    sh_steps: F32
    indices: NDArray[np.int32]
    bounds: F32
    count: int
    antialiased: bool

    def __len__(self) -> int:
        return self.count

    def write(self, folder: Path) -> None:
        """Writes plain ``.npy`` files and ``packed.json`` into an existing folder. Raises OSError."""
        for name, array in self._arrays():
            np.save(folder / f"{name}.npy", array, allow_pickle=False)
        meta = {"packed": PACK_VERSION, "count": self.count, "antialiased": self.antialiased}
        (folder / _META).write_text(json.dumps(meta) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> PackedScene:
        """Maps what :meth:`write` wrote into memory: pages are read when they are first drawn.

        Raises:
            OSError, ValueError: something is missing, damaged or of another version.
        """
        meta = json.loads((folder / _META).read_text(encoding="utf-8"))
        if not isinstance(meta, dict) or meta.get("packed") != PACK_VERSION:
            raise ValueError(f"{folder} holds no packed scene of version {PACK_VERSION}")
        arrays = {
            name: np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False))
            for name in _DTYPES
        }
        scene = cls(**arrays, count=int(meta["count"]), antialiased=bool(meta["antialiased"]))
        scene._check(folder)
        return scene

    def _arrays(self) -> Iterator[tuple[str, NDArray[Any]]]:
        return ((field.name, getattr(self, field.name)) for field in fields(self) if field.name in _DTYPES)

    def _check(self, folder: Path) -> None:
        """The kernels trust shapes, so a file cut short or edited must not get to them."""
        group_count = len(self.groups)
        expected = _shapes(group_count // GROUPS, self.sh.shape[1] if self.sh.ndim == 3 else -1)
        for name, array in self._arrays():
            if array.dtype != _DTYPES[name] or array.shape != expected[name] or not array.flags.c_contiguous:
                raise ValueError(f"{folder / name}.npy does not fit a packed scene")
        if self.sh.shape[1] not in (0, 9, 24, 45):
            raise ValueError(f"{folder}: {self.sh.shape[1]} harmonics")


_DTYPES: dict[str, np.dtype[Any]] = {
    "groups": np.dtype(np.float32),
    "sh": np.dtype(np.int16),
    "sh_steps": np.dtype(np.float32),
    "indices": np.dtype(np.int32),
    "bounds": np.dtype(np.float32),
}


def _shapes(blocks: int, harmonics: int) -> dict[str, tuple[int, ...]]:
    groups = blocks * GROUPS
    return {
        "groups": (groups, 16, LANES),
        "sh": (groups, harmonics, LANES),
        "sh_steps": (groups,),
        "indices": (groups, LANES),
        "bounds": (blocks, BOUNDS),
    }


def columns_of(part: Gaussians) -> tuple[Any, ...]:
    """Means, quats, scales, opacities and sh as the kernels take them."""
    columns = (part.means, part.quats, part.scales, part.opacities, part.sh)
    return tuple(np.ascontiguousarray(column, np.float32) for column in columns)


def work_rows(columns: tuple[Any, ...]) -> F32:
    """What ``pack_blocks`` works in."""
    return np.empty((3 * (columns[-1].shape[1] - 1), LANES), np.float32)


def empty_blocks(blocks: int, sh_count: int, memory: Scratch | None = None) -> dict[str, NDArray[Any]]:
    """Arrays for so many blocks, not yet filled. ``sh_count``: K of the Gaussians."""
    shapes = _shapes(blocks, 3 * (sh_count - 1))
    if memory is None:
        return {name: np.empty(shape, _DTYPES[name]) for name, shape in shapes.items()}
    return {name: memory.take(name, shape, _DTYPES[name]) for name, shape in shapes.items()}


def pack(gaussians: Gaussians, *, threads: int | None = None) -> PackedScene:
    """Packs Gaussians for :func:`render`: the same picture, several times faster from the first frame on.

    Takes 158 bytes a Gaussian at degree 3, and little memory beyond that while it works. Higher harmonics are
    rounded to 1/32767 of the largest among 16 neighbours (about 100 dB); all else is kept in float32.

    Args:
        threads: most threads to use, None for all cores. The same bytes come out whatever it is.
    """
    from .packing import pack_blocks

    columns = columns_of(gaussians)
    order = _by_place(gaussians)
    blocks = -(-len(order) // BLOCK)
    arrays = empty_blocks(blocks, columns[-1].shape[1])

    def job(start: int) -> None:
        pack_blocks(
            order, *columns, start, min(start + _JOB_BLOCKS, blocks),
            arrays["groups"], arrays["sh"], arrays["sh_steps"], arrays["indices"], arrays["bounds"],
            work_rows(columns),
        )  # fmt: skip

    in_threads(job, range(0, blocks, _JOB_BLOCKS), threads)
    return PackedScene(**arrays, count=len(gaussians), antialiased=bool(gaussians.antialiased))


def _by_place(gaussians: Gaussians) -> NDArray[np.int32]:
    """Rows of those that can be seen, neighbours together (Morton order), large ones apart at the end."""
    from .packing import morton_codes

    means = np.ascontiguousarray(gaussians.means, np.float32)
    scales = np.ascontiguousarray(gaussians.scales, np.float32)
    seen = np.flatnonzero(gaussians.opacities.astype(np.float64) >= ALPHA_CUT).astype(np.int32)
    if not len(seen):
        return seen
    low, high = means.min(axis=0).astype(np.float64), means.max(axis=0).astype(np.float64)
    cell = max(float((high - low).max()) / 2**21, 1e-30)
    codes = np.empty(len(means), np.uint64)
    large = _LARGE * float(np.median(scales.max(axis=1)))
    morton_codes(means, scales, low, cell, large, codes)
    return seen[np.argsort(codes[seen], kind="stable")]
