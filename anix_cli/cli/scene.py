"""``anix scene info``, ``anix scene convert``, ``anix scene look``"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from ..core.codes import exit_code_of
from ..core.errors import AnixError, Diagnostic, ExitCode
from .options import Json, say, say_json
from .placing import (
    Collider,
    Crop,
    Ground,
    Metres,
    Origin,
    PlacingCommand,
    Reference,
    Scale,
    SceneFile,
    UpAxis,
    numbers,
    placed_scene,
)

_UNREADABLE = {*(f"E{number}" for number in range(301, 313)), "E316", "E317"}
"""A file of the scene can't be read: exit code 4 here, where it is what was asked about."""
_PICTURES = (".png", ".jpg", ".jpeg", ".webp")
_REACH = {"minimum": -1e7, "maximum": 1e7}
"""Metres: where a mark can be."""

_CONVERT = """Write a scene as PLY, SPZ or SOG, by the output's suffix.

Of a splat file without options nothing but the frame changes: from what the input has (see `anix scene
info`) to what readers take the output to have: -y up in PLY and SOG, +y up in SPZ. With --up, --scale,
--reference, --origin or --crop (--up auto as well), and of a screenplay's scene always, it is written as it
stands on the stage: turned, in metres, cropped.

PLY (Inria's layout) keeps every number. SPZ and SOG are several times smaller and round them.
"""


def register(app: typer.Typer) -> None:
    scene = typer.Typer(
        name="scene",
        help="Look at splat files, and convert them.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    scene.command(cls=PlacingCommand, epilog="Example:  anix scene info plaza.spz --json")(info)
    scene.command(
        cls=PlacingCommand,
        help=_CONVERT,
        epilog="Example:  anix scene convert scan.ply scan.spz --crop x=-10,10",
    )(convert)
    scene.command(
        cls=PlacingCommand, epilog="Example:  anix scene look film.yaml -o plaza --at fountain=4,9"
    )(look)
    app.add_typer(scene)


def info(
    file: SceneFile,
    quick: Annotated[bool, typer.Option("--quick", help="Only what the file says; decode nothing.")] = False,
    up: UpAxis = None,
    scale: Scale = None,
    reference: Reference = None,
    metres: Metres = None,
    origin: Origin = None,
    crop: Crop = None,
    ground: Ground = None,
    collider: Collider = None,
    as_json: Json = False,
) -> int:
    """Tell what a splat file holds, what is assumed about it, and how it stands on the stage.

    Ends with 4 where the file cannot be read; as JSON, {"error": ...} tells why.
    """
    from ..report.diagnostics import encoding_of, show
    from ..report.sceneinfo import as_table
    from ..run.sceneinfo import describe

    with _reading(as_json) as failed:
        source = placed_scene(
            file, up=up, scale=scale, reference=reference, metres=metres, origin=origin, crop=crop,
            collider=collider, ground=ground,
        )  # fmt: skip
        facts = describe(source, quick=quick)
    if failed:
        return failed[0]
    if as_json:
        say_json(facts)
    else:
        say(as_table(facts, encoding=encoding_of(sys.stdout)))
        show(
            [Diagnostic(each["code"], each["message"], hint=each["hint"]) for each in facts["warnings"]],
            sys.stderr,
        )
    return int(ExitCode.OK)


def convert(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN",
            readable=False,
            help="A splat file, a folder with one, or a screenplay (.yaml; - reads standard input).",
        ),
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="A .ply, .spz or .sog file.")],
    up: UpAxis = None,
    scale: Scale = None,
    reference: Reference = None,
    metres: Metres = None,
    origin: Origin = None,
    crop: Crop = None,
    collider: Collider = None,
    sh_degree: Annotated[
        int | None,
        typer.Option("--sh-degree", min=0, max=3, help="Keep spherical harmonics up to this degree."),
    ] = None,
    spz_version: Annotated[
        int | None,
        typer.Option(
            "--spz-version", min=2, max=4, help="3 where nothing is said; 4 is smaller, needs the extra spz."
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace OUT if it exists; never the scene that is read.")
    ] = False,
    as_json: Json = False,
) -> int:
    from ..report.diagnostics import encoding_of, show
    from ..report.sceneinfo import converted_as_line
    from ..run.sceneconvert import convert as convert_scene

    if spz_version is not None and target.suffix.lower() != ".spz":
        raise typer.BadParameter("the output is no .spz file", param_hint="'--spz-version'")
    with _reading(as_json) as failed:
        scene = placed_scene(
            source, up=up, scale=scale, reference=reference, metres=metres, origin=origin, crop=crop,
            collider=collider,
        )  # fmt: skip
        made = convert_scene(
            scene, target, sh_degree=sh_degree, spz_version=spz_version or 3, overwrite=overwrite
        )
    if failed:
        return failed[0]
    if as_json:
        say_json(made.facts)
    else:
        show(made.notes, sys.stderr)
        say(converted_as_line(made.facts, encoding=encoding_of(sys.stdout)))
    return int(ExitCode.OK)


def look(
    file: SceneFile,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="A folder, for views.png and map.png.")
    ],
    marks: Annotated[
        list[str] | None,
        typer.Option(
            "--at",
            metavar="[NAME=]X,[Y,]Z",
            help="Mark a place, on the ground or at a height y, and tell its coordinates on the stage and in "
            "the file; can be given often.",
        ),
    ] = None,
    eye: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="X,[Y,]Z",
            help="Where the views stand, at eye height unless y is given; else the most open spot, or all "
            "round an object.",
        ),
    ] = None,
    up: UpAxis = None,
    scale: Scale = None,
    reference: Reference = None,
    metres: Metres = None,
    origin: Origin = None,
    crop: Crop = None,
    ground: Ground = None,
    collider: Collider = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace pictures even if another program made them.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Draw a scene: eight views on a contact sheet, and a map from above to read anchors' coordinates off.

    On the map +z is up and +x to the left: what a camera sees that looks along +z, laid flat. Anchors of a
    screenplay are marked, with their facing.
    """
    from ..report.diagnostics import encoding_of, show
    from ..report.scenelook import as_lines
    from ..report.terminal import escaped
    from ..run.sceneinfo import warnings
    from ..run.scenelook import Place, look_at_scene

    if output.suffix.lower() in _PICTURES and not output.is_dir():
        folder = f"{output.name} looks like a picture, but a folder is named here, for two of them"
        raise typer.BadParameter(folder, param_hint="'--output'")
    places = [Place(*_mark(text)) for text in marks or ()]
    stand = None if eye is None else numbers(eye, (2, 3), "--from", "a place, such as 4,9 or 4,1.6,9", _REACH)
    with _reading(as_json) as failed:
        source = placed_scene(
            file, up=up, scale=scale, reference=reference, metres=metres, origin=origin, crop=crop,
            collider=collider, ground=ground,
        )  # fmt: skip
        made = look_at_scene(source, output, places, eye=stand, overwrite=overwrite)
    if failed:
        return failed[0]
    if as_json:
        say_json(
            {"map": str(made.map), "views": str(made.views), **made.facts, "warnings": warnings(made.notes)}
        )
    else:
        show(made.notes, sys.stderr)
        for line in (str(made.views), str(made.map), *as_lines(made.facts, asked=len(places))):
            say(escaped(line, encoding_of(sys.stdout)))
    return int(ExitCode.OK)


@contextmanager
def _reading(as_json: bool) -> Iterator[list[int]]:
    """Tells why a scene can't be read, and puts the exit code into the list; other problems go on, unless
    JSON is wanted, which has them all."""
    from ..report.diagnostics import show

    failed: list[int] = []
    try:
        yield failed
    except AnixError as error:
        unreadable = _UNREADABLE.issuperset(problem.code for problem in error.diagnostics)
        if not unreadable and not as_json:
            raise
        failed.append(int(ExitCode.ENVIRONMENT if unreadable else exit_code_of(error.diagnostics)))
        if as_json:
            say_json({"error": _as_data(error.diagnostics[0])})
        else:
            show(error.diagnostics, sys.stderr)


def _as_data(problem: Diagnostic) -> dict[str, Any]:
    return {
        "code": problem.code,
        "message": problem.message,
        "file": None if problem.file is None else str(problem.file),
        "line": None if problem.span is None else problem.span.line,
        "hint": problem.hint,
    }


def _mark(text: str) -> tuple[str, tuple[float, ...]]:
    """A label and (x, z) or (x, y, z)."""
    name, _, place = text.rpartition("=")
    expected = "a place, such as 4,9 or fountain=4,9 or top=4,2.5,9"
    at = numbers(place, (2, 3), "--at", expected, _REACH)
    return name.strip() or ", ".join(f"{value:g}" for value in at), at
