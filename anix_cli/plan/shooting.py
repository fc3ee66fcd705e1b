"""What planning a film carries along: what stays the same, and what goes on from shot to shot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from ..core.errors import Diagnostic
from ..core.plan import ScenePlacement
from ..core.screenplay import AnchorSpec, Screenplay
from ..core.stage import Stage
from ..media.camerapaths import CameraPath
from .boxes import Extent
from .clearing import Space
from .clips import Recipe
from .cutting import View
from .joining import CameraState
from .marks import Mark
from .recalling import Past
from .routes import Routes
from .standing import Standing
from .trouble import Trouble


@dataclass
class Shooting:
    """What goes on from shot to shot while a film is planned.

    Attributes:
        standing: where each character is that has been seen, by name.
        on_stage: who has been in this take.
        outside: who has left the scene and been told so, so that it is told once.
        camera, last_key, last_frames: of the shot before in the take; None at its start.
        start: first frame of the next shot, counted in the film.
        last: where the one who acted in the shot before ended.
        view: from where the last shot showed whom.
        marks: where the anchors are in this shot.
        past: what has been seen so far, across cuts.
    """

    standing: dict[str, Standing] = field(default_factory=dict)
    on_stage: list[str] = field(default_factory=list)
    outside: set[str] = field(default_factory=set)
    camera: CameraState | None = None
    last_key: str | None = None
    last_frames: int | None = None
    start: int = 0
    last: Mark | None = None
    view: View | None = None
    marks: Mapping[str, Mark] = field(default_factory=dict)
    past: Past = field(default_factory=Past)

    def copy(self) -> Shooting:
        """The same, to try something out."""
        return replace(
            self, standing=dict(self.standing), on_stage=list(self.on_stage), outside=set(self.outside)
        )

    def cut(self) -> None:
        """A new take: everyone stands still where they are, and is seen when they act."""
        self.on_stage, self.camera, self.last_key, self.last_frames = [], None, None, None
        self.standing = {
            name: replace(standing, speed_mps=0.0, slip_rad=0.0, phase=0.0)
            for name, standing in self.standing.items()
        }


@dataclass(frozen=True)
class Film:
    """What stays the same.

    Attributes:
        marks: where the anchors are, as far as no shot has to be known for it.
        moving: those that depend on the shot.
        paths: what the files of camera paths hold.
        space: what of the scene is taken; None where that is not known, and cameras go anywhere.
        routes: where one can go on foot; None where that is not known, and everybody goes straight on.
    """

    screenplay: Screenplay
    stage: Stage
    extents: Mapping[str, Extent]
    scene: ScenePlacement
    recipe: Recipe
    marks: Mapping[str, Mark]
    moving: Mapping[str, AnchorSpec]
    found: list[Diagnostic]
    paths: Mapping[Path, CameraPath] = field(default_factory=lambda: MappingProxyType({}))
    space: Space | None = None
    routes: Routes | None = None

    def note(self, index: int, key: str, trouble: Trouble) -> None:
        """Records a problem at a value of shot number ``index``."""
        where = ("shots", index, key)
        self.found.append(self.screenplay.diagnostic(where, trouble.code, trouble.message, hint=trouble.hint))
