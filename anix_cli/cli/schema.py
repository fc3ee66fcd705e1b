"""``anix schema``"""

from __future__ import annotations

from typing import Annotated

import typer

from ..core.schemas import schema as parsed
from ..core.schemas import schema_names, schema_text
from .options import say, say_json, unicode_stdout


def register(app: typer.Typer) -> None:
    app.command(epilog="Example:  anix schema screenplay-v1 > screenplay-v1.json")(schema)


def schema(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which one.")] = "screenplay-v1",
    as_list: Annotated[bool, typer.Option("--list", help="Name all schemas.")] = False,
) -> None:
    """Print a published JSON Schema (draft-07): of screenplays for editors, or of a file that anix writes."""
    if as_list:
        names = schema_names()
        width = max(map(len, names))
        for each in names:
            say(f"{each:<{width}}  {parsed(each)['title']}")
        return
    found = _published(name)
    if unicode_stdout():
        say(schema_text(found).rstrip("\n"))
    else:
        say_json(parsed(found))


def _published(written: str) -> str:
    from ..screenplay.near import nearest

    names = schema_names()
    name = written.strip().lower().removesuffix(".json")
    versions = [each for each in names if each.rpartition("-v")[0] == name]
    if name in names or versions:
        return name if name in names else versions[-1]
    near = nearest(name, names) or nearest(name, {each.rpartition("-v")[0] for each in names})
    does = f"did you mean {near}?" if near else f"there are {', '.join(names)}"
    raise typer.BadParameter(f"there is no schema {written!r}; {does}", param_hint="'NAME'")
