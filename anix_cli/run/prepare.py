"""Screenplay → Plan: opens what the screenplay names, plans, and looks into the store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import generate
from ..character import Extent, identity_key, measure, read_views, view_warnings
from ..core.clip import Capabilities
from ..core.errors import AnixError, Diagnostic
from ..core.gaussians import Gaussians
from ..core.keys import file_digest
from ..core.plan import Plan, PlannedCharacter, ScenePlacement
from ..core.screenplay import CharacterSpec, Screenplay
from ..media.image import picture_notes
from ..plan.build import build
from ..scene import Scene, open_scene
from ..scene.stage import Explain
from ..store.store import Store
from .places import placed, placing
from .stale import annotate


@dataclass(frozen=True)
class Prepared:
    """A plan, and the scene that was opened for it (on the stage), so that it is read once."""

    plan: Plan
    gaussians: Gaussians


def prepare(
    screenplay: Screenplay, *, backend: str, store: Store, options: Mapping[str, Any] | None = None
) -> Prepared:
    """Plans a film.

    Raises:
        AnixError: all problems of the screenplay and of the files that it names, with their places.
    """
    problems: list[Diagnostic] = []
    capabilities = generate.capabilities(backend)
    problems.extend(_backend_fits(screenplay, backend, capabilities))
    scene: Scene | None = None
    with placing(screenplay, ("scene", "file"), problems):
        scene = open_scene(screenplay.scene, explain=_explain(screenplay))
    cast: list[PlannedCharacter] = []
    extents: dict[str, Extent] = {}
    notes: list[Diagnostic] = []
    for name, spec in screenplay.characters.items():
        with placing(screenplay, ("characters", name, "views"), problems):
            member, extent, remarks = _cast_member(name, spec)
            cast.append(member)
            extents[name] = extent
            notes.extend(placed(screenplay, ("characters", name, "views"), remark) for remark in remarks)
    if problems or scene is None:
        raise AnixError(problems)
    notes.extend(placed(screenplay, ("scene",), note) for note in scene.stage.notes)
    plan = build(
        screenplay,
        scene.stage,
        capabilities=capabilities,
        backend=backend,
        options=options or {},
        cast=tuple(cast),
        extents=extents,
        scene=_placement(screenplay.scene.file, scene),
        store=store.root,
    )
    plan = replace(plan, notes=(*screenplay.notes, *notes, *plan.notes))
    return Prepared(annotate(plan, store), scene.gaussians)


def _explain(screenplay: Screenplay) -> Explain:
    """Puts what the scene says of itself at the key of ``scene:`` that could say otherwise."""

    def explain(key: str, code: str, message: str, **details: Any) -> Diagnostic:
        return screenplay.diagnostic(("scene", key), code, message, **details)

    return explain


def _placement(file: Path, scene: Scene) -> ScenePlacement:
    low, high = scene.stage.bounds_m
    return ScenePlacement(
        file=file,
        key=scene.stage.key,
        digest=file_digest(file),
        stage_from_file=scene.stage.stage_from_file,
        extent_m=float(np.linalg.norm(high - low)),
    )


def _cast_member(name: str, spec: CharacterSpec) -> tuple[PlannedCharacter, Extent, tuple[Diagnostic, ...]]:
    views = read_views(spec.views)
    key = identity_key(views, spec.height_m)
    member = PlannedCharacter(name, spec.views, key, spec.height_m, spec.description)
    remarks = [note for path in spec.views.values() for note in picture_notes(path)]
    return member, measure(views, spec.height_m), (*remarks, *view_warnings(views, spec.views))


def _backend_fits(screenplay: Screenplay, name: str, capabilities: Capabilities) -> Iterator[Diagnostic]:
    step = capabilities.size_multiple
    width, height = screenplay.film.size_px
    if width % step or height % step:
        near = f"{max(step, round(width / step) * step)}x{max(step, round(height / step) * step)}"
        yield screenplay.diagnostic(
            ("film", "size"),
            "E191",
            f"size {width}x{height}: the backend {name} needs multiples of {step}",
            found=f"{width}x{height}",
            expected=f"multiples of {step}",
            hint=f"use {near}",
        )
    if capabilities.fps and screenplay.film.fps not in (None, capabilities.fps):
        yield screenplay.diagnostic(
            ("film", "fps"),
            "E192",
            f"the backend {name} makes {capabilities.fps} frames a second; other rates are not supported yet",
            hint=f"leave film.fps out, or write {capabilities.fps}",
        )
