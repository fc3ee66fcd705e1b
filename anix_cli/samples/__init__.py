"""Sample scenes and characters, made by code, and the templates of ``anix init``.

``python -m anix_cli.samples DIR [NAME …]`` writes assets by name; without names, those of the courier. The
same versions of anix and numpy write the same bytes.
"""

from __future__ import annotations

from pathlib import Path

SCENE_FILE = "plaza.spz"
VIEW_NAMES = ("front", "left", "right", "back")
VIEW_FILES = {view: f"mira_{view}.png" for view in VIEW_NAMES}
SCENE_FILES = (SCENE_FILE, "garden.spz", "studio.spz", "museum.spz")
PEOPLE = ("mira", "teo")
ASSETS = (*SCENE_FILES, *(f"{person}_{view}.png" for person in PEOPLE for view in VIEW_NAMES))
"""All assets that can be made."""


def write_samples(
    directory: Path, names: tuple[str, ...] = (SCENE_FILE, *VIEW_FILES.values())
) -> tuple[Path, ...]:
    """Writes assets into a directory, made if need be: scenes as SPZ on the stage, views as PNG.

    Args:
        names: members of ``ASSETS``.

    Returns:
        The files written.

    Raises:
        OSError: the directory or a file in it cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    return tuple(write_asset(directory / name) for name in names)


def write_asset(target: Path) -> Path:
    """Writes the asset that the file's name says."""
    partial = target.with_name(target.name + ".part")
    if target.name in SCENE_FILES:
        _write_scene(target.stem, partial)
    else:
        person, view = target.stem.split("_")
        _write_view(person, view, partial)
    partial.replace(target)
    return target


def _write_scene(name: str, target: Path) -> None:
    """A scene as SPZ: plaza about 1.7 MB, garden 0.5 MB, museum 0.2 MB, studio 0.1 MB."""
    from anix_cli.scene import write_spz

    if name == "plaza":
        from .plaza import plaza as made
    elif name == "garden":
        from .garden import garden as made
    elif name == "museum":
        from .museum import museum as made
    else:
        from .studio import studio as made
    # Five bits for degree 1 and four for degree 2, as in the reference writer: most are zero anyway.
    write_spz(target, made(), version=3, sh_bits=(5, 4))


def _write_view(person: str, view: str, target: Path) -> None:
    """One view of a person as PNG with alpha."""
    from PIL import Image

    from .looks import MIRA, TEO
    from .portrait import render_view

    picture = render_view(view, look=MIRA if person == "mira" else TEO)
    Image.fromarray(picture).save(target, format="PNG", optimize=True)
