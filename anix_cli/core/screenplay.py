"""A screenplay as written, with defaults applied and positions kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

from .errors import Diagnostic, Span

PathInFile = tuple[str | int, ...]

VIEW_NAMES = ("front", "left", "right", "back")


@dataclass(frozen=True)
class FilmSpec:
    """``film:``. ``fps`` None means the backend's own rate."""

    size_px: tuple[int, int] = (832, 480)
    fps: Fraction | None = None
    seed: int = 0


@dataclass(frozen=True)
class SceneSpec:
    """``scene:``. ``scale`` is metres per unit of the file, None = auto (one, with a warning).

    ``up`` is the direction of the file's axes that points up ("+y", "-y", "+z", …) or "auto".
    ``origin`` is the point of the file, in its own coordinates, that becomes the stage's origin.
    ``ground_m`` is a level ground height on the stage, None = found from the scene.
    """

    file: Path
    up: str = "auto"
    scale: float | None = None
    origin: tuple[float, float, float] | None = None
    ground_m: float | None = None


@dataclass(frozen=True)
class CharacterSpec:
    """A character: four views (names of ``VIEW_NAMES``), height in metres, one line of description."""

    views: Mapping[str, Path]
    height_m: float = 1.7
    description: str = ""


@dataclass(frozen=True)
class AnchorSpec:
    """``at`` is (x, z) on the ground or (x, y, z) exactly; ``face`` an anchor's name or a yaw in degrees."""

    at: tuple[float, ...]
    face: str | float | None = None


@dataclass(frozen=True)
class CameraSpec:
    """``camera:``. ``move`` is "auto" or a move's name; a parameter that is not written is None.

    Attributes:
        degrees: angle of an orbit.
        direction: "left" or "right": where the camera goes, seen through it.
        up_m: how far a crane rises.
        side: where a camera stands, relative to the character: front|behind|left|right.
        frame: wide|full|medium|close, how much of the picture the character fills.
        distance_m, height_m: from the character, and above the ground; override ``frame``.
        lens_mm, fov_y_deg: focal length on a 36 mm wide sensor, or vertical field of view; never both.
    """

    move: str = "auto"
    degrees: float | None = None
    direction: str | None = None
    up_m: float | None = None
    side: str | None = None
    frame: str | None = None
    distance_m: float | None = None
    height_m: float | None = None
    lens_mm: float | None = None
    fov_y_deg: float | None = None


@dataclass(frozen=True)
class ShotSpec:
    """One entry of ``shots:`` after ``defaults:``. ``fade_s`` is ``transition: {fade: …}``."""

    id: str
    command: str
    duration_s: Fraction
    character: str | None = None
    anchor: str | None = None
    camera: CameraSpec = CameraSpec()
    cut: bool = False
    fade_s: float = 0.0


@dataclass(frozen=True)
class Screenplay:
    """A whole file.

    Attributes:
        path: the file, absolute (or "-" for standard input); relative paths in it are resolved already.
        positions: place of each value in the file, by its path of keys and indices
            (``("shots", 2, "command")``); a mapping's or list's own place is that of its key.
        lines: the file's text, line by line, for messages.
        notes: warnings found while reading.
    """

    path: Path
    title: str
    film: FilmSpec
    scene: SceneSpec
    characters: Mapping[str, CharacterSpec]
    anchors: Mapping[str, AnchorSpec]
    shots: tuple[ShotSpec, ...]
    positions: Mapping[PathInFile, Span] = field(default_factory=lambda: MappingProxyType({}))
    lines: tuple[str, ...] = ()
    notes: tuple[Diagnostic, ...] = ()

    def diagnostic(self, where: PathInFile, code: str, message: str, **details: Any) -> Diagnostic:
        """A problem at a value of this file; falls back to the nearest enclosing value with a place."""
        at = where
        while at and at not in self.positions:
            at = at[:-1]
        span = self.positions.get(at)
        source = self.lines[span.line - 1] if span and span.line <= len(self.lines) else None
        return Diagnostic(code, message, file=self.path, span=span, source=source, **details)
