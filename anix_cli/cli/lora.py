"""``anix lora show|convert``"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .options import Json, encodable, say, say_json


class Names(StrEnum):
    """Whose names the layers of a file have."""

    diffusers = "diffusers"
    kohya = "kohya"
    original = "original"


File = Annotated[Path, typer.Argument(metavar="FILE", help="A LoRA or an adapter, safetensors.")]


def register(app: typer.Typer) -> None:
    lora = typer.Typer(
        name="lora",
        help="Adapters and LoRA files: what they are made for, and in whose names.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    lora.command(epilog="Example:  anix lora show mine.safetensors")(show)
    lora.command(epilog="Example:  anix lora convert kohya.safetensors mine.safetensors --to diffusers")(
        convert
    )
    app.add_typer(lora)


def show(file: File, as_json: Json = False) -> None:
    """Tell what a file is made for: base, names, layers, rank, projector."""
    from ..run.lorafile import look

    found = look(file)
    if as_json:
        say_json(found)
        return
    say(encodable("\n".join(f"{name}: {value}" for name, value in found.items())))


def convert(
    source: File,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The new file.")],
    to: Annotated[
        Names, typer.Option("--to", help="Whose names; musubi-tuner's are kohya's.")
    ] = Names.diffusers,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the target.")] = False,
) -> None:
    """Write a LoRA of HunyuanVideo or Wan in another's names. Weights change by the same, to rounding.

    What belongs to no layer, such as a projector, goes along. Prints the new file.
    """
    from ..run.lorafile import rewrite

    rewrite(source, target, to.value, overwrite=overwrite)
    say(encodable(str(target)))
