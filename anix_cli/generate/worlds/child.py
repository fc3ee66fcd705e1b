"""The program in the other environment: started once, asked through a pipe, ended with the backend."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import Any

from anix_cli.core.errors import AnixError, fail

PYTHON = "ANIX_FASTVIDEO_PYTHON"
_HINT = f"python -m venv worlds; worlds/bin/pip install fastvideo; export {PYTHON}=$PWD/worlds/bin/python"
PROGRAM = Path(__file__).parent / "worker.py"
PATIENCE_S = 3600.0
"""For one clip, the loading of weights included."""
_LEAVE_S = 20.0


def other_python(variable: str = PYTHON, hint: str = _HINT) -> Path:
    """The interpreter of another environment, which an environment variable names.

    Raises:
        AnixError: E482, none is named, or there is none.
    """
    named = os.environ.get(variable, "")
    if not named:
        raise missing("game worlds run in an environment of their own, and none is named", hint)
    path = Path(named).expanduser()
    if not path.is_file() or not os.access(path, os.X_OK):
        raise missing(f"{variable} names {named}, which is no program", hint)
    return path.absolute()


class Child:
    """A running worker.

    Args:
        python: of its environment.
        checkout: a folder of code that it works in, for worlds that are no package.
        program: what runs there; another in tests.

    Raises:
        AnixError: E482, it cannot be started, or what it needs is not installed there.
    """

    def __init__(self, python: Path, checkout: Path | None = None, *, program: Path = PROGRAM) -> None:
        hint = _HINT if checkout is None else "install the checkout's requirements into that environment"
        needed = "fastvideo" if checkout is None else f"the code in {checkout}"
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  (open as long as the child is)
        try:
            self._process = subprocess.Popen(
                [str(python), "-I", str(program), *([] if checkout is None else [str(checkout)])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                encoding="utf-8",
            )
        except OSError as error:
            raise missing(f"{python} cannot be started ({error.strerror})", hint) from error
        try:
            self.version = str(self.ask({"do": "hello"})["version"])
        except (RuntimeError, KeyError) as error:
            self.close()
            raise missing(f"{needed} cannot be used by {python} ({error})", hint) from error

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Its answer.

        Raises:
            RuntimeError: it failed, ended, or says something else; with its reason.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise RuntimeError("it has no pipes")
        watch = Timer(PATIENCE_S, self._process.kill)
        watch.start()
        try:
            stdin.write(json.dumps(request) + "\n")
            stdin.flush()
            line = stdout.readline()
        except OSError:
            line = ""
        finally:
            hung = not watch.is_alive()
            watch.cancel()
        if not line:
            why = f"it did not answer for {PATIENCE_S / 60:.0f} minutes" if hung else "its process ended"
            raise RuntimeError(f"{why}: {self._last_words()}")
        try:
            told = json.loads(line)
        except ValueError:
            told = None
        if not isinstance(told, dict) or not isinstance(told.get("done", {}), dict):
            raise RuntimeError(f"it says {line.strip()[:80]!r}")
        if "done" not in told:
            raise RuntimeError(str(told.get("failed", "for no reason")))
        return dict(told["done"])

    def close(self) -> None:
        """Ends it."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(_LEAVE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._said.close()

    def _last_words(self) -> str:
        self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, self._said.tell() - 4000))
        lines = [line for line in self._said.read().decode("utf-8", "replace").splitlines() if line.strip()]
        return lines[-1].strip()[:200] if lines else "without a word"


def missing(why: str, hint: str) -> AnixError:
    """E482: the other environment can't be used."""
    return fail("E482", why, hint=hint)
