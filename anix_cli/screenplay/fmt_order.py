"""The canonical order of keys: that of the schema, as far as labels allow it."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from re import search
from typing import Any

from .fmt_parts import Comment, Document, Entry, Group, Part

Shape = tuple[dict[str, Any], ...]
"""The object or list schemas that may apply at one place."""

_FIRST = -1
_HEAD = ("anix", "title", "extends")
"""What stands before the x- keys."""


def arrange(document: Document, schema: dict[str, Any]) -> None:
    """Puts the keys of every mapping in the order of the schema, each with its comments.

    Keys with x- come early, behind the head of the file, as they hold what others use; unknown keys come
    last, in the author's order, and names (of characters, anchors, …) stay as they are. An alias stays behind
    the label that it means.
    """
    if document.root is not None:
        order = _Order(schema)
        order.arrange(document.root, order.shape([schema]))


class _Order:
    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root
        self.children: dict[tuple[tuple[int, ...], str], Shape] = {}

    def shape(self, schemas: Iterable[Any]) -> Shape:
        """The schemas behind references and alternatives, in their order."""
        found: list[dict[str, Any]] = []
        waiting = list(schemas)[::-1]
        seen: set[int] = set()
        while waiting:
            schema = waiting.pop()
            if not isinstance(schema, dict) or id(schema) in seen:
                continue
            seen.add(id(schema))
            found.append(schema)
            if "$ref" in schema:
                waiting.append(self.referred(schema["$ref"]))
            for word in ("allOf", "oneOf", "anyOf"):
                waiting += list(schema.get(word, ()))[::-1]
            waiting += [schema[word] for word in ("else", "then") if word in schema]
        return tuple(found)

    def referred(self, reference: str) -> Any:
        place: Any = self.root
        for step in reference.removeprefix("#").strip("/").split("/"):
            place = place.get(step) if isinstance(place, dict) else None
        return place

    def below(self, shape: Shape, key: str) -> Shape:
        """The shape of what stands under a key."""
        known = (tuple(map(id, shape)), key)
        if known not in self.children:
            named = [schema["properties"][key] for schema in shape if key in schema.get("properties", {})]
            if not named:
                patterns = [pair for schema in shape for pair in schema.get("patternProperties", {}).items()]
                named = [schema for pattern, schema in patterns if search(pattern, key)]
            if not named:
                named = [schema.get("additionalProperties") for schema in shape]
            self.children[known] = self.shape(named)
        return self.children[known]

    def items(self, shape: Shape) -> Shape:
        known = (tuple(map(id, shape)), "[]")
        if known not in self.children:
            lists = [schema.get("items") for schema in shape]
            inner = [item for one in lists for item in (one if isinstance(one, list) else [one])]
            self.children[known] = self.shape(inner)
        return self.children[known]

    def arrange(self, part: Part, shape: Shape) -> None:
        if not isinstance(part, Group):
            return
        inner = None if part.keyed else self.items(shape)
        for entry in part.entries:
            name = entry.key.name if entry.key else ""
            self.arrange(entry.value, self.below(shape, name) if inner is None else inner)
        if part.keyed:
            _sort(part, _ranks(shape))
        elif not part.flow:
            for entry in part.entries:
                _hoist(entry)


def _ranks(shape: Shape) -> dict[str, int]:
    names = [name for schema in shape for name in schema.get("properties", {})]
    return {name: 2 * rank for rank, name in enumerate(dict.fromkeys(names))}


def _rank(entry: Entry, ranks: dict[str, int]) -> int:
    if not ranks or entry.key is None:
        return 0
    if entry.key.style != "alias" and entry.key.name.startswith("x-"):
        return 1 + max((ranks[name] for name in _HEAD if name in ranks), default=_FIRST - 1)
    if entry.key.style == "plain" and entry.key.name == "<<":
        return _FIRST
    last = 2 * len(ranks)
    return last if entry.key.style == "alias" else ranks.get(entry.key.name, last)


def _sort(group: Group, ranks: dict[str, int]) -> None:
    ordered = _ordered(group.entries, [_rank(entry, ranks) for entry in group.entries])
    if all(new is old for new, old in zip(ordered, group.entries, strict=True)):
        return
    broken = group.commented or any(entry.new_line for entry in group.entries)
    if group.flow and broken:
        opens = group.entries[0].new_line
        for number, entry in enumerate(ordered):
            entry.new_line = opens if number == 0 else True
    group.entries = ordered


def _ordered(entries: list[Entry], ranks: list[int]) -> list[Entry]:
    """Entries by rank, then by place, but those that share a label in the order in which they were.

    Sorting the result again changes nothing: at each step the same entries are free, in the same order.
    """
    later: list[list[int]] = [[] for _ in entries]
    waits = [0] * len(entries)
    setter: dict[str, int] = {}
    users: dict[str, list[int]] = {}

    def bind(first: int, second: int) -> None:
        if first != second:
            later[first].append(second)
            waits[second] += 1

    for number, entry in enumerate(entries):
        for label in sorted(entry.uses):
            if label in setter:
                bind(setter[label], number)
            users.setdefault(label, []).append(number)
        for label in sorted(entry.sets):
            if label in setter:
                bind(setter[label], number)
            for user in users.pop(label, ()):
                bind(user, number)
            setter[label] = number
    free = [(ranks[number], number) for number, count in enumerate(waits) if not count]
    heapify(free)
    ordered: list[Entry] = []
    while free:
        _, number = heappop(free)
        ordered.append(entries[number])
        for follower in later[number]:
            waits[follower] -= 1
            if not waits[follower]:
                heappush(free, (ranks[follower], follower))
    return ordered


def _hoist(entry: Entry) -> None:
    """Puts the comments above the first key of a list item above its dash, where one would write them."""
    group = entry.value
    if not isinstance(group, Group) or group.flow or group.props or group.before or group.head:
        return
    first = group.entries[0]
    if not first.lead:
        return
    lead: list[Comment] = first.lead
    if entry.lead:
        lead[0].blank = entry.lead_blank
    entry.lead += lead
    entry.lead_blank = first.lead_blank
    first.lead, first.lead_blank = [], False
