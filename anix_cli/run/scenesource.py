"""The scene that a command is given: a splat file, or the scene of a screenplay, and what options add."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal

from ..core.errors import AnixError, Diagnostic
from ..core.screenplay import ScaleReference, SceneSpec, Screenplay
from .places import placed

if TYPE_CHECKING:
    from ..core.gaussians import Gaussians
    from ..scene.analysis import Analysis

AUTO: Final = "auto"
_SCREENPLAYS = (".yaml", ".yml")
_HINTS = {
    "W301": "If the scene stands on its head or lies on its side, give another axis, such as --up=+z.",
    "W302": "--scale says how many metres a unit is; --reference with --metres, how long something in it is.",
    "W303": "--ground gives its height; if there is ground that was not found, try another --up.",
    "W307": "--origin chooses another point.",
}
"""What to do about an assumption where options, not a screenplay, say how the scene stands."""


@dataclass(frozen=True)
class Placement:
    """What options say of a scene; None (an empty ``crop``) is what is not said.

    ``"auto"`` undoes what a screenplay says. ``crop`` has limits by the names of axes.
    """

    up: str | None = None
    scale: float | ScaleReference | Literal["auto"] | None = None
    origin: tuple[float, float, float] | None = None
    crop: Mapping[str, tuple[float, float]] = field(default_factory=lambda: MappingProxyType({}))
    ground: float | Literal["auto"] | None = None
    collider: Path | None = None

    @property
    def keys(self) -> frozenset[str]:
        """Those of ``scene:`` that are said."""
        return frozenset(each.name for each in fields(self) if getattr(self, each.name) not in (None, {}))

    def over(self, spec: SceneSpec) -> SceneSpec:
        """The same scene as the options have it; of a crop, axes without limits stay as they are."""
        before = spec.crop_m or (None, None, None)
        crop = tuple(self.crop.get(axis, limits) for axis, limits in zip("xyz", before, strict=True))
        return replace(
            spec,
            up=spec.up if self.up is None else self.up,
            scale=_told(self.scale, spec.scale),
            origin=spec.origin if self.origin is None else self.origin,
            crop_m=crop if any(crop) else None,
            ground_m=_told(self.ground, spec.ground_m),
            collider=spec.collider if self.collider is None else self.collider,
        )


def _told(said: Any, before: Any) -> Any:
    return before if said is None else None if said == AUTO else said


@dataclass(frozen=True)
class SceneSource:
    """A scene to look at.

    Attributes:
        screenplay: whose scene it is, if it was named by one.
        said: keys of ``scene:`` that options said.
    """

    spec: SceneSpec
    screenplay: Screenplay | None = None
    said: frozenset[str] = frozenset()

    @property
    def placed(self) -> bool:
        """Whether anything says how the scene is to stand."""
        return self.screenplay is not None or bool(self.said)

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        """What was noticed in the screenplay that keeps it from being read whole."""
        found = () if self.screenplay is None else self.screenplay.notes
        return tuple(note for note in found if note.code == "W103")

    def explain(self, key: str, code: str, message: str, **details: Any) -> Diagnostic:
        """A remark at a key of the screenplay's ``scene:``, or with the option that could say otherwise."""
        if self.screenplay is not None and key not in self.said:
            return self.screenplay.diagnostic(("scene", key), code, message, **details)
        hint = _HINTS.get(code, details.get("hint"))
        return Diagnostic(code, message, file=self.spec.file, **{**details, "hint": hint})

    def assumed(self, found: Analysis) -> tuple[Diagnostic, ...]:
        """What had to be taken for granted of how it stands."""
        from ..scene.info import unsettled
        from ..scene.stage import assumed

        return (*unsettled(found.notes, self.spec.scale), *assumed(self.spec, found, self.explain))

    def analysed(self) -> tuple[Analysis, Gaussians]:
        """How it stands, and its Gaussians on the stage.

        Raises:
            AnixError: as ``scene.analysis.analyse``, placed in the screenplay.
        """
        from ..scene.analysis import analyse

        try:
            return analyse(self.spec)
        except AnixError as error:
            raise self.placing(error) from error

    def placing(self, error: AnixError) -> AnixError:
        """The same problems, pointed at in the screenplay."""
        if self.screenplay is None:
            return error
        return AnixError(placed(self.screenplay, self._where(each), each) for each in error.diagnostics)

    def _where(self, problem: Diagnostic) -> tuple[str, str]:
        from ..scene.stage import key_of

        return ("scene", key_of(problem, self.spec))


def scene_source(file: Path, given: Placement, *, text: bytes | None = None) -> SceneSource:
    """What a command's argument means: a screenplay by its suffix or where its text is given, else splats.

    Raises:
        AnixError: E101 … E159, the screenplay cannot be read or its scene is wrong.
    """
    if text is None and file.suffix.lower() not in _SCREENPLAYS:
        return SceneSource(given.over(SceneSpec(file)), None, given.keys)
    from ..screenplay.scene_only import load_scene

    film = load_scene(file, text=text)
    return SceneSource(given.over(film.scene), film, given.keys)
