"""Writes a scene as PLY, SPZ or SOG, as it is or as it stands on the stage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import AnixError, Diagnostic, fail
from ..core.screenplay import SceneSpec
from ..scene.structure import scene_files
from ..store.atomic import check_writable, destination, unwritable, writing
from .sceneinfo import warnings
from .scenesource import SceneSource

if TYPE_CHECKING:
    from ..core.gaussians import Gaussians
    from ..scene.info import SplatFile

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
    def facts(self) -> dict[str, Any]:
        """The same as data."""
        return {
            "file": str(self.path),
            "format": self.format,
            "bytes": self.size_bytes,
            "count": self.count,
            "sh_degree": self.sh_degree,
            "frame": f"{self.frame} up",
            "antialiased": self.antialiased,
            "dropped": self.dropped,
            "warnings": warnings(self.notes),
        }


def convert(
    source: SceneSource,
    target: Path,
    *,
    sh_degree: int | None = None,
    spz_version: int = 3,
    overwrite: bool = False,
) -> Converted:
    """Reads a scene, places it if anything says how, and writes it in one step.

    What is not said changes nothing but the frame: the file's own, by its format, becomes that of the target.

    Args:
        sh_degree: highest degree of spherical harmonics to keep.

    Raises:
        AnixError: as ``read_splats``; E314 and E316 as ``write_ply``, ``write_spz`` and ``write_sog``; E315,
            nothing is left by the crop; E435, E436 and E412, the output cannot be.
    """
    suffix = check_target(source.spec, target, overwrite=overwrite)
    gaussians, count, comments, notes = _placed(source, FRAMES[suffix])
    if sh_degree is not None and sh_degree < gaussians.sh_degree:
        gaussians = replace(gaussians, sh=gaussians.sh[:, : (sh_degree + 1) ** 2])
    with writing(target) as partial:
        lost = _write(partial, gaussians, suffix, comments, spz_version)
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
        notes=(*source.notes, *notes, *(replace(note, file=target) for note in lost)),
    )


def check_target(spec: SceneSpec, target: Path, *, overwrite: bool) -> str:
    """The suffix of a file that can be written, in small letters.

    Raises:
        AnixError: E436, its name says no format that is written; E435, it exists, or is what is read; E412,
            E411, it cannot be written.
    """
    suffix = target.suffix.lower()
    if suffix not in FRAMES or target.name.lower().endswith(".compressed.ply"):
        text = f"{target.name} is not the name of a scene that anix writes: it must end in .ply, .spz or .sog"
        hint = "Compressed PLY is read, not written." if suffix == ".ply" else None
        raise fail("E436", text, file=target, hint=hint)
    refuse_taken(target, overwrite=overwrite, read=_read(spec))
    check_writable(target)
    return suffix


def _read(spec: SceneSpec) -> tuple[Path, ...]:
    """The files that a conversion reads, as far as they are there."""
    try:
        files = scene_files(spec.file)
    except AnixError:  # reading it will tell
        files = (spec.file,)
    return files if spec.collider is None else (*files, spec.collider)


def refuse_taken(target: Path, *, overwrite: bool, read: Iterable[Path] = ()) -> None:
    """Makes sure that a file may be written.

    Args:
        read: files of the scene itself, which nothing may replace.

    Raises:
        AnixError: E435, it exists already, or is one of those; E412, it can't be looked at.
    """
    place = destination(target)
    with unwritable(target):
        if not place.exists():
            return
        same = any(other.exists() and place.samefile(other) for other in read)
    if same:
        text = f"{target} is what is read, and is not written over"
        raise fail("E435", text, file=target, hint="Name another output.")
    if not overwrite:
        hint = "Name another output, or pass --overwrite to replace it."
        raise fail("E435", f"{target} exists already", file=target, hint=hint)


def _placed(source: SceneSource, up: str) -> tuple[Gaussians, int, tuple[str, ...], tuple[Diagnostic, ...]]:
    """The Gaussians in a frame whose ``up`` points up, how many the file holds, its comments, remarks."""
    import numpy as np

    from ..scene import place, probe, read_splats, similarity

    spec = source.spec
    file_from_stage = np.asarray(np.linalg.inv(similarity(up, 1.0)), dtype=np.float64)
    if source.placed:
        from ..scene.placement import transform

        with np.errstate(all="ignore"):  # what is out of range is refused when it is written
            found, gaussians = source.analysed()
        info = probe(spec.file)
        # Where it stands is asked for; whether it has ground, and how large it is, plays no part.
        notes = tuple(note for note in source.assumed(found) if note.code not in ("W302", "W303"))
        return transform(gaussians, file_from_stage), info.count, info.comments, notes
    splats = read_splats(spec.file)
    notes = splats.notes
    if any(splats.offset):
        notes = (*notes, _moved(source, splats))
    stage_from_file = similarity(splats.info.up, 1.0, splats.offset)
    gaussians = place(splats, file_from_stage @ stage_from_file)
    return gaussians, splats.info.count, splats.info.comments, notes


def _moved(source: SceneSource, splats: SplatFile) -> Diagnostic:
    """W307: where the origin of a scene went that lies far from its own."""
    x, y, z = (value / splats.info.unit for value in splats.offset)
    name = source.spec.file.name
    text = f"{name} lies far from its origin; ({x:.10g}, {y:.10g}, {z:.10g}) became the origin"
    return source.explain("origin", "W307", text)


def _write(
    path: Path, gaussians: Gaussians, suffix: str, comments: tuple[str, ...], spz_version: int
) -> tuple[Diagnostic, ...]:
    """What the format could not hold."""
    from ..scene import write_ply, write_sog, write_spz

    if suffix == ".ply":
        return write_ply(path, gaussians, comments=comments)
    if suffix == ".spz":
        return write_spz(path, gaussians, version=spz_version)
    return write_sog(path, gaussians)
