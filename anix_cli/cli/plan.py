"""``anix plan``"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..core.errors import refuse_warnings
from .options import (
    STDIN,
    Backend,
    Json,
    Overwrite,
    Preset,
    ScreenplayFile,
    Set,
    Strict,
    open_screenplay,
    preset_in,
    say,
    say_json,
)

if TYPE_CHECKING:
    from ..core.screenplay import Screenplay
    from ..run.prepare import Prepared


def register(app: typer.Typer) -> None:
    app.command(epilog="Example:  anix plan film.yaml -o plan.json")(plan)


def plan(
    film: ScreenplayFile,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PLAN.JSON", help="Write the plan here; - for stdout."),
    ] = None,
    map_: Annotated[
        Path | None,
        typer.Option("--map", metavar="PICTURE", help="Draw the takes from above here: .svg or .png."),
    ] = None,
    curves: Annotated[
        Path | None,
        typer.Option("--curves", metavar="PICTURE", help="Draw the camera's speed, turns and framing here."),
    ] = None,
    backend: Backend = "animatic",
    settings: Set = None,
    preset: Preset = None,
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

    given = preset_in(settings, backend, preset)
    screenplay = open_screenplay(film, given)
    if output is not None and output != STDIN:
        check_plan_output(output, overwrite=overwrite)
    for picture in (map_, curves):
        if picture is not None:
            from ..report.drawing import check_drawing_output

            check_drawing_output(picture)
    prepared = prepare(screenplay, backend=backend, store=Store(store_root(screenplay.path)))
    made = prepared.plan
    if strict:
        refuse_warnings(made.notes)
    show(made.notes, sys.stderr)
    _draw(prepared, screenplay, map_, curves)
    if output == STDIN:
        say_json(plan_document(made, base=Path.cwd(), embed=True))
        return
    if output is not None:
        write_plan(made, output)
    if as_json:
        say_json(plan_document(made, base=Path.cwd(), embed=False))
    else:
        say(summary_text(made))


def _draw(prepared: Prepared, screenplay: Screenplay, map_: Path | None, curves: Path | None) -> None:
    """The pictures of a plan that were asked for."""
    if map_ is None and curves is None:
        return
    from ..plan.marks import marks_of
    from ..report.drawing import write_drawing
    from ..report.plancurves import plan_curves
    from ..report.planmap import plan_map

    if map_ is not None:
        stage = prepared.scene.stage
        anchors = {name: mark.xz for name, mark in marks_of(screenplay.anchors, stage.ground).items()}
        free = prepared.scene.free
        room_m = {
            shot.id: float(free.clearance_m(shot.world_from_camera[:, :3, 3]).min())
            for shot in prepared.plan.shots()
        }
        write_drawing(plan_map(prepared.plan, anchors, free.standing, room_m), map_)
    if curves is not None:
        write_drawing(plan_curves(prepared.plan), curves)
