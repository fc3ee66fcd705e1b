"""``anix errors``"""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Json, encodable, say, say_json


def register(app: typer.Typer) -> None:
    app.command(epilog="Example:  anix errors E104")(errors)


def errors(
    codes: Annotated[
        list[str] | None,
        typer.Argument(metavar="CODE...", help="Problem codes; without one, all are listed."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Explain problem codes: what each means, what to do, and the exit code that it leads to."""
    from ..report.explain import all_codes, code_record, codes_table, explanation

    asked = list(dict.fromkeys(_registered(code) for code in codes or ()))
    if as_json:
        say_json({"codes": [code_record(code) for code in asked or all_codes()]})
    elif asked:
        say(encodable("\n\n".join(explanation(code) for code in asked)))
    else:
        say(encodable(codes_table()))


def _registered(written: str) -> str:
    from ..core.codes import CODES
    from ..screenplay.near import nearest

    code = written.strip().upper()
    if code in CODES:
        return code
    twin = {"E": "W", "W": "E"}.get(code[:1], "") + code[1:]
    near = twin if twin in CODES else nearest(code, CODES)
    does = f"did you mean {near}?" if near else "`anix errors` lists all."
    raise typer.BadParameter(f"there is no code {written!r}; {does}", param_hint="'CODE'")
