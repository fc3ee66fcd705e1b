"""``extends:``: files that a screenplay takes over, merged as trees, so that each value keeps its place."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from anix_cli.core.errors import AnixError, Place
from anix_cli.core.screenplay import PathInFile

from .check import Checker
from .files import missing, shown
from .syntax import parse
from .text import MAX_BYTES, Source, decode, in_file_order, read_bytes
from .tree import MAX_NODES, Entry, Mapping, Node, Scalar, Sequence, is_blank
from .values import WrittenPath
from .wording import Schema, short

MOST_FILES = 32
DEEPEST = 8
_LOOKS = frozenset({"views", "sheet", "model"})
_SUFFIXES = (".yaml", ".yml", ".json")
"""Messages show lines of the files that are read, so that none but screenplays are."""


@dataclass
class Family:
    """A screenplay with all files that it takes over.

    Attributes:
        schema: of a whole screenplay.
        files: what was read, the screenplay itself first.
        bytes: of all of them.
        complete: whether all files that are named were there.
    """

    source: Source
    schema: Schema
    files: list[Path] = field(default_factory=list)
    bytes: int = 0
    complete: bool = True

    def whole(self, root: Node) -> Node:
        """The tree of the screenplay with those that it extends merged in.

        Raises:
            AnixError: E102 … E111 and E136, of whichever file. One that is not there is noted only (E131,
                E135), so that all else that is wrong is told as well.
        """
        self.files.append(self.source.path)
        self.bytes = len(self.source.text)
        if isinstance(root, Mapping):
            root = self._whole(root, (self.source.path.resolve(),))
        if root.size > MAX_NODES:
            self.source.problem(
                "E110", f"with what it extends, the screenplay has more than {MAX_NODES} values", None
            )
        if self.complete:
            self.source.raise_errors()
        return root

    def _whole(self, root: Mapping, chain: tuple[Path, ...]) -> Mapping:
        written = root.items.get("extends")
        if written is None:
            return root
        before = len(self.source.problems)
        Checker(self.source, self.schema).read_key(root, "extends")
        self.source.raise_errors(before)
        named = written.value.items if isinstance(written.value, Sequence) else [written.value]
        base: Mapping | None = None
        for node in named:
            if isinstance(node, Scalar):
                part = self._part(node, chain)
                base = merged(base, part) if base and part else part or base
        return merged(base, root) if base else root

    def _part(self, node: Scalar, chain: tuple[Path, ...]) -> Mapping | None:
        """One file taken over, itself with those that it extends; None if it is not there."""
        source = node.source
        place, written = source.place(node.start, node.end), WrittenPath(node.text, source.folder)
        trouble = missing(written, "screenplay")
        if trouble is not None:
            code, message, details = trouble
            source.problem_at(place, code, message, **details)
            self.complete = False
            return None
        path, text = written.path, short(node.text)
        if path.resolve().suffix.lower() not in _SUFFIXES:
            other = f'"{text}" is not a screenplay by its name'
            details = {"expected": "a file that ends in .yaml or .yml", "hint": f"see {shown(path)}"}
            raise _refused(source, place, "E135", other, **details)
        self._limits(text, path, chain, place)
        try:
            data = read_bytes(path)
        except AnixError as error:
            raise _refused(
                self.source, place, "E131", error.diagnostics[0].message, hint=f"see {shown(path)}"
            ) from None
        self.files.append(path)
        self.bytes += len(data)
        if self.bytes > MAX_BYTES:
            limit = f"the files of this screenplay are larger than {MAX_BYTES >> 20} MiB together"
            raise _refused(source, place, "E110", limit)
        root = parse(decode(path, data, source.problems))
        if root is None or is_blank(root):
            hint = "write anix: 1 and what is shared into it, or do not extend it"
            raise _refused(source, place, "E102", f'"{text}", which this extends, is empty', hint=hint)
        if not isinstance(root, Mapping):
            raise _refused(
                source, place, "E114", f'"{text}", which this extends, is not a screenplay: no keys'
            )
        whole = self._whole(root, (*chain, path.resolve()))
        Checker(self.source, self.schema).read_key(root, "anix")
        return _to_take(whole)

    def _limits(self, text: str, path: Path, chain: tuple[Path, ...], place: Place) -> None:
        source = self.source
        if path.resolve() in chain:
            circle = " extends ".join([*(file.name for file in chain), path.name])
            hint = "remove the extends: that leads back"
            raise _refused(source, place, "E136", f"files extend each other in a circle: {circle}", hint=hint)
        if len(chain) >= DEEPEST or len(self.files) >= MOST_FILES:
            limit = f"at most {MOST_FILES} files, {DEEPEST} deep"
            hint = "put what belongs together into one file"
            raise _refused(source, place, "E136", f'"{text}" is one file too many: {limit}', hint=hint)


def _refused(source: Source, place: Place, code: str, message: str, **details: str | None) -> AnixError:
    """What ends the reading: this problem, with those noted before."""
    source.problem_at(place, code, message, **details)
    return AnixError(in_file_order(source.problems, source.path))


def _to_take(root: Mapping) -> Mapping:
    """What others take over of a screenplay: all but its version, its ``extends`` and its ``x-`` parts."""
    own = {key for key in root.items if key in ("anix", "extends") or key.startswith("x-")}
    return replace(root, items={key: entry for key, entry in root.items.items() if key not in own})


def merged(base: Mapping, own: Mapping, path: PathInFile = ()) -> Mapping:
    """``own`` over ``base``: mappings are merged key by key; lists, anchors, cameras and camera moves are
    replaced as a whole, since their keys make sense only together. A character's looks are given one way:
    ``model:`` over ``views:`` takes their place."""
    items = dict(base.items)
    if len(path) == 2 and path[0] == "characters" and not _LOOKS.isdisjoint(own.items):
        items = {key: entry for key, entry in items.items() if key not in _LOOKS or key in own.items}
    for key, entry in own.items.items():
        value, before = entry.value, items[key].value if key in items else None
        inside = (*path, key)
        if isinstance(before, Mapping) and isinstance(value, Mapping) and not _is_whole(inside):
            value = merged(before, value, inside)
        items[key] = Entry(entry.key, value)
    size = 1 + sum(1 + entry.value.size for entry in items.values())
    depth = 1 + max((entry.value.depth for entry in items.values()), default=0)
    return Mapping(own.source, own.start, own.end, items, size, depth)


def _is_whole(path: PathInFile) -> bool:
    return path == ("defaults", "camera") or (len(path) == 2 and path[0] in ("anchors", "cameras"))
