"""Runs ``anix`` in this process, as its entry point does."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import pytest

from anix_cli.cli.main import run


@pytest.fixture
def anix(monkeypatch, capsys) -> Callable[..., tuple[int, str, str]]:
    """``anix("validate", "film.yaml", stdin=b"…")`` → exit code, standard output, standard error."""
    for name in ("NO_COLOR", "FORCE_COLOR", "GITHUB_WORKSPACE", "ANIX_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)

    def anix(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stderr", sys.stderr)  # the command puts its own in its place
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capsys.readouterr()
        code = run(list(arguments))
        said = capsys.readouterr()
        return code, said.out, said.err

    return anix


@pytest.fixture
def film(project, monkeypatch):
    """The small film project as the current folder."""
    monkeypatch.chdir(project)
    return project
