"""Small films on a level stage, for the tests of planning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from anix_cli.core.clip import Capabilities
from anix_cli.core.errors import AnixError
from anix_cli.core.plan import Plan, PlannedCharacter, PlannedShot, ScenePlacement, Subject
from anix_cli.core.screenplay import (
    AnchorSpec,
    CameraSpec,
    CharacterSpec,
    FilmSpec,
    SceneSpec,
    Screenplay,
    ShotSpec,
)
from anix_cli.core.stage import HeightMap, Stage
from anix_cli.core.time import Duration
from anix_cli.plan.build import build

HEIGHT_M = 1.72
ANIMATIC = Capabilities(
    uses=frozenset({"blocking", "views", "guide", "depth"}), version="1", max_frames=81, tail=5
)
ANCHORS = {
    "door": AnchorSpec((0.0, 3.0), face="fountain"),
    "fountain": AnchorSpec((4.0, 9.0)),
    "step": AnchorSpec((1.0, 0.5, 2.0), face=90.0),
}


@dataclass(frozen=True)
class Size:
    width_m: float = 0.6
    depth_m: float = 0.4
    height_m: float = HEIGHT_M
    steps: None = None


def stage(ground: HeightMap | None = None, reach_m: float = 500.0) -> Stage:
    bounds = np.array([[-reach_m, -5.0, -reach_m], [reach_m, 50.0, reach_m]])
    return Stage("5" * 64, np.eye(4), bounds, ground or HeightMap.level(0.0))


def shot(
    name: str, command: str, seconds: float = 3, *, camera: CameraSpec | None = None, **more: Any
) -> ShotSpec:
    if camera is not None:
        more["cameras"] = (camera,)
    return ShotSpec(name, command, Duration(Fraction(seconds)), **{"character": "mira", **more})


def screenplay(*shots: ShotSpec, **more: Any) -> Screenplay:
    mira = CharacterSpec({}, HEIGHT_M, "a courier in a red jacket")
    made = Screenplay(
        path=Path("/film/film.yaml"), title="The courier", film=FilmSpec(seed=7),
        scene=SceneSpec(Path("s.ply")),
        characters={"mira": mira}, anchors=ANCHORS, shots=shots,
    )  # fmt: skip
    return replace(made, **more)


def plan(
    play: Screenplay,
    *,
    capabilities: Capabilities = ANIMATIC,
    on: Stage | None = None,
    scene_key: str = "5" * 64,
    cast_key: str = "c" * 64,
    folder: Path = Path("/film"),
    crop_m: Any = None,
    room: Any = None,
) -> Plan:
    cast = tuple(
        PlannedCharacter(name, {"front": folder / "f.png"}, cast_key, spec.height_m, spec.description)
        for name, spec in play.characters.items()
    )
    return build(
        play, on or stage(), capabilities=capabilities, backend="animatic", cast=cast,
        extents={name: Size() for name in play.characters},
        scene=ScenePlacement(
            folder / "s.ply", scene_key, "d" * 64, np.eye(4), 50.0, play.film.background_rgb, crop_m
        ),
        store=folder / ".anix", room=room,
    )  # fmt: skip


def planned(*shots: ShotSpec, **more: Any) -> tuple[PlannedShot, ...]:
    """The shots of a film on the level stage."""
    return tuple(plan(screenplay(*shots), **more).shots())


def only(command: str, seconds: float = 4, **more: Any) -> Subject:
    """The blocking of a film of one shot."""
    return planned(shot("a", command, seconds, **more))[0].subjects[0]


def codes(error: AnixError) -> list[str]:
    return [found.code for found in error.diagnostics]


def eyes(shots: Sequence[PlannedShot]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.concatenate([item.world_from_camera[:, :3, 3] for item in shots])
