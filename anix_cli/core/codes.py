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

CHARACTER = _range(
    ExitCode.INVALID,
    {
        "E341": ("Empty view", "A picture of the character is fully transparent or shows only background."),
        "E342": (
            "No plain background",
            "A view without transparency is cut out along its plain background; this one "
            "has none. Save it with a transparent background.",
        ),
        "E344": (
            "Missing view",
            "A character needs four views: front, left, right and back; left shows its own left side.",
        ),
        "E345": (
            "Views do not fit",
            "The front and the side views have too little in common to make one body of. "
            "Show the same character in the same pose, whole, from all four sides.",
        ),
        "W341": ("Same view twice", "Two views are one picture, so one side of the character is not known."),
        "W342": (
            "Mirrored view",
            "A view is another one mirrored, so what differs between the two sides is lost.",
        ),
    },
)

MACHINE = _range(
    ExitCode.ENVIRONMENT,
    {
        "E502": (
            "Broken backend",
            "A backend is installed but its code cannot be imported or started. Reinstall the "
            "package that provides it.",
        ),
    },
)

OUTPUT = _range(
    ExitCode.USAGE,
    {
        "E501": (
            "Unknown backend",
            "No installed backend has that name. Backends are found through the entry point "
            "group anix.backends.",
        ),
    },
)

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
