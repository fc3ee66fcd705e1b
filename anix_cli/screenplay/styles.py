"""``style:``: how a kind of film is shot, as data (``styles.toml``); what a shot says itself wins."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from anix_cli.core.screenplay import CameraSpec

_FIELDS = {
    "lens_mm": "lens_mm", "frame": "frame", "height": "height_m", "lead_room": "lead_room",
    "f_number": "f_number", "handheld": "handheld",
}  # fmt: skip
_LENS = frozenset({"lens_mm"})
_STANDS = frozenset({"frame", "height", "lead_room"})
_FREE = frozenset({"pan", "tilt", "roll", "whip", "truck", "pedestal", "zoom", "path"})
"""Moves that do not compose the character."""


@cache
def styles() -> Mapping[str, Mapping[str, Any]]:
    """What each style says, by its name."""
    text = files(__package__).joinpath("styles.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def duration_of(style: Any) -> Any:
    """How long a shot of a style is that does not say so, seconds; None where nothing says."""
    return styles().get(style, {}).get("duration") if isinstance(style, str) else None


def styled(specs: Sequence[CameraSpec], style: str | None, *, fresh: bool) -> tuple[CameraSpec, ...]:
    """The cameras of a shot with what its style says.

    Args:
        fresh: whether the camera is composed anew: at the start of a take, or where the shot names a style of
            its own. Elsewhere the camera goes on from where it is.
    """
    if style is None:
        return tuple(specs)
    said = styles()[style]
    return tuple(_with(spec, said, fresh=fresh and not index) for index, spec in enumerate(specs))


def _with(spec: CameraSpec, said: Mapping[str, Any], *, fresh: bool) -> CameraSpec:
    own = spec.placement is not None or bool(spec.keys) or spec.path is not None
    new: dict[str, Any] = {}
    for key, field in _FIELDS.items():
        if key not in said or getattr(spec, field) is not None:
            continue
        if key in _LENS and (own or not fresh or spec.fov_y_deg is not None):
            continue
        if key in _STANDS and (own or not fresh or spec.move in _FREE):
            continue
        if key == "frame" and spec.distance_m is not None:
            continue
        new[field] = float(said[key]) if isinstance(said[key], int) else said[key]
    return replace(spec, **new)
