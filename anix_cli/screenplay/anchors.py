"""Rules of ``anchors:`` that a schema cannot say: each has a place and a direction in the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anix_cli.core.screenplay import LAST_SHOT, PathInFile

from .check import INVALID, Checker
from .names import mapping, reference

_MOST_STEPS = 64
_Node = tuple[str, str]
"""("place" or "facing", an anchor's name)."""
_Anchors = Mapping[str, Any]


def check(reading: Checker, data: Mapping[str, Any]) -> None:
    """Every anchor by itself, and those that count from each other."""
    anchors = mapping(data, "anchors")
    for key, anchor in anchors.items():
        if not isinstance(anchor, dict):
            continue
        where: PathInFile = ("anchors", key)
        if key.casefold() == LAST_SHOT:
            taken = f'"{LAST_SHOT}" already means where the one who acted in the shot before ended'
            reading.problem(where, "E142", taken, hint="give the anchor another name")
        for field in ("from", "face"):
            reference(reading, data, "anchors", anchor.get(field), (*where, field), also=(LAST_SHOT,))
            if "box" in mapping(anchors, str(anchor.get(field))):
                boxed = f'"{anchor[field]}" is a box of the picture, not a place on the stage'
                reading.problem((*where, field), "E144", boxed, hint="name an anchor with at: or from:")
        _box(reading, anchor.get("box"), (*where, "box"))
        _facing(reading, anchors, key)
    _circles(reading, anchors)


def resting_on_last(anchors: _Anchors) -> set[str]:
    """The anchors whose place or direction depends on the shot before."""
    rests: dict[str, bool] = {}
    for key in anchors:
        chain, at = [], key
        while at not in rests and at in anchors:
            rests[at] = False  # stands while a circle leads back here
            chain.append(at)
            at = mapping(anchors, at).get("from") or ""
        found = at == LAST_SHOT or rests.get(at, False)
        for name in reversed(chain):
            found = found or mapping(anchors, name).get("face") == LAST_SHOT
            rests[name] = found
    return {key for key, found in rests.items() if found}


def _box(reading: Checker, box: Any, where: PathInFile) -> None:
    if isinstance(box, list) and INVALID not in box and not (box[0] < box[2] and box[1] < box[3]):
        reading.problem(
            where,
            "E145",
            "the box has no inside: its second corner must lie to the right of the first and below it",
            expected="[x0, y0, x1, y1] with x0 < x1 and y0 < y1",
        )


def _facing(reading: Checker, anchors: _Anchors, key: str) -> None:
    """An anchor that faces a place looks somewhere else than at its own."""
    anchor = anchors[key]
    face = anchor.get("face")
    if not isinstance(face, str) or "box" in anchor or "box" in mapping(anchors, face):
        return
    here, there = _spot(anchors, key), _spot(anchors, face)
    if here is not None and here == there:
        reading.problem(
            ("anchors", key, "face"),
            "E129",
            f'anchor "{key}" faces its own place, which is no direction',
            hint="face another anchor, or give degrees",
        )


def _spot(anchors: _Anchors, key: str) -> Any:
    """What tells whether two anchors stand at one place of the ground; None where that cannot be said."""
    for _ in range(_MOST_STEPS):
        anchor = mapping(anchors, key)
        at, base = anchor.get("at"), anchor.get("from")
        if isinstance(at, list) and INVALID not in at:
            return (at[0], at[-1])
        if not isinstance(base, str) or any(anchor.get(way, 0) != 0 for way in ("left", "forward")):
            break
        key = base
    return key if key in anchors or key == LAST_SHOT else None


def _circles(reading: Checker, anchors: _Anchors) -> None:
    """Anchors that have no place because they count from each other: told once for each circle."""
    told: set[frozenset[str]] = set()
    for circle in _cycles(anchors):
        names = list(dict.fromkeys(name for _, name in circle))
        if frozenset(names) in told:
            continue
        told.add(frozenset(names))
        hops = []
        for name, after in zip(names, [*names[1:], names[0]], strict=True):
            field = "from" if anchors[name].get("from") == after else "face"
            hops.append((name, field, after))
        said = [
            f'"{name}" {"counts from" if field == "from" else "faces"} "{after}"'
            for name, field, after in hops[:_MOST_STEPS]
        ]
        reading.problem(
            ("anchors", hops[0][0], hops[0][1]),
            "E143",
            f"a circle, in which no anchor has a place: {', '.join(said)}",
            hint="give one of them a place of its own: at:",
        )


def _cycles(anchors: _Anchors) -> Iterator[list[_Node]]:
    """Circles of what must be known before what, by a search in depth without recursion."""
    done: set[_Node] = set()
    for key in anchors:
        if ("facing", key) in done:
            continue
        path: list[_Node] = [("facing", key)]
        inside = {path[0]: 0}
        branches = [_needs(anchors, path[0])]
        while path:
            node = next(branches[-1], None)
            if node is None:
                done.add(path[-1])
                del inside[path.pop()]
                branches.pop()
            elif node in inside:
                yield path[inside[node] :]
            elif node not in done:
                inside[node] = len(path)
                path.append(node)
                branches.append(_needs(anchors, node))


def _needs(anchors: _Anchors, node: _Node) -> Iterator[_Node]:
    """What must be known before a place or a facing is; as the plan works it out."""
    kind, name = node
    anchor = mapping(anchors, name)
    base, face = anchor.get("from"), anchor.get("face")
    based = [base] if isinstance(base, str) and base in anchors else []
    if kind == "place":
        for other in based:
            yield from (("place", other), ("facing", other))
        return
    yield ("place", name)
    if isinstance(face, str) and face in anchors:
        if face != name:
            yield ("place", face)
    elif face is None:
        yield from (("facing", other) for other in based)
