"""Writes reports: only over reports, and only where something changed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ..core.errors import AnixError, Diagnostic, fail
from ..core.filmreport import Page, ReportedFilm, ReportedTake
from ..core.plan import Plan
from ..core.screenplay import Screenplay
from ..plan.marks import marks_of
from ..scene import Scene
from ..store.atomic import check_writable, write_text
from ..store.store import Store
from .filmreport import PLAINLY, Asked, Facts, gather
from .prepare import Prepared
from .sheets import sizes_for, stills_of

SUFFIXES = (".html", ".htm")
_STAMP = re.compile(rb'<meta name="anix-report" content="([a-z]+) ([0-9a-f]{64})">')
_HEAD_BYTES = 4096
_MOST_MAPPED = 60
"""Of films with more takes the maps show no ground: it is most of a map's bytes."""


@dataclass(frozen=True)
class Written:
    """A report; ``reused`` if it was there already and nothing changed."""

    path: Path
    bytes: int
    reused: bool


def check_report_output(path: Path, kind: str, *, overwrite: bool) -> None:
    """Refuses to write a report over something else.

    Args:
        kind: "film" or "index": one is not written over the other.

    Raises:
        AnixError: E440, not a report's name, or something else lies there; E412, it can't be written.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise fail("E440", f"{path} is not the name of a report: it must end in .html", file=path)
    check_writable(path)
    if path.exists() and not overwrite and (found := stamp_of(path)) != kind:
        what = {"film": "is the report of a film", "index": "is an index of films"}
        raise fail(
            "E440",
            f"{path} exists already and {what.get(found, 'is no report of anix')}",
            file=path,
            hint="name another report with -o, or pass --overwrite to replace it",
        )


def stamp_of(path: Path) -> str:
    """The kind of report that lies there, "" if none."""
    return _stamp(path)[0]


def _stamp(path: Path) -> tuple[str, str]:
    try:
        with path.open("rb") as stream:
            found = _STAMP.search(stream.read(_HEAD_BYTES))
    except OSError:
        return "", ""
    return (found[1].decode(), found[2].decode()) if found else ("", "")


def write_film_report(
    screenplay: Screenplay,
    prepared: Prepared,
    store: Store,
    *,
    report: Path,
    film: Path,
    page: Page,
    asked: Asked = PLAINLY,
    problems: Sequence[Diagnostic] = (),
    overwrite: bool = False,
) -> Written:
    """Writes the report of a film as it is now, unless it lies there already.

    Args:
        page: drawn with (film, plan, anchors, room, stamp).

    Raises:
        AnixError: E440, the place is taken; E411, E412, it can't be written.
    """
    check_report_output(report, "film", overwrite=overwrite)
    facts = gather(screenplay, prepared.plan, store, report=report, film=film, asked=asked, problems=problems)
    anchors = _anchors(screenplay, prepared.scene)
    digest = _digest([page.version, asdict(facts.film), prepared.plan.scene.key, anchors])
    if not overwrite and _stamp(report) == ("film", digest):
        return Written(report, report.stat().st_size, reused=True)
    told = _with_stills(facts, prepared.plan, store)
    free = prepared.scene.free if len(told.takes) <= _MOST_MAPPED else None
    room = free.standing if free else None
    text = page.draw(told, prepared.plan, anchors, room, f"film {digest}")
    write_text(report, text)
    return Written(report, len(text.encode()), reused=False)


def write_page(path: Path, page: Page, facts: Any) -> Written:
    """Writes an index, unless it lies there already. The place must be checked. Raises E411, E412."""
    digest = _digest([page.version, asdict(facts)])
    if _stamp(path) == ("index", digest):
        return Written(path, path.stat().st_size, reused=True)
    text = page.draw(facts, f"index {digest}")
    write_text(path, text)
    return Written(path, len(text.encode()), reused=False)


def told_of(error: AnixError) -> Diagnostic:
    """The warning of a report that could not be made beside a film: no reason to fail the render."""
    first = error.diagnostics[0]
    return Diagnostic("W412", f"the report was not made: {first.message}", file=first.file, hint=first.hint)


def _with_stills(facts: Facts, plan: Plan, store: Store) -> ReportedFilm:
    sizes = sizes_for(len(facts.film.shots))
    drawn: dict[str, Any] = {"sizes": sizes, "size_px": plan.size_px, "fps": plan.fps, "store": store}
    takes = [
        ReportedTake(
            take.number,
            tuple(
                replace(
                    shot,
                    stills=stills_of(shot, facts.guides.get(shot.id), facts.clips, **drawn),
                    candidates=tuple(
                        replace(one, stills=stills_of(
                            shot, None, facts.variants.clips_of(shot.id, one.number), **drawn
                        ))
                        for one in shot.candidates
                    ),
                )
                for shot in take.shots
            ),
        )
        for take in facts.film.takes
    ]  # fmt: skip
    return replace(facts.film, takes=tuple(takes))


def _anchors(screenplay: Screenplay, scene: Scene) -> dict[str, tuple[float, float]]:
    return {name: mark.xz for name, mark in marks_of(screenplay.anchors, scene.stage.ground).items()}


def _digest(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, default=_told)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _told(value: Any) -> str:
    """A thumbnail by its content; a path by its name."""
    return hashlib.sha256(value).hexdigest() if isinstance(value, bytes) else str(value)
