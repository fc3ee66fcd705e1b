"""Where one clause ends and the next begins."""

from __future__ import annotations

from collections.abc import Sequence

from .amounts import measure
from .clause import Clause
from .grammar import DOING, NOMINATIVE, Line
from .names import Names
from .near import near_forms

_LYING = frozenset({"lie", "stand", "sit", "sleep", "hang", "lean", "wait", "wear", "rest", "kneel"})
"""Participles that rather say which one is meant: "the ball lying on the floor"."""
_PARTICLES = frozenset({"off", "out", "in", "up", "down", "away", "around", "along", "past"})
_TOGETHER = frozenset(
    {"meanwhile", "at_the_same_time", "simultaneously", "while_doing_so", "in_the_meantime"}
)


class Boundaries:
    """Questions about the places in a command at which a clause may end."""

    def __init__(self, line: Line, names: Names) -> None:
        self.line, self.names = line, names

    def rest(self, at: int, clause: Clause, before: Sequence[Clause]) -> int:
        """Collects what belongs to a clause from ``at`` on; returns where the next one begins."""
        line = self.line
        noun = 0  # 1: a noun phrase has been opened and waits for its noun; 2: it has it
        while at < len(line.tokens) and not line.strong(at):
            if self._cuts(at, clause, noun, before):
                return at
            if noun == 2 and (
                line.has("relative", at) or (line.text(at) == "that" and line.finite_at(at + 1))
            ):
                at = self._past_relative(at, clause)
                continue
            if noun == 2 and self._participle_of_noun(at, clause):
                at = self._past_relative(at, clause)
                continue
            if self._told_to(at, clause):
                at = self._past_relative(at, clause)
                continue
            clause.rest.append(line.tokens[at])
            noun = self._noun_state(at, noun)
            at += 1
        return at

    def _participle_of_noun(self, at: int, clause: Clause) -> bool:
        """ "A cart loaded with crates"."""
        line = self.line
        past = line.kinds(at) == {"past"} and not line.has("direction", at)
        return past and line.has("prep", at + 1) and not self._agrees(at, clause)

    def _noun_state(self, at: int, noun: int) -> int:
        line = self.line
        opens = (
            line.has("prep", at) or line.determined(at) or line.has("and", at) or line.kind(at) == "number"
        )
        if opens or line.has("number", at):
            return 1
        if line.kind(at) in {"mark", "quote"}:
            return 0
        if "ing" in line.kinds(at) and noun != 1:
            return 0
        if line.has("unit", at) and (line.kind(at - 1) == "number" or line.has("number", at - 1)):
            return 0
        loose = any(
            line.has(kind, at)
            for kind in ("direction", "speed", "manner", "amount", "unit", "person", "gait")
        )
        return 0 if loose and noun != 1 else 2

    def _cuts(self, at: int, clause: Clause, noun: int, before: Sequence[Clause]) -> bool:
        """Whether a new clause begins here."""
        line = self.line
        if clause.cancelled is not None and (line.text(at) == "," or line.has("but", at)):
            return True  # "walk, don't run, to the door"
        if line.text(at) == "," or line.has("and", at) or line.has("but", at) or line.has("or", at):
            return not self._and_a_half(at) and self.starts(at + 1, clause, noun)
        if line.has("then", at) or line.has("because", at) or line.has("forget", at):
            return True
        if line.has("while", at):
            return self._together(at, clause)
        if line.has("until", at):
            return self.until_clause(at)
        if self._subordinate(at):
            return True
        if line.has("instead", at):
            return "ing" in line.kinds(at + 1) or "base" in line.kinds(at + 1)
        if line.has("negation", at) and line.text(at) != "no" and not line.nearly_so(at):
            return noun != 1
        if self.fix(at, True):
            return True
        return self._new_verb(at, clause, noun, before)

    def until_clause(self, at: int) -> bool:
        """Whether "until" leads a clause: not in "until dawn"."""
        line = self.line
        if line.clause_follows(at + 1) or line.has("subject", at + 1):
            return True
        end = next(
            (place for place in range(at + 1, at + 8) if line.strong(place) or line.text(place) == ","),
            at + 8,
        )
        return any(line.forms(place) for place in range(at + 1, end))

    def _and_a_half(self, at: int) -> bool:
        """ "one and a half turns", "a hundred and eighty degrees"."""
        line = self.line
        counted = (
            line.kind(at - 1) == "number"
            or line.has("number", at - 1)
            or line.text(at - 1) in {"hundred", "thousand"}
        )
        return counted and (line.has("number", at + 1) or line.kind(at + 1) == "number")

    def _together(self, at: int, clause: Clause) -> bool:
        """ "while she waves" begins a clause; "at the same time" at the end says how this one is joined."""
        line = self.line
        if line.text(at) not in _TOGETHER:
            return True
        after = at + 1
        while line.kind(after) == "mark" and line.text(after) == ",":
            after += 1
        if line.strong(after):
            clause.link = "while"
            return False
        return True

    def _subordinate(self, at: int) -> bool:
        line = self.line
        if line.has("after", at):
            return line.clause_follows(at + 1) or self.lapse(at)
        if line.has("before", at):
            return line.clause_follows(at + 1)
        return line.has("as", at) and line.clause_follows(at + 1)

    def lapse(self, at: int) -> bool:
        """ "after two seconds": time that passes first."""
        if self.later(at):
            return True
        if at + 1 >= len(self.line.tokens) or self.line.text(at) != "after":
            return False
        found = measure(self.line.tokens, at + 1)
        return found is not None and found.amount is not None and found.amount.unit == "s"

    def later(self, at: int) -> int:
        """How many tokens "two seconds later" takes; 0 where it says no such thing."""
        found = measure(self.line.tokens, at) if at < len(self.line.tokens) else None
        if found is None or found.amount is None or found.amount.unit != "s":
            return 0
        return found.taken + 1 if self.line.text(at + found.taken) == "later" else 0

    def fix(self, at: int, something_before: bool) -> bool:
        """Whether a word takes back what stands before it."""
        line = self.line
        if not line.has("fix", at) or not something_before:
            return False
        text = line.text(at)
        if text == "no":
            return (
                line.kind(at + 1) in {"mark", "end"}
                or (line.kind(at - 1) == "mark" and line.text(at + 1) == "wait")
                or (line.kind(at - 1) == "mark" and line.has("direction", at + 1))
            )
        if text in {"actually", "sorry", "correction"}:
            return line.kind(at - 1) == "mark" or line.kind(at + 1) == "mark"
        if text in {"hang_on", "hold_on"}:
            return line.kind(at - 1) == "mark" and line.kind(at + 1) == "mark"
        return True

    def _new_verb(self, at: int, clause: Clause, noun: int, before: Sequence[Clause]) -> bool:
        """A clause that begins without a joining word: a subject of its own, a participle, "to …"."""
        line = self.line
        spoken = clause.verb is not None or clause.unknown is not None
        if line.text(at) in NOMINATIVE and line.kind(at) == "word" and spoken:
            return line.verb_at(at + 1)
        if line.kind(at) == "name" and spoken and noun != 1 and not line.tokens[at].text.endswith("'s"):
            return line.finite_at(at + 1)
        if line.text(at) == "to" and line.forms(at + 1) and "base" in line.kinds(at + 1):
            told = any(
                line.words.closed["speech"].get(word) for word in (clause.verb.text if clause.verb else "",)
            )
            return not told and spoken and not self._noun_ahead(at + 1)
        if "ing" in line.kinds(at) and spoken:
            return self._participle(at, clause, noun)
        if spoken and self._runs_on(at, clause, noun):
            return True
        subordinate = clause.link in {"after", "before", "while"} and spoken
        if subordinate and line.determined(at) and clause.link != "first":
            verb = line.noun_subject(at)
            return noun != 1 and verb >= 0 and "third" in line.kinds(verb) and bool(clause.form == "ing")
        return False

    def _runs_on(self, at: int, clause: Clause, noun: int) -> bool:
        """ "Run to the well grab the bucket": the next verb, of the same form, without a comma."""
        line = self.line
        if clause.form not in {"base", "third"} or clause.form not in line.kinds(at):
            return False
        if clause.verb and clause.verb.text in line.words.closed["lightverb"] and line.has("deverbal", at):
            return False  # "do a roundhouse kick"
        particle = line.has("direction", at - 1) and noun in {0, 1}
        measured = line.has("unit", at - 1)
        if not (noun == 2 or particle or measured or (noun == 0 and line.has("person", at - 1))):
            return False
        if any(line.has(kind, at) for kind in ("direction", "body", "sided", "speed")):
            return False
        counted = any(
            (found := measure(line.tokens, place)) is not None and place + found.taken > at
            for place in range(max(0, at - 4), at)
        )
        after = at + 1
        nounish = line.has("nounverb", at) or self._plural(line.text(at)) or line.has("thing", at)
        if line.determined(after) or line.text(after) in {"it", "them"}:
            return not counted and not (particle and nounish)
        leads = line.has("direction", after) or (line.has("prep", after) and not nounish)
        turned = particle and clause.form == "third" and line.has("direction", after)
        return leads and (noun == 2 or turned or measured) and not counted and not line.has("manner", at)

    def _noun_ahead(self, at: int) -> bool:
        """ "to bed", "to face" … a noun that is called like a verb, where no more follows it."""
        line = self.line
        return line.text(at) in {
            "back",
            "water",
            "fire",
            "phone",
            "head",
            "hand",
            "face",
            "book",
            "box",
        } and line.strong(at + 1)

    def _participle(self, at: int, clause: Clause, noun: int) -> bool:
        line = self.line
        lemma = line.forms(at)[0][0]
        if noun == 1 and line.text(at - 1) in _PARTICLES:
            return True  # "runs out screaming"
        if noun == 1 or (
            clause.lemmas and clause.lemmas[0] in {"stop", "halt", "finish", "cease", "quit"} and not noun
        ):
            return False
        if clause.verb is not None and line.words.closed["perception"].get(clause.verb.text):
            return noun != 2 and line.has("after", at - 1)
        return not (noun == 2 and lemma in _LYING)

    def _told_to(self, at: int, clause: Clause) -> bool:
        """ "tells him to sit down": what somebody else is told to do."""
        line = self.line
        speaks = clause.verb is not None and clause.verb.text in line.words.closed["speech"]
        if line.text(at) == "to" and line.text(at + 1) in {"let", "allow"} and line.has("person", at + 2):
            return True  # "steps aside to let him pass"
        return speaks and line.text(at) == "to" and "base" in line.kinds(at + 1)

    def _past_relative(self, at: int, clause: Clause) -> int:
        """Skips "who waves", "that says stop", "to sit down": it says which one is meant, or what is told."""
        line = self.line
        at += 1
        while (
            at < len(line.tokens)
            and line.kind(at) != "mark"
            and not (
                any(line.has(kind, at) for kind in ("and", "then", "while")) and self.starts(at + 1, clause)
            )
        ):
            at += 1
        return at

    def starts(self, at: int, clause: Clause, noun: int = 0) -> bool:
        """Whether what follows a comma or "and" is a clause of its own."""
        line = self.line
        while line.text(at) == "," or any(line.has(kind, at) for kind in ("and", "but")):
            at += 1
        if line.strong(at):
            return False
        if any(line.has(kind, at) for kind in ("then", "while", "until", "because", "instead", "forget")):
            return True
        if self._subordinate(at) or self.fix(at, True):
            return True
        if line.text(at) == "wait" and line.kind(at + 1) == "mark" and line.text(at + 2) == "no":
            return True
        if line.has("negation", at):
            return True
        if line.text(at) in DOING and line.text(at + 1) in {"it", "that", "this", "so"}:
            return True  # "jump, do that again"
        if line.text(at) in DOING and (line.determined(at + 1) or line.has("number", at + 1)):
            return True  # "and does a backflip"
        start = at
        at = line.past_adverbs(at)
        if line.has("lead", at):
            at += 1
        if line.has("catenative", at) or line.has("causative", at):
            return True
        if line.text(at) == "one" and line.has("unit", at + 1):
            return False  # "two steps forward, one step back"
        if line.has("subject", at) or line.kind(at) == "name":
            return line.verb_at(at + 1) or (
                line.kind(at) == "name"
                and line.kind(at + 1) == "word"
                and not line.words.known(line.text(at + 1))
                and line.text(at + 1).endswith("s")
            )
        if line.has("camera", at) or (line.determined(at) and line.has("camera", at + 1)):
            return line.verb_at(at + (2 if line.determined(at) else 1))
        if line.determined(at):
            return line.noun_subject(at) >= 0
        if line.forms(at):
            return self._verb_here(at, clause, noun)
        if line.kind(at) == "word" and not line.words.known(line.text(at)):
            return self._unknown_here(at, clause, noun)
        return self._late_verb(start, clause)

    def _late_verb(self, at: int, clause: Clause) -> bool:
        """A phrase and then a subject: "…, with a smile she waves"."""
        end = self.phrase(at)
        line = self.line
        after = end + (line.text(end) == ",")
        if end == at:
            return False
        if line.has("subject", after) or line.kind(after) == "name":
            return line.verb_at(after + 1)
        return (
            line.text(end) == ","
            and bool(line.forms(after))
            and clause.verb is not None
            and self._agrees(after, clause)
        )

    def _verb_here(self, at: int, clause: Clause, noun: int) -> bool:
        """Whether a word that may be a verb is one after "and": "the pot and pan" are nouns."""
        line = self.line
        text = line.text(at)
        if any(line.has(kind, at) for kind in ("direction", "amount")):
            return False
        nounish = line.has("nounverb", at) or line.has("thing", at) or self._plural(text)
        if not nounish or clause.verb is None:
            return True
        after = at + 1
        leads = line.determined(after) or line.has("person", after) or line.has("object", after)
        if leads:
            return True
        if not self._agrees(at, clause):
            return noun == 0 and line.text(at - 1) == ","
        if line.forms(at)[0][0] in line.words.closed["deverbal"] and self._agrees(at, clause):
            return True  # "waves her hand and bows": what a body does is seldom a thing beside another
        ends = line.strong(after) or line.text(after) == "," or line.has("and", after)
        if ends and noun == 2 and clause.form == "third" and "third" in line.kinds(at):
            return self._led(at - 2)  # "over the wall and bolts", not "the hammer and nails"
        return not (ends and noun == 2)

    def _led(self, at: int) -> bool:
        """Whether the noun phrase that ends here follows a preposition."""
        line = self.line
        while at > 0 and line.kind(at) == "word" and not line.determined(at) and not line.has("prep", at):
            at -= 1
        return line.has("prep", at) or (line.determined(at) and line.has("prep", at - 1))

    def _plural(self, text: str) -> bool:
        return text.endswith("s") and text[:-1] in self.line.words.closed["nounverb"]

    def _agrees(self, at: int, clause: Clause) -> bool:
        """Whether a verb has the form of the one that it is joined to."""
        kinds = self.line.kinds(at)
        return (
            clause.form in kinds
            or not clause.form
            or (clause.form == "ing" and bool(kinds & {"third", "base"}))
        )

    def _unknown_here(self, at: int, clause: Clause, noun: int) -> bool:
        """A word that is not known, after a joining word: somebody's name, or a verb like those before it."""
        line = self.line
        if (
            line.finite_at(at + 1)
            and not line.has("prep", at + 1)
            and bool(line.kinds(at + 1) & {"third", "past"})
        ):
            return True
        text = line.text(at)
        if clause.form in {"third", "past"} and self._slip(at, clause.form):
            return True  # "walks to the dor and knoks"
        if noun == 2 and clause.form == "third" and text.endswith("s") and not text.endswith("ss"):
            return line.determined(at + 1) or line.text(at + 1) in {"it", "them", "him", "into"}
        if noun == 2 or clause.verb is None:
            return False
        likely = text.endswith(("s", "ed")) if clause.form in {"third", "past"} else not text.endswith("ly")
        return likely and not text.endswith("ly")

    def _slip(self, at: int, form: str) -> bool:
        """Whether a word is a misspelt verb of some form."""
        meant = near_forms(self.line.text(at))[0]
        return bool(meant) and any(kind == form for _, kind in self.line.words.forms[meant])

    def phrase(self, at: int) -> int:
        """Where a phrase ends that says when, where or how: with a preposition, a direction or an amount."""
        line = self.line
        if line.kind(at) not in {"word", "number"}:
            return at
        if (
            line.has("direction", at)
            or line.has("speed", at)
            or line.has("gait", at)
            or line.has("framing", at)
        ) and not line.has("prep", at):
            return at + 1
        found = measure(line.tokens, at)
        if found is not None and found.amount is not None:
            return at + found.taken
        if not line.has("prep", at) or line.text(at) == "to":
            return at
        here = at + 1
        if line.text(here) == "to" or line.kind(here) == "place":
            return here + 1
        while line.kind(here) in {"word", "number", "name"} and here < at + 8:
            if line.text(here) in NOMINATIVE or line.kind(here) == "name":
                return here
            if line.has("and", here) or line.has("camera", here - 1):
                return here
            here += 1
        return here
