"""A character given as a 3D model: what plans and pictures need of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from anix_cli.core.errors import Diagnostic
from anix_cli.core.keys import fingerprint
from anix_cli.core.screenplay import VIEW_NAMES

from .measure import Extent
from .views import Rgba

MODEL_VERSION = 1
"""Of what is made from a model: raised when the same file gives other pictures or another extent."""

VIEW_SIZE_PX = 1024


@dataclass(frozen=True)
class Measured:
    """A model as plans know it."""

    extent: Extent
    notes: tuple[Diagnostic, ...]


def model_key(file: Path, height_m: float) -> str:
    """SHA-256 of what identifies a character: its model with all that belongs to it, and its height.

    Raises:
        AnixError: E351 … E355, the file is no model that can be read.
    """
    from .models.read import model_digest

    return fingerprint({"version": MODEL_VERSION, "model": model_digest(file), "height_m": float(height_m)})


def measure_model(file: Path, height_m: float) -> Measured:
    """Width, depth and height of a model at rest, and how long its steps are.

    Raises:
        AnixError: E351 … E356, see :func:`anix_cli.character.models.read.read_model`.
    """
    from .models.acting import Actor
    from .models.figure import reach_m, stand
    from .models.read import read_model

    figure = stand(read_model(file), height_m)
    actor = Actor(figure)
    width, depth = reach_m(figure)
    notes = list(figure.notes)
    if actor.moves() == "rigid":
        text = f"{file.name} has no clips to walk by and no legs that are known; it will glide and bob"
        notes.append(Diagnostic("W353", text, file=file, hint="Export it with its rig and a walk clip."))
    return Measured(Extent(width, depth, height_m, actor.steps), tuple(notes))


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
