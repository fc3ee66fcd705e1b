"""``anix guide``"""

from __future__ import annotations

from pathlib import Path

import typer

from ..report.console import console
from ..run.signals import attentive
from .options import Device, Ffmpeg, Json, PlanFile, Quiet, draw_on, open_plan, say, say_json


def register(app: typer.Typer) -> None:
    app.command(epilog="Example:  anix guide plan.json")(guide)


def guide(
    plan: PlanFile,
    device: Device = None,
    as_json: Json = False,
    quiet: Quiet = False,
    ffmpeg: Ffmpeg = None,
) -> None:
    """Render the scene-only guide videos of a plan, with depth and anchor masks; prints their folders."""
    from ..run.guides import make_guides
    from ..run.preflight import preflight
    from ..run.scenes import SceneOnStage
    from ..store.store import Store

    draw_on(device)
    planned = open_plan(plan)
    preflight(planned, ffmpeg=ffmpeg)
    store = Store(planned.store)
    with console(quiet=quiet) as view:
        scene = SceneOnStage(planned.scene, store=store)
        folders = make_guides(planned, store, scene=scene, emit=attentive(view))
    if as_json:
        say_json([{"shot": shot, "folder": str(folder)} for shot, folder in folders.items()])
    else:
        for shot, folder in folders.items():
            say(f"{shot}\t{_shown(folder)}")


def _shown(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
