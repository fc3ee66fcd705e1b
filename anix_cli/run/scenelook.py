"""Draws a scene for a director: a contact sheet of views, and a map to read coordinates off."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import Diagnostic
from ..store.atomic import check_writable, destination, make_folder, unwritable, writing
from .sceneconvert import refuse_taken
from .sceneinfo import rounded, scale_of, significant, span_of, stage_from_written, standing
from .scenesource import SceneSource

if TYPE_CHECKING:
    from PIL import Image

    from ..core.stage import HeightMap
    from ..scene.analysis import Analysis
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


@dataclass(frozen=True)
class Place:
    """What is to be marked: (x, z) on the ground or (x, y, z) exactly, metres on the stage."""

    label: str
    at: tuple[float, ...]


def look_at_scene(
    source: SceneSource,
    folder: Path,
    places: Sequence[Place] = (),
    *,
    eye: tuple[float, ...] | None = None,
    overwrite: bool = False,
) -> Look:
    """Writes ``views.png`` and ``map.png`` into a folder, which is made if it is missing.

    Anchors of a screenplay that have a place are marked, and ``places`` beside them.

    Args:
        eye: (x, z) or (x, y, z) from where the views are taken; found where None.

    Raises:
        AnixError: as ``read_splats``; E435, other pictures lie there; E412, E411, they cannot be written.
    """
    targets = folder / VIEWS, folder / MAP
    make_folder(folder)
    for target in targets:
        refuse_taken(target, overwrite=overwrite or _ours(target))
        check_writable(target)
    from ..core.stage import HeightMap
    from ..scene.analysis import solid_on_stage
    from ..scene.free import free_space
    from ..scene.look import eight_views, map_view, not_flat, reachable, stand_at, standpoint
    from ..scene.mapsheet import grid_of, map_sheet
    from ..scene.sheet import views_sheet

    spec = source.spec
    found, gaussians = source.analysed()
    bounds = not_flat(found.bounds_m)
    ground = found.ground if spec.ground_m is None else HeightMap.level(spec.ground_m)
    floor = ground or HeightMap.level(float(bounds[0][1]))
    solid = solid_on_stage(spec, found)
    room = (
        None if ground is None else free_space(gaussians if solid is None else solid, bounds, ground).standing
    )
    marks = [*_anchors(source, floor), *(_mark(place, floor) for place in places)]
    stand = standpoint(gaussians, bounds, ground, room) if eye is None else stand_at(eye, bounds, floor)
    above = float(stand.at[1] - floor.at(stand.at[[0, 2]]))
    title, span = spec.file.name, span_of(bounds)
    sheet = views_sheet(
        eight_views(gaussians, bounds, stand), stand, marks, title=title, eye_m=above, span=span
    )
    _save(sheet, targets[0])
    view = map_view(gaussians, bounds, ground)
    walked = reachable(room, stand.at[[0, 2]]) if room is not None and stand.inside else None
    views_at = stand.at if stand.inside else None
    about = _about(source, found)
    drawn = map_sheet(view, room, walked, ground, marks, title=title, about=about, views_at=views_at)
    _save(drawn, targets[1])
    facts = {
        **standing(found, ground, gaussians),
        "up": found.up,
        "bounds": [[rounded(value, span) for value in corner] for corner in bounds],
        "views_from": [rounded(value, span) for value in stand.at],
        "inside": stand.inside,
        "pixels_per_metre": significant(view.pixels_per_m),
        "grid": grid_of(view),
        "marks": [_told(mark, room, view, found, span) for mark in marks],
    }
    return Look(targets[0], targets[1], facts, (*source.notes, *source.assumed(found)))


def _anchors(source: SceneSource, ground: HeightMap) -> list[Mark]:
    """Those of the screenplay that have a place on the stage."""
    if source.screenplay is None:
        return []
    import numpy as np

    from ..plan.marks import marks_of
    from ..scene.sheet import Mark

    marks = []
    for name, mark in marks_of(source.screenplay.anchors, ground).items():
        (x, z), foot = mark.xz, float(ground.at(mark.xz))
        at = np.array([x, mark.height_m(ground), z])
        yaw = None if mark.yaw_rad is None else math.degrees(mark.yaw_rad)
        marks.append(Mark(name, at, foot, mark.y_m is not None, yaw))
    return marks


def _mark(place: Place, ground: HeightMap) -> Mark:
    import numpy as np

    from ..scene.sheet import Mark

    x, z = place.at[0], place.at[-1]
    foot, exact = float(ground.at((x, z))), len(place.at) == 3
    return Mark(place.label, np.array([x, place.at[1] if exact else foot, z]), foot, exact)


def _about(source: SceneSource, found: Analysis) -> str:
    """How the scene stands, in a line."""
    from ..scene.stage import confirmed
    from ..scene.upright import SURE_TILT_DEG

    assumed = " (assumed)" if source.spec.scale is None and found.unit == 1 else ""
    turned = ""
    if found.tilt_deg is not None:
        turned = " as its ground confirms" if confirmed(found) else ""
        turned = ", set level by its ground" if found.tilt_deg >= SURE_TILT_DEG else turned
    return f"{found.up} of the file is up{turned}; its unit is {scale_of(found):.4g} m{assumed}"


def _told(
    mark: Mark, room: StandingRoom | None, view: MapView, found: Analysis, span: float
) -> dict[str, Any]:
    import numpy as np

    x, y, z = (float(value) for value in mark.at)
    on_map = view.shows((x, z))
    seen = None if room is None else bool(room.on_floor((x, z)))
    free = None if room is None else bool(room.free((x, z))) and seen
    in_file = np.linalg.solve(stage_from_written(found), (x, y, z, 1.0))[:3]
    return {
        "label": mark.label,
        "x": rounded(x, span),
        "y": rounded(y, span),
        "z": rounded(z, span),
        "exact": mark.exact,
        "face": None if mark.yaw_deg is None else round(mark.yaw_deg, 1) + 0.0,
        "file": [rounded(value, span / scale_of(found)) for value in in_file],
        "ground": rounded(mark.foot_m, span) if on_map and room is not None else None,
        "on_map": on_map,
        "seen": seen,
        "free": free,
    }


def _save(picture: Image.Image, target: Path) -> None:
    """As a PNG that says who made it, so that the next look may replace it."""
    from PIL.PngImagePlugin import PngInfo

    about = PngInfo()
    about.add_text("Software", _MAKER)
    with writing(target) as partial, unwritable(target):
        picture.save(partial, format="PNG", pnginfo=about, compress_level=4)


def _ours(path: Path) -> bool:
    from PIL import Image

    try:
        with (
            warnings.catch_warnings(action="ignore"),
            Image.open(destination(path), formats=("PNG",)) as picture,
        ):
            return picture.info.get("Software") == _MAKER
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return False
