"""Where one clause ends and the next begins."""

from __future__ import annotations

from collections.abc import Sequence

from .amounts import measure
from .clause import Clause
from .grammar import NOMINATIVE
from .joins import Joins

_LYING = frozenset({"lie", "stand", "sit", "sleep", "hang", "lean", "wait", "wear", "rest", "kneel"})
"""Participles that rather say which one is meant: "the ball lying on the floor"."""
_NOUNS_LED_TO = frozenset({
    "back", "water", "fire", "phone", "head", "hand", "face", "book", "box", "cover", "work", "ground",
    "school", "sleep", "base", "camp",
})  # fmt: skip
"""What somebody goes to without an article: "runs to cover"."""
_PARTICLES = frozenset({"off", "out", "in", "up", "down", "away", "around", "along", "past"})
TOGETHER = frozenset(
    {
        "in_the_same_time",
        "at_same_time",
        "meanwhile",
        "at_the_same_time",
        "simultaneously",
        "while_doing_so",
        "in_the_meantime",
    }
)


class Boundaries(Joins):
    """Questions about the places in a command at which a clause may end."""

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
                at = self._past_participle(at)
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

    def _past_participle(self, at: int) -> int:
        """Skips "loaded with crates", and no phrase behind it."""
        line, first = self.line, at + 2
        at = first
        while at < len(line.tokens) and line.kind(at) in {"word", "number", "name"}:
            loose = any(
                line.has(kind, at) for kind in ("prep", "direction", "speed", "manner", "amount", "and")
            )
            if (loose and line.text(at) != "of") or line.has("then", at) or line.has("while", at):
                break
            if at > first + 1 and line.determined(at):
                break
            at += 1
        return at

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
            for kind in ("direction", "speed", "manner", "amount", "unit", "person", "gait", "lead", "again")
        )
        if noun == 1 and line.has("speed", at):
            return 1  # "a slow …"
        return 0 if loose and noun != 1 else 2

    def _cuts(self, at: int, clause: Clause, noun: int, before: Sequence[Clause]) -> bool:
        """Whether a new clause begins here."""
        line = self.line
        if clause.cancelled is not None and (line.text(at) == "," or line.has("but", at)):
            return True  # "walk, don't run, to the door"
        if line.text(at) == "," or line.has("and", at) or line.has("but", at) or line.has("or", at):
            if not self._and_a_half(at) and self.starts(at + 1, clause, noun):
                return True
            behind = at + 1 + (line.text(at) == "," and line.has("and", at + 1))
            return self.goes_on_by(behind, clause)
        if line.has("then", at) or line.has("because", at) or line.has("forget", at):
            return True
        if line.has("while", at):
            return self._together(at, clause)
        if line.has("until", at):
            return self.until_clause(at)
        if self._subordinate(at) or self.so_that(at):
            return True
        if line.has("instead", at):
            return "ing" in line.kinds(at + 1) or "base" in line.kinds(at + 1)
        if line.has("negation", at) and line.text(at) != "no" and not line.nearly_so(at):
            return noun != 1
        if self.fix(at, True):
            return True
        return self._new_verb(at, clause, noun, before)

    def goes_on_by(self, at: int, clause: Clause) -> bool:
        """ "Three steps forward, two back": an amount with another way, the verb said once."""
        line = self.line
        said = clause.tokens
        before = any(line.words.has("direction", token.text) for token in said) and any(
            token.text == "one" or measure(said, place) is not None for place, token in enumerate(said)
        )
        found = measure(line.tokens, at) if before and at < len(line.tokens) else None
        if not before or (found.bare is None if found is not None else line.text(at) != "one"):
            return False
        way = at + (found.taken if found is not None else 1)
        way += 2 if line.text(way) == "to" and line.determined(way + 1) else 0
        ends = line.strong(way + 1) or any(line.has(kind, way + 1) for kind in ("and", "then", "speed"))
        return line.has("direction", way) and (ends or line.text(way + 1) == ",")

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
        if line.text(at) not in TOGETHER:
            return True
        after = at + 1
        while line.kind(after) == "mark" and line.text(after) == ",":
            after += 1
        if line.strong(after):
            clause.link = "while"
            return False
        return True

    def _new_verb(self, at: int, clause: Clause, noun: int, before: Sequence[Clause]) -> bool:
        """A clause that begins without a joining word: a subject of its own, a participle, "to …"."""
        line = self.line
        spoken = clause.verb is not None or clause.unknown is not None
        if line.text(at) in NOMINATIVE and line.kind(at) == "word" and spoken:
            return line.verb_at(at + 1) or (line.has("negation", at + 1) and line.strong(at + 2))
        if line.kind(at) == "name" and spoken and noun != 1 and not line.tokens[at].text.endswith("'s"):
            return line.finite_at(at + 1)
        if line.text(at) == "to" and line.forms(at + 1) and "base" in line.kinds(at + 1):
            told = any(
                line.words.closed["speech"].get(word) for word in (clause.verb.text if clause.verb else "",)
            )
            told = told or self._told_to(at, clause)
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
        ends = line.strong(at + 1) or line.text(at + 1) in {",", "and", "then"}
        return ends and line.text(at) in _NOUNS_LED_TO

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
        lies = bool(clause.lemmas) and clause.lemmas[0] in _LYING  # "lies on the sofa sleeping"
        return not (noun == 2 and lemma in _LYING and not lies)

    def _told_to(self, at: int, clause: Clause) -> bool:
        """ "tells him to sit down": what somebody else is told to do."""
        line = self.line
        speaks = clause.verb is not None and clause.verb.text in line.words.closed["speech"]
        awaited = "wait" in clause.lemmas and any(token.text == "for" for token in clause.rest)
        if awaited and line.text(at) == "to" and "base" in line.kinds(at + 1):
            return True  # "waits for her to leave"
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
                any(line.has(kind, at) for kind in ("and", "then", "while", "but"))
                and self.starts(at + 1, clause)
            )
        ):
            at += 1
        return at
