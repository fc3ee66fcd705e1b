"""What a registered problem is."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ExitCode


@dataclass(frozen=True)
class Code:
    """One registered problem: a title, what it means for the user, and the exit code it leads to."""

    title: str
    help: str
    exit_code: ExitCode


def rows(exit_code: ExitCode, texts: dict[str, tuple[str, str]]) -> dict[str, Code]:
    """Codes with one exit code, from their titles and explanations."""
    return {code: Code(title, text, exit_code) for code, (title, text) in texts.items()}
