"""Writes the expected texts again: ``python -m tests.golden.regenerate``, then read the difference in git.

``screenplay/*.yaml`` are broken screenplays; the ``.txt`` beside each is what a director is told about it.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from anix_cli.core.errors import AnixError
from anix_cli.report.diagnostics import as_text
from anix_cli.screenplay import load

SCREENPLAYS = Path(__file__).resolve().parent / "screenplay"


def screenplay_text(file: Path) -> str:
    """What is said about a broken screenplay, from its folder, which is shown as ``<folder>``."""
    with contextlib.chdir(file.parent):
        try:
            problems = load(Path(file.name)).notes
        except AnixError as error:
            problems = error.diagnostics
        shown = "\n".join(as_text(problem) for problem in problems)
    return shown.replace(str(file.parent), "<folder>") + "\n"


def main() -> None:
    for file in sorted(SCREENPLAYS.glob("*.yaml")):
        file.with_suffix(".txt").write_text(screenplay_text(file), encoding="utf-8")


if __name__ == "__main__":
    main()
