"""``anix pick``"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from .options import STDIN, say


def register(app: typer.Typer) -> None:
    app.command(epilog="Example:  anix pick film.yaml wave=2")(pick)


def pick(
    film: Annotated[Path, typer.Argument(metavar="FILM.YAML", readable=False, help="The screenplay.")],
    choices: Annotated[
        list[str], typer.Argument(metavar="SHOT=N…", help="Which candidate of a shot is in the film.")
    ],
) -> None:
    """Write into a screenplay which candidates are in the film; its comments and its layout stay.

    What comes after such a shot in its take is made again when the film is rendered, as it goes on from the
    candidate that was picked. The others stay in the store.
    """
    from ..run.fmt import Formatting, rewrite
    from ..screenplay import load
    from ..screenplay.picking import with_picks
    from ..screenplay.text import read_bytes

    if film == STDIN:
        raise typer.BadParameter("a pick is written into a file", param_hint="'FILM.YAML'")
    picks = dict(_choice(text) for text in choices)
    before = read_bytes(film)
    after = with_picks(film, before, picks)
    load(film, text=after)  # what is written must be a screenplay still
    rewrite(Formatting(film, before, after))
    for name, number in picks.items():
        say(f"{film}: {name}: pick: {number}")


def _choice(text: str) -> tuple[str, int]:
    found = re.fullmatch(r"(.+)=(\d{1,2})", text, re.ASCII | re.DOTALL)
    if found is None or int(found[2]) > 15:
        raise typer.BadParameter(
            f"{text!r} is not SHOT=N with N from 0 to 15, as wave=2", param_hint="'SHOT=N…'"
        )
    return found[1], int(found[2])
