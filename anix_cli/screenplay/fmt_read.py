"""Reads the parts of a YAML text: see :mod:`.fmt_parts`."""

from __future__ import annotations

import re

from .fmt_parts import CannotFormatError, Comment, Document, Entry, Event, Group, Leaf, Part
from .fmt_scan import Scanner

_LONGEST_KEY = 1000
_COMMENT_IN_LINE = re.compile(r"(?:^|(?<=[ \t]))#.*")


def read(text: str, events: list[Event]) -> Document:
    """The parts of one document.

    Args:
        text: with LF line ends, and valid.
        events: what ruamel's parser makes of it.

    Raises:
        CannotFormatError: it holds something that has no canonical form here.
    """
    return _Reader(text, events).document()


class _Reader(Scanner):
    def __init__(self, text: str, events: list[Event]) -> None:
        super().__init__(text, events)
        self.last: Part | None = None  # what ended last, if a comment on its line would be its own
        self.closed: list[tuple[int, list[Comment]]] = []  # what ended since: column and place for comments

    # Values

    def value(self, column: int, notes: list[Comment]) -> Part:
        """What follows the colon of a key, or a dash, that is in this column; ``notes`` came before it."""
        if not self.is_empty():
            return self.part(notes + self.comments(), column)
        self.at += 1
        leaf = Leaf(below=notes)
        self.ended(leaf, column)
        if notes and not notes[0].own_line:
            leaf.after = notes.pop(0)
        return leaf

    def ended(self, part: Part, column: int) -> None:
        """Notes a value that is no block collection: comments further in than its key are its own."""
        self.last = part
        self.closed = [] if isinstance(part, Leaf) and part.style == "block" else [(column + 1, part.below)]

    def part(self, notes: list[Comment], column: int) -> Part:
        if self.kind in ("ScalarEvent", "AliasEvent"):
            leaf = self.leaf(column)
            leaf.before = notes + leaf.before
            self.ended(leaf, column)
            return leaf
        if self.event.flow:
            group = self.flow()
            group.before = notes + group.before
            self.ended(group, column)
            return group
        return self.block(notes)

    # Block style

    def block(self, notes: list[Comment], *, root: bool = False) -> Group:
        event = self.event
        group = Group(keyed=self.kind == "MappingStartEvent")
        notes = notes + self.props(event, group)
        if notes and not notes[0].own_line:
            group.before = [notes.pop(0)]
        self.at += 1
        column = self.column
        blank = self.blank
        while not self.kind.endswith("EndEvent"):
            if group.entries:
                notes = self.handed_out(self.comments(), column)
                blank = self.blank
            self.last, self.closed = None, []
            entry = self.entry(group, column)
            _place(group, entry, notes, blank, root=root)
            group.entries.append(entry)
            group.sets |= entry.sets
            group.uses |= entry.uses
        self.at += 1
        self.closed.append((column, group.trailing))
        return group

    def entry(self, group: Group, column: int) -> Entry:
        if not group.keyed:
            self.accept("-")
            return Entry(self.value(column, []))
        key, extra = self.key(column)
        _, notes = self.colon()
        value = self.value(column, notes)
        return Entry(value, key, lead=extra)

    def key(self, column: int) -> tuple[Leaf, list[Comment]]:
        """A key, and the comments between a ? and it."""
        extra: list[Comment] = []
        if self.char == "?" and self.event.start > self.pos:
            self.accept("?")
            extra = self.comments()
        if self.kind not in ("ScalarEvent", "AliasEvent") or self.is_empty():
            raise CannotFormatError("this key is not a word", self.pos)
        start = self.pos
        key = self.leaf(column)
        if key.style == "block" or len(key.lines) != 1 or self.pos - start > _LONGEST_KEY:
            raise CannotFormatError("this key is not written on one line", start)
        extra, key.before = extra + key.before, []
        return key, extra

    def colon(self) -> tuple[bool, list[Comment]]:
        """Passes the colon after a key, if there is one, and the comments before it."""
        start, seen = self.pos, len(self.seen)
        notes = self.comments()
        following = self.events[self.at + self.is_empty()]
        if self.char == ":" and following.start > self.pos:
            self.accept(":")
            return True, notes
        self.pos = start
        del self.seen[seen:]
        return False, []

    def handed_out(self, notes: list[Comment], column: int) -> list[Comment]:
        """Gives comments to what ended before them, by their columns; returns those left over."""
        if notes and not notes[0].own_line and self.last is not None:
            self.last.after = notes.pop(0)
        left: list[Comment] = []
        closed = self.closed
        for note in notes:
            while closed:
                outer = closed[1][0] if len(closed) > 1 else column
                if note.column >= closed[0][0] > outer:
                    break
                closed.pop(0)
            (closed[0][1] if closed else left).append(note)
        return left

    # In brackets

    def flow(self) -> Group:
        group = Group(keyed=self.kind == "MappingStartEvent", flow=True)
        group.before = self.props(self.event, group)
        group.brackets = self.char == ("{" if group.keyed else "[")
        self.at += 1
        if not group.brackets:
            self.add_flow_entry(group)
            self.at += 1
            return group
        self.pos += 1
        while True:
            notes, broke, blank = self.flow_comments(group)
            if self.kind.endswith("EndEvent"):
                group.trailing, group.close_on_new_line = notes, broke
                self.accept("}" if group.keyed else "]")
                self.at += 1
                return group
            entry = self.add_flow_entry(group)
            entry.lead = notes + entry.lead
            entry.new_line = broke
            entry.blank_before = notes[0].blank if notes else blank
            entry.lead_blank = bool(notes) and blank

    def flow_comments(self, group: Group) -> tuple[list[Comment], bool, bool]:
        """Passes commas and comments.

        Returns the comments above the next entry, whether it begins a line, and whether a blank one precedes.
        """
        left: list[Comment] = []
        broke = False
        entry = group.entries[-1] if group.entries else None
        while True:
            for note in self.comments():
                if note.own_line:
                    left.append(note)
                elif entry is None and group.opening is None:
                    group.opening = note
                elif entry is not None and entry.after is None:
                    entry.after = note
                else:
                    left.append(note)
            broke = broke or self.broke
            if self.char != ",":
                return left, broke, self.blank
            self.accept(",")

    def add_flow_entry(self, group: Group) -> Entry:
        if group.keyed:
            key, extra = self.key(0)
            colon, notes = self.colon()
            if not colon or self.is_empty():
                self.at += 1
                entry = Entry(Leaf(), key, lead=extra + notes)
            else:
                entry = Entry(self.flow_part(notes), key, lead=extra)
        else:
            entry = Entry(self.flow_part([]))
            pair = entry.value
            if isinstance(pair, Group) and not pair.brackets:
                entry.lead, pair.entries[0].lead = pair.entries[0].lead, []
        group.entries.append(entry)
        group.sets |= entry.sets
        group.uses |= entry.uses
        return entry

    def flow_part(self, notes: list[Comment]) -> Part:
        notes = notes + self.comments()
        part = self.leaf(0) if self.kind in ("ScalarEvent", "AliasEvent") else self.flow()
        part.before = notes + part.before
        return part

    # The whole

    def document(self) -> Document:
        document = Document()
        self.at = 1  # after the start of the stream
        notes: list[Comment] = []
        if self.kind == "DocumentStartEvent":
            self.start(document)
            notes = self.comments()
            if document.marked and notes and not notes[0].own_line:
                document.mark_comment = notes.pop(0)
            if not self.is_empty():
                notes = self.root(document, notes)
        else:
            notes = self.comments()
        if document.root is None:
            document.head = notes
        else:
            left = self.handed_out(notes, -1)
            root = document.root
            (root.trailing if isinstance(root, Group) and not root.flow else document.trailing).extend(left)
        self.finish(document)
        document.comments = sorted(self.seen)
        return document

    def start(self, document: Document) -> None:
        event = self.event
        self.at += 1
        if not event.explicit:
            return
        mark = event.start
        document.prefix = [line.rstrip(" \t") for line in self.text[:mark].split("\n")[:-1]]
        self.see(document.prefix)
        self.pos = mark
        self.accept("---")
        document.marked = True

    def root(self, document: Document, notes: list[Comment]) -> list[Comment]:
        """Reads the value of the document; returns the comments after it."""
        if self.kind in ("ScalarEvent", "AliasEvent"):
            raise CannotFormatError("it holds a single value, but keys with values are expected", self.pos)
        if self.event.flow:
            document.head, document.head_blank = notes, self.blank
            root = document.root = self.flow()
            document.head += root.before
            root.before = []
            self.last = root
        else:
            document.root = self.block(notes, root=True)
        return self.comments()

    def finish(self, document: Document) -> None:
        if self.kind == "ScalarEvent":  # the empty value of an empty document
            self.at += 1
        if self.kind == "DocumentEndEvent" and self.event.explicit:
            self.accept("...")
            suffix = self.text[self.pos :].split("\n")
            document.suffix = [line.rstrip(" \t") for line in suffix]
            self.see(document.suffix)
            if any(line.strip(" ") and not line.lstrip(" ").startswith("#") for line in document.suffix):
                raise self.unknown("nothing but comments is expected here")
        elif self.pos != len(self.text):
            raise self.unknown("this is not expected here")

    def see(self, lines: list[str]) -> None:
        self.seen += [match.group() for line in lines for match in _COMMENT_IN_LINE.finditer(line)]


def _place(group: Group, entry: Entry, notes: list[Comment], blank: bool, *, root: bool) -> None:
    """Gives the comment lines between two entries to the one before, to the next, or to the group."""
    extra, entry.lead = entry.lead, []  # what stood between a ? and its key
    parted = [number for number, note in enumerate(notes) if number and note.blank]
    if blank and notes:
        parted.append(len(notes))
    if not group.entries:
        cut = parted[-1] if parted else (len(notes) if root else 0)
        group.head, entry.lead = notes[:cut], notes[cut:]
        group.head_blank = bool(parted)
    else:
        cut = parted[0] if parted and not notes[0].blank else 0
        group.entries[-1].tail, entry.lead = notes[:cut], notes[cut:]
        entry.blank_before = entry.lead[0].blank if entry.lead else blank
    entry.lead_blank = bool(entry.lead) and blank
    entry.lead += extra
