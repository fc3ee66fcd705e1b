"""Writes a scene as PLY, SPZ or SOG, as it is or as it stands on the stage."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import Diagnostic, fail
from ..core.screenplay import SceneSpec
from ..store.atomic import check_writable, writing
from .sceneinfo import moved

if TYPE_CHECKING:
    from ..core.gaussians import Gaussians
    from ..scene.analysis import Analysis

FRAMES = {".ply": "-y", ".spz": "+y", ".sog": "-y"}
"""The axis that points up in what is written: what readers take each format to have."""
_NAMES = {".ply": "PLY", ".spz": "SPZ", ".sog": "SOG v2"}


@dataclass(frozen=True)
class Converted:
    """What was written.

    Attributes:
        frame: the axis that points up in it ("-y").
        dropped: Gaussians of the input that are not in it.
        notes: what was noticed and assumed.
    """

    path: Path
    format: str
    count: int
    sh_degree: int
    frame: str
    antialiased: bool
    size_bytes: int
    dropped: int
    notes: tuple[Diagnostic, ...]

    @property
    def frame_in_words(self) -> str:
        return f"{self.frame} up"


def convert(
    spec: SceneSpec,
    target: Path,
    *,
    sh_degree: int | None = None,
    spz_version: int = 3,
    overwrite: bool = False,
) -> Converted:
    """Reads ``spec.file``, places it if ``spec`` says how, and writes it in one step.

    What is not said changes nothing but the frame: the file's own, by its format, becomes that of the target.

    Args:
        spec: with ``up``, ``scale``, ``origin`` and ``crop_m`` as a screenplay has them.
        sh_degree: highest degree of spherical harmonics to keep.

    Raises:
        AnixError: as ``read_splats``; E314 and E316 as ``write_spz``; E315, nothing is left by the crop;
            E435, E436 and E412, the output cannot be.
    """
    suffix = check_target(target, overwrite=overwrite)
    gaussians, count, comments, notes = _placed(spec, FRAMES[suffix])
    if sh_degree is not None and sh_degree < gaussians.sh_degree:
        gaussians = replace(gaussians, sh=gaussians.sh[:, : (sh_degree + 1) ** 2])
    with writing(target) as partial:
        _write(partial, gaussians, suffix, comments, spz_version)
        size = partial.stat().st_size
    return Converted(
        path=target,
        format=f"SPZ v{spz_version}" if suffix == ".spz" else _NAMES[suffix],
        count=len(gaussians),
        sh_degree=gaussians.sh_degree,
        frame=FRAMES[suffix],
        antialiased=gaussians.antialiased,
        size_bytes=size,
        dropped=count - len(gaussians),
        notes=notes,
    )


def check_target(target: Path, *, overwrite: bool) -> str:
    """The suffix of a file that can be written, in small letters.

    Raises:
        AnixError: E436, its name says no format that is written; E435, it exists; E412, E411, it cannot be
            written.
    """
    suffix = target.suffix.lower()
    if suffix not in FRAMES or target.name.lower().endswith(".compressed.ply"):
        text = f"{target.name} is not the name of a scene that anix writes: it must end in .ply, .spz or .sog"
        hint = "Compressed PLY is read, not written." if suffix == ".ply" else None
        raise fail("E436", text, file=target, hint=hint)
    if target.exists() and not overwrite:
        raise taken(target)
    check_writable(target)
    return suffix


def taken(path: Path) -> Exception:
    """E435."""
    hint = "Name another output, or pass --overwrite to replace it."
    return fail("E435", f"{path} exists already", file=path, hint=hint)


def _placed(spec: SceneSpec, up: str) -> tuple[Gaussians, int, tuple[str, ...], tuple[Diagnostic, ...]]:
    """The Gaussians in a frame whose ``up`` points up, how many the file holds, its comments, remarks."""
    import numpy as np

    from ..scene import place, probe, read_splats, similarity

    file_from_stage = np.asarray(np.linalg.inv(similarity(up, 1.0)), dtype=np.float64)
    if spec != SceneSpec(spec.file):
        from ..scene.analysis import analyse
        from ..scene.placement import transform

        info = probe(spec.file)
        found, gaussians = analyse(spec)
        notes = (*found.notes, *_levelled(spec, found))
        if spec.origin is None and any(found.offset):
            notes = (*notes, moved(spec.file, found.offset))
        return transform(gaussians, file_from_stage), info.count, info.comments, notes
    splats = read_splats(spec.file)
    notes = splats.notes
    if any(splats.offset):
        notes = (*notes, moved(spec.file, splats.offset))
    stage_from_file = similarity(splats.info.up, 1.0, splats.offset)
    gaussians = place(splats, file_from_stage @ stage_from_file)
    return gaussians, splats.info.count, splats.info.comments, notes


def _levelled(spec: SceneSpec, found: Analysis) -> tuple[Diagnostic, ...]:
    """What ``up: auto`` did."""
    if spec.up != "auto":
        return ()
    from ..scene.upright import SURE_TILT_DEG

    text = f"{spec.file.name} is taken to have {found.frame}"
    if found.tilt_deg is not None and found.tilt_deg >= SURE_TILT_DEG:
        text += f"; it is turned by {found.tilt_deg:.1f}° to set its ground level"
    return (Diagnostic("W301", text, file=spec.file, hint=f"--up={found.up} takes the axis as it is."),)


def _write(
    path: Path, gaussians: Gaussians, suffix: str, comments: tuple[str, ...], spz_version: int
) -> None:
    from ..scene import write_ply, write_sog, write_spz

    if suffix == ".ply":
        write_ply(path, gaussians, comments=comments)
    elif suffix == ".spz":
        write_spz(path, gaussians, version=spz_version)
    else:
        write_sog(path, gaussians)
