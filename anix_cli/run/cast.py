"""Reads the planned characters, and makes sure that they are the ones that were planned."""

from __future__ import annotations

from collections.abc import Mapping

from ..character import identity_key, read_views
from ..core.clip import Cast
from ..core.errors import fail
from ..core.plan import Plan


def read_cast(plan: Plan) -> Mapping[str, Cast]:
    """Characters by name, with their pictures.

    Raises:
        AnixError: E452, a picture is not the one that was planned; E34x, it can't be read.
    """
    cast = {}
    for member in plan.cast:
        views = read_views(member.views)
        key = identity_key(views, member.height_m)
        if key != member.key:
            raise fail(
                "E452",
                f"the views of {member.name} have changed since the plan was made",
                hint="run `anix plan` again",
            )
        cast[member.name] = Cast(views, member.height_m, member.description, key)
    return cast
