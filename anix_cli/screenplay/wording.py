"""Words for messages: how a schema, a value and its name are said to a director."""

from __future__ import annotations

from collections.abc import Mapping as MappingABC
from typing import Any

from anix_cli.core.screenplay import PathInFile

from .tree import Mapping, Scalar, Sequence

Schema = MappingABC[str, Any]

_KINDS = {"object": "a mapping", "array": "a list", "boolean": "true or false"}


def types_of(schema: Schema) -> set[str]:
    """The JSON types that a schema names, none where it takes any."""
    written = schema.get("type", ())
    return {written} if isinstance(written, str) else set(written)


def wanted_of(branches: list[Schema]) -> str:
    """What any of several schemas takes; a message that speaks for all of them wins."""
    texts = [branch for branch in branches if "string" in types_of(branch)]
    spoken = [branch["patternErrorMessage"] for branch in texts if "patternErrorMessage" in branch]
    return str(spoken[0]) if spoken else " or ".join(_wanted(branch) for branch in branches)


def _wanted(schema: Schema) -> str:
    """What a schema takes: "a number from 1 to 120", "one of left, right"."""
    types = types_of(schema)
    if "enum" in schema:
        words = ", ".join(map(str, schema["enum"]))
        return words if len(schema["enum"]) == 1 else f"one of {words}"
    if "string" in types:
        return "text"
    if types & {"number", "integer"}:
        return range_of(schema)
    return " or ".join(_KINDS.get(kind, kind) for kind in sorted(types))


def range_of(schema: Schema) -> str:
    """The range of a number in words."""
    noun = "a whole number" if "integer" in types_of(schema) else "a number"
    low, high = schema.get("minimum", schema.get("exclusiveMinimum")), schema.get("maximum")
    if low is None or high is None:
        return noun
    if "exclusiveMinimum" in schema:
        return f"{noun} above {low}, at most {high}"
    return f"{noun} from {low} to {high}"


def name_of(path: PathInFile) -> str:
    """A value by its key: ``"duration"``, ``shot 3``, ``value 2 of "at"``."""
    if not path:
        return "the screenplay"
    if isinstance(path[-1], int):
        if path[:-1] == ("shots",):
            return f"shot {path[-1] + 1}"
        return f"value {path[-1] + 1} of {name_of(path[:-1])}"
    return f'"{short(path[-1])}"'


def article(path: PathInFile) -> str:
    """``the id of a shot``, ``one of the aliases``."""
    if isinstance(path[-1], int):
        return f"one of the {path[-2]}"
    return f"the {path[-1]} of a shot" if path[:1] == ("shots",) else f"the {path[-1]}"


def found(node: Scalar | Mapping | Sequence) -> str:
    """What was found: ``the text "4 m"``, ``the truth value true``, ``a list``."""
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    shown = short(node.text)
    return {
        "bool": f"the truth value {shown}",
        "int": f"the number {shown}",
        "float": f"the number {shown}",
        "null": "empty",
        "text": f'the text "{shown}"',
    }[node.kind]


def short(text: str) -> str:
    """Text cut to 60 characters."""
    return text if len(text) <= 60 else f"{text[:57]}..."


def flow(value: Any) -> str:
    """A JSON value as YAML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if value != "" else '""'
