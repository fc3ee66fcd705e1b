"""Tells somebody that a run has ended, by a command of theirs: no shell, and nothing depends on it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..core.errors import Diagnostic

LONGEST_S = 30.0
"""So long it may take."""
TOLD = ("exit_code", "seconds", "made", "up_to_date", "failed", "invalid", "left", "unfinished", "text")
"""What of a summary goes into the environment (ANIX_EXIT_CODE …) and into ``{…}`` of the arguments."""


def lacking(command: Sequence[str]) -> Diagnostic | None:
    """W413 where there is no such program: better said before the night than after it."""
    if shutil.which(command[0]) is not None:
        return None
    return _warning(f"there is no program {command[0]} to tell of the end", "see --notify-command")


def notify(
    command: Sequence[str], summary: Mapping[str, Any], *, longest_s: float = LONGEST_S
) -> Diagnostic | None:
    """Runs a command: the summary as JSON on its standard input, what counts in its environment, and in place
    of ``{text}``, ``{made}`` … in its arguments.

    Its standard output goes to our standard error: ours holds results.

    Returns:
        W413 if it failed, or was still running after ``longest_s`` and was ended.
    """
    values = {name: str(summary[name]) for name in TOLD}
    environment = {**os.environ, **{f"ANIX_{name.upper()}": value for name, value in values.items()}}
    try:
        process = subprocess.Popen(
            [_filled(argument, values) for argument in command],
            stdin=subprocess.PIPE,
            stdout=_stderr(),
            env=environment,
            start_new_session=True,  # so that it is ended with all that it has started
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return _warning(f"{command[0]} could not be run: {reason.lower()}")
    try:
        process.communicate(json.dumps(summary).encode("ascii"), timeout=longest_s)
    except subprocess.TimeoutExpired:
        return _warning(f"{command[0]} took longer than {longest_s:g} s, and was ended")
    finally:
        if process.returncode is None:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if process.returncode == 0:
        return None
    return _warning(f"{command[0]} ended with exit code {process.returncode}")


def _filled(argument: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        argument = argument.replace(f"{{{name}}}", value)
    return argument


def _stderr() -> int:
    try:
        os.fstat(2)
    except OSError:
        return subprocess.DEVNULL
    return 2


def _warning(message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("W413", message, hint=hint or "what was made is not touched by it")
