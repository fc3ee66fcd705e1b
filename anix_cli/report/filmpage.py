"""The report of a film: facts → one HTML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..core.filmreport import ClipState, Page, ReportedFilm, ReportedShot, ReportedTake
from ..core.plan import Plan
from ..scene.standing import StandingRoom
from .diagnostics import notes
from .drawing import Drawing, Text
from .driftcurve import drift_curve
from .page import page_version, render
from .planmap import MARGIN_PX, plan_map

WORDS = {
    "made": "made", "kept": "from the store", "missing": "missing",
    "current": "up to date", "older": "out of date", "changed": "changed",
}  # fmt: skip
_LETTER = 0.6
"""Width of a letter of its size, about."""
FILM_WORDS = {
    "current": "made from just these clips",
    "older": "made from other clips than the screenplay asks for now",
    "changed": "not the file that its manifest is about",
    "missing": "there is no film of this screenplay here yet",
}


def film_page() -> Page:
    """What draws it: ``draw(film, plan, anchors, room, stamp)``."""
    return Page(page_version(), draw_film)


def draw_film(
    film: ReportedFilm,
    plan: Plan,
    anchors: Mapping[str, tuple[float, float]],
    room: StandingRoom | None,
    stamp: str,
) -> str:
    """The page; the same text for the same facts.

    Args:
        plan: its takes are those of ``film``; they are drawn from above.
        anchors: (x, z) by name.
        room: where a body can stand; None where that is not known, or is not to be drawn.
        stamp: kind and digest, which the page carries.
    """
    return render(
        "film.html",
        stamp,
        film=film,
        maps=take_maps(plan, anchors, room),
        curves=[drift_curve(take) for take in film.takes],
        order={shot.id: number for number, shot in enumerate(film.shots, 1)},
        words=WORDS,
        film_words=FILM_WORDS,
        whole=state_of,
        measured=measured,
        people=people,
        remarks=notes,
    )


def take_maps(
    plan: Plan, anchors: Mapping[str, tuple[float, float]], room: StandingRoom | None
) -> list[Drawing]:
    """Each take from above, in a drawing of its own, no wider than it is."""
    return [
        _narrowed(plan_map(replace(plan, takes=(take,)), anchors, room, first=number))
        for number, take in enumerate(plan.takes, 1)
    ]


def _narrowed(drawing: Drawing) -> Drawing:
    """Without the empty space to the right of what is drawn."""
    reach = 0.0
    for part in drawing.parts:
        if isinstance(part, Text):
            reach = max(reach, part.at[0] + _LETTER * part.size * len(part.words) * (part.align == "start"))
        else:
            reach = max(reach, *(x for x, _ in part.points))
    return replace(drawing, width=min(drawing.width, round(reach + MARGIN_PX)))


def state_of(shot: ReportedShot) -> ClipState:
    """Of a shot: missing where one of its clips is, else made where one was."""
    states = {clip.state for clip in shot.clips}
    if "missing" in states or not states:
        return "missing"
    return "made" if "made" in states else "kept"


def people(take: ReportedTake) -> str:
    """Who acts in a take: "mira and theo"; "nobody"."""
    names = list(dict.fromkeys(name for shot in take.shots for name in shot.characters))
    return " and ".join(names) or "nobody"


def measured(shot: ReportedShot) -> list[list[str]]:
    """Rows of what is known of drift and seams: clip; drift first, last, worst; seam, usual, repeats."""
    rows = []
    for clip in shot.clips:
        drift, seam = _part(clip.notes, "drift"), _part(clip.notes, "seam")
        if drift or seam:
            numbers = [_number(drift.get(name)) for name in ("first", "last", "worst")]
            numbers += [_number(seam.get(name)) for name in ("levels", "usual")]
            repeats = seam.get("repeats")
            rows.append([str(clip.index), *numbers, "–" if repeats is None else "yes" if repeats else "no"])
    return rows


def _part(found: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = found.get(name)
    return part if isinstance(part, Mapping) else {}


def _number(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, int | float) else "–"
