"""What a splat file is, what was assumed about it, and how it would stand on the stage."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import AnixError, Diagnostic
from ..core.screenplay import SceneSpec
from ..scene.info import EmptySceneError, SplatInfo
from ..scene.structure import probe, scene_files

if TYPE_CHECKING:
    from ..core.stage import HeightMap
    from ..scene.analysis import Analysis

_DRAWING_BYTES = 96
"""What the rasteriser needs a Gaussian, beside the Gaussian itself."""


def describe(spec: SceneSpec, *, quick: bool = False) -> dict[str, Any]:
    """All that ``anix scene info`` tells of ``spec.file``; keys without an answer are None.

    Lengths are metres on the stage: as the file has them, where ``spec`` gives no scale.

    Args:
        quick: look at the structure only, and decode nothing.

    Raises:
        AnixError: as ``read_splats``; but a file that says that it holds no Gaussians is described.
    """
    try:
        info = probe(spec.file)
    except EmptySceneError as empty:
        return _facts(spec, empty.info, size=_size(spec.file)) | {"dropped": 0}
    facts = _facts(spec, info, size=_size(spec.file))
    if quick:
        return facts | {"warnings": warnings(info.notes)}
    from ..scene.analysis import analyse

    try:
        found, gaussians = analyse(spec)
    except AnixError as error:
        if {problem.code for problem in error.diagnostics} != {"E309"}:
            raise
        return facts | {"dropped": info.count, "warnings": warnings((*info.notes, *error.diagnostics))}
    return facts | {
        "dropped": info.count - len(gaussians),
        "bounds": [[_number(value) for value in corner] for corner in found.bounds_m],
        "up": found.up,
        "tilt_deg": None if found.tilt_deg is None else round(found.tilt_deg, 2),
        "offset": [float(value) for value in found.offset],
        "ground": _ground(found.ground),
        "warnings": warnings((*found.notes, *assumed(spec, found))),
    }


def warnings(found: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """Remarks as data."""
    return [{"code": note.code, "message": note.message, "hint": note.hint} for note in found]


def _facts(spec: SceneSpec, info: SplatInfo, *, size: int) -> dict[str, Any]:
    decoded = info.count * 4 * (11 + 3 * (info.sh_degree + 1) ** 2)
    return {
        "file": str(info.path),
        "format": info.format,
        "bytes": size,
        "count": info.count,
        "points": info.points,
        "sh_degree": info.sh_degree,
        "frame": f"{info.up} up",
        "frame_source": info.up_source,
        "antialiased": info.antialiased,
        "dropped": None,
        "bounds": None,
        "up": info.up if spec.up == "auto" else spec.up,
        "tilt_deg": None,
        "unit": info.unit,
        "offset": None,
        "ground": None,
        "comments": list(info.comments),
        "memory": {"decoded": decoded, "drawing": decoded + info.count * _DRAWING_BYTES},
        "warnings": [],
    }


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in scene_files(path))


def _ground(ground: HeightMap | None) -> dict[str, float] | None:
    """Heights of the ground: the middle, and between which it lies nearly everywhere."""
    if ground is None:
        return None
    import numpy as np

    low, middle, high = np.percentile(ground.heights_m, (2, 50, 98))
    return {"height": _number(middle), "low": _number(low), "high": _number(high)}


def assumed(spec: SceneSpec, found: Analysis) -> tuple[Diagnostic, ...]:
    """What a director should know of how a scene was placed, beyond the frame of its format."""
    notes = []
    if spec.origin is None and any(found.offset):
        notes.append(moved(spec.file, found.offset))
    if found.ground is None:
        text = f"no ground was found in {spec.file.name}: no broad level surface with nothing below it"
        hint = "If it has one, give another up; a screenplay can give its height as scene: {ground: …}."
        notes.append(Diagnostic("W303", text, file=spec.file, hint=hint))
    return tuple(notes)


def moved(file: Path, offset: tuple[float, float, float]) -> Diagnostic:
    """W307: where the origin of a scene went that lies far from its own."""
    x, y, z = offset
    text = f"{file.name} lies far from its origin; ({x:.10g}, {y:.10g}, {z:.10g}) became the origin"
    return Diagnostic("W307", text, file=file, hint="--origin chooses another point.")


def _number(value: float) -> float:
    return float(f"{value:.6g}")
