"""PLY in the layout of Inria's 3D Gaussian Splatting (Kerbl et al. 2023): raw values, one row a Gaussian.

Columns, in any order: x y z, f_dc_0…2, f_rest_0… (channel-major: all of red, then green, then blue),
opacity (a logit), scale_0…2 (logarithms), rot_0…3 (wxyz, not unit). Others are skipped.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import AnixError, Diagnostic, fail
from anix_cli.core.gaussians import Gaussians

from .clean import assemble, dropped_note, precision_note, sigmoid
from .info import MAX_GAUSSIANS, READ_NOW, SplatFile, SplatInfo
from .ply_header import Element, PlyHeader, read_header

F32 = NDArray[np.float32]

POSITION = ("x", "y", "z")
SCALE = ("scale_0", "scale_1", "scale_2")
ROTATION = ("rot_0", "rot_1", "rot_2", "rot_3")
COLOUR = ("f_dc_0", "f_dc_1", "f_dc_2")
_NEEDED = (*POSITION, *COLOUR, "opacity", *SCALE, *ROTATION)
_DEGREE_OF_REST = {0: 0, 9: 1, 24: 2, 45: 3}
_REST = re.compile(r"f_rest_[0-9]+")
_MIP = re.compile(r"splatrendermode\s*:\s*mip|antialias(?:ed|ing)?\s*[:=]?\s*(?:1|true)\b", re.IGNORECASE)
_VERTICAL_Z = re.compile(r"vertical axis\s*:\s*z", re.IGNORECASE)
_FAR_OFFSET = 1e4
_ACTIVATED_SAMPLE = 100_000


def probe_ply(stream: BinaryIO, path: Path, size: int) -> SplatInfo:
    """The structure of a PLY of ``size`` bytes whose stream stands at its start.

    Raises:
        AnixError: E305–E310, E312: see ``probe``.
    """
    return _probe(stream, path, size)[0]


def _probe(stream: BinaryIO, path: Path, size: int) -> tuple[SplatInfo, PlyHeader, int]:
    """(info, header, index of the vertex element)."""
    header = read_header(stream, path)
    index = header.find("vertex")
    if index is None:
        raise _not_gaussians(path, "it has no vertices")
    vertex = header.elements[index]
    degree = _check_columns(vertex, path)
    if vertex.count == 0:
        raise fail("E309", f"{path.name} holds no Gaussians: its header says 0", file=path)
    if vertex.count > MAX_GAUSSIANS:
        raise fail(
            "E312",
            f"{path.name} promises {vertex.count:,} Gaussians; anix reads at most {MAX_GAUSSIANS:,}",
            file=path,
        )
    notes = _check_size(header, index, path, size)
    text = "\n".join(header.comments)
    up, source = ("+z", "its header says so") if _VERTICAL_Z.search(text) else ("-y", "PLY convention")
    info = SplatInfo(
        path, "PLY", vertex.count, degree, bool(_MIP.search(text)), up, source, header.comments, notes
    )
    return info, header, index


def _not_gaussians(path: Path, why: str, hint: str | None = None) -> AnixError:
    return fail("E308", f"{path.name} is a PLY without Gaussians: {why}", file=path, hint=hint)


def _check_columns(vertex: Element, path: Path) -> int:
    """The SH degree, after checking that all columns of a Gaussian are there."""
    names = set(vertex.names)
    if any(name.startswith("packed_") for name in names):
        raise fail(
            "E305",
            f"{path.name} is a compressed PLY, which is not supported yet; anix reads {READ_NOW}",
            file=path,
            hint="Export it as an uncompressed PLY, for example with SuperSplat.",
        )
    lists = [column.name for column in vertex.properties if column.type is None]
    missing = [name for name in _NEEDED if name not in names or name in lists]
    if missing == ["scale_2"]:
        raise fail(
            "E305",
            f"{path.name} holds flat Gaussians (2DGS: no scale_2), which are not supported yet; "
            f"anix reads {READ_NOW}",
            file=path,
        )
    if missing:
        shown = ", ".join(missing[:4]) + (", …" if len(missing) > 4 else "")
        cloud = set(POSITION) <= names
        why = f"it is a plain point cloud or mesh (missing {shown})" if cloud else f"missing {shown}"
        hint = "Use the file that the training of the splats wrote, often"
        raise _not_gaussians(path, why, f"{hint} point_cloud/iteration_30000/point_cloud.ply.")
    if lists:
        raise fail(
            "E305", f"{path.name} has lists among its Gaussians, which is not supported yet", file=path
        )
    rest = [name for name in vertex.names if _REST.fullmatch(name)]
    degree = _DEGREE_OF_REST.get(len(rest))
    if degree is None or {f"f_rest_{i}" for i in range(len(rest))} != set(rest):
        raise fail(
            "E310",
            f"{path.name} has {len(rest)} columns f_rest_…, but colour that depends on the view takes "
            "0, 9, 24 or 45, counted from 0",
            file=path,
            hint="Export it again with spherical harmonics of degree 0, 1, 2 or 3.",
        )
    return degree


def _check_size(header: PlyHeader, index: int, path: Path, size: int) -> tuple[Diagnostic, ...]:
    """Compares what the header promises with the file's size; the warning for bytes left over.

    Raises:
        AnixError: E306, the file is shorter; E305, lists lie before the Gaussians.
    """
    before, vertex = header.elements[:index], header.elements[index]
    if any(element.has_lists for element in before):
        raise fail(
            "E305",
            f"{path.name} has an element with lists before its Gaussians, which is not supported yet",
            file=path,
            hint="Export it again with the vertices first.",
        )
    if header.encoding == "ascii":
        # The shortest row is one digit and one separator a column: enough to refuse an absurd count.
        shortest = sum(
            element.count * len(element.properties) * 2 for element in header.elements[: index + 1]
        )
        if size + 1 < header.size + shortest:
            raise _truncated(path, vertex.count, header.size + shortest, size, "at least ")
        return ()
    needed = header.size + sum(element.count * element.stride for element in header.elements[: index + 1])
    if size < needed:
        raise _truncated(path, vertex.count, needed, size)
    after = header.elements[index + 1 :]
    if any(element.has_lists for element in after):
        return ()
    expected = needed + sum(element.count * element.stride for element in after)
    if size > expected:
        text = f"{path.name} has {size - expected:,} bytes after its end, which are left unread"
        return (Diagnostic("W305", text, file=path),)
    if size < expected:
        text = f"{path.name} is {expected - size:,} bytes short, but its Gaussians are complete"
        return (Diagnostic("W305", text, file=path),)
    return ()


def _truncated(path: Path, count: int, expected: int, actual: int, about: str = "") -> AnixError:
    return fail(
        "E306",
        f"{path.name} is truncated: its header promises {count:,} Gaussians = {about}{expected:,} bytes, "
        f"the file has {actual:,}",
        file=path,
        hint="The download or copy was probably cut off: fetch the file again.",
    )


def read_ply(path: Path) -> SplatFile:
    """Reads an Inria-layout PLY: binary of either byte order, or ASCII; any scalar types.

    Raises:
        AnixError: as ``probe_ply``, and E307 where an ASCII row is no row of numbers.
    """
    with path.open("rb") as stream:
        info, header, index = _probe(stream, path, path.stat().st_size)
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
