"""Decodes Gaussians in glTF and GLB: see :mod:`.gltf_structure`."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import Diagnostic
from anix_cli.core.gaussians import Gaussians, concatenate

from ..info import SplatFile
from ..placement import similarity, transform
from .clean import (
    Dropped,
    assemble,
    dropped_note,
    far_shift,
    final_opacities,
    precision_note,
    without_giants,
)
from .faults import unsupported
from .gltf_structure import Accessor, Part, walk_gltf
from .ply_compressed import SH_C0
from .spz import decode_spz
from .spz_structure import TOLD
from .stretch import placed_by

F32 = NDArray[np.float32]

_NEGATIVE = 0.01
"""Share of negative sizes from which they are logarithms, not slips."""


def read_gltf(path: Path) -> SplatFile:
    """Reads all Gaussians of a .glb or .gltf, placed as its nodes say.

    Raises:
        AnixError: as ``walk_gltf``; E305 where a node mirrors or skews; E309 where nothing can be used.
    """
    file = walk_gltf(path, path.stat().st_size)
    info = file.info
    found: list[Gaussians] = []
    dropped, notes = Dropped(), list(info.notes)
    offset = np.zeros(3)
    uses = Counter(map(_identity, file.parts))
    kept: dict[object, tuple[Gaussians, Dropped, tuple[Diagnostic, ...]]] = {}
    for part in file.parts:
        name = _identity(part)
        gaussians, lost, more = kept.get(name) or _decode(path, part)
        if uses[name] > 1:
            kept[name] = gaussians, lost, more
        world = np.array(part.world, dtype=np.float64)
        if not found:
            offset = far_shift(gaussians, world)
        world[:3, 3] -= offset
        placed, beyond = without_giants(path, _placed(path, gaussians, world))
        found.append(placed)
        dropped += lost + beyond
        notes += more
    gaussians = found[0] if len(found) == 1 else concatenate(found)
    far = () if offset.any() else precision_note(path, gaussians.means)
    notes += (*dropped_note(path, dropped, info.count), *far)
    place = (float(offset[0]), float(offset[1]), float(offset[2]))
    return SplatFile(gaussians, info, dropped.total, place, tuple(dict.fromkeys(notes)))


def _identity(part: Part) -> object:
    """The same for parts that differ in their places only."""
    return id(part.attributes) if part.spz is None else part.spz.key


def _placed(path: Path, gaussians: Gaussians, world: NDArray[np.float64]) -> Gaussians:
    try:
        return placed_by(gaussians, world)
    except ValueError as error:
        hint = "Apply the transform of its node before exporting it."
        raise unsupported(path, "has Gaussians that a node mirrors, flattens or skews", hint) from error


def _decode(path: Path, part: Part) -> tuple[Gaussians, Dropped, tuple[Diagnostic, ...]]:
    """(Gaussians in the primitive's frame, dropped rows, notes)."""
    if part.spz is not None:
        inner = decode_spz(io.BytesIO(part.spz.read()), path, part.spz.size)
        gaussians, info = inner.gaussians, inner.info
        if info.up_source == TOLD:
            gaussians = transform(gaussians, similarity(info.up, 1.0))
        return gaussians, Dropped(no_number=inner.dropped), info.notes
    attributes = part.attributes
    count = attributes["POSITION"].count
    scales = values(attributes["SCALE"])
    if np.count_nonzero(scales < 0) > _NEGATIVE * scales.size:  # logarithms: sizes cannot be negative
        with np.errstate(over="ignore"):
            scales = np.exp(scales)
    sh = np.empty((count, (part.sh_degree + 1) ** 2, 3), np.float32)
    if "SH_DEGREE_0_COEF_0" in attributes:
        sh[:, 0] = values(attributes["SH_DEGREE_0_COEF_0"])
    else:
        sh[:, 0] = (values(attributes["COLOR_0"])[:, :3] - 0.5) / SH_C0
    for degree in range(1, part.sh_degree + 1):
        for n in range(2 * degree + 1):
            sh[:, degree**2 + n] = values(attributes[f"SH_DEGREE_{degree}_COEF_{n}"])
    if "OPACITY" in attributes:
        opacities = values(attributes["OPACITY"])[:, 0]
    else:
        opacities = values(attributes["COLOR_0"])[:, 3]
    gaussians, dropped = assemble(
        path,
        means=values(attributes["POSITION"]),
        quats=values(attributes["ROTATION"])[:, [3, 0, 1, 2]],
        scales=scales,
        opacities=final_opacities(path, opacities),
        sh=sh,
        antialiased=False,
    )
    return gaussians, dropped, ()


def values(accessor: Accessor) -> F32:
    """[count, width] float32; normalised integers become −1…1 or 0…1 (glTF 2.0, 3.6.2.3)."""
    dtype = np.dtype("<" + accessor.type)
    data = accessor.bytes.read()
    rows = np.ndarray((accessor.count, accessor.width), dtype, data, 0, (accessor.stride, dtype.itemsize))
    values = rows.astype(np.float32)
    if accessor.normalized and dtype.kind in "iu":
        values = np.maximum(values / np.float32(np.iinfo(dtype).max), -1)
    return values
