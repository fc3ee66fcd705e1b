"""Gaussians in OpenUSD: prims of UsdVol's ParticleField3DGaussianSplat, in .usd, .usda, .usdc and .usdz.

The schema (OpenUSD 26): positions, orientations, linear scales and opacities are final values; harmonics are
grouped by particle, in the order and with the constant of 3DGS. What is not filled has a default. The stage
says which axis is up and how many metres a unit is. Files are
opened by :mod:`.usd_child`, in a process of its own.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anix_cli.core.errors import AnixError, Diagnostic, fail

from ..info import MAX_GAUSSIANS, SplatFile, SplatInfo
from .faults import check_count, damaged, degree_cut, too_many, unsupported

if TYPE_CHECKING:
    from anix_cli.core.gaussians import Gaussians

    from .clean import Dropped

_SPARE = 3 << 30
"""Bytes of address space for OpenUSD itself, beside a multiple of the file's size."""
_TIMES = 8
_WAIT_S = 600.0
_COLUMNS = ("positions", "orientations", "scales", "opacities", "sphericalHarmonicsCoefficients")


def probe_usd(path: Path) -> SplatInfo:
    """The structure of an OpenUSD file.

    Raises:
        AnixError: E304, no prim of Gaussians; E305, flat particles, or other files are drawn on; E307, E309,
            E312; E316, usd-core is missing.
    """
    with _taken_out(path, whole=False) as (found, _):
        return _info(path, found)


def read_usd(path: Path) -> SplatFile:
    """Reads all visible Gaussians, at the earliest time, placed as their prims are, in metres if it says so.

    Raises:
        AnixError: as ``probe_usd``; E305 where a transform mirrors or skews.
    """
    import numpy as np

    from anix_cli.core.gaussians import concatenate

    from .clean import Dropped, dropped_note, far_shift, precision_note, without_giants
    from .stretch import placed_by

    pieces: list[Gaussians] = []
    dropped, offset = Dropped(), np.zeros(3)
    with _taken_out(path, whole=True) as (found, folder):
        info = _info(path, found)
        for index, part in enumerate(found["parts"]):
            if part["count"] == 0:
                continue
            gaussians, lost = _decode(path, folder, index, part, info.sh_degree)
            world = np.diag([info.unit, info.unit, info.unit, 1.0]) @ np.array(part["world"], np.float64)
            if not pieces:
                offset = far_shift(gaussians, world)
            world[:3, 3] -= offset
            try:
                placed, beyond = without_giants(path, placed_by(gaussians, world))
            except ValueError as error:
                text = "has Gaussians that a transform mirrors, flattens or skews"
                raise unsupported(path, text, "Apply the transform before exporting it.") from error
            pieces.append(placed)
            dropped += lost + beyond
    gaussians = pieces[0] if len(pieces) == 1 else concatenate(pieces)
    far = () if offset.any() else precision_note(path, gaussians.means)
    notes = (*info.notes, *dropped_note(path, dropped, info.count), *far)
    place = (float(offset[0]), float(offset[1]), float(offset[2]))
    return SplatFile(gaussians, info, dropped.total, place, notes)


def _decode(
    path: Path, folder: Path, index: int, part: dict[str, Any], degree: int
) -> tuple[Gaussians, Dropped]:
    """(Gaussians in the prim's frame, dropped rows), with the schema's defaults for what is not filled."""
    import numpy as np

    from .clean import assemble, final_opacities

    count = part["count"]

    def column(name: str, default: tuple[float, ...]) -> Any:
        if name not in part["columns"]:
            return np.tile(np.array(default, np.float32), (count, 1))
        values = np.load(folder / f"{index}.{name}.npy", allow_pickle=False)
        return values.astype(np.float32, copy=False).reshape(count, -1)

    positions, orientations, scales, opacities, harmonics = _COLUMNS
    sh = column(harmonics, (0, 0, 0)).reshape(count, -1, 3)
    width = (min(part["degree"], 3) + 1) ** 2
    full = np.zeros((count, (degree + 1) ** 2, 3), np.float32)
    full[:, :width] = sh[:, :width]
    return assemble(
        path,
        means=column(positions, (0, 0, 0)),
        quats=column(orientations, (0, 0, 0, 1))[:, [3, 0, 1, 2]],
        scales=column(scales, (1, 1, 1)),
        opacities=final_opacities(path, column(opacities, (1,))[:, 0]),
        sh=full,
        antialiased=False,
    )


def _info(path: Path, found: dict[str, Any]) -> SplatInfo:
    """Structure, from what the child says.

    Raises:
        AnixError: E304, E309.
    """
    parts = found["parts"]
    if not parts:
        hint = "Export it with UsdVol's ParticleField3DGaussianSplat, or as PLY."
        raise fail("E304", f"{path.name} is OpenUSD without Gaussian splats", file=path, hint=hint)
    degree = max(part["degree"] for part in parts)
    source = "as its stage says" if found["up_told"] else "OpenUSD's default; the stage does not say"
    unit, notes = _unit(path, found["unit"])
    info = SplatInfo(
        path,
        "OpenUSD",
        sum(part["count"] for part in parts),
        min(degree, 3),
        False,
        f"+{found['up'].lower()}",
        source,
        notes=(*notes, *degree_cut(path, degree)),
        unit=unit,
        metric=found["unit"] is not None,
    )
    check_count(info)
    return info


def _unit(path: Path, metres: float | None) -> tuple[float, tuple[Diagnostic, ...]]:
    """(metres a unit, the note of it); 1 where the stage does not say, and without a use for its number."""
    if metres is None:
        return 1.0, ()
    if not (math.isfinite(metres) and 1e-9 < metres < 1e9):
        raise damaged(path, f"its stage says that a unit is {metres} metres")
    text = f"{path.name} says itself that one of its units is {metres:.4g} m, and is taken so"
    hint = "Write scale: as metres per unit if the scene comes out too large or too small."
    return metres, (Diagnostic("W315", text, file=path, hint=hint),)


@contextmanager
def _taken_out(path: Path, *, whole: bool) -> Iterator[tuple[dict[str, Any], Path]]:
    """(what was found, the folder of columns)."""
    if find_spec("pxr") is None:
        raise fail(
            "E316",
            f"{path.name} is OpenUSD, for which the Python package usd-core is missing",
            file=path,
            hint='Install it: pip install "anix[usd]". Or export the scene as PLY.',
        )
    import tempfile

    with tempfile.TemporaryDirectory(prefix="anix-usd-") as name:
        folder = Path(name).resolve()
        yield _ask(path, folder, whole), folder


def _ask(path: Path, folder: Path, whole: bool) -> dict[str, Any]:
    """Starts the child and judges its answer."""
    import subprocess

    with path.open("rb") as stream:
        zipped = stream.read(2) == b"PK"
    link = folder / ("scene.usdz" if zipped else "scene.usd")  # OpenUSD goes by names, we by content
    link.symlink_to(path.resolve())
    memory = _SPARE + _TIMES * path.stat().st_size
    child = [sys.executable, "-P", "-m", f"{__package__}.usd_child"]
    command = [*child, str(link), str(folder), str(memory), str(MAX_GAUSSIANS), *(["whole"] if whole else [])]
    # OpenUSD's threads would each reserve memory of their own.
    alone = {"PXR_WORK_THREAD_LIMIT": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **alone},
            timeout=_WAIT_S,
            check=True,
        )
        found: dict[str, Any] = json.loads((folder / "found.json").read_text("utf-8"))
    except (subprocess.SubprocessError, OSError, ValueError) as error:
        raise damaged(path, "OpenUSD cannot read it") from error
    if "error" in found:
        raise _refusal(path, *found["error"])
    if not all(abs(value) < 1e15 for part in found["parts"] for row in part["world"] for value in row):
        raise damaged(path, "a prim lies nowhere")
    return found


def _refusal(path: Path, code: str, what: Any) -> AnixError:
    if code == "E312":
        return too_many(path, int(what))
    if code == "E305":
        return unsupported(path, str(what))
    if code == "outside":
        hint = "Make one file of it: usdcat --flatten -o whole.usdc, then name that."
        return unsupported(path, f"draws on another file, “{what}”", hint)
    return damaged(path, str(what))
