"""Arguments and options that several commands share, and how a screenplay or a plan is opened."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ..core.plan import Plan
    from ..core.screenplay import Screenplay

ScreenplayFile = Annotated[
    Path, typer.Argument(metavar="FILM.YAML", help="The screenplay; - reads standard input.")
]
PlanFile = Annotated[
    Path, typer.Argument(metavar="PLAN.JSON", help="What `anix plan -o` wrote; - reads standard input.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress; warnings and errors only.")]
Backend = Annotated[str, typer.Option("--backend", "-b", help="What makes the clips.")]
Ffmpeg = Annotated[
    Path | None,
    typer.Option("--ffmpeg", metavar="PATH", help="Use this ffmpeg instead of the one that came with anix."),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace the output even if another program made it.")
]
Slate = Annotated[bool, typer.Option("--slate", help="Burn in shot id, command and time code.")]

STDIN = Path("-")


def open_screenplay(path: Path) -> Screenplay:
    """Reads a screenplay from a file, or from standard input for ``-``."""
    from ..screenplay import load

    return load(path, text=sys.stdin.buffer.read() if path == STDIN else None)


def open_plan(path: Path) -> Plan:
    """Reads a plan from a file, or from standard input for ``-``, and looks into the store again."""
    from ..plan.planfile import read_plan
    from ..run.stale import annotate
    from ..store.store import Store

    plan = read_plan(path, text=sys.stdin.buffer.read()) if path == STDIN else read_plan(path)
    return annotate(plan, Store(plan.store))


def say(text: str) -> None:
    """A line of result on standard output."""
    typer.echo(text)


def say_json(value: Any) -> None:
    """One JSON document on standard output."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))
