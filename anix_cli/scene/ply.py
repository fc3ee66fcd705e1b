"""Reads and writes PLY in the layout of Inria's 3D Gaussian Splatting: see :mod:`.ply_structure`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import Diagnostic, fail
from anix_cli.core.gaussians import Gaussians

from .clean import assemble, dropped_note, precision_note, sigmoid
from .info import SplatFile
from .ply_header import PlyHeader
from .ply_structure import COLOUR, POSITION, ROTATION, SCALE, walk_ply

F32 = NDArray[np.float32]

_FAR_OFFSET = 1e4
_ACTIVATED_SAMPLE = 100_000


def read_ply(path: Path) -> SplatFile:
    """Reads an Inria-layout PLY: binary of either byte order, or ASCII; any scalar types.

    Raises:
        AnixError: as ``probe_ply``, and E307 where an ASCII row is no row of numbers.
    """
    with path.open("rb") as stream:
        info, header, index = walk_ply(stream, path, path.stat().st_size)
        rows = _ascii_rows if header.encoding == "ascii" else _binary_rows
        table = rows(stream, header, index, path)
    vertex = header.elements[index]
    column = {name: i for i, name in enumerate(vertex.names)}
    rest = 3 * ((info.sh_degree + 1) ** 2 - 1)

    def pick(names: tuple[str, ...], dtype: str = "f4") -> NDArray[Any]:
        at = [column[name] for name in names]
        with np.errstate(over="ignore", invalid="ignore"):
            if table.dtype.names:
                return np.stack([table[f"p{i}"].astype(dtype) for i in at], axis=1)
            if at == list(range(at[0], at[0] + len(at))):  # one pass over the rows instead of one a column
                return np.array(table[:, at[0] : at[0] + len(at)], dtype=dtype)
            return np.asarray(table[:, at], dtype=dtype)

    double = header.encoding == "ascii" or vertex.properties[column["x"]].type == "f8"
    means, offset = _centred(pick(POSITION, "f8" if double else "f4"))
    sh = np.empty((info.count, 1 + rest // 3, 3), np.float32)
    sh[:, 0] = pick(COLOUR)
    if rest:
        by_channel = pick(tuple(f"f_rest_{i}" for i in range(rest))).reshape(info.count, 3, rest // 3)
        sh[:, 1:] = by_channel.transpose(0, 2, 1)
        del by_channel  # as large as all the rest
    logits, logs = pick(("opacity",))[:, 0], pick(SCALE)
    with np.errstate(over="ignore", invalid="ignore"):
        scales = np.exp(logs)
    gaussians, dropped = assemble(
        path,
        means=means,
        quats=pick(ROTATION),
        scales=scales,
        opacities=sigmoid(logits),
        sh=sh,
        antialiased=info.antialiased,
    )
    notes = (
        *info.notes,
        *dropped_note(path, dropped, info.count),
        *_activated_note(path, logs, logits),
        *(() if any(offset) else precision_note(path, gaussians.means)),
    )
    return SplatFile(gaussians, info, dropped, offset, notes)


def _binary_rows(stream: BinaryIO, header: PlyHeader, index: int, path: Path) -> NDArray[Any]:
    """The vertex table, mapped from the file: [N, columns] if it is all one type, else a record array."""
    vertex = header.elements[index]
    start = header.size + sum(element.count * element.stride for element in header.elements[:index])
    types = [str(column.type) for column in vertex.properties]
    if len(set(types)) == 1:
        dtype = np.dtype(header.order + types[0])
        shape: tuple[int, ...] = (vertex.count, len(types))
    else:
        dtype = np.dtype([(f"p{i}", header.order + code) for i, code in enumerate(types)])
        shape = (vertex.count,)
    return np.memmap(stream, dtype=dtype, mode="r", offset=start, shape=shape)


def _ascii_rows(stream: BinaryIO, header: PlyHeader, index: int, path: Path) -> NDArray[Any]:
    """The vertex table of an ASCII file, [N, columns] float64."""
    vertex = header.elements[index]
    stream.seek(header.size)
    for _ in range(sum(element.count for element in header.elements[:index])):
        if not stream.readline():
            break
    rows = np.empty((0, 0))
    lines = (line.decode("latin-1") for line in stream if line.strip())
    try:
        first = next(lines, None)
        if first is not None:
            chain = (line for part in ((first,), lines) for line in part)
            rows = np.loadtxt(chain, comments=None, max_rows=vertex.count, ndmin=2)
    except (ValueError, OverflowError) as error:
        text = f"{path.name} is damaged: a row of its Gaussians is not {len(vertex.properties)} numbers"
        raise fail("E307", text, file=path, hint="Export the scene again, best as binary PLY.") from error
    if len(rows) < vertex.count:
        text = (
            f"{path.name} is truncated: its header promises {vertex.count:,} Gaussians, it has {len(rows):,}"
        )
        raise fail("E306", text, file=path, hint="Fetch or export the file again.")
    if rows.shape[1] != len(vertex.properties):
        text = (
            f"{path.name} is damaged: its rows have {rows.shape[1]} numbers, its header names "
            f"{len(vertex.properties)} properties"
        )
        raise fail("E307", text, file=path, hint="Export the scene again, best as binary PLY.")
    return rows


def _centred(means: NDArray[np.floating]) -> tuple[F32, tuple[float, float, float]]:
    """Means as float32, less a float64 offset where double-precision means lie far from the origin."""
    if means.dtype == np.float32:
        return means.astype(np.float32, copy=False), (0.0, 0.0, 0.0)
    finite = means[np.isfinite(means).all(axis=1)]
    offset = np.zeros(3)
    if len(finite):
        low, middle, high = np.percentile(finite, (1, 50, 99), axis=0)
        size = float((high - low).max())
        if size > 0 and np.abs(middle).max() > _FAR_OFFSET * size:
            offset = np.round(middle)
    with np.errstate(over="ignore"):
        return (means - offset).astype(np.float32), (float(offset[0]), float(offset[1]), float(offset[2]))


def _activated_note(path: Path, logs: F32, logits: F32) -> tuple[Diagnostic, ...]:
    """A warning if scales and opacities look like final values rather than logarithms and logits."""
    step = max(1, len(logits) // _ACTIVATED_SAMPLE)
    logs, logits = logs[::step], logits[::step]
    with np.errstate(invalid="ignore"):
        plain = bool((logs > 0).all() and (logits >= 0).all() and (logits <= 1).all())
    if not plain or len(logits) < 16:
        return ()
    text = (
        f"{path.name} seems to hold final sizes and opacities where PLY has logarithms and logits: "
        "the scene may look like fog"
    )
    return (Diagnostic("W306", text, file=path, hint="Export it with another tool if it looks wrong."),)


def write_ply(path: Path, gaussians: Gaussians) -> None:
    """Writes the Inria layout: binary little-endian float32, in the axes and unit of ``gaussians``.

    Opacities are kept within float32's reach of a logit (±17); the anti-aliased mode goes into a comment.
    """
    count, width = gaussians.sh.shape[:2]
    rest = [f"f_rest_{i}" for i in range(3 * (width - 1))]
    names = [*POSITION, "nx", "ny", "nz", *COLOUR, *rest, "opacity", *SCALE, *ROTATION]
    mode = ["comment SplatRenderMode: mip"] if gaussians.antialiased else []
    head = ["ply", "format binary_little_endian 1.0", *mode, f"element vertex {count}"]
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
