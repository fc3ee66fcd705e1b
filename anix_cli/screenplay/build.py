"""Checked data → the frozen types of core, with defaults applied."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

from anix_cli.core.screenplay import (
    VIEW_NAMES,
    AnchorSpec,
    CameraSpec,
    CharacterSpec,
    FilmSpec,
    SceneSpec,
    Screenplay,
    ShotSpec,
)

from .check import Checker
from .text import STDIN, in_file_order
from .tree import Node, Scalar
from .values import broadcast


def is_blank(root: Node) -> bool:
    """Whether a document holds nothing, or only an explicit null."""
    return isinstance(root, Scalar) and root.kind == "null"


def screenplay(reading: Checker, data: Mapping[str, Any]) -> Screenplay:
    """The screenplay. ``data`` has passed the schema and the rules."""
    source = reading.source
    folder = source.folder
    characters = {name: _character(written, folder) for name, written in data["characters"].items()}
    defaults = data.get("defaults", {})
    if len(characters) == 1:
        defaults = {"character": next(iter(characters)), **defaults}
    return Screenplay(
        path=source.path,
        title=data.get("title", "untitled" if source.path == STDIN else source.path.stem),
        film=_film(data.get("film", {})),
        scene=_scene(data["scene"], folder),
        characters=MappingProxyType(characters),
        anchors=MappingProxyType(
            {name: _anchor(written) for name, written in data.get("anchors", {}).items()}
        ),
        shots=tuple(_shot({**defaults, **written}) for written in data["shots"]),
        positions=MappingProxyType(reading.positions),
        lines=source.lines,
        notes=in_file_order(source.problems),
    )


def _film(written: Mapping[str, Any]) -> FilmSpec:
    default = FilmSpec()
    fps = written.get("fps")
    return FilmSpec(
        size_px=written.get("size", default.size_px),
        fps=broadcast(fps) if fps is not None else None,
        seed=written.get("seed", default.seed),
    )


def _scene(written: Mapping[str, Any], folder: Path) -> SceneSpec:
    origin = written.get("origin")
    return SceneSpec(
        file=folder / written["file"],
        up=written.get("up", "auto"),
        scale=_number_or_auto(written.get("scale")),
        origin=(float(origin[0]), float(origin[1]), float(origin[2])) if origin else None,
        ground_m=_number_or_auto(written.get("ground")),
    )


def _number_or_auto(value: Fraction | str | None) -> float | None:
    return float(value) if isinstance(value, Fraction) else None


def _character(written: Mapping[str, Any], folder: Path) -> CharacterSpec:
    default = CharacterSpec(views={})
    return CharacterSpec(
        views=MappingProxyType({name: folder / written["views"][name] for name in VIEW_NAMES}),
        height_m=float(written.get("height", default.height_m)),
        description=written.get("description", "").strip(),
    )


def _anchor(written: Mapping[str, Any]) -> AnchorSpec:
    face = written.get("face")
    return AnchorSpec(
        at=tuple(float(value) for value in written["at"]),
        face=float(face) if isinstance(face, Fraction) else face,
    )


def _camera(written: str | Mapping[str, Any]) -> CameraSpec:
    if isinstance(written, str):
        return CameraSpec(move=written)

    def number(key: str) -> float | None:
        return float(written[key]) if key in written else None

    return CameraSpec(
        move=written.get("move", "auto"),
        degrees=number("degrees"),
        direction=written.get("direction"),
        up_m=number("up"),
        side=written.get("side"),
        frame=written.get("frame"),
        distance_m=number("distance"),
        height_m=number("height"),
        lens_mm=number("lens_mm"),
        fov_y_deg=number("fov_y_deg"),
    )


def _shot(written: Mapping[str, Any]) -> ShotSpec:
    return ShotSpec(
        id=written["id"],
        command=written["command"].strip(),
        duration_s=written["duration"],
        character=written["character"],
        anchor=written.get("anchor"),
        camera=_camera(written.get("camera", "auto")),
        cut=written.get("cut", False),
        fade_s=float(written.get("transition", {}).get("fade", 0)),
    )
