"""From a command to ordered beats, by rules: nothing is dropped in silence, nothing is guessed.

Tokens → clauses (:mod:`.splitting`) → a beat for each (:mod:`.beats`) → what is cancelled or corrected is
taken out (here) → their order (:mod:`.order`) → what pronouns stand for (:mod:`.references`). Left and right
are the character's own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from ..core.plan import Beat
from .beats import Read, place_of, read_clause, still, still_camera
from .cancelling import Cancelling, corrected_by
from .chunks import items_of
from .clause import Clause, Subject
from .gaps import gapped
from .language import foreign
from .lexicon import lexicon
from .meaning import Guess
from .names import Names, with_names
from .near import near_forms, near_names
from .order import Arrangement
from .others import not_at_all, only_says_why, only_tells_when
from .phrasing import in_words, joined_phrases, resaid, with_changes
from .pieces import Lost
from .references import References, counted_on
from .results import Corrected, Problem, Reading, Taken
from .splitting import clauses_of
from .tokens import Token, joined, signs_beside, tokens_of
from .unsayable import names_that_cut, unclear_numbers


def spoken(command: str, reading: Reading) -> str:
    """What a backend is told of a command: as it is written, misspelt words corrected; where something in it
    is not to happen, only what does happen, in its order."""
    if reading.cancelled or reading.recalled:
        return joined_phrases(reading.phrases, reading.beats)
    changed = {one.span: one.meant for one in reading.corrected}
    return with_changes(command, (0, len(command)), changed).rstrip(".")


def understand(
    command: str,
    *,
    characters: Collection[str] | None = (),
    places: Collection[str] = (),
    aliases: Mapping[str, str] = MappingProxyType({}),
    meaning: Guess | None = None,
    before: Sequence[Beat] = (),
) -> Reading:
    """Reads a command.

    Args:
        command: plain English; "" is a hold and gives no beats.
        characters: names, and other words for characters, that may be its subject; None where the cast is not
            known, so that any name may be.
        places: names of anchors that it may send the character to.
        aliases: other words for these.
        meaning: what a verb outside the lexicon is asked for (:mod:`.meaning`); None leaves it unknown.
        before: of the shot before, for a "do that again" with nothing said before it.

    Returns:
        The reading. Beats carry the span of text that each came from; ``start`` and ``frames`` are not set.
        Time and memory grow in proportion to the length of the command.
    """
    if not command.strip():
        return Reading(())
    whole = (0, len(command))
    names = Names.of(characters, places, aliases)
    words = tokens_of(command)
    named = with_names(words, names)
    if (stranger := foreign(named)) is not None:
        token, language = stranger
        return Reading((), (), (Problem("language", token.text, (token.start, token.end), (language,)),))
    if not any(token.text[0].isalpha() for token in words if token.kind != "mark"):
        return Reading((), (), (Problem("no_words", command.strip(), whole),))
    if problems := names_that_cut(words, names) or unclear_numbers(words, names):
        return Reading((), (), tuple(problems))
    return _Reader(command, names, meaning, before).read(joined(named), words)


def _used(text: str, old: Beat, new: Beat) -> bool:
    """Whether words of a correction are what has changed: "the card", "45"."""
    thing = next(
        (name for name in (new.object, new.target) if name and name not in {old.object, old.target}), ""
    )
    return new.amount != old.amount if text.isdigit() else bool(thing) and (thing in text or text in thing)


def _not_yet(clause: Clause) -> bool:
    """ "Before she can sit"."""
    return clause.link == "before" and any(token.text in {"can", "could"} for token in clause.before)


@dataclass(eq=False, repr=False)
class _Reader:
    """Reads the clauses of one command."""

    command: str
    names: Names
    meaning: Guess | None = None
    before: Sequence[Beat] = ()
    problems: list[Problem] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)
    cancelled: list[Lost] = field(default_factory=list)
    corrected: list[Corrected] = field(default_factory=list)
    why: list[Token] = field(default_factory=list)
    taken: list[Taken] = field(default_factory=list)
    recalled: bool = False

    def read(self, tokens: list[Token], written: list[Token]) -> Reading:
        order, cancelling, references = Arrangement(), Cancelling(), References(self.before)
        reads: list[Read] = []
        who, stands_for, people = "", False, list[str]()
        denied: Read | None = None
        for clause in clauses_of(tokens, self.names):
            self._stays_behind(clause, reads)
            if stands_for and clause.verb is None and not clause.fix:
                clause.fix = "fix"  # "no, not the key, the card"
            stands_for = False
            read = self._by_meaning(read_clause(clause, self.names), references)
            if only_tells_when(clause, read, who) or only_says_why(clause, read):
                read = Read(clause, event=True)
            elif clause.subject.kind == "actor" and clause.subject.token is not None:
                who = clause.subject.token.text
            if (why := cancelling.of(clause)) is not None:
                references.mention(read)
                self._take_back(read, order)
                self._cancel(read, why, order, reads)
                stands_for = bool(clause.fix) and clause.verb is None
                denied = read
                continue
            if clause.choice is not None and read.beat is not None and not clause.fix:
                self._refuse("choice", clause.choice)
            if self._never_reached(clause, order) or _not_yet(clause):
                self._cancel(read, clause.tokens[0], order, reads)
                continue
            old = order.last() if clause.fix else None
            kept = self._fix(read, order) if clause.fix else read
            if kept is None:
                if old is not None and old.beat is not None and (new := order.last()) is not None:
                    references.corrected(old.beat, new.beat)
                continue
            kept = gapped(counted_on(kept, reads), order.last(), denied)
            kept = self._with_somebody(kept, people)
            people += [clause.subject.name] if clause.subject.name else []
            if not references.repeats(clause):
                self._note(kept)
            kept = references.resolve(kept, self._refuse)
            if kept is not None and kept.event:
                self._tell(clause)
            elif kept is not None:
                reads.append(kept)
                order.add(kept)
                denied = None
                self._note_no_place(kept)
                if old is not None and old.beat is not None and kept.beat and kept.beat.object:
                    references.corrected(old.beat, kept.beat)
                self._add_more(kept, order)
        self.recalled = references.recalled
        beats = order.done()
        self.lost += [
            Lost(self.command[start:end], (start, end)) for start, end in signs_beside(self.command, written)
        ]
        return self._reading(beats, [read for read in order.ordered if read.beat is not None])

    def _stays_behind(self, clause: Clause, reads: list[Read]) -> None:
        """ "Pan left, then settle on the door": the camera comes to rest, where it moved before."""
        before = reads[-1] if reads else None
        if before is None or before.beat is None or before.beat.category != "camera":
            return
        rests = any(
            sense.action == "stationary" and not sense.conditions
            for lemma in clause.lemmas
            for sense in lexicon().camera.get(lemma, ())
        )
        alike = clause.form in {before.clause.form, "base"}
        joined = clause.link in {"and", "comma", "then", "next"} and alike
        flown = before.beat.action in {"crane", "fly", "pedestal"}  # "rise above the trees and look down"
        rests = rests or (flown and "look" in clause.lemmas)
        if rests and joined and clause.subject.kind == "none":
            clause.subject = Subject("camera", clause.verb)

    def _by_meaning(self, read: Read, references: References) -> Read:
        """An action outside the lexicon as the one that it is most like, where that is sure."""
        word, clause = read.unknown, read.clause
        if self.meaning is None or word is None or clause.verb is not None or clause.subject.kind == "camera":
            return read
        if references.repeats(clause) or near_forms(word.text)[1] or clause.subject.kind == "unknown":
            return read
        found = self.meaning(word.text)
        if not found.lemma:
            return read
        clause.verb, clause.lemmas, clause.unknown = word, (found.lemma,), None
        again = read_clause(clause, self.names)
        if again.beat is not None:
            self.taken.append(Taken(word.text, again.beat.action, found.likeness, (word.start, word.end)))
        return again

    def _never_reached(self, clause: Clause, order: Arrangement) -> bool:
        """ "stops before reaching it"."""
        last = order.last()
        return (
            clause.link == "before"
            and last is not None
            and last.beat is not None
            and last.beat.action == "stop"
        )

    def _reading(self, beats: list[Beat], reads: list[Read]) -> Reading:
        if not beats and not self.problems:
            if self.cancelled:
                first = self.cancelled[0]
                why = self.why[0] if self.why else Token(first.text, *first.span)
                self._refuse("negation", why)
            else:
                self.problems.append(Problem("no_words", self.command.strip(), (0, len(self.command))))
        return Reading(
            tuple(beats),
            tuple(sorted(self.lost, key=lambda lost: lost.span)),
            tuple(self.problems),
            tuple(self.cancelled),
            tuple(self.corrected),
            tuple(self.taken),
            tuple(self._phrase(read) for read in reads),
            tuple(read.clause.subject.name for read in reads),
            self.recalled,
        )

    def _phrase(self, read: Read) -> str:
        if read.phrase:
            return read.phrase
        if not read.said:
            return in_words(read.beat) if read.beat is not None else ""
        changed = {(one.span): one.meant for one in self.corrected}
        pronoun = read.details.pronoun
        meant = read.beat and (read.beat.target if read.details.aimed else read.beat.object)
        if pronoun is not None and meant:
            changed[pronoun.start, pronoun.end] = f"the {meant}"
        return " ".join(with_changes(self.command, place, changed) for place in read.said)

    def _refuse(self, kind: str, token: Token, nearest: tuple[str, ...] = ()) -> None:
        self.problems.append(Problem(kind, token.text.replace("_", " "), (token.start, token.end), nearest))

    def _tell(self, clause: Clause) -> None:
        """Something happens that nobody in the film does."""
        start, end = place_of(clause)
        self.lost.append(Lost(self.command[start:end], (start, end)))

    def _note(self, read: Read) -> None:
        """What was not understood of a clause, and what was read another way than it is written."""
        clause = read.clause
        if clause.subject.kind == "unknown" and clause.subject.token is not None:
            token = clause.subject.token
            spoken = {" ".join(group): name for group, name in self.names.characters.items()}
            self._refuse("unknown_name", token, near_names(token.text, list(spoken)))
            return
        if read.unknown is not None:
            near = near_forms(read.unknown.text, camera=clause.subject.kind == "camera")[1]
            self._refuse("unknown_verb", read.unknown, tuple(near))
            return
        self.lost += read.details.lost
        self.cancelled += read.details.excluded
        self.corrected += [
            Corrected(token.text, meant, (token.start, token.end))
            for token, meant in [*clause.corrected, *read.details.corrected]
        ]

    @staticmethod
    def _add_more(read: Read, order: Arrangement) -> None:
        for beat in read.more:
            link = "while" if beat.sync else "then"
            order.add(replace(read, beat=beat, clause=replace(read.clause, link=link), more=[]))

    def _with_somebody(self, read: Read, people: Sequence[str]) -> Read:
        """ "Ben walks on and Mira follows him": the one who was named last, and is not the one who acts."""
        word, beat = read.details.somebody, read.beat
        if word is None or beat is None or beat.target is not None:
            return read
        own = read.clause.subject.name
        others = [name for name in people if name != own]
        if not others or word.text in {"us", "me", "you", "it"}:
            if beat.action not in {"follow", "chase", "approach"}:
                read.details.lost.append(Lost(word.text, (word.start, word.end)))
            return read
        return replace(read, beat=replace(beat, target=others[-1], direction=beat.direction or "toward"))

    def _note_no_place(self, read: Read) -> None:
        """ "Throws the ball and runs towards it": the plan knows no place for it."""
        word = read.details.pronoun
        if read.details.aimed and word is not None and read.beat is not None and read.beat.target is None:
            self.lost.append(Lost(word.text, (word.start, word.end)))

    def _cancel(self, read: Read, why: Token, order: Arrangement, reads: list[Read]) -> None:
        """A clause that is not to happen; what it leaves, such as a camera that does not move, is a beat."""
        clause = read.clause
        still_one = None
        if clause.verb is not None and "move" in clause.lemmas and clause.cancelled is why:
            filmed = any(lexicon().has("camera", token.text) for token in clause.rest)
            if clause.subject.kind == "camera" or (filmed and clause.subject.kind == "none"):
                still_one = still_camera(clause)
            elif clause.subject.kind in {"none", "actor"} and not reads and not_at_all(clause):
                still_one = still(clause)
        if still_one is not None:
            meanwhile = clause if why.text != "without" else replace(clause, link="while")
            kept = Read(meanwhile, still_one)
            reads.append(kept)
            order.add(kept)
            return
        if read.unknown is not None and clause.unknown is not None:
            self._note(read)
        self.why.append(why)
        start, end = place_of(clause)
        start = why.start if clause.cancelled is why else min(start, why.start)
        self.cancelled.append(Lost(self.command[start:end], (start, end)))

    def _fix(self, read: Read, order: Arrangement) -> Read | None:
        """Takes the last action back, or changes what this clause says of it; the clause that stands for
        it."""
        last = order.last()
        if read.clause.fix == "forget" and not read.clause.verb:
            if last is not None:
                self._took_back(last)
                order.drop(last)
            return None
        if last is None or last.beat is None:
            return read
        if read.beat is not None:
            self._took_back(last)
            order.drop(last)
            link = last.clause.link if last.clause.link not in {"first", "sentence"} else "and"
            read.clause.link = link
            fixed = corrected_by(last.beat, read.beat)
            return replace(read, beat=fixed, said=read.said if fixed == read.beat else [])
        items = items_of([*read.clause.before, *read.clause.rest], self.names)
        if read.unknown is not None:
            return read
        changed = corrected_by(last.beat, None, items, read.details)
        if changed == last.beat:
            return read
        self.cancelled.append(Lost("", last.beat.span))
        phrase = resaid(self._phrase(last), last.beat, changed)
        order.swap(last, replace(last, beat=replace(changed, span=last.beat.span), said=[], phrase=phrase))
        self.lost += [lost for lost in read.details.lost if not _used(lost.text, last.beat, changed)]
        return None

    def _take_back(self, read: Read, order: Arrangement) -> None:
        """ "Jump, no, don't jump": what is denied was said before."""
        last = order.last()
        if last is None or last.verb is None or read.verb is None:
            return
        same = read.verb.action == last.verb.action and read.clause.form == last.clause.form == "base"
        if same and (read.clause.fix or not read.clause.rest):
            self._took_back(last)
            order.drop(last)

    def _took_back(self, read: Read) -> None:
        start, end = place_of(read.clause)
        self.cancelled.append(Lost(self.command[start:end], (start, end)))
