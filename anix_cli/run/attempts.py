"""One clip from a backend: asked, looked at, asked once more in higher precision where it gave no picture."""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..core.clip import Backend, BadFrames, ClipRequest, Frames, Progress
from ..core.errors import AnixError, Diagnostic, fail
from ..core.events import Emit, Noted
from ..generate.colourlock import lock
from ..generate.health import fault
from ..generate.scores import drift, seam
from ..store.atomic import is_full, refused
from ..store.store import Store


@dataclass(frozen=True)
class Attempted:
    """New frames [F, H, W, 3] uint8 sRGB as they are kept, and what is noted about them."""

    frames: Frames
    notes: dict[str, Any]


def attempt(
    backend: Backend,
    request: ClipRequest,
    progress: Callable[[], Progress],
    *,
    name: str,
    clip: str,
    emit: Emit,
) -> Attempted:
    """The clip's frames, looked at and with their colours held to the guide.

    Args:
        progress: makes the listener of one try.
        name: the backend's; clip: which one it is, in words.

    Raises:
        AnixError: E411, the disk became full; E553, not what was asked for; E555, the backend failed;
            E556, no picture, twice.
    """
    notes: dict[str, Any] = {}
    asked = replace(request, note=notes.__setitem__)
    first = ""
    for precise in (False, True):
        notes.clear()
        try:
            frames = _generated(backend, replace(asked, precise=precise), progress(), name=name, clip=clip)
            _check(frames, request, clip)
            wrong = fault(frames, request) if backend.capabilities.weights else None
        except BadFrames as error:
            wrong = str(error)
        if wrong is None:
            if first:
                notes["retried"] = first
            if lost := notes.get("words_lost"):
                emit(Noted(Diagnostic("W552", f"{clip}: the prompt was too long for {name}; lost: {lost}")))
            return _finished(frames, request, notes, drifts=backend.capabilities.drifts)
        first = wrong
        if not precise:
            message = f"{clip}: {name} gave no picture ({wrong}); it is made again in higher precision"
            emit(Noted(Diagnostic("W551", message)))
    raise fail(
        "E556",
        f"{clip}: {name} gave no picture, twice ({wrong})",
        hint="another seed or a shorter prompt may do; finished clips are kept, and none continues this one",
    )


def _generated(backend: Backend, request: ClipRequest, progress: Progress, *, name: str, clip: str) -> Frames:
    try:
        return backend.generate(request, progress)
    except (AnixError, BadFrames):
        raise
    except Exception as error:  # a backend may be anybody's
        if "No space left on device" in str(error) or (isinstance(error, OSError) and is_full(error)):
            place = request.scratch if request.scratch is not None else Path(tempfile.gettempdir())
            raise refused(place, OSError(errno.ENOSPC, str(error))) from error
        reason = f"{type(error).__name__}: {error}".strip().splitlines()[0]
        raise fail(
            "E555",
            f"{clip}: the backend {name} failed ({reason})",
            hint="finished clips are kept; the same command goes on from here",
        ) from error


def _finished(frames: Frames, request: ClipRequest, notes: dict[str, Any], *, drifts: bool) -> Attempted:
    if not drifts:
        return Attempted(frames, notes)
    tail = len(request.tail)
    notes["drift"] = drift(frames, request)
    locked = lock(frames, request.guide[tail:], request.anchor[tail:])
    notes["colour_lock"] = {
        "gain": [round(float(v), 4) for v in (locked.gain.min(), locked.gain.max())],
        "offset": [round(float(v), 3) for v in (locked.offset.min(), locked.offset.max())],
    }
    joined = seam(locked.frames, request)
    if joined is not None:
        notes["seam"] = joined
    return Attempted(locked.frames, notes)


def _check(frames: Any, request: ClipRequest, clip: str) -> None:
    width, height = request.size_px
    wanted = (request.frames, height, width, 3)
    kind, shape = getattr(frames, "dtype", type(frames).__name__), getattr(frames, "shape", "none")
    if kind != np.uint8 or shape != wanted:
        raise fail(
            "E553",
            f"{clip}: the backend gave {kind} frames of shape {shape}, asked for uint8 {wanted}",
            hint="this is a fault of the backend; finished clips are kept",
        )


def scratch_folder(store: Store, key: str) -> Path:
    """Where a backend may keep what it has of a clip that is not finished: beside the entries."""
    return store.root / "unfinished" / key


def forget_scratch(store: Store, key: str) -> None:
    """Once the clip is kept, or can't be made."""
    shutil.rmtree(scratch_folder(store, key), ignore_errors=True)
