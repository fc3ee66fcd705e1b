"""Decodes Gaussians in glTF and GLB: see :mod:`.gltf_structure`."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import Diagnostic
from anix_cli.core.gaussians import Gaussians, concatenate

from ..info import SplatFile
from ..placement import transform
from .clean import assemble, dropped_note, far_shift, precision_note, without_giants
from .faults import unsupported
from .gltf_structure import Accessor, Part, walk_gltf
from .ply_compressed import SH_C0
from .spz import decode_spz

F32 = NDArray[np.float32]


def read_gltf(path: Path) -> SplatFile:
    """Reads all Gaussians of a .glb or .gltf, placed as its nodes say.

    Raises:
        AnixError: as ``walk_gltf``; E305 where a node mirrors or skews; E309 where nothing can be used.
    """
    file = walk_gltf(path, path.stat().st_size)
    info = file.info
    found: list[Gaussians] = []
    dropped = 0
    notes: list[Diagnostic] = list(info.notes)
    offset = np.zeros(3)
    for part in file.parts:
        gaussians, lost, more = _decode(path, part)
        world = np.array(part.world, dtype=np.float64)
        if not found:
            offset = far_shift(gaussians, world)
        world[:3, 3] -= offset
        try:
            placed, beyond = without_giants(path, transform(gaussians, world))
            found.append(placed)
        except (ValueError, np.linalg.LinAlgError) as error:
            hint = "Apply the transform of its node before exporting it."
            raise unsupported(path, "has Gaussians that a node mirrors, flattens or skews", hint) from error
        dropped += lost + beyond
        notes += more
    gaussians = found[0] if len(found) == 1 else concatenate(found)
    far = () if offset.any() else precision_note(path, gaussians.means)
    notes += (*dropped_note(path, dropped, info.count), *far)
    place = (float(offset[0]), float(offset[1]), float(offset[2]))
    return SplatFile(gaussians, info, dropped, place, tuple(dict.fromkeys(notes)))


def _decode(path: Path, part: Part) -> tuple[Gaussians, int, tuple[Diagnostic, ...]]:
    """(Gaussians in the primitive's frame, dropped rows, notes)."""
    if part.spz is not None:
        inner = decode_spz(io.BytesIO(part.spz.read()), path, part.spz.size)
        return inner.gaussians, inner.dropped, inner.info.notes
    attributes = part.attributes
    count = attributes["POSITION"].count
    scales = values(attributes["SCALE"])
    if (scales < 0).any():  # logarithms: only these can be negative
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
    with np.errstate(invalid="ignore"):
        opacities = np.clip(opacities, 0, 1)
    gaussians, dropped = assemble(
        path,
        means=values(attributes["POSITION"]),
        quats=values(attributes["ROTATION"])[:, [3, 0, 1, 2]],
        scales=scales,
        opacities=opacities,
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
