"""Problems of files, pointed at where the screenplay names the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from ..core.errors import AnixError, Diagnostic
from ..core.screenplay import PathInFile, Screenplay


@contextmanager
def placing(screenplay: Screenplay, where: PathInFile, problems: list[Diagnostic]) -> Iterator[None]:
    """Collects what fails inside, placed at the value of the screenplay that led there."""
    try:
        yield
    except AnixError as error:
        problems.extend(placed(screenplay, where, found) for found in error.diagnostics)


def placed(screenplay: Screenplay, where: PathInFile, found: Diagnostic) -> Diagnostic:
    """The same problem, pointed at in the screenplay unless it has a place of its own."""
    if found.span is not None:
        return found
    if where[0] == "characters":
        character = screenplay.characters[str(where[1])]
        named = () if where[-1] == "model" else character.views.items()
        moved = (("characters", where[1], "motions", name) for name, motion in character.motions.items()
                 if motion.file == found.file)  # fmt: skip
        where = next(moved, next(((*where, view) for view, file in named if file == found.file), where))
    place = screenplay.diagnostic(where, found.code, found.message)
    return replace(found, file=place.file, span=place.span, source=place.source)
