"""``anix plan``"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..core.errors import refuse_warnings
from .options import (
    STDIN,
    Backend,
    Json,
    Overwrite,
    ScreenplayFile,
    Set,
    Strict,
    open_screenplay,
    say,
    say_json,
)


def register(app: typer.Typer) -> None:
    app.command(epilog="Example:  anix plan film.yaml -o plan.json")(plan)


def plan(
    film: ScreenplayFile,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PLAN.JSON", help="Write the plan here; - for stdout."),
    ] = None,
    backend: Backend = "animatic",
    settings: Set = None,
    overwrite: Overwrite = False,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Resolve a screenplay to frames: blocking, cameras, clips, seeds, and what is stale and why."""
    from ..plan.planfile import plan_document, write_plan
    from ..plan.summary import summary_text
    from ..report.diagnostics import show
    from ..run.layout import store_root
    from ..run.outputs import check_plan_output
    from ..run.prepare import prepare
    from ..store.store import Store

    screenplay = open_screenplay(film, settings or ())
    if output is not None and output != STDIN:
        check_plan_output(output, overwrite=overwrite)
    made = prepare(screenplay, backend=backend, store=Store(store_root(screenplay.path))).plan
    if strict:
        refuse_warnings(made.notes)
    show(made.notes, sys.stderr)
    if output == STDIN:
        say_json(plan_document(made, base=Path.cwd(), embed=True))
        return
    if output is not None:
        write_plan(made, output)
    if as_json:
        say_json(plan_document(made, base=Path.cwd(), embed=False))
    else:
        say(summary_text(made))
