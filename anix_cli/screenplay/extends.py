"""``extends:``: files that a screenplay takes over, merged as trees, so that each value keeps its place."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from anix_cli.core.errors import AnixError, Diagnostic, Place
from anix_cli.core.screenplay import PathInFile

from .near import sibling
from .syntax import parse
from .text import MAX_BYTES, Source, decode, in_file_order, read_bytes
from .tree import MAX_NODES, Entry, Mapping, Node, Scalar, Sequence

MOST_FILES = 32
DEEPEST = 8
_WHOLE = frozenset({"camera", "transition"})
"""Mappings whose keys make sense only together."""


@dataclass
class Family:
    """A screenplay with all files that it takes over.

    Attributes:
        files: what was read, the screenplay itself first.
        bytes: of all of them.
    """

    source: Source
    files: list[Path] = field(default_factory=list)
    bytes: int = 0

    def whole(self, root: Node) -> Node:
        """The tree of the screenplay with those that it extends merged in.

        Raises:
            AnixError: E102 … E111 and E136, of whichever file.
        """
        self.files.append(self.source.path)
        self.bytes = len(self.source.text)
        if isinstance(root, Mapping):
            root = self._whole(root, (self.source.path.resolve(),))
        if root.size > MAX_NODES:
            self.source.problem(
                "E110", f"with what it extends, the screenplay has more than {MAX_NODES} values", None
            )
        self.source.raise_errors()
        return root

    def _whole(self, root: Mapping, chain: tuple[Path, ...]) -> Mapping:
        written = root.items.get("extends")
        if written is None:
            return root
        named = written.value.items if isinstance(written.value, Sequence) else [written.value]
        base: Mapping | None = None
        for node in named:
            if isinstance(node, Scalar) and node.kind == "text" and node.text:
                part = self._part(node, chain)
                base = merged(base, part) if base else part
        return merged(base, root) if base else root

    def _part(self, node: Scalar, chain: tuple[Path, ...]) -> Mapping:
        """One file taken over, itself with those that it extends."""
        source = node.source
        place = source.place(node.start, node.end)
        path = source.folder / node.text
        self._limits(node.text, path, chain, place)
        data = _read(path, node.text, place, source)
        self.files.append(path)
        self.bytes += len(data)
        if self.bytes > MAX_BYTES:
            raise _refused(source, place, "E110", "the files of this screenplay pass 4 MiB together")
        part = decode(path, data, source.problems)
        root = parse(part)
        if root is None:
            raise _refused(source, place, "E102", f'"{node.text}", which this extends, is empty')
        if not isinstance(root, Mapping):
            raise _refused(source, place, "E114", f'"{node.text}" holds no mapping of keys')
        return _to_take(self._whole(root, (*chain, path.resolve())))

    def _limits(self, text: str, path: Path, chain: tuple[Path, ...], place: Place) -> None:
        source = self.source
        if path.resolve() in chain:
            circle = " extends ".join([*(file.name for file in chain), path.name])
            raise _refused(source, place, "E136", f"a circle: {circle}", "remove one extends:")
        if len(chain) >= DEEPEST or len(self.files) >= MOST_FILES:
            limit = f"at most {MOST_FILES} files, {DEEPEST} deep"
            raise _refused(source, place, "E136", f'"{text}" is one file too many: {limit}')


def _refused(source: Source, place: Place, code: str, message: str, hint: str | None = None) -> AnixError:
    """What ends the reading: this problem, with those noted before."""
    source.problem_at(place, code, message, hint=hint)
    return AnixError(in_file_order(source.problems, source.path))


def _read(path: Path, text: str, place: Place, source: Source) -> bytes:
    """The bytes of a file that is extended; what keeps it from being read is said where it is named."""
    if any(ord(sign) < 32 or 127 <= ord(sign) < 160 for sign in text):
        return b"{}"  # the path's own check says it
    try:
        return read_bytes(path)
    except AnixError as error:
        reason = error.diagnostics[0].message
        near = sibling(path, text)
        said = f'"{text}", which this extends, cannot be read: {reason}'
        source.problems.append(
            Diagnostic(
                "E131", said, file=place.file, span=place.span, source=place.source, nearest=near,
                hint=f"tried {path}",
            )
        )  # fmt: skip
        source.raise_errors()
        raise


def _to_take(root: Mapping) -> Mapping:
    """What others take over of a screenplay: all but its own parts for YAML anchors, and its ``extends``."""
    return replace(
        root,
        items={
            key: entry for key, entry in root.items.items() if key != "extends" and not key.startswith("x-")
        },
    )


def merged(base: Mapping, own: Mapping, path: PathInFile = ()) -> Mapping:
    """``own`` over ``base``: mappings are merged key by key; lists, anchors, cameras, camera moves and
    transitions are replaced as a whole."""
    items = dict(base.items)
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
    return path[-1] in _WHOLE or (len(path) == 2 and path[0] in ("anchors", "cameras"))
