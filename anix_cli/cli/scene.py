"""``anix scene info``, ``anix scene convert``, ``anix scene look``"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..core.errors import AnixError, Diagnostic, ExitCode
from .options import Json, encodable, say, say_json

if TYPE_CHECKING:
    from ..core.screenplay import SceneSpec

_UNREADABLE = {*(f"E{number}" for number in range(301, 313)), "E316"}
"""The scene file itself can't be read: exit code 4 here, where no screenplay is at fault."""

_CONVERT = """Write a scene as PLY, SPZ or SOG, by the output's suffix.

Without a placement nothing but the frame changes: from what the input has (see `anix scene info`) to what
readers take the output to have: -Y up in PLY and SOG, +Y up in SPZ. With one of --up, --scale, --origin and
--crop the scene is written as it stands on the stage of a screenplay that says the same.

PLY (Inria's layout) holds float32 numbers. SPZ holds positions to 1/4096 of a unit (finer in small
scenes), opacities and colours in 8 bits, sizes to 3 %, rotations to 0.3 degrees, harmonics to 1/256. SOG
holds positions in 16 bits on a logarithmic scale, opacities in 8 bits, rotations to 1 degree; sizes,
colours and harmonics are told by the nearest of a few values chosen for the scene.
"""


class Up(StrEnum):
    """The axis of the file that points up."""

    AUTO = "auto"
    PLUS_X = "+x"
    MINUS_X = "-x"
    PLUS_Y = "+y"
    MINUS_Y = "-y"
    PLUS_Z = "+z"
    MINUS_Z = "-z"


SceneFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A splat file, or the folder that training wrote.")
]
UpAxis = Annotated[
    Up,
    typer.Option(
        "--up", help="The file's axis that points up; auto: by its format, set level by the ground."
    ),
]
Scale = Annotated[str | None, typer.Option("--scale", metavar="METRES", help="Metres per unit of the file.")]
Origin = Annotated[
    str | None,
    typer.Option("--origin", metavar="X,Y,Z", help="The file's point that becomes the stage's origin."),
]


def register(app: typer.Typer) -> None:
    scene = typer.Typer(
        name="scene",
        help="Look at splat files, and convert them.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    scene.command(epilog="Example:  anix scene info plaza.spz --json")(info)
    scene.command(help=_CONVERT, epilog="Example:  anix scene convert scan.ply scan.spz --crop x=-10,10")(
        convert
    )
    scene.command(epilog="Example:  anix scene look plaza.spz -o plaza --at fountain=4,9")(look)
    app.add_typer(scene)


def info(
    file: SceneFile,
    quick: Annotated[bool, typer.Option("--quick", help="Only what the file says; decode nothing.")] = False,
    up: UpAxis = Up.AUTO,
    scale: Scale = None,
    origin: Origin = None,
    as_json: Json = False,
) -> int:
    """Tell what a splat file holds, what is assumed about it, and how it stands on the stage.

    Ends with 4 where the file cannot be read; as JSON, {"error": ...} tells why.
    """
    from ..report.diagnostics import encoding_of, show
    from ..report.sceneinfo import as_table
    from ..run.sceneinfo import describe

    spec = _spec(file, up, scale, origin)
    with _reading(as_json) as failed:
        facts = describe(spec, quick=quick)
    if failed:
        return int(ExitCode.ENVIRONMENT)
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
    source: Annotated[Path, typer.Argument(metavar="IN", help="A splat file, or a folder with one.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="A .ply, .spz or .sog file.")],
    up: UpAxis = Up.AUTO,
    scale: Scale = None,
    origin: Origin = None,
    crop: Annotated[
        list[str] | None,
        typer.Option(
            "--crop",
            metavar="AXIS=LOW,HIGH",
            help="Keep what lies between, in metres on the stage: x=-10,10.",
        ),
    ] = None,
    sh_degree: Annotated[
        int | None,
        typer.Option("--sh-degree", min=0, max=3, help="Keep spherical harmonics up to this degree."),
    ] = None,
    spz_version: Annotated[
        int, typer.Option("--spz-version", min=2, max=4, help="4 is smaller and needs the extra spz.")
    ] = 3,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace OUT if it exists.")] = False,
    as_json: Json = False,
) -> int:
    from ..report.diagnostics import show
    from ..report.sceneinfo import size_in_words
    from ..run.sceneconvert import convert as convert_scene
    from ..run.sceneinfo import warnings

    spec = _spec(source, up, scale, origin, crop)
    with _reading(as_json) as failed:
        made = convert_scene(spec, target, sh_degree=sh_degree, spz_version=spz_version, overwrite=overwrite)
    if failed:
        return int(ExitCode.ENVIRONMENT)
    if as_json:
        say_json(
            {
                "file": str(made.path),
                "format": made.format,
                "bytes": made.size_bytes,
                "count": made.count,
                "sh_degree": made.sh_degree,
                "frame": f"{made.frame} up",
                "antialiased": made.antialiased,
                "dropped": made.dropped,
                "warnings": warnings(made.notes),
            }
        )
    else:
        show(made.notes, sys.stderr)
        what = "Gaussian" if made.count == 1 else "Gaussians"
        left = f", {made.dropped:,} left out" if made.dropped else ""
        say(
            f"{made.path}: {made.format}, {made.count:,} {what}{left}, degree {made.sh_degree}, "
            f"{made.frame_in_words}, {size_in_words(made.size_bytes)}"
        )
    return int(ExitCode.OK)


def look(
    file: SceneFile,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="A folder, for views.png and map.png.")
    ],
    marks: Annotated[
        list[str] | None,
        typer.Option("--at", metavar="[NAME=]X,Z", help="Mark a place on the ground; can be given often."),
    ] = None,
    up: UpAxis = Up.AUTO,
    scale: Scale = None,
    origin: Origin = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace pictures even if another program made them.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Draw a scene: eight views on a contact sheet, and a map from above to read anchors' coordinates off.

    On the map +Z is up and +X to the left: what a camera sees that looks along +Z, laid flat.
    """
    from ..report.diagnostics import show
    from ..run.sceneinfo import warnings
    from ..run.scenelook import look_at_scene

    spec = _spec(file, up, scale, origin)
    places = [_mark(text) for text in marks or ()]
    with _reading(as_json) as failed:
        made = look_at_scene(spec, output, places, overwrite=overwrite)
    if failed:
        return int(ExitCode.ENVIRONMENT)
    if as_json:
        say_json(
            {"map": str(made.map), "views": str(made.views), **made.facts, "warnings": warnings(made.notes)}
        )
    else:
        show(made.notes, sys.stderr)
        say(f"{made.views}\n{made.map}")
        for mark in made.facts["marks"]:
            say(encodable(f"  {mark['label']}: {_state(mark)}"))
    return int(ExitCode.OK)


@contextmanager
def _reading(as_json: bool) -> Iterator[list[str]]:
    """Tells why the scene file can't be read, and puts the codes into the list; other problems go on."""
    from ..report.diagnostics import show

    failed: list[str] = []
    try:
        yield failed
    except AnixError as error:
        codes = [problem.code for problem in error.diagnostics]
        if not _UNREADABLE.issuperset(codes):
            raise
        failed += codes
        if as_json:
            say_json({"error": _as_data(error.diagnostics[0])})
        else:
            show(error.diagnostics, sys.stderr)


def _state(mark: dict[str, Any]) -> str:
    """What is known of a mark, for a person."""
    if not mark["on_map"]:
        return "outside the scene"
    if mark["ground"] is None:
        return f"x {mark['x']:g}, z {mark['z']:g}"
    where = f"x {mark['x']:g}, z {mark['z']:g}, ground at y = {mark['ground'] + 0.0:.2f} m"
    if mark["free"]:
        return f"{where}, free to stand on"
    return f"{where}, {'something is in the way' if mark['seen'] else 'not captured'}"


def _as_data(problem: Diagnostic) -> dict[str, Any]:
    return {
        "code": problem.code,
        "message": problem.message,
        "file": None if problem.file is None else str(problem.file),
        "hint": problem.hint,
    }


def _spec(
    file: Path, up: Up, scale: str | None, origin: str | None, crop: list[str] | None = None
) -> SceneSpec:
    from ..core.screenplay import SceneSpec

    factor = None if scale in (None, "auto") else _numbers(str(scale), 1, "--scale", "metres per unit")[0]
    if factor is not None and factor <= 0:
        raise typer.BadParameter(f"{scale} is not more than 0", param_hint="'--scale'")
    point = None if origin is None else _numbers(origin, 3, "--origin", "three numbers: X,Y,Z")
    return SceneSpec(file, up.value, factor, point, _crop(crop or []))  # type: ignore[arg-type]  # three


def _numbers(text: str, count: int, option: str, expected: str) -> tuple[float, ...]:
    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        values = ()
    if len(values) != count or not all(math.isfinite(value) for value in values):
        raise typer.BadParameter(f"{text!r} is not {expected}", param_hint=f"'{option}'")
    return values


def _crop(written: list[str]) -> tuple[tuple[float, float] | None, ...] | None:
    """``x=-10,10`` and the like as ``SceneSpec.crop_m``."""
    limits: list[tuple[float, float] | None] = [None, None, None]
    for text in written:
        axis, _, numbers = text.partition("=")
        at = "xyz".find(axis.strip().lower()) if len(axis.strip()) == 1 else -1
        if at < 0:
            wrong = f"{text!r} is not an axis and two limits, such as x=-10,10"
            raise typer.BadParameter(wrong, param_hint="'--crop'")
        low, high = _numbers(numbers, 2, "--crop", "two limits, such as -10,10")
        if not low < high:
            raise typer.BadParameter(f"the limits {numbers} of {axis} leave nothing", param_hint="'--crop'")
        limits[at] = (low, high)
    return tuple(limits) if any(limits) else None


def _mark(text: str) -> tuple[str, tuple[float, float]]:
    """A label and (x, z)."""
    name, named, place = text.rpartition("=")
    x, z = _numbers(place, 2, "--at", "a place on the ground, such as 4,9 or fountain=4,9")
    return (name.strip() if named else f"{x:g}, {z:g}"), (x, z)
