"""Whether the backend can make what is asked for, found out before the night by a process of its own.

What looks at a GPU holds some of its memory as long as it lives, and would do so all night.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any

from ... import generate
from ...core.errors import AnixError, Diagnostic, together
from ...core.events import TaskFailed
from ...core.eventstream import document_of, event_of
from .machine import COMMAND

READY = "--ready"
_NOW = "1970-01-01T00:00:00Z"

Options = Sequence[Mapping[str, Any]]


def problems_of_backend(
    backend: str, films: Sequence[Options], *, gpus_per_clip: int = 1
) -> list[tuple[Diagnostic, ...]]:
    """For each film, given by the options of its clips, what the backend lacks for it.

    Nothing where the backend needs neither weights nor a GPU, or where the process that looks ends without an
    answer: what is wrong is then found by the first task.
    """
    nothing: list[tuple[Diagnostic, ...]] = [() for _ in films]
    if not films or not generate.capabilities(backend).weights:
        return nothing
    unlike = [_unlike(options) for options in films]
    question = {"backend": backend, "gpus_per_clip": gpus_per_clip, "films": unlike}
    done = subprocess.run(
        [sys.executable, *COMMAND, READY],
        input=json.dumps(question).encode("ascii"),
        stdout=subprocess.PIPE,
        check=False,
    )
    with suppress(ValueError, KeyError, TypeError):
        events = [event_of(json.loads(line)) for line in done.stdout.splitlines()]
        if len(events) == len(films):
            return [event.problems if isinstance(event, TaskFailed) else () for event in events]
    return nothing


def answer(question: str, told: IO[str]) -> None:
    """Looks, in the process of its own: a line for each film, an event that tells its problems."""
    asked = json.loads(question)
    if asked["gpus_per_clip"] > 1:
        generate.use_gpus(asked["gpus_per_clip"])
    for options in asked["films"]:
        problems = tuple(together(lambda options=options: _prepare(asked["backend"], options)))  # type: ignore[misc]
        event = TaskFailed("", None, 0, again=False, problems=problems)
        told.write(json.dumps(document_of(event, at=_NOW)) + "\n")
        told.flush()


def _prepare(backend: str, options: Options) -> None:
    """Raises AnixError: as the backend says."""
    made = generate.get(backend)
    try:
        prepare = getattr(made, "prepare", None)
        if prepare is not None:
            prepare(options)
    except AnixError:
        raise
    except Exception:  # what is broken in a driver is told by the first task, with its traceback
        return
    finally:
        made.close()


def _unlike(options: Options) -> list[Mapping[str, Any]]:
    """The options, those that are the same once."""
    return list({json.dumps(one, sort_keys=True): one for one in options}.values())
