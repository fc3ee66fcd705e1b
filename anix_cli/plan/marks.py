"""Marks: where on the stage the anchors of a screenplay are, those that count from others as well."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType

from ..core.screenplay import LAST_SHOT, AnchorSpec
from ..core.stage import HeightMap
from .standing import bearing

XZ = tuple[float, float]
_Node = tuple[str, str]
"""(“place” or “facing”, an anchor's name)."""
MIDDLE_M = 0.55 * 1.7
"""At this height above a mark a camera looks at it: the middle of a body."""


@dataclass(frozen=True)
class Mark:
    """A place to stand.

    Attributes:
        yaw_rad: how one who stands there faces; None where nothing says.
        y_m: the height, where it is exact; None is on the ground.
    """

    xz: XZ
    yaw_rad: float | None = None
    y_m: float | None = None

    def lift_m(self, ground: HeightMap) -> float:
        """How far above the ground it is."""
        return 0.0 if self.y_m is None else self.y_m - float(ground.at(self.xz))

    def height_m(self, ground: HeightMap) -> float:
        return float(ground.at(self.xz)) if self.y_m is None else self.y_m


def moving(anchors: Mapping[str, AnchorSpec]) -> dict[str, AnchorSpec]:
    """The anchors whose place or facing depends on the shot in which they are looked up."""
    leaning: dict[str, list[str]] = {}
    for name, anchor in anchors.items():
        for other in (anchor.base, anchor.face):
            if isinstance(other, str):
                leaning.setdefault(other, []).append(name)
    found: dict[str, AnchorSpec] = {}
    open_ends = [LAST_SHOT]
    while open_ends:
        for name in leaning.get(open_ends.pop(), ()):
            if name not in found:
                found[name] = anchors[name]
                open_ends.append(name)
    return found


def marks_of(
    anchors: Mapping[str, AnchorSpec], ground: HeightMap, known: Mapping[str, Mark] = MappingProxyType({})
) -> dict[str, Mark]:
    """All anchors that have a place, with those that are known; a box of the picture has none, nor has what
    counts from it.

    Args:
        known: by name; ``LAST_SHOT`` among them is where the one who acted in the shot before ended.

    The screenplay is checked for circles; should there be one, it is cut open anywhere.
    """
    links = {node: set(_needs(anchors, node)) for name in anchors for node in _nodes(name)}
    places: dict[str, Mark] = dict(known)
    yaws: dict[str, float | None] = {name: mark.yaw_rad for name, mark in known.items()}
    for kind, name in _in_order(links):
        if name not in anchors:
            continue
        if kind == "place":
            found = _place(anchors[name], ground, places, yaws)
            if found is not None:
                places[name] = found
        elif name in places:
            yaws[name] = _facing(anchors[name], places[name].xz, places, yaws)
    found_now = {
        name: Mark(places[name].xz, yaws.get(name), places[name].y_m) for name in anchors if name in places
    }
    return {name: mark for name, mark in {**known, **found_now}.items() if name != LAST_SHOT}


def _nodes(name: str) -> tuple[_Node, _Node]:
    return ("place", name), ("facing", name)


def _needs(anchors: Mapping[str, AnchorSpec], node: _Node) -> Iterator[_Node]:
    """What has to be known before a place or a facing is."""
    kind, name = node
    anchor = anchors[name]
    if kind == "place":
        if anchor.base is not None:
            yield from _nodes(anchor.base)
        return
    yield ("place", name)
    if isinstance(anchor.face, str):
        yield ("place", anchor.face)
    elif anchor.face is None and anchor.base is not None:
        yield ("facing", anchor.base)


def _in_order(links: dict[_Node, set[_Node]]) -> tuple[_Node, ...]:
    while True:
        try:
            return tuple(TopologicalSorter(links).static_order())
        except CycleError as error:
            first, second = error.args[1][:2]
            links[second].discard(first)
            links[first].discard(second)


def _place(
    anchor: AnchorSpec, ground: HeightMap, places: Mapping[str, Mark], yaws: Mapping[str, float | None]
) -> Mark | None:
    if anchor.at is not None:
        return Mark((anchor.at[0], anchor.at[-1]), y_m=anchor.at[1] if len(anchor.at) == 3 else None)
    base = places.get(anchor.base or "")
    if base is None:
        return None
    yaw = yaws.get(anchor.base or "") or 0.0
    x = base.xz[0] + anchor.forward_m * math.sin(yaw) + anchor.left_m * math.cos(yaw)
    z = base.xz[1] + anchor.forward_m * math.cos(yaw) - anchor.left_m * math.sin(yaw)
    if base.y_m is None and anchor.up_m == 0:
        return Mark((x, z))
    return Mark((x, z), y_m=base.height_m(ground) + anchor.up_m)


def _facing(
    anchor: AnchorSpec, xz: XZ, places: Mapping[str, Mark], yaws: Mapping[str, float | None]
) -> float | None:
    if isinstance(anchor.face, str):
        there = places.get(anchor.face)
        return bearing(xz, there.xz) if there is not None and math.dist(xz, there.xz) > 1e-6 else None
    if anchor.face is not None:
        return math.radians(anchor.face)
    return yaws.get(anchor.base) if anchor.base is not None else None
