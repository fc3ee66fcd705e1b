"""Draws a scene for a director: a contact sheet of views, and a map to read coordinates off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import Diagnostic
from ..core.screenplay import SceneSpec
from ..store.atomic import check_writable, make_folder, unwritable, writing
from .sceneconvert import taken
from .sceneinfo import assumed

if TYPE_CHECKING:
    from PIL import Image

    from ..scene.look import MapView
    from ..scene.sheet import Mark
    from ..scene.standing import StandingRoom

VIEWS, MAP = "views.png", "map.png"
_MAKER = "anix scene look"


@dataclass(frozen=True)
class Look:
    """The two pictures, what they show in numbers, and what was noticed."""

    views: Path
    map: Path
    facts: dict[str, Any]
    notes: tuple[Diagnostic, ...]


def look_at_scene(
    spec: SceneSpec,
    folder: Path,
    places: Sequence[tuple[str, tuple[float, float]]],
    *,
    overwrite: bool = False,
) -> Look:
    """Writes ``views.png`` and ``map.png`` into a folder, which is made if it is missing.

    Args:
        places: (label, (x, z)) of marks to draw, metres on the stage.

    Raises:
        AnixError: as ``read_splats``; E435, other pictures lie there; E412, E411, they cannot be written.
    """
    targets = folder / VIEWS, folder / MAP
    make_folder(folder)
    for target in targets:
        if target.exists() and not overwrite and not _ours(target):
            raise taken(target)
        check_writable(target)
    import numpy as np

    from ..core.stage import HeightMap
    from ..scene.analysis import analyse
    from ..scene.free import free_space
    from ..scene.look import eight_views, map_view, not_flat, reachable, standpoint
    from ..scene.sheet import Mark, grid_step, map_sheet, views_sheet

    found, gaussians = analyse(spec)
    ground, bounds = found.ground, not_flat(found.bounds_m)
    floor = ground or HeightMap.level(float(bounds[0][1]))
    room = None if ground is None else free_space(gaussians, bounds, ground).standing
    marks = [Mark(label, np.array([x, float(floor.at((x, z))), z])) for label, (x, z) in places]
    stand = standpoint(gaussians, bounds, ground, room)
    eye = float(stand.at[1] - floor.at(stand.at[[0, 2]]))
    title = spec.file.name
    sheet = views_sheet(eight_views(gaussians, bounds, stand), stand, marks, title=title, eye_m=eye)
    _save(sheet, targets[0])
    view = map_view(gaussians, bounds, ground)
    walked = reachable(room, stand.at[[0, 2]]) if room is not None and stand.inside else None
    _save(map_sheet(view, room, walked, ground, marks, title=title), targets[1])
    facts = {
        "bounds": [[round(float(value), 3) for value in corner] for corner in bounds],
        "views_from": [round(float(value), 3) for value in stand.at],
        "inside": stand.inside,
        "pixels_per_metre": round(view.pixels_per_m, 4),
        "grid": grid_step(view.pixels_per_m),
        "marks": [_told(mark, room, view) for mark in marks],
    }
    return Look(targets[0], targets[1], facts, (*found.notes, *assumed(spec, found)))


def _told(mark: Mark, room: StandingRoom | None, view: MapView) -> dict[str, Any]:
    x, y, z = (round(float(value), 3) for value in mark.at)
    seen = None if room is None else bool(room.on_floor((x, z)))
    free = None if room is None else bool(room.free((x, z))) and seen
    return {
        "label": mark.label,
        "x": x,
        "z": z,
        "ground": None if room is None else y,
        "on_map": view.shows((x, z)),
        "seen": seen,
        "free": free,
    }


def _save(picture: Image.Image, target: Path) -> None:
    """As a PNG that says who made it, so that the next look may replace it."""
    from PIL.PngImagePlugin import PngInfo

    about = PngInfo()
    about.add_text("Software", _MAKER)
    with writing(target) as partial, unwritable(target):
        picture.save(partial, format="PNG", pnginfo=about)


def _ours(path: Path) -> bool:
    from PIL import Image

    try:
        with Image.open(path, formats=("PNG",)) as picture:
            return picture.info.get("Software") == _MAKER
    except (OSError, ValueError, SyntaxError):
        return False
