"""YAML as a tree whose every key and value knows its place and how it was written.

ruamel.yaml scans and parses; its event stream is composed here rather than by its constructor, because the
events carry exact start and end marks for keys and values alike (merge keys included), keep ``007`` as
written, and let depth and expansion be limited while reading. Plain scalars follow the core schema of
YAML 1.2 (https://yaml.org/spec/1.2.2/#103-core-schema): ``on``, ``no`` and dates are text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from .text import Source, quoted

MAX_DEPTH = 64
MAX_NODES = 200_000

ScalarKind = Literal["null", "bool", "int", "float", "text"]

_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLS = frozenset({"true", "True", "TRUE", "false", "False", "FALSE"})
_SURROGATES = re.compile(r"[\ud800-\udfff]")


@dataclass(slots=True, eq=False)
class Scalar:
    """A single value. ``text`` is what is written, after escapes and folding; ``plain``: without quotes."""

    source: Source
    start: int
    end: int
    text: str
    kind: ScalarKind
    plain: bool
    label: str | None = None
    size: int = 1
    depth: int = 1

    @property
    def json_types(self) -> frozenset[str]:
        return _JSON_TYPES[self.kind]


@dataclass(slots=True)
class Entry:
    """A key with its value."""

    key: Scalar
    value: Node


@dataclass(slots=True, eq=False)
class Mapping:
    source: Source
    start: int
    end: int
    items: dict[str, Entry] = field(default_factory=dict)
    size: int = 1
    depth: int = 1

    @property
    def json_types(self) -> frozenset[str]:
        return frozenset({"object"})


@dataclass(slots=True, eq=False)
class Sequence:
    source: Source
    start: int
    end: int
    items: list[Node] = field(default_factory=list)
    size: int = 1
    depth: int = 1

    @property
    def json_types(self) -> frozenset[str]:
        return frozenset({"array"})


@dataclass(slots=True, eq=False)
class Broken:
    """Stands where a value could not be read; its problem is noted already."""

    source: Source
    start: int
    end: int
    size: int = 1
    depth: int = 1


_JSON_TYPES: dict[str, frozenset[str]] = {
    "null": frozenset({"null"}),
    "bool": frozenset({"boolean"}),
    "int": frozenset({"number", "integer"}),
    "float": frozenset({"number", "integer"}),  # 4.0 is a whole number, as in JSON Schema
    "text": frozenset({"string"}),
}

Node = Scalar | Mapping | Sequence | Broken


class TooMuchError(Exception):
    """A limit was passed; the problem is noted already."""


@dataclass(slots=True)
class _Open:
    node: Mapping | Sequence
    label: str | None
    key: Scalar | None = None
    skip: bool = False
    merges: list[tuple[Scalar, Node]] = field(default_factory=list)


class Composer:
    """Builds the tree of one document from parser events; problems go to the source."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.root: Node | None = None
        self.count = 0
        self.documents = 0
        self._stack: list[_Open] = []
        self._labels: dict[str, Node] = {}
        self._used: set[str] = set()
        self._labelled: list[Scalar] = []

    @property
    def bracket_at(self) -> int | None:
        """Where the innermost [ or { stands that is open so far."""
        starts = (frame.node.start for frame in reversed(self._stack))
        return next((start for start in starts if self.source.text[start : start + 1] in ("[", "{")), None)

    def take(self, event: Any) -> None:
        """Adds one event of ruamel's parser."""
        kind = type(event).__name__
        start, end = event.start_mark.index, event.end_mark.index
        if kind == "ScalarEvent":
            self._add(self._scalar(event, start, end), event.anchor)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            node = (Mapping if kind == "MappingStartEvent" else Sequence)(self.source, start, end)
            self._refuse_tag(event.tag, start, end)
            self._stack.append(_Open(node, event.anchor))
            self._limit(len(self._stack), start, end)
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            done = self._stack.pop()
            done.node.end = max(end, start)
            if isinstance(done.node, Mapping):
                self._merge(done.node, done.merges)
            self._add(done.node, done.label)
        elif kind == "AliasEvent":
            self._alias(event.anchor, start, end)
        elif kind == "DocumentStartEvent":
            self.documents += 1
            if self.documents > 1:
                self.source.problem(
                    "E111",
                    "a second document begins here, but a screenplay is one document",
                    self.source.span(start, start + 3),
                    hint="delete the --- line, or put the second film into a file of its own",
                )
                raise TooMuchError

    def finish(self) -> Node | None:
        """The root, or None for a document without content."""
        for scalar in self._labelled:
            if scalar.label not in self._used and scalar.kind == "text" and scalar.plain:
                self.source.problem(
                    "E108",
                    f'"&{scalar.label}" is read as a YAML label and would be lost from the text',
                    self.source.span(scalar.start, scalar.end),
                    hint=f"put quotes round it: {quoted(f'&{scalar.label} {scalar.text}')}",
                )
        return self.root

    def _scalar(self, event: Any, start: int, end: int) -> Scalar:
        text, plain = str(event.value), event.style is None
        if _SURROGATES.search(text):
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        kind: ScalarKind = "text"
        if event.tag is None and plain:
            kind = kind_of(text)
        elif event.tag != "tag:yaml.org,2002:str":
            self._refuse_tag(event.tag, start, end)
        scalar = Scalar(self.source, start, end, text, kind, plain, event.anchor)
        if event.anchor:
            self._labelled.append(scalar)
        return scalar

    def _refuse_tag(self, tag: str | None, start: int, end: int) -> None:
        if tag is not None:
            self.source.problem(
                "E108",
                "a value that starts with ! is read as a YAML tag, which a screenplay does not use",
                self.source.span(start, end),
                hint=f"if it is text, put quotes round it: {quoted(self.source.value_from(start))}",
            )

    def _limit(self, depth: int, start: int, end: int) -> None:
        self.count += 1
        if depth > MAX_DEPTH:
            self._too_much(f"lists and mappings lie more than {MAX_DEPTH} deep in each other", start, end)
        if self.count > MAX_NODES:
            once = " once aliases are expanded" if self._used else ""
            self._too_much(f"there are more than {MAX_NODES} values{once}", start, end)

    def _too_much(self, message: str, start: int, end: int) -> None:
        self.source.problem("E110", message, self.source.span(start, end), hint="simplify the file")
        raise TooMuchError

    def _alias(self, label: str, start: int, end: int) -> None:
        self._used.add(label)
        if any(frame.label == label for frame in self._stack):
            self._too_much(f"*{label} contains itself", start, end)
        node = self._labels.get(label)
        if node is None:
            meant = quoted(self.source.value_from(start))
            self.source.problem(
                "E108",
                f'a value that starts with * refers to a YAML label, and no label "{label}" is set above',
                self.source.span(start, end),
                hint=f"if it is text, put quotes round it: {meant}",
            )
            self._add(Broken(self.source, start, end), None)
            return
        self.count += node.size - 1
        self._limit(len(self._stack) + node.depth, start, end)
        self.count -= 1
        self._add(node, None)

    def _add(self, node: Node, label: str | None) -> None:
        if label:
            self._labels[label] = node
        if not isinstance(node, Mapping | Sequence):
            self._limit(len(self._stack), node.start, node.end)
        if not self._stack:
            self.root = node
            return
        top = self._stack[-1]
        parent = top.node
        if isinstance(parent, Sequence):
            parent.items.append(node)
            self._grow(parent, node)
        elif top.skip:
            top.skip = False
        elif top.key is None:
            self._take_key(top, node)
        else:
            key, top.key = top.key, None
            self._put(top, parent, key, node)
            self._grow(parent, node)

    @staticmethod
    def _grow(parent: Mapping | Sequence, child: Node) -> None:
        parent.size += child.size + isinstance(parent, Mapping)
        parent.depth = max(parent.depth, child.depth + 1)

    def _take_key(self, top: _Open, node: Node) -> None:
        if isinstance(node, Scalar) and (node.kind in ("text", "int", "float")):
            top.key = node
            return
        top.skip = True
        if isinstance(node, Scalar) and node.kind == "bool":
            message, hint = (
                f"the key {node.text} is a truth value, not a name",
                f'put quotes round it: "{node.text}"',
            )
        elif isinstance(node, Scalar):
            message, hint = "a key is missing before the colon", "write a name before the colon"
        else:
            message, hint = "a key must be a word", "put quotes round text that contains [ ] { } or a comma"
        self.source.problem("E114", message, self.source.span(node.start, node.end), hint=hint)

    def _put(self, top: _Open, parent: Mapping, key: Scalar, value: Node) -> None:
        if key.text == "<<" and key.plain:
            if top.merges:
                self._twice(top.merges[0][0], key, "take in several at once: <<: [*one, *two]")
            top.merges.append((key, value))
            return
        first = parent.items.get(key.text)
        if first is None:
            parent.items[key.text] = Entry(key, value)
        else:
            self._twice(first.key, key, "keep one of them")

    def _twice(self, first: Scalar, again: Scalar, hint: str) -> None:
        line = self.source.span(first.start, first.end).line
        self.source.problem(
            "E109",
            f'"{again.text}" is written twice here: first on line {line}',
            self.source.span(again.start, again.end),
            hint=hint,
        )

    def _merge(self, parent: Mapping, merges: list[tuple[Scalar, Node]]) -> None:
        for key, value in merges:
            bases = value.items if isinstance(value, Sequence) else [value]
            for base in bases:
                if isinstance(base, Mapping):
                    for name, entry in base.items.items():
                        parent.items.setdefault(name, entry)
                elif not isinstance(base, Broken):
                    self.source.problem(
                        "E114",
                        "<< takes in another mapping, but what it names is not one",
                        self.source.span(key.start, key.end),
                        hint="write <<: *label, where &label stands before a mapping",
                    )


def is_blank(root: Node | None) -> bool:
    """Whether a document holds nothing, or only an explicit null."""
    return root is None or (isinstance(root, Scalar) and root.kind == "null")


def kind_of(text: str) -> ScalarKind:
    """What an unquoted value is in the core schema of YAML 1.2."""
    if text in _NULLS:
        return "null"
    if text in _BOOLS:
        return "bool"
    if _INT.fullmatch(text):
        return "int"
    if _FLOAT.fullmatch(text):
        return "float"
    return "text"
