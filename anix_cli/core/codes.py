"""The register of problem codes: what each means and which exit code it leads to.

``E1xx`` the screenplay as written · ``E2xx`` planning · ``E3xx`` scene and character files ·
``E4xx`` the machine: outputs, ffmpeg, disk · ``E5xx`` generation · ``W…`` warnings in the same ranges.
A test holds that every code raised is registered and that every registered code is raised.
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import Diagnostic, ExitCode


@dataclass(frozen=True)
class Code:
    """One registered problem: a title, what it means for the user, and the exit code it leads to."""

    title: str
    help: str
    exit_code: ExitCode


def _range(exit_code: ExitCode, rows: dict[str, tuple[str, str]]) -> dict[str, Code]:
    return {code: Code(title, text, exit_code) for code, (title, text) in rows.items()}


SCREENPLAY = _range(ExitCode.INVALID, {})

PLAN = _range(ExitCode.INVALID, {})

SCENE = _range(ExitCode.INVALID, {})

CHARACTER = _range(ExitCode.INVALID, {})

MACHINE = _range(ExitCode.ENVIRONMENT, {})

OUTPUT = _range(ExitCode.USAGE, {})

GENERATION = _range(ExitCode.SHOTS_FAILED, {})

CODES: dict[str, Code] = {
    **SCREENPLAY, **PLAN, **SCENE, **CHARACTER, **MACHINE, **OUTPUT, **GENERATION,
}  # fmt: skip


def exit_code_of(diagnostics: tuple[Diagnostic, ...]) -> ExitCode:
    """The exit code for a set of problems: that of the first error."""
    for diagnostic in diagnostics:
        if diagnostic.severity == "error":
            return CODES[diagnostic.code].exit_code if diagnostic.code in CODES else ExitCode.BUG
    return ExitCode.OK
