"""The files that a screenplay names: are they there, are they what they should be? Structure only."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anix_cli.core.screenplay import VIEW_NAMES, PathInFile

from . import pictures
from .check import Checker
from .near import sibling
from .values import WrittenPath


def check(reading: Checker, data: Mapping[str, Any]) -> None:
    """Notes missing files (E131), folders in their place (E135), views that are no picture (E132, E133)."""
    scene = data.get("scene")
    if isinstance(scene, dict):
        found = _file(reading, scene.get("file"), ("scene", "file"), "scene")
        if found is not None and found.stat().st_size == 0:
            reading.problem(
                ("scene", "file"), "E132", "the scene file is empty (0 bytes)", hint=f"see {found}"
            )
    characters = data.get("characters")
    for name, character in characters.items() if isinstance(characters, dict) else ():
        views = character.get("views") if isinstance(character, dict) else None
        if isinstance(views, dict):
            _views(reading, views, ("characters", name, "views"))
    shots = data.get("shots")
    for index, shot in enumerate(shots) if isinstance(shots, list) else ():
        if isinstance(shot, dict):
            _file(reading, shot.get("audio"), ("shots", index, "audio"), "sound file")


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
        problem = pictures.problem_of(found)
        if problem is not None:
            code, message = problem
            reading.problem(path, code, f"the {view} view {message}", hint=f"see {found}")


def _file(reading: Checker, written: Any, where: PathInFile, what: str) -> Path | None:
    """The file, if it is one; else why not is noted."""
    if not isinstance(written, WrittenPath):
        return None
    path, text = written.path, written.text

    def refuse(code: str, why: str, **details: Any) -> None:
        reading.problem(where, code, f'the {what} "{text}" {why}', **details)

    try:
        if path.is_dir():
            refuse("E135", "is a folder, not a file", hint=f"see {path}")
            return None
        if path.is_file():
            return path
        if path.exists():
            refuse("E135", "is not an ordinary file", hint=f"see {path}")
            return None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        refuse("E131", f"cannot be read: {reason}", hint=f"tried {path}")
        return None
    slash = "use / instead of the backslash; " if "\\" in text else ""
    refuse("E131", "was not found", nearest=sibling(path, text), hint=f"{slash}tried {path}")
    return None
