"""``anix character views|check|look|motion``"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..core.errors import ExitCode
from .options import Json, ScreenplayFile, Set, Strict, encodable, open_screenplay, say, say_json

ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", readable=False, help="A 3D model: GLB, glTF or VRM.")
]
Height = Annotated[
    float,
    typer.Option("--height", metavar="METRES", min=0.1, max=30, help="How tall the character is."),
]
Replace = Annotated[
    bool, typer.Option("--overwrite", help="Replace files even if no character command made them.")
]


def register(app: typer.Typer) -> None:
    character = typer.Typer(
        name="character",
        help="Look at characters, and render views of 3D models.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    character.command(epilog="Example:  anix character views mira.glb -o mira")(views)
    character.command(epilog="Example:  anix character check film.yaml -o cast.png")(check)
    character.command(epilog="Example:  anix character look mira.glb -o mira.mp4 --action walk")(look)
    character.command(epilog='Example:  anix character motion "a person dances" -o dance.bvh')(motion)
    app.add_typer(character)


def views(
    model: ModelFile,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="DIR", help="A folder, for front.png, left.png …"),
    ],
    size: Annotated[
        int, typer.Option("--size", metavar="PX", min=64, max=4096, help="Width and height of each picture.")
    ] = 1024,
    turntable: Annotated[
        int | None,
        typer.Option(
            "--turntable", metavar="8|16", help="So many pictures all round as well: turn_000.png …"
        ),
    ] = None,
    height: Height = 1.7,
    overwrite: Replace = False,
    as_json: Json = False,
) -> int:
    """Render the four views of a 3D model: neutral pose, even light, transparent background.

    All share one scale and one line of the feet. left.png shows the character's own left side.
    """
    from ..report.diagnostics import show
    from ..run.characterviews import write_views
    from ..run.sceneinfo import warnings

    if turntable not in (None, 8, 16):
        raise typer.BadParameter(f"{turntable} is neither 8 nor 16", param_hint="'--turntable'")
    made = write_views(model, output, size_px=size, turntable=turntable, height_m=height, overwrite=overwrite)
    if as_json:
        files = {name: str(file) for name, file in made.files.items()}
        say_json({"views": files, **made.facts, "warnings": warnings(made.notes)})
    else:
        show(made.notes, sys.stderr)
        for file in made.files.values():
            say(encodable(str(file)))
    return int(ExitCode.OK)


def check(
    screenplay: ScreenplayFile,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="SHEET.PNG", help="Draw a contact sheet of the cast."),
    ] = None,
    settings: Set = None,
    strict: Strict = False,
    overwrite: Replace = False,
    as_json: Json = False,
) -> int:
    """Look at the characters of a screenplay: their pictures or models, their size, and what is odd."""
    from ..core.errors import refuse_warnings
    from ..report.diagnostics import show
    from ..run.charactersheet import check_cast
    from ..run.sceneinfo import warnings

    made = check_cast(open_screenplay(screenplay, settings or ()), output, overwrite=overwrite)
    if strict:
        refuse_warnings(made.notes)
    if as_json:
        sheet = None if made.sheet is None else str(made.sheet)
        notes = warnings(made.notes)
        say_json({"sheet": sheet, "characters": list(made.facts), "warnings": notes})
        return int(ExitCode.OK)
    show(made.notes, sys.stderr)
    for fact in made.facts:
        size = f"{fact['height_m']:g} m high, {fact['width_m']:.2f} m wide, {fact['depth_m']:.2f} m deep"
        count = len(fact["warnings"])
        odd = f", {count} warning{'s' if count > 1 else ''}" if count else ""
        say(encodable(f"{fact['name']}: by its {fact['given_by']}, {size}{odd}"))
    if made.sheet is not None:
        say(encodable(str(made.sheet)))
    return int(ExitCode.OK)


def look(
    model: ModelFile,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="CLIP.MP4", help="The film.")],
    action: Annotated[
        str,
        typer.Option("--action", metavar="idle|walk|run|wave…", help="What the character does meanwhile."),
    ] = "idle",
    size: Annotated[
        int, typer.Option("--size", metavar="PX", min=64, max=2048, help="Width and height.")
    ] = 512,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", min=0.1, max=60, help="How long once round takes.")
    ] = 4.0,
    height: Height = 1.7,
    motion: Annotated[
        Path | None,
        typer.Option("--motion", metavar="FILE", readable=False, help="BVH or glTF, for the action."),
    ] = None,
    clip: Annotated[
        str | None, typer.Option("--clip", metavar="NAME", help="Of a motion file that holds several.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output if it exists.")] = False,
) -> int:
    """Make a turntable clip of a 3D model: the camera goes once round it."""
    from ..core.screenplay import MotionSpec
    from ..report.diagnostics import show
    from ..run.characterturn import turn_model

    made = turn_model(
        model, output, size_px=size + size % 2, seconds=seconds, action=action.lower(), height_m=height,
        motion=None if motion is None else MotionSpec(motion, clip), overwrite=overwrite,
    )  # fmt: skip
    show(made.notes, sys.stderr)
    say(encodable(f"{made.file}: {made.frames} frames"))
    return int(ExitCode.OK)


def motion(
    text: Annotated[str, typer.Argument(metavar="WORDS", help="What a person does.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MOTION.BVH", help="For a character's motions.")
    ],
    model: Annotated[str, typer.Option("--model", metavar="NAME", help="Which model makes it.")] = "mdm",
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", metavar="S", min=0.2, max=600, help="How long; else as the way, or 4."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Another one, another motion.")] = 0,
    plan: Annotated[
        Path | None, typer.Option("--plan", metavar="PLAN.JSON", help="A plan, with --shot.", readable=False)
    ] = None,
    shot: Annotated[
        str | None, typer.Option("--shot", metavar="ID", help="The motion goes the way of this shot.")
    ] = None,
    character: Annotated[
        str | None, typer.Option("--character", metavar="NAME", help="Whose way, where several are in it.")
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option("--steps", metavar="N", min=2, max=1000, help="Of the sampler: fewer, sooner."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output if it exists.")] = False,
) -> int:
    """Make a motion of words, with a model whose weights are fetched first: `anix models pull`."""
    from ..run.textmotion import way_of, write_motion
    from .options import open_plan

    if (plan is None) != (shot is None):
        raise typer.BadParameter("--plan and --shot go together", param_hint="'--shot'")
    way = None if plan is None or shot is None else way_of(open_plan(plan), shot, character)
    made = write_motion(
        text, output, model=model, seconds=seconds, seed=seed, way=way, steps=steps, overwrite=overwrite
    )
    say(encodable(f"{made.file}: {made.frames} frames, {made.seconds:g} s"))
    return int(ExitCode.OK)
