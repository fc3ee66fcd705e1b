"""Reads and writes PLY of Gaussians: see :mod:`.ply_structure` for the layouts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import Diagnostic
from anix_cli.core.gaussians import Gaussians

from ..info import SplatFile
from .clean import assemble, centred, dropped_note, precision_note, sigmoid
from .fit import check_finite, check_steps
from .ply_compressed import read_compressed
from .ply_rows import Rows, element_rows, scalar_names
from .ply_structure import COLOUR, POINT_COLOURS, POSITION, ROTATION, SCALE, PlyFile, says_more, walk_ply
from .ply_variants import FILTER, check_order, smoothed
from .points import points_as_gaussians

F32 = NDArray[np.float32]

_ACTIVATED_SAMPLE, _ACTIVATED_LEAST = 100_000, 16
_FOG = 0.05
"""Size of most Gaussians, in sizes of the scene, from which nothing could be told apart."""
_THICKNESS = 1e-6
"""Of flat Gaussians, in sizes of the scene."""


def read_ply(path: Path) -> SplatFile:
    """Reads a PLY: binary of either byte order, or ASCII; any scalar types.

    Raises:
        AnixError: as ``probe_ply``, and E306 or E307 where rows lack or are no rows of numbers.
    """
    with path.open("rb") as stream:
        file = walk_ply(stream, path, path.stat().st_size)
        if file.layout == "packed":
            return read_compressed(stream, path, file)
        if file.layout == "points":
            return _read_points(stream, path, file)
        return _read_gaussians(stream, path, file)


def _double(file: PlyFile) -> bool:
    vertex = file.header.elements[file.vertex]
    wide = {column.name for column in vertex.properties if column.type == "f8"}
    return file.header.encoding == "ascii" or "x" in wide


def _read_gaussians(stream: BinaryIO, path: Path, file: PlyFile) -> SplatFile:
    """The rows are decoded piece by piece, straight into what is returned."""
    info, count = file.info, file.info.count
    means = np.empty((count, 3), np.float64 if _double(file) else np.float32)
    quats, scales, opacities = (np.empty((count, width), np.float32) for width in (4, 3, 1))
    sh = np.empty((count, (info.sh_degree + 1) ** 2, 3), np.float32)
    rest = [f"f_rest_{i}" for i in range(file.rest)]
    axes = SCALE[: 3 if file.layout == "gaussians" else 2]
    step = max(1, count // _ACTIVATED_SAMPLE)
    samples, at = [], 0
    smooth = FILTER in file.header.elements[file.vertex].names and len(axes) == 3
    for rows in element_rows(stream, file.header, file.vertex, path):
        if at == 0:
            check_order(path, file.header, rows, (*axes, "opacity", *ROTATION, *COLOUR))
        piece = slice(at, at + len(rows))
        at += len(rows)
        means[piece] = rows.pick(POSITION, means.dtype.str)
        quats[piece] = rows.pick(ROTATION)
        sh[piece, 0] = rows.pick(COLOUR)
        if rest:
            by_channel = rows.pick(rest).reshape(len(rows), 3, len(rest) // 3)
            sh[piece, 1:] = by_channel[:, :, : sh.shape[1] - 1].transpose(0, 2, 1)
        raw = rows.pick((*axes, "opacity"))
        samples.append(raw[::step])
        with np.errstate(over="ignore", invalid="ignore"):
            scales[piece, : len(axes)] = np.exp(raw[:, :-1])
        opacities[piece] = sigmoid(raw[:, -1:])
        if smooth:
            scales[piece], opacities[piece] = smoothed(scales[piece], opacities[piece], rows.pick((FILTER,)))
    near, offset = centred(means)
    if len(axes) == 2:
        scales[:, 2] = _THICKNESS * _extent(near)
    gaussians, dropped = assemble(
        path,
        means=near,
        quats=quats,
        scales=scales,
        opacities=opacities[:, 0],
        sh=sh,
        antialiased=info.antialiased,
    )
    notes = (
        *info.notes,
        *dropped_note(path, dropped, count),
        *_activated_note(path, np.concatenate(samples), near),
        *(() if any(offset) else precision_note(path, gaussians.means)),
    )
    return SplatFile(gaussians, info, dropped.total, offset, notes)


def _extent(means: F32) -> float:
    """Length of the diagonal between the 1st and the 99th percentiles; 1 where there is none."""
    finite = means[np.isfinite(means).all(axis=1)]
    if not len(finite):
        return 1.0
    low, high = np.percentile(finite, (1, 99), axis=0)
    return float(np.linalg.norm(high - low)) or 1.0


def _read_points(stream: BinaryIO, path: Path, file: PlyFile) -> SplatFile:
    vertex = file.header.elements[file.vertex]
    names = set(scalar_names(vertex))
    code = {column.name: column.type for column in vertex.properties}
    shades = next((triple for triple in POINT_COLOURS if set(triple) <= names), None)
    pieces: list[Rows] = list(element_rows(stream, file.header, file.vertex, path))
    points = np.concatenate([rows.pick(POSITION, "f8" if _double(file) else "f4") for rows in pieces])
    colours = None
    if shades:
        colours = np.concatenate([rows.pick(shades, str(code[shades[0]])) for rows in pieces])
    return points_as_gaussians(path, file.info, points, colours)


def _activated_note(path: Path, raw: F32, means: F32) -> tuple[Diagnostic, ...]:
    """A warning if scales or opacities look like final values rather than logarithms and logits.

    Sizes do where none is negative and most Gaussians would come out as large as a good part of the scene;
    opacities where all lie between 0 and 1. Where both are so, the sizes need not come out large.

    Args:
        raw: [N, 2 or 3 scales and one opacity] as in the file, of some of its rows.
        means: of all rows.
    """
    logs, logits = raw[:, :-1], raw[:, -1]
    if len(logits) < _ACTIVATED_LEAST:
        return ()
    with np.errstate(invalid="ignore", over="ignore"):
        sizes = bool((logs > 0).all())
        opacities = bool((logits >= 0).all() and (logits <= 1).all())
        if sizes and not opacities:
            sizes = bool(np.median(np.exp(logs)) > _FOG * _extent(means))
    if not (sizes or opacities):
        return ()
    found = [words for given, words in ((sizes, "sizes"), (opacities, "opacities")) if given]
    wanted = [words for given, words in ((sizes, "logarithms"), (opacities, "logits")) if given]
    text = (
        f"{path.name} seems to hold final {' and '.join(found)} where PLY has {' and '.join(wanted)}: "
        "the scene may look like fog"
    )
    return (Diagnostic("W306", text, file=path, hint="Export it with another tool if it looks wrong."),)


def write_ply(path: Path, gaussians: Gaussians, *, comments: Sequence[str] = ()) -> tuple[Diagnostic, ...]:
    """Writes the Inria layout: binary little-endian float32, in the axes and unit of ``gaussians``.

    Opacities are kept within float32's reach of a logit (±17); the anti-aliased mode goes into a comment.

    Args:
        comments: ASCII lines for the header; what a reader would take for mode or axes is left out.

    Returns:
        W322, where float32 positions are coarser than the Gaussians.

    Raises:
        AnixError: E314, where they are so coarse that nothing could be made out, or no reader could use them.
    """
    check_finite(gaussians)
    notes = check_steps(gaussians, "PLY")
    count, width = gaussians.sh.shape[:2]
    rest = [f"f_rest_{i}" for i in range(3 * (width - 1))]
    names = [*POSITION, "nx", "ny", "nz", *COLOUR, *rest, "opacity", *SCALE, *ROTATION]
    mode = ["comment SplatRenderMode: mip"] if gaussians.antialiased else []
    kept = [line for line in comments if line.isascii() and line.isprintable() and not says_more(line)]
    remarks = [*mode, *(f"comment {line}" for line in kept)]
    head = ["ply", "format binary_little_endian 1.0", *remarks, f"element vertex {count}"]
    head += [f"property float {name}" for name in names] + ["end_header", ""]
    alpha = np.clip(gaussians.opacities.astype(np.float64), 4e-8, 1 - 4e-8)
    columns = [
        gaussians.means,
        np.zeros((count, 3)),
        gaussians.sh[:, 0],
        gaussians.sh[:, 1:].transpose(0, 2, 1).reshape(count, -1),
        np.log(alpha / (1 - alpha))[:, None],
        np.log(np.maximum(gaussians.scales.astype(np.float64), 1e-30)),
        gaussians.quats,
    ]
    body = np.concatenate([np.asarray(part, dtype="<f4") for part in columns], axis=1)
    with Path(path).open("wb") as stream:
        stream.write("\n".join(head).encode())
        stream.write(body.tobytes())
    return notes
