"""``anix validate``"""

from __future__ import annotations

import sys

import typer

from ..core.codes import exit_code_of
from ..core.errors import AnixError, Diagnostic
from .options import Json, ScreenplayFile, open_screenplay, say, say_json


def register(app: typer.Typer) -> None:
    app.command(epilog="Example:  anix validate film.yaml --json")(validate)


def validate(film: ScreenplayFile, as_json: Json = False) -> int:
    """Check a screenplay and the files that it names; all problems at once, with line and column."""
    from ..report.diagnostics import as_json as diagnostic_record
    from ..report.diagnostics import as_text
    from ..run.check import check

    found: tuple[Diagnostic, ...]
    summary = ""
    try:
        screenplay = open_screenplay(film)
        found = (*screenplay.notes, *check(screenplay))
        seconds = float(sum(shot.duration_s for shot in screenplay.shots))
        summary = f"{film}: valid, {len(screenplay.shots)} shots, {seconds:g} s"
    except AnixError as error:
        found = error.diagnostics
    errors = [problem for problem in found if problem.severity == "error"]
    if as_json:
        records = [diagnostic_record(problem) for problem in found]
        say_json({"file": str(film), "valid": not errors, "diagnostics": records})
    else:
        for problem in found:
            sys.stderr.write(as_text(problem) + "\n")
        if errors:
            sys.stderr.write(f"{film}: {len(errors)} {'error' if len(errors) == 1 else 'errors'}\n")
        else:
            say(summary)
    return int(exit_code_of(found))
