"""Whether what follows a joining word is a clause of its own."""

from __future__ import annotations

from .amounts import measure
from .clause import Clause
from .grammar import DOING, NOMINATIVE, Line
from .names import Names
from .near import near_forms

_TURNING = frozenset({
    "turn", "spin", "rotate", "pivot", "orbit", "circle", "roll", "twirl", "do", "make", "take", "swivel",
    "revolve", "give", "pan", "arc",
})  # fmt: skip
"""Verbs whose amount a turn is."""


class Joins:
    """Questions about what stands behind a comma, "and", "until" …"""

    def __init__(self, line: Line, names: Names) -> None:
        self.line, self.names = line, names

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

    def _subordinate(self, at: int) -> bool:
        line = self.line
        if line.has("after", at):
            return line.clause_follows(at + 1) or self.lapse(at)
        if line.has("before", at):
            return line.clause_follows(at + 1)
        return line.has("as", at) and line.clause_follows(at + 1)

    def so_that(self, at: int) -> bool:
        """ "So tired that he sits down"."""
        line = self.line
        so = any(line.text(place) in {"so", "such"} for place in range(max(0, at - 4), at))
        return line.text(at) == "that" and so and line.clause_follows(at + 1)

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
        apart = [line.kind(place) == "mark" for place in (at - 1, at + 1)]
        if text in {"actually", "sorry", "correction"}:
            return any(apart)
        if text == "wait":
            detail = any(line.has(kind, at + 2) for kind in ("direction", "prep", "number", "det", "poss"))
            return all(apart) and detail and not line.forms(at + 2)  # "left, wait, right"
        if text in {"hang_on", "hold_on", "that_is", "er", "erm", "uh", "uhm", "um", "umm", "wrong"}:
            return all(apart)
        return True

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
        if clause.verb is not None and self._turn_said(at) and not set(clause.lemmas) & _TURNING:
            return True  # "sneeze, and a half turn left"
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

    def _turn_said(self, at: int) -> bool:
        """ "A quarter turn": an amount that is an action of its own."""
        found = measure(self.line.tokens, at)
        turns = found is not None and found.amount is not None and found.amount.unit == "turns"
        return turns and found is not None and self.line.text(at + found.taken - 1) in {"turn", "turns"}

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
        if any((lemma, line.text(at - 2)) in line.words.light for lemma in clause.lemmas):
            return True  # "takes aim and fires"
        after = at + 1
        leads = line.determined(after) or line.has("person", after) or line.has("object", after)
        if leads:
            return True
        if not self._agrees(at, clause):
            return noun == 0 and line.text(at - 1) == ","
        if line.forms(at)[0][0] in line.words.closed["deverbal"] and self._agrees(at, clause):
            return True  # "waves her hand and bows": what a body does is seldom a thing beside another
        ends = line.strong(after) or line.text(after) == "," or line.has("and", after)
        listed = line.text(at - 1) == "," and (line.text(after) == "," or line.has("and", after))
        if listed and noun == 2 and self._verb_surely(after + 1, clause):
            return True  # "spots the dog, whistles and pats it"
        if ends and noun == 2 and clause.form == "third" and "third" in line.kinds(at):
            return self._led(at - 2)  # "over the wall and bolts", not "the hammer and nails"
        return not (ends and noun == 2)

    def _verb_surely(self, at: int, clause: Clause) -> bool:
        """Whether a verb stands here that is no noun, of the form of the one before it."""
        line = self.line
        at += line.has("and", at)
        here = line.past_adverbs(at)
        noun = line.has("nounverb", here) or self._plural(line.text(here)) or line.has("thing", here)
        leads = line.determined(here + 1) or line.has("object", here + 1) or line.has("prep", here + 1)
        return bool(line.forms(here)) and self._agrees(here, clause) and (not noun or leads)

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
        if not line.has("prep", at) or (line.text(at) == "to" and not line.determined(at + 1)):
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
