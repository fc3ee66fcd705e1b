"""Characters: four views read, measured, carved into Gaussians and posed. Importing this stays light."""

from __future__ import annotations

from collections.abc import Mapping

from anix_cli.core.gaussians import Gaussians
from anix_cli.core.screenplay import VIEW_NAMES

from .measure import Extent, identity_key, measure
from .oddities import view_warnings
from .views import Rgba, aligned, read_views

__all__ = [
    "VIEW_NAMES",
    "Extent",
    "aligned",
    "hull",
    "identity_key",
    "measure",
    "read_views",
    "view_warnings",
]


def hull(views: Mapping[str, Rgba], height_m: float, *, cell_m: float | None = None) -> Gaussians:
    """A character's body as Gaussians, carved from its views: see :func:`anix_cli.character.carve.hull`."""
    from .carve import hull as carve

    return carve(views, height_m, cell_m=cell_m)
