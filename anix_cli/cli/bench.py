"""``anix bench``"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .options import Device, Json, Quiet, draw_on, say, say_json

_MOST_PX = 8192


def register(app: typer.Typer) -> None:
    app.command(epilog="Example:  anix bench plaza.spz --size 1280x720 --json")(bench)


def bench(
    scene: Annotated[
        Path | None,
        typer.Argument(
            metavar="SCENE", help="A splat file, a training folder or a screenplay; else the sample's scene."
        ),
    ] = None,
    size: Annotated[
        list[str] | None,
        typer.Option(
            "--size", metavar="WxH", help="Picture size; can be given again. Else 832x480, 1280x720."
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer frames, once, at the first size.")] = False,
    device: Device = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Time the drawing of a scene on this machine, and compare its pictures with float64 ones.

    The first row is one core; video is drawn as in the second, whole frames on different cores.
    """
    from ..report.bench import as_table
    from ..report.diagnostics import encoding_of
    from ..run.bench import (
        FRAMES,
        QUICK_FRAMES,
        QUICK_ROUNDS,
        ROUNDS,
        SIZES,
        machine,
        measure,
        our_engines,
        sample_subject,
        subject_of,
    )
    from ..run.scenesource import Placement, scene_source

    draw_on(device)
    sizes = [_size(text) for text in size] if size else list(SIZES)
    frames = QUICK_FRAMES if quick else FRAMES
    subject = (
        sample_subject(frames) if scene is None else subject_of(scene_source(scene, Placement()), frames)
    )
    made = measure(
        subject, our_engines(subject), sizes[:1] if quick else sizes,
        rounds=QUICK_ROUNDS if quick else ROUNDS,
        advance=lambda what: None if quiet else _tell(what),
    )  # fmt: skip
    rows = list(made)
    if as_json:
        say_json([row.document() for row in rows])
    else:
        say(as_table(rows, machine(), encoding=encoding_of(sys.stdout)))


def _tell(what: str) -> None:
    sys.stderr.write(f"bench     {what}\n")
    sys.stderr.flush()


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (
        width.isdigit() and height.isdigit() and 1 <= int(width) <= _MOST_PX and 1 <= int(height) <= _MOST_PX
    ):
        raise typer.BadParameter(
            f"{text!r} is not a size such as 1280x720, of at most {_MOST_PX} pixels a side",
            param_hint="'--size'",
        )
    return int(width), int(height)
