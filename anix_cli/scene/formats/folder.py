"""Folders that stand for a scene: a training, an export, a SOG scene, or a single splat file."""

from __future__ import annotations

import re
from pathlib import Path

from anix_cli.core.errors import AnixError, fail

_STEP = re.compile(r"(?:iteration|point_cloud)_([0-9]{1,12})")
_OPENUSD = {".usd", ".usda", ".usdc", ".usdz"}
_MODELS = {".glb", ".gltf"}
"""Beside a splat file, such a file is its collider."""
_SUFFIXES = {".ply", ".spz", ".sog", ".splat", ".ksplat", *_MODELS, *_OPENUSD}


def scene_of_folder(folder: Path) -> Path:
    """The file of a folder that is its scene.

    Of a training the newest step counts: ``point_cloud/iteration_30000/point_cloud.ply`` (Inria, and the many
    that follow it), ``ply/point_cloud_29999.ply`` (gsplat). Otherwise ``meta.json`` (SOG), ``splat.ply``
    (nerfstudio), or the only splat file, of which a glTF file beside it is taken to be the collider.

    Raises:
        AnixError: E302, none is there, or several.
    """
    steps = [
        *folder.glob("point_cloud/iteration_*/point_cloud.ply"),
        *folder.glob("iteration_*/point_cloud.ply"),
        *folder.glob("ply/point_cloud_*.ply"),
    ]
    newest = max(((_step(path), path) for path in steps if path.is_file()), default=None)
    if newest is not None:
        return newest[1]
    for name in ("meta.json", "splat.ply", "point_cloud.ply"):
        if (folder / name).is_file():
            return folder / name
    files = sorted(path for path in folder.iterdir() if _is_scene(path))
    splats = [path for path in files if path.suffix.lower() not in _MODELS]
    for found in (files, splats):
        if len(found) == 1:
            return found[0]
    raise _unclear(folder, files)


def _is_scene(path: Path) -> bool:
    """By its name; ``._scene.ply`` and the like are shadows that macOS leaves on other disks."""
    return path.suffix.lower() in _SUFFIXES and not path.name.startswith(".") and path.is_file()


def _step(path: Path) -> int:
    found = [int(match[1]) for match in map(_STEP.fullmatch, (path.parent.name, path.stem)) if match]
    return found[0] if found else -1


def _unclear(folder: Path, files: list[Path]) -> AnixError:
    if not files:
        text = f"{folder} is a folder without a scene; expected a splat file"
        return fail("E302", text, file=folder, hint="Name a splat file in it.")
    shown = ", ".join(path.name for path in files[:4]) + (", …" if len(files) > 4 else "")
    text = f"{folder} is a folder with several scenes ({shown}); expected a splat file"
    return fail("E302", text, file=folder, hint=f"Name the file in it: {files[0]}")
