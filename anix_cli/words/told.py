"""Verbs that only say that another one begins, goes on or is told: "starts to", "let her", "we see him"."""

from __future__ import annotations

from .clause import Clause, Subject
from .grammar import Line
from .leads import BEING

_POINTED = frozenset({"let", "have", "make", "want", "need", "see", "watch", "show"})
"""Verbs with which a director says what somebody else is to do."""


class Told:
    """Steps over such verbs."""

    def __init__(self, line: Line) -> None:
        self.line = line

    def read(self, at: int, clause: Clause) -> int | None:
        """ "starts to", "keeps", "refuses to", "let her", "stops running": None where it is none of these."""
        line = self.line
        if (taken := self._pointed(at, clause)) is not None:
            return taken
        kind = line.words.value("catenative", line.text(at)) if line.kind(at) == "word" else None
        if kind is None:
            return None
        after = at + 1
        while line.has("manner", after) or line.has("speed", after):
            after += 1
        if line.text(at).endswith("_to") and line.forms(line.past_adverbs(after)):
            clause.cancelled = line.tokens[at]
            return after - at
        if (
            kind == "move"
            and line.text(at) in {"go", "come"}
            and "base" in line.kinds(after)
            and not self._noun_like_verb(after)
        ):
            return after - at
        if line.text(after) in {"not", "never"} and line.text(after + 1) == "to" and kind == "on":
            clause.cancelled = line.tokens[after]  # "tries not to laugh"
            clause.told = "third" if line.text(at).endswith("s") else "base"
            return after + 2 - at
        wanted = line.text(at) in {"want", "wants", "wanted", "try", "tries", "tried"}
        noun = line.has("nounverb", after) and line.strong(after + 1)
        if wanted and "base" in line.kinds(after) and not noun:
            return after - at  # "the girl wants drink water"
        infinitive = line.text(after) == "to" and bool(line.forms(line.past_adverbs(after + 1)))
        fresh = line.kind(after) == "word" and not line.words.known(line.text(after))
        participle = "ing" in line.kinds(after) or (fresh and line.text(after).endswith("ing"))
        if kind == "end" and participle and clause.cancelled is not None:
            clause.cancelled, clause.told = None, "base"  # "can't stop laughing"
            return after - at
        if kind == "end" or not (infinitive or participle):
            return None
        if kind == "move" and not participle:
            return None
        if kind == "off":  # "don't forget to wave" is an order to wave
            clause.cancelled = None if clause.cancelled is not None else line.tokens[at]
        clause.before.extend(line.tokens[at + 1 : after])
        text = line.text(at)
        clause.told = "ing" if text.endswith("ing") else "third" if text.endswith("s") else "base"
        clause.told = (
            "past" if text.endswith("ed") or text in {"kept", "began", "went", "came"} else clause.told
        )
        return after - at + (1 if infinitive else 0)

    def _noun_like_verb(self, at: int) -> bool:
        """ "go left", "go back": a word that leads somewhere rather than a verb."""
        line = self.line
        return any(line.has(kind, at) for kind in ("direction", "prep", "speed", "manner"))

    def _pointed(self, at: int, clause: Clause) -> int | None:
        """ "have her walk", "let the camera drift", "I want him to turn": somebody else is told to do it."""
        line = self.line
        if (taken := self._shown(at, clause)) is not None:
            return taken
        lemmas = {lemma for lemma, _ in line.forms(at)} | {line.text(at)}
        by_director = clause.subject.kind == "none" or (
            clause.subject.token is not None and clause.subject.token.text in {"i", "we", "you"}
        )
        if not lemmas & _POINTED or not by_director:
            return None
        if lemmas & {"see", "watch", "show"} and "base" not in line.kinds(at):
            return None  # "and watches it land"
        after = at + 1
        if line.has("person", after) or line.kind(after) == "name" or line.has("object", after):
            end = after + 1
        elif line.has("number", after + 1):
            return None  # "make a quarter turn"
        elif line.determined(after) or line.has("camera", after):
            end = after + (2 if line.determined(after) else 1)
        else:
            return None
        verb = line.past_adverbs(end + (line.text(end) == "to"))
        if "base" not in line.kinds(verb) and not line.has("catenative", verb):
            return None
        clause.subject = self._named(end - 1)
        return verb - at

    def _shown(self, at: int, clause: Clause) -> int | None:
        """ "There is a man walking his dog", "we see a man walking": what is shown is what he does."""
        line = self.line
        there = line.text(at) == "there" and line.text(at + 1) in BEING
        seen = line.text(at) in {"see", "find"} and clause.subject.token is not None
        if not there and not (
            seen and clause.subject.token and clause.subject.token.text in {"we", "i", "you"}
        ):
            return None
        first = at + (2 if there else 1)
        if not (line.determined(first) or line.kind(first) == "name" or line.has("person", first)):
            return None
        verb = next((place for place in range(first + 1, first + 7) if "ing" in line.kinds(place)), 0)
        crossed = any(line.kind(place) == "mark" for place in range(first, verb))
        if not verb or crossed or line.person(line.text(verb - 1)) is False:
            return None
        clause.subject = self._named(verb - 1)
        return verb - at

    def _named(self, at: int) -> Subject:
        token = self.line.tokens[at]
        if self.line.has("camera", at):
            return Subject("camera", token)
        return Subject("actor", token, token.value)
