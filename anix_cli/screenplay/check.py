"""The tree against the schema: every value read once, every problem said with its place.

This interprets the part of JSON Schema draft-07 that ``schemas/screenplay-v1.json`` uses, and no more, since
a general validator knows neither places nor directors, and costs 0.1 s to import. A test holds it and the
``jsonschema`` package to the same verdicts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as MappingABC
from fractions import Fraction
from typing import Any, Final

from anix_cli.core.errors import Span
from anix_cli.core.screenplay import PathInFile

from . import planned
from .near import nearest
from .syntax import quoted
from .text import Source
from .tree import Broken, Entry, Mapping, Node, Scalar, Sequence
from .values import NotAValueError, number, text_value

KNOWN_KEYWORDS = frozenset(
    "$schema $id $ref title description default examples definitions type enum required properties "
    "patternProperties additionalProperties minProperties items minItems maxItems minLength maxLength pattern "
    "patternErrorMessage format minimum maximum exclusiveMinimum anyOf".split()
)

INVALID: Final = object()
"""Stands in the data for a value that is written but wrong; its problem is noted."""

Schema = MappingABC[str, Any]

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]")
_PATH_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffd]")
_KINDS = {"object": "a mapping", "array": "a list", "string": "text", "boolean": "true or false"}


class Checker:
    """Reads a tree by a schema into plain data: dicts, lists, text, bool, int, Fraction; formats are parsed.

    ``positions`` gets the place of every value by its path.
    """

    def __init__(self, source: Source, schema: Schema) -> None:
        self.source = source
        self.schema = schema
        self.positions: dict[PathInFile, Span] = {}

    def problem(self, path: PathInFile, code: str, message: str, **details: Any) -> None:
        """Notes a problem at a value, or at the nearest enclosing one that has a place."""
        at = path
        while at and at not in self.positions:
            at = at[:-1]
        self.source.problem(code, message, self.positions.get(at), **details)

    def read(
        self, node: Node, schema: Schema | None = None, path: PathInFile = (), key: Scalar | None = None
    ) -> Any:
        """The value of a node, or INVALID."""
        schema = self._resolved(self.schema if schema is None else schema)
        self.positions[path] = self._place(node, key)
        if isinstance(node, Broken):
            return INVALID
        branch = self._branch(node, schema)
        if branch is None:
            return self._wrong_kind(node, schema, path)
        if isinstance(node, Mapping):
            return self._mapping(node, branch, path)
        if isinstance(node, Sequence):
            return self._list(node, branch, path)
        types = _types(branch)
        try:
            if node.kind == "bool" and "boolean" in types:
                return node.text.lower() == "true"
            if node.kind in ("int", "float") and "string" not in types:
                return self._number(node, branch, path)
            if not types:
                return node.text
            return self._text(node.text, branch, path)
        except NotAValueError as error:
            self.problem(
                path, error.code, str(error), expected=error.expected, nearest=error.nearest, hint=error.hint
            )
            return INVALID

    def _resolved(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            schema = self.schema["definitions"][schema["$ref"].removeprefix("#/definitions/")]
        return schema

    def _place(self, node: Node, key: Scalar | None) -> Span:
        if isinstance(node, Scalar | Broken) and node.end > node.start:
            return self.source.span(node.start, node.end)
        if key is not None:
            return self.source.span(key.start, key.end)
        if isinstance(node, Mapping) and node.items:
            first = next(iter(node.items.values())).key
            return self.source.span(first.start, first.end)
        return self.source.span(node.start, node.start + 1)

    def _branch(self, node: Node, schema: Schema) -> Schema | None:
        """The part of the schema that speaks about this kind of value, None where the kind is wrong."""
        branches = [self._resolved(branch) for branch in schema.get("anyOf", [schema])]
        kinds = _json_types(node)
        for branch in branches:
            types = _types(branch)
            if not types or kinds & types:
                return branch
        return None

    # Mappings and lists

    def _mapping(self, node: Mapping, schema: Schema, path: PathInFile) -> Any:
        data: dict[str, Any] = {}
        for name, entry in node.items.items():
            inner = self._schema_of(name, schema)
            if inner is None:
                self._unknown_key(entry, node, schema, path)
            else:
                data[name] = self.read(entry.value, inner, (*path, name), entry.key)
        title = schema.get("title", "this")
        for name in schema.get("required", ()):
            if name not in node.items:
                self.problem(path, "E113", f'{title} needs "{name}"', hint=self._example(schema, name))
        if len(node.items) < schema.get("minProperties", 0):
            self.problem(path, "E116", f"{title} is empty", hint=self._example(schema, None))
            return INVALID
        return data

    def _schema_of(self, name: str, schema: Schema) -> Schema | None:
        inner: Schema | None = schema.get("properties", {}).get(name)
        if inner is not None:
            return inner
        for pattern, candidate in schema.get("patternProperties", {}).items():
            if re.search(pattern, name):
                found: Schema = candidate
                return found
        return {} if not _types(schema) else None

    def _example(self, schema: Schema, name: str | None) -> str | None:
        inner = schema if name is None else self._resolved(schema["properties"][name])
        examples = inner.get("examples")
        if not examples:
            return None
        return f"for example {'' if name is None else f'{name}: '}{_flow(examples[0])}"

    def _unknown_key(self, entry: Entry, node: Mapping, schema: Schema, path: PathInFile) -> None:
        name = entry.key.text
        span = self.source.span(entry.key.start, entry.key.end)
        title = schema.get("title", "this")
        hint = planned.KEYS.get(planned.pattern((*path, name)))
        if hint is not None:
            self.source.problem("E115", f'"{name}" in {title} is not supported yet', span, hint=hint)
            return
        if "properties" not in schema:
            self.source.problem(
                "E104",
                f'"{_short(name)}" cannot be a name',
                span,
                expected="up to 64 letters, digits, spaces, . _ -, beginning with a letter",
            )
            return
        known = schema["properties"]
        near = nearest(name, (key for key in known if key not in node.items))
        self.source.problem(
            "E112",
            f'unknown key "{_short(name)}" in {title}',
            span,
            expected=f"one of {', '.join(known)}",
            nearest=near,
            hint=None if near else self._unknown_hint(entry, path),
        )

    def _unknown_hint(self, entry: Entry, path: PathInFile) -> str | None:
        name, value = entry.key.text, entry.value
        after = self.source.text[entry.key.end : entry.key.end + 1]
        if (
            isinstance(value, Scalar)
            and value.kind == "null"
            and value.start == value.end
            and after in (",", "}")
        ):
            return "a comma ends a value inside { }: put quotes round text that contains one"
        if path and path[-1] == "camera":
            moves = self.schema["definitions"]["camera_move"]["properties"]["move"]["enum"]
            move = name if name in moves else nearest(name, moves)
            if move:
                return f"write move: {move}"
        places = [place for place, keys in self._sections() if name in keys]
        return f"{name} belongs to {' or '.join(places)}" if places else None

    def _sections(self) -> list[tuple[str, Any]]:
        root, parts = self.schema["properties"], self.schema["definitions"]
        tops = [(f"{key}:", self._resolved(root[key]).get("properties", {})) for key in ("film", "scene")]
        inner = [(parts[key]["title"], parts[key]["properties"]) for key in ("character", "anchor", "shot")]
        return [("the top level", root), *tops, *inner, ("camera:", parts["camera_move"]["properties"])]

    def _list(self, node: Sequence, schema: Schema, path: PathInFile) -> Any:
        items = [self.read(item, schema.get("items", {}), (*path, i)) for i, item in enumerate(node.items)]
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        if len(items) >= least and (most is None or len(items) <= most):
            return items
        if not items:
            self.problem(path, "E116", f"{_name(path)} is empty", hint=self._example(schema, None))
        else:
            wanted = str(least) if least == most else f"{least} to {most}" if most else f"at least {least}"
            self.problem(
                path,
                "E104",
                f"{_name(path)} has {len(items)} values, not {wanted}",
                hint=self._example(schema, None),
            )
        return INVALID

    # Single values

    def _number(self, node: Scalar, schema: Schema, path: PathInFile) -> int | Fraction:
        value = number(node.text)
        whole = "integer" in _types(schema)
        expected = _range(schema)
        if whole and value.denominator != 1:
            raise NotAValueError(f"{_name(path)} must be a whole number, not {node.text}", expected=expected)
        if "enum" in schema and value not in schema["enum"]:
            raise NotAValueError(
                f"{_name(path)} is {node.text}", expected=" or ".join(map(str, schema["enum"]))
            )
        low, high, above = schema.get("minimum"), schema.get("maximum"), schema.get("exclusiveMinimum")
        size = float(value)  # as JSON numbers compare: the limit 0.1 is not exactly a tenth
        too_low = (low is not None and size < low) or (above is not None and size <= above)
        if too_low or (high is not None and size > high):
            raise NotAValueError(f"{_name(path)} is {node.text}, which is out of range", expected=expected)
        return int(value) if whole else value

    def _text(self, text: str, schema: Schema, path: PathInFile) -> Any:
        kind = schema.get("format", "")
        if kind == "path" and _PATH_CONTROL.search(text):
            raise NotAValueError(
                "this path holds a control character: a backslash in double quotes begins a special character",
                code="E134",
                hint="use / instead of the backslash, or single quotes",
            )
        if found := _CONTROL.search(text):
            raise NotAValueError(f"{_name(path)} holds the character U+{ord(found.group()):04X}", code="E105")
        if "enum" in schema and text not in schema["enum"]:
            self._refuse_word(text, schema["enum"], path)
        if len(text) < schema.get("minLength", 0):
            raise NotAValueError(f"{_name(path)} is empty", code="E116")
        if len(text) > schema.get("maxLength", len(text)):
            raise NotAValueError(f"{_name(path)} is longer than {schema['maxLength']} characters")
        if kind in ("size", "rate", "duration"):
            return text_value(kind, text)
        if "pattern" in schema and not re.fullmatch(schema["pattern"], text):
            expected = schema.get("patternErrorMessage")
            raise NotAValueError(f'"{_short(text)}" cannot be {_article(path)}', expected=expected)
        return text

    def _refuse_word(self, text: str, words: list[str], path: PathInFile) -> None:
        hints = planned.VALUES.get(planned.pattern(path), {})
        if text.lower() in hints:
            raise NotAValueError(
                f'{_name(path)} "{text}" is not supported yet', code="E115", hint=hints[text.lower()]
            )
        hint = None
        first = text.split()[0].lower() if text.split() else ""
        if path[-1] == "camera" and first in words and " " in text.strip():
            hint = f"write camera: {{move: {first}, …}} with its parameters"
        near = nearest(text, words) or next(
            (word for word in words if word in (f"+{text}", f"+{text.lower()}")), None
        )
        raise NotAValueError(
            f'{_name(path)} is "{_short(text)}"',
            expected=f"one of {', '.join(words)}",
            nearest=near,
            hint=hint,
        )

    def _wrong_kind(self, node: Scalar | Mapping | Sequence, schema: Schema, path: PathInFile) -> Any:
        branches = [self._resolved(branch) for branch in schema.get("anyOf", [schema])]
        types = set().union(*(_types(branch) for branch in branches))
        wanted = " or ".join(dict.fromkeys(_wanted(branch) for branch in branches))
        name, where = _name(path), planned.pattern(path)
        if isinstance(node, Sequence) and where in planned.LISTS:
            self.problem(
                path,
                "E115",
                f"{name} as a list is not supported yet",
                expected=wanted,
                hint=planned.LISTS[where],
            )
        elif isinstance(node, Scalar) and node.kind == "null":
            self.problem(
                path, "E116", f"{name} is empty", expected=wanted, hint=self._empty_hint(node, schema, path)
            )
        elif isinstance(node, Scalar) and node.kind == "text" and where in planned.VALUES:
            self._scalar_for_mapping(node, schema, path, wanted)
        elif isinstance(node, Scalar) and node.kind == "text" and types & {"number", "integer"}:
            self._text_for_number(node, path, wanted)
        elif isinstance(node, Scalar) and node.kind != "text" and "string" in types:
            shown = f"the truth value {node.text}" if node.kind == "bool" else f"the number {node.text}"
            self.problem(
                path, "E114", f"{name} is {shown}, not text", hint=f"put quotes round it: {quoted(node.text)}"
            )
        else:
            self._scalar_for_mapping(node, schema, path, wanted)
        return INVALID

    def _scalar_for_mapping(
        self, node: Scalar | Mapping | Sequence, schema: Schema, path: PathInFile, wanted: str
    ) -> None:
        text = node.text.lower() if isinstance(node, Scalar) else ""
        hints = planned.VALUES.get(planned.pattern(path), {})
        if text in hints:
            self.problem(path, "E115", f'{_name(path)} "{text}" is not supported yet', hint=hints[text])
            return
        hint = self._example(schema, None)
        self.problem(
            path, "E114", f"{_name(path)} is {_found(node)}, not {wanted}", expected=wanted, hint=hint
        )

    def _text_for_number(self, node: Scalar, path: PathInFile, wanted: str) -> None:
        plain = node.text.replace("_", "").strip()
        if node.plain and "_" in node.text and re.fullmatch(r"[-+]?[0-9.]+", plain):
            self.problem(path, "E117", f"{node.text} is not a number with the _ in it", hint=f"write {plain}")
            return
        hint = None
        if not node.plain and re.fullmatch(r"[-+]?[0-9.]+", plain):
            hint = f"remove the quotes: {plain}"
        elif found := re.fullmatch(r"([-+]?[0-9]+(?:\.[0-9]+)?)\s*[a-zA-Z°]+", plain):
            hint = f"write the number alone: {found[1]}"
        elif found := re.fullmatch(r"([-+]?[0-9]+),([0-9]+)", plain):
            hint = f"write a decimal point: {found[1]}.{found[2]}"
        self.problem(
            path, "E114", f'{_name(path)} is the text "{_short(node.text)}"', expected=wanted, hint=hint
        )

    def _empty_hint(self, node: Scalar, schema: Schema, path: PathInFile) -> str | None:
        row = self.positions[path].line - 1
        line = self.source.lines[row]
        if re.search(r":\s+#\S", line) and node.start == node.end:
            return "# begins a comment: put quotes round text that contains one"
        if path and path[-1] == "command":
            return 'say what happens, or write command: "" for a hold'
        return self._example(schema, None)


def _types(schema: Schema) -> set[str]:
    written = schema.get("type", ())
    return {written} if isinstance(written, str) else set(written)


def _json_types(node: Scalar | Mapping | Sequence) -> set[str]:
    if isinstance(node, Mapping):
        return {"object"}
    if isinstance(node, Sequence):
        return {"array"}
    return {
        "null": {"null"}, "bool": {"boolean"}, "int": {"number", "integer"}, "float": {"number", "integer"},
        "text": {"string"},
    }[node.kind]  # fmt: skip


def _wanted(schema: Schema) -> str:
    types = _types(schema)
    if "enum" in schema:
        return (
            " or ".join(map(str, schema["enum"])) if len(schema["enum"]) == 1 else f"one of {_words(schema)}"
        )
    if "string" in types:
        return schema.get("patternErrorMessage", "text")
    if types & {"number", "integer"}:
        return _range(schema)
    return " or ".join(_KINDS.get(kind, kind) for kind in sorted(types))


def _words(schema: Schema) -> str:
    return ", ".join(map(str, schema["enum"]))


def _range(schema: Schema) -> str:
    noun = "a whole number" if "integer" in _types(schema) else "a number"
    low, high = schema.get("minimum", schema.get("exclusiveMinimum")), schema.get("maximum")
    if low is None or high is None:
        return noun
    if "exclusiveMinimum" in schema:
        return f"{noun} above {low}, at most {high}"
    return f"{noun} from {low} to {high}"


def _name(path: PathInFile) -> str:
    if not path:
        return "the screenplay"
    if isinstance(path[-1], int):
        return f"value {path[-1] + 1} of {_name(path[:-1])}" if len(path) > 1 else "the value"
    return f'"{_short(path[-1])}"'


def _article(path: PathInFile) -> str:
    return f"the {path[-1]} of a shot" if path[:1] == ("shots",) else f"the {path[-1]}"


def _found(node: Scalar | Mapping | Sequence) -> str:
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    shown = _short(node.text)
    return {
        "bool": f"the truth value {shown}",
        "int": f"the number {shown}",
        "float": f"the number {shown}",
        "null": "empty",
        "text": f'the text "{shown}"',
    }[node.kind]


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return str(value) if value != "" else '""'
