"""The files that a screenplay names: are they there, are they what they should be? Structure only."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anix_cli.core.errors import AnixError
from anix_cli.core.screenplay import VIEW_NAMES, PathInFile

from . import pictures
from .cameras import parts_of
from .check import Checker
from .near import sibling
from .values import WrittenPath
from .wording import short


def check(reading: Checker, data: Mapping[str, Any]) -> None:
    """Notes missing files (E131), folders in their place (E135), views that are no picture (E132, E133)."""
    scene = data.get("scene")
    if isinstance(scene, dict) and not _is_folder(scene.get("file")):  # a scene may be a folder of a trainer
        _file(reading, scene.get("file"), ("scene", "file"), "scene")  # what it holds is looked at later
    if isinstance(scene, dict):
        _file(reading, scene.get("collider"), ("scene", "collider"), "collider")
    characters = data.get("characters")
    for name, character in characters.items() if isinstance(characters, dict) else ():
        views = character.get("views") if isinstance(character, dict) else None
        if isinstance(views, dict):
            _views(reading, views, ("characters", name, "views"))
        if isinstance(character, dict):
            _file(reading, character.get("model"), ("characters", name, "model"), "3D model")
            _picture(reading, character.get("sheet"), ("characters", name, "sheet"), "turnaround sheet")
            _motions(reading, character.get("motions"), ("characters", name, "motions"))
    film = data.get("film")
    if isinstance(film, dict):
        _file(reading, film.get("subtitles"), ("film", "subtitles"), "subtitles")
        _file(reading, film.get("font"), ("film", "font"), "font")
        _heard(reading, film.get("music"), ("film", "music"), "music")
    _paths(reading, data.get("defaults"), ("defaults",))
    shots = data.get("shots")
    for index, shot in enumerate(shots) if isinstance(shots, list) else ():
        if isinstance(shot, dict):
            _heard(reading, shot.get("audio"), ("shots", index, "audio"), "sound file")
            _paths(reading, shot, ("shots", index))


def _heard(reading: Checker, written: Any, where: PathInFile, what: str) -> None:
    """A sound, as a path or as a mapping with one."""
    if isinstance(written, dict):
        written, where = written.get("file"), (*where, "file")
    _file(reading, written, where, what)


def _paths(reading: Checker, owner: Any, where: PathInFile) -> None:
    """The camera paths of a shot, or of the defaults: E131, E135; E151 where one holds no cameras."""
    camera = owner.get("camera") if isinstance(owner, dict) else None
    for part, place in parts_of(camera, (*where, "camera")):
        written = part.get("path") if isinstance(part, dict) else None
        found = _file(reading, written, (*place, "path"), "camera path")
        if found is None:
            continue
        from anix_cli.media.camerapaths import NotAPathError, read_camera_path

        try:
            read_camera_path(found)
        except NotAPathError as error:
            reading.problem((*place, "path"), "E151", f"{found.name}: {error}", hint=error.hint)


def _motions(reading: Checker, motions: Any, where: PathInFile) -> None:
    """A character's motions: E131, E135; E361 … E366 where one cannot be used."""
    for name, written in motions.items() if isinstance(motions, dict) else ():
        whole = isinstance(written, dict)
        path = (*where, name, "file") if whole else (*where, name)
        found = _file(reading, written.get("file") if whole else written, path, "motion")
        if found is None:
            continue
        from anix_cli.character.motions.read import read_motion

        from .build import motion_of

        try:
            read_motion(motion_of(written))
        except AnixError as error:
            for told in error.diagnostics:
                at = (*where, name, "clip") if told.code == "E365" and told.found else path
                reading.problem(at, told.code, told.message, nearest=told.nearest, hint=told.hint)


def _is_folder(written: Any) -> bool:
    try:
        return isinstance(written, WrittenPath) and written.path.is_dir()
    except (OSError, ValueError):
        return False


def _views(reading: Checker, views: Mapping[str, Any], where: PathInFile) -> None:
    seen: dict[Path, str] = {}
    for view in VIEW_NAMES:
        path = (*where, view)
        found = _file(reading, views.get(view), path, f"{view} view")
        if found is None:
            continue
        if found in seen:
            reading.problem(
                path,
                "W101",
                f"the {view} view is the same file as the {seen[found]} view",
                hint="each view shows the character from its own side",
            )
            continue
        seen[found] = view
        _sound(reading, found, path, f"{view} view")


def _picture(reading: Checker, written: Any, where: PathInFile, what: str) -> None:
    found = _file(reading, written, where, what)
    if found is not None:
        _sound(reading, found, where, what)


def _sound(reading: Checker, found: Path, where: PathInFile, what: str) -> None:
    problem = pictures.problem_of(found)
    if problem is not None:
        code, message = problem
        reading.problem(where, code, f"the {what} {message}", hint=f"see {shown(found)}")


def _file(reading: Checker, written: Any, where: PathInFile, what: str) -> Path | None:
    """The file, if it is one; else why not is noted."""
    if not isinstance(written, WrittenPath):
        return None
    found = missing(written, what)
    if found is None:
        return written.path
    code, message, details = found
    reading.problem(where, code, message, **details)
    return None


def missing(written: WrittenPath, what: str) -> tuple[str, str, dict[str, str | None]] | None:
    """Why a path leads to no file: code, message, and what helps (nearest, hint); None where there is one.

    Args:
        what: the file's part in the screenplay: "scene", "front view".
    """
    path, text = written.path, written.text
    what = f'the {what} "{short(text)}"'
    try:
        if path.is_dir():
            return "E135", f"{what} is a folder, not a file", {"hint": f"see {shown(path)}"}
        if path.is_file():
            return None
        if path.exists():
            return "E135", f"{what} is not an ordinary file", {"hint": f"see {shown(path)}"}
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return "E131", f"{what} cannot be read: {reason}", {"hint": f"tried {shown(path)}"}
    hint = f"tried {shown(path)}"
    if path.is_symlink():
        return "E131", f"{what} is a link that leads nowhere", {"hint": f"see {shown(path)}"}
    if "://" in text:
        hint = "this is a web address: download the file, and name it here"
    elif text.startswith("~"):
        hint = "~ is not read as your home folder: write the whole path"
    elif "\\" in text:
        hint = f"use / instead of the backslash; {hint}"
    return "E131", f"{what} was not found", {"nearest": sibling(path, text), "hint": hint}


def shown(path: Path) -> Path:
    """A path as a person reads it, without ``..`` in it."""
    try:
        return path.parent.resolve() / path.name if ".." in path.parts[:-1] else path
    except (OSError, ValueError, RuntimeError):  # a loop of links, or no path at all
        return path
