"""The files of camera paths that a screenplay names, read for its plan."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..core.errors import Diagnostic
from ..core.screenplay import Screenplay
from ..media.camerapaths import CameraPath, NotAPathError, read_camera_path


def camera_paths(screenplay: Screenplay) -> dict[Path, CameraPath]:
    """What the files hold, by file; without those that :func:`path_problems` tells of."""
    found: dict[Path, CameraPath] = {}
    for _, file in _named(screenplay):
        if file not in found:
            try:
                found[file] = read_camera_path(file)
            except NotAPathError:
                continue
    return found


def path_problems(screenplay: Screenplay) -> list[Diagnostic]:
    """E151 for each file that holds no path."""
    problems: list[Diagnostic] = []
    for index, file in _named(screenplay):
        try:
            read_camera_path(file)
        except NotAPathError as error:
            where = ("shots", index, "camera")
            problems.append(screenplay.diagnostic(where, "E151", f"{file.name}: {error}", hint=error.hint))
    return problems


def _named(screenplay: Screenplay) -> Iterator[tuple[int, Path]]:
    for index, shot in enumerate(screenplay.shots):
        for camera in shot.cameras:
            if camera.path is not None:
                yield index, camera.path
