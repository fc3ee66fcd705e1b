"""Marks: where on the stage the anchors of a screenplay are, those that count from others as well."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from ..core.screenplay import LAST_SHOT, AnchorSpec
from ..core.stage import HeightMap
from .legs import bearing

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


def moves(anchors: Mapping[str, AnchorSpec]) -> bool:
    """Whether any anchor's place depends on the shot in which it is looked up."""
    return any(anchor.base == LAST_SHOT for anchor in anchors.values())


def marks_of(
    anchors: Mapping[str, AnchorSpec], ground: HeightMap, last: Mark | None = None
) -> dict[str, Mark]:
    """All anchors that have a place; a box of the picture has none, nor has what counts from it.

    Args:
        last: where the one who acted in the shot before ended; None before the first shot.

    The screenplay is checked for circles; should there be one, it is cut open anywhere.
    """
    known = {} if last is None else {LAST_SHOT: last}
    links = {node: set(_needs(anchors, node)) for name in anchors for node in _nodes(name)}
    places: dict[str, Mark] = dict(known)
    yaws: dict[str, float | None] = {name: mark.yaw_rad for name, mark in known.items()}
    for kind, name in _in_order(links):
        if name in known or name not in anchors:
            continue
        if kind == "place":
            found = _place(anchors[name], ground, places, yaws)
            if found is not None:
                places[name] = found
        elif name in places:
            yaws[name] = _facing(anchors[name], places[name].xz, places, yaws)
    return {name: Mark(mark.xz, yaws.get(name), mark.y_m) for name, mark in places.items() if name in anchors}


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
