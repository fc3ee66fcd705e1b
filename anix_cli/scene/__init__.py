"""Scenes: splat files read as untrusted input, placed on the stage, with bounds and ground."""

from .info import SplatFile, SplatInfo
from .place import similarity, transform
from .ply import write_ply
from .probe import probe, read_splats
from .sh_rotation import sh_basis, sh_rotation
from .spz_write import write_spz
from .stage import Scene, open_scene, place, robust_bounds

__all__ = [
    "Scene",
    "SplatFile",
    "SplatInfo",
    "open_scene",
    "place",
    "probe",
    "read_splats",
    "robust_bounds",
    "sh_basis",
    "sh_rotation",
    "similarity",
    "transform",
    "write_ply",
    "write_spz",
]
