"""Renders the views of a 3D model into a folder, for a screenplay or for anything else."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import Diagnostic, fail
from ..core.screenplay import VIEW_NAMES
from ..store.atomic import check_writable, destination, make_folder, unwritable, writing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

    from ..character.models.figure import Figure

MAKER = "anix character"


@dataclass(frozen=True)
class WrittenViews:
    """Pictures by view's name or angle, and what was noticed of the model."""

    files: Mapping[str, Path]
    facts: Mapping[str, Any]
    notes: tuple[Diagnostic, ...]


def write_views(
    model: Path,
    folder: Path,
    *,
    size_px: int = 1024,
    turntable: int | None = None,
    height_m: float = 1.7,
    overwrite: bool = False,
) -> WrittenViews:
    """Writes front.png, left.png, right.png and back.png; with ``turntable``, so many turn_000.png … as well.

    Raises:
        AnixError: E351 … E356, the model cannot be read; E357, other pictures lie there; E412, E411, they
            cannot be written.
    """
    names = [*VIEW_NAMES, *(_turned(index, turntable) for index in range(turntable or 0))]
    files = {name: folder / f"{name}.png" for name in names}
    make_folder(folder)
    for file in files.values():
        refuse_other(file, overwrite=overwrite)
        check_writable(file)
    from ..character.models.figure import reach_m, stand
    from ..character.models.read import read_model
    from ..character.models.views import ANGLES_DEG, pictures

    figure = stand(read_model(model), height_m)
    angles = [*ANGLES_DEG.values(), *(360 * index / (turntable or 1) for index in range(turntable or 0))]
    for name, picture in zip(names, pictures(figure, angles, size_px=size_px), strict=True):
        save(picture, files[name])
    width, depth = reach_m(figure)
    return WrittenViews(
        files, {**facts_of(figure), "width_m": round(width, 3), "depth_m": round(depth, 3)}, figure.notes
    )


def facts_of(figure: Figure) -> dict[str, Any]:
    """What is told of a model: its size and its parts."""
    model = figure.model
    return {
        "model": str(model.path),
        "height_m": figure.height_m,
        "triangles": sum(len(piece.triangles) for piece in figure.pieces),
        "bones": sorted(figure.roles),
        "clips": [clip.name for clip in model.clips],
    }


def refuse_other(file: Path, *, overwrite: bool) -> None:
    """Raises AnixError E357 where something lies that no character command made."""
    if not overwrite and destination(file).exists() and not _ours(file):
        text = f"{file} exists already, and no character command made it"
        hint = "Name another output, or pass --overwrite to replace it."
        raise fail("E357", text, file=file, hint=hint)


def save(picture: NDArray[np.uint8] | Image.Image, target: Path) -> None:
    """As a PNG that says who made it, so that the next one may replace it."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    about = PngInfo()
    about.add_text("Software", MAKER)
    image = picture if isinstance(picture, Image.Image) else Image.fromarray(picture)
    with writing(target) as partial, unwritable(target):
        image.save(partial, format="PNG", pnginfo=about, compress_level=4)


def _turned(index: int, count: int | None) -> str:
    return f"turn_{round(360 * index / (count or 1)):03d}"


def _ours(path: Path) -> bool:
    from PIL import Image

    try:
        with (
            warnings.catch_warnings(action="ignore"),
            Image.open(destination(path), formats=("PNG",)) as picture,
        ):
            return picture.info.get("Software") == MAKER
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return False
