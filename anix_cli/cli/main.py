"""Runs a command and turns every way it can end into a documented exit code.

0 done · 1 some shots failed · 2 usage · 3 invalid screenplay · 4 environment · 70 bug, with a log to paste ·
75 stopped by SIGTERM, a rerun resumes · 130 Ctrl-C.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import __version__
from ..core.codes import exit_code_of
from ..core.errors import AnixError, ExitCode, fail
from .options import flush
from .streams import close_stdout, prepare_streams

_RESUMES = "finished clips are kept; the same command resumes"


def run(arguments: Sequence[str]) -> int:
    """Runs ``anix ARGUMENTS…`` and returns the exit code; never raises, never shows a traceback."""
    prepare_streams()
    import typer

    from ..run.signals import Terminated, interruptible
    from .app import app_for

    usage_error: Any = typer.BadParameter.__mro__[2]  # ClickException of the click that this Typer carries

    try:
        with interruptible():
            result = app_for(arguments)(list(arguments), standalone_mode=False, prog_name="anix")
        flush()
        return _stopped() if result == ExitCode.INTERRUPTED else int(result or 0)
    except usage_error as error:
        error.show()
        return int(ExitCode.USAGE)
    except AnixError as error:
        _say(error)
        return int(exit_code_of(error.diagnostics))
    except (KeyboardInterrupt, typer.Abort):
        return _stopped()
    except Terminated:
        return _terminated()
    except (BrokenPipeError, SystemExit):  # a SystemExit is what Typer makes of a broken pipe
        close_stdout()
        return int(ExitCode.OK)
    except OSError as error:
        if error.errno == errno.ENOSPC and error.filename is None:  # help and version are written by Typer
            close_stdout()
            full = fail("E414", "standard output cannot be written: no space left on device")
            _say(full)
            return int(exit_code_of(full.diagnostics))
        if isinstance(error, FileNotFoundError) and not _here():
            gone = fail("E415", "the folder that this command was started in is gone")
            _say(gone)
            return int(exit_code_of(gone.diagnostics))
        return _bug(error, arguments)
    except Exception as error:
        if (stop := _stop_behind(error)) is None:
            return _bug(error, arguments)
        return _stopped() if isinstance(stop, KeyboardInterrupt) else _terminated()


def _here() -> bool:
    """Whether the current folder is still there."""
    try:
        Path.cwd()
    except OSError:
        return False
    return True


def _stop_behind(error: BaseException | None) -> BaseException | None:
    """The signal that an error comes from: Python up to 3.11 wraps one that arrives while a class is made."""
    from ..run.signals import Terminated

    while error is not None and not isinstance(error, (Terminated, KeyboardInterrupt)):
        error = error.__cause__
    return error


def _terminated() -> int:
    sys.stderr.write(f"anix: stopped by SIGTERM; {_RESUMES}\n")
    return int(ExitCode.TERMINATED)


def _stopped() -> int:
    sys.stderr.write(f"anix: stopped by Ctrl-C; {_RESUMES}\n")
    return int(ExitCode.INTERRUPTED)


def _say(error: AnixError) -> None:
    from ..report.diagnostics import show, tally

    show(error.diagnostics, sys.stderr)
    if any(problem.strict for problem in error.diagnostics):
        sys.stderr.write(f"anix: {tally(error.diagnostics)}\n")


def _bug(error: Exception, arguments: Sequence[str]) -> int:
    import platform
    import tempfile
    import traceback

    text = "\n".join(
        [
            f"anix {__version__}, Python {platform.python_version()}, {platform.platform()}",
            f"command: anix {' '.join(arguments)}",
            "".join(traceback.format_exception(error)),
        ]
    )
    where = "the lines above"
    try:
        with tempfile.NamedTemporaryFile(prefix="anix-bug-", suffix=".log", delete=False) as log:
            log.write(text.encode("utf-8", "backslashreplace"))
        where = log.name
    except OSError:
        sys.stderr.write(text + "\n")
    sys.stderr.write(
        f"anix: this is a bug in anix, not in your screenplay: {type(error).__name__}: {error}\n"
        f"  please report it with {where}; {_RESUMES}\n"
    )
    return int(ExitCode.BUG)
