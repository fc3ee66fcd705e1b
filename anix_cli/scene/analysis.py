"""What is worked out of a scene once: how it stands, how far it reaches, and where its ground is."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import AnixError, Diagnostic, fail
from anix_cli.core.gaussians import Gaussians
from anix_cli.core.screenplay import ScaleReference, SceneSpec
from anix_cli.core.stage import HeightMap

from .bounds import robust_bounds
from .collider import APART, collider_frame, read_collider
from .ground import find_ground
from .info import SplatFile
from .placement import check_place, cropped, place, put, similarity
from .read import read_splats
from .upright import Up, find_up, levelling

F64 = NDArray[np.float64]

ANALYSIS_VERSION = 8
"""Part of every stage's key: to be raised whenever the same scene gets another stage."""
_FAINTEST = 1 / 255
"""What covers less of a pixel is not drawn."""


@dataclass(frozen=True)
class Analysis:
    """A scene as it stands on the stage.

    Attributes:
        up: the axis of the file from which up was taken ("-y"), with ``frame`` in words.
        tilt_deg: how far from that axis the ground or its walls were found to lean; None where that was not
            looked for or not found.
        settled: nothing but the ground that was found could be its ground, whichever way it stands.
        stage_from_file: [4, 4] float64 similarity; with ``up: auto`` it sets the ground level.
        offset: as ``SplatFile.offset``, with ``unit`` as ``SplatInfo.unit``.
        bounds_m: [2, 3] float64 robust corners.
        ground: None where none was found.
        collider: in which frame the collider lies, see ``collider.py``; "" where there is none.
        notes: warnings about the file.
    """

    up: str
    frame: str
    tilt_deg: float | None
    settled: bool
    stage_from_file: F64
    offset: tuple[float, float, float]
    unit: float
    bounds_m: F64
    ground: HeightMap | None
    collider: str
    notes: tuple[Diagnostic, ...]


def analyse(spec: SceneSpec) -> tuple[Analysis, Gaussians]:
    """Reads a scene and works out its stage; the Gaussians come placed and cropped.

    Raises:
        AnixError: as ``read_splats``, with E309 also for a scene that is all transparent; E313 for an ``up``,
            ``scale`` or ``origin`` that cannot be, or with which the scene cannot be drawn, and E315 where
            ``crop`` leaves nothing; as ``read_collider``.
    """
    splats = read_splats(spec.file)
    _check_visible(splats)
    up = splats.info.up if spec.up == "auto" else spec.up
    as_said = similarity(up, *_placed(spec, splats))
    if spec.scale is not None or spec.origin is not None:
        check_place(splats, as_said, scale=metres_per_unit(spec.scale), origin=spec.origin)
    frame = "" if spec.collider is None else collider_frame(spec.collider, splats, up)
    solid = splats
    if spec.collider is not None and frame != APART:
        solid = replace(
            splats, gaussians=read_collider(spec.collider, frame, up, splats.info.unit, splats.offset)
        )
    upright = _upright(spec, solid, as_said) if spec.up == "auto" else None
    stage_from_file = _turned(as_said, levelling(upright))
    gaussians, bounds, ground = _stand(spec, splats, solid, stage_from_file)
    if upright is not None and ground is None:  # what looked like up has no ground to walk on
        upright = None
        if stage_from_file is not as_said:
            stage_from_file = as_said
            gaussians, bounds, ground = _stand(spec, splats, solid, as_said)
    found = Analysis(
        up=up,
        frame=splats.info.frame,
        tilt_deg=None if upright is None else upright.tilt_deg,
        settled=upright is not None and upright.settled,
        stage_from_file=stage_from_file,
        offset=splats.offset,
        unit=splats.info.unit,
        bounds_m=bounds,
        ground=ground,
        collider=frame,
        notes=tuple(replace(note, file=spec.file) for note in splats.notes),
    )
    return found, gaussians


def _check_visible(splats: SplatFile) -> None:
    if splats.gaussians.opacities.max() < _FAINTEST:
        name, count = splats.info.path.name, len(splats.gaussians)
        raise fail(
            "E309",
            f"{name} has {count:,} Gaussians, but none can be seen: all have an opacity below 1/255",
            file=splats.info.path,
            hint="The training or export that made the file failed: make it again.",
        )


def _placed(spec: SceneSpec, splats: SplatFile) -> tuple[float, tuple[float, float, float] | None]:
    """(metres per unit of the decoded scene, its point that becomes the origin)."""
    unit = splats.info.unit
    scale = metres_per_unit(spec.scale, unit)
    if isinstance(spec.scale, float | int) and splats.info.metric:
        scale /= unit  # what is written stands against what the file says, not on top of it
    if spec.origin is None:
        return scale, splats.offset if any(splats.offset) else None
    x, y, z = (value * unit for value in spec.origin)
    return scale, (x, y, z)


def solid_on_stage(spec: SceneSpec, found: Analysis) -> Gaussians | None:
    """The collider's surface on the stage; None where there is none, or it does not fit."""
    if spec.collider is None or found.collider == APART:
        return None
    solid = read_collider(spec.collider, found.collider, found.up, found.unit, found.offset)
    return cropped(put(solid, found.stage_from_file, found.offset), spec.crop_m)


def metres_per_unit(scale: float | ScaleReference | None, unit: float = 1.0) -> float:
    """How many metres a unit of the decoded scene is: one where nothing is written.

    Args:
        unit: what one unit of the file, in which a reference is written, became in the decoded scene.

    Raises:
        AnixError: E313, the two points of a reference are one.
    """
    if not isinstance(scale, ScaleReference):
        return 1.0 if scale is None else scale
    length = float(np.linalg.norm(np.subtract(*np.array(scale.reference, dtype=np.float64))))
    if not length > 0:
        raise fail("E313", "scale: the two points of the reference are the same, which gives no length")
    return scale.metres / (length * unit)


def _upright(spec: SceneSpec, splats: SplatFile, stage_from_file: F64) -> Up | None:
    # Colours play no part: without them a large scene is turned in a moment.
    bare = replace(splats.gaussians, sh=splats.gaussians.sh[:, :1])
    gaussians = cropped(place(replace(splats, gaussians=bare), stage_from_file), spec.crop_m)
    return find_up(gaussians, robust_bounds(gaussians)) if len(gaussians) else None


def _turned(stage_from_file: F64, rotation: F64) -> F64:
    """The placement, turned about the stage's origin; the very same object where nothing turns."""
    if np.array_equal(rotation, np.eye(3)):
        return stage_from_file
    turned = np.eye(4)
    turned[:3, :3] = rotation
    return np.asarray(turned @ stage_from_file)


def _stand(
    spec: SceneSpec, splats: SplatFile, solid: SplatFile, stage_from_file: F64
) -> tuple[Gaussians, F64, HeightMap | None]:
    """The scene placed and cropped, with its bounds and the ground of what is solid in it."""
    whole = place(splats, stage_from_file)
    gaussians = cropped(whole, spec.crop_m)
    if not len(gaussians):
        raise AnixError(_all_cropped(spec, whole))
    bounds = robust_bounds(gaussians)
    if solid is splats:
        return gaussians, bounds, find_ground(gaussians, bounds)
    return gaussians, bounds, find_ground(cropped(place(solid, stage_from_file), spec.crop_m), bounds)


def _all_cropped(spec: SceneSpec, gaussians: Gaussians) -> Diagnostic:
    """E315, with where the scene is."""
    low, high = robust_bounds(gaussians)
    reach = ", ".join(f"{axis} from {low[at]:.1f} to {high[at]:.1f}" for at, axis in enumerate("xyz"))
    text = f"crop leaves nothing of {spec.file.name}, which reaches {reach} m on the stage"
    hint = "Write limits that overlap these, or remove crop."
    return Diagnostic("E315", text, file=spec.file, hint=hint)
