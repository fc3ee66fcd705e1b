"""``camera:`` and ``cameras:`` → the types of core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anix_cli.core.screenplay import CameraSpec, KeySpec, PlacementSpec

from .values import as_duration

MEANT: dict[str, tuple[str, dict[str, Any]]] = {
    "arc": ("orbit", {"degrees": 45.0}),
    "push": ("dolly", {"direction": "in"}),
    "pull": ("dolly", {"direction": "out"}),
}
"""Moves by another name, with what that name says."""


def placement_of(written: Mapping[str, Any]) -> PlacementSpec:
    """One of ``cameras:``."""
    return PlacementSpec(
        at=tuple(map(float, written["at"])),
        look_at=_look(written),
        lens_mm=_number(written, "lens_mm"),
        fov_y_deg=_number(written, "fov_y_deg"),
    )


def move_of(written: Mapping[str, Any]) -> str:
    """The move that a mapping means where it does not say."""
    said = "stationary" if "from" in written else "path" if {"keys", "path"} & {*written} else "auto"
    return str(written.get("move", said))


def camera_of(written: str | Mapping[str, Any], placements: Mapping[str, Any]) -> CameraSpec:
    """A ``camera:`` that is no list, or a part of one."""
    if isinstance(written, str):
        if written in placements:
            return CameraSpec(move="stationary", placement=written)
        written = {"move": written}
    move, said = MEANT.get(move_of(written), (move_of(written), {}))
    focus = written.get("focus")
    return CameraSpec(
        move=move,
        placement=written.get("from"),
        length=as_duration(written.get("for")),
        degrees=_number(written, "degrees", said.get("degrees")),
        direction=written.get("direction", said.get("direction")),
        up_m=_number(written, "up"),
        metres=_number(written, "metres"),
        times=_number(written, "times"),
        to_lens_mm=_number(written, "to_lens_mm"),
        side=written.get("side"),
        frame=written.get("frame"),
        distance_m=_number(written, "distance"),
        height_m=_number(written, "height"),
        headroom=_number(written, "headroom"),
        lead_room=_number(written, "lead_room"),
        look_at=_look(written),
        ease=written.get("ease"),
        handheld=_number(written, "handheld", 1.0 if move == "handheld" else None),
        focus=focus if focus is None or isinstance(focus, str) else float(focus),
        f_number=_number(written, "f_number"),
        lens_mm=_number(written, "lens_mm"),
        fov_y_deg=_number(written, "fov_y_deg"),
        keys=tuple(_key(key) for key in written.get("keys", ())),
        path=written["path"].path if "path" in written else None,
        coordinates=written.get("coordinates", "scene"),
    )


def _key(written: Mapping[str, Any]) -> KeySpec:
    return KeySpec(
        at=tuple(map(float, written["at"])),
        time=as_duration(written.get("time")),
        look_at=_look(written),
        roll_deg=_number(written, "roll", 0.0) or 0.0,
        lens_mm=_number(written, "lens_mm"),
        fov_y_deg=_number(written, "fov_y_deg"),
    )


def _look(written: Mapping[str, Any]) -> tuple[float, float, float] | str | None:
    look_at = written.get("look_at")
    if isinstance(look_at, list):
        x, y, z = map(float, look_at)
        return x, y, z
    return look_at


def _number(written: Mapping[str, Any], key: str, default: float | None = None) -> float | None:
    return float(written[key]) if key in written else default
