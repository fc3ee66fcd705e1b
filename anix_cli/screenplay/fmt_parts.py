"""A YAML text cut into parts that can be put into another order: values, their entries, their comments.

The text is walked from its first character to its last, with the parser's events saying how far each scalar
goes. What lies between them can only be white space, comments and the signs of YAML, so that nothing of the
text can be missed: what is met where it is not expected ends the reading with :class:`CannotFormatError`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

LeafStyle = Literal["empty", "alias", "plain", "single", "double", "block"]


class CannotFormatError(Exception):
    """Something that the formatter does not know, at a character offset of the text."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


@dataclass(slots=True)
class Event:
    """What is needed of an event of ruamel's parser; ``start`` and ``end`` are character offsets."""

    kind: str
    start: int
    end: int
    label: str | None
    tag: str | None
    style: str | None
    value: str
    flow: bool
    explicit: bool


def event_of(event: Any) -> Event:
    """An event without what it drags along."""
    return Event(
        type(event).__name__,
        event.start_mark.index,
        event.end_mark.index,
        getattr(event, "anchor", None),
        getattr(event, "tag", None),
        getattr(event, "style", None),
        getattr(event, "value", ""),
        bool(getattr(event, "flow_style", False)),
        bool(getattr(event, "explicit", False)),
    )


@dataclass(slots=True)
class Comment:
    """``text`` from its # on. ``own_line``: nothing stands before it. ``blank``: an empty line stands above.

    ``gap`` is the white space between what the comment follows on its line and the #.
    """

    text: str
    column: int
    own_line: bool
    blank: bool
    gap: str


@dataclass(slots=True)
class Part:
    """A value as written.

    Attributes:
        props: its label and tag, as written.
        before: comments between the key's colon (or the dash) and the value.
        after: the comment at the end of its last line.
        below: comments on lines of their own below it, further in than its key.
        sets, uses: labels set and used in it.
    """

    props: str = ""
    before: list[Comment] = field(default_factory=list)
    after: Comment | None = None
    below: list[Comment] = field(default_factory=list)
    sets: set[str] = field(default_factory=set)
    uses: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Leaf(Part):
    """A scalar or alias. ``lines`` without indentation; of a block scalar the first one is its header.

    ``name`` is the scalar's value, by which a key is known. ``solid``: an empty line below would be taken for
    part of the text.
    """

    style: LeafStyle = "empty"
    lines: list[str] = field(default_factory=list)
    name: str = ""
    solid: bool = False


@dataclass(slots=True)
class Entry:
    """An item of a list, or a key with its value.

    Attributes:
        lead: comment lines above it. The first one's ``blank`` is not used, but ``blank_before``.
        tail: comment lines right below it that an empty line parts from what follows.
        after: in brackets, the comment at the end of its line.
        blank_before: an empty line stands above it and its ``lead``.
        lead_blank: an empty line stands between ``lead`` and the entry.
        new_line: in brackets, it begins a line.
    """

    value: Part
    key: Leaf | None = None
    lead: list[Comment] = field(default_factory=list)
    tail: list[Comment] = field(default_factory=list)
    after: Comment | None = None
    blank_before: bool = False
    lead_blank: bool = False
    new_line: bool = False

    @property
    def sets(self) -> set[str]:
        return self.value.sets | self.key.sets if self.key else self.value.sets

    @property
    def uses(self) -> set[str]:
        return self.value.uses | self.key.uses if self.key else self.value.uses


@dataclass(slots=True)
class Group(Part):
    """A mapping (``keyed``) or a list, in block style or in brackets (``flow``).

    Attributes:
        head: comment lines at its beginning that belong to the whole of it.
        head_blank: an empty line stands below ``head``.
        trailing: comment lines at its end.
        brackets: flow only; a single pair in a list, [a: 1], has none.
        opening: flow only; the comment on the line of the opening bracket.
        close_on_new_line: flow only.
    """

    keyed: bool = False
    flow: bool = False
    entries: list[Entry] = field(default_factory=list)
    head: list[Comment] = field(default_factory=list)
    head_blank: bool = True
    trailing: list[Comment] = field(default_factory=list)
    brackets: bool = True
    opening: Comment | None = None
    close_on_new_line: bool = False

    @property
    def commented(self) -> bool:
        """Whether a comment stands between the entries."""
        notes = any(entry.after or entry.lead for entry in self.entries)
        return notes or bool(self.opening or self.trailing)


@dataclass(slots=True)
class Document:
    """A whole text. ``prefix``: the lines before ---; ``suffix``: those after ``...``, None without it."""

    prefix: list[str] = field(default_factory=list)
    marked: bool = False
    mark_comment: Comment | None = None
    head: list[Comment] = field(default_factory=list)
    head_blank: bool = False
    root: Group | None = None
    trailing: list[Comment] = field(default_factory=list)
    suffix: list[str] | None = None
    comments: list[str] = field(default_factory=list)
    """Every comment in the text, sorted."""
