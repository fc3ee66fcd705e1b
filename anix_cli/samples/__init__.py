"""The sample scene and the sample character, made by code: a sunny square and a courier.

``python -m anix_cli.samples DIR`` writes both. The same versions of anix and numpy write the same bytes.
"""

from __future__ import annotations

from pathlib import Path

SCENE_FILE = "plaza.spz"
VIEW_FILES = {
    "front": "mira_front.png",
    "left": "mira_left.png",
    "right": "mira_right.png",
    "back": "mira_back.png",
}


def write_samples(directory: Path) -> tuple[Path, ...]:
    """Writes the scene (SPZ, stage frame) and four views (PNG) into a directory, made if need be.

    Returns:
        The files written, scene first.

    Raises:
        OSError: the directory or a file in it cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    files = [write_scene(directory / SCENE_FILE)]
    files += [write_view(view, directory / name) for view, name in VIEW_FILES.items()]
    return tuple(files)


def write_scene(target: Path) -> Path:
    """Writes the square as SPZ: about 1.6 MB."""
    from anix_cli.scene import write_spz

    from .plaza import plaza

    partial = target.with_name(target.name + ".part")
    # Five bits for degree 1 and four for degree 2, as in the reference writer: most are zero anyway.
    write_spz(partial, plaza(), version=3, sh_bits=(5, 4))
    partial.replace(target)
    return target


def write_view(view: str, target: Path) -> Path:
    """Writes one view of the courier as PNG with alpha."""
    from PIL import Image

    from .portrait import render_view

    partial = target.with_name(target.name + ".part")
    Image.fromarray(render_view(view)).save(partial, format="PNG", optimize=True)
    partial.replace(target)
    return target
