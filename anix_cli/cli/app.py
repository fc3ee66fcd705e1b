"""The command line: one command per module, wired up here."""

from __future__ import annotations

import typer

from .. import __version__
from . import errors, fmt, generate, guide, init, join, plan, render, schema, shots, validate

app = typer.Typer(
    name="anix",
    help="Animate any character in any world: a YAML screenplay becomes a film in a Gaussian-splat scene.",
    epilog="Example:  anix render screenplays/courier.yaml -o courier.mp4",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"anix {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    pass


for _command in (init, validate, shots, fmt, plan, guide, generate, join, render, schema, errors):
    _command.register(app)
