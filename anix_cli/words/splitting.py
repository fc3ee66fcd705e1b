"""A command's tokens → its clauses: where each begins, who does it, which word is the verb."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .amounts import FULL, measure
from .boundaries import Boundaries
from .clause import Clause, Subject
from .grammar import DOING, Line
from .leads import Leads
from .names import Names
from .near import near_forms
from .subjects import Subjects
from .tokens import Token
from .told import Told

_OPEN = frozenset({
    "thing", "nounverb", "person", "catenative", "causative", "speech", "perception", "lightverb", "body",
    "given",
})  # fmt: skip
"""Classes of words that may be a verb where one is missing."""
_GET = frozenset({"get", "gets", "got", "getting"})
_NOW = frozenset({"is", "are", "gets", "get", "'s", "'re"})
_BECOMING = frozenset({"dressed", "undressed", "changed", "started", "lost", "married", "ready"})
"""What somebody gets by their own doing."""
_AGAIN = frozenset({"again", "once_more", "one_more_time"})
_NOBODY = frozenset({"nothing", "nobody", "no_one", "none"})
_UPWARD = frozenset({"up", "down", "out", "back", "high", "low"})
_HELD = frozenset({"on", "in", "behind", "over", "above", "at", "against", "to", "around"})
"""Prepositions between hands and where they are held: "hands on hips"."""


def clauses_of(tokens: Sequence[Token], names: Names) -> list[Clause]:
    """Cuts a command into clauses, in the order in which they are written."""
    return _Splitter(Line(tokens), names).clauses()


class _Splitter:
    def __init__(self, line: Line, names: Names) -> None:
        self.line, self.names = line, names
        self.boundaries = Boundaries(line, names)
        self.subjects = Subjects(line, names)
        self.found: list[Clause] = []
        self.leads = Leads(line, self.boundaries, self.found)
        self.told = Told(line)

    def clauses(self) -> list[Clause]:
        at, end = 0, len(self.line.tokens)
        while at < end:
            clause = Clause(start=self.line.tokens[at].start)
            begin = at
            at = self.leads.read(at, clause)
            labelled = self.line.text(at - 1) == ":"
            if at < end:
                at = self._subject_and_verb(at, clause)
                at = self.boundaries.rest(at, clause, self.found)
            at = max(at, begin + 1)
            clause.end = self.line.tokens[min(at, end) - 1].end
            self._goes_on(clause, labelled)
            slight = next((token for token in clause.before if token.text in {"barely", "just_barely"}), None)
            if slight is not None and "move" in clause.lemmas and not clause.rest:
                clause.cancelled = clause.cancelled or slight  # "she barely moves"
            if clause.rest and clause.rest[0].text in _NOBODY and clause.lemmas not in {("do",), ()}:
                clause.cancelled = clause.cancelled or clause.rest[0]  # "says nothing"
            if clause.verb is None and clause.unknown is None:
                self._once_more(begin, at, clause)
            if clause.tokens or clause.fix or clause.unknown or clause.cancelled:
                self.found.append(clause)
        return self.found

    def _once_more(self, begin: int, at: int, clause: Clause) -> None:
        """ "Again", "and once more" without a verb: the word that says so is kept."""
        said = [token for token in self.line.tokens[begin:at] if token.text in _AGAIN]
        if not set(said) & set(clause.tokens):
            clause.before[:0] = said

    def _goes_on(self, clause: Clause, labelled: bool) -> None:
        """ "The camera cranes down and settles": a second verb of the camera; ``labelled``: after a
        colon."""
        before = self.found[-1] if self.found else None
        if before is None or clause.subject.kind != "none":
            return
        goes_on = clause.link in {"and", "comma", "then", "next", "while", "after", "before"}
        alike = clause.form == "ing" or (clause.form == before.form and clause.form in {"third", "past"})
        clause.acted = (before.subject.kind == "actor" or before.acted) and goes_on and alike
        shot = any(token.text in self.line.words.closed["move"] for token in before.tokens)
        if (
            labelled
            and before.verb is None
            and shot
            and any(lemma in self.line.words.camera for lemma in clause.lemmas)
        ):
            clause.subject = Subject("camera", clause.verb)  # "crane shot: rise three metres"
            return
        alike = clause.form == before.form and clause.form in {"third", "past"}
        under = before.link in {"until", "while", "after", "before"} and clause.link != "and"
        if before.subject.kind == "thing" and alike and clause.link in {"and", "comma", "then"} and not under:
            clause.subject = before.subject  # "the boom swings and hits him"
        if before.subject.kind != "camera":
            return
        joined = clause.link in {"and", "comma", "then", "next"} and clause.form == before.form == "third"
        if joined and any(lemma in self.line.words.camera for lemma in clause.lemmas):
            clause.subject = before.subject

    # --- who does what

    def _subject_and_verb(self, at: int, clause: Clause) -> int:
        """Reads up to the verb; returns the place behind it, or where the rest of a verbless clause
        begins."""
        line = self.line
        if clause.link == "then" and self.found and self.boundaries.goes_on_by(at, self.found[-1]):
            return at
        first = at
        while not line.strong(at):
            step = self._before_verb(at, clause)
            if step is None:
                return at
            if step == 0:
                break
            at += step
        if line.strong(at) and line.text(at) != ":":
            return at
        if line.text(at) == ":" and clause.subject.kind == "camera":
            return self._subject_and_verb(at + 1, clause)
        return self._verb(at, clause, first)

    def _before_verb(self, at: int, clause: Clause) -> int | None:
        """How many tokens to step over before the verb; 0 where it should stand, None where there is none."""
        line = self.line
        if line.has("then", at) and clause.subject.kind in {"actor", "camera"} and line.verb_at(at + 1):
            return 1  # "the camera then tilts up"
        if line.nearly_so(at):
            clause.before.append(line.tokens[at])
            return 1
        if line.has("negation", at) and not self._too(at):
            if self._denies_how(at):
                return 2
            clause.cancelled = clause.cancelled or line.tokens[at]
            return 1
        if line.has("aux", at) and self._inverted(at):
            return 1
        if line.text(at) in _GET and "past" in line.kinds(at + 1) and line.text(at + 1) not in _BECOMING:
            clause.before.append(line.tokens[at])
            return 1  # "gets knocked down"
        if line.text(at) == "nothing" and clause.subject.kind == "none" and line.finite_at(at + 1):
            clause.cancelled = clause.cancelled or line.tokens[at]
            return 1
        if line.kind(at) == "mark":
            return self._aside(at, clause) or self._comma(at, clause)
        if (taken := self.told.read(at, clause)) is not None:
            return taken
        if line.text(at) in FULL and measure(line.tokens, at) is not None and clause.subject.kind == "none":
            return None  # "full circle around her"
        if clause.subject.kind == "none" and (taken := self.subjects.read(at, clause)):
            return taken
        if line.text(at) in {"both", "all", "each"} and clause.subject.kind != "none":
            return 1
        if line.text(at) in DOING and not line.verb_at(at + 1) and line.forms(at):
            return 0  # "does five squats", "has a seat"
        if (line.adverb(at) or line.has("gait", at)) and not self._noun_like(at):
            clause.before.append(line.tokens[at])
            return 1
        if line.text(at) == "to" and clause.subject.kind != "none" and line.forms(at + 1):
            return 1
        if line.kind(at) == "quote":
            clause.before.append(line.tokens[at])
            return 1
        if line.text(at) == "back" and self._back_again(at, clause):
            return None
        if line.forms(at) and not self._measured(at) and not self._only_direction(at, clause):
            return 0
        if (line.has("body", at) or line.has("sided", at)) and self._only_direction(at, clause):
            return None
        return self._phrase_ahead(at, clause)

    def _back_again(self, at: int, clause: Clause) -> bool:
        """ "Glances right, then back at the letter"."""
        line = self.line
        goes_on = clause.link in {"then", "and", "comma"} and clause.subject.kind == "none"
        ends = line.strong(at + 1) or line.text(at + 1) in {"at", "to", "toward", "towards", "again", ","}
        return goes_on and bool(self.found) and ends

    def _inverted(self, at: int) -> bool:
        """ "Not once does she look back"."""
        line = self.line
        who = line.has("subject", at + 1) or line.kind(at + 1) == "name"
        return who and line.text(at + 1) not in {"it", "one"} and line.verb_at(at + 2)

    def _denies_how(self, at: int) -> bool:
        """ "Slowly, not quickly, she turns" denies nothing that is done."""
        line = self.line
        how = any(line.has(kind, at + 1) for kind in ("speed", "gait")) or line.text(at + 1).endswith("ly")
        return how and line.text(at + 2) == "," and line.text(at) == "not"

    def _too(self, at: int) -> bool:
        """ "not too fast" says how, not what is not done."""
        return self.line.text(at) == "not" and self.line.text(at + 1) == "too"

    def _noun_like(self, at: int) -> bool:
        """An adverb that is a verb here: "still", "slow", "open the door"."""
        line = self.line
        if not line.forms(at):
            return False
        if line.text(at) in {"open", "shut", "free"} and line.kind(at + 1) == "word":
            bare = not line.words.known(line.text(at + 1)) or line.has("thing", at + 1)
            return bare and not line.has("direction", at + 1)  # "open umbrella"
        return line.determined(at + 1) or line.kind(at + 1) == "end" or line.has("object", at + 1)

    def _measured(self, at: int) -> bool:
        """ "three steps to the left": a number's noun is no verb."""
        line = self.line
        before = line.kind(at - 1) == "number" or line.has("number", at - 1) or line.has("speed", at - 1)
        counted = before and (
            line.kind(at - 2) == "number"
            or line.has("number", at - 2)
            or line.kind(at - 1) == "number"
            or line.has("number", at - 1)
        )
        return counted and line.has("unit", at)

    def _only_direction(self, at: int, clause: Clause) -> bool:
        """ "left" without anybody who left; "hands up" without anybody who hands."""
        line = self.line
        body = line.has("sided", at) or line.has("body", at)
        ends = line.strong(at + 2) or line.text(at + 2) == ","
        if clause.subject.kind == "none" and body and line.text(at + 1) in _UPWARD and ends:
            return True
        if clause.subject.kind == "none" and line.has("sided", at) and line.kinds(at) == {"third"}:
            if line.kinds(at + 1) == {"past"} or line.text(at + 1) in {"open", "shut", "wide"}:
                return True  # "eyes closed, she sings"
            if line.text(at + 1) in {"up", "down", "out"}:
                return not line.determined(at + 2)
            return line.text(at + 1) in _HELD and any(
                line.has(kind, at + 2 + line.determined(at + 2)) for kind in ("body", "sided", "pocket")
            )
        return clause.subject.kind == "none" and line.has("direction", at) and line.kinds(at) == {"past"}

    def _comma(self, at: int, clause: Clause) -> int | None:
        """A comma before the verb: after a phrase ahead ("At the door, she turns") or a vocative."""
        line = self.line
        if clause.before and clause.subject.kind != "none" and self._another(at + 1):
            return None  # "the door is shut, so she knocks"
        if line.text(at) in {",", ":"} and (
            clause.before or clause.subject.kind in {"actor", "camera", "unknown"}
        ):
            after = line.past_adverbs(at + 1)
            if self.boundaries.starts(at + 1, Clause()) or line.forms(after) or line.text(at) == ":":
                return 1
        return None

    def _another(self, at: int) -> bool:
        """Whether somebody else, with a verb, stands behind a comma."""
        line = self.line
        who = line.past_adverbs(at)
        if line.has("subject", who) or line.kind(who) == "name":
            return line.verb_at(who + 1)
        return line.determined(who) and line.noun_subject(who) >= 0

    def _aside(self, at: int, clause: Clause) -> int:
        """ "Mira (running) turns", "she, smiling, waves": a clause of its own, read here; 0 where none is."""
        line = self.line
        if line.text(at) != "," or clause.subject.kind != "actor" or clause.before:
            return 0
        if line.kinds(at + 1) & {"base", "third"} or line.determined(at + 1) or line.kind(at + 1) == "name":
            return 0
        end = next((place for place in range(at + 2, at + 10) if line.kind(place) == "mark"), 0)
        if not end or line.text(end) != "," or not line.finite_at(end + 1):
            return 0
        if "ing" not in line.kinds(line.past_adverbs(at + 1)):
            kinds = ("prep", "speed", "manner", "direction", "gait", "and")
            said = any(line.has(kind, place) for kind in kinds for place in range(at + 1, end))
            told = line.tokens[at + 1 : end]
            clause.before.extend(told if said else [replace(token, kind="aside") for token in told])
            return end + 1 - at
        inside = _Splitter(Line(line.tokens[at + 1 : end]), self.names).clauses()
        if inside:
            inside[0].link, clause.link = clause.link, "comma"
            self.found += inside
        return end + 1 - at

    def _phrase_ahead(self, at: int, clause: Clause) -> int | None:
        """Words before the verb that say where or how: "At the corner, she turns"."""
        line = self.line
        if line.text(at) in {"left", "right", "both"} and line.has("sided", at + 1):
            return None  # "left hand up"
        end = self.boundaries.phrase(at)
        after = end + (line.text(end) == ",")
        if end > at and (
            line.verb_at(after) or line.has("subject", line.past_adverbs(after)) or self._starts(after)
        ):
            clause.before.extend(line.tokens[at:end])
            return end - at
        return self._unknown(at)

    def _starts(self, at: int) -> bool:
        line = self.line
        return line.kind(at) == "name" or line.clause_follows(at) or line.has("camera", at)

    def _unknown(self, at: int) -> int | None:
        """A word that should be the verb but is none (0), or a phrase without a verb (None)."""
        line = self.line
        told = line.kind(at) == "word" and not line.determined(at)
        closed = any(line.has(kind, at) for kind in line.words.closed if kind not in _OPEN)
        return 0 if told and not closed else None

    # --- the verb

    def _verb(self, at: int, clause: Clause, first: int) -> int:
        line = self.line
        forms = line.forms(at)
        if not forms and line.state(first, at):
            clause.passive = True  # "she is tired"
            clause.rest.append(line.tokens[at])
            return at + 1
        if not forms:
            return self._misspelt(at, clause)
        kind = self._form(at, clause)
        chased = clause.subject.kind == "none" and line.kinds(at) == {"past"} and line.text(at + 1) == "by"
        clause.passive = line.passive(first, at) or chased  # "exit, pursued by a bear"
        if clause.passive and kind == "past":
            kind = "third" if any(line.text(place) in _NOW for place in range(first, at)) else kind
            clause.told = clause.told or kind  # "is hit and falls"
            kind = "past"
        clause.verb, clause.form = line.tokens[at], clause.told or kind
        if line.text(at) == "skip" and line.determined(at + 1) and line.has("deverbal", at + 2):
            clause.cancelled = line.tokens[at]  # "skip the bow"
        clause.lemmas = tuple(dict.fromkeys(lemma for lemma, form in forms if form == kind))
        return at + 1

    def _form(self, at: int, clause: Clause) -> str:
        """Which form it is where it may be several: "put" after "she" is past, after nothing an order."""
        kinds = self.line.kinds(at)
        subject = clause.subject.token.text if clause.subject.token else ""
        if clause.subject.kind == "none" or subject in {"they", "we", "i", "you"}:
            order = ("base", "ing", "third", "past")
        else:
            order = ("third", "past", "ing", "base")
        return next(kind for kind in order if kind in kinds)

    def _misspelt(self, at: int, clause: Clause) -> int:
        """The verb is no word that is known: corrected where that is near and unique."""
        line = self.line
        if line.kind(at) != "word":
            return at
        token = line.tokens[at]
        fresh = not (line.words.known(token.text) or line.words.known(token.text.removesuffix("s")))
        meant = near_forms(token.text, camera=clause.subject.kind == "camera")[0] if fresh else ""
        if not meant and fresh and clause.subject.kind == "none":
            meant = near_forms(token.text, camera=True)[0] if not near_forms(token.text)[1] else ""
        if not meant:
            clause.unknown = token
            return at + 1
        clause.corrected.append((token, meant))
        forms = line.words.forms[meant]
        clause.verb, clause.form = Token(meant, token.start, token.end), forms[0][1]
        clause.lemmas = tuple(dict.fromkeys(lemma for lemma, _ in forms))
        return at + 1
