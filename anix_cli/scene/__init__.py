"""Scenes: splat files read as untrusted input, placed on the stage, with bounds and ground.

Names are loaded when first used: checking a file's structure (``probe``) needs no numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .bounds import robust_bounds
    from .content import scene_digest
    from .formats.ply import write_ply
    from .formats.sog_write import write_sog
    from .formats.spz_write import write_spz
    from .free import FreeSpace, free_space
    from .harmonics import sh_basis, sh_rotation
    from .info import SplatFile, SplatInfo
    from .placement import cropped, place, similarity, transform
    from .read import read_splats
    from .stage import Scene, open_scene
    from .standing import StandingRoom
    from .structure import probe, scene_files

__all__ = [
    "FreeSpace",
    "Scene",
    "SplatFile",
    "SplatInfo",
    "StandingRoom",
    "cropped",
    "free_space",
    "open_scene",
    "place",
    "probe",
    "read_splats",
    "robust_bounds",
    "scene_digest",
    "scene_files",
    "sh_basis",
    "sh_rotation",
    "similarity",
    "transform",
    "write_ply",
    "write_sog",
    "write_spz",
]

_HOMES = {
    "info": ("SplatFile", "SplatInfo"),
    "formats.ply": ("write_ply",),
    "content": ("scene_digest",),
    "structure": ("probe", "scene_files"),
    "read": ("read_splats",),
    "harmonics": ("sh_basis", "sh_rotation"),
    "formats.sog_write": ("write_sog",),
    "formats.spz_write": ("write_spz",),
    "free": ("FreeSpace", "free_space"),
    "stage": ("Scene", "open_scene"),
    "standing": ("StandingRoom",),
    "bounds": ("robust_bounds",),
    "placement": ("cropped", "place", "similarity", "transform"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
