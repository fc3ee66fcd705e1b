"""``anix validate``"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..core.codes import exit_code_of
from ..core.errors import AnixError, strictly
from .options import (
    STDIN,
    Backend,
    Json,
    Preset,
    Set,
    Strict,
    open_screenplay,
    preset_in,
    say,
    say_json,
    unicode_stdout,
)
from .streams import close_stdout

if TYPE_CHECKING:
    from ..report.checked import Checked


class Format(StrEnum):
    """How problems are told."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


def register(app: typer.Typer) -> None:
    app.command(epilog="Example:  anix validate film.yaml --json")(validate)


def validate(
    films: Annotated[
        list[Path], typer.Argument(metavar="FILM.YAML...", help="Screenplays; - reads standard input.")
    ],
    form: Annotated[
        Format,
        typer.Option("--format", help="For a person, a program, code scanning, or a GitHub workflow."),
    ] = Format.TEXT,
    backend: Backend = "animatic",
    deep: Annotated[
        bool, typer.Option("--deep", help="Also open the scene and the pictures, and plan the film.")
    ] = False,
    settings: Set = None,
    preset: Preset = None,
    as_json: Json = False,
    strict: Strict = False,
) -> int:
    """Check screenplays and the files that they name; all problems at once, with line and column."""
    if as_json and form not in (Format.TEXT, Format.JSON):
        raise typer.BadParameter(f"--json and --format {form.value} exclude each other")
    given = preset_in(settings, backend, preset)
    look = partial(_checked, backend=backend, deep=deep, settings=given, strict=strict)
    checked = _as_parts([look(film) for film in dict.fromkeys(films)], strict)
    try:
        _tell(checked, Format.JSON if as_json else form)
    except BrokenPipeError:  # nobody reads on; the verdict stands
        close_stdout()
    return int(exit_code_of(tuple(problem for one in checked for problem in one.problems)))


def _checked(film: Path, *, backend: str, deep: bool, settings: Sequence[str], strict: bool) -> Checked:
    from ..plan.commands import DEFAULT_FPS
    from ..report.checked import Checked
    from ..run.check import check, check_deeply

    read: tuple[Path, ...] = ()
    shots = duration_s = None
    try:
        screenplay = open_screenplay(film, settings)
        read = screenplay.files
        look = check_deeply if deep else check
        found = tuple(dict.fromkeys((*screenplay.notes, *look(screenplay, backend=backend))))
        shots = len(screenplay.shots)
        rate = screenplay.film.fps or DEFAULT_FPS
        duration_s = float(sum(shot.duration.seconds(rate) for shot in screenplay.shots))
    except AnixError as error:
        found = error.diagnostics
    return Checked(film, strictly(found) if strict else found, read, shots, duration_s)


def _as_parts(checked: Sequence[Checked], strict: bool) -> list[Checked]:
    """Those that fail as screenplays, but are what another of them extends, are checked as parts."""
    from ..report.checked import Checked
    from ..screenplay import extended_by, load_part

    def part(one: Checked) -> Checked:
        try:
            found = load_part(one.file)
        except AnixError as error:
            found = error.diagnostics
        return Checked(one.file, strictly(found) if strict else found, (one.file.absolute(),))

    if len(checked) == 1 or all(one.valid for one in checked):
        return list(checked)
    parts = frozenset().union(*(extended_by(one.file) for one in checked if one.file != STDIN))
    return [part(one) if not one.valid and os.path.realpath(one.file) in parts else one for one in checked]


def _tell(checked: Sequence[Checked], form: Format) -> None:
    if form is Format.JSON:
        from ..report.lsp import diagnostics_document

        say_json(diagnostics_document(checked))
    elif form is Format.SARIF:
        from ..report.sarif import sarif_log

        say_json(sarif_log(checked))
    elif form is Format.GITHUB:
        from ..report.github import workflow_commands

        for line in workflow_commands(checked, encoding="utf-8" if unicode_stdout() else "ascii"):
            say(line)
    else:
        _tell_a_person(checked)


def _tell_a_person(checked: Sequence[Checked]) -> None:
    from ..report.diagnostics import encoding_of, show, tally
    from ..report.terminal import escaped

    for one in checked:
        show(one.problems, sys.stderr)
        errors = [problem for problem in one.problems if problem.severity == "error"]
        if errors:
            sys.stderr.write(f"{escaped(str(one.file), encoding_of(sys.stderr))}: {tally(errors)}\n")
        else:
            name = escaped(str(one.file), encoding_of(sys.stdout))
            if one.shots is None:
                say(f"{name}: valid, a part that others extend")
                continue
            shots = "1 shot" if one.shots == 1 else f"{one.shots} shots"
            say(f"{name}: valid, {shots}, {round(one.duration_s or 0, 2):g} s")
