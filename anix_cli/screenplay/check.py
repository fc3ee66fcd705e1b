"""The tree against the schema: every value read once, every problem said with its place.

This interprets the part of JSON Schema draft-07 that ``schemas/screenplay-v1.json`` uses, and no more, since
a general validator knows neither places nor directors, and costs 0.1 s to import. A test holds it and the
``jsonschema`` package to the same verdicts.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, Final

from anix_cli.core.errors import Place
from anix_cli.core.screenplay import PathInFile

from .lookalikes import as_it_looks
from .near import nearest
from .text import Source, quoted
from .tree import Broken, Mapping, Node, Scalar, Sequence
from .values import NotAValueError, WrittenPath, number, text_value
from .wording import Schema, article, name_of, range_of, short, types_of, wanted_of
from .wrong import WrongValue, example, unknown_key

INVALID: Final = object()
"""Stands in the data for a value that is written but wrong; its problem is noted."""

_PROSE = frozenset({"title", "description", "command", "prompt", "negative", "caption", "look"})
_COMMENT = re.compile(r"[ \t]+(#[^\s#][^\r\n]*)")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]")
_PATH_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffd]")


class Checker:
    """Reads a tree by a schema into plain data: dicts, lists, text, bool, int, Fraction; formats are parsed.

    ``positions`` gets the place of every value by its path.
    """

    def __init__(self, source: Source, schema: Schema) -> None:
        self.source = source
        self.schema = schema
        self.positions: dict[PathInFile, Place] = {}

    def problem(self, path: PathInFile, code: str, message: str, **details: Any) -> None:
        """Notes a problem at a value, or at the nearest enclosing one that has a place."""
        at = path
        while at and at not in self.positions:
            at = at[:-1]
        self.source.problem_at(self.positions.get(at), code, message, **details)

    def resolved(self, schema: Schema) -> Schema:
        """The schema itself where it only refers to a definition."""
        while "$ref" in schema:
            schema = self.schema["definitions"][schema["$ref"].removeprefix("#/definitions/")]
        return schema

    def read(self, node: Node) -> Any:
        """The value of the whole document, or INVALID."""
        return self._read(node, self.schema, (), None)

    def read_key(self, root: Mapping, key: str) -> None:
        """Notes what is wrong with one key of a document that is read by itself, E113 where it lacks it."""
        schema, entry = self.resolved(self.schema["properties"][key]), root.items.get(key)
        if entry is not None:
            self._read(entry.value, schema, (key,), entry.key)
        else:
            missing = f'{self.schema["title"]} needs "{key}"'
            self.source.problem_at(self._place(root, None), "E113", missing, hint=example(schema, key))

    def _read(self, node: Node, schema: Schema, path: PathInFile, key: Scalar | None) -> Any:
        schema = self.resolved(schema)
        self.positions[path] = self._place(node, key)
        if isinstance(node, Broken):
            return INVALID
        branches = [self.resolved(branch) for branch in schema.get("anyOf", [schema])]
        fits = [branch for branch in branches if not types_of(branch) or node.json_types & types_of(branch)]
        if not fits:
            WrongValue(self, node, schema, branches, path).explain()
            return INVALID
        try:
            if isinstance(node, Mapping):
                return self._mapping(node, fits[0], path)
            if isinstance(node, Sequence):
                return self._list(node, fits[0], path)
            return self._scalar(node, _free(fits, node), path)
        except NotAValueError as error:
            expected = wanted_of(branches) if "enum" in fits[0] and error.code == "E104" else error.expected
            hint = error.hint
            if hint is None and (error.code == "E116" or not isinstance(node, Scalar)):
                hint = example(schema, like=node)
            details = {"expected": expected, "nearest": error.nearest, "hint": hint}
            self.problem(path, error.code, str(error), **details)
            return INVALID

    @staticmethod
    def _place(node: Node, key: Scalar | None) -> Place:
        if isinstance(node, Scalar | Broken) and node.end > node.start:
            return node.source.place(node.start, node.end)
        if key is not None:
            return key.source.place(key.start, key.end)
        if isinstance(node, Mapping) and node.items:
            keys = [entry.key for entry in node.items.values()]
            first = next((own for own in keys if own.source is node.source), keys[0])
            return first.source.place(first.start, first.end)
        return node.source.place(node.start, node.start + 1)

    def _mapping(self, node: Mapping, schema: Schema, path: PathInFile) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for name, entry in node.items.items():
            inner = _schema_of(name, schema)
            if inner is None:
                meant = unknown_key(self, entry, node, schema, path)
                if meant is not None:
                    data.setdefault(meant, INVALID)
            else:
                data[name] = self._read(entry.value, inner, (*path, name), entry.key)
        title = schema.get("title", "this")
        for name in schema.get("required", ()):
            if name not in node.items and name not in data:
                hint = example(self.resolved(schema["properties"][name]), name)
                self.problem(path, "E113", f'{title} needs "{name}"', hint=hint)
        self._together(data, schema, path)
        if len(node.items) < schema.get("minProperties", 0):
            raise NotAValueError(f"{name_of(path)} is empty", code="E116", hint=example(schema))
        return data

    def _together(self, data: dict[str, Any], schema: Schema, path: PathInFile) -> None:
        """Keys of which exactly one must be there (``oneOf``), and keys that need others."""
        choices = [branch["required"][0] for branch in schema.get("oneOf", ())]
        there = [name for name in choices if name in data]
        title = schema.get("title", "this")
        for name in there[1:]:
            both = f'"{there[0]}" and "{name}" exclude each other in {title}'
            self.problem((*path, name), "E119", both, hint="keep one of them")
        alone = False
        for name, needed in schema.get("dependencies", {}).items():
            for other in needed if isinstance(needed, list) and name in data else ():
                if other not in data:
                    alone = True
                    instead = f" instead of {there[0]}:" if other in choices and there else ""
                    self.problem(
                        (*path, name),
                        "E119",
                        f'"{name}" goes with "{other}", which {title} does not have',
                        hint=f"write {other}:{instead}, or remove {name}",
                    )
        if choices and not there and not alone:
            wanted = f"{title} needs one of {', '.join(choices)}"
            self.problem(path, "E113", wanted, hint=example(schema))

    def _list(self, node: Sequence, schema: Schema, path: PathInFile) -> list[Any]:
        inner = schema.get("items", {})
        items = [self._read(item, inner, (*path, index), None) for index, item in enumerate(node.items)]
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        if len(items) >= least and (most is None or len(items) <= most):
            return items
        if not items:
            raise NotAValueError(f"{name_of(path)} is empty", code="E116", hint=example(schema))
        wanted = str(least) if least == most else f"{least} {'or' if most == least + 1 else 'to'} {most}"
        count = "1 value" if len(items) == 1 else f"{len(items)} values"
        raise NotAValueError(f"{name_of(path)} has {count}, not {wanted}", hint=example(schema))

    def _scalar(self, node: Scalar, schema: Schema, path: PathInFile) -> Any:
        types = types_of(schema)
        if not types:
            return node.text
        if node.kind == "bool":
            return node.text.lower() == "true"
        if node.kind in ("int", "float") and "string" not in types:
            return self._number(node.text, schema, path)
        text = self._text(node.text, schema, path)
        if node.plain and path and path[-1] in _PROSE:
            self._cut_by_comment(node, path)
        return WrittenPath(text, node.source.folder) if schema.get("format") == "path" else text

    def _cut_by_comment(self, node: Scalar, path: PathInFile) -> None:
        """W102 where text ends in a # that looks like a part of it: "house #2"."""
        rest = _COMMENT.match(node.source.text, node.end)
        if rest:
            quoted_text = quoted(f"{node.text}{rest[0].rstrip()}")
            self.source.problem_at(
                node.source.place(rest.start(1), rest.end()),
                "W102",
                f'"{short(rest[1].strip())}" is read as a comment, and is not part of {name_of(path)}',
                hint=f"put quotes round text that contains # ({short(quoted_text)}), or a space after the #",
            )

    @staticmethod
    def _number(text: str, schema: Schema, path: PathInFile) -> int | Fraction:
        value = number(text)
        whole = "integer" in types_of(schema)
        expected = schema.get("patternErrorMessage") or range_of(schema)
        if whole and value.denominator != 1:
            raise NotAValueError(f"{name_of(path)} must be a whole number, not {text}", expected=expected)
        if "enum" in schema and value not in schema["enum"]:
            version = "this anix reads version 1 of the language" if path == ("anix",) else None
            raise NotAValueError(f"{name_of(path)} is {text}", hint=version)
        low, high, above = schema.get("minimum"), schema.get("maximum"), schema.get("exclusiveMinimum")
        size = float(value)  # as JSON numbers compare: the limit 0.1 is not exactly a tenth
        too_low = (low is not None and size < low) or (above is not None and size <= above)
        too_high = high is not None and size > high
        if too_low or too_high:
            in_cm = path[:1] == ("characters",) and path[-1] == "height" and too_high and size < 300
            hint = f"heights are in metres: write {size / 100:g}" if in_cm else None
            out = f"{name_of(path)} is {text}, which is out of range"
            raise NotAValueError(out, expected=expected, hint=hint)
        return int(value) if whole else value

    @staticmethod
    def _text(text: str, schema: Schema, path: PathInFile) -> Any:
        kind = schema.get("format", "")
        if kind == "path" and _PATH_CONTROL.search(text):
            raise NotAValueError(
                "this path holds a control character: a backslash in double quotes begins one",
                code="E134",
                hint="use / instead of the backslash, or single quotes",
            )
        if found := _CONTROL.search(text):
            raise NotAValueError(f"{name_of(path)} holds the character U+{ord(found[0]):04X}", code="E105")
        if "enum" in schema and text not in schema["enum"]:
            _refuse_word(text, schema["enum"], path)
        if len(text) < schema.get("minLength", 0):
            raise NotAValueError(f"{name_of(path)} is empty", code="E116")
        if len(text) > schema.get("maxLength", len(text)):
            raise NotAValueError(f"{name_of(path)} is longer than {schema['maxLength']} characters")
        if kind in ("size", "rate", "duration", "colour"):
            return text_value(kind, text)
        if "pattern" in schema and not re.fullmatch(schema["pattern"], text):
            message, expected = (
                f'"{short(text)}" cannot be {article(path)}',
                schema.get("patternErrorMessage"),
            )
            raise NotAValueError(message, expected=expected, nearest=_fitting(text, schema))
        return text


def _free(fits: list[Schema], node: Scalar | Broken) -> Schema:
    """Of several schemas for a scalar, the first that has this word, or takes any."""
    for schema in fits:
        if "enum" not in schema or (isinstance(node, Scalar) and node.text in schema["enum"]):
            return schema
    return fits[0]


def _schema_of(name: str, schema: Schema) -> Schema | None:
    inner: Schema | None = schema.get("properties", {}).get(name)
    if inner is not None:
        return inner
    for pattern, candidate in schema.get("patternProperties", {}).items():
        if re.search(pattern, name):
            found: Schema = candidate
            return found
    return {} if not types_of(schema) else None


def _fitting(text: str, schema: Schema) -> str | None:
    """A text that fits the pattern, made of one that does not: without an article, without spaces."""
    first, _, rest = text.strip().partition(" ")
    plain = rest if first.lower() in ("the", "a", "an") else text.strip()
    for made in (plain, as_it_looks(plain), re.sub(r"[^A-Za-z0-9_.-]+", "_", plain)):
        if made != text and re.fullmatch(schema["pattern"], made):
            return made
    return None


def _refuse_word(text: str, allowed: list[str], path: PathInFile) -> None:
    near = nearest(text, allowed) or next((word for word in allowed if word == f"+{text.lower()}"), None)
    raise NotAValueError(f'{name_of(path)} is "{short(text)}"', nearest=near)
