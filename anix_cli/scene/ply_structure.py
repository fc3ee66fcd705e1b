"""The structure of a PLY of Gaussians: which columns, how many rows, whether all bytes are there.

The layout is that of Inria's 3D Gaussian Splatting (Kerbl et al. 2023): raw values, one row a Gaussian.
Columns, in any order: x y z, f_dc_0…2, f_rest_0… (channel-major: all of red, then green, then blue),
opacity (a logit), scale_0…2 (logarithms), rot_0…3 (wxyz, not unit). Others are skipped.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import BinaryIO

from anix_cli.core.errors import AnixError, Diagnostic, fail

from .info import MAX_GAUSSIANS, READ_NOW, SplatInfo
from .ply_header import Element, PlyHeader, read_header

POSITION = ("x", "y", "z")
SCALE = ("scale_0", "scale_1", "scale_2")
ROTATION = ("rot_0", "rot_1", "rot_2", "rot_3")
COLOUR = ("f_dc_0", "f_dc_1", "f_dc_2")
_NEEDED = (*POSITION, *COLOUR, "opacity", *SCALE, *ROTATION)
_DEGREE_OF_REST = {0: 0, 9: 1, 24: 2, 45: 3}
_REST = re.compile(r"f_rest_[0-9]+")
_MIP = re.compile(r"splatrendermode\s*:\s*mip|antialias(?:ed|ing)?\s*[:=]?\s*(?:1|true)\b", re.IGNORECASE)
_VERTICAL_Z = re.compile(r"vertical axis\s*:\s*z", re.IGNORECASE)


def probe_ply(stream: BinaryIO, path: Path, size: int) -> SplatInfo:
    """The structure of a PLY of ``size`` bytes whose stream stands at its start.

    Raises:
        AnixError: E305–E310, E312: see ``probe``.
    """
    return walk_ply(stream, path, size)[0]


def walk_ply(stream: BinaryIO, path: Path, size: int) -> tuple[SplatInfo, PlyHeader, int]:
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
