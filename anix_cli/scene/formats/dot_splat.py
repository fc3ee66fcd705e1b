""".splat (github.com/antimatter15/splat): rows of 32 bytes without a header.

Float32 x y z and the three standard deviations, then bytes: red green blue opacity, and the quaternion wxyz
as ``128·q + 128``. Little-endian. Nothing marks the format, so a file is taken for one by what its rows say.
"""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import BinaryIO

from anix_cli.core.errors import fail

from ..info import SplatFile, SplatInfo
from .faults import check_count

ROW = struct.Struct("<6f4B4B")
_SAMPLE = 256
_LARGEST = 1e15


def looks_like_splat(stream: BinaryIO, size: int) -> bool:
    """Whether most of some rows could be Gaussians: finite, sizes not negative, quaternions of length 1.

    So is what is shorter than a row.
    """
    if size < ROW.size:
        return size > 0
    count = size // ROW.size
    stream.seek(0)
    first = stream.read(min(count, _SAMPLE) * ROW.size)
    stream.seek(max(0, count - _SAMPLE) * ROW.size)
    rows = first + stream.read(min(count, _SAMPLE) * ROW.size)
    found = [_plausible(row) for row in ROW.iter_unpack(rows[: len(rows) // ROW.size * ROW.size])]
    return sum(found) * 2 > len(found) > 0


def _plausible(row: tuple[float, ...]) -> bool:
    numbers, quat = row[:6], [(byte - 128) / 128 for byte in row[10:]]
    fine = all(math.isfinite(number) and abs(number) < _LARGEST for number in numbers)
    return fine and min(row[3:6]) >= 0 and 0.9 < math.hypot(*quat) < 1.1


def probe_splat(path: Path, size: int) -> SplatInfo:
    """The structure of a .splat file of ``size`` bytes.

    Raises:
        AnixError: E306, its last row is cut off; E309, E312.
    """
    count, rest = divmod(size, ROW.size)
    if rest:
        text = (
            f"{path.name} is truncated: {size:,} bytes are {count:,} Gaussians of {ROW.size} bytes and "
            f"{rest} bytes of another, where {(count + 1) * ROW.size:,} were expected"
        )
        raise fail("E306", text, file=path, hint="The download or copy was probably cut off: fetch it again.")
    info = SplatInfo(path, ".splat", count, 0, False, "-y", "PLY convention")
    check_count(info)
    return info


def read_splat(path: Path) -> SplatFile:
    """Reads a .splat file.

    Raises:
        AnixError: as ``probe_splat``, and E309 where no row can be used.
    """
    import numpy as np

    from .clean import assemble, dropped_note, precision_note
    from .ply_compressed import SH_C0

    info = probe_splat(path, path.stat().st_size)
    layout = np.dtype([("means", "<f4", 3), ("scales", "<f4", 3), ("rgba", "u1", 4), ("quats", "u1", 4)])
    rows = np.fromfile(path, layout, info.count)
    shares = np.arange(256) / 255
    gaussians, dropped = assemble(
        path,
        means=np.ascontiguousarray(rows["means"], np.float32),
        quats=((np.arange(256) - 128) / 128).astype(np.float32)[rows["quats"]],
        scales=np.ascontiguousarray(rows["scales"], np.float32),
        opacities=shares.astype(np.float32)[rows["rgba"][:, 3]],
        sh=((shares - 0.5) / SH_C0).astype(np.float32)[rows["rgba"][:, None, :3]],
        antialiased=False,
    )
    notes = (*dropped_note(path, dropped, info.count), *precision_note(path, gaussians.means))
    return SplatFile(gaussians, info, dropped.total, notes=notes)
