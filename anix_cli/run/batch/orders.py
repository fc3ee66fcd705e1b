"""What a worker is told: one line of JSON a task."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Order:
    """A task with all that a worker needs for it.

    Attributes:
        take: which take of the film is to be made; None to join the film.
        settings: what ``--set`` said.
    """

    screenplay: Path
    output: Path
    backend: str
    take: int | None
    settings: tuple[str, ...] = ()
    slate: bool = False
    anonymous: bool = False
    gpus_per_clip: int = 1
    candidates: int | None = None
    overwrite: bool = False
    report: bool = True
    device: str | None = None
    ffmpeg: Path | None = None

    def line(self) -> str:
        """In ASCII, without a line break; bytes of paths that are not UTF-8 survive."""
        return json.dumps({name: _text(value) for name, value in asdict(self).items()})

    @staticmethod
    def of(line: str) -> Order:
        """The order of a line. Raises ValueError, KeyError or TypeError for anything else."""
        found = json.loads(line)
        ffmpeg = found.pop("ffmpeg")
        return Order(
            Path(found.pop("screenplay")),
            Path(found.pop("output")),
            settings=tuple(found.pop("settings")),
            ffmpeg=None if ffmpeg is None else Path(ffmpeg),
            **found,
        )


def _text(value: object) -> object:
    return os.fspath(value) if isinstance(value, Path) else value
