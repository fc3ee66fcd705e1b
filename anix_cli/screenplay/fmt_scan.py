"""Passes over a YAML text piece by piece: white space, comments, properties and scalars."""

from __future__ import annotations

import re

from .fmt_parts import CannotFormatError, Comment, Event, Leaf, LeafStyle, Part

_TRIVIA = re.compile("[ \t]+|\n|#[^\n\u2028\u2029]*")
_PROPERTY = re.compile(r"!<[^>]*>|[&!][^\s,\[\]{}]*")
_HEADER = re.compile(r"([|>])([-+0-9]*)([ \t]*)(#[^\n]*)?[ \t]*(?:\n|$)")
_STYLES: dict[str | None, LeafStyle] = {None: "plain", "": "plain", "'": "single", '"': "double"}
_MARK = "\ufeff"
_INVISIBLE = f"{_MARK}\u2028\u2029"


class Scanner:
    """Passes the pieces of a text one by one, side by side with the parser's events."""

    def __init__(self, text: str, events: list[Event]) -> None:
        self.text = text
        self.events = events
        self.at = 0
        self.pos = 0
        self.blank = False  # an empty line stands before pos
        self.broke = False  # the last white space held a line end
        self.seen: list[str] = []

    # Where the reading stands

    @property
    def event(self) -> Event:
        return self.events[self.at]

    @property
    def kind(self) -> str:
        return self.events[self.at].kind

    @property
    def char(self) -> str:
        return self.text[self.pos : self.pos + 1]

    @property
    def column(self) -> int:
        return self.pos - (self.text.rfind("\n", 0, self.pos) + 1)

    def accept(self, sign: str) -> None:
        if not self.text.startswith(sign, self.pos):
            raise self.unknown(f"{sign} is expected here")
        self.pos += len(sign)

    def begin(self, event: Event) -> None:
        if event.start != self.pos:
            raise self.unknown("this is not expected here")
        if self.char == _MARK:
            raise self.unknown("")

    def unknown(self, reason: str) -> CannotFormatError:
        if self.char in _INVISIBLE and self.char:
            reason = f"an invisible character (U+{ord(self.char):04X}) stands here; delete it"
        return CannotFormatError(reason, self.pos)

    # White space, comments, properties

    def comments(self) -> list[Comment]:
        """Passes white space and comments."""
        found: list[Comment] = []
        fresh = self.pos == 0 or self.text[self.pos - 1] == "\n"
        breaks, gap = int(fresh), ""
        self.broke = self.blank = False
        while match := _TRIVIA.match(self.text, self.pos):
            piece = match.group()
            if piece[0] == "\n":
                breaks, fresh, gap = breaks + 1, True, ""
                self.broke = True
            elif piece[0] == "#":
                words = piece.rstrip(" \t")
                found.append(Comment(words, self.column, fresh, breaks > 1, gap))
                self.seen.append(words)
                breaks = 0
            else:
                gap = piece
            self.pos = match.end()
        self.blank = breaks > 1
        return found

    def props(self, event: Event, part: Part) -> list[Comment]:
        """Passes a label and a tag, and what stands between them and the value."""
        if event.label:
            part.sets.add(event.label)
        if event.label is None and event.tag is None:
            return []
        self.begin(event)
        found: list[Comment] = []
        words: list[str] = []
        count = (event.label is not None) + (event.tag is not None)
        while len(words) < count and (match := _PROPERTY.match(self.text, self.pos)):
            words.append(match.group())
            self.pos = match.end()
            if event.kind == "ScalarEvent" and self.pos >= event.end:
                break
            found += self.comments()
        part.props = " ".join(words)
        return found

    def is_empty(self) -> bool:
        event = self.event
        return (
            self.kind == "ScalarEvent"
            and event.start == event.end
            and event.label is None
            and event.tag is None
        )

    def leaf(self, column: int) -> Leaf:
        event = self.event
        self.begin(event)
        leaf = Leaf()
        end = event.end
        self.at += 1
        if event.kind == "AliasEvent":
            leaf.style, leaf.lines = "alias", [self.text[self.pos : end]]
            leaf.uses = {event.label} if event.label else set()
        else:
            leaf.before = self.props(event, leaf)
            leaf.name = event.value
            if event.style in ("|", ">"):
                return self.block_scalar(event, leaf, column)
            if self.pos < end:
                leaf.style = _STYLES[event.style]
                leaf.lines = _unindented(self.text[self.pos : end], leaf.style)
        self.pos = end
        return leaf

    def block_scalar(self, event: Event, leaf: Leaf, column: int) -> Leaf:
        header = _HEADER.match(self.text, self.pos)
        if header is None:
            raise CannotFormatError("this block of text begins in an unknown way", self.pos)
        sign, modifiers, gap, comment = header.groups()
        content = self.text[header.end() : event.end]
        if odd := re.search("[\u2028\u2029]", content):
            self.pos = header.end() + odd.start()
            raise self.unknown("")
        raw = content.removesuffix("\n").split("\n") if content else []
        digit = re.search("[1-9]", modifiers)
        indent = column + int(digit.group()) if digit else _indent(raw)
        lines = [line[indent:] for line in raw]
        chomping = modifiers.strip("0123456789")
        if chomping != "+":
            while lines and not lines[-1]:
                lines.pop()
        if event.value and not event.value.endswith("\n"):
            chomping = "-"  # the text ended without a line end, and will have one
        leaf.style, leaf.solid = "block", chomping == "+"
        title = sign + ("2" if digit else "") + chomping
        if comment:
            words = comment.rstrip(" \t")
            self.seen.append(words)
            title += spaces(gap) + words
        leaf.lines = [title, *lines]
        self.pos = event.end
        if not leaf.solid:  # empty lines below are none of its own
            self.pos = header.end() + (sum(len(line) + 1 for line in raw[: len(lines)]) - 1 if lines else 0)
        return leaf


def spaces(gap: str) -> str:
    """The white space before a comment at the end of a line: as written, where it is spaces."""
    return gap if gap and not gap.strip(" ") else "  "


def _indent(lines: list[str]) -> int:
    """The indentation of a block of text: that of its first line that is not empty."""
    first = next((line for line in lines if line.strip(" ")), "")
    return len(first) - len(first.lstrip(" ")) if first else max(map(len, lines), default=0)


def _unindented(text: str, style: LeafStyle) -> list[str]:
    """The lines of a scalar without the white space around each, which does not count."""
    lines = text.split("\n")
    if len(lines) == 1:
        return lines
    last = len(lines) - 1
    return [_inner(line, number, last, style) for number, line in enumerate(lines)]


def _inner(line: str, number: int, last: int, style: LeafStyle) -> str:
    if number:
        line = line.lstrip(" \t")
    if number == last:
        return line
    stripped = line.rstrip(" \t")
    slashes = len(stripped) - len(stripped.rstrip("\\"))
    if style == "double" and slashes % 2 and stripped != line:
        return line[: len(stripped) + 1]  # a backslash keeps the white space after it
    return stripped
