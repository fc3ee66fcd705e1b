"""The scene of a screenplay that need not be finished: what a director looks at before there are shots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from anix_cli.core.errors import AnixError, Diagnostic
from anix_cli.core.schemas import schema
from anix_cli.core.screenplay import Screenplay

from . import SCHEMA, build, files, load, rules
from .check import INVALID, Checker
from .extends import Family
from .syntax import parse
from .text import decode, read_bytes
from .tree import Entry, Mapping, Node, Scalar


def load_scene(path: Path, *, text: bytes | None = None) -> Screenplay:
    """Reads a screenplay for its scene and its anchors.

    Where something else in it is missing or wrong, only these two are read, and the scene alone where an
    anchor is wrong; W103 among the notes then says so. Such a screenplay has no shots, and of its
    characters only those whose height the scene's scale names.

    Args:
        path, text: as :func:`anix_cli.screenplay.load`.

    Raises:
        AnixError: as ``load``, but only what concerns the scene.
    """
    data = read_bytes(path) if text is None else text
    try:
        return load(path, text=data)
    except AnixError as error:
        found = error.diagnostics
    try:
        part = _part(path, data, ("scene", "anchors"))
    except AnixError:
        part = _part(path, data, ("scene",))
    return replace(part, notes=(*part.notes, _elsewhere(path, found, part)))


def _part(path: Path, data: bytes, sections: Sequence[str]) -> Screenplay:
    """Some sections of a screenplay, checked by themselves."""
    path = path.absolute() if path != Path("-") else path
    source = decode(path, data)
    published = schema(SCHEMA)
    family = Family(source, published)
    root = parse(source)
    if root is not None:
        root = family.whole(root)
    if root is None or not isinstance(root, Mapping):
        root = Mapping(source, 0, len(source.text))
    reading = Checker(source, _needing_a_scene(published))
    content: Any = reading.read(_pruned(root, sections))
    if content is not INVALID:
        rules.check(reading, content)
        files.check(reading, content)
    source.raise_errors()
    return build.scene_only(reading, content, tuple(dict.fromkeys(family.files)))


def _needing_a_scene(published: dict[str, Any]) -> dict[str, Any]:
    """The schema of a screenplay that has to have a scene with a file, and nothing else."""
    parts = published["definitions"]
    return {
        **published,
        "required": ("scene",),
        "definitions": {**parts, "scene": {**parts["scene"], "required": ("file",)}},
    }


def _pruned(root: Mapping, sections: Sequence[str]) -> Mapping:
    """These sections, and the size of a character whose height the scene's scale is."""
    items = {name: root.items[name] for name in sections if name in root.items}
    owner = _scalar(root, "scene", "scale", "character")
    cast = _inside(root, "characters")
    one = cast.items.get(owner.text) if owner is not None and isinstance(cast, Mapping) else None
    if isinstance(cast, Mapping) and one is not None and isinstance(one.value, Mapping):
        sizes = {key: entry for key, entry in one.value.items.items() if key in ("height", "scale")}
        small = Entry(one.key, replace(one.value, items=sizes))
        key = root.items["characters"].key
        items["characters"] = Entry(key, replace(cast, items={one.key.text: small}))
    return replace(root, items=items)


def _scalar(root: Node, *keys: str) -> Scalar | None:
    found = _inside(root, *keys)
    return found if isinstance(found, Scalar) else None


def _inside(node: Node | None, *keys: str) -> Node | None:
    for key in keys:
        entry = node.items.get(key) if isinstance(node, Mapping) else None
        node = None if entry is None else entry.value
    return node


def _elsewhere(path: Path, found: Sequence[Diagnostic], part: Screenplay) -> Diagnostic:
    """W103."""
    count = sum(problem.severity == "error" for problem in found)
    what = "1 problem" if count == 1 else f"{count} problems"
    read = "only its scene and its anchors are read" if part.anchors else "only its scene is read"
    text = f"{path.name} is not a whole screenplay yet ({what}): {read}"
    return Diagnostic("W103", text, file=part.path, hint="`anix validate` tells what is missing or wrong.")
