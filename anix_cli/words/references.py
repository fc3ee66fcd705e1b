"""What pronouns and "again" stand for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..core.plan import Amount, Beat
from .amounts import counts
from .beats import Read
from .clause import Clause
from .lexicon import lexicon
from .tokens import Token

Refuse = Callable[[str, Token, tuple[str, ...]], None]
_OFTEN = 20
"""How often at most several actions are repeated."""
_TAKING = frozenset({
    "take", "take_out", "pick_up", "grab", "catch", "lift", "get", "fetch", "find", "pick", "buy", "receive",
    "accept", "steal", "borrow", "obtain",
})  # fmt: skip
"""After these, somebody has the thing in hand."""
_DO = frozenset({"do", "does", "did", "doing"})
_AGAIN = frozenset({"again", "once_more", "one_more_time"})


class References:
    """Remembers what a command has named so far."""

    def __init__(self, before: Sequence[Beat] = ()) -> None:
        self._things: list[str] = []
        self._aims: list[str] = []
        self._events: list[str] = []
        self._happened = ""
        self._last: Beat | None = None
        self._before = [replace(beat, start=0, frames=0) for beat in before if beat.category != "camera"]
        self.recalled = False
        self._part: tuple[str, str | None] = ("", None)

    def mention(self, read: Read) -> None:
        """A clause that is cancelled: what it names may be meant later all the same."""
        if read.beat is not None and read.beat.object and read.beat.object not in self._things:
            self._things.append(read.beat.object)
        if read.beat is not None and read.beat.target and read.beat.target not in self._aims:
            self._aims.append(read.beat.target)  # "don't run to the door, walk to it"

    def corrected(self, old: Beat, new: Beat | None) -> None:
        """What a correction takes back is meant no more: "to the door, no, to the window, and open it"."""
        if new is None:
            return
        kept = {new.object, new.target}
        for known, name in ((self._things, old.object), (self._aims, old.target)):
            if name in known and name not in kept:
                known.remove(name)
        self._remember(new)

    def repeats(self, clause: Clause) -> bool:
        """Whether a clause only points to an action said elsewhere."""
        return _repeats(clause) is not None

    def resolve(self, read: Read, refuse: Refuse) -> Read | None:
        """The clause with the thing that its pronoun stands for, where that is one only; None where it can't
        be found, after telling so."""
        if (word := _repeats(read.clause)) is not None:
            return self._again(read, word, refuse)
        if read.unknown is not None:
            return None
        if read.event:
            self._remember_event(read)
            return read
        if read.beat is None:
            return read
        self._happened, just = "", self._happened
        pronoun = read.details.pronoun
        if pronoun is not None and read.details.aimed:
            return self._aimed(read, read.beat, pronoun, refuse)
        if pronoun is not None and read.beat.object is None:
            found = self._candidates(just)
            if pronoun.text == "it":
                found = [part for thing in found for part in thing.split(" and ")]
            held = read.beat.category == "gesture" or read.beat.action in {"hold", "keep", "drop", "extend"}
            if not found and self._part[0] and held:
                lowered = replace(
                    read.beat, category="gesture", side=self._part[1]
                )  # "raises her arm and lowers it"
                self._last = lowered
                return replace(read, beat=lowered)
            taken = self._last.object if self._last is not None and self._last.action in _TAKING else None
            if taken is not None and taken in found and pronoun.text == "it":
                found = [taken]  # "opens a jar, takes out a pickle and eats it"
            if len(found) != 1 and not (len(found) > 1 and pronoun.text in {"them", "these", "those"}):
                refuse("unresolved_reference", pronoun, tuple(found))
                return None
            read = replace(read, beat=replace(read.beat, object=" and ".join(found)))
        self._remember(read.beat)
        if read.details.part and read.beat is not None:
            self._part = (read.details.part, read.beat.side)
        return read

    def _aimed(self, read: Read, beat: Beat, pronoun: Token, refuse: Refuse) -> Read | None:
        """ "Looks at the tower, then walks to it": the place that was named last; none where only things
        were."""
        places = [name for name in self._aims if name not in self._events]
        if places:
            read = replace(read, beat=replace(beat, target=places[-1]))
        elif not self._things:
            refuse("unresolved_reference", pronoun, ())
            return None
        self._remember(read.beat)
        return read

    def _candidates(self, just: str) -> list[str]:
        """What a pronoun may stand for: things that something is done to, or what just happened (``just``) by
        itself; else, beside places, the last that was named."""
        found = [*self._things, *([just] if just else [])]
        if not found:
            found = self._aims[-1:] if self._events else self._aims
        return list(dict.fromkeys(found))

    def _again(self, read: Read, word: Token, refuse: Refuse) -> Read | None:
        """ "Do it again": the action before, once more, or all of the shot before."""
        self.recalled = self.recalled or self._last is None
        meant = self._before if self._last is None else [self._last]
        if not meant:
            refuse("unresolved_reference", word, ())
            return None
        amount, speed, tokens = read.details.amount, read.details.speed, read.clause.tokens
        if len(meant) > 1 and amount is not None and amount.unit == "times":
            meant, amount = meant * min(max(int(amount.value), 1), _OFTEN), None
        span = (min(token.start for token in tokens), max(token.end for token in tokens))
        first, *more = (
            replace(beat, amount=amount or beat.amount, span=span, speed=speed or beat.speed)
            for beat in meant
        )
        self._last = self._last or [first, *more][-1]
        return replace(read, beat=first, more=more, unknown=None, said=[])

    def _remember_event(self, read: Read) -> None:
        token = read.clause.subject.token
        if token is not None and read.clause.subject.kind == "thing" and token.text != "it":
            self._happened = token.text.replace("_", " ")
            self._events.append(self._happened)
            self._aims.append(self._happened)

    def _remember(self, beat: Beat | None) -> None:
        if beat is None:
            return
        self._last = beat
        if beat.object and beat.category != "object":
            self._aims.append(beat.object)  # "sits on the edge"
        elif beat.object and beat.object not in self._things:
            self._things.append(beat.object)
        if beat.target and beat.target not in self._aims:
            self._aims.append(beat.target)


def _repeats(clause: Clause) -> Token | None:
    """The word of a clause that points to an action said elsewhere: "the same", "repeat that", "do it
    again"."""
    words = lexicon()
    verb = clause.verb or clause.unknown
    for token in clause.tokens + ([clause.unknown] if clause.unknown else []):
        if token.text in words.closed["repeat"] and (
            token.text != "same" or verb is None or verb.text in _DO
        ):
            return token
    if verb is None:
        return _once_more(clause)
    if verb.text not in _DO:
        return None
    pronouns = [token for token in clause.rest if token.text in {"it", "that", "this", "so"}]
    again = [token for token in clause.rest if token.text in words.closed["again"]]
    return next(iter(again + pronouns), None)


def _once_more(clause: Clause) -> Token | None:
    """ "Again, only slower", "one more time": nothing but that."""
    words, said = lexicon(), clause.tokens
    loose = all(
        token.kind == "mark" or any(words.has(kind, token.text) for kind in ("again", "speed", "lead", "and"))
        for token in said
    )
    return next((token for token in said if token.text in _AGAIN), None) if loose else None


def counted_on(read: Read, reads: list[Read]) -> Read:
    """A number without a unit has that of the beat before: "walk three steps, turn, walk two more"."""
    bare, beat = read.details.bare, read.beat
    units = [one.beat.amount.unit for one in reads if one.beat is not None and one.beat.amount is not None]
    if not bare or beat is None or beat.amount is not None or not units or units[-1] in {"deg", "times"}:
        return read
    details = replace(read.details, lost=[lost for lost in read.details.lost if not counts(lost.text)])
    if len(details.lost) == len(read.details.lost):
        return read
    return replace(read, beat=replace(beat, amount=Amount(bare, units[-1])), details=details)
