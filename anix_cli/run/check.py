"""What ``anix validate`` checks beyond the text: files by their structure, commands, and what
the backend can make; with ``deep``, all that planning finds."""

from __future__ import annotations

from .. import generate
from ..core.errors import AnixError, Diagnostic
from ..core.screenplay import Screenplay
from ..plan.commands import DEFAULT_FPS, read_commands
from ..scene.formats.mesh_structure import walk_mesh
from ..scene.info import unsettled
from ..scene.structure import probe
from .fits import fits
from .places import placed
from .sounds import sound_problems


def check(screenplay: Screenplay, *, backend: str) -> tuple[Diagnostic, ...]:
    """Problems and warnings beside those of the text; nothing is decoded, nothing drawn.

    Raises:
        AnixError: E501, E502, no such backend.
    """
    capabilities = generate.capabilities(backend)
    found: list[Diagnostic] = []
    try:
        notes = unsettled(probe(screenplay.scene.file).notes, screenplay.scene.scale)
        found.extend(placed(screenplay, ("scene", "file"), note) for note in notes)
    except AnixError as error:
        found.extend(placed(screenplay, ("scene", "file"), problem) for problem in error.diagnostics)
    if screenplay.scene.collider is not None:
        try:
            walk_mesh(screenplay.scene.collider)
        except AnixError as error:
            found.extend(placed(screenplay, ("scene", "collider"), problem) for problem in error.diagnostics)
    found.extend(sound_problems(screenplay))
    found.extend(read_commands(screenplay, capabilities.fps or DEFAULT_FPS))
    found.extend(fits(screenplay, backend, capabilities))
    return tuple(found)


def check_deeply(screenplay: Screenplay, *, backend: str) -> tuple[Diagnostic, ...]:
    """The same, with what planning finds and what the scene has to say of it: pictures and scene are decoded,
    paths and cameras worked out, places and views looked at."""
    from ..store.store import Store
    from .fitness import view_remarks
    from .inside import place_remarks
    from .layout import store_root
    from .prepare import prepare

    found = check(screenplay, backend=backend)
    if any(problem.severity == "error" for problem in found):
        return found
    try:
        made = prepare(screenplay, backend=backend, store=Store(store_root(screenplay.path)))
        more = (*made.plan.notes, *place_remarks(screenplay, made), *view_remarks(screenplay, made))
    except AnixError as error:
        more = error.diagnostics
    return tuple(dict.fromkeys((*found, *more)))
