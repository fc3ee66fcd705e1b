"""Screenplay → Plan: opens what the screenplay names, plans, and looks into the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import generate
from ..character import Extent
from ..core.errors import AnixError, Diagnostic
from ..core.gaussians import Gaussians
from ..core.plan import Plan, PlannedCharacter, ScenePlacement
from ..core.screenplay import Screenplay
from ..plan.build import build
from ..scene import Scene, open_scene
from ..scene.stage import Explain
from ..store.store import Store
from .camerapaths import camera_paths, path_problems
from .fits import fits, no_rig
from .identity import identity_of
from .places import placed, placing
from .sounds import sound_problems, with_sounds
from .stale import annotate
from .unshown import unshown

_NOT_IN_THE_SCENE = {"E213", "E214"}
_WHERE_THINGS_ARE = {"W301", "W302", "W307"}


@dataclass(frozen=True)
class Prepared:
    """A plan, and the scene that was opened for it."""

    plan: Plan
    scene: Scene

    @property
    def gaussians(self) -> Gaussians | None:
        """On the stage, if the scene had to be read for the plan: a known one need not."""
        return self.scene.loaded


def prepare(screenplay: Screenplay, *, backend: str, store: Store, candidates: int | None = None) -> Prepared:
    """Plans a film.

    Args:
        candidates: so many variants of every shot are to be made, instead of what the screenplay says.

    Raises:
        AnixError: all problems of the screenplay and of the files that it names, with their places.
    """
    problems: list[Diagnostic] = []
    capabilities = generate.capabilities(backend)
    asked = list(fits(screenplay, backend, capabilities))
    problems.extend(found for found in asked if found.severity == "error")
    scene: Scene | None = None
    with placing(screenplay, ("scene", "file"), problems):
        scene = open_scene(screenplay.scene, explain=_explain(screenplay), store=store)
    cast: list[PlannedCharacter] = []
    extents: dict[str, Extent] = {}
    notes = [found for found in asked if found.severity == "warning"]
    for name, spec in screenplay.characters.items():
        where = ("characters", name, "views" if spec.model is None else "model")
        with placing(screenplay, where, problems):
            identity = identity_of(spec, store)
            member = PlannedCharacter(
                name,
                spec.views,
                identity.key,
                spec.height_m,
                spec.description,
                spec.model,
                spec.motions,
            )
            cast.append(member)
            extents[name] = identity.extent
            notes.extend(placed(screenplay, where, remark) for remark in identity.remarks)
            if capabilities.needs_rig and not identity.rigged:
                problems.append(no_rig(screenplay, where, name, backend))
    problems.extend(sound_problems(screenplay))
    problems.extend(path_problems(screenplay))
    if problems or scene is None:
        raise AnixError(problems)
    assumed = [placed(screenplay, ("scene",), note) for note in scene.stage.notes]
    notes.extend(assumed)
    with _with_likely_causes(assumed):
        plan = build(
            screenplay,
            scene.stage,
            capabilities=capabilities,
            backend=backend,
            cast=tuple(cast),
            extents=extents,
            scene=_placement(screenplay, scene),
            store=store.root,
            paths=camera_paths(screenplay),
            space=scene.free,
            room=None if scene.free is None else scene.free.standing,
        )
    plan = with_sounds(plan, screenplay)
    if {"blocking", "scene"} <= capabilities.uses:  # draws bodies itself
        notes.extend(unshown(screenplay, plan))
    plan = replace(plan, notes=(*screenplay.notes, *notes, *plan.notes))
    plan = annotate(plan, store)
    if (candidates or max(spec.candidates for spec in screenplay.shots)) > 1:
        from .candidates import with_candidates_counted  # brings what makes clips

        plan = with_candidates_counted(plan, screenplay, store, candidates)
    return Prepared(plan, scene)


@contextmanager
def _with_likely_causes(assumed: list[Diagnostic]) -> Iterator[None]:
    """Says what was assumed of the scene's unit, axis and origin beside a place that is not in it."""
    try:
        yield
    except AnixError as error:
        if not any(found.code in _NOT_IN_THE_SCENE for found in error.diagnostics):
            raise
        likely = (note for note in assumed if note.code in _WHERE_THINGS_ARE)
        raise AnixError((*error.diagnostics, *likely)) from error


def _explain(screenplay: Screenplay) -> Explain:
    """Puts what the scene says of itself at the key of ``scene:`` that could say otherwise."""

    def explain(key: str, code: str, message: str, **details: Any) -> Diagnostic:
        return screenplay.diagnostic(("scene", key), code, message, **details)

    return explain


def _placement(screenplay: Screenplay, scene: Scene) -> ScenePlacement:
    low, high = scene.stage.bounds_m
    file = screenplay.scene.file
    return ScenePlacement(
        file=file,
        key=scene.stage.key,
        digest=scene.digest,
        stage_from_file=scene.stage.stage_from_file,
        extent_m=float(np.linalg.norm(high - low)),
        background_rgb=screenplay.film.background_rgb,
        crop_m=screenplay.scene.crop_m,
    )
