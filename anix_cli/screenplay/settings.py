"""``--set shots.run.duration=2``: values given beside the file, put into its tree before it is checked."""

from __future__ import annotations

import re
from collections.abc import Sequence as SequenceABC
from dataclasses import replace
from pathlib import Path

from anix_cli.core.errors import AnixError, Diagnostic, Span

from .near import nearest
from .syntax import parse
from .text import Source
from .tree import Entry, Mapping, Node, Scalar, Sequence

GIVEN = Path("--set")
"""Stands as the file of such a value in messages."""

_STEP = re.compile(r"\[([0-9]{1,6})\]|\.?([^.\[\]=]+)")
_HINT = "write a path of keys and a value: --set film.seed=3, --set shots.run.duration=2"


def apply(root: Node, settings: SequenceABC[str], source: Source) -> Node:
    """The tree with values set; the last of two for one place wins. Problems of the values go to ``source``.

    Raises:
        AnixError: E137, a path that leads nowhere or no value; E106 … E111, the value is not YAML.
    """
    for written in settings:
        path, found, _ = written.partition("=")
        steps = _steps(path)
        if not found or not steps:
            raise AnixError(_problem(written, "this is not a path and a value", (0, len(written)), None))
        given = Source(GIVEN, " " * (len(path) + 1) + written[len(path) + 1 :], source.problems)
        given.show(written)
        value = parse(given) or Scalar(given, len(written), len(written), "", "null", True)
        root = _put(root, steps, value, written)
    return root


def _steps(path: str) -> list[tuple[str, int, int]]:
    """Each step of a path, with the characters where it stands; none if the path cannot be read."""
    steps: list[tuple[str, int, int]] = []
    at = 0
    while at < len(path):
        found = _STEP.match(path, at)
        if not found or (at == 0 and path.startswith((".", "["))):
            return []
        group = 1 if found[1] else 2
        steps.append((found[group].strip(), found.start(group), found.end(group)))
        at = found.end()
    return steps


def _put(node: Node, steps: list[tuple[str, int, int]], value: Node, written: str) -> Node:
    if not steps:
        return value
    (name, start, end), rest = steps[0], steps[1:]
    if isinstance(node, Sequence):
        index = _index(node, name, written, (start, end))
        items = list(node.items)
        items[index] = _put(items[index], rest, value, written)
        return replace(node, items=items)
    if not isinstance(node, Mapping):
        inside = "this lies inside a value that has no parts; set that value as a whole"
        raise AnixError(_problem(written, inside, (start, end), None))
    before = node.items.get(name)
    key = before.key if before else Scalar(value.source, start, end, name, "text", True)
    inner = before.value if before else Mapping(value.source, start, end)
    return replace(node, items={**node.items, name: Entry(key, _put(inner, rest, value, written))})


def _index(node: Sequence, name: str, written: str, span: tuple[int, int]) -> int:
    """Which item of a list is meant: by number from 0, or by its id."""
    ids = [_id(item) for item in node.items]
    if name in ids:
        return ids.index(name)
    if name.isascii() and name.isdigit() and int(name) < len(node.items):
        return int(name)
    known = [found for found in ids if found is not None]
    expected = f"one of {', '.join(known[:12])}" if known else f"a number below {len(node.items)}"
    raise AnixError(_problem(written, f'there is no "{name}" in this list', span, expected, known))


def _id(item: Node) -> str | None:
    entry = item.items.get("id") if isinstance(item, Mapping) else None
    return entry.value.text if entry and isinstance(entry.value, Scalar) else None


def _problem(
    written: str, message: str, span: tuple[int, int], expected: str | None, known: SequenceABC[str] = ()
) -> Diagnostic:
    name = written[span[0] : span[1]]
    line = written.splitlines()[0] if written else ""
    return Diagnostic(
        "E137",
        f"--set: {message}",
        file=GIVEN,
        span=Span(1, span[0] + 1, max(1, min(span[1], len(line)) - span[0])),
        source=line,
        expected=expected,
        nearest=nearest(name, known) if known else None,
        hint=_HINT,
    )
