"""The command line: one command per module, wired up here."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import typer

from .. import __version__

COMMANDS = (
    "init", "validate", "shots", "fmt", "plan", "guide", "generate", "join", "render", "watch", "batch",
    "pick", "report", "scene", "character", "models", "lora", "cache", "bench", "schema", "errors", "explain",
)  # fmt: skip
"""In the order of the help: each is a module beside this one, with a function ``register``."""


def app_for(arguments: Sequence[str]) -> typer.Typer:
    """The application with all commands; with the one alone that the arguments name, if they name one.

    Typer reads every signature that it is given, and each module brings its own imports: together they
    take a quarter of the time of a small command.
    """
    app = typer.Typer(
        name="anix",
        help="Animate any character in any world: a YAML screenplay becomes a film in a Gaussian-splat "
        "scene.",
        epilog="Example:  anix render screenplays/courier.yaml -o courier.mp4",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    asked = arguments[0] if arguments else ""
    for name in (asked,) if asked in COMMANDS else COMMANDS:
        import_module(f".{name}", __package__).register(app)
    return app


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"anix {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    pass
