"""The options of the scene commands that say how a scene stands, as ``scene:`` does in a screenplay."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand

from .options import STDIN
from .streams import standard_input

if TYPE_CHECKING:
    from ..core.screenplay import ScaleReference
    from ..run.scenesource import SceneSource

LEAST_SCALE = 1e-9
"""Metres: what is shrunk further is a point in single precision."""


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
    Path,
    typer.Argument(
        metavar="SCENE",
        readable=False,
        help="A splat file, the folder that training wrote, or a screenplay (.yaml; - reads standard input), "
        "whose scene it then is; options win over it.",
    ),
]
UpAxis = Annotated[
    Up | None,
    typer.Option(
        "--up", help="The file's axis that points up; auto: by its format, set level by the ground."
    ),
]
Scale = Annotated[
    str | None,
    typer.Option("--scale", metavar="METRES", help="Metres per unit of the file; auto takes a unit as one."),
]
Reference = Annotated[
    tuple[str, str] | None,
    typer.Option(
        "--reference",
        metavar="X,Y,Z X,Y,Z",
        help="Instead of --scale, with --metres: two points of the file, as `scene look --at` tells them.",
    ),
]
Metres = Annotated[
    str | None,
    typer.Option("--metres", metavar="METRES", help="How far apart the two points of --reference are."),
]
Origin = Annotated[
    str | None,
    typer.Option("--origin", metavar="X,Y,Z", help="The file's point that becomes the stage's origin."),
]
Crop = Annotated[
    list[str] | None,
    typer.Option(
        "--crop",
        metavar="AXIS=LOW,HIGH",
        help="Keep what lies between, in metres on the stage: x=-10,10; can be given for each axis.",
    ),
]
Ground = Annotated[
    str | None,
    typer.Option("--ground", metavar="METRES", help="Height of level ground on the stage; auto finds it."),
]
Collider = Annotated[
    Path | None,
    typer.Option("--collider", metavar="MESH", help="A .glb that says where ground and walls are."),
]


class PlacingCommand(TyperCommand):
    """A command with these options: Typer itself would take another option for the second point."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for at, argument in enumerate(args[: args.index("--")] if "--" in args else args):
            name, equals, first = argument.partition("=")
            if name == "--reference":
                _two_points([first, *args[at + 1 : at + 2]] if equals else args[at + 1 : at + 3])
        return super().parse_args(ctx, args)


def _two_points(following: list[str]) -> None:
    points = list(takewhile(lambda text: "," in text and not text.startswith("--"), following))
    if len(points) < 2:
        found = f"only {points[0]}" if points else "none"
        wrong = f"expected two points of the file, as in --reference 0.2,0,1 0.2,-0.4,1; found {found}"
        raise typer.BadParameter(wrong, param_hint="'--reference'")


def placed_scene(
    file: Path,
    *,
    up: Up | None,
    scale: str | None,
    reference: tuple[str, str] | None,
    metres: str | None,
    origin: str | None,
    crop: list[str] | None,
    collider: Path | None,
    ground: str | None = None,
) -> SceneSource:
    """The scene that is meant, placed as the options say.

    Raises:
        typer.BadParameter: an option means nothing; its limits are those of a screenplay.
        AnixError: the screenplay cannot be read or its scene is wrong.
    """
    from ..run.scenesource import Placement, scene_source

    keys = _keys()
    given = Placement(
        up=None if up is None else up.value,
        scale=_scale(scale, reference, metres, keys["scale"]["anyOf"]),
        origin=None if origin is None else _point(origin, "--origin", keys["origin"]["items"]),
        crop=_crop(crop or []),
        ground=_or_auto(ground, "--ground", "a height in metres, or auto", keys["ground"]["anyOf"][1]),
        collider=collider,
    )
    return scene_source(file, given, text=standard_input() if file == STDIN else None)


def _keys() -> dict[str, Any]:
    """What a screenplay takes for each key of ``scene:``, as JSON Schema: options take the same."""
    from ..core.schemas import schema

    keys: dict[str, Any] = schema("screenplay-v1")["definitions"]["scene"]["properties"]
    return keys


def _scale(
    scale: str | None, reference: tuple[str, str] | None, metres: str | None, rules: list[dict[str, Any]]
) -> float | ScaleReference | Literal["auto"] | None:
    if scale is not None and reference is not None:
        raise typer.BadParameter("--scale and --reference exclude each other", param_hint="'--scale'")
    if (reference is None) is not (metres is None):
        raise typer.BadParameter("--reference and --metres go together", param_hint="'--reference'")
    if reference is None or metres is None:
        found = _or_auto(scale, "--scale", "metres per unit, or auto", rules[1])
        if isinstance(found, float):
            _usable(found, "--scale", f"{scale} metres per unit")
        return found
    from ..core.screenplay import ScaleReference

    parts = rules[2]["properties"]
    start, end = (_point(text, "--reference", parts["reference"]["items"]["items"]) for text in reference)
    length = number(metres, "--metres", "a length in metres", parts["metres"])
    apart = math.dist(start, end)
    if apart == 0:
        same = "the two points are the same, which gives no length"
        raise typer.BadParameter(same, param_hint="'--reference'")
    _usable(length / apart, "--reference", f"{length:g} m between points that are {apart:g} apart")
    return ScaleReference((start, end), length)


def _usable(scale: float, option: str, what: str) -> None:
    most = float(_keys()["scale"]["anyOf"][1]["maximum"])
    if not LEAST_SCALE <= scale <= most:
        limits = f"{what}: a unit must become {LEAST_SCALE:g} to {most:g} m"
        raise typer.BadParameter(limits, param_hint=f"'{option}'")


def _or_auto(
    text: str | None, option: str, expected: str, rule: Mapping[str, Any]
) -> float | Literal["auto"] | None:
    if text is None or text == "auto":
        return text  # type: ignore[return-value]  # that is the literal
    return number(text, option, expected, rule)


def _point(text: str, option: str, rule: Mapping[str, Any]) -> tuple[float, float, float]:
    x, y, z = numbers(text, (3,), option, "three numbers: X,Y,Z", rule)
    return x, y, z


def _crop(written: list[str]) -> Mapping[str, tuple[float, float]]:
    """``x=-10,10`` and the like by axis."""
    from ..core.schemas import schema

    rule = schema("screenplay-v1")["definitions"]["limits"]["items"]
    limits: dict[str, tuple[float, float]] = {}
    for text in written:
        name, _, pair = text.partition("=")
        axis = name.strip().lower()
        if axis not in ("x", "y", "z"):
            wrong = f"{text!r} is not an axis and two limits, such as x=-10,10"
            raise typer.BadParameter(wrong, param_hint="'--crop'")
        if axis in limits:
            raise typer.BadParameter(f"{axis} has limits twice", param_hint="'--crop'")
        low, high = numbers(pair, (2,), "--crop", "two limits, such as x=-10,10", rule)
        if not low < high:
            raise typer.BadParameter(f"the limits {pair} of {axis} leave nothing", param_hint="'--crop'")
        limits[axis] = (low, high)
    return limits


def number(text: str, option: str, expected: str, rule: Mapping[str, Any]) -> float:
    """One number within the limits of a rule of the schema. Raises typer.BadParameter."""
    return numbers(text, (1,), option, expected, rule)[0]


def numbers(
    text: str, counts: tuple[int, ...], option: str, expected: str, rule: Mapping[str, Any]
) -> tuple[float, ...]:
    """So many numbers with commas between them, each within the limits of a rule of the schema.

    Raises:
        typer.BadParameter: they are not.
    """
    try:
        values = tuple(float(part) for part in text.replace("_", "?").split(","))
    except ValueError:
        values = ()
    if len(values) not in counts or not all(math.isfinite(value) for value in values):
        raise typer.BadParameter(f"{text!r} is not {expected}", param_hint=f"'{option}'")
    low, above = rule.get("minimum", -math.inf), rule.get("exclusiveMinimum", -math.inf)
    high = rule.get("maximum", math.inf)
    for value in values:
        if not low <= value <= high or not value > above:
            between = f"more than {above:g} and at most {high:g}" if "exclusiveMinimum" in rule else ""
            between = between or f"{low:g} to {high:g}"
            raise typer.BadParameter(
                f"{value:g} is out of range: it must be {between}", param_hint=f"'{option}'"
            )
    return values
