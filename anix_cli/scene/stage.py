"""A scene of a screenplay, opened: its splats on the stage, with bounds and ground."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from anix_cli.core.errors import AnixError, Diagnostic
from anix_cli.core.keys import fingerprint
from anix_cli.core.screenplay import SceneSpec
from anix_cli.core.stage import HeightMap, Stage

from . import kept
from .analysis import ANALYSIS_VERSION, Analysis, analyse, metres_per_unit, solid_on_stage
from .collider import APART, collider_digest
from .content import scene_digest
from .free import FreeSpace, free_space
from .info import unsettled
from .placement import cropped, place
from .read import read_splats
from .upright import SLIGHT_TILT_DEG, SURE_TILT_DEG

if TYPE_CHECKING:
    from anix_cli.core.gaussians import Gaussians
    from anix_cli.store.store import Store

_KEYS = {"E315": "crop"}


class Explain(Protocol):
    """Makes a diagnostic at a key of the screenplay's ``scene:`` ("file", "up", "crop" …)."""

    def __call__(self, key: str, code: str, message: str, **details: Any) -> Diagnostic: ...


class Scene:
    """What planning knows of a scene (``stage``), and what is drawn (``gaussians``: stage frame, metres).

    ``digest`` is that of its content. Of a scene that was planned before, the Gaussians are read when they
    are first asked for; ``loaded`` tells without asking.
    """

    def __init__(
        self,
        stage: Stage,
        digest: str,
        gaussians: Gaussians | None,
        load: Callable[[], Gaussians],
        load_solid: Callable[[], Gaussians | None],
        store: Store | None = None,
    ) -> None:
        self.stage, self.digest, self.loaded = stage, digest, gaussians
        self._load, self._load_solid, self._store = load, load_solid, store

    @property
    def gaussians(self) -> Gaussians:
        if self.loaded is None:
            self.loaded = self._load()
        return self.loaded

    @cached_property
    def free(self) -> FreeSpace:
        """The free space of its collider, or else of its splats; kept in the store like the stage."""
        key = kept.free_key(self.stage.key)
        space = None if self._store is None else kept.load_free(self._store, key)
        if space is None:
            solid = self._load_solid()
            solid = self.gaussians if solid is None else solid
            space = free_space(solid, self.stage.bounds_m, self.stage.ground)
            if self._store is not None:
                kept.keep_free(self._store, key, space)
        return space


def open_scene(spec: SceneSpec, *, explain: Explain | None = None, store: Store | None = None) -> Scene:
    """Reads, places and analyses a scene.

    Args:
        explain: gives problems and assumptions their place in the screenplay; without it they name the file.
        store: keeps what was found out, so that the same scene is not analysed twice.

    Raises:
        AnixError: as ``probe``, E313 for an ``up``, ``scale`` or ``origin`` that cannot be, and E315 where
            ``crop`` leaves nothing.
    """

    def note(key: str, code: str, message: str, **details: Any) -> Diagnostic:
        if explain is not None:
            return explain(key, code, message, **details)
        return Diagnostic(code, message, file=spec.file, **details)

    try:
        digest = scene_digest(spec.file)
        collider = None if spec.collider is None else collider_digest(spec.collider)
        found, gaussians = _analysed(spec, digest, collider, store)
    except AnixError as error:
        if explain is None:
            raise
        raise AnixError(
            explain(key_of(d, spec), d.code, d.message, hint=d.hint) for d in error.diagnostics
        ) from error
    stage = Stage(
        _key(spec, found, digest, collider),
        found.stage_from_file,
        found.bounds_m,
        HeightMap.level(spec.ground_m or 0.0)
        if spec.ground_m is not None or found.ground is None
        else found.ground,
        (*unsettled(found.notes, spec.scale), *assumed(spec, found, note)),
    )

    def load() -> Gaussians:
        return cropped(place(read_splats(spec.file), found.stage_from_file), spec.crop_m)

    return Scene(stage, digest, gaussians, load, lambda: solid_on_stage(spec, found), store)


def key_of(problem: Diagnostic, spec: SceneSpec) -> str:
    """The key of ``scene:`` that a problem is about."""
    if spec.collider is not None and problem.file == spec.collider:
        return "collider"
    key = problem.message.partition(":")[0]
    if problem.code == "E313" and key in ("up", "scale", "origin"):
        return key
    return _KEYS.get(problem.code, "file")


def _analysed(
    spec: SceneSpec, digest: str, collider: str | None, store: Store | None
) -> tuple[Analysis, Gaussians | None]:
    if store is None:
        return analyse(spec)
    key = kept.analysis_key(spec, digest, collider)
    found = kept.load(store, key, spec.file)
    if found is not None:
        return found, None
    found, gaussians = analyse(spec)
    kept.keep(store, key, found)
    return found, gaussians


def assumed(spec: SceneSpec, found: Analysis, note: Explain) -> tuple[Diagnostic, ...]:
    """What had to be taken for granted, as warnings."""
    name, notes = spec.file.name, []
    if spec.up == "auto" and not confirmed(found):
        text = f"up: auto takes {name} to have {found.frame}{_levelled(found)}"
        hint = f"If the scene stands on its head or lies on its side, write another axis than up: {found.up}."
        if found.settled:
            hint = f"If that slope is real, write up: {found.up}, which takes the axis as it is."
        notes.append(note("up", "W301", text, hint=hint))
    if spec.scale is None and all(told.code != "W315" for told in found.notes):
        text = f"scale: auto takes one unit of {name} to be one metre; splat files do not say"
        hint = "Write scale: as metres per unit if the character looks too large or too small."
        notes.append(note("scale", "W302", text, hint=hint))
    if spec.origin is None and any(found.offset):
        x, y, z = found.offset
        text = (
            f"{name} lies far from its own origin; ({x:.10g}, {y:.10g}, {z:.10g}) became the stage's origin"
        )
        notes.append(note("origin", "W307", text, hint="Write origin: to choose the point yourself."))
    if spec.collider is not None and found.collider == APART:
        text = f"{spec.collider.name} lies elsewhere than {name}; the splats themselves are taken as solid"
        hint = "A collider has the coordinates of the splats, or their place with glTF's +y up."
        notes.append(note("collider", "W314", text, hint=hint))
    if spec.ground_m is None and found.ground is None:
        text = f"no ground was found in {name}; characters stand at y = 0"
        hint = "Write ground: as the height in metres on which they are to stand."
        notes.append(note("ground", "W303", text, hint=hint))
    return tuple(notes)


def confirmed(found: Analysis) -> bool:
    """Whether the ground says the same of what is up as the file's axis, and nothing else could be ground."""
    return found.settled and found.tilt_deg is not None and found.tilt_deg <= SLIGHT_TILT_DEG


def _levelled(found: Analysis) -> str:
    """What the scene itself said of the file's axis, to end a sentence."""
    if found.tilt_deg is None:
        return ", which no ground in it confirms"
    turned = f"which leant by {found.tilt_deg:.1f}°" if found.tilt_deg >= SURE_TILT_DEG else ""
    if found.settled:
        return f", and sets it level by its ground, {turned}"
    also = "another side of it looks as much like ground"
    return f", and sets it level, {turned}; but {also}" if turned else f", which fits; but {also}"


def _key(spec: SceneSpec, found: Analysis, digest: str, collider: str | None) -> str:
    """The stage's key; a crop, a levelling and a collider are part of it only where there are any."""
    crop = spec.crop_m if any(spec.crop_m or ()) else None
    turned = found.tilt_deg is not None and found.tilt_deg >= SURE_TILT_DEG
    unit = float(np.linalg.norm(found.stage_from_file[:3, 0]))
    return fingerprint(
        {
            **({} if crop is None else {"crop": crop}),
            **({} if collider is None else {"collider": collider}),
            **({"turned": np.round(found.stage_from_file[:3, :3] / unit, 6)} if turned else {}),
            "scene": 1,
            "analysis": ANALYSIS_VERSION,
            "file": digest,
            "up": found.up,
            "scale": metres_per_unit(spec.scale),
            "origin": None if spec.origin is None else [float(value) for value in spec.origin],
            "ground": None if spec.ground_m is None else float(spec.ground_m),
        }
    )
