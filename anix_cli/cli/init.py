"""``anix init``"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Json, say, say_json

if TYPE_CHECKING:
    from ..run.begin import Begun


def register(app: typer.Typer) -> None:
    app.command(epilog="Example:  anix init --template talk films/first")(init)


def init(
    directory: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="A new folder for the film; . for this one.")
    ] = None,
    template: Annotated[
        str, typer.Option("--template", "-t", help="minimal, chase, turntable or talk; --list tells more.")
    ] = "minimal",
    as_list: Annotated[
        bool, typer.Option("--list", help="Tell what the templates are, and write nothing.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Write into a folder in use, and replace what differs.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Begin a film: a commented screenplay with a scene and characters, ready to render."""
    from ..run.begin import begin, template_of
    from ..samples.template import TEMPLATES

    if as_list:
        if as_json:
            say_json([{"template": name, "about": known.about} for name, known in TEMPLATES.items()])
        else:
            width = max(len(name) for name in TEMPLATES)
            for name, known in TEMPLATES.items():
                say(f"{name.ljust(width)}  {known.about}")
        return
    chosen = template_of(template)
    if directory is None:
        raise typer.BadParameter(
            "name a folder for the film, such as: anix init films/first", param_hint="'DIR'"
        )
    made = begin(chosen, directory, overwrite=overwrite)
    if as_json:
        files = [str(file) for file in made.files]
        say_json({"template": chosen.name, "screenplay": str(made.screenplay), "files": files})
    else:
        _tell(made)


def _tell(made: Begun) -> None:
    here = "./" if str(made.screenplay).startswith("-") else ""  # else it is read as an option
    screenplay = shlex.quote(f"{here}{made.screenplay}")
    film = shlex.quote(f"{here}{made.screenplay.with_suffix('.mp4')}")
    say(f"{made.folder}: {len(made.files)} files, {made.size_bytes / 1e6:.1f} MB. Next:")
    say(f"  anix validate {screenplay}")
    say(f"  anix render {screenplay} -o {film}")
