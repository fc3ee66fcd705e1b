"""YAML → Screenplay, with positions, suggestions and all problems at once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anix_cli.core.errors import AnixError, Diagnostic
from anix_cli.core.schemas import schema
from anix_cli.core.screenplay import Screenplay

from . import build, files, rules, settings
from .check import INVALID, Checker
from .extends import Family
from .syntax import parse
from .text import STDIN, Source, decode, read_bytes
from .tree import Mapping, Node, Scalar, is_blank
from .tree import Sequence as List
from .wording import Schema

SCHEMA = "screenplay-v1"
NEEDED = ("anix", "scene", "characters", "shots")
"""What a screenplay has once it is put together of its files; the schema lets parts stand alone."""


def load(path: Path, *, text: bytes | None = None, settings: Sequence[str] = ()) -> Screenplay:
    """Reads a screenplay with what it extends, and checks it, its references and its files.

    Args:
        path: the file; ``-`` with ``text`` given for standard input.
        text: the bytes, if they are read already. Relative paths in them are resolved from the folder of
            ``path``, from the current folder for ``-``.
        settings: values that win over the file's, as on the command line: ``film.seed=3``.

    Raises:
        AnixError: E101 … E159 and W101 … W159, every problem that was found, in the order of the files.
    """
    if path != STDIN:
        path = path.absolute()
    source = decode(path, read_bytes(path) if text is None else text)
    whole = _of_the_whole(schema(SCHEMA))
    family = Family(source, whole)
    root = _tree(source, family, settings)
    reading = Checker(source, whole if family.complete else {**whole, "required": ()})
    content: Any = reading.read(root)
    if content is not INVALID:
        if family.complete:  # else names may well be those of a file that is not there
            rules.check(reading, content)
        files.check(reading, content)
    source.raise_errors()
    return build.screenplay(reading, content, tuple(dict.fromkeys(family.files)))


def load_part(path: Path) -> tuple[Diagnostic, ...]:
    """Checks a file that other screenplays extend by itself: all that is written, not what may be elsewhere.

    Returns:
        Warnings of the text.

    Raises:
        AnixError: as :func:`load`, without what only a whole screenplay lacks.
    """
    source = decode(path.absolute(), read_bytes(path))
    whole = _of_the_whole(schema(SCHEMA))
    family = Family(source, whole)
    reading = Checker(source, {**schema(SCHEMA), "required": ("anix",)})
    content: Any = reading.read(_tree(source, family, ()))
    if content is not INVALID:
        files.check(reading, content)
    source.raise_errors()
    return tuple(source.problems)


def extended_by(path: Path) -> frozenset[str]:
    """The files that a screenplay names under ``extends:``, links followed; none if it cannot be read."""
    try:
        source = decode(path.absolute(), read_bytes(path))
        root = parse(source)
    except AnixError:
        return frozenset()
    written = root.items.get("extends") if isinstance(root, Mapping) else None
    if written is None:
        return frozenset()
    named = written.value.items if isinstance(written.value, List) else [written.value]
    texts = [node.text for node in named if isinstance(node, Scalar)]
    return frozenset(os.path.realpath(source.folder / text) for text in texts if "\0" not in text)


def _of_the_whole(published: Schema) -> Schema:
    """The schema of a screenplay put together of its files: what the published one asks only of one that
    extends no other is asked of it in any case."""
    parts, needs = dict(published["definitions"]), published["then"]["properties"]
    character = needs["characters"]["additionalProperties"]
    views = {**parts["character"]["properties"]["views"], **character["properties"]["views"]}
    properties = {**parts["character"]["properties"], "views": views}
    parts["scene"] = {**parts["scene"], **needs["scene"]}
    parts["character"] = {**parts["character"], "oneOf": character["oneOf"], "properties": properties}
    return {**published, "required": NEEDED, "definitions": parts}


def _tree(source: Source, family: Family, written: Sequence[str]) -> Node:
    """The tree of the whole screenplay."""
    root = parse(source)
    if root is None or is_blank(root):
        source.problem(
            "E102", "the screenplay is empty", None, hint="begin with anix: 1, scene:, characters: and shots:"
        )
        source.raise_errors()
        raise AssertionError("an empty screenplay has an error")
    root = family.whole(root)
    if written:
        root = settings.apply(root, written, source)
    return root
