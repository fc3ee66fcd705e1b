"""Begins a film: writes a template's screenplay, its schema and its assets into a folder of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..core.errors import AnixError, Diagnostic, fail
from ..samples.template import SCREENPLAY_FILE, TEMPLATES, Template
from ..store.atomic import unwritable, writing

SHOWN = 4
"""How many names of files a message holds."""


@dataclass(frozen=True)
class Begun:
    """A new film: its folder, its screenplay, all its files (the screenplay last) and their size."""

    folder: Path
    screenplay: Path
    files: tuple[Path, ...]
    size_bytes: int


def template_of(name: str) -> Template:
    """A template by name. Raises AnixError: E437, there is none of that name."""
    if name in TEMPLATES:
        return TEMPLATES[name]
    from ..screenplay.near import nearest

    known = ", ".join(TEMPLATES)
    raise AnixError(
        Diagnostic(
            "E437",
            f"there is no template “{name}”",
            found=name,
            expected=f"one of {known}",
            nearest=nearest(name, TEMPLATES),
            hint="`anix init --list` tells what each one is",
        )
    )


def begin(template: Template, folder: Path, *, overwrite: bool = False) -> Begun:
    """Writes a template's files. What is there already with the same content is left alone.

    Each file is written under another name and renamed, the screenplay last: where it is, all is there. A
    run that was stopped is completed by the same command.

    Args:
        overwrite: write into a folder that holds other things, and replace files that differ.

    Raises:
        AnixError: E438, the place is taken; nothing was written. E411 or E412, it cannot be written.
    """
    wanted = [(folder / name, content) for name, content in template.files()]
    with unwritable(folder):
        _check_folder(folder)
        missing = [(place, content) for place, content in wanted if not _holds(place, content)]
        if not overwrite:
            _check_free(folder, wanted, missing)
    for place, content in missing:
        with writing(place) as partial, unwritable(place):
            partial.write_bytes(content)
    files = tuple(place for place, _ in wanted)
    return Begun(folder, folder / SCREENPLAY_FILE, files, sum(len(content) for _, content in wanted))


def _holds(place: Path, content: bytes) -> bool:
    """Whether a file has that content. A link counts as another file, wherever it leads."""
    if place.is_symlink() or not place.is_file() or place.stat().st_size != len(content):
        return False
    return place.read_bytes() == content


def _check_folder(folder: Path) -> None:
    for place in (folder, *folder.parents):
        if place.is_dir():
            return
        if place.is_symlink() or place.exists():
            raise fail("E438", "this is not a folder", file=place, hint="name a new folder for the film")


def _check_free(folder: Path, wanted: list[tuple[Path, bytes]], missing: list[tuple[Path, bytes]]) -> None:
    """Nothing may lie in the folder but what is written anyway; names that begin with a dot don't count."""
    differ = [place for place, _ in missing if place.is_symlink() or place.exists()]
    if differ:
        names = _told([place.relative_to(folder).as_posix() for place in differ])
        raise fail(
            "E438",
            f"the folder holds {names} already, with other content",
            file=folder,
            hint="name a new folder for the film, or pass --overwrite to replace what differs",
        )
    ours = {place.relative_to(folder).parts[0] for place, _ in wanted}
    others = [place.name for place in _entries(folder) if place.name not in ours]
    if others:
        raise fail(
            "E438",
            f"the folder is not empty: it holds {_told(sorted(others))}",
            file=folder,
            hint="name a new folder for the film, or pass --overwrite to put it beside them",
        )


def _entries(folder: Path) -> list[Path]:
    return [place for place in folder.iterdir() if not place.name.startswith(".")] if folder.is_dir() else []


def _told(names: list[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")
