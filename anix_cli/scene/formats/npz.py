"""Point clouds in numpy's .npz: points [N, 3] and, where there are any, colours [N, 3]."""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anix_cli.core.errors import fail

from ..info import SplatFile, SplatInfo
from .archive import Bundle
from .faults import check_count, check_packing, corrupt, damaged, unsupported
from .ply_structure import points_note

if TYPE_CHECKING:
    from numpy.typing import NDArray

_POINTS = ("points", "xyz", "means3d", "means", "positions", "vertices", "pts", "points3d")
_COLOURS = ("colors", "colours", "rgb", "rgbs", "color", "colour", "points_rgb")
_HEAD = 4096
_NUMBERS = re.compile(r"[<>=|]?(?:f[248]|[iu][1248])")
_SHADES = re.compile(r"[<>=|]?(?:f[248]|u[12])")
_OF_GAUSSIANS = ({"scales", "scaling", "log_scales"}, {"quats", "rotations", "rotation", "quaternions"})


@dataclass(frozen=True)
class Array:
    """The header of a .npy."""

    name: str
    type: str
    shape: tuple[int, ...]


def probe_npz(path: Path) -> SplatInfo:
    """The structure of an .npz point cloud.

    Raises:
        AnixError: E304, it has no points; E306, E307, E309, E311, E312.
    """
    bundle = Bundle(path)
    try:
        return _walk(path, bundle)[0]
    finally:
        bundle.close()


def _walk(path: Path, bundle: Bundle) -> tuple[SplatInfo, Array, Array | None]:
    arrays = [_array(path, bundle, name) for name in bundle.names if name.endswith(".npy")]
    names = {name.removesuffix(".npy").lower() for name in bundle.names}
    if all(names & kind for kind in _OF_GAUSSIANS):
        raise unsupported(path, "holds Gaussians as arrays of numpy", "Export them as PLY.")
    cloud = _first(arrays, _POINTS, _NUMBERS, None)
    if cloud is None:
        text = f"{path.name} is an .npz without points; expected an array “points” of N × 3 numbers"
        raise fail("E304", text, file=path, hint=f"It holds {_listed(arrays)}.")
    count = cloud.shape[0]
    note = points_note(path)
    info = SplatInfo(
        path, "npz points", count, 0, False, "+z", "assumed; .npz has no convention", (), (note,), points=True
    )
    check_count(info)
    check_packing(path, count, path.stat().st_size, bundle.size(f"{cloud.name}.npy") or 0)
    return info, cloud, _first(arrays, _COLOURS, _SHADES, count)


def _listed(arrays: list[Array | None]) -> str:
    """Names and shapes, of the first few."""
    found = [
        f"{a.name[:40]} ({' × '.join(map(str, a.shape)) or 'one number'})" for a in arrays if a is not None
    ]
    return ", ".join(found[:4]) + (", …" if len(found) > 4 else "") or "no arrays of numbers"


def _first(
    arrays: list[Array | None], names: tuple[str, ...], types: re.Pattern[str], count: int | None
) -> Array | None:
    """The array [count, 3] of the first of these names that is there."""
    fitting = {
        array.name.lower(): array
        for array in arrays
        if array and types.fullmatch(array.type) and len(array.shape) == 2 and array.shape[1] == 3
    }
    return next(
        (fitting[name] for name in names if name in fitting and count in (None, fitting[name].shape[0])), None
    )


def _array(path: Path, bundle: Bundle, file: str) -> Array | None:
    """The header of an array (numpy's NEP 1), None for one that is not of plain numbers.

    Raises:
        AnixError: E307, the header is none, or the array has another size than it says.
    """
    head = bundle.read(file, _HEAD)
    if head[:6] != b"\x93NUMPY" or len(head) < 12:
        raise damaged(path, f"“{file[:80]}” in it is no array")
    width = 2 if head[6] == 1 else 4
    start = 8 + width
    length = int.from_bytes(head[8:start], "little")
    try:
        tree = ast.literal_eval(head[start : start + length].decode("latin-1").strip())
        kind, shape = tree["descr"], tree["shape"]
        if not isinstance(kind, str) or not all(type(n) is int and n >= 0 for n in shape):
            return None
        size = math.prod(shape) * int(kind[2:] or 0) if kind[1:2] in "fiub" else None
    except (ValueError, SyntaxError, KeyError, TypeError, RecursionError, MemoryError) as error:
        raise damaged(path, f"the header of “{file[:80]}” in it cannot be read") from error
    actual = bundle.size(file)
    if size is not None and actual != start + length + size:
        raise damaged(
            path, f"“{file[:80]}” in it has {actual:,} bytes where {start + length + size:,} are expected"
        )
    return Array(file.removesuffix(".npy"), kind, tuple(shape))


def read_npz(path: Path) -> SplatFile:
    """Reads an .npz point cloud as round Gaussians.

    Raises:
        AnixError: as ``probe_npz``.
    """
    import io

    import numpy as np

    from .points import points_as_gaussians

    def load(array: Array) -> NDArray[Any]:
        data = np.load(io.BytesIO(bundle.read(f"{array.name}.npy")), allow_pickle=False)
        # scipy and float32 arithmetic want the machine's own byte order, and no half floats.
        wide = data.astype(np.float32) if data.dtype.itemsize == 2 and data.dtype.kind == "f" else data
        if array is cloud and wide.dtype.kind in "iu":
            wide = wide.astype(np.float64)
        return np.asarray(wide, dtype=wide.dtype.newbyteorder("="))

    bundle = Bundle(path)
    try:
        info, cloud, shades = _walk(path, bundle)
        points, colours = load(cloud), None if shades is None else load(shades)
    except (ValueError, TypeError, EOFError) as error:
        raise corrupt(path, "its points cannot be read") from error
    finally:
        bundle.close()
    return points_as_gaussians(path, info, points, colours)
