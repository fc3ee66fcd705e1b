"""The files that a screenplay names: are they there, are they what they should be? Structure only."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anix_cli.core.screenplay import VIEW_NAMES, PathInFile

from . import pictures
from .check import Checker
from .near import nearest

_MOST_SIBLINGS = 2000


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


def _views(reading: Checker, views: Mapping[str, Any], where: PathInFile) -> None:
    seen: dict[str, str] = {}
    for view in VIEW_NAMES:
        written = views.get(view)
        path = (*where, view)
        found = _file(reading, written, path, f"{view} view")
        if found is None or written is None:
            continue
        if written in seen:
            reading.problem(
                path,
                "W101",
                f"the {view} view is the same file as the {seen[written]} view",
                hint="each view shows the character from its own side",
            )
            continue
        seen[written] = view
        problem = pictures.problem_of(found)
        if problem is not None:
            code, message = problem
            reading.problem(path, code, f"the {view} view {message}", hint=f"see {found}")


def _file(reading: Checker, written: Any, where: PathInFile, what: str) -> Path | None:
    if not isinstance(written, str):
        return None
    path = reading.source.folder / written
    try:
        if path.is_dir():
            reading.problem(
                where, "E135", f'the {what} "{written}" is a folder, not a file', hint=f"see {path}"
            )
            return None
        if path.is_file():
            return path
        found = path.exists()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        reading.problem(
            where, "E131", f'the {what} "{written}" cannot be read: {reason}', hint=f"tried {path}"
        )
        return None
    if found:
        reading.problem(where, "E135", f'the {what} "{written}" is not an ordinary file', hint=f"see {path}")
        return None
    hint = f"tried {path}"
    if "\\" in written:
        hint = f"use / instead of the backslash; {hint}"
    reading.problem(
        where, "E131", f'the {what} "{written}" was not found', nearest=_sibling(path, written), hint=hint
    )
    return None


def _sibling(path: Path, written: str) -> str | None:
    """A file beside the missing one with nearly its name, written as in the screenplay."""
    try:
        with os.scandir(path.parent) as entries:
            names = [entry.name for _, entry in zip(range(_MOST_SIBLINGS), entries, strict=False)]
    except OSError:
        return None
    near = nearest(path.name, names)
    return written[: len(written) - len(path.name)] + near if near else None
