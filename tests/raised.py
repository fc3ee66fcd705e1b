"""Notes which problem codes the program itself raised while tests ran, so that none is only talked about.

A code counts when a module of ``anix_cli`` made its diagnostic; one that a test made up does not. After a
run of all tests, a registered code that nothing raised fails the run. Tests that look at another process
do not count, as it is not seen.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import anix_cli
from anix_cli.core import errors, screenplay
from anix_cli.core.codes import CODES

PACKAGE = str(Path(anix_cli.__file__).parent)
# They make diagnostics on behalf of whoever calls them.
MAKERS = {errors.__file__, screenplay.__file__}


class RaisedCodes:
    """A pytest plugin; under xdist each worker reports to the one that started it."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.codes: set[str] = set()
        self.partial = False
        self.missing: list[str] = []
        made = errors.Diagnostic.__init__

        def noting(diagnostic: errors.Diagnostic, *args: Any, **details: Any) -> None:
            made(diagnostic, *args, **details)
            if diagnostic.code not in self.codes and _made_by_anix():
                self.codes.add(diagnostic.code)

        errors.Diagnostic.__init__ = noting  # type: ignore[method-assign]

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self.partial = self.partial or bool(items)

    @pytest.hookimpl(optionalhook=True)  # of pytest-xdist
    def pytest_testnodedown(self, node: Any) -> None:
        self.codes |= set(node.workeroutput.get("raised_codes", ()))
        self.partial = self.partial or node.workeroutput.get("partial", True)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput.update(raised_codes=sorted(self.codes), partial=self.partial)
            return
        option = self.config.option
        whole = not self.partial and _all_of_it(self.config) and not option.collectonly
        if whole and exitstatus == pytest.ExitCode.OK:
            self.missing = sorted(set(CODES) - self.codes)
            if self.missing:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.missing:
            terminalreporter.section("codes that no test raised", red=True)
            terminalreporter.line(f"{', '.join(self.missing)}: registered, but no test made anix raise them")


def _all_of_it(config: pytest.Config) -> bool:
    given = {Path(argument).resolve() for argument in config.args}
    option = config.option
    return not (option.ignore or option.ignore_glob or option.deselect) and bool(
        given & {config.rootpath, config.rootpath / "tests"}
    )


def _made_by_anix() -> bool:
    frame: Any = sys._getframe(2)
    while frame is not None and (
        frame.f_code.co_filename in MAKERS or frame.f_code.co_filename == "<string>"
    ):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(PACKAGE)
