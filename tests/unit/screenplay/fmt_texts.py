"""Screenplays written in every way that YAML allows, with comments that say where they belong."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

KEYS: dict[str, list[str]] = {
    "": ["anix", "title", "x-base", "film", "scene", "characters", "anchors", "defaults", "shots", "colour"],
    "film": ["size", "fps", "seed", "grain"],
    "scene": ["file", "up", "scale", "origin"],
    "characters": ["zoe", "abe", "mira"],
    "characters.*": ["views", "height", "description"],
    "characters.*.views": ["front", "left", "right", "back"],
    "anchors": ["well", "door", "arch"],
    "anchors.*": ["at", "face"],
    "defaults": ["character", "camera", "duration"],
    "shots.*": ["id", "command", "cut", "character", "anchor", "camera", "duration", "later"],
    "shots.*.camera": ["move", "degrees", "direction", "up"],
}
"""Keys of the places where mappings stand, each place's in the order of the schema, unknown ones last."""

NAMES = ("characters", "anchors")
"""Where keys are names, whose order is the author's."""


@dataclass
class Written:
    """A text, and the comments in it: ``above`` a line of text that a word of it tells, or ``beside`` one."""

    text: str = ""
    above: dict[str, str] = field(default_factory=dict)
    beside: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)

    @property
    def comments(self) -> list[str]:
        return [*self.above, *self.beside, *self.others]


class Author:
    """Writes with what chance gives: order, indentation, style, comments, empty lines."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.count = 0
        self.written = Written()
        self.lines: list[str] = []
        self.labelled = False

    def maybe(self, likely: float = 0.3) -> bool:
        return self.chance.random() < likely

    def new(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def write(self) -> Written:
        flow = self.maybe(0.1)
        self.labelled = not flow and self.maybe()
        root: dict[str, Any] = {}
        for key in self.chosen("", least=2):
            root[key] = self.value(key)
        if self.maybe():
            self.lines += self.other("# yaml-language-server: head", "")
        if self.maybe(0.2):
            self.lines.append("---")
        if flow:
            self.lines.append("")
            self.lines.append(self.flow(root))
        else:
            if self.labelled:
                self.lines.append("x-base: &base {cut: false, later: [1, 2]}")
            self.mapping(root, 0, top=True)
        if self.maybe():
            self.lines += self.other("# end", "")
        ending = self.chance.choice(["", "\n", "\n\n"])
        text = "\n".join(self.lines) + ending
        self.written.text = text if self.maybe(0.8) else text.replace("\n", "\r\n")
        return self.written

    def chosen(self, place: str, least: int = 1) -> list[str]:
        keys = [key for key in KEYS[place] if key != "x-base"]
        return self.chance.sample(keys, self.chance.randint(min(least, len(keys)), len(keys)))

    def value(self, place: str) -> Any:
        if place == "shots":
            return [self.group("shots.*") for _ in range(self.chance.randint(1, 3))]
        if place in NAMES:
            return {name: self.group(f"{place}.*") for name in self.chosen(place)}
        if place in KEYS:
            return self.group(place)
        if self.maybe(0.2):
            return [self.new("v") for _ in range(self.chance.randint(1, 3))]
        return self.new("v")

    def group(self, place: str) -> dict[str, Any]:
        content = {key: self.value(f"{place}.{key}") for key in self.chosen(place)}
        if place == "shots.*" and self.labelled and self.maybe(0.5):
            content["<<"] = "*base"
            content = dict(self.chance.sample(list(content.items()), len(content)))
        return content

    def mapping(self, content: dict[str, Any], column: int, *, top: bool = False, compact: str = "") -> None:
        for number, (key, value) in enumerate(content.items()):
            first = number == 0
            prefix = compact if first and compact else " " * column
            if not (first and (compact or top)):
                if self.maybe(0.15) and not first:
                    self.lines.append("")
                if self.maybe(0.2):
                    self.above(key, value, column)
            self.entry(f"{prefix}{key}:", key, value, column)
        if self.maybe(0.1) and not top:
            self.lines += self.other("# end of", " " * column)

    def entry(self, prefix: str, key: str, value: Any, column: int) -> None:
        inner = column + self.chance.randint(1, 5)
        if value == "*base":
            self.lines.append(f"{prefix} {value}")
        elif isinstance(value, str):
            self.scalar(prefix, value, column)
        elif self.maybe(0.4):
            self.lines.append(f"{prefix}{self.gap()}{self.flow(value)}")
            self.beside(_first(value) if "\n" not in self.lines[-1] else "")
        else:
            self.lines.append(prefix)
            if self.maybe(0.2):
                self.beside(key)
            if isinstance(value, dict):
                self.mapping(value, inner)
            else:
                self.items(value, self.chance.choice([column, inner]))

    def items(self, content: list[Any], column: int) -> None:
        for item in content:
            if self.maybe(0.15) and item is not content[0]:
                self.lines.append("")
            if self.maybe(0.2):
                self.lines += self.other("# item", " " * column)
            dash = " " * column + "-" + " " * self.chance.randint(1, 4)
            if isinstance(item, str):
                self.scalar(dash.rstrip(), item, column)
            elif self.maybe(0.4):
                self.lines.append(dash + self.flow(item))
            else:
                self.mapping(item, len(dash), compact=dash)

    def scalar(self, prefix: str, word: str, column: int) -> None:
        style = self.chance.randint(0, 6)
        deep = "\n" + " " * (column + self.chance.randint(1, 4))
        if style == 0:
            lines = f"{self.gap()}'{word}  it''s'"
        elif style == 1:
            lines = f'{self.gap()}"{word} \\"q\\" é\\n"'
        elif style == 2:
            lines = f"{self.gap()}{word} goes{deep}on{deep}here"
        elif style == 3:
            head = self.chance.choice(["|", ">-", "|-", ">"])
            lines = f"{self.gap()}{head}{deep}{word} a{deep}  b # no comment"
        elif style == 4:
            lines = f'{self.gap()}"{word} and{deep}more"'
        else:
            lines = f"{self.gap()}{word}{self.chance.choice(['', ' 0.50', ' a:b #x'.replace(' #', '#')])}"
        self.lines.append(prefix + lines)
        if "\n" not in lines and self.maybe(0.3):
            self.beside(word)

    def flow(self, value: Any) -> str:
        if isinstance(value, str):
            styles = [value, f"'{value}'", f'"{value}"', f"{value} 1e-3"]
            return value if value == "*base" else self.chance.choice(styles)
        broken = self.maybe(0.15)
        if isinstance(value, dict):
            pieces = [f"{key}: {self.flow(item)}" for key, item in value.items()]
        else:
            pieces = [self.flow(item) for item in value]
        text = "".join(
            (self.comma(broken) if number else self.space(broken)) + piece
            for number, piece in enumerate(pieces)
        )
        ending = self.chance.choice(["", " ", ","]) + self.space(broken)
        return f"{{{text}{ending}}}" if isinstance(value, dict) else f"[{text}{ending}]"

    def comma(self, broken: bool) -> str:
        if not broken:
            return self.chance.choice([",", ", ", " , ", ",  "])
        space = self.space(broken)
        return self.chance.choice([f",{space}", f"{space}, "])

    def space(self, broken: bool) -> str:
        """White space in brackets; where they are ``broken``, with line ends and comments in it."""
        if not broken or self.maybe(0.4):
            return self.chance.choice(["", " "])
        comment = f" {self.other('# in brackets', '')[0]}" if self.maybe() else ""
        return comment + self.chance.choice(["\n", "\n", "\n\n"]) + " " * 60

    def gap(self) -> str:
        return " " * self.chance.choice([1, 1, 1, 2, 5])

    def above(self, key: str, value: Any, column: int) -> None:
        comment = f"# {self.new('above')}"
        self.written.above[comment] = f"{key}:"
        self.lines.append(" " * column + comment)

    def beside(self, word: str) -> None:
        if not word or self.lines[-1].count("\n"):
            return
        comment = f"# {self.new('beside')}"
        self.written.beside[comment] = word
        self.lines[-1] += self.gap() + comment

    def other(self, text: str, indent: str) -> list[str]:
        comment = f"{text} {self.new('other')}"
        self.written.others.append(comment)
        return [indent + comment, *([""] if indent == "" and self.maybe(0.5) else [])]


def _first(value: Any) -> str:
    while not isinstance(value, str):
        value = next(iter(value.values() if isinstance(value, dict) else value))
    return value
