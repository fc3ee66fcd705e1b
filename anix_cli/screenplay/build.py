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
    CharacterSpec,
    FilmSpec,
    MotionSpec,
    MusicSpec,
    ScaleReference,
    SceneSpec,
    Screenplay,
    ShotSpec,
    SoundSpec,
    TransitionSpec,
)
from anix_cli.core.time import Duration

from .cameras import parts_of
from .check import Checker
from .moves import camera_of, placement_of
from .styles import duration_of, styled
from .text import STDIN, in_file_order
from .values import COLOURS, WrittenPath, as_duration, broadcast


def screenplay(reading: Checker, data: Mapping[str, Any], files: tuple[Path, ...]) -> Screenplay:
    """The screenplay. ``data`` has passed the schema and the rules."""
    source = reading.source
    defaults = {"look": data.get("look", ""), "style": data.get("style"), **data.get("defaults", {})}
    characters = {name: _character(written) for name, written in data["characters"].items()}
    if len(characters) == 1:
        defaults = {"character": next(iter(characters)), **defaults}
    cameras = data.get("cameras", {})
    return Screenplay(
        path=source.path,
        title=data.get("title", "untitled" if source.path == STDIN else source.path.stem),
        film=_film(data.get("film", {})),
        scene=_scene(data["scene"], characters),
        characters=MappingProxyType(characters),
        anchors=_each(_anchor, data.get("anchors", {})),
        cameras=_each(placement_of, cameras),
        shots=tuple(
            _shot(written, defaults, cameras, begins=index == 0)
            for index, written in enumerate(data["shots"])
        ),
        positions=MappingProxyType(reading.positions),
        files=files,
        notes=in_file_order(source.problems, source.path),
    )


def scene_only(reading: Checker, data: Mapping[str, Any], files: tuple[Path, ...]) -> Screenplay:
    """What has been read of an unfinished screenplay: its scene, and its anchors where these are read."""
    source = reading.source
    heights = {
        name: CharacterSpec({}, _height(written)) for name, written in data.get("characters", {}).items()
    }
    return Screenplay(
        path=source.path,
        title="untitled",
        film=FilmSpec(),
        scene=_scene(data["scene"], heights),
        characters=MappingProxyType(heights),
        anchors=_each(_anchor, data.get("anchors", {})),
        shots=(),
        positions=MappingProxyType(reading.positions),
        files=files,
        notes=in_file_order(source.problems, source.path),
    )


def _each(build: Any, written: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType({name: build(value) for name, value in written.items()})


def _film(written: Mapping[str, Any]) -> FilmSpec:
    default = FilmSpec()
    fps, loudness = written.get("fps"), written.get("loudness")
    return FilmSpec(
        size_px=written.get("size", default.size_px),
        fps=broadcast(fps) if fps is not None else None,
        seed=written.get("seed", default.seed),
        quality=written.get("quality", default.quality),
        codec=written.get("codec", default.codec),
        background_rgb=written.get("background", COLOURS["black"]),
        loudness_lufs=None if loudness is None else float(loudness),
        music=_music(written["music"]) if "music" in written else None,
        captions=written.get("captions", default.captions),
        subtitles=written["subtitles"].path if "subtitles" in written else None,
        font=written["font"].path if "font" in written else None,
        also=tuple(dict.fromkeys(written.get("also", ()))),
        poster=as_duration(written.get("poster")),
        memory=written.get("memory", default.memory),
    )


def _music(written: WrittenPath | Mapping[str, Any]) -> MusicSpec:
    laid = written if isinstance(written, Mapping) else {}
    sound = _sound(written)
    return MusicSpec(
        sound.file,
        sound.volume_db,
        loop=laid.get("loop", False),
        fade=as_duration(laid.get("fade")),
        duck_db=float(laid.get("duck", 0)),
    )


def _sound(written: WrittenPath | Mapping[str, Any]) -> SoundSpec:
    if isinstance(written, Mapping):
        return SoundSpec(written["file"].path, float(written.get("volume", 0)))
    return SoundSpec(written.path)


def _transition(written: Mapping[str, Any]) -> TransitionSpec | None:
    """A dip is a fade through another colour than black."""
    for kind, colour in (("fade", "black"), ("dip", "white"), ("dissolve", "black")):
        length = as_duration(written.get(kind))
        if length is not None:
            rgb = written.get("colour", COLOURS[colour])
            return TransitionSpec("dissolve" if kind == "dissolve" else "fade", length, rgb)
    return None


def _scene(written: Mapping[str, Any], characters: Mapping[str, CharacterSpec]) -> SceneSpec:
    origin, crop = written.get("origin"), written.get("crop")
    limits = tuple(_floats(crop.get(axis)) for axis in "xyz") if crop else None
    return SceneSpec(
        file=written["file"].path,
        up=written.get("up", "auto"),
        scale=_scale(written.get("scale"), characters),
        origin=_floats(origin),
        crop_m=limits,
        ground_m=_number_or_auto(written.get("ground")),
        collider=written["collider"].path if "collider" in written else None,
        description=written.get("description", ""),
    )


def _scale(
    written: Fraction | str | Mapping[str, Any] | None, characters: Mapping[str, CharacterSpec]
) -> float | ScaleReference | None:
    if not isinstance(written, Mapping):
        return _number_or_auto(written)
    start, end = map(_floats, written["reference"])
    owner = written.get("character")
    metres = float(written["metres"]) if owner is None else characters[owner].height_m
    return ScaleReference((start, end), metres)


def _floats(values: list[Fraction] | None) -> Any:
    return tuple(map(float, values)) if values else None


def _number_or_auto(value: Fraction | str | None) -> float | None:
    return float(value) if isinstance(value, Fraction) else None


def _character(written: Mapping[str, Any]) -> CharacterSpec:
    sheet = written["sheet"].path if "sheet" in written else None
    views = {name: written["views"][name].path for name in VIEW_NAMES if "views" in written}
    return CharacterSpec(
        views=MappingProxyType(dict.fromkeys(VIEW_NAMES, sheet) if sheet else views),
        height_m=_height(written),
        description=written.get("description", "").strip(),
        aliases=tuple(written.get("aliases", ())),
        model=written["model"].path if "model" in written else None,
        sheet=sheet,
        motions=_each(motion_of, written.get("motions", {})),
    )


def motion_of(written: WrittenPath | Mapping[str, Any]) -> MotionSpec:
    """One of ``motions:``, which has passed the schema."""
    if isinstance(written, WrittenPath):
        return MotionSpec(written.path)
    start, end = (float(written[key]) if key in written else None for key in ("start", "end"))
    return MotionSpec(written["file"].path, written.get("clip"), start, end)


def _height(written: Mapping[str, Any]) -> float:
    """Metres, with ``scale``."""
    return float(written.get("height", CharacterSpec(views={}).height_m)) * float(written.get("scale", 1))


def _anchor(written: Mapping[str, Any]) -> AnchorSpec:
    face = written.get("face")
    return AnchorSpec(
        at=_floats(written.get("at")),
        base=written.get("from"),
        left_m=float(written.get("left", 0)),
        forward_m=float(written.get("forward", 0)),
        up_m=float(written.get("up", 0)),
        box=_floats(written.get("box")),
        face=float(face) if isinstance(face, Fraction) else face,
        aliases=tuple(written.get("aliases", ())),
    )


def _shot(
    own: Mapping[str, Any], defaults: Mapping[str, Any], placements: Mapping[str, Any], *, begins: bool
) -> ShotSpec:
    written = {**defaults, **own}
    audio, style = written.get("audio"), written["style"]
    parts = [camera_of(part, placements) for part, _ in parts_of(written.get("camera", "auto"), ())]
    length = written["duration"] if "duration" in written else Fraction(str(duration_of(style)))
    return ShotSpec(
        id=written["id"],
        command=written["command"].strip(),
        duration=_duration(length),
        character=written["character"],
        anchor=written.get("anchor"),
        cameras=styled(parts, style, fresh=begins or written.get("cut", False) or "style" in own),
        cut=written.get("cut", False),
        transition=_transition(written.get("transition", {})),
        seed=written.get("seed"),
        memory=written.get("memory"),
        candidates=written.get("candidates", 1),
        pick=written.get("pick", 0),
        prompt=written.get("prompt", "").strip(),
        negative=written.get("negative", "").strip(),
        look=written["look"].strip(),
        options=_options(written.get("options", {})),
        audio=_sound(audio) if audio else None,
        caption=written.get("caption", "").strip(),
        anchor_box=written.get("anchor_box", "projected"),
        style=style,
    )


def _duration(written: Duration | Fraction) -> Duration:
    return Duration(written) if isinstance(written, Fraction) else written


def _options(written: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    return MappingProxyType(
        {
            backend: MappingProxyType({name: _plain(value) for name, value in options.items()})
            for backend, options in written.items()
        }
    )


def _plain(value: Any) -> Any:
    """A number as programs have it; other values as they are."""
    if not isinstance(value, Fraction):
        return value
    return int(value) if value.denominator == 1 else float(value)
