"""Which files a film depends on, and whether one of them is another than before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ...core.screenplay import Screenplay

Snapshot = Mapping[Path, tuple[int, int, int] | None]
"""Of each file when it was changed, its size and which one it is; None where there is none."""


def files_of(screenplay: Screenplay) -> frozenset[Path]:
    """All files that a screenplay consists of and names."""
    film, scene = screenplay.film, screenplay.scene
    named: list[Path | None] = [screenplay.path, *screenplay.files, scene.file, scene.collider]
    named += [film.subtitles, film.font, film.music.file if film.music else None]
    for character in screenplay.characters.values():
        named += [*character.views.values(), character.model, character.sheet]
    for shot in screenplay.shots:
        named += [shot.audio.file if shot.audio else None, *(camera.path for camera in shot.cameras)]
    return frozenset(file for file in named if file is not None)


def look_at(files: Iterable[Path]) -> Snapshot:
    """How files are now; nothing is opened."""
    return {file: _state(file) for file in files}


def _state(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
