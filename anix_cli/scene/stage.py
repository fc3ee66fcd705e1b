"""A scene of a screenplay, opened: its splats on the stage, with bounds and ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import AnixError, Diagnostic
from anix_cli.core.gaussians import Gaussians
from anix_cli.core.keys import fingerprint
from anix_cli.core.screenplay import SceneSpec
from anix_cli.core.stage import HeightMap, Stage

from .content import scene_digest
from .ground import ANALYSIS_VERSION, find_ground
from .info import SplatFile
from .placement import similarity, transform
from .read import read_splats

F64 = NDArray[np.float64]
Crop = tuple[tuple[float, float] | None, ...]


class Explain(Protocol):
    """Makes a diagnostic at a key of the screenplay's ``scene:`` ("file", "up", "crop" …)."""

    def __call__(self, key: str, code: str, message: str, **details: Any) -> Diagnostic: ...


@dataclass(frozen=True)
class Scene:
    """What is drawn (``gaussians``, stage frame, metres) and what planning knows of it (``stage``)."""

    gaussians: Gaussians
    stage: Stage


def open_scene(spec: SceneSpec, *, explain: Explain | None = None) -> Scene:
    """Reads, places and analyses a scene.

    Args:
        explain: gives problems and assumptions their place in the screenplay; without it they name the file.

    Raises:
        AnixError: as ``probe``, E313 for an ``up``, ``scale`` or ``origin`` that cannot be, and E315 where
            ``crop`` leaves nothing.
    """

    def note(key: str, code: str, message: str, **details: Any) -> Diagnostic:
        if explain is not None:
            return explain(key, code, message, **details)
        return Diagnostic(code, message, file=spec.file, **details)

    try:
        splats = read_splats(spec.file)
        up = splats.info.up if spec.up == "auto" else spec.up
        placement, assumed = _placement(spec, splats, up, note)
    except AnixError as error:
        if explain is None:
            raise
        raise AnixError(explain("file", d.code, d.message, hint=d.hint) for d in error.diagnostics) from error
    whole = place(splats, placement)
    gaussians = cropped(whole, spec.crop_m)
    if not len(gaussians):
        raise AnixError(_all_cropped(spec, whole, note))
    bounds = robust_bounds(gaussians)
    ground, unfound = _ground(spec, gaussians, bounds, note)
    stage = Stage(_key(spec, up), placement, bounds, ground, (*splats.notes, *assumed, *unfound))
    return Scene(gaussians, stage)


def place(splats: SplatFile, stage_from_file: F64) -> Gaussians:
    """The Gaussians of a file on the stage; what was taken off far-away means is put back in float64.

    Args:
        stage_from_file: [4, 4] similarity, as ``Stage.stage_from_file``.
    """
    shifted = np.array(stage_from_file, dtype=np.float64)
    shifted[:3, 3] += shifted[:3, :3] @ np.array(splats.offset)
    return transform(splats.gaussians, shifted)


def cropped(gaussians: Gaussians, crop_m: Crop | None) -> Gaussians:
    """The Gaussians whose means lie between the limits (both included), the rest left out.

    Args:
        gaussians: stage frame.
        crop_m: low and high along x, y and z, metres; None is open.
    """
    keep = np.ones(len(gaussians), dtype=bool)
    for axis, limits in enumerate(crop_m or ()):
        if limits is not None:
            means = gaussians.means[:, axis]
            keep &= (means >= limits[0]) & (means <= limits[1])
    return gaussians if keep.all() else gaussians.take(keep)


def _all_cropped(spec: SceneSpec, gaussians: Gaussians, note: Explain) -> Diagnostic:
    """E315, with where the scene is."""
    low, high = robust_bounds(gaussians)
    reach = ", ".join(f"{axis} from {low[at]:.1f} to {high[at]:.1f}" for at, axis in enumerate("xyz"))
    text = f"crop leaves nothing of {spec.file.name}, which reaches {reach} m on the stage"
    return note("crop", "E315", text, hint="Write limits that overlap these, or remove crop.")


def _placement(
    spec: SceneSpec, splats: SplatFile, up: str, note: Explain
) -> tuple[F64, tuple[Diagnostic, ...]]:
    """stage_from_file, and what had to be assumed for it."""
    name, notes = spec.file.name, []
    if spec.up == "auto":
        text = f"up: auto takes {name} to have {splats.info.frame}"
        hint = f"If the scene stands on its head or lies on its side, write another axis than up: {up}."
        notes.append(note("up", "W301", text, hint=hint))
    if spec.scale is None:
        text = f"scale: auto takes one unit of {name} to be one metre; splat files do not say"
        hint = "Write scale: as metres per unit if the character looks too large or too small."
        notes.append(note("scale", "W302", text, hint=hint))
    origin = spec.origin
    if origin is None and any(splats.offset):
        origin = splats.offset
        x, y, z = origin
        text = f"{name} lies far from its own origin; ({x:g}, {y:g}, {z:g}) became the stage's origin"
        notes.append(note("origin", "W307", text, hint="Write origin: to choose the point yourself."))
    return similarity(up, 1.0 if spec.scale is None else spec.scale, origin), tuple(notes)


def _ground(
    spec: SceneSpec, gaussians: Gaussians, bounds: F64, note: Explain
) -> tuple[HeightMap, tuple[Diagnostic, ...]]:
    if spec.ground_m is not None:
        return HeightMap.level(spec.ground_m), ()
    found = find_ground(gaussians, bounds)
    if found is not None:
        return found, ()
    text = f"no ground was found in {spec.file.name}; characters stand at y = 0"
    hint = "Write ground: as the height in metres on which they are to stand."
    return HeightMap.level(0.0), (note("ground", "W303", text, hint=hint),)


def _key(spec: SceneSpec, up: str) -> str:
    """The stage's key; a crop is part of it only where there is one."""
    crop = spec.crop_m if any(spec.crop_m or ()) else None
    return fingerprint(
        {
            **({} if crop is None else {"crop": crop}),
            "scene": 1,
            "analysis": ANALYSIS_VERSION,
            "file": scene_digest(spec.file),
            "up": up,
            "scale": 1.0 if spec.scale is None else float(spec.scale),
            "origin": None if spec.origin is None else [float(value) for value in spec.origin],
            "ground": None if spec.ground_m is None else float(spec.ground_m),
        }
    )


def robust_bounds(gaussians: Gaussians) -> F64:
    """[2, 3] float64: the 1st and 99th percentile of the means on each axis, weighted by opacity over size.

    Size is the largest standard deviation, at least that of the finest tenth. Splats are about as large as
    their distance from the cameras that saw them, so what was filmed counts and a sky of huge far Gaussians
    does not.
    """
    sizes = np.maximum.reduce(gaussians.scales.T)
    finest = float(np.percentile(sizes, 10))
    weights = gaussians.opacities.astype(np.float64) / np.maximum(sizes, max(finest, 1e-12))
    if not weights.sum() > 0:
        weights = np.ones(len(gaussians))
    corners = np.empty((2, 3))
    for axis in range(3):
        values = gaussians.means[:, axis]
        order = np.argsort(values, kind="stable")
        total = np.cumsum(weights[order])
        at = np.searchsorted(total, total[-1] * np.array([0.01, 0.99]))
        corners[:, axis] = values[order][np.minimum(at, len(values) - 1)]
    return corners
