"""``anix generate``"""

from __future__ import annotations

import typer

from ..report.console import console
from ..run.signals import attentive
from .options import (
    Device,
    Ffmpeg,
    GpusPerClip,
    Json,
    PlanFile,
    Quiet,
    draw_on,
    open_plan,
    say,
    say_json,
    work_on,
)


def register(app: typer.Typer) -> None:
    app.command(epilog="Example:  anix generate plan.json")(generate)


def generate(
    plan: PlanFile,
    device: Device = None,
    gpus_per_clip: GpusPerClip = 1,
    as_json: Json = False,
    quiet: Quiet = False,
    ffmpeg: Ffmpeg = None,
) -> None:
    """Make the clips of a plan from its guides, each continuing the one before; prints their files."""
    from ..generate import get
    from ..run.clips import DELIVERY, MASTER, make_clips
    from ..run.guides import guide_folders
    from ..run.heal import healing
    from ..run.memory import set_out
    from ..run.preflight import make_ready, preflight
    from ..run.scenes import SceneOnStage
    from ..store.store import Store

    draw_on(device)
    work_on(gpus_per_clip)
    planned = open_plan(plan)
    store = Store(planned.store)
    preflight(planned, ffmpeg=ffmpeg)
    backend = get(planned.backend)
    try:
        make_ready(backend, planned)
        set_out(store, planned)
        with console(quiet=quiet) as view:
            scene = SceneOnStage(planned.scene, store=store)
            made = healing(
                planned,
                store,
                attentive(view),
                lambda: make_clips(
                    planned,
                    store,
                    backend,
                    guides=guide_folders(planned, store),
                    scene=scene,
                    emit=attentive(view),
                ),
            )
    finally:
        backend.close()
    if as_json:
        say_json(
            [
                {
                    "shot": one.shot.id,
                    "clip": one.clip.index,
                    "frames": one.clip.frames,
                    "master": str(one.entry.file(MASTER)),
                    "delivery": str(one.entry.file(DELIVERY)),
                }
                for one in made
            ]
        )
    else:
        for one in made:
            say(f"{one.shot.id}\t{one.clip.index}\t{one.clip.frames}\t{one.entry.file(MASTER)}")
