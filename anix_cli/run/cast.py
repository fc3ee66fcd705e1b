"""Reads the planned characters, and makes sure that they are the ones that were planned."""

from __future__ import annotations

from collections.abc import Mapping

from ..character import identity_key, read_views
from ..character.model import ModelViews, key_with_motions, model_key
from ..core.clip import Cast, Frames
from ..core.errors import fail
from ..core.plan import Plan


def read_cast(plan: Plan) -> Mapping[str, Cast]:
    """Characters by name, with their pictures.

    Raises:
        AnixError: E452, a picture or model is not the one that was planned; E34x, E35x, it can't be read.
    """
    cast = {}
    views: Mapping[str, Frames]
    for member in plan.cast:
        if member.model is None:
            views = read_views(member.views)
            key = identity_key(views, member.height_m)
        else:
            views = ModelViews(member.model, member.height_m)
            key = model_key(member.model, member.height_m)
        key = key_with_motions(key, member.motions)
        if key != member.key:
            what = "views" if member.model is None else "3D model"
            what += " or a motion" if member.motions else ""
            raise fail(
                "E452",
                f"the {what} of {member.name} changed after the plan was made",
                hint="run `anix plan` again",
            )
        cast[member.name] = Cast(
            views, member.height_m, member.description, key, member.model, member.motions
        )
    return cast
