"""A character given as a 3D model: what plans and pictures need of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from anix_cli.core.errors import Diagnostic
from anix_cli.core.keys import fingerprint
from anix_cli.core.screenplay import VIEW_NAMES, MotionSpec

from .measure import Extent, measure
from .views import Rgba

MODEL_VERSION = 1
"""Of what is made from a model: raised when the same file gives other pictures or another extent."""

MOTIONS_VERSION = 1
"""Raised when the same motion moves the same body in another way."""

VIEW_SIZE_PX = 1024


@dataclass(frozen=True)
class Measured:
    """A model as plans know it."""

    extent: Extent
    notes: tuple[Diagnostic, ...]
    motions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def model_key(file: Path, height_m: float) -> str:
    """SHA-256 of what identifies a character: its model with all that belongs to it, and its height.

    Raises:
        AnixError: E351 … E355, the file is no model that can be read.
    """
    from .models.read import model_digest

    return fingerprint({"version": MODEL_VERSION, "model": model_digest(file), "height_m": float(height_m)})


def measure_model(
    file: Path, height_m: float, motions: Mapping[str, MotionSpec] = MappingProxyType({})
) -> Measured:
    """Width, depth and height of a model at rest, and how long its steps are.

    Raises:
        AnixError: E351 … E356, see :func:`anix_cli.character.models.read.read_model`; E361 … E366, a motion.
    """
    from .models.acting import Actor
    from .models.figure import reach_m, stand
    from .models.read import read_model
    from .motions.adopt import adopt

    figure = stand(read_model(file), height_m)
    clips, known = adopt(figure, motions)
    actor = Actor(figure, clips)
    width, depth = reach_m(figure)
    notes = [*figure.notes, *(note for each in known for note in each.notes)]
    if actor.moves() == "rigid":
        text = f"{file.name} has no clips to walk by and no legs that are known; it will glide and bob"
        notes.append(Diagnostic("W353", text, file=file, hint="Export it with its rig and a walk clip."))
    facts = {each.name: each.facts for each in known}
    return Measured(Extent(width, depth, height_m, actor.steps), tuple(notes), facts)


def measure_motions(
    views: Mapping[str, Rgba], height_m: float, motions: Mapping[str, MotionSpec]
) -> Measured:
    """A character of four views with its motions: how long its steps are, where one of them is a walk or run.

    Raises:
        AnixError: E345, its views make no body; E361 … E366, a motion that cannot be used.
    """
    from anix_cli import character

    from .models.repertoire import RUN, WALK
    from .motions.adopt import understand
    from .puppet import actor_of
    from .rig import rig

    known = understand(motions)
    extent = measure(views, height_m)
    if any(each.kind in (WALK, RUN) for each in known):
        actor, _ = actor_of(rig(character.hull(views, height_m)), motions)
        extent = replace(extent, steps=actor.steps)
    notes = tuple(note for each in known for note in each.notes)
    return Measured(extent, notes, {each.name: each.facts for each in known})


def key_with_motions(key: str, motions: Mapping[str, MotionSpec]) -> str:
    """A character's key with what its motions hold: as it is where it has none.

    Raises:
        AnixError: E361, a file cannot be read.
    """
    if not motions:
        return key
    from .motions.read import motion_digest

    told = {
        name: [motion_digest(spec), spec.clip, spec.start_s, spec.end_s] for name, spec in motions.items()
    }
    return fingerprint({"version": MOTIONS_VERSION, "identity": key, "motions": told})


class ModelViews(Mapping[str, Rgba]):
    """The four views of a model, rendered when they are first looked at."""

    def __init__(self, file: Path, height_m: float, *, size_px: int = VIEW_SIZE_PX) -> None:
        self._file, self._height_m, self._size_px = file, height_m, size_px
        self._views: Mapping[str, Rgba] | None = None

    def __getitem__(self, name: str) -> Rgba:
        if self._views is None:
            from .models.views import views_of

            self._views = views_of(self._file, size_px=self._size_px, height_m=self._height_m)
        return self._views[name]

    def __iter__(self) -> Iterator[str]:
        return iter(VIEW_NAMES)

    def __len__(self) -> int:
        return len(VIEW_NAMES)
