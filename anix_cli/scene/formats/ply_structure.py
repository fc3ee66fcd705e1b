"""The structure of a PLY of Gaussians: which columns, how many rows, whether all bytes are there.

Layouts, told apart by the columns of the element ``vertex``, whose order does not matter:

- Inria's 3D Gaussian Splatting (Kerbl et al. 2023): raw values, one row a Gaussian: x y z, f_dc_0…2,
  f_rest_0… (channel-major: all of red, then green, then blue), opacity (a logit), scale_0…2 (logarithms),
  rot_0…3 (wxyz, not unit).
- 2D Gaussian Splatting (Huang et al. 2024): the same without scale_2.
- SuperSplat's compressed PLY: see :mod:`.ply_compressed`.
- Points: x y z, often with red green blue.

Other columns and other elements are skipped; :mod:`.ply_variants` has those that matter.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from anix_cli.core.errors import AnixError, Diagnostic, fail

from ..info import SplatInfo
from .faults import check_count, damaged, degree_cut, left_over, truncated, unsupported
from .ply_header import Element, PlyHeader, check_names, read_header
from .ply_variants import FILTER, linear_note, plainly_named, refuse_moving

POSITION = ("x", "y", "z")
SCALE = ("scale_0", "scale_1", "scale_2")
ROTATION = ("rot_0", "rot_1", "rot_2", "rot_3")
COLOUR = ("f_dc_0", "f_dc_1", "f_dc_2")
POINT_COLOURS = (
    ("red", "green", "blue"),
    ("r", "g", "b"),
    ("diffuse_red", "diffuse_green", "diffuse_blue"),
)
PACKED = ("packed_position", "packed_rotation", "packed_scale", "packed_color")
CHUNK_BOUNDS = tuple(f"{end}_{axis}" for end in ("min", "max") for axis in "xyz")
CHUNK_SCALES = tuple(f"{end}_scale_{axis}" for end in ("min", "max") for axis in "xyz")
CHUNK_COLOURS = tuple(f"{end}_{axis}" for end in ("min", "max") for axis in "rgb")
CHUNK_ROWS = 256

_NEEDED = (*POSITION, *COLOUR, "opacity", *SCALE, *ROTATION)
_DEGREE_OF_REST = {0: 0, 9: 1, 24: 2, 45: 3, 72: 4}
_REST = re.compile(r"f_rest_[0-9]+")
_MIP = re.compile(
    r"splatrendermode\s*:\s*mip|\bmip\s*=\s*(?:1|true)\b|antialias(?:ed|ing)?\s*[:=]?\s*(?:1|true)\b",
    re.IGNORECASE,
)
_VERTICAL_Z = re.compile(r"vertical axis\s*:\s*z", re.IGNORECASE)

_NAMES = {
    "gaussians": "PLY",
    "surfels": "PLY (2DGS)",
    "packed": "compressed PLY",
    "points": "PLY points",
}


@dataclass(frozen=True)
class PlyFile:
    """A PLY, looked through.

    Attributes:
        layout: "gaussians", "surfels", "packed" or "points".
        rest: count of f_rest columns in the file.
        vertex: index of the element that holds the Gaussians.
    """

    info: SplatInfo
    header: PlyHeader
    layout: str
    rest: int
    vertex: int


def probe_ply(stream: BinaryIO, path: Path, size: int) -> SplatInfo:
    """The structure of a PLY of ``size`` bytes whose stream stands at its start.

    Raises:
        AnixError: E306–E310, E312: see ``probe``.
    """
    return walk_ply(stream, path, size).info


def walk_ply(stream: BinaryIO, path: Path, size: int) -> PlyFile:
    """The same, with what decoding needs."""
    header = read_header(stream, path)
    index = header.find("vertex")
    if index is None:
        raise _not_gaussians(path, "it has no vertices")
    for element in header.elements:
        if element.name in {"vertex", "chunk", "sh"}:
            check_names(element, path)
    header = plainly_named(header, index)
    vertex = header.elements[index]
    refuse_moving(vertex, path)
    layout = _layout(header, vertex, path)
    home = vertex
    if layout == "packed":
        home = _check_packed(header, vertex, path)
    rest = 0 if layout == "points" else _count_rest(home, path)
    degree = _DEGREE_OF_REST[rest]
    text = "\n".join(header.comments)
    mip = layout == "gaussians" and FILTER in vertex.names
    up, source = ("+z", "its header says so") if _VERTICAL_Z.search(text) else ("-y", "PLY convention")
    info = SplatInfo(
        path,
        "PLY (Mip-Splatting)" if mip else _NAMES[layout],
        vertex.count,
        min(degree, 3),
        mip or bool(_MIP.search(text)),
        up,
        source,
        header.comments,
        (*degree_cut(path, degree), *_layout_notes(layout, path)),
        points=layout == "points",
    )
    check_count(info)
    notes = (*_check_size(header, index, path, size), *linear_note(stream, header, path))
    return PlyFile(replace(info, notes=(*notes, *info.notes)), header, layout, rest, index)


def says_more(comment: str) -> bool:
    """Whether a comment tells readers the mode or the axes, so that it holds for its own file only."""
    return bool(_MIP.search(comment) or _VERTICAL_Z.search(comment))


def _not_gaussians(path: Path, why: str, hint: str | None = None) -> AnixError:
    return fail("E308", f"{path.name} is a PLY without Gaussians: {why}", file=path, hint=hint)


def _layout(header: PlyHeader, vertex: Element, path: Path) -> str:
    names = {column.name for column in vertex.properties if column.type}
    if any(name.startswith("packed_") for name in names):
        return "packed"
    missing = [name for name in _NEEDED if name not in names]
    if not missing:
        return "gaussians"
    if missing == ["scale_2"]:
        return "surfels"
    trained = {*COLOUR, *SCALE, *ROTATION} & names
    if set(POSITION) <= names and not trained:
        faces = header.find("face")
        mesh = faces is not None and header.elements[faces].count > 0
        if not mesh or any(set(colours) <= names for colours in POINT_COLOURS):
            return "points"
        hint = "Name a scan of Gaussian splats, or a coloured point cloud."
        raise _not_gaussians(path, "it is a mesh without colours", hint)
    shown = ", ".join(missing[:4]) + (", …" if len(missing) > 4 else "")
    hint = "Use the file that the training of the splats wrote, often"
    raise _not_gaussians(path, f"missing {shown}", f"{hint} point_cloud/iteration_30000/point_cloud.ply.")


def _layout_notes(layout: str, path: Path) -> tuple[Diagnostic, ...]:
    if layout == "points":
        return (points_note(path),)
    if layout != "surfels":
        return ()
    text = f"{path.name} holds flat Gaussians (2DGS, no scale_2); they are given almost no thickness"
    return (Diagnostic("W309", text, file=path),)


def points_note(path: Path) -> Diagnostic:
    """W310: the file is a point cloud."""
    text = f"{path.name} is a plain point cloud: each point is drawn as a small round Gaussian"
    trained = sorted(
        path.parent.glob("point_cloud/iteration_*/point_cloud.ply"), key=lambda p: (len(str(p)), p)
    )
    name = (
        trained[-1].relative_to(path.parent)
        if trained
        else "often point_cloud/iteration_30000/point_cloud.ply"
    )
    return Diagnostic(
        "W310",
        text,
        file=path,
        hint=f"If splats were trained from it, name the file that training wrote: {name}.",
    )


def _count_rest(element: Element, path: Path) -> int:
    """The count of f_rest columns, after checking that they make up a degree."""
    rest = [column.name for column in element.properties if column.type and _REST.fullmatch(column.name)]
    if len(rest) not in _DEGREE_OF_REST or {f"f_rest_{i}" for i in range(len(rest))} != set(rest):
        raise fail(
            "E310",
            f"{path.name} has {len(rest)} column{'' if len(rest) == 1 else 's'} f_rest_…, but colour that "
            "depends on the view takes 0, 9, 24 or 45, counted from 0",
            file=path,
            hint="Export it again with spherical harmonics of degree 0, 1, 2 or 3.",
        )
    return len(rest)


def _check_packed(header: PlyHeader, vertex: Element, path: Path) -> Element:
    """The element that holds the harmonics (``vertex`` where none does) of a compressed PLY."""
    at, sh_at = header.find("chunk"), header.find("sh")
    chunk = Element("chunk", 0, ()) if at is None else header.elements[at]
    codes = {column.name: column.type for column in (*vertex.properties, *chunk.properties)}
    missing = [name for name in (*PACKED, *CHUNK_BOUNDS, *CHUNK_SCALES) if codes.get(name) is None]
    if missing:
        raise damaged(path, f"it is a compressed PLY without {', '.join(missing[:3])}")
    if any(codes[name] not in {"u4", "i4"} for name in PACKED):
        raise damaged(path, "its packed columns are not 32-bit numbers")
    if header.encoding == "ascii":
        raise unsupported(path, "is a compressed PLY as text")
    needed = -(-vertex.count // CHUNK_ROWS)
    if chunk.count < needed or chunk.has_lists or vertex.has_lists:
        text = f"its {vertex.count:,} Gaussians take {needed:,} chunks, but it has {chunk.count:,}"
        raise damaged(path, text)
    if sh_at is None:
        return Element("sh", 0, ())
    sh = header.elements[sh_at]
    if sh.count != vertex.count or any(column.type != "u1" for column in sh.properties):
        text = f"its harmonics are no {vertex.count:,} rows of bytes"
        raise damaged(path, text)
    return sh


def _check_size(header: PlyHeader, index: int, path: Path, size: int) -> tuple[Diagnostic, ...]:
    """Compares what the header promises with the file's size; the warning for bytes left over.

    Lists make this a lower bound.

    Raises:
        AnixError: E306, the file is shorter.
    """
    last = index
    vertex = header.elements[index]
    if any(name.startswith("packed_") for name in vertex.names):
        last = max(
            i for i, element in enumerate(header.elements) if element.name in {"vertex", "chunk", "sh"}
        )
    needed_elements = header.elements[: last + 1]
    lists = any(element.has_lists for element in needed_elements)
    if header.encoding == "ascii":
        # The shortest row is one digit and one separator a column: enough to refuse an absurd count.
        shortest = sum(element.count * len(element.properties) * 2 for element in needed_elements)
        if size + 1 < header.size + shortest:
            raise truncated(path, vertex.count, header.size + shortest, size, "at least ")
        return ()
    needed = header.size + sum(element.count * element.stride for element in needed_elements)
    if size < needed:
        raise truncated(path, vertex.count, needed, size, "at least " if lists else "")
    after = header.elements[last + 1 :]
    if lists or any(element.has_lists for element in after):
        return ()
    expected = needed + sum(element.count * element.stride for element in after)
    if size < expected:
        text = f"{path.name} is {expected - size:,} bytes short, but its Gaussians are complete"
        return (Diagnostic("W305", text, file=path),)
    return left_over(path, size - expected)
