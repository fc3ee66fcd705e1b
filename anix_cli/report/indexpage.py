"""The index of a folder of films: facts → one HTML file."""

from __future__ import annotations

from ..core.filmreport import FilmIndex, Page
from .page import page_version, render

WORDS = {
    "current": "as its manifest says", "changed": "changed since", "missing": "film missing",
    "damaged": "cannot be read",
}  # fmt: skip


def index_page() -> Page:
    """What draws it: ``draw(index, stamp)``."""
    return Page(page_version(), draw_index)


def draw_index(index: FilmIndex, stamp: str) -> str:
    """The page; the same text for the same facts."""
    return render("index.html", stamp, facts=index, index_words=WORDS)
