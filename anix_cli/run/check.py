"""What ``anix validate`` checks beyond the screenplay's own text: files by their structure, and commands."""

from __future__ import annotations

from ..core.errors import AnixError, Diagnostic
from ..core.screenplay import Screenplay
from ..plan.commands import read_commands
from ..scene.structure import probe
from .places import placed


def check(screenplay: Screenplay) -> tuple[Diagnostic, ...]:
    """Problems and warnings that need the scene file or the lexicon; nothing is decoded, nothing drawn."""
    found: list[Diagnostic] = []
    try:
        info = probe(screenplay.scene.file)
        found.extend(placed(screenplay, ("scene", "file"), note) for note in info.notes)
    except AnixError as error:
        found.extend(placed(screenplay, ("scene", "file"), problem) for problem in error.diagnostics)
    found.extend(read_commands(screenplay))
    return tuple(found)
