"""``--set shots.run.duration=2``: values given beside the file, put into its tree before it is checked."""

from __future__ import annotations

import re
from collections.abc import Container
from collections.abc import Sequence as SequenceABC
from dataclasses import replace
from pathlib import Path

from anix_cli.core.errors import AnixError, Diagnostic, Span

from .near import nearest
from .syntax import parse
from .text import Source
from .tree import MAX_DEPTH, Entry, Mapping, Node, Scalar, Sequence

GIVEN = Path("--set")
"""Stands as the file of such a value in messages."""

_STEP = re.compile(r"\[([0-9]{1,6})\]|(?:^|\.)([^.\[\]=\x00-\x1f]+)")
_Step = tuple[str, int, int]
"""A name or a number, and the characters where it stands."""
_HINT = "write a path of keys and a value: --set film.seed=3, --set shots.run.duration=2"


def apply(root: Node, settings: SequenceABC[str], source: Source) -> Node:
    """The tree with values set; the last of two for one place wins. Problems of the values go to ``source``.

    Raises:
        AnixError: E137, a path that leads nowhere or no value; E106 … E111, the value is not YAML.
    """
    for written in settings:
        path, found, text = written.partition("=")
        steps = _steps(path)
        if not found or not steps:
            raise AnixError(_problem(written, "this is not a path and a value", (0, len(written)), None))
        if steps[0][0] == "extends":
            late = "extends: names files that are read before this; write it into the screenplay"
            raise AnixError(_problem(written, late, (0, len(path)), None, hint=None))
        root = _put(root, steps, _value(written, len(written) - len(text), source), written)
    return root


def _value(written: str, start: int, source: Source) -> Node:
    """What stands behind the equals sign, as YAML; with a place in ``written``."""
    given = Source(GIVEN, " " * start + written[start:], source.problems)
    given.show(written)
    before = len(given.problems)
    given.refuse_controls()
    given.raise_errors(before)
    if written[start:].lstrip().startswith("#"):  # a colour; nobody sets a comment
        start = written.index("#", start)
        return Scalar(given, start, len(written), written[start:].strip(), "text", False)
    return parse(given) or Scalar(given, len(written), len(written), "", "null", True)


def _steps(path: str) -> list[_Step]:
    """Each step of a path; none if the path cannot be read."""
    steps: list[_Step] = []
    at = 0
    while at < len(path):
        found = _STEP.match(path, at)
        if not found or (at == 0 and path[0] in ".[") or len(steps) == MAX_DEPTH:
            return []
        group = 1 if found[1] else 2
        steps.append((found[group].strip(), found.start(group), found.end(group)))
        at = found.end()
    return steps


def _put(node: Node, steps: list[_Step], value: Node, written: str) -> Node:
    if not steps:
        return value
    if isinstance(node, Sequence):
        index, rest = _index(node, steps, written)
        items = list(node.items)
        items[index] = _put(items[index], rest, value, written)
        return replace(node, items=items)
    _, start, end = steps[0]
    if not isinstance(node, Mapping):
        inside = "this lies inside a value that has no parts; set that value as a whole"
        raise AnixError(_problem(written, inside, (start, end), None))
    if steps[0][0].startswith("x-"):
        idle = "keys that begin with x- hold what labels reuse: set the value where it is used"
        raise AnixError(_problem(written, idle, (start, end), None))
    name, rest = _named(steps, node.items, written) or (steps[0][0], steps[1:])
    before = node.items.get(name)
    key = before.key if before and rest else Scalar(value.source, start, end, name, "text", True)
    inner = before.value if before else Mapping(value.source, start, end)
    return replace(node, items={**node.items, name: Entry(key, _put(inner, rest, value, written))})


def _named(steps: list[_Step], known: Container[str | None], written: str) -> tuple[str, list[_Step]] | None:
    """The longest name among those known with which the steps begin, since a name may hold dots; the rest."""
    start = steps[0][1]
    for count in range(len(steps), 0, -1):
        name = written[start : steps[count - 1][2]].strip()
        if name in known:
            return name, steps[count:]
    return None


def _index(node: Sequence, steps: list[_Step], written: str) -> tuple[int, list[_Step]]:
    """Which item of a list is meant, by its id or by number from 0; and the steps inside it."""
    name, start, end = steps[0]
    ids = [_id(item) for item in node.items]
    counted = written[start - 1 : start] == "["
    if not counted and (found := _named(steps, ids, written)):
        return ids.index(found[0]), found[1]
    if name.isascii() and name.isdigit() and int(name) < len(node.items):
        return int(name), steps[1:]
    known = [one for one in ids if one is not None]
    last = len(node.items) - 1
    expected = f"a number from 0 to {last}" if last > 0 else "0" if last == 0 else None
    if known and not counted:
        expected = f"one of {', '.join(known[:12])}, or {expected}"  # where there is an id, there is a 0
    raise AnixError(_problem(written, f'there is no "{name}" in this list', (start, end), expected, known))


def _id(item: Node) -> str | None:
    entry = item.items.get("id") if isinstance(item, Mapping) else None
    return entry.value.text if entry and isinstance(entry.value, Scalar) else None


def _problem(
    written: str, message: str, span: tuple[int, int], expected: str | None,
    known: SequenceABC[str] = (), hint: str | None = _HINT,
) -> Diagnostic:  # fmt: skip
    name = written[span[0] : span[1]]
    line = written.splitlines()[0] if written else ""
    return Diagnostic(
        "E137",
        message,
        file=GIVEN,
        span=Span(1, span[0] + 1, max(1, min(span[1], len(line)) - span[0])),
        source=line,
        expected=expected,
        nearest=nearest(name, known) if known else None,
        hint=None if known else hint,
    )
