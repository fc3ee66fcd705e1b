"""The order in which clauses happen: "after", "before", "while", participles."""

from __future__ import annotations

from dataclasses import replace

from ..core.plan import Beat
from .beats import Read
from .pieces import Details

_JOINED = frozenset({"and", "comma", "next"})
_UNDER = frozenset({"after", "before", "while", "part"})


_SEEING = frozenset({"see", "hear", "look", "watch"})
"""What somebody leans or stretches for: "cranes his neck to see the stage"."""
_BESIDE_GOING = frozenset({"smile", "laugh", "cry", "sing", "whistle", "shout", "breathe", "yawn", "cough"})
"""What leads nowhere itself while somebody goes somewhere."""
_SHOWING = frozenset({"reveal", "show", "see", "find", "discover", "cover", "follow"})
"""What a camera moves for: "pulls back to reveal the crowd"."""


class Arrangement:
    """Puts clauses, in the order in which they are written, into the order in which they happen."""

    def __init__(self) -> None:
        self.ordered: list[Read] = []
        self._held: list[Read] = []
        self._main: int | None = None
        self._leading = False
        self._ahead: list[Read] = []
        self._before = ("", "")

    def add(self, read: Read) -> None:
        """The next clause as written."""
        link = self._link(read)
        if read.beat is None:
            self._details(read)
            return
        if self._ahead:
            ahead = self._ahead.pop()
            read = replace(read, beat=with_details(read.beat, ahead.details), said=[*ahead.said, *read.said])
        if not self._merged(read, link):
            self._place(read, link)

    def done(self) -> list[Beat]:
        """All beats in order; the first is in step with nothing before it."""
        self._new_sentence()
        beats = [read.beat for read in self.ordered if read.beat is not None]
        return [replace(beat, sync=None) if index == 0 else beat for index, beat in enumerate(beats)]

    def last(self) -> Read | None:
        """The clause with a beat that was added last."""
        row = self._held or self.ordered
        return row[-1] if row else None

    def drop(self, read: Read) -> None:
        """Takes a clause back."""
        if read in self._held:
            self._held.remove(read)
        elif read in self.ordered:
            index = self.ordered.index(read)
            self.ordered.remove(read)
            if self._main is not None and index <= self._main:
                self._main = self._main - 1 if self._main else None

    def swap(self, read: Read, other: Read) -> None:
        """Puts a clause in the place of another."""
        for row in (self._held, self.ordered):
            if read in row:
                row[row.index(read)] = other

    def _link(self, read: Read) -> str:
        clause = read.clause
        link = clause.link
        if link in {"sentence", "first"}:
            self._new_sentence()
        participle = clause.form == "ing" and clause.subject.kind == "none"
        under, form = self._before
        if link in _JOINED and participle and under in _UNDER and form == "ing":
            link = under
        elif participle and link in {"comma", "next", "and", "first", "sentence"} and form != "ing":
            link = link if form == "going" and link == "and" else "part"
        if read.beat is not None or read.event:
            going = clause.form == "ing" and clause.subject.kind != "none"  # "she is walking"
            self._before = (link, "going" if going else clause.form)
        return link

    def _new_sentence(self) -> None:
        self.ordered += self._held
        self._held, self._main, self._leading, self._before = [], None, False, ("", "")

    def _details(self, read: Read) -> None:
        last = self.last()
        if last is not None and last.beat is not None:
            said = [*last.said, *read.said] if last.said else []
            self.swap(last, replace(last, beat=with_details(last.beat, read.details), said=said))
        elif not read.event:
            self._ahead.append(read)

    def _place(self, read: Read, link: str) -> None:
        if read.clause.ahead:
            self._main = None  # what it goes with comes behind it
        if link == "after" and self._main is not None:
            main = self.ordered[self._main]
            self.ordered.insert(self._main, _in_step(read, main.beat is not None and main.beat.sync))
            self._main += 1
        elif link == "before" and self._main is None:
            self._held.append(read)
        elif link in {"while", "part"} and self._main is None:
            self.ordered.append(read if not self._leading else _in_step(read, True))
            self._leading = True
        elif link in {"while", "part"}:
            self.ordered.append(_in_step(read, True))
        elif link == "after":
            self.ordered.append(read)
        else:
            self.ordered.append(_in_step(read, self._leading and link != "then"))
            self._leading = False
            self._main = len(self.ordered) - 1

    def _merged(self, read: Read, link: str) -> bool:
        """ "turns to face the door" is one turn; "runs until she reaches the gate" one run."""
        last = self.last()
        if last is None or last.beat is None or read.beat is None:
            return False
        if link == "part" and read.beat.action in _BESIDE_GOING and read.beat.target:
            goes = last.beat.category == "locomotion" and not (last.beat.target or last.beat.direction)
            if goes:  # "walks smiling to the door"
                there = replace(last.beat, direction="toward", target=read.beat.target)
                self.swap(last, replace(last, beat=there))
                self._place(replace(read, beat=replace(read.beat, target=None)), link)
                return True
        beat, verb = last.beat, read.clause.lemmas
        named = beat.category == "camera" and not (
            beat.direction or beat.amount or beat.target or last.clause.verb
        )
        if named and beat.action == read.beat.action and link in _JOINED:
            self.swap(last, replace(read, said=[*last.said, *read.said]))
            return True  # "crane shot: the camera rises"
        if link == "purpose" and "face" in verb and beat.action in {"turn", "spin"}:
            turned = replace(beat, action="turn", direction=read.beat.direction, target=read.beat.target,
                             span=(beat.span[0], read.beat.span[1]))  # fmt: skip
        elif link == "purpose" and beat.category == "gesture" and set(verb) & _SEEING:
            turned = replace(beat, target=beat.target or read.beat.target,
                             span=(beat.span[0], read.beat.span[1]))  # fmt: skip
        elif link == "purpose" and beat.category == "camera" and set(verb) & _SHOWING:
            turned = replace(beat, target=beat.target or read.beat.object or read.beat.target,
                             span=(beat.span[0], read.beat.span[1]))  # fmt: skip
        elif link == "until" and read.beat.action in {"approach", "arrive"} and beat.category == "locomotion":
            turned = replace(beat, direction="toward", target=read.beat.target,
                             span=(beat.span[0], read.beat.span[1]))  # fmt: skip
        else:
            return False
        self.swap(last, replace(last, beat=turned, said=[*last.said, *read.said]))
        return True


def _in_step(read: Read, together: object) -> Read:
    if not together or read.beat is None:
        return read
    return replace(read, beat=replace(read.beat, sync="with_previous"))


def with_details(beat: Beat, extra: Details) -> Beat:
    """A beat with the details of a clause that has no verb ("runs, slowly, to the left")."""
    direction = extra.direction
    if direction == "backward" and beat.action in {"turn", "look"}:
        direction = "back"
    target = extra.target or beat.target
    if (
        extra.target
        and beat.category == "locomotion"
        and direction is None
        and beat.direction in {None, "forward"}
    ):
        direction = "toward"
    return replace(
        beat,
        direction=direction or beat.direction,
        amount=extra.amount or beat.amount,
        speed=extra.speed or beat.speed,
        side=extra.side or beat.side,
        object=beat.object or extra.object,
        target=target,
    )
