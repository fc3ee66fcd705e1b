"""What a splat file is, what was assumed about it, and how it would stand on the stage."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import AnixError, Diagnostic
from ..scene.info import EmptySceneError, SplatInfo
from ..scene.structure import probe, scene_files
from .scenesource import SceneSource

if TYPE_CHECKING:
    from ..core.gaussians import Gaussians
    from ..core.stage import HeightMap
    from ..scene.analysis import Analysis

_DRAWING_BYTES = 96
"""What the rasteriser needs a Gaussian, beside the Gaussian itself."""


def describe(source: SceneSource, *, quick: bool = False) -> dict[str, Any]:
    """All that ``anix scene info`` tells of a scene; keys without an answer are None.

    Lengths are metres on the stage: as the file has them, where nothing says a scale.

    Args:
        quick: look at the structure only, and decode nothing.

    Raises:
        AnixError: as ``read_splats``; but a file that says that it holds no Gaussians is described.
    """
    spec = source.spec
    try:
        info = probe(spec.file)
    except EmptySceneError as empty:
        return _facts(source, empty.info, size=_size(spec.file)) | {"dropped": 0, "kept": 0}
    except AnixError as error:
        raise source.placing(error) from error
    facts = _facts(source, info, size=_size(spec.file))
    if quick:
        return facts | {"warnings": warnings((*source.notes, *info.notes))}
    try:
        found, gaussians = source.analysed()
    except AnixError as error:
        if {problem.code for problem in error.diagnostics} != {"E309"}:
            raise
        told = (*source.notes, *info.notes, *error.diagnostics)
        return facts | {"dropped": info.count, "kept": 0, "warnings": warnings(told)}
    from ..scene.stage import confirmed

    ground = found.ground if spec.ground_m is None else _level(spec.ground_m)
    return facts | {
        "dropped": info.count - _usable(source, len(gaussians)),
        "kept": len(gaussians),
        "up": found.up,
        "tilt_deg": None if found.tilt_deg is None else round(found.tilt_deg, 2),
        "up_confirmed": confirmed(found) if spec.up == "auto" else None,
        **standing(found, ground, gaussians),
        "warnings": warnings((*source.notes, *source.assumed(found))),
    }


def standing(found: Analysis, ground: HeightMap | None, gaussians: Gaussians) -> dict[str, Any]:
    """How a scene stands, as data: the scale, where a point of the file comes to lie, bounds, the ground."""
    stage_from_file, span = stage_from_written(found), span_of(found.bounds_m)
    return {
        "scale": significant(scale_of(found)),
        "bounds": [[rounded(value, span) for value in corner] for corner in found.bounds_m],
        "offset": [float(value) / found.unit for value in found.offset],
        "ground": _heights(ground, gaussians, span),
        "stage_from_file": [[float(value) for value in row] for row in stage_from_file],
    }


def stage_from_written(found: Analysis) -> Any:
    """[4, 4] stage from the file's coordinates in its own unit, in which screenplays give its points."""
    import numpy as np

    return found.stage_from_file @ np.diag([found.unit, found.unit, found.unit, 1.0])


def scale_of(found: Analysis) -> float:
    """Metres per unit of the file."""
    import numpy as np

    return float(np.cbrt(np.linalg.det(stage_from_written(found)[:3, :3])))


def warnings(found: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """Remarks as data."""
    return [{"code": note.code, "message": note.message, "hint": note.hint} for note in found]


def span_of(bounds_m: Any) -> float:
    """The longest side of a box [2, 3]."""
    return float((bounds_m[1] - bounds_m[0]).max())


def rounded(value: float, span: float) -> float:
    """A coordinate to a millionth of the size of the scene, wherever that lies."""
    return round(float(value), 6 - math.floor(math.log10(span))) + 0.0 if span > 0 else float(value)


def significant(value: float) -> float:
    """Six digits of a number."""
    return float(f"{value:.6g}")


def _facts(source: SceneSource, info: SplatInfo, *, size: int) -> dict[str, Any]:
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
        "kept": None,
        "up": info.up if source.spec.up == "auto" else source.spec.up,
        "tilt_deg": None,
        "up_confirmed": None,
        "unit": info.unit,
        "scale": None,
        "scale_source": _scale_source(source, info),
        "bounds": None,
        "ground": None,
        "ground_source": "given" if source.spec.ground_m is not None else "found",
        "offset": None,
        "stage_from_file": None,
        "comments": list(info.comments),
        "memory": {"decoded": decoded, "drawing": decoded + info.count * _DRAWING_BYTES},
        "warnings": [],
    }


def _scale_source(source: SceneSource, info: SplatInfo) -> str:
    """Who says how large a unit is: "given", "file", or "assumed"."""
    if source.spec.scale is not None:
        return "given"
    return "file" if info.metric else "assumed"


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in scene_files(path))


def _usable(source: SceneSource, standing: int) -> int:
    """How many Gaussians of the file can be drawn; with a crop, more than stand on the stage."""
    if source.spec.crop_m is None:
        return standing
    from ..scene import read_splats

    return len(read_splats(source.spec.file).gaussians)


def _level(height_m: float) -> HeightMap:
    from ..core.stage import HeightMap

    return HeightMap.level(height_m)


def _heights(ground: HeightMap | None, gaussians: Gaussians, span: float) -> dict[str, float] | None:
    """Heights of the ground that was filmed: the middle, and between which it lies nearly everywhere."""
    if ground is None:
        return None
    import numpy as np

    from ..scene.ground import filmed_heights

    low, middle, high = np.percentile(filmed_heights(ground, gaussians), (2, 50, 98))
    return {"height": rounded(middle, span), "low": rounded(low, span), "high": rounded(high, span)}
