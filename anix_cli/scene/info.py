"""What is known of a splat file: its structure (probe) and its content (read)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anix_cli.core.errors import AnixError, Diagnostic

if TYPE_CHECKING:
    from anix_cli.core.gaussians import Gaussians

MAX_GAUSSIANS = 20_000_000
"""More than this is refused from the header alone: no CPU or GPU of today would draw it."""

READ_NOW = "PLY (also compressed, 2DGS and point clouds), SPZ, SOG, .splat, .ksplat, glTF, OpenUSD and npz"
"""The formats that are read, for messages."""


@dataclass(frozen=True)
class SplatInfo:
    """The structure of a splat file, known without decoding all of it.

    Attributes:
        format: "PLY", "SPZ v2", …
        count: Gaussians, or points where ``points`` is set.
        up: the axis that points up by the format's convention ("-y") or by what the file itself says.
        up_source: who says so ("PLY convention").
        comments: the texts that a PLY header carries.
        notes: warnings about the file.
        points: a plain point cloud, of which round Gaussians are made.
        unit: what one unit of the file becomes in the decoded Gaussians; other than 1 only where a file
            beside the scene says how much its training shrank it, or the file itself how long its unit is.
        metric: the file says how many metres its unit is, so that the decoded Gaussians are in metres.
    """

    path: Path
    format: str
    count: int
    sh_degree: int
    antialiased: bool
    up: str
    up_source: str
    comments: tuple[str, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    points: bool = False
    unit: float = 1.0
    metric: bool = False

    @property
    def frame(self) -> str:
        """The frame in words: "-y up (PLY convention)"."""
        return f"{self.up} up ({self.up_source})"


def unsettled(notes: tuple[Diagnostic, ...], scale: object) -> tuple[Diagnostic, ...]:
    """The notes without that of a unit (W315) where a ``scale`` is written, which settles it."""
    return notes if scale is None else tuple(note for note in notes if note.code != "W315")


class EmptySceneError(AnixError):
    """E309 of a file that is whole and says itself that it holds no Gaussians: ``info`` is what it says."""

    def __init__(self, info: SplatInfo) -> None:
        self.info = info
        text = f"{info.path.name} holds no Gaussians: its header says 0"
        super().__init__(Diagnostic("E309", text, file=info.path))


@dataclass(frozen=True)
class SplatFile:
    """A splat file, decoded.

    Attributes:
        gaussians: in the file's own axes and unit (times ``info.unit``), minus ``offset``; activated,
            quaternions of unit length; rows with a non-finite mean, scale, quaternion, colour or opacity
            are gone.
        info: its structure.
        dropped: how many rows are gone.
        offset: (x, y, z) float64 in the file's coordinates that was taken off the means before they became
            float32; zero unless the scene lies so far from the file's origin that float32 would jitter.
        notes: every warning, those of ``info`` included.
    """

    gaussians: Gaussians
    info: SplatInfo
    dropped: int
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    notes: tuple[Diagnostic, ...] = ()
