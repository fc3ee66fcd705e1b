"""What happens during a run, as data. A terminal and a plain log are views of this one stream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .errors import Diagnostic


@dataclass(frozen=True)
class RunStarted:
    """A run begins: how many guide frames and clip frames it has to make, and how many the store has.

    ``guide_seconds``, ``clip_seconds``: how long that would take, as measured on this machine before; None
    where nothing is known.
    """

    title: str
    shots: int
    guide_frames: int
    clip_frames: int
    clips: int
    clips_cached: int
    takes: int = 1
    guide_seconds: float | None = None
    clip_seconds: float | None = None


@dataclass(frozen=True)
class StageStarted:
    """A stage (guide, generate, join) begins with so many frames to make."""

    stage: str
    frames: int


@dataclass(frozen=True)
class TakeStarted:
    """A run begins to make the clips of a take: which one of how many, counted from 0."""

    number: int
    takes: int


@dataclass(frozen=True)
class FramesDone:
    """So many more frames of a stage are done; of a clip, also how far the backend has come with it, in its
    own steps. Where those are less than a frame, ``frames`` may be 0."""

    stage: str
    shot: str
    frames: int
    clip: int | None = None
    step: int | None = None
    steps: int | None = None


@dataclass(frozen=True)
class StageFinished:
    stage: str
    seconds: float


@dataclass(frozen=True)
class GuideFinished:
    shot: str
    key: str
    seconds: float


@dataclass(frozen=True)
class ClipFinished:
    """A clip is kept; ``candidate``: of which variant of the shot, None for the one that is in the film."""

    shot: str
    clip: int
    key: str
    frames: int
    seconds: float
    candidate: int | None = None


@dataclass(frozen=True)
class FilmFinished:
    path: str
    frames: int
    bytes: int
    seconds: float
    reused: bool


@dataclass(frozen=True)
class ReportFinished:
    path: str
    bytes: int
    seconds: float
    reused: bool


@dataclass(frozen=True)
class Noted:
    """A warning or a remark."""

    diagnostic: Diagnostic


@dataclass(frozen=True)
class BatchStarted:
    """A batch begins: its films, those that can't be made among them, and the tasks that are to be done.

    ``frames`` of guides, clips and candidates are to be made; ``seconds``: how long one worker would take for
    them, as measured before; None where nothing is known.
    """

    films: int
    tasks: int
    workers: int
    frames: int = 0
    seconds: float | None = None


@dataclass(frozen=True)
class TaskStarted:
    """A worker begins with a take of a film, or with joining it (``take`` None)."""

    film: str
    take: int | None
    worker: int


@dataclass(frozen=True)
class TaskFinished:
    film: str
    take: int | None
    worker: int
    seconds: float


@dataclass(frozen=True)
class TaskFailed:
    """A task came to nothing; ``again`` if it is given to another worker."""

    film: str
    take: int | None
    worker: int
    again: bool
    problems: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class FilmFailed:
    """A film of a batch is not made."""

    film: str
    problems: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class FilmLeft:
    """A film of a batch is left for another time, as there is not enough of it for ``seconds`` more."""

    film: str
    seconds: float | None


@dataclass(frozen=True)
class BatchFinished:
    made: int
    failed: int
    seconds: float


Event = (
    RunStarted
    | StageStarted
    | TakeStarted
    | FramesDone
    | StageFinished
    | GuideFinished
    | ClipFinished
    | FilmFinished
    | ReportFinished
    | Noted
    | BatchStarted
    | TaskStarted
    | TaskFinished
    | TaskFailed
    | FilmFailed
    | FilmLeft
    | BatchFinished
)
Emit = Callable[[Event], None]
