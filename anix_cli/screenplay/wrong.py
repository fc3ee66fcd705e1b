"""Unknown keys and values of the wrong kind: what was probably meant."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from anix_cli.core.errors import Place
from anix_cli.core.screenplay import PathInFile

from .lookalikes import twin
from .near import nearest
from .text import Source, quoted
from .tree import Entry, Mapping, Node, Scalar, Sequence
from .wording import Schema, flow, found, name_of, short, types_of, wanted_of

_NUMBER = re.compile(r"[-+]?[0-9.]+")
_NUMBER_AND_UNIT = re.compile(r"([-+]?[0-9]+(?:\.[0-9]+)?)\s*[a-zA-Z°]+")
_TRUTHS = dict.fromkeys(("yes", "on", "y", "1", "true"), "true")
_TRUTHS |= dict.fromkeys(("no", "off", "n", "0", "false"), "false")
_CALLED = {
    "command": ("action", "text", "prompt", "do", "what", "says"),
    "duration": ("seconds", "length", "time", "duration_s", "for", "frames", "num_frames"),
    "id": ("name", "shot"),
    "character": ("who", "actor", "subject"),
    "anchor": ("start", "start_at", "position", "at"),
    "caption": ("subtitle", "subtitles", "dialogue", "dialog"),
    "negative": ("negative_prompt", "not"),
    "audio": ("sound", "music"),
    "at": ("position", "pos", "place", "location", "xyz"),
    "from": ("base", "relative_to", "placement"),
    "face": ("facing", "look_at", "yaw", "rotation"),
    "look_at": ("target", "looks_at", "aim"),
    "lens_mm": ("lens", "focal_length", "focal", "mm"),
    "fov_y_deg": ("fov", "field_of_view"),
    "degrees": ("angle", "deg"),
    "up": ("rise", "raise"),
    "file": ("path", "ply", "splat", "splats", "source"),
    "size": ("resolution", "width", "height"),
    "fps": ("frame_rate", "framerate", "rate"),
    "description": ("appearance", "about"),
    "views": ("images", "pictures", "photos"),
    "aliases": ("also", "alias", "names"),
    "motions": ("animations", "animation", "clips", "mocap", "bvh"),
}
"""Keys, each with other words for them that are not spelt alike."""
_ODD_SPACE = re.compile(r":([\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000])")
_SOUNDS = frozenset({"audio", "sound", "music", "voice"})
_DECIMAL_COMMA = re.compile(r"([-+]?[0-9]+),([0-9]+)")


class Reading(Protocol):
    """What is needed of the checker."""

    source: Source
    schema: Schema
    positions: dict[PathInFile, Place]

    def problem(self, path: PathInFile, code: str, message: str, **details: Any) -> None: ...

    def resolved(self, schema: Schema) -> Schema: ...


_LIKE: dict[type, tuple[type, ...]] = {Mapping: (dict,), Sequence: (list,), Scalar: (str, int, float)}


def example(schema: Schema, key: str | None = None, *, like: Node | None = None) -> str | None:
    """A hint made of the schema's first example, or the first of the kind of a value."""
    examples = schema.get("examples", ())
    alike = [found for found in examples if isinstance(found, _LIKE.get(type(like), (object,)))]
    if not examples:
        return None
    return f"for example {f'{key}: ' if key else ''}{flow((alike or examples)[0])}"


def unknown_key(
    reading: Reading, entry: Entry, node: Mapping, schema: Schema, path: PathInFile
) -> str | None:
    """Notes a key that does not exist here (E112), or that is no name (E104).

    Returns the key that was surely meant, if any: it is misspelt, not missing.
    """
    key = entry.key.text
    place = entry.key.source.place(entry.key.start, entry.key.end)
    note = partial(reading.source.problem_at, place)
    title = schema.get("title", "this")
    if "properties" not in schema:
        hint = f"write {key.lower()}" if _schema_takes(schema, key.lower()) else None
        note("E104", f'"{short(key)}" cannot be a name', expected=schema["patternErrorMessage"], hint=hint)
        return None
    known = schema["properties"]
    if reading.source.full:
        note("E112", f'unknown key "{short(key)}" in {title}')
        return None
    free = [name for name in known if name not in node.items]
    alike, looks = twin(key, known) or (None, None)
    near, called = alike or nearest(key, free) or nearest(key, known), _called(key, free)
    note(
        "E112",
        f'unknown key "{short(key)}" in {title}',
        expected=f"one of {', '.join(known)}",
        nearest=near,
        hint=looks if near else _meant_key(reading, entry, called, path),
    )
    beside = key.partition(":")[0] if _ODD_SPACE.search(key) else None
    return next((meant for meant in (near, called, beside) if meant in free), None)


def _called(key: str, free: Collection[str]) -> str | None:
    """The key for which this one is another word."""
    return next((right for right, words in _CALLED.items() if key.lower() in words and right in free), None)


def _schema_takes(schema: Schema, key: str) -> bool:
    return any(re.search(pattern, key) for pattern in schema.get("patternProperties", ()))


def _meant_key(reading: Reading, entry: Entry, called: str | None, path: PathInFile) -> str | None:
    key, value = entry.key.text, entry.value
    after = entry.key.source.text[entry.key.end : entry.key.end + 1]
    if (
        isinstance(value, Scalar)
        and value.kind == "null"
        and value.start == value.end
        and after in (",", "}")
        and not _ODD_SPACE.search(key)
    ):
        return "a comma ends a value inside { }: put quotes round text that contains one"
    if called == "duration" and "frames" in key and isinstance(value, Scalar):
        return f"write duration: {value.text}f"
    if called:
        return f"here it is called {called}"
    return _elsewhere(reading, key, path)


def _elsewhere(reading: Reading, key: str, path: PathInFile) -> str | None:
    """Where a key belongs that has no meaning here."""
    if odd := _ODD_SPACE.search(key):
        return f"behind the colon stands a special space (U+{ord(odd[1]):04X}): type a plain one"
    if key.lower() in _SOUNDS:
        return "write audio: into the shot in which it is heard"
    if path and path[-1] == "camera":
        moves = reading.schema["definitions"]["camera_move"]["properties"]["move"]["enum"]
        move = key if key in moves else nearest(key, moves)
        if move:
            return f"write move: {move}"
    places = [place for place, keys in _sections(reading) if key in keys]
    if places:
        return f"{key} belongs to {' or '.join(places)}"
    return None if path else "parts of your own, to reuse elsewhere, have names that begin with x-"


def _sections(reading: Reading) -> list[tuple[str, Any]]:
    root, parts = reading.schema["properties"], reading.schema["definitions"]
    tops = [(f"{key}:", reading.resolved(root[key])["properties"]) for key in ("film", "scene")]
    inner = [
        (parts[key]["title"], parts[key]["properties"])
        for key in ("character", "anchor", "placement", "shot")
    ]
    return [("the top level", root), *tops, *inner, ("camera:", parts["camera_move"]["properties"])]


@dataclass(frozen=True)
class WrongValue:
    """A value of a kind that its place does not take. ``branches`` are the schemas that it may follow."""

    reading: Reading
    node: Scalar | Mapping | Sequence
    schema: Schema
    branches: list[Schema]
    path: PathInFile

    def explain(self) -> None:
        """Notes the problem: E114, or E116, E117 where one of them says it better."""
        node = self.node
        if isinstance(node, Scalar) and node.kind == "null":
            self._say("E116", "is empty", self._empty_hint(node), expected=self.expected)
        elif isinstance(node, Scalar) and node.kind == "text" and self._takes("number", "integer"):
            self._text_for_number(node)
        elif isinstance(node, Scalar) and node.kind != "text" and self._takes_words:
            self._say("E114", f"is {found(node)}, not text", f"put quotes round it: {quoted(node.text)}")
        else:
            self._say("E114", f"is {found(node)}", self._wrong_hint(), expected=self.expected)

    @property
    def expected(self) -> str:
        return wanted_of(self.branches)

    def _takes(self, *types: str) -> bool:
        return any(types_of(branch) & set(types) for branch in self.branches)

    @property
    def _takes_words(self) -> bool:
        """Whether what is written could be meant as text: it would be taken if it stood in quotes."""
        return any(
            "string" in types_of(branch) and "enum" not in branch
            and branch.get("format", "path") == "path" and self._would_fit(branch)
            for branch in self.branches
        )  # fmt: skip

    def _would_fit(self, branch: Schema) -> bool:
        if "pattern" in branch and isinstance(self.node, Scalar):
            return re.fullmatch(branch["pattern"], self.node.text) is not None
        return "patternErrorMessage" not in branch

    @property
    def _takes_colours(self) -> bool:
        return any(branch.get("format") == "colour" for branch in self.branches)

    def _say(self, code: str, message: str, hint: str | None, *, expected: str | None = None) -> None:
        text = f"{name_of(self.path)} {message}"
        self.reading.problem(self.path, code, text, expected=expected, hint=hint)

    def _text_for_number(self, node: Scalar) -> None:
        plain = node.text.replace("_", "").strip()
        if node.plain and "_" in node.text and _NUMBER.fullmatch(plain):
            self._say("E117", f"is {node.text}, and a number has no _", f"write {plain}")
            return
        hint = None
        if not node.plain and _NUMBER.fullmatch(plain):
            hint = f"remove the quotes: {plain}"
        elif match := _NUMBER_AND_UNIT.fullmatch(plain):
            hint = f"write the number alone: {match[1]}"
        elif match := _DECIMAL_COMMA.fullmatch(plain):
            hint = f"write a decimal point: {match[1]}.{match[2]}"
        self._say("E114", f"is {found(node)}", hint, expected=self.expected)

    def _wrong_hint(self) -> str | None:
        node = self.node
        if hint := self._list_hint():
            return hint
        if self.path[-2:-1] == ("options",) and isinstance(node, Scalar):
            return (
                f"options stand under the name of a backend: {{animatic: {{{self.path[-1]}: {node.text}}}}}"
            )
        if isinstance(node, Scalar) and re.fullmatch(r"[0-9]{6}", node.text) and self._takes_colours:
            return f'write "#{node.text}"'
        if not isinstance(node, Scalar) and self._takes_words:
            begins = node.source.text[node.start : node.start + 1]
            with_sign = (
                "that begins with [ or {" if begins in ("[", "{") else "that contains a colon or a dash"
            )
            return f"put quotes round text {with_sign}"
        if isinstance(node, Scalar) and self._takes("boolean"):
            truth = _TRUTHS.get(node.text.lower())
            return f"write {truth}" if truth else None
        return example(self.schema)

    def _list_hint(self) -> str | None:
        """What to do about a list where one thing is wanted, or one thing where a list is."""
        node = self.node
        if isinstance(node, Sequence) and self.path[-1:] == ("character",):
            return "name one who acts; who acts with them is named in the command"
        if isinstance(node, Sequence) and self.path == ("scene",):
            return "a screenplay has one scene: write it without [ ] or -"
        if isinstance(node, Mapping) and self._takes("array") and any(key[:1] == "-" for key in node.items):
            return "a space is missing after the dash"
        return None

    def _empty_hint(self, node: Scalar) -> str | None:
        line = self.reading.positions[self.path].source
        if node.start == node.end and re.search(r":\s+#\S", line):
            return "# begins a comment: put quotes round text that contains one"
        if self.path and self.path[-1] == "command":
            return 'say what happens, or write command: "" for a hold'
        return example(self.schema)
